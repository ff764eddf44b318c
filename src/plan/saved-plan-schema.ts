import { isObject, type JsonObject } from '../model/json.js';
import { publishedSchemas } from '../model/schema/index.js';

const {
  $schema: _,
  $id: __,
  definitions = {},
  ...plan
} = publishedSchemas.find(({ title }) => title === 'Plan') ?? {};

const text = { type: 'string' };
const texts = { type: 'array', items: text };

function all(properties: { [name: string]: JsonObject }): JsonObject {
  return { type: 'object', required: Object.keys(properties), properties };
}

/**
 * The form of a saved plan: what a person has sealed anew after a change has to be a plan all the same. Its validator is
 * generated from here by `npm run generate`; the program never loads this.
 */
export const savedPlanSchema: JsonObject = {
  $id: 'savedPlan',
  ...all({
    kind: { const: 'campaignctl plan' },
    version: { const: 1 },
    made: all({ at: text, who: text, commit: { type: ['string', 'null'] }, tool: text }),
    selection: all({ files: texts, target: texts, hold: texts }),
    sources: { type: 'object', additionalProperties: text },
    environment: all({ name: text }),
    plan,
    specs: { type: 'array', items: all({ name: text }) },
    live: { type: 'array' },
    checksum: text,
  }),
  definitions: isObject(definitions) ? definitions : {},
};
