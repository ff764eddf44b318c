import type { JsonObject } from '../model/json.js';
import { closed, counts, listOf, oneOf, orNull, text } from './schema-parts.js';

const id: JsonObject = {
  type: ['integer', 'null'],
  description: 'The live campaign; null: it does not exist.',
};
const manifest = text('The file, relative to the project; "file#2" for the second document of a file.');
const version: JsonObject = { type: 'integer', const: 1, description: 'Version of this format.' };
const fingerprint: JsonObject = {
  type: 'string',
  pattern: '^sha256:[0-9a-f]{64}$',
  description: 'Hash of the plan and of the live state that it was made from.',
};

const aspect = oneOf('Part of the campaign.', [
  'campaign',
  'settings',
  'schedule',
  'sequence',
  'leads',
  'status',
]);

const change = closed('One difference between the live campaign and its manifest.', {
  aspect,
  path: text('Where below the aspect, as in the manifest; empty where the aspect is one value.'),
  kind: oneOf('What happens to the value.', ['add', 'alter', 'drop']),
  from: { description: 'The live value; null where there is none, or where it cannot be read.' },
  to: { description: 'The value of the manifest; null where there is none.' },
  note: { type: ['string', 'null'], description: 'What has to be known about the live value, if anything.' },
});

const step = closed('One request that apply sends.', {
  id: text('Unique in its campaign; starts with its stage.'),
  aspect,
  title: text('What it does, in words.'),
  method: oneOf('HTTP method.', ['POST', 'PATCH']),
  path: text('Path below the base URL; "{campaign_id}" where the campaign is still to be made.'),
  body: {
    type: ['object', 'null'],
    description: 'JSON body; "{step 1}" in it stands for the id that the service will give to that step.',
  },
  one_way: { type: 'boolean', description: 'Whether no request of the interface can undo it.' },
});

const problem = closed('Something to know before applying.', {
  code: text('Stable code.'),
  severity: oneOf('blocked: cannot be done through the interface; hazard: has to be allowed by name.', [
    'blocked',
    'hazard',
    'warning',
  ]),
  message: text('What is the matter.'),
  hint: text('What to do about it.'),
});

const words = (description: string): JsonObject => listOf({ type: 'string' }, description);
const ids = (description: string): JsonObject => listOf({ type: 'integer' }, description);
const email: { [name: string]: JsonObject } = {
  email_subject: text('Subject.'),
  email_body: text('Body.'),
  wait_in_days: { type: 'integer', description: 'Days to the next email.' },
  thread_reply: { type: 'boolean', description: 'Whether it is sent as a reply.' },
};

const portrait = closed('One side of a campaign; an aspect is null where it is not managed or not there.', {
  settings: orNull({
    type: 'object',
    description: 'Settings that are written, or shown.',
    additionalProperties: { type: ['integer', 'boolean', 'string', 'null'] },
  }),
  schedule: orNull(
    closed('When emails may go out.', {
      window: orNull(
        closed('Days and hours; null where the content of a template is not shown.', {
          days: words('Days, as words.'),
          start_time: text('HH:MM.'),
          end_time: text('HH:MM.'),
          timezone: text('Time zone of the times.'),
        }),
      ),
      template: { type: ['integer', 'null'], description: 'The template it is made from.' },
      save_as_template: { type: 'boolean', description: 'Whether it is also saved as a template.' },
    }),
  ),
  sequence: orNull(
    closed('The emails.', {
      title: { type: ['string', 'null'], description: 'Title; null where it is not shown.' },
      steps: listOf(
        closed('One email.', {
          ...email,
          variants: listOf(closed('One variant.', email), 'Its variants.'),
        }),
        'The emails in their order.',
      ),
    }),
  ),
  leads: orNull(
    closed('What is attached, as far as it is known.', {
      lists: ids('Lead lists.'),
      ids: ids('Single leads.'),
    }),
  ),
  status: { type: ['string', 'null'], description: 'running or paused; of a live campaign its own word.' },
});

const planSummary = closed(
  'Counts of campaigns, except requests.',
  counts({
    create: 'To be made.',
    change: 'To be changed.',
    unchanged: 'As their manifests say.',
    blocked: 'With at least one change that the interface cannot do.',
    launch: 'To be launched.',
    pause: 'To be paused.',
    requests: 'Requests that apply sends.',
  }),
);

const numberOrNull = (description: string): JsonObject => ({ type: ['integer', 'null'], description });
const stampOrNull = (description: string): JsonObject => ({ type: ['string', 'null'], description });

const reach = closed('What a launch sets going, as of the moment of planning; null: not known, or never.', {
  leads: numberOrNull('Leads it sends to.'),
  emails_per_day: numberOrNull('Emails a day at most.'),
  emails: numberOrNull('Emails in all, if nobody answers.'),
  first: stampOrNull('The earliest moment of the first email, in ISO 8601 with the offset of the time zone.'),
  last: stampOrNull('The end of the last day that is needed.'),
  sending_days: numberOrNull('Days on which something is sent.'),
  timezone: stampOrNull('Time zone of the campaign.'),
});

/** JSON Schema (draft-07) of `plan --format json`: `schemas/plan.schema.json`. The type is `Plan` in `model/plan.ts`. */
export const planSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'plan.schema.json',
  title: 'Plan',
  ...closed('What campaignctl apply would do: the output of plan --format json.', {
    version,
    environment: text('Name of the environment.'),
    base_url: text('Base URL of the service; "sandbox" for the embedded one.'),
    fingerprint,
    summary: planSummary,
    problems: listOf('problem', 'What concerns the plan as a whole.'),
    campaigns: listOf(
      closed('One campaign.', {
        manifest,
        name: text('Name of the campaign.'),
        id,
        action: oneOf('What happens to it.', ['create', 'change', 'none', 'blocked']),
        changes: listOf('change', 'Every difference.'),
        steps: listOf('step', 'The requests, in the order in which they are sent.'),
        problems: listOf('problem', 'What concerns this campaign.'),
        sides: orNull(
          closed('The whole of both sides; null where nothing differs.', {
            live: orNull({ description: 'null before it exists.', $ref: '#/definitions/portrait' }),
            desired: { $ref: '#/definitions/portrait' },
          }),
        ),
        reach: orNull(reach),
      }),
      'Every campaign of the plan, unchanged ones too.',
    ),
  }),
  definitions: { change, step, problem, portrait },
};

const outcome = oneOf('incomplete: the service and the manifests still differ.', ['done', 'incomplete']);
const stepResult = oneOf('in_doubt: sent, and neither its answer nor a later look told its effect.', [
  'done',
  'failed',
  'in_doubt',
  'not_run',
]);
const applySummary = closed(
  'Counts of campaigns.',
  counts({
    campaigns: 'All of them.',
    unchanged: 'As their manifests said before.',
    done: 'Brought to what their manifests say, and read back.',
    incomplete: 'With a step that failed, is in doubt or was not run.',
    blocked: 'With a change left that the interface cannot do.',
  }),
);

/** JSON Schema (draft-07) of `apply --format json`: `schemas/apply.schema.json`. The type is `ApplyResult` in `model/outcome.ts`. */
export const applySchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'apply.schema.json',
  title: 'ApplyResult',
  ...closed('What campaignctl apply did: the output of apply --format json.', {
    version,
    environment: text('Name of the environment.'),
    fingerprint,
    result: outcome,
    summary: applySummary,
    campaigns: listOf(
      closed('One campaign.', {
        manifest,
        name: text('Name of the campaign.'),
        id,
        result: oneOf('What became of it.', ['done', 'incomplete', 'blocked']),
        steps: listOf(
          closed('One request.', {
            id: text('As in the plan.'),
            title: text('What it does, in words.'),
            method: oneOf('HTTP method; GET for the read-back.', ['POST', 'PATCH', 'GET']),
            path: text('Path below the base URL; empty for the read-back, which takes several.'),
            result: stepResult,
            detail: { type: ['string', 'null'], description: 'Why it failed, or what is not certain.' },
          }),
          'Every request of the plan.',
        ),
        remaining: listOf('change', 'What still differs after reading back.'),
      }),
      'Campaigns of which something was sent or left.',
    ),
  }),
  definitions: { change },
};

const at = text('When, in ISO 8601.');
const campaign = text('Name of the campaign.');
const event = (type: string, description: string, more: { [name: string]: JsonObject }): JsonObject =>
  closed(description, { at, type: { type: 'string', const: type }, ...more });
const stepOf = { campaign, step: text('Id of the request, as in the plan.'), title: text('What it does.') };

/** JSON Schema (draft-07) of one line of `--events`: `schemas/event.schema.json`. The type is `RunEvent` in `model/event.ts`. */
export const eventSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'event.schema.json',
  title: 'RunEvent',
  description: 'One event of a run: a line of the file that --events names.',
  oneOf: [
    event('planned', 'A plan was made.', {
      environment: text('Name of the environment.'),
      fingerprint,
      summary: planSummary,
    }),
    event('step-started', 'A request is sent.', stepOf),
    event('step-ended', 'It is known what became of a request, or that it is not known.', {
      ...stepOf,
      result: stepResult,
    }),
    event('waiting', 'A launch is on its way.', {
      campaign,
      status: { type: ['string', 'null'], description: 'The word of the service.' },
    }),
    event('trouble', 'Something that does not change what is sent.', { message: text('What it is.') }),
    event('applied', 'The end of an apply.', {
      environment: text('Name of the environment.'),
      fingerprint,
      result: outcome,
      summary: applySummary,
    }),
  ],
};
