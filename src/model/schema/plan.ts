import { OPTIONAL_SECTIONS, SECTION_NAMES } from '../sections.js';
import {
  bodyOrNull,
  boolean,
  closed,
  counts,
  type Definitions,
  integer,
  integerOrNull,
  json,
  listOf,
  oneOf,
  orNull,
  output,
  type Properties,
  ref,
  textOrNull,
} from './parts.js';

const environment = 'Name of the environment.';
const fingerprint = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'Hash of the plan and of the live state it was made from.',
};
const name = 'Name of the campaign.';
const id = integerOrNull('Id of the live campaign; null if there is none.');
const manifest =
  'The file, relative to the project; "file#2" is the second document of a file, "file[France]" one instance of for_each.';
const section = ref('SectionName');

const difference = {
  section,
  path: 'Where below the section, as in the manifest: "steps[0].email_body"; empty for the whole section.',
  kind: oneOf('What happens to the value.', ['add', 'update', 'remove']),
  from: json('The live value; null if there is none or if it cannot be read, as note then says.'),
  to: json('The value of the manifest; null if there is none.'),
  note: textOrNull('A remark, or null: what is known of the live value, or the names of lead lists.'),
};

const email = {
  email_subject: 'Subject.',
  email_body: 'Body.',
  wait_in_days: integer('Days to the next email.'),
  thread_reply: boolean('Whether it is sent as a reply.'),
};

const byHand = listOf(
  ref('ByHandTask'),
  "What is left for a person to do in the service's web app, until a plan finds it done.",
);
const result = oneOf('incomplete: the service and the manifests still differ.', ['done', 'incomplete']);

const outcomeOf = { campaign: name, step: 'Id of the request, as in the plan.', title: 'What it does.' };
/** Events, each with what `more` gives all of them. */
const eventsWith = (more: Properties) => {
  const event = (type: string, description: string, properties: Properties) =>
    closed(description, { ...more, type: { type: 'string', const: type }, ...properties });
  const apply = [
    event('step-started', 'A request is sent.', outcomeOf),
    event('step-ended', 'A request has an outcome, which may be that its effect is not known.', {
      ...outcomeOf,
      result: ref('StepResult'),
    }),
    event('waiting', 'A launch is on its way.', { campaign: name, status: textOrNull('The live status.') }),
    event('trouble', 'Something went wrong that does not change what is sent.', { message: 'What it is.' }),
  ];
  const run = [
    event('planned', 'A plan was made.', { environment, fingerprint, summary: ref('Summary') }),
    ...apply,
    event('applied', 'An apply ended.', { environment, fingerprint, result, summary: ref('ApplySummary') }),
  ];
  return { apply, run };
};

/** The values of `plan` and `apply`: a plan, and what an apply made of it. */
export const planDefinitions: Definitions = {
  SectionName: oneOf('A section of a campaign that a manifest can manage.', SECTION_NAMES),
  Change: closed('One difference between the live campaign and its manifest.', difference),
  Origin: oneOf(
    'What changed since the campaign was last seen in sync: the manifest, the campaign in the service, or both.',
    ['manifest', 'service', 'both'],
  ),
  PlannedChange: closed('One difference between the live campaign and its manifest, and its origin.', {
    ...difference,
    origin: orNull(ref('Origin'), 'null if not known: never applied from here, or not managed before.'),
  }),
  Step: closed('One request that apply sends, as plain data: it can be printed, hashed, saved and resumed.', {
    id: 'Unique in its campaign; starts with its stage: "settings", "leads/list-42".',
    section,
    title: 'What it does, in words.',
    method: oneOf('HTTP method.', ['POST', 'PATCH']),
    path: 'Path below the base URL, with "{campaign_id}" if the campaign does not exist yet.',
    body: bodyOrNull(
      'JSON body; "{step 1}" in it stands for the id that the service will give to that step.',
    ),
    irreversible: boolean('Whether no request of the API can undo it.'),
  }),
  Severity: oneOf(
    'error: stops the run; blocked: the API cannot do it; hazard: needs approval by name; warning: stops nothing.',
    ['error', 'blocked', 'hazard', 'warning'],
  ),
  Problem: closed(
    'Something you should know, and what to do about it.',
    {
      code: 'Stable code.',
      severity: ref('Severity'),
      message: 'What is wrong.',
      hint: 'What to do about it.',
    },
    {
      accepted_by: textOrNull(
        'Only with a hazard of a plan: what accepts it, `campaignctl.yaml:12` or `--allow launch`; null: it needs approval.',
      ),
      lines: listOf(
        { type: 'string' },
        'Only where the hint ends with them: lines to write into a manifest.',
      ),
      at: 'Only with a finding of the linter in a plan: its file and line, `campaigns/spring.yaml:12`.',
    },
  ),
  SendingHours: closed('Days and hours in which emails may go out.', {
    days: listOf({ type: 'string' }, 'Days, as words, in the order of the week.'),
    start_time: 'HH:MM.',
    end_time: 'HH:MM.',
    timezone: 'Time zone of the times.',
  }),
  ContentEmail: closed('One wording of an email.', email),
  ContentSchedule: closed('When emails may go out.', {
    window: orNull(ref('SendingHours'), 'null if the service does not show what the template holds.'),
    template: integerOrNull('The template it is made from.'),
    save_as_template: boolean('Whether it is also saved as a template.'),
  }),
  ContentSequence: closed('The emails.', {
    title: textOrNull('Title; null if the service does not show it.'),
    steps: listOf(
      closed('One email.', { ...email, variants: listOf(ref('ContentEmail'), 'Its variants.') }),
      'The emails in their order.',
    ),
  }),
  Content: closed('One side of a campaign; a section is null if it is not managed or not there.', {
    ...Object.fromEntries(OPTIONAL_SECTIONS.map((name) => [name, json('The whole of it.')])),
    settings: orNull({
      type: 'object',
      description: 'Settings that the manifest writes or the service shows.',
      additionalProperties: { type: ['integer', 'boolean', 'string', 'null'] },
    }),
    schedule: orNull(ref('ContentSchedule'), 'When emails may go out.'),
    sequence: orNull(ref('ContentSequence'), 'The emails.'),
    leads: orNull(
      closed('What is attached, as far as it is known.', {
        lists: listOf({ type: 'integer' }, 'Lead lists.'),
        ids: listOf({ type: 'integer' }, 'Individual leads.'),
      }),
    ),
    status: textOrNull('running or paused; for a live campaign, the word of the service.'),
  }),
  BeforeAfter: closed('The whole content of a campaign, live and desired.', {
    before: orNull(ref('Content'), 'The live campaign; null before it exists.'),
    after: ref('Content'),
  }),
  Impact: closed(
    'What a launch sets going, as of the moment of planning; null: not known, or never. With leads and first known, a null last lies beyond the horizon of the forecast.',
    {
      leads: integerOrNull('Leads it sends to.'),
      and_more: boolean('Whether there are more, in lists whose size the service does not show.'),
      emails_per_day: integerOrNull('Emails a day at most.'),
      emails: integerOrNull('Emails in all, if no lead answers: the number of leads times that of steps.'),
      first: textOrNull(
        'The earliest moment of the first email, in ISO 8601 with the offset of the time zone.',
      ),
      last: textOrNull('The end of the last window that is needed.'),
      sending_days: integerOrNull('Days on which something is sent.'),
      timezone: textOrNull('Time zone of the campaign.'),
    },
  ),
  SeenLast: closed('When a campaign was last seen in sync with its manifest.', {
    at: 'When, in ISO 8601, UTC.',
    how: oneOf('After an apply, or when the manifest was imported from the service.', ['apply', 'import']),
  }),
  Action: oneOf(
    'What a plan does with a campaign. blocked: part of it cannot be done, the rest is sent; not_read: nothing, since neither its manifest nor the list shows a change; drift: the plan shows only what changed outside campaignctl.',
    ['create', 'change', 'none', 'blocked', 'not_read', 'drift'],
  ),
  CampaignPlan: closed(
    'One campaign of a plan.',
    {
      manifest,
      name,
      id,
      action: ref('Action'),
      changes: listOf(ref('PlannedChange'), 'Every difference.'),
      steps: listOf(ref('Step'), 'The requests, in the order in which they are sent.'),
      problems: listOf(ref('Problem'), 'What concerns this campaign.'),
      content: orNull(ref('BeforeAfter'), 'The whole content; null if nothing differs.'),
      impact: orNull(ref('Impact'), 'Of a launch; null if none is sent.'),
      last: orNull(ref('SeenLast'), 'null: never.'),
    },
    { replaces: ref('Replaced') },
  ),
  Replaced: closed('The campaign that this one succeeds.', {
    id: integer('Its id.', 1),
    name,
    status: textOrNull('The word of the service; null if it shows none.'),
    running: boolean('Whether it sends, or may send: apply pauses it before anything else.'),
    copy: {
      anyOf: [listOf(ref('Change'), 'Empty: the emails are the same.'), { type: 'null' }],
      description: 'How the new emails differ from its live ones; null once this campaign has a sequence.',
    },
  }),
  RemovedCampaign: closed(
    'A campaign that the state knows and that no manifest of the environment has any more.',
    {
      id: integer('Id of the live campaign.', 1),
      name,
      manifest: 'The manifest that it had, relative to the project.',
      outside: boolean(
        'Whether that is still a manifest of the project, and only not among those of the environment: on_removal does not pause it.',
      ),
      status: textOrNull('The word of the service; null if it shows none.'),
      running: boolean('Whether it sends, or may send.'),
      basis: oneOf(
        'What that rests on. shown: the status; believed: what campaignctl did last, since the service shows no status; unknown: nothing, since the service shows no status, or one that is not a known word.',
        ['shown', 'believed', 'unknown'],
      ),
      max_emails_per_day: integerOrNull('As the service shows it; null if it does not.'),
      step: orNull(ref('Step'), 'The pause that apply sends; null if it sends none.'),
    },
    { superseded_by: integer('Only of one that was replaced: the campaign that has replaced it.', 1) },
  ),
  ByHandTask: closed(
    "What the API cannot do and a person can, in the service's web app.",
    {
      campaign: 'Name of the campaign in the service.',
      id: integer('Id of the campaign.', 1),
      manifest: 'The manifest that it has, or had; "campaignctl probe" of one that a probe made.',
      does: oneOf(
        'add, update and remove: a value of the campaign; rename: the campaign; restore: it is archived or deleted; delete: it has no manifest, and does not run.',
        ['add', 'update', 'remove', 'rename', 'restore', 'delete'],
      ),
      section: orNull(section, 'null: the campaign as a whole.'),
      path: 'Where below the section, as in the manifest: "steps[0].email_body"; empty for the whole of it.',
      place: 'The same in words: "sequence, step 1: email_body".',
      from: json('The live value; null if there is none, or none is shown.'),
      to: json('The value to enter; null if there is none.'),
    },
    { superseded_by: integer('Only of one that was replaced: the campaign that has replaced it.', 1) },
  ),
  Summary: counts(
    'Counts of campaigns, except requests. Each campaign with a manifest is in one of create, change, unchanged, blocked and not_read.',
    {
      create: 'To create.',
      change: 'To change.',
      unchanged: 'In sync with their manifests.',
      blocked: 'With at least one change that the API cannot make; the rest of it is sent.',
      not_read: 'Left unread by --refresh changed: drift in them does not show.',
      launch: 'To launch.',
      pause: 'To pause.',
      removed: 'Known to the state, and without a manifest in this environment.',
      requests: 'Requests that apply sends.',
    },
  ),
  Plan: output('What campaignctl apply would do: the output of plan --format json.', {
    environment,
    base_url: 'Base URL of the service; "sandbox" for the sandbox.',
    fingerprint,
    mode: oneOf(
      'all: everything; changed: everything of the campaigns that may have changed, the others were not read; drift: only what changed outside campaignctl, with no requests.',
      ['all', 'changed', 'drift'],
    ),
    summary: ref('Summary'),
    problems: listOf(ref('Problem'), 'What concerns the plan as a whole.'),
    campaigns: listOf(ref('CampaignPlan'), 'Every campaign of the plan, unchanged ones too.'),
    removed: listOf(
      ref('RemovedCampaign'),
      'Campaigns whose manifests were removed, or are not among those of the environment; none where files or --target select campaigns.',
    ),
    by_hand: byHand,
  }),
  StepResult: oneOf(
    'in_doubt: sent, and neither its answer nor reading the service told its effect; not_run: not sent, since an earlier step failed.',
    ['done', 'failed', 'in_doubt', 'not_run'],
  ),
  StepOutcome: closed('One request after an apply.', {
    id: 'As in the plan.',
    title: 'What it does, in words.',
    method: 'HTTP method; GET for the read-back.',
    path: 'Path below the base URL; empty for the read-back, which takes several.',
    result: ref('StepResult'),
    detail: textOrNull('Why it failed, or what is not certain.'),
  }),
  CampaignOutcome: closed('One campaign after an apply.', {
    manifest,
    name,
    id,
    result: oneOf('What became of it. blocked: the API could not make every change.', [
      'done',
      'incomplete',
      'blocked',
    ]),
    steps: listOf(ref('StepOutcome'), 'Every request of the plan.'),
    remaining: listOf(ref('Change'), 'What still differs after reading back.'),
  }),
  ApplySummary: counts('Counts of campaigns.', {
    campaigns: 'All of them.',
    unchanged: 'In sync with their manifests before.',
    not_read: 'Left unread by --refresh changed.',
    done: 'Brought in sync with their manifests, and read back.',
    incomplete: 'With a step that failed, is in doubt or was not run.',
    blocked: 'With a change left that the API cannot make.',
  }),
  ApplyResult: output('What campaignctl apply did: the output of apply --format json.', {
    environment,
    fingerprint,
    result,
    summary: ref('ApplySummary'),
    by_hand: byHand,
    campaigns: listOf(ref('CampaignOutcome'), 'Campaigns with requests or with changes left.'),
    problems: listOf(ref('Problem'), 'What concerns the run as a whole.'),
  }),
  ApplyEvent: {
    description: 'What happens while a plan is applied, for progress and logs.',
    oneOf: eventsWith({}).apply,
  },
  RunEvent: {
    description: 'What a run of plan or apply tells other programs, in order.',
    oneOf: eventsWith({}).run,
  },
  EventLine: {
    description: 'One event of a run: a line of the file that --events names.',
    oneOf: eventsWith({ at: 'When, in ISO 8601.' }).run,
  },
  Requests: output('What campaignctl apply would send: the output of apply --dry-run --format json.', {
    environment,
    not_read: integer('Campaigns that --refresh changed did not read; 0 without it.', 0),
    requests: listOf(
      closed('One request.', {
        campaign: name,
        method: oneOf('HTTP method.', ['POST', 'PATCH']),
        path: 'Path below the base URL, with "{campaign_id}" if the campaign does not exist yet.',
        body: bodyOrNull('JSON body.'),
      }),
      'Every request, in the order in which they are sent.',
    ),
  }),
};
