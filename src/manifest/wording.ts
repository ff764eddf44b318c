import { isObject, type Json, type JsonObject, objectAt } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { listed } from '../model/words.js';
import {
  didYouMean,
  errorAt,
  nearest,
  pathText,
  quoted,
  type SourceFinding,
  typeHint,
  typeWords,
  valueWords,
  type Wording,
} from './errors.js';

export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Readonly<Record<string, unknown>>;
  propertyName?: string;
}

/** A compiled validator; `errors` is set after `false`. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** `target`: the error concerns the key or its value. `keys`: missing keys, or the likely meant one. */
export interface Violation extends Wording {
  path: Path;
  target: 'key' | 'value';
  secret?: boolean;
  keys?: readonly string[];
}

/** A schema error with its value. `schema` holds the keyword. */
export interface Case {
  error: SchemaError;
  path: Path;
  value: Json;
  schema: JsonObject;
  root: JsonObject;
}

export function caseOf(error: SchemaError, root: { value: Json; schema: JsonObject }): Case {
  const path: (string | number)[] = [];
  let value: Json = root.value;
  for (const part of segments(error.instancePath)) {
    path.push(Array.isArray(value) ? Number(part) : part);
    value = child(value, part);
  }
  let schema: Json = root.schema;
  for (const part of segments(error.schemaPath.replace(/^#/, '')).slice(0, -1)) schema = child(schema, part);
  return { error, path, value, schema: isObject(schema) ? schema : {}, root: root.schema };
}

function child(value: Json, part: string): Json {
  if (Array.isArray(value)) return value[Number(part)] ?? null;
  return isObject(value) && Object.hasOwn(value, part) ? (value[part] ?? null) : null;
}

/** Decodes a JSON pointer; schema paths are URI-encoded as well. */
function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function findingOf(place: Place, { code, message, hint, target, secret }: Violation): SourceFinding {
  const finding = errorAt({ ...place, target }, { code, message, hint });
  return secret === true ? { ...finding, secret } : finding;
}

const SECRET = /token|secret|password|passwd|api_?key|authori[sz]ation|bearer/i;

export function explain(found: Case): Violation {
  const { params, keyword } = found.error;
  const { path } = found;
  const key = String(params.missingProperty ?? params.additionalProperty ?? params.propertyName);
  if (keyword === 'required') return missingKey(found, key);
  if (keyword === 'additionalProperties') return unknownKey(found, key);
  if (keyword === 'propertyNames') return { ...badName(found, key), path: [...path, key], target: 'key' };
  if (keyword === 'type') return { ...wrongType(found), path, target: 'value' };
  const [message, hint] = wrongValue(found);
  const second = keyword === 'uniqueItems' ? [Math.max(Number(params.i), Number(params.j))] : [];
  return { code: 'wrong-value', message, hint, path: [...path, ...second], target: 'value' };
}

function missingKey(found: Case, key: string): Violation {
  const property = objectAt(found.schema, 'properties')[key];
  const [example = null] = isObject(property) && Array.isArray(property.examples) ? property.examples : [];
  const shown = typeof example === 'object' ? '' : `, for example ${key}: ${JSON.stringify(example)}`;
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
  const known = Object.keys(objectAt(found.schema, 'properties'));
  const near = nearest(key, known);
  if (near === null && SECRET.test(key)) {
    const message = `${key} is not a known key, and its value looks like a secret.`;
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
  return found.path[0] === 'for_each'
    ? {
        code: 'wrong-value',
        message: `${quoted(key)} cannot be the name of a value.`,
        hint: 'Use letters, digits and "_", 64 at most, with no digit in front.',
      }
    : {
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

function wrongValue(found: Case): [message: string, hint: string] {
  const { value, error, path } = found;
  const { limit } = error.params;
  const [subject, key] = [where(found), String(path.at(-1) ?? '')];
  const has = `${subject}: ${valueWords(value)}`;
  switch (error.keyword) {
    case 'enum':
      return [`${has} is not a known value.`, wordHint(found)];
    case 'minLength':
      return [`${subject} is empty.`, 'Fill it in; an optional key can be left out.'];
    case 'minItems':
    case 'minProperties':
      return [`${subject} is empty.`, 'At least one entry is needed.'];
    case 'maxItems':
      return [`${subject} has more than ${limit} entries.`, 'Split it up into several documents.'];
    case 'minimum':
      return [`${has} is too small.`, `The smallest number here is ${limit}.`];
    case 'maximum':
      return [`${has} is too large.`, `The largest number here is ${limit}.`];
    case 'uniqueItems': {
      const item = Array.isArray(value) ? (value[Number(error.params.i)] ?? null) : null;
      return [`${subject} has ${valueWords(item)} twice.`, 'Keep it once.'];
    }
    case 'pattern':
      break;
    default:
      return [`${has} does not fit.`, `See the documentation of ${key || 'the file'}.`];
  }
  if (key.endsWith('_time'))
    return [
      `${has} is not a time.`,
      'Write hours and minutes with two digits each, 00:00 to 23:59: "09:00".',
    ];
  if (typeof value === 'string' && value.trim() === '')
    return [`${has} is blank.`, 'Fill it in; an optional key can be left out.'];
  if (path.at(-2) === 'custom_variables')
    return [`${has} is not the name of a variable.`, 'Write the name between the braces, without them.'];
  if (key === 'name')
    return [
      `${has} has white space around it or a line end in it.`,
      'Write the name on one line, without white space around it.',
    ];
  return [`${has} is not valid.`, `See the documentation of ${key}.`];
}

/** The hint for an unknown word. Time zones are compared within their region. */
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

function where({ path }: Case): string {
  return pathText(path) || 'The document';
}

function inside({ path }: Case): string {
  return path.length === 0 ? '' : ` in ${pathText(path)}`;
}

/** The errors of a failed `oneOf`, or of its intended form. */
export interface ChosenForm {
  violations: Violation[];
  keeps(error: SchemaError): boolean;
}

export function formViolation(found: Case): ChosenForm {
  const oneOf = found.schema.oneOf;
  const forms = Array.isArray(oneOf) ? oneOf.filter(isObject) : [];
  if (!isObject(found.value)) {
    const error = { ...found.error, keyword: 'type', params: { type: 'object' } };
    return only(explain({ ...found, error }));
  }
  const keys = Object.keys(found.value);
  const meant = forms.map((form) => keysOf(form).filter((key) => keys.includes(key)));
  const best = meant.reduce(
    (winner, own, index) => (own.length > (meant[winner]?.length ?? 0) ? index : winner),
    0,
  );
  const strangers = meant.flatMap((own, index) => (index === best ? [] : own));
  const chosen = meant[best] ?? [];
  if (strangers.length > 0) return only(conflict(found, { kept: chosen, strangers }));
  if (chosen.length === 0) return only(missing(found, forms), ...misspelt(found, forms));
  return {
    violations: [],
    keeps: (error) => error.schemaPath.startsWith(`${found.error.schemaPath}/${best}/`),
  };
}

function only(...violations: Violation[]): ChosenForm {
  return { violations, keeps: () => false };
}

function keysOf(form: JsonObject): string[] {
  return isObject(form.properties) ? Object.keys(form.properties) : requiredOf(form);
}

function requiredOf(form: JsonObject): string[] {
  const { required } = form;
  return Array.isArray(required) ? required.filter((key) => typeof key === 'string') : [];
}

function conflict(found: Case, { kept, strangers }: { kept: string[]; strangers: string[] }): Violation {
  return {
    code: 'conflicting-keys',
    message: `${where(found)} has ${all(kept)} together with ${all(strangers)}.`,
    hint: `Give either ${all(kept)}, or ${all(strangers)}.`,
    path: [...found.path, strangers[0] ?? ''],
    target: 'key',
  };
}

function missing(found: Case, forms: readonly JsonObject[]): Violation {
  const choices = forms.map((form) => all(requiredOf(form)));
  return {
    code: 'missing-key',
    message: `${where(found)} has neither ${choices.join(' nor ')}.`,
    hint: `Add ${choices.join(', or ')}.`,
    path: found.path,
    target: 'key',
    keys: forms.flatMap(requiredOf),
  };
}

function misspelt(found: Case, forms: readonly JsonObject[]): Violation[] {
  const properties: JsonObject = Object.assign({}, ...forms.map((form) => form.properties));
  if (Object.keys(properties).length === 0 || !isObject(found.value)) return [];
  return Object.keys(found.value).map((key) => {
    const error = { ...found.error, keyword: 'additionalProperties', params: { additionalProperty: key } };
    return explain({ ...found, error, schema: { properties } });
  });
}

function all(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;
}

/** The schema path that knows a key, such as `sequence.steps[]`; `null` if none does. */
function homeOf(key: string, schema: Json, path = ''): string | null {
  if (!isObject(schema)) return null;
  const properties = objectAt(schema, 'properties');
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
