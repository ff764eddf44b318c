import { isObject, type Json, type JsonObject } from '../model/json.js';

/** What is wrong with one field of a body. `path` is written as in `sequence_steps.0.wait_in_days`. */
export interface BodyFault {
  path: string;
  message: string;
}

export type FieldCheck = (value: Json, path: string) => BodyFault[];

/** A field that a body may hold. A required one must be there and be neither null nor empty. */
export interface BodyField {
  required: boolean;
  nullable: boolean;
  check: FieldCheck;
}

export type BodyFields = Readonly<Record<string, BodyField>>;

export const required = (check: FieldCheck): BodyField => ({ required: true, nullable: false, check });
export const optional = (check: FieldCheck): BodyField => ({ required: false, nullable: false, check });
export const nullable = (check: FieldCheck): BodyField => ({ required: false, nullable: true, check });

export const text = simple((value) => typeof value === 'string', 'must be a string');
export const boolean = simple((value) => typeof value === 'boolean', 'must be true or false');
export const integer = simple((value) => Number.isSafeInteger(value), 'must be an integer');
export const position = simple(
  (value) => Number.isSafeInteger(value) && Number(value) >= 1,
  'must be at least 1',
);
export const time = simple(
  (value) => typeof value === 'string' && /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(value),
  'must match the format HH:MM',
);

/** One of the given texts, compared as text. */
export function oneOf(values: readonly string[]): FieldCheck {
  const known = new Set<Json>(values);
  return (value, path) => (known.has(value) ? [] : [invalid(path)]);
}

/** A list whose every item passes the check. */
export function listOf(item: FieldCheck): FieldCheck {
  return (value, path) =>
    Array.isArray(value)
      ? value.flatMap((each, index) => item(each, `${path}.${index}`))
      : [{ path, message: `The ${label(path)} field must be an array.` }];
}

/** An object with these fields and no others. */
export function objectWith(fields: BodyFields): FieldCheck {
  return (value, path) =>
    isObject(value)
      ? checkFields(value, fields, path)
      : [{ path, message: `The ${label(path)} field must be an object.` }];
}

/** All that is wrong with an object; `prefix` is its own path, empty for the whole body. */
export function checkFields(object: JsonObject, fields: BodyFields, prefix = ''): BodyFault[] {
  const pathOf = (key: string) => (prefix === '' ? key : `${prefix}.${key}`);
  const known = Object.entries(fields).flatMap(([key, field]) => checkField(object[key], field, pathOf(key)));
  const unknown = Object.keys(object)
    .filter((key) => !Object.hasOwn(fields, key))
    .map((key) => ({ path: pathOf(key), message: `The ${label(pathOf(key))} field is not known.` }));
  return [...known, ...unknown];
}

/** A reference to something that does not exist, or a word that is not in the list. */
export function invalid(path: string): BodyFault {
  return { path, message: `The selected ${label(path)} is invalid.` };
}

/** A sentence about a field: `says('wait_in_days', 'must be at least 1')`. */
export function says(path: string, rule: string): BodyFault {
  return { path, message: `The ${label(path)} field ${rule}.` };
}

function checkField(value: Json | undefined, field: BodyField, path: string): BodyFault[] {
  const empty =
    value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
  if (field.required && empty) return [says(path, 'is required')];
  if (value === undefined || (value === null && field.nullable)) return [];
  return field.check(value, path);
}

function simple(test: (value: Json) => boolean, rule: string): FieldCheck {
  return (value, path) => (test(value) ? [] : [says(path, rule)]);
}

/** Top-level names are said in words, paths as they are written: as the services do. */
function label(path: string): string {
  return path.includes('.') ? path : path.replaceAll('_', ' ');
}
