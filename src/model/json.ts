/** Any JSON value. */
export type Json = null | boolean | number | string | Json[] | JsonObject;

export interface JsonObject {
  [key: string]: Json;
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isDeeper(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return most === 0 || Object.values(value).some((inner) => isDeeper(inner, most - 1));
}

export function valueAt(root: Json, path: readonly (string | number)[]): Json | undefined {
  return path.reduce<Json | undefined>((value, key) => {
    if (Array.isArray(value)) return value[Number(key)];
    return isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }, root);
}

/** Reads a table's own property, never an inherited one such as `constructor`. */
export function ownValue<Value>(table: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

export function objectAt(value: JsonObject, key: string): JsonObject {
  const part = value[key];
  return isObject(part) ? part : {};
}

export function mapValues(object: JsonObject, replace: (value: Json, key: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, replace(value, key)]));
}

export function without(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}

/** Merges objects and replaces everything else, including lists. */
export function mergeObjects(base: JsonObject, over: JsonObject): JsonObject {
  const entries = Object.entries(over).map(([key, value]): [string, Json] => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isObject(below) && isObject(value) ? mergeObjects(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

/** Replaces the value at a path, or removes it if `value` is undefined. */
export function replaceAt(root: JsonObject, path: Path, value: Json | undefined): JsonObject;
export function replaceAt(root: Json, path: Path, value: Json | undefined): Json;
export function replaceAt(root: Json, path: Path, value: Json | undefined): Json {
  const [key, ...rest] = path.map(String);
  if (key === undefined || !isObject(root)) return root;
  if (rest.length > 0) return { ...root, [key]: replaceAt(root[key] ?? null, rest, value) };
  return value === undefined ? without(root, key) : { ...root, [key]: value };
}

/** Keys and list indexes from the root of a document. */
export type Path = readonly (string | number)[];

export function property(schema: JsonObject, description: string, ...examples: Json[]): JsonObject {
  return { ...schema, description, examples };
}

export function objectSchema(title: string, properties: JsonObject, required: string[] = []): JsonObject {
  const needed = required.length === 0 ? {} : { required };
  return { title, type: 'object', additionalProperties: false, ...needed, properties };
}

/** `Map.groupBy`, which Node 20 lacks. */
export function groupBy<T, K>(values: readonly T[], key: (value: T) => K): Map<K, [T, ...T[]]> {
  const groups = new Map<K, [T, ...T[]]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group === undefined) groups.set(key(value), [value]);
    else group.push(value);
  }
  return groups;
}

export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** A generated validator. `errors` concern the value validated last. */
export interface Guard<Type> {
  (value: unknown): value is Type;
  errors?: { instancePath: string; message?: string }[] | null;
}

/** A decoded file, or the rest of a sentence that says what is wrong, such as `/attached/ids must be array`. */
type Decoded<Type> = { value: Type; wrong: null } | { value: null; wrong: string };

export function decode<Type>(text: string, is: Guard<Type>): Decoded<Type> {
  const value: unknown = parseJson(text);
  if (value === undefined) return { value: null, wrong: 'it is not JSON' };
  if (is(value)) return { value, wrong: null };
  const { instancePath = '', message = 'is damaged' } = is.errors?.[0] ?? {};
  return { value: null, wrong: `${instancePath || 'it'} ${message}` };
}

/**
 * Decodes a whole number, or a string that contains one. Returns `null` for anything else, even if `Number` could convert
 * it.
 */
export function wholeNumber(value: Json | undefined): number | null {
  const number = typeof value === 'string' && /^\s*[+-]?\d+(\.0+)?\s*$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null;
}

export function textOrNull(value: Json | undefined): string | null {
  return typeof value === 'string' ? value : null;
}

/** Returns `null` if the number is missing, negative or unreadable. */
export function countIn(record: JsonObject, key: string): number | null {
  const total = wholeNumber(record[key]);
  return total !== null && total >= 0 ? total : null;
}

export function leadsIn(record: JsonObject): number | null {
  return countIn(record, 'total_leads');
}

export function excerpt(value: Json | undefined): string {
  if (value === undefined) return 'no such field';
  const shown = JSON.stringify(value);
  return shown.length > 80 ? `${shown.slice(0, 77)}...` : shown;
}

/** The larger of two numbers, of which either may be unknown. */
export function greater(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}
