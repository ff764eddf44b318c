import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import { errorAt, pathText, type SourceFinding, type Wording } from './errors.js';
import { didYouMean, listed, nearest, quoted, typeHint, typeWords, valueWords } from './words.js';

/** What a compiled validator says of one error: the part of ajv's `ErrorObject` that is used here. */
export interface SchemaError {
  instancePath: string;
  schemaPath: string;
  keyword: string;
  params: Readonly<Record<string, unknown>>;
  propertyName?: string;
}

/** A validator compiled from a schema; after a `false`, `errors` holds why. */
export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** What is wrong with a value, and where in it. `key`: the key is meant, not what stands behind it. */
export interface Violation extends Wording {
  path: Path;
  target: 'key' | 'value';
  secret?: boolean;
  /** The keys that are missing, or that an unknown key was probably meant to be. */
  keys?: readonly string[];
}

/** A schema error together with what it is about. `schema` is the schema that holds the keyword. */
export interface Case {
  error: SchemaError;
  path: Path;
  value: Json;
  schema: JsonObject;
  root: JsonObject;
}

/** Looks up what an error is about: path and value in the document, keyword in the schema. */
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

/** The parts of a JSON pointer; in a schema path they are URI-encoded on top. */
function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A violation as a finding at the place where its value is written. */
export function findingOf(place: Place, { code, message, hint, target, secret }: Violation): SourceFinding {
  const finding = errorAt({ ...place, target }, { code, message, hint });
  return secret === true ? { ...finding, secret } : finding;
}

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
      return { message: `${has} is not a known value.`, hint: wordHint(found) };
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
    return ['is not the name of a variable', 'Write the name between the braces, without them.'];
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

/** What a failed `oneOf` comes down to: violations of its own, or the complaints of the form that was meant. */
export interface ChosenForm {
  violations: Violation[];
  keeps(error: SchemaError): boolean;
}

/** Decides which of several forms a value was meant to have: by the keys that are there. */
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

/** The keys that tell a form from the others: all it knows, or, where it only requires, what it requires. */
function keysOf(form: JsonObject): string[] {
  if (isObject(form.properties)) return Object.keys(form.properties);
  return requiredOf(form);
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

/** Unknown keys, where the forms say themselves which keys there are. */
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
