import { isObject, type Json } from '../model/json.js';
import { quoted } from './text.js';

const WORDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'text',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'a section of keys',
};

/** A schema's `type` in words: `a whole number or null`. */
export function typeWords(type: unknown): string {
  const words = types(type).map((name) => WORDS[name] ?? name);
  return words.join(' or ').replace('true or false or', 'true, false or');
}

/** What was found, in words: `text "abc"`, `the number 3.5`, `a list`. */
export function valueWords(value: Json): string {
  if (value === null) return 'nothing (null)';
  if (typeof value === 'string') return `text ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return isObject(value) ? 'a section of keys' : String(value);
}

const SWITCH_WORDS = new Map([
  ...['yes', 'on', 'y', 'true'].map((word) => [word, 'true'] as const),
  ...['no', 'off', 'n', 'false'].map((word) => [word, 'false'] as const),
]);

/** One hint for a value of the wrong type; YAML's traps have hints of their own. */
export function typeHint(type: unknown, value: Json, key: string | number | undefined): string {
  const expected = types(type);
  if (expected.includes('boolean') && typeof value === 'string') return switchHint(value);
  if (expected.includes('integer') && typeof value === 'string') return numberHint(value);
  if (expected.includes('integer') && typeof value === 'number') return 'Write it without a fraction.';
  if (value === null) return 'Fill it in; an optional key can be left out, and is then not managed.';
  if (expected.includes('string')) return stringHint(value, key);
  if (expected.includes('array'))
    return `Write a list: ${key ?? 'key'}: [${typeof value === 'object' ? '…' : value}].`;
  if (expected.includes('object')) return 'Write keys with values, indented below it.';
  return `Write ${typeWords(type)}.`;
}

function switchHint(value: string): string {
  const meant = SWITCH_WORDS.get(value.toLowerCase());
  if (meant === undefined) return 'Write true or false.';
  return value === meant
    ? 'Take the quotes away: in quotes it is text.'
    : `Write ${meant}, without quotes: ${value} is plain text in YAML 1.2.`;
}

function numberHint(value: string): string {
  if (/^[-+]?\d+$/.test(value)) return `Take the quotes away: ${value}.`;
  if (/^\d{1,3}([ _.,']\d{3})+$/.test(value)) return `Write the digits only: ${value.replace(/\D/g, '')}.`;
  return 'Write digits only.';
}

function stringHint(value: Json, key: string | number | undefined): string {
  if (String(key).endsWith('_time')) return 'Write hours and minutes in quotes: "09:00".';
  if (typeof value === 'number' || typeof value === 'boolean') return `Put it in quotes: "${value}".`;
  if (isObject(value))
    return 'Put the text in double quotes: a text that begins with "{" or holds ": " needs them.';
  return 'Put the text in double quotes: a text that begins with "[" needs them.';
}

function types(type: unknown): string[] {
  if (Array.isArray(type)) return type.map(String);
  return String(type).split(',');
}
