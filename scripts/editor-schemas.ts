import { manifestSchema } from '../src/manifest/schema.js';
import {
  isObject,
  type Json,
  type JsonObject,
  mapValues,
  objectAt,
  objectSchema,
  property,
  replaceAt,
  valueAt,
} from '../src/model/json.js';
import { scheduleSchema } from '../src/sections/schedule.js';
import { sequenceSchema } from '../src/sections/sequence.js';

/** Schemas for editors describe files as written: with `use` and expressions. */
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
      objectSchema(
        'SharedFileWithValues',
        {
          file: property(
            { type: 'string', minLength: 1 },
            'Path of the file, relative to this one.',
            '../sequences/installers.yaml',
          ),
          with: property({ type: 'object' }, 'Values for the expressions in the file, by name.', {
            offer: 'a sample kit',
          }),
        },
        ['file'],
      ),
    ],
  },
  'File that contains the section: a path relative to this file, in the project or in a shared folder. Put values for its expressions under `with`. No other key can appear next to `use`.',
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
  const withUse = { ...rest, properties: { ...objectAt(section, 'properties'), use } };
  return required === undefined
    ? withUse
    : { ...withUse, oneOf: [{ required }, { required: ['use'], maxProperties: 1 }] };
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

/** True if the schema accepts no objects and might refuse an expression. */
function isRefused({ type, enum: words, pattern, items }: JsonObject): boolean {
  const types = Array.isArray(type) ? type : type === undefined ? [] : [type];
  if (types.length === 0 || types.includes('object')) return false;
  const hasOnlyObjects = isObject(items) && items.properties !== undefined && !Array.isArray(items.type);
  if (hasOnlyObjects || (isObject(items) && items.type === 'object')) return false;
  if (!types.includes('string') || words !== undefined) return true;
  return typeof pattern === 'string' && !new RegExp(pattern).test(SAMPLE);
}
