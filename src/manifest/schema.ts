import { isObject, type JsonObject, mapValues } from '../model/json.js';
import { SECTIONS } from '../sections/index.js';

const sections: JsonObject = {
  ...Object.assign({}, ...SECTIONS.map(({ properties }) => properties)),
  waive: {
    type: 'object',
    description:
      'Policies of the project that do not apply to this campaign, each with the reason. Plans show it.',
    examples: [{ caps: 'Agreed with legal on 3 May.' }],
    propertyNames: { type: 'string', minLength: 1 },
    additionalProperties: { type: 'string', minLength: 1, pattern: '\\S' },
  },
};

function partial(section: JsonObject): JsonObject {
  const { title, required, oneOf, ...rest } = section;
  if (!Array.isArray(oneOf)) return rest;
  const properties = Object.assign({}, ...oneOf.filter(isObject).map((form) => form.properties));
  return { ...rest, type: 'object', additionalProperties: false, properties };
}

const overlay: JsonObject = {
  title: 'Overlay',
  type: 'object',
  additionalProperties: false,
  description:
    'What differs in this environment. Objects are merged, everything else replaces; null is a value. A schedule of the other form replaces the whole schedule.',
  examples: [{ settings: { max_emails_per_day: 1000 } }],
  properties: mapValues(sections, (schema) => (isObject(schema) ? partial(schema) : schema)),
};

const scalars = ['string', 'number', 'boolean', 'null'];

const forEach: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  description: `Makes one campaign of each entry. Each text of the manifest, and of what it names, can use the values of the entry: \${{ segment }}. The first value of an entry names its campaign. A plain text or number is short for { value: … }.`,
  examples: [
    [
      { segment: 'France', cap: 200 },
      { segment: 'Spain', cap: 100 },
    ],
    ['France', 'Spain'],
  ],
  items: {
    type: ['object', 'string', 'number', 'boolean'],
    minProperties: 1,
    propertyNames: { pattern: '^[A-Za-z_][A-Za-z0-9_]*$', maxLength: 64 },
    additionalProperties: { type: [...scalars, 'array'], items: { type: scalars } },
  },
};

/** JSON Schema (draft-07) of one document, after pieces are put in and expressions replaced. */
export const manifestSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'campaign.schema.json',
  title: 'Manifest',
  description: 'One email outreach campaign, as campaignctl plans and applies it.',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    ...sections,
    for_each: forEach,
    lint: {
      type: 'object',
      description:
        'Rules of the linter by code, switched off or weighed differently for this campaign: more than what the project file says.',
      examples: [{ 'variable-case': 'warning' }],
      additionalProperties: { type: 'string', enum: ['off', 'warning', 'error'] },
    },
    environments: {
      type: 'object',
      description: 'Overlays by environment of the project file.',
      examples: [{ production: { settings: { max_emails_per_day: 1000 } } }],
      additionalProperties: overlay,
    },
  },
};
