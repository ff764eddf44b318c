import { SECTION_NAMES } from '../sections.js';
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
  ref,
  text,
  textOrNull,
  version,
} from './parts.js';

const environment = text('Name of the environment.');
const fingerprint = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'Hash of the plan and of the live state that it was made from.',
};
const name = text('Name of the campaign.');
const id = integerOrNull('The live campaign; null: it does not exist.');
const manifest = text(
  'The file, relative to the project; "file#2" for the second document of a file, "file[France]" for one campaign of several.',
);
const section = ref('SectionName');

const difference = {
  section,
  path: text(
    'Where below the section, as in the manifest: "steps[0].email_body"; empty where the section is one value.',
  ),
  kind: oneOf('What happens to the value.', ['add', 'update', 'remove']),
  from: json('The live value; null where there is none, or where it cannot be read: note then says so.'),
  to: json('The value of the manifest; null where there is none.'),
  note: textOrNull('What has to be known about the live value, if anything.'),
};

const email = {
  email_subject: text('Subject.'),
  email_body: text('Body.'),
  wait_in_days: integer('Days to the next email.'),
  thread_reply: boolean('Whether it is sent as a reply.'),
};

const result = oneOf('incomplete: the service and the manifests still differ.', ['done', 'incomplete']);

const outcomeOf = {
  campaign: name,
  step: text('Id of the request, as in the plan.'),
  title: text('What it does.'),
};
const event = (type: string, description: string, more: Definitions = {}) =>
  closed(description, { type: { type: 'string', const: type }, ...more });

const applyEvents = [
  event('step-started', 'A request is sent.', outcomeOf),
  event('step-ended', 'It is known what became of a request, or that it is not known.', {
    ...outcomeOf,
    result: ref('StepResult'),
  }),
  event('waiting', 'A launch is on its way.', {
    campaign: name,
    status: textOrNull('The word of the service.'),
  }),
  event('trouble', 'Something that does not change what is sent.', { message: text('What it is.') }),
];

const runHead = {
  run: text('Its name; sorts by time, and is unique in its environment.'),
  environment,
  at: text('When it began, in ISO 8601, UTC.'),
  who: text('Who applied, and on which machine.'),
  commit: textOrNull('Git commit of the project, with "-dirty" where files differed; null: not known.'),
  tool: text('Version of campaignctl.'),
};
const run = {
  ...runHead,
  fingerprint,
  summary: ref('Summary'),
  ended: textOrNull('When it ended; null: it did not.'),
  result: ref('RunResult'),
  pending: boolean('Whether the next apply has to find out what became of some of it.'),
};

/** What a plan is made of, what an apply made of it, and how runs are listed: the values of `plan`, `apply` and `history`. */
export const planDefinitions: Definitions = {
  SectionName: oneOf('One of the sections of a campaign that a manifest can manage.', [...SECTION_NAMES]),
  Change: closed('One difference between the live campaign and its manifest.', difference),
  Origin: oneOf(
    'Who made a difference since the campaign was last seen as its manifest said: the manifest was changed, or the campaign in the service, or both were.',
    ['manifest', 'service', 'both'],
  ),
  PlannedChange: closed('One difference between the live campaign and its manifest, and whose it is.', {
    ...difference,
    origin: orNull(ref('Origin'), 'null: not known, never applied from here or not managed before.'),
  }),
  Step: closed('One request that apply sends, as plain data: it can be printed, hashed, saved and resumed.', {
    id: text('Unique in its campaign; starts with its stage: "settings", "leads/list-42".'),
    section,
    title: text('What it does, in words.'),
    method: oneOf('HTTP method.', ['POST', 'PATCH']),
    path: text('Path below the base URL; "{campaign_id}" in it where the campaign is still to be made.'),
    body: bodyOrNull(
      'JSON body; "{step 1}" in it stands for the id that the service will give to that step.',
    ),
    irreversible: boolean('Whether no request of the API can undo it.'),
  }),
  Severity: oneOf(
    'error: nothing can go on; blocked: cannot be done through the API; hazard: needs approval by name; warning: said, and nothing else.',
    ['error', 'blocked', 'hazard', 'warning'],
  ),
  Problem: closed('Something to know, in words, and what to do about it.', {
    code: text('Stable code.'),
    severity: ref('Severity'),
    message: text('What is the matter.'),
    hint: text('What to do about it.'),
  }),
  SendingHours: closed('Days and hours in which emails may go out.', {
    days: listOf({ type: 'string' }, 'Days, as words, in the order of the week.'),
    start_time: text('HH:MM.'),
    end_time: text('HH:MM.'),
    timezone: text('Time zone of the times.'),
  }),
  ContentEmail: closed('One wording of an email.', email),
  ContentSchedule: closed('When emails may go out.', {
    window: orNull(ref('SendingHours'), 'null where the content of a template is not shown.'),
    template: integerOrNull('The template it is made from.'),
    save_as_template: boolean('Whether it is also saved as a template.'),
  }),
  ContentSequence: closed('The emails.', {
    title: textOrNull('Title; null where the service does not show it.'),
    steps: listOf(
      closed('One email.', { ...email, variants: listOf(ref('ContentEmail'), 'Its variants.') }),
      'The emails in their order.',
    ),
  }),
  Content: closed('One side of a campaign; a section is null where it is not managed or not there.', {
    settings: orNull({
      type: 'object',
      description: 'Settings that are written, or shown.',
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
    status: textOrNull('running or paused; of a live campaign its own word.'),
  }),
  BeforeAfter: closed('The whole of both sides.', {
    before: orNull(ref('Content'), 'The live campaign; null before it exists.'),
    after: ref('Content'),
  }),
  Impact: closed(
    'What a launch sets going, as of the moment of planning; null: not known, or never. With leads and first known, last is null where it lies beyond the horizon of the forecast.',
    {
      leads: integerOrNull('Leads it sends to.'),
      and_more: boolean('Whether there are more, of lists whose size is not shown.'),
      emails_per_day: integerOrNull('Emails a day at most.'),
      emails: integerOrNull(
        'Emails in all, if no lead answers: the number of leads times the number of steps.',
      ),
      first: textOrNull(
        'The earliest moment of the first email, in ISO 8601 with the offset of the time zone.',
      ),
      last: textOrNull('The end of the last window that is needed.'),
      sending_days: integerOrNull('Days on which something is sent.'),
      timezone: textOrNull('Time zone of the campaign.'),
    },
  ),
  SeenLast: closed('When a campaign was last seen as its manifest said.', {
    at: text('When, in ISO 8601, UTC.'),
    how: oneOf('After an apply, or when the manifest was written from the service.', ['apply', 'import']),
  }),
  Action: oneOf(
    'What a plan does about a campaign; blocked: part of it cannot be done, the rest is sent; drift: only what was changed in the service is shown.',
    ['create', 'change', 'none', 'blocked', 'drift'],
  ),
  CampaignPlan: closed('One campaign of a plan.', {
    manifest,
    name,
    id,
    action: ref('Action'),
    changes: listOf(ref('PlannedChange'), 'Every difference.'),
    steps: listOf(ref('Step'), 'The requests, in the order in which they are sent.'),
    problems: listOf(ref('Problem'), 'What concerns this campaign.'),
    content: orNull(ref('BeforeAfter'), 'The whole of both sides; null where nothing differs.'),
    impact: orNull(ref('Impact'), 'Of a launch; null where none is sent.'),
    last: orNull(ref('SeenLast'), 'null: it never was.'),
  }),
  Summary: counts(
    'Counts of campaigns, except requests. Each campaign is in one of create, change, unchanged and blocked.',
    {
      create: 'To be made.',
      change: 'To be changed.',
      unchanged: 'As their manifests say.',
      blocked: 'With at least one change that the API cannot do; the rest of it is sent.',
      launch: 'To be launched.',
      pause: 'To be paused.',
      requests: 'Requests that apply sends.',
    },
  ),
  Plan: closed('What campaignctl apply would do: the output of plan --format json.', {
    version,
    environment,
    base_url: text('Base URL of the service; "sandbox" for the embedded one.'),
    fingerprint,
    mode: oneOf('Everything, or only what was changed in the service: then nothing is sent.', [
      'all',
      'drift',
    ]),
    summary: ref('Summary'),
    problems: listOf(ref('Problem'), 'What concerns the plan as a whole.'),
    campaigns: listOf(ref('CampaignPlan'), 'Every campaign of the plan, unchanged ones too.'),
  }),
  StepResult: oneOf(
    'in_doubt: sent, and neither its answer nor a later look told its effect; not_run: not sent, since something before it failed.',
    ['done', 'failed', 'in_doubt', 'not_run'],
  ),
  StepOutcome: closed('One request after an apply.', {
    id: text('As in the plan.'),
    title: text('What it does, in words.'),
    method: text('HTTP method; GET for the read-back.'),
    path: text('Path below the base URL; empty for the read-back, which takes several.'),
    result: ref('StepResult'),
    detail: textOrNull('Why it failed, or what is not certain.'),
  }),
  CampaignOutcome: closed('One campaign after an apply.', {
    manifest,
    name,
    id,
    result: oneOf('What became of it; blocked: something was left, since the API cannot do it.', [
      'done',
      'incomplete',
      'blocked',
    ]),
    steps: listOf(ref('StepOutcome'), 'Every request of the plan.'),
    remaining: listOf(ref('Change'), 'What still differs after reading back.'),
  }),
  ApplySummary: counts('Counts of campaigns.', {
    campaigns: 'All of them.',
    unchanged: 'As their manifests said before.',
    done: 'Brought to what their manifests say, and read back.',
    incomplete: 'With a step that failed, is in doubt or was not run.',
    blocked: 'With a change left that the API cannot do.',
  }),
  ApplyResult: closed('What campaignctl apply did: the output of apply --format json.', {
    version,
    environment,
    fingerprint,
    result,
    summary: ref('ApplySummary'),
    campaigns: listOf(ref('CampaignOutcome'), 'Campaigns of which something was sent or left.'),
  }),
  ApplyEvent: {
    description: 'What happens while a plan is applied, for progress and logs.',
    oneOf: applyEvents,
  },
  RunEvent: {
    description: 'What a run of plan or apply tells other programs, in order.',
    oneOf: [
      event('planned', 'A plan was made.', { environment, fingerprint, summary: ref('Summary') }),
      ...applyEvents,
      event('applied', 'The end of an apply.', {
        environment,
        fingerprint,
        result,
        summary: ref('ApplySummary'),
      }),
    ],
  },
  RunList: closed('The runs on an environment: the output of history --format json.', {
    version,
    environment,
    runs: listOf(
      closed('One run.', { ...run, sent: integer('Requests that it was about to send.', 0) }),
      'The newest first.',
    ),
  }),
  RunReport: closed('One run: the output of history RUN --format json.', {
    version,
    ...run,
    steps: listOf(ref('RunStep'), 'In the order of the journal.'),
  }),
  Requests: closed('What campaignctl apply would send: the output of apply --dry-run --format json.', {
    version,
    environment,
    requests: listOf(
      closed('One request.', {
        campaign: name,
        method: oneOf('HTTP method.', ['POST', 'PATCH']),
        path: text('Path below the base URL; "{campaign_id}" where the campaign is still to be made.'),
        body: bodyOrNull('JSON body.'),
      }),
      'Every request, in the order in which they are sent.',
    ),
  }),
  RunHead: closed('Who applied what, and when.', runHead),
  RunResult: oneOf('How a run ended; died: it noted no end.', ['done', 'incomplete', 'interrupted', 'died']),
  RunStep: closed('One request of a run.', {
    at: text('When it was about to be sent, in ISO 8601.'),
    manifest,
    name,
    id: integerOrNull('The live campaign; null: not known.'),
    step: ref('Step'),
    result: orNull(ref('StepResult'), 'null: none was noted.'),
    detail: textOrNull('Why it failed, or what is not certain.'),
  }),
  Run: closed('One run.', { ...run, steps: listOf(ref('RunStep'), 'In the order of the journal.') }),
};
