import {
  isObject,
  type Json,
  type JsonObject,
  mapValues,
  objectAt,
  objectOf,
  property,
  replaceAt,
  valueAt,
} from '../model/json.js';
import { SECTIONS } from '../sections/index.js';
import { scheduleSchema } from '../sections/schedule.js';
import { sequenceSchema } from '../sections/sequence.js';

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

/** Schemas for editors: the files as written, so with `use` and expressions. */
export function editorSchemas(): { campaign: JsonObject; pieces: JsonObject[] } {
  const { $schema = '' } = manifestSchema;
  return {
    campaign: lenient(withUse(manifestSchema)),
    pieces: [
      { $schema, $id: 'sequence.schema.json', ...lenient(sequenceSchema) },
      { $schema, $id: 'schedule.schema.json', ...lenient(scheduleSchema) },
    ],
  };
}

const EXPRESSION = '\\$\\{\\{';
const SAMPLE = `\${{ value }}`;

const use = property(
  {
    anyOf: [
      { type: 'string', minLength: 1 },
      objectOf(
        'SharedFileWithValues',
        {
          file: property(
            { type: 'string', minLength: 1 },
            'The file, relative to this one.',
            '../sequences/installers.yaml',
          ),
          with: property({ type: 'object' }, 'Values for the expressions of the file, by name.', {
            offer: 'a sample kit',
          }),
        },
        ['file'],
      ),
    ],
  },
  'File that holds the section, relative to this one, in the project or in a shared folder. with gives values to its expressions. Nothing else may stand beside use.',
  '../sequences/installers.yaml',
  { file: '../sequences/installers.yaml', with: { offer: 'a sample kit' } },
);

const ABOUT = ['title', 'description', 'examples', 'default'];

function withUse(schema: JsonObject): JsonObject {
  const overlay = ['properties', 'environments', 'additionalProperties'];
  return [[], overlay]
    .flatMap((holder) => ['sequence', 'schedule'].map((name) => [...holder, 'properties', name]))
    .reduce((whole, path) => replaceAt(whole, path, orFile(valueAt(whole, path))), schema);
}

function orFile(section: Json | undefined): JsonObject {
  if (!isObject(section)) return {};
  const { required, oneOf, ...rest } = section;
  if (Array.isArray(oneOf)) {
    const form = { title: 'SharedFile', type: 'object', additionalProperties: false, required: ['use'] };
    return { ...section, oneOf: [...oneOf, { ...form, properties: { use } }] };
  }
  const own = { ...rest, properties: { ...objectAt(section, 'properties'), use } };
  return required === undefined
    ? own
    : { ...own, oneOf: [{ required }, { required: ['use'], maxProperties: 1 }] };
}

/** Accepts an expression wherever the schema would refuse it, except for a section. */
function lenient(schema: JsonObject): JsonObject {
  return orExpression(
    mapValues(schema, (part, key) => {
      if (key === 'oneOf' && Array.isArray(part)) return part.map(leniently);
      if (key === 'items' || key === 'additionalProperties') return leniently(part);
      // Values of for_each contain no expressions.
      const inner = (property: Json, name: string) => (name === 'for_each' ? property : leniently(property));
      return key === 'properties' && isObject(part) ? mapValues(part, inner) : part;
    }),
  );
}

function leniently(part: Json): Json {
  return isObject(part) ? lenient(part) : part;
}

function orExpression(schema: JsonObject): JsonObject {
  if (!isRefused(schema)) return schema;
  const entries = Object.entries(schema);
  const about = entries.filter(([key]) => ABOUT.includes(key));
  const strict = entries.filter(([key]) => !ABOUT.includes(key));
  return {
    ...Object.fromEntries(about),
    anyOf: [Object.fromEntries(strict), { title: 'expression', type: 'string', pattern: EXPRESSION }],
  };
}

/** True if the schema refuses some texts and takes no object. */
function isRefused({ type, enum: words, pattern, items }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length === 0 || types.includes('object')) return false;
  if (isObject(items) && (items.type === 'object' || items.properties !== undefined)) return false;
  if (!types.includes('string') || words !== undefined) return true;
  return typeof pattern === 'string' && !new RegExp(pattern).test(SAMPLE);
}
