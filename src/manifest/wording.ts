import { lookAlikes } from '../model/characters.js';
import { isObject, type Json, type JsonObject, objectAt } from '../model/json.js';
import type { Place } from '../model/outputs.js';
import { listed } from '../model/words.js';
import { asYaml } from './as-yaml.js';
import {
  didYouMean,
  errorAt,
  pathText,
  quoted,
  type SourceFinding,
  typeWords,
  valueWords,
  type Wording,
} from './errors.js';
import { dayNote, exampleLine, exampleOf, keyOf, lineMeant, titleIn, typeHint } from './fixes.js';
import { allowedWords, definition, formsOf, requiredKeys, types } from './json-schema.js';
import { nearest } from './nearest.js';
import { MERGE, mergeKey, misspeltKey, unknownKey } from './unknown-keys.js';
import {
  type FailedCheck,
  inside,
  placeText,
  type SchemaError,
  type Violation,
  type ViolationGroup,
} from './violation.js';
import { offsetNote } from './zones.js';

export function toFinding(place: Place, { code, message, hint, target, secret }: Violation): SourceFinding {
  const finding = errorAt({ ...place, target }, { code, message, hint });
  return secret === true ? { ...finding, secret } : finding;
}

export function explain(failed: FailedCheck): Violation {
  const { params, keyword } = failed.error;
  const { path } = failed;
  const key = String(params.missingProperty ?? params.additionalProperty ?? params.propertyName);
  if (keyword === 'required') return missingKey(failed, key);
  if (keyword === 'additionalProperties') return unknownKey(failed, key);
  if (keyword === 'propertyNames') return { ...badName(failed, key), path: [...path, key], target: 'key' };
  const misspelt = keyword === 'type' ? misspeltKey(failed) : null;
  if (misspelt !== null) return misspelt;
  const group = keyword === 'enum' || keyword === 'type' ? wrongWords(failed) : null;
  const more = group === null ? {} : { group };
  if (keyword === 'type')
    return { ...wrongType(failed), ...more, isBlock: isBlock(params.type), path, target: 'value' };
  const [message, hint] = wrongValue(failed);
  const second = keyword === 'uniqueItems' ? [Math.max(Number(params.i), Number(params.j))] : [];
  return { code: 'wrong-value', message, hint, path: [...path, ...second], target: 'value', ...more };
}

function missingKey(failed: FailedCheck, key: string): Violation {
  const isTitle = key === 'title' && failed.path.at(-1) === 'sequence';
  return {
    code: 'missing-key',
    message: `${key} is missing${inside(failed)}.`,
    hint: isTitle
      ? `Add \`title: ${asYaml(titleIn(failed.parent))}\`. Recipients do not see it.`
      : `Add ${key}${exampleOf(key, propertyIn(failed, key))}.`,
    path: failed.path,
    target: 'key',
    missing: [key],
  };
}

/** A form of a section lists only its keys. */
function propertyIn({ schema, section, root }: FailedCheck, key: string): JsonObject {
  const property = objectAt(schema, 'properties')[key] ?? objectAt(section, 'properties')[key];
  return isObject(property) ? definition(property, root) : {};
}

/** Several words of a list that one corrected list replaces. */
function wrongWords(failed: FailedCheck): ViolationGroup | null {
  const line = lineMeant(failed);
  if (line === null || !Array.isArray(failed.parent)) return null;
  const list = pathText(failed.path.slice(0, -1));
  const hint = `Write ${line}.${dayNote(keyOf(failed.path), failed)}`;
  return {
    id: list,
    word: typeof failed.value === 'string' ? quoted(failed.value) : String(failed.value),
    before: `${list}: `,
    after: ' are not allowed values.',
    hint,
  };
}

function badName(failed: FailedCheck, key: string): Wording {
  if (key === MERGE) return mergeKey(inside(failed));
  const isValue = failed.path[0] === 'for_each';
  return {
    code: 'wrong-value',
    message: `${quoted(key)} is not a valid name${inside(failed)}.`,
    hint: `Use at most 64 letters, digits${isValue ? ' and "_", not starting with a digit' : ', "-" and "_", starting with a letter or digit'}.`,
  };
}

function isBlock(type: unknown): boolean {
  return types(type).every((name) => name === 'object' || name === 'array');
}

function wrongType(failed: FailedCheck): Wording {
  const words = allowedWords(failed.schema);
  const expected =
    words.length > 0 && words.length < 8 ? `one of ${listed(words)}` : typeWords(failed.error.params.type);
  return {
    code: 'wrong-type',
    message: `${placeText(failed)}: expected ${expected}, but got ${valueWords(failed.value)}.`,
    hint: typeHint(failed.error.params.type, failed),
  };
}

function wrongValue(failed: FailedCheck): [message: string, hint: string] {
  const { value, error, path } = failed;
  const { limit } = error.params;
  const line = lineMeant(failed);
  const [subject, key] = [placeText(failed), String(path.at(-1) ?? '')];
  const has = `${subject}: ${valueWords(value).replace(/^the (?:string|number) /, '')}`;
  switch (error.keyword) {
    case 'enum':
      return [`${has}${lookAlikes(String(value))} is not an allowed value.`, wordHint(failed)];
    case 'minLength':
      return [`${subject} is empty.`, 'Add a value, or remove the key if it is optional.'];
    case 'minItems':
    case 'minProperties':
      return [`${subject} is empty.`, 'Add at least one entry.'];
    case 'maxItems':
      return [`${subject} has more than ${limit} entries.`, 'Split it into several documents.'];
    case 'minimum':
      return [`${has} is too small.`, `Write ${limit} or more.`];
    case 'maximum':
      return [`${has} is too large.`, `Write ${limit} or less.`];
    case 'uniqueItems': {
      const item = Array.isArray(value) ? (value[Number(error.params.i)] ?? null) : null;
      return [`${subject} contains ${valueWords(item)} twice.`, 'Keep only one.'];
    }
    case 'pattern':
      break;
    default:
      return [`${has} is not valid here.`, `See the documentation of ${key || 'the file'}.`];
  }
  if (key.endsWith('_time'))
    return [
      `${has} is not a valid time.`,
      line === null
        ? 'Write hours and minutes with two digits each, from "00:00" to "23:59".'
        : `Write ${line}.`,
    ];
  if (typeof value === 'string' && value.trim() === '')
    return [`${has} is blank.`, 'Add a value, or remove the key if it is optional.'];
  if (path.at(-2) === 'custom_variables' || path.at(-2) === 'built_in_variables')
    return [`${has} is not a valid variable name.`, 'Write the name without braces.'];
  if (key === 'name' || key === 'replaces')
    return [
      `${has} has leading or trailing white space, or a line break.`,
      'Write the name on one line, without leading or trailing white space.',
    ];
  return [
    `${has} is not valid.`,
    String(failed.schema.patternErrorMessage ?? `See the documentation of ${key}.`),
  ];
}

function wordHint(failed: FailedCheck): string {
  const { schema, value, path } = failed;
  const words = allowedWords(schema);
  const line = lineMeant(failed);
  if (keyOf(path) === 'timezone') return zoneHint(line, value, words);
  if (line !== null) return `Write ${line}.${dayNote(keyOf(path), failed)}`;
  if (typeof value !== 'string') return `Allowed values: ${listed(words)}.`;
  const example = words.length < 8 ? exampleOf(keyOf(path), schema) : '';
  return didYouMean(nearest(value, words)) ?? `Allowed values: ${listed(words)}${example}.`;
}

function zoneHint(line: string | null, value: Json, words: readonly string[]): string {
  if (line !== null) return `Write ${line}. The API lists only some zones.${offsetNote(String(value))}`;
  const [area] = String(value).split('/');
  const inArea = words.filter((word) => word.startsWith(`${area}/`));
  return inArea.length > 0
    ? `Write one of the zones that the API lists: ${listed(inArea, inArea.length)}.`
    : 'Write a zone that the API lists, such as timezone: Europe/London or timezone: America/New_York. Editors show all of them.';
}

interface ChosenForm {
  violations: Violation[];
  keeps(error: SchemaError): boolean;
}

export function chooseForm(failed: FailedCheck): ChosenForm {
  const only = (...violations: Violation[]): ChosenForm => ({ violations, keeps: () => false });
  const { value, error, schema } = failed;
  const forms = formsOf(schema);
  if (!isObject(value))
    return only(explain({ ...failed, error: { ...error, keyword: 'type', params: { type: 'object' } } }));
  const matches = forms.map((form, index) => ({
    index,
    keys: (isObject(form.properties) ? Object.keys(form.properties) : requiredKeys(form)).filter((key) =>
      Object.hasOwn(value, key),
    ),
  }));
  const [best, ...others] = matches.toSorted((a, b) => b.keys.length - a.keys.length);
  if (best === undefined || best.keys.length === 0)
    return only(missingForm(failed, forms), ...misspelt(failed, forms));
  const foreign = others.flatMap(({ keys }) => keys);
  if (foreign.length > 0) return only(conflict(failed, best.keys, foreign));
  return {
    violations: [],
    keeps: ({ schemaPath }) => schemaPath.startsWith(`${error.schemaPath}/${best.index}/`),
  };
}

function conflict(failed: FailedCheck, kept: string[], foreign: string[]): Violation {
  return {
    code: 'conflicting-keys',
    message: `${placeText(failed)} has ${joinedKeys(foreign)} as well as ${joinedKeys(kept)}.`,
    hint: `Remove ${joinedKeys(foreign)}, or remove ${joinedKeys(kept)}.`,
    path: [...failed.path, foreign[0] ?? ''],
    target: 'key',
  };
}

function missingForm(failed: FailedCheck, forms: readonly JsonObject[]): Violation {
  const choices = forms.map((form) => joinedKeys(requiredKeys(form)));
  const lines = forms.map((form) =>
    joinedKeys(
      requiredKeys(form).map((key) => exampleLine(key, propertyIn({ ...failed, schema: form }, key))),
    ),
  );
  return {
    code: 'missing-key',
    message: `${placeText(failed)} has neither ${choices.join(' nor ')}.`,
    hint: `Add ${lines.join(', or ')}.`,
    path: failed.path,
    target: 'key',
    missing: forms.flatMap(requiredKeys),
  };
}

function misspelt(failed: FailedCheck, forms: readonly JsonObject[]): Violation[] {
  const properties: JsonObject = Object.assign({}, ...forms.map((form) => form.properties));
  if (Object.keys(properties).length === 0 || !isObject(failed.value)) return [];
  return Object.keys(failed.value).map((key) => {
    const error = { ...failed.error, keyword: 'additionalProperties', params: { additionalProperty: key } };
    return explain({ ...failed, error, schema: { properties } });
  });
}

function joinedKeys(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;
}
