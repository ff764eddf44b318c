import { isObject, type JsonObject, mapValues, valueAt } from '../model/json.js';
import { SECTIONS } from '../sections/index.js';
import { VALUE_NAME } from './expressions.js';
import { formsOf } from './json-schema.js';

const sections: JsonObject = {
  ...Object.assign({}, ...SECTIONS.map(({ properties }) => properties)),
  waive: {
    type: 'object',
    description: 'Policies that this campaign waives, each with a reason that plans show.',
    examples: [{ caps: 'Agreed with legal on 3 May.' }],
    propertyNames: { type: 'string', minLength: 1 },
    additionalProperties: { type: 'string', minLength: 1, pattern: '\\S' },
  },
};

/** Nothing is required in an overlay, and keys of all forms may be there. */
function partial(section: JsonObject): JsonObject {
  const { title, required, oneOf, ...rest } = section;
  if (oneOf === undefined) return rest;
  const properties = Object.assign({}, ...formsOf(section).map((form) => form.properties));
  return { ...rest, type: 'object', additionalProperties: false, properties };
}

const overlay: JsonObject = {
  title: 'Overlay',
  type: 'object',
  additionalProperties: false,
  description:
    'Overrides for this environment. Objects are merged and everything else is replaced; null is a value. A schedule in the other form replaces the whole schedule.',
  examples: [{ settings: { max_emails_per_day: 1000 } }],
  properties: mapValues(sections, (schema) => (isObject(schema) ? partial(schema) : schema)),
};

const scalars = ['string', 'number', 'boolean', 'null'];

const forEach: JsonObject = {
  type: 'array',
  minItems: 1,
  maxItems: 1000,
  description: `Creates one campaign per entry. Strings in the manifest and in files that it names can use the values of the entry: \${{ segment }}. The first value of an entry names its campaign. A plain string or number is short for { value: … }.`,
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
    propertyNames: { pattern: `^${VALUE_NAME}$`, maxLength: 64 },
    additionalProperties: { type: [...scalars, 'array'], items: { type: scalars } },
  },
};

/** JSON Schema (draft-07) of one document, after pieces are inserted and expressions replaced. */
export const manifestSchema: JsonObject = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $id: 'campaign.schema.json',
  title: 'Manifest',
  description: 'One email outreach campaign.',
  type: 'object',
  additionalProperties: false,
  required: ['name'],
  properties: {
    ...sections,
    for_each: forEach,
    lint: {
      type: 'object',
      description:
        'Lint rules, by code, that are off or have a different severity for this campaign, in addition to those in the project file.',
      examples: [{ 'variable-case': 'warning' }],
      additionalProperties: { type: 'string', enum: ['off', 'warning', 'error'] },
    },
    environments: {
      type: 'object',
      description: 'Overlays by environment.',
      examples: [{ production: { settings: { max_emails_per_day: 1000 } } }],
      additionalProperties: overlay,
    },
  },
};

export const STEP_KEYS: readonly string[] = Object.keys(
  valueAt(manifestSchema, ['properties', 'sequence', 'properties', 'steps', 'items', 'properties']) ?? {},
);
