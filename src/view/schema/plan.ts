import type { JsonObject } from '../../model/json.js';
import { closed, listOf, numberOrNull, oneOf, orNull, published, text, textOrNull } from './parts.js';
import { fingerprint, id, manifest, plannedChange, planSummary, problem, step, version } from './words.js';

const words = (description: string): JsonObject => listOf({ type: 'string' }, description);
const ids = (description: string): JsonObject => listOf({ type: 'integer' }, description);
const email: { [name: string]: JsonObject } = {
  email_subject: text('Subject.'),
  email_body: text('Body.'),
  wait_in_days: { type: 'integer', description: 'Days to the next email.' },
  thread_reply: { type: 'boolean', description: 'Whether it is sent as a reply.' },
};

const content = closed('One side of a campaign; a section is null where it is not managed or not there.', {
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

const impact = closed('What a launch sets going, as of the moment of planning; null: not known, or never.', {
  leads: numberOrNull('Leads it sends to.'),
  and_more: { type: 'boolean', description: 'Whether there are more, of lists whose size is not shown.' },
  emails_per_day: numberOrNull('Emails a day at most.'),
  emails: numberOrNull('Emails in all, if nobody answers.'),
  first: textOrNull('The earliest moment of the first email, in ISO 8601 with the offset of the time zone.'),
  last: textOrNull('The end of the last day that is needed.'),
  sending_days: numberOrNull('Days on which something is sent.'),
  timezone: textOrNull('Time zone of the campaign.'),
});

/** JSON Schema (draft-07) of `plan --format json`: `schemas/plan.schema.json`. The type is `Plan` in `model/plan.ts`. */
export const planSchema: JsonObject = published('plan', 'Plan', {
  ...closed('What campaignctl apply would do: the output of plan --format json.', {
    version,
    environment: text('Name of the environment.'),
    base_url: text('Base URL of the service; "sandbox" for the embedded one.'),
    fingerprint,
    mode: oneOf('Everything, or only what was changed in the service: then nothing is sent.', [
      'all',
      'drift',
    ]),
    summary: planSummary,
    problems: listOf('problem', 'What concerns the plan as a whole.'),
    campaigns: listOf(
      closed('One campaign.', {
        manifest,
        name: text('Name of the campaign.'),
        id,
        action: oneOf(
          'What happens to it. blocked: something of it cannot be done, its steps are the rest; drift: only what was changed in the service is shown.',
          ['create', 'change', 'none', 'blocked', 'drift'],
        ),
        changes: listOf('change', 'Every difference.'),
        steps: listOf('step', 'The requests, in the order in which they are sent.'),
        problems: listOf('problem', 'What concerns this campaign.'),
        content: orNull(
          closed('The whole of both sides; null where nothing differs.', {
            before: orNull({ description: 'null before it exists.', $ref: '#/definitions/content' }),
            after: { $ref: '#/definitions/content' },
          }),
        ),
        impact: orNull(impact),
        last: orNull(
          closed('When it was last seen as its manifest said; null where it never was.', {
            at: text('When, in ISO 8601, UTC.'),
            how: oneOf('After an apply, or when the manifest was written from the service.', [
              'apply',
              'import',
            ]),
          }),
        ),
      }),
      'Every campaign of the plan, unchanged ones too.',
    ),
  }),
  definitions: { change: plannedChange, step, problem, content },
});
