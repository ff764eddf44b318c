import { isObject, type JsonObject } from '../model/json.js';
import { list, open, text, textOrNull } from '../model/schema/parts.js';

/** Schema of a saved plan, for `npm run generate` only. */
export const savedPlanSchemaOf = ({
  $schema: _schema,
  $id: _id,
  title: _title,
  definitions = {},
  ...plan
}: JsonObject): JsonObject => ({
  $id: 'savedPlan',
  title: 'SavedPlan',
  ...open({
    kind: { const: 'campaignctl plan' },
    version: { const: 1 },
    made: open({
      at: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        description: 'When, in ISO 8601, UTC: the moment from which launches are reckoned.',
      },
      who: 'Who planned, and on which machine.',
      commit: textOrNull('Git commit of the project; null if not known.'),
      tool: 'Version of campaignctl.',
    }),
    selection: {
      ...open({
        files: list(text('A file.'), 'Relative to the project.'),
        target: list(text('A campaign.'), 'Names.'),
        hold: { type: 'array', items: { const: 'launch' } },
      }),
      description: 'Which campaigns the plan is of, as on the command line.',
    },
    sources: {
      type: 'object',
      additionalProperties: text('Hash.'),
      description: 'Files of the project that the plan was made from, each with the hash of its text.',
      tsType: '{ [file: string]: string }',
    },
    environment: { ...open({ name: 'Its name.' }), tsType: 'Environment' },
    plan: { ...plan, tsType: 'Plan' },
    shown: 'Hash of all that a view shows: of made and plan.',
    specs: { ...list(open({ name: 'Its name.' }), 'In the order of the plan.'), tsType: 'CampaignSpec[]' },
    live: {
      type: 'array',
      description: 'What the sections of each campaign saw, in the order of the plan.',
      tsType: 'unknown[]',
    },
    checksum: 'Of everything else in the file.',
  }),
  definitions: isObject(definitions) ? definitions : {},
});
