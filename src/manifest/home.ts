import { isObject, type Json } from '../model/json.js';

/** Where in the whole schema a key of this name is at home: `schedule`, `sequence.steps[]`; null if nowhere. */
export function homeOf(key: string, schema: Json, path = ''): string | null {
  if (!isObject(schema)) return null;
  const properties = isObject(schema.properties) ? schema.properties : {};
  if (path !== '' && Object.hasOwn(properties, key)) return path;
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  const inner: [Json, string][] = [
    ...Object.entries(properties).map(([name, property]): [Json, string] => [property, below(path, name)]),
    ...forms.map((form): [Json, string] => [form, path]),
    [schema.items ?? null, `${path}[]`],
    [schema.additionalProperties ?? null, below(path, '<name>')],
  ];
  for (const [part, name] of inner) {
    const home = homeOf(key, part, name);
    if (home !== null) return home;
  }
  return null;
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
