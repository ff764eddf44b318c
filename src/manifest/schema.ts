import { isObject, type JsonObject } from '../model/json.js';
import { campaignProperties } from '../sections/campaign/schema.js';
import { leadsSchema } from '../sections/leads/schema.js';
import { scheduleSchema } from '../sections/schedule/schema.js';
import { sequenceSchema } from '../sections/sequence/schema.js';
import { settingsSchema } from '../sections/settings/schema.js';
import { statusSchema } from '../sections/status/schema.js';

const sections: JsonObject = {
  ...campaignProperties,
  settings: settingsSchema,
  schedule: scheduleSchema,
  sequence: sequenceSchema,
  leads: leadsSchema,
  status: statusSchema,
  waive: {
    type: 'object',
    description:
      'Policies of the project that this campaign is left out of, each with the reason. Plans show it.',
    examples: [{ caps: 'Agreed with legal on 3 May.' }],
    propertyNames: { type: 'string', minLength: 1 },
    additionalProperties: { type: 'string', minLength: 1, pattern: '\\S' },
  },
};

/** The same section where only what differs is written: nothing of it is required. */
function partial(section: JsonObject): JsonObject {
  const { title, required, oneOf, ...rest } = section;
  if (!Array.isArray(oneOf)) return rest;
  const properties = Object.assign({}, ...oneOf.filter(isObject).map((form) => form.properties));
  return { ...rest, type: 'object', additionalProperties: false, properties };
}

function overlay(): JsonObject {
  const properties = Object.entries(sections).map(([key, schema]) => [
    key,
    isObject(schema) && key !== 'status' && key !== 'name' && key !== 'id'
      ? partial(schema)
      : withoutTitle(schema),
  ]);
  return {
    title: 'Overlay',
    type: 'object',
    additionalProperties: false,
    description:
      'What differs in this environment. Objects are merged, everything else replaces; null is a value. A schedule of the other form replaces the whole schedule.',
    examples: [{ settings: { max_emails_per_day: 1000 } }],
    properties: Object.fromEntries(properties),
  };
}

function withoutTitle(schema: JsonObject[string]): JsonObject[string] {
  if (!isObject(schema)) return schema;
  const { title, ...rest } = schema;
  return rest;
}

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

/**
 * JSON Schema (draft-07) of one manifest document, assembled from the sections. Shared pieces are put in and expressions replaced
 * before it is applied.
 */
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
      additionalProperties: overlay(),
    },
  },
};
