import { isObject, type Json, type JsonObject } from '../model/json.js';
import { TIMEZONES } from '../model/sections.js';

/** `path`: such as `sequence_steps.0.wait_in_days`. */
export interface BodyFault {
  path: string;
  message: string;
}

const TYPES = {
  text: [isText, 'must be a string'],
  boolean: [(value: Json) => typeof value === 'boolean', 'must be true or false'],
  integer: [Number.isSafeInteger, 'must be an integer'],
  position: [(value: Json) => Number.isSafeInteger(value) && Number(value) >= 1, 'must be at least 1'],
  time: [
    (value: Json) => isText(value) && /^([01][0-9]|2[0-3]):[0-5][0-9]$/.test(value),
    'must match the format HH:MM',
  ],
  timezone: [(value: Json) => isText(value) && TIMEZONES.includes(value), null],
} as const;

type FieldType = keyof typeof TYPES;

/** Required fields must not be null or empty. A list is written as its item (a type or fields) in brackets. */
export type BodyFields = { [field: string]: `${'' | 'required ' | 'nullable '}${FieldType}` | [Item] };

type Item = FieldType | BodyFields;

export function checkFields(object: JsonObject, fields: BodyFields, prefix = ''): BodyFault[] {
  const known = Object.entries(fields).flatMap(([key, field]) => {
    const value = object[key];
    const path = `${prefix}${key}`;
    const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0);
    const [item, type = '', rule = ''] =
      typeof field === 'string' ? [null, ...field.split(' ').reverse()] : field;
    if ((rule === 'required' || item !== null) && (value === undefined || isEmpty))
      return [says(path, 'is required')];
    if (value === undefined || (value === null && rule === 'nullable')) return [];
    if (item === null) return checkItem(value, type as FieldType, path);
    if (!Array.isArray(value)) return [says(path, 'must be an array')];
    return value.flatMap((each, index) => checkItem(each, item, `${path}.${index}`));
  });
  const unknown = Object.keys(object).filter((key) => !Object.hasOwn(fields, key));
  return [...known, ...unknown.map((key) => says(`${prefix}${key}`, 'is not known'))];
}

function checkItem(value: Json, item: Item, path: string): BodyFault[] {
  if (typeof item === 'object')
    return isObject(value) ? checkFields(value, item, `${path}.`) : [says(path, 'must be an object')];
  const [is, rule] = TYPES[item];
  if (is(value)) return [];
  return [rule === null ? invalid(path) : says(path, rule)];
}

function isText(value: Json): value is string {
  return typeof value === 'string';
}

/** `known`: a sentence about the values that exist. */
export function invalid(path: string, known = ''): BodyFault {
  return { path, message: `The selected ${label(path)} is invalid. ${known}`.trimEnd() };
}

/** `says('wait_in_days', 'must be at least 1')` */
export function says(path: string, rule: string): BodyFault {
  return { path, message: `The ${label(path)} field ${rule}.` };
}

/** Names top-level fields in words and all others by path, as services do. */
function label(path: string): string {
  return path.includes('.') ? path : path.replaceAll('_', ' ');
}
