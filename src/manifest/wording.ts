import { isObject, type Json, type JsonObject } from '../model/json.js';
import { pathText, type Wording } from './finding.js';
import { homeOf } from './home.js';
import { nearest } from './nearest.js';
import { didYouMean, listed } from './suggest.js';
import { quoted } from './text.js';
import { typeHint, typeWords, valueWords } from './types.js';
import type { Case, Violation } from './violation.js';

const SECRET = /token|secret|password|passwd|api_?key|authori[sz]ation|bearer/i;

/** One schema error in the author's words. */
export function explain(found: Case): Violation {
  const { error, path } = found;
  switch (error.keyword) {
    case 'required':
      return missingKey(found, text(error.params.missingProperty));
    case 'additionalProperties':
      return unknownKey(found, text(error.params.additionalProperty));
    case 'propertyNames': {
      const key = text(error.params.propertyName);
      return { ...badName(found, key), path: [...path, key], target: 'key' };
    }
    case 'type':
      return { ...wrongType(found), path, target: 'value' };
    case 'uniqueItems': {
      const second = Math.max(Number(error.params.i), Number(error.params.j));
      return { code: 'wrong-value', ...wrongValue(found), path: [...path, second], target: 'value' };
    }
    default:
      return { code: 'wrong-value', ...wrongValue(found), path, target: 'value' };
  }
}

function missingKey(found: Case, key: string): Violation {
  const property = propertiesOf(found.schema)[key];
  const example = isObject(property) && Array.isArray(property.examples) ? property.examples[0] : undefined;
  const shown =
    example === undefined || typeof example === 'object' ? '' : `, for example ${key}: ${yaml(example)}`;
  return {
    code: 'missing-key',
    message: `${key} is missing${inside(found)}.`,
    hint: `Add ${key}${shown}.`,
    path: found.path,
    target: 'key',
    keys: [key],
  };
}

function unknownKey(found: Case, key: string): Violation {
  const place = { path: [...found.path, key], target: 'key' } as const;
  const known = Object.keys(propertiesOf(found.schema));
  const near = nearest(key, known);
  if (near === null && SECRET.test(key)) {
    const message = `${key} has no place here, and what it holds looks like a secret.`;
    const hint =
      'Put the token into an environment variable and its name under token_env. Replace the token: it was in a file.';
    return { code: 'secret-in-file', message, hint, ...place, secret: true };
  }
  const home = near === null ? homeOf(key, found.root) : null;
  return {
    code: 'unknown-key',
    message: `Unknown key ${quoted(key)}${inside(found)}.`,
    hint: didYouMean(near) ?? (home === null ? `Known here: ${listed(known)}.` : `It belongs under ${home}.`),
    ...place,
    ...(near === null ? {} : { keys: [near] }),
    ...(SECRET.test(key) ? { secret: true } : {}),
  };
}

function badName(found: Case, key: string): Wording {
  if (found.path[0] === 'for_each') {
    return {
      code: 'wrong-value',
      message: `${quoted(key)} cannot be the name of a value.`,
      hint: 'Use letters, digits and "_", 64 at most, with no digit in front.',
    };
  }
  return {
    code: 'wrong-value',
    message: `${quoted(key)} cannot be a name${inside(found)}.`,
    hint: 'Use letters, digits, "-" and "_", 64 at most, with a letter or digit in front.',
  };
}

function wrongType(found: Case): Wording {
  const words = wordsOf(found.schema);
  const expected =
    words.length > 0 && words.length < 8 ? `one of ${listed(words)}` : typeWords(found.error.params.type);
  return {
    code: 'wrong-type',
    message: `${where(found)}: expected ${expected}, found ${valueWords(found.value)}.`,
    hint: typeHint(found.error.params.type, found.value, found.path.at(-1)),
  };
}

function wrongValue(found: Case): { message: string; hint: string } {
  const { error, value } = found;
  const { params } = error;
  const has = `${where(found)}: ${valueWords(value)}`;
  switch (error.keyword) {
    case 'enum':
      return { message: `${has} is not known here.`, hint: wordHint(found) };
    case 'minLength':
      return { message: `${where(found)} is empty.`, hint: 'Fill it in; an optional key can be left out.' };
    case 'minItems':
    case 'minProperties':
      return {
        message: `${where(found)} is empty.`,
        hint: 'At least one entry is needed.',
      };
    case 'maxItems':
      return {
        message: `${where(found)} has more than ${params.limit} entries.`,
        hint: 'Split it up into several documents.',
      };
    case 'minimum':
      return { message: `${has} is too small.`, hint: `The smallest number here is ${params.limit}.` };
    case 'maximum':
      return { message: `${has} is too large.`, hint: `The largest number here is ${params.limit}.` };
    case 'uniqueItems':
      return { message: `${where(found)} has ${repeated(found)} twice.`, hint: 'Keep it once.' };
    case 'pattern':
      return { message: `${has} ${patternWords(found)[0]}.`, hint: patternWords(found)[1] };
    default:
      return {
        message: `${has} does not fit.`,
        hint: `See the documentation of ${String(found.path.at(-1) ?? 'the file')}.`,
      };
  }
}

function repeated({ value, error }: Case): string {
  const item = Array.isArray(value) ? value[Number(error.params.i)] : undefined;
  return item === undefined ? 'an entry' : valueWords(item);
}

function patternWords({ path, value }: Case): [message: string, hint: string] {
  const key = String(path.at(-1) ?? '');
  if (key.endsWith('_time'))
    return ['is not a time', 'Write hours and minutes with two digits each, 00:00 to 23:59: "09:00".'];
  if (typeof value === 'string' && value.trim() === '')
    return ['is blank', 'Fill it in; an optional key can be left out.'];
  if (path.at(-2) === 'custom_variables') {
    return ['is not the name of a variable', 'Write the name as it stands between the braces, without them.'];
  }
  if (key === 'name') {
    return [
      'has white space around it or a line end in it',
      'Write the name on one line, without white space around it.',
    ];
  }
  return ['is not written as it should be', `See the documentation of ${key}.`];
}

/** What could have been meant instead of an unknown word. Time zones are compared within their region. */
function wordHint({ schema, value }: Case): string {
  const words = wordsOf(schema);
  if (typeof value !== 'string') return `Known here: ${listed(words)}.`;
  const region = words.filter((known) => known.startsWith(`${value.split('/')[0]}/`));
  const isCity = (known: string) => known.toLowerCase().endsWith(`/${value.toLowerCase()}`);
  const meant =
    region.length > 0 ? nearestBelow(value, region) : (nearest(value, words) ?? words.find(isCity));
  return didYouMean(meant ?? null) ?? `Known here: ${listed(region.length > 0 ? region : words)}.`;
}

function nearestBelow(word: string, region: readonly string[]): string | undefined {
  const city = (known: string) => known.slice(known.indexOf('/') + 1);
  const near = nearest(city(word), region.map(city));
  return region.find((known) => city(known) === near);
}

function wordsOf(schema: JsonObject): string[] {
  return Array.isArray(schema.enum) ? schema.enum.map(String) : [];
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isObject(schema.properties) ? schema.properties : {};
}

function where({ path }: Case): string {
  return pathText(path) || 'The document';
}

function inside({ path }: Case): string {
  return path.length === 0 ? '' : ` in ${pathText(path)}`;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function yaml(value: Json): string {
  return typeof value === 'string' ? quoted(value) : String(value);
}
