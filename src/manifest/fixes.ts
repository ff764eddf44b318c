import { urlMeant } from '../model/address.js';
import { isObject, type Json, type JsonObject, objectAt } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { listed } from '../model/words.js';
import { asYaml } from './as-yaml.js';
import { typeWords } from './errors.js';
import { allowedWords, examplesOf, types } from './json-schema.js';
import { environmentVariableIn, numberMeant, offsetIn, switchMeant, valueMeant } from './spellings.js';
import { offsetNote } from './zones.js';

/**
 * A value that is not valid, with its place in the document. `parent`: the list or section that contains it. `source`: a number as
 * it is written; `null` if that is its value, or if the value is no number.
 */
export interface WrongValue {
  path: Path;
  value: Json;
  parent: Json;
  source: string | null;
  schema: JsonObject;
}

/** The line to write instead, such as `status: running`; `null` if it is not known what was meant. */
export function lineMeant({ path, value, parent, source }: WrongValue): string | null {
  const key = keyOf(path);
  // One wrong day is corrected together with the others of its list.
  const whole =
    key === 'days' && Array.isArray(parent) ? parent : key.endsWith('_time') ? (source ?? value) : value;
  const meant = valueMeant(key, whole);
  return meant === undefined ? null : `${key}: ${asYaml(meant)}`;
}

/** The value as the key needs it: a number without its unit, a list of one. */
export function fitting(key: string, value: Json, { type }: JsonObject): Json {
  const expected = types(type);
  if (key === 'token_env') return environmentVariableIn(String(value)) ?? value;
  if (key === 'base_url') return urlMeant(String(value)) ?? value;
  if (key === 'wait_in_days' && value === 0) return 1;
  if (expected.includes('boolean') && typeof value === 'string') return switchMeant(value) ?? value;
  if (expected.includes('integer') && typeof value === 'string') return numberMeant(key, value) ?? value;
  return expected.includes('array') && value !== null && typeof value !== 'object' ? [value] : value;
}

/** The last name in the path: that of the list, for one of its entries. */
export function keyOf(path: Path): string {
  return String(path.findLast((part) => typeof part === 'string') ?? '');
}

export function typeHint(type: unknown, wrong: WrongValue): string {
  const { value, path, source } = wrong;
  const expected = types(type);
  const key = keyOf(path);
  const line = lineMeant(wrong);
  if (line !== null)
    return `Write ${line}.${dayNote(key, wrong)}${key === 'timezone' ? offsetNote(offsetIn(value)) : ''}`;
  if (expected.includes('boolean') && typeof value === 'string') return switchHint(value);
  if (expected.includes('boolean') && (value === 0 || value === 1)) return `Write ${value === 1}.`;
  if (expected.includes('integer') && typeof value === 'string')
    return numberHint(wrong, value, expected.includes('null'));
  if (expected.includes('integer') && !expected.includes('string') && typeof value === 'number')
    return wholeNumberHint(key, { number: value, source: source ?? String(value) });
  if (value === null) return nullHint(expected, exampleOf(key, wrong.schema));
  if (expected.includes('string')) return stringHint(wrong, key);
  if (expected.includes('array')) return listHint(key, wrong);
  if (expected.includes('object')) return sectionHint(key, wrong);
  return `Write ${typeWords(type)}.`;
}

/** In other tools, weeks begin on Sunday. */
export function dayNote(key: string, { value, parent }: WrongValue): string {
  const written = key === 'days' ? JSON.stringify(Array.isArray(parent) ? parent : value) : '';
  return /\d/.test(written) ? ' 1 is taken as monday.' : '';
}

function nullHint(expected: readonly string[], example: string): string {
  const hint = `Add a value${example}, or remove the key if it is optional.`;
  return expected.includes('string')
    ? `${hint} Put text that begins with "#" in double quotes: it is a comment otherwise.`
    : hint;
}

function switchHint(value: string): string {
  const meant = switchMeant(value);
  if (meant === undefined) return 'Write true or false.';
  return value === String(meant)
    ? 'Remove the quotes: a quoted value is a string.'
    : `Write ${meant}, without quotes: in YAML 1.2, ${value} is a string.`;
}

/** JavaScript would change the digits of a larger number. */
export const LARGEST_NUMBER = `Write a number of at most ${Number.MAX_SAFE_INTEGER}.`;

function numberHint({ path }: WrongValue, value: string, mayBeNull: boolean): string {
  const key = keyOf(path);
  const line = typeof path.at(-1) === 'string' ? `${key}: ` : '';
  if (/^[-+]?\d+(?:e\d+)?$/i.test(value)) {
    const number = Number(value);
    if (!Number.isSafeInteger(number)) return LARGEST_NUMBER;
    return String(number) === value ? `Remove the quotes: ${line}${value}.` : `Write ${number}.`;
  }
  if (mayBeNull && /^(?:unlimited|no limit|none|infinite|inf|never)$/i.test(value))
    return 'Write null for no limit.';
  if (path.at(-2) === 'lead_lists' && /\.(?:csv|tsv|txt)$/i.test(value))
    return 'Write the number of the list in the service. A file with lead ids belongs in a manifest, as `leads: { ids_file: … }`.';
  const meant = numberMeant(key, value);
  if (meant === undefined) return 'Write only digits.';
  return value.includes(String(meant)) ? `Write only the digits: ${meant}.` : `Write ${meant}.`;
}

/** `source`: the number as it is written: 1.500 is probably meant as fifteen hundred. */
export function wholeNumberHint(key: string, { number, source }: { number: number; source: string }): string {
  const meant = numberMeant(key, source) ?? (Number.isInteger(number) ? number : undefined);
  return meant === undefined ? 'Write a whole number.' : `Write ${meant}.`;
}

function stringHint({ value, path, source, schema }: WrongValue, key: string): string {
  if (key.endsWith('_time')) return 'Write hours and minutes in quotes: "09:00".';
  const words = allowedWords(schema);
  if (value === false && words.includes('off')) return `Write ${key}: off.`;
  if (value === true && words.includes('off')) return 'Remove the line: all rules are on by default.';
  if (typeof value !== 'string' && words.length > 0)
    return `Allowed values: ${listed(words)}${exampleOf(key, schema)}.`;
  if (
    Array.isArray(value) &&
    value.length === 1 &&
    typeof value[0] === 'string' &&
    /^\w.*\.\w+$/.test(value[0])
  )
    return `Write ${key}: ${asYaml(value[0])}.`;
  if (typeof value === 'number' || typeof value === 'boolean') {
    const text = `"${source ?? value}"`;
    const isLine = typeof path.at(-1) === 'string' && schema.enum === undefined;
    return isLine ? `Write ${key}: ${text}.` : `Put it in quotes: ${text}.`;
  }
  if (isObject(value))
    return 'Put the text in double quotes: text that begins with "{" or contains ": " needs them.';
  return 'Put the text in double quotes: text that begins with "[" needs them.';
}

/** A longer text is not repeated in a hint. */
const MAX_TEXT = 300;

function listHint(key: string, { value, schema }: WrongValue): string {
  const { enum: names } = objectAt(schema, 'items');
  const isNamed = Array.isArray(names) && names.includes(value);
  if (key === 'allow' && (value === true || (typeof value === 'string' && /^\w+$/.test(value) && !isNamed)))
    return 'Name each hazard that needs no approval here, for example allow: [launch]. docs/approvals.md explains them.';
  if (typeof value === 'object' || typeof value === 'boolean')
    return `Write a list${exampleOf(key, schema)}.`;
  const text = String(value);
  const isDashed = /^(?:-|[–—•·]\s*)\S/.test(text);
  const isNumeric = types(objectAt(schema, 'items').type).includes('integer');
  const words = (isDashed ? text.slice(1).split(` ${text[0]}`) : text.split(',')).map((word) => word.trim());
  if (text.length > MAX_TEXT) return `Write a list${exampleOf(key, schema)}.`;
  const items = words.map((word) => (isNumeric && /^\d+$/.test(word) ? Number(word) : word));
  return `Write a list${isDashed ? ' with a space after each dash' : ''}: ${key}: ${asYaml(items)}.`;
}

function sectionHint(key: string, { value, parent, schema }: WrongValue): string {
  if ((key === 'sequence' || key === 'schedule') && typeof value === 'string' && /\.ya?ml$/i.test(value))
    return `Write ${key}: ${asYaml({ use: value })}.`;
  if (key === 'leads' && typeof value === 'string' && /^[\w./-]+\.(?:csv|tsv|txt)$/i.test(value))
    return `Write ${key}: ${asYaml({ ids_file: value })}. The file has one lead id per line.`;
  const leads = key === 'leads' ? leadsHint(value) : null;
  if (leads !== null) return leads;
  if (key === 'sequence' && Array.isArray(value) && value.every(isObject))
    return `Write two keys below sequence: \`title: ${asYaml(titleIn(parent))}\`, and \`steps:\` with this list below it.`;
  const [, glued] = typeof value === 'string' ? (/^([\w-]+):(?!\/\/)\S/.exec(value) ?? []) : [];
  if (glued !== undefined) return `Write a space after the colon: \`${glued}: …\`.`;
  const properties = objectAt(schema, 'properties');
  const isListed = (item: Json) =>
    isObject(item) && Object.keys(item).every((name) => Object.hasOwn(properties, name));
  if (Array.isArray(value) && value.length > 0 && value.every(isListed))
    return key === ''
      ? 'Remove the dashes. Several campaigns in one file are separated by lines "---".'
      : `Remove the dashes: ${key} is a section with keys, not a list.`;
  const [example] = examplesOf(schema);
  if (isObject(example) && Object.keys(example).length === 0) return `Write ${key}: {}.`;
  return `Write keys and values, indented below this key${exampleOf(key, schema)}.`;
}

/** Names are those of lists; numbers may be ids of leads as well. `null` if the value is neither. */
function leadsHint(value: Json): string | null {
  const words = typeof value === 'string' ? value.split(',').map((word) => word.trim()) : value;
  const items = Array.isArray(words) ? words : [words];
  const isName = (item: Json) => typeof item === 'string' && item !== '' && !/:\/\/|["[\]{}\n]/.test(item);
  const isId = (item: Json) => Number.isSafeInteger(item);
  if (items.length === 0 || !items.every((item) => isName(item) || isId(item))) return null;
  const lists = `leads: ${asYaml({ lists: items })}`;
  return items.every(isId)
    ? `Write ${lists}. If these are the ids of single leads, write ids instead of lists.`
    : `Write ${lists}.`;
}

/** Nobody receives the title, so the name of the campaign will do. */
export function titleIn(document: Json): string {
  const name = isObject(document) ? document.name : null;
  return typeof name === 'string' && /[\p{L}\p{N}]/u.test(name) && name.length <= 100 ? name : 'Emails';
}

/** The first example of a schema, to be pasted. */
export function exampleOf(key: string, schema: JsonObject): string {
  const line = key === '' ? key : exampleLine(key, schema);
  return line === key ? '' : `, for example ${line}`;
}

/** Only the key if the schema has no example. */
export function exampleLine(key: string, schema: JsonObject): string {
  const [example] = examplesOf(schema);
  return example === undefined ? key : `${key}: ${asYaml(example)}`;
}
