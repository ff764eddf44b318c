/** Reads the schemas of manifests and project files. `root`: the schema with the definitions. */
import { isObject, type Json, type JsonObject, objectAt } from '../model/json.js';

/** A `type` as a list. An error of the validator has it as text. */
export function types(type: unknown): string[] {
  return Array.isArray(type) ? type.map(String) : String(type).split(',');
}

export function formsOf({ oneOf }: JsonObject): JsonObject[] {
  return Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
}

/** Also those of its forms. */
export function propertyNames(schema: JsonObject): string[] {
  return [schema, ...formsOf(schema)].flatMap((form) => Object.keys(objectAt(form, 'properties')));
}

export function requiredKeys({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

export function allowedWords(schema: JsonObject): string[] {
  return Array.isArray(schema.enum) ? schema.enum.map(String) : [];
}

export function examplesOf({ examples }: JsonObject): Json[] {
  return Array.isArray(examples) ? examples : [];
}

export function definition(schema: JsonObject, root: JsonObject): JsonObject {
  const [, name] = /^#\/definitions\/(\w+)$/.exec(String(schema.$ref)) ?? [];
  return name === undefined ? schema : objectAt(objectAt(root, 'definitions'), name);
}

/** True unless the value itself shows that the schema refuses it. */
export function fits(value: Json, part: Json, root: JsonObject): boolean {
  if (!isObject(part)) return part !== false;
  const schema = definition(part, root);
  const forms = [schema.oneOf, schema.anyOf].find(Array.isArray) ?? [];
  if (schema.type !== undefined && !types(schema.type).some((type) => isOfType(value, type))) return false;
  if (Array.isArray(schema.enum) && !schema.enum.includes(value)) return false;
  if (typeof value === 'string' && !new RegExp(String(schema.pattern ?? ''), 'u').test(value)) return false;
  if (forms.length > 0 && !forms.some((form) => fits(value, form, root))) return false;
  if (Array.isArray(value)) return value.every((item) => fits(item, schema.items ?? true, root));
  if (!isObject(value)) return true;
  const properties = objectAt(schema, 'properties');
  return (
    requiredKeys(schema).every((name) => Object.hasOwn(value, name)) &&
    Object.entries(value).every(([name, item]) =>
      fits(item, properties[name] ?? schema.additionalProperties ?? true, root),
    )
  );
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'null') return value === null;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}
