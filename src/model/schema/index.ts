/**
 * The values that are printed for machines, each defined once: `npm run generate` writes their types (`outputs.generated.ts`) and
 * their JSON Schemas (draft-07, `schemas/`) from here. Never loaded by the program itself.
 */
import type { JsonObject } from '../json.js';
import type { Definitions } from './parts.js';
import { planDefinitions } from './plan.js';
import { reportDefinitions } from './reports.js';

/** Every definition by the name of its type. */
export const definitions: Definitions = { ...planDefinitions, ...reportDefinitions };

/** File name of each published schema → the type that it describes. */
const PUBLISHED = {
  apply: 'ApplyResult',
  error: 'FailureReport',
  event: 'EventLine',
  findings: 'Findings',
  list: 'Inventory',
  plan: 'Plan',
  projects: 'ProjectsReport',
  requests: 'Requests',
};

/** The published schemas, each with just the definitions that it needs. */
export const publishedSchemas: JsonObject[] = Object.entries(PUBLISHED).map(([name, title]) => {
  const schema = definitions[title] ?? {};
  const needed = Object.fromEntries([...namesIn(schema)].map((one) => [one, definitions[one] ?? {}]));
  return withoutTypes({
    $schema: 'http://json-schema.org/draft-07/schema#',
    $id: `${name}.schema.json`,
    title,
    ...schema,
    ...(Object.keys(needed).length === 0 ? {} : { definitions: needed }),
  });
});

/** The definitions that a schema refers to, directly or not. */
function namesIn(schema: JsonObject, found = new Set<string>()): Set<string> {
  for (const [, name = ''] of JSON.stringify(schema).matchAll(/#\/definitions\/(\w+)/g)) {
    if (found.has(name)) continue;
    found.add(name);
    namesIn(definitions[name] ?? {}, found);
  }
  return found;
}

/** `tsType` is for the generated types alone. */
function withoutTypes(schema: JsonObject): JsonObject {
  return JSON.parse(JSON.stringify(schema, (key, value) => (key === 'tsType' ? undefined : value)));
}
