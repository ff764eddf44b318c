/**
 * The values that are printed for machines, each defined once: `npm run generate` writes their types (`outputs.generated.ts`) and
 * their JSON Schemas (draft-07, `schemas/`) from here. Never loaded by the program itself.
 */
import { isObject, type Json, type JsonObject } from '../json.js';
import { type Definitions, text } from './parts.js';
import { planDefinitions } from './plan.js';
import { reportDefinitions } from './reports.js';

/** A line of the events file also says when. */
const eventLine = (schema: JsonObject): JsonObject => ({
  ...schema,
  description: 'One event of a run: a line of the file that --events names.',
  oneOf: (Array.isArray(schema.oneOf) ? schema.oneOf.filter(isObject) : []).map((event) => ({
    ...event,
    required: ['at', ...(Array.isArray(event.required) ? event.required : [])],
    properties: { at: text('When, in ISO 8601.'), ...(isObject(event.properties) ? event.properties : {}) },
  })),
});

/** Every definition by the name of its type. */
export const definitions: Definitions = { ...planDefinitions, ...reportDefinitions };

/** File name of each published schema → the type that it describes. */
const PUBLISHED = {
  apply: 'ApplyResult',
  compare: 'Comparison',
  config: 'EffectiveConfig',
  event: 'RunEvent',
  findings: 'Findings',
  import: 'Imported',
  list: 'Inventory',
  plan: 'Plan',
  requests: 'Requests',
  run: 'RunReport',
  runs: 'RunList',
  update: 'UpdateResult',
};

/** The published schemas, each with just the definitions that it needs. */
export const publishedSchemas: JsonObject[] = Object.entries(PUBLISHED).map(([name, title]) => {
  const defined = definitions[title] ?? {};
  const schema = title === 'RunEvent' ? eventLine(defined) : defined;
  const needed = Object.fromEntries(
    [...namesIn(schema)].map((one) => [one, withoutTypes(definitions[one] ?? {})]),
  );
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${name}.schema.json`,
    title,
    ...(withoutTypes(schema) as JsonObject),
    ...(Object.keys(needed).length === 0 ? {} : { definitions: needed }),
  };
});

/** The definitions that a schema refers to, directly or not. */
function namesIn(schema: Json, found = new Set<string>()): Set<string> {
  const parts = Array.isArray(schema) ? schema : isObject(schema) ? Object.values(schema) : [];
  const name =
    isObject(schema) && typeof schema.$ref === 'string' ? schema.$ref.replace('#/definitions/', '') : null;
  if (name !== null && !found.has(name)) {
    found.add(name);
    namesIn(definitions[name] ?? {}, found);
  }
  for (const part of parts) namesIn(part, found);
  return found;
}

/** `tsType` is for the generated types alone. */
function withoutTypes(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutTypes);
  if (!isObject(schema)) return schema;
  const kept = Object.entries(schema).filter(([key]) => key !== 'tsType');
  return Object.fromEntries(kept.map(([key, value]) => [key, withoutTypes(value)]));
}
