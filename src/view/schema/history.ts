import type { JsonObject } from '../../model/json.js';
import { closed, listOf, numberOrNull, oneOf, orNull, published, text, textOrNull } from './parts.js';
import { fingerprint, manifest, planSummary, step, stepResult, version } from './words.js';

const run = {
  run: text('Its name; sorts by time.'),
  environment: text('Name of the environment.'),
  at: text('When it began, in ISO 8601.'),
  who: text('Who applied, and on which machine.'),
  commit: textOrNull('Git commit of the project, with "-dirty" where files differed; null: not known.'),
  tool: text('Version of campaignctl.'),
  fingerprint,
  summary: planSummary,
  ended: textOrNull('When it ended; null: it did not.'),
  result: oneOf('died: it noted no end.', ['done', 'incomplete', 'interrupted', 'died']),
  pending: { type: 'boolean', description: 'Whether the next apply has to find out what became of it.' },
};

/** JSON Schema (draft-07) of `history --format json`: `schemas/runs.schema.json`. */
export const runsSchema: JsonObject = published(
  'runs',
  'Runs',
  closed('The runs on an environment: the output of history --format json.', {
    version,
    environment: text('Name of the environment.'),
    runs: listOf(
      closed('One run.', {
        ...run,
        sent: { type: 'integer', minimum: 0, description: 'Requests that it was about to send.' },
      }),
      'The newest first.',
    ),
  }),
);

/** JSON Schema (draft-07) of `history RUN --format json`: `schemas/run.schema.json`. The type is `Run` in `model/run.ts`. */
export const runSchema: JsonObject = published('run', 'Run', {
  ...closed('One run: the output of history RUN --format json.', {
    version,
    ...run,
    steps: listOf(
      closed('One request.', {
        at: text('When it was about to be sent, in ISO 8601.'),
        manifest,
        name: text('Name of the campaign.'),
        id: numberOrNull('The live campaign; null: not known.'),
        step: { $ref: '#/definitions/step' },
        result: orNull({ ...stepResult, description: 'null: none was noted.' }),
        detail: textOrNull('Why it failed, or what is not certain.'),
      }),
      'In the order of the journal.',
    ),
  }),
  definitions: { step },
});
