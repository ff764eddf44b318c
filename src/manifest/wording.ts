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

export interface Validator {
  (value: unknown): boolean;
  errors?: readonly SchemaError[] | null;
}

/** `target`: the part to mark. `keys`: the missing keys, or the known key that is most similar. */
export interface Violation extends Wording {
  path: Path;
  target: 'key' | 'value';
  secret?: boolean;
  keys?: readonly string[];
}

export interface Case {
  error: SchemaError;
  path: Path;
  value: Json;
  schema: JsonObject;
  root: JsonObject;
}

/** An error's schema path begins at the last `$ref` before the value, because each `$ref` is compiled separately. */
export function findCase(error: SchemaError, root: { value: Json; schema: JsonObject }): Case {
  const path: (string | number)[] = [];
  let value: Json = root.value;
  let shape: JsonObject = root.schema;
  let schema: Json = root.schema;
  for (const part of segments(error.instancePath)) {
    path.push(Array.isArray(value) ? Number(part) : part);
    value = child(value, part);
    const inner = child(shape.properties ?? null, part) ?? shape.additionalProperties ?? shape.items ?? null;
    shape = isObject(inner) ? inner : {};
    if (shape.$ref !== undefined) schema = shape = definition(shape, root.schema);
  }
  for (const part of segments(error.schemaPath).slice(0, -1)) schema = child(schema, part);
  return { error, path, value, schema: isObject(schema) ? schema : {}, root: root.schema };
}

function definition(schema: JsonObject, root: JsonObject): JsonObject {
  const [, name] = /^#\/definitions\/(\w+)$/.exec(String(schema.$ref)) ?? [];
  return name === undefined ? schema : objectAt(objectAt(root, 'definitions'), name);
}

function child(value: Json, part: string): Json {
  if (Array.isArray(value)) return value[Number(part)] ?? null;
  return isObject(value) && Object.hasOwn(value, part) ? (value[part] ?? null) : null;
}

/** Decodes a JSON pointer. Schema paths are also URI-encoded, which does not affect the keys of these schemas. */
function segments(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

export function toFinding(place: Place, { code, message, hint, target, secret }: Violation): SourceFinding {
  const finding = errorAt({ ...place, target }, { code, message, hint });
  return secret === true ? { ...finding, secret } : finding;
}

const SECRET = /token|secret|password|passwd|api_?key|authori[sz]ation|bearer/i;

export function explain(failed: Case): Violation {
  const { params, keyword } = failed.error;
  const { path } = failed;
  const key = String(params.missingProperty ?? params.additionalProperty ?? params.propertyName);
  if (keyword === 'required') return missingKey(failed, key);
  if (keyword === 'additionalProperties') return unknownKey(failed, key);
  if (keyword === 'propertyNames') return { ...badName(failed, key), path: [...path, key], target: 'key' };
  if (keyword === 'type') return { ...wrongType(failed), path, target: 'value' };
  const [message, hint] = wrongValue(failed);
  const second = keyword === 'uniqueItems' ? [Math.max(Number(params.i), Number(params.j))] : [];
  return { code: 'wrong-value', message, hint, path: [...path, ...second], target: 'value' };
}

function missingKey(failed: Case, key: string): Violation {
  const property = objectAt(failed.schema, 'properties')[key];
  const [example = null] = isObject(property) && Array.isArray(property.examples) ? property.examples : [];
  const shown = typeof example === 'object' ? '' : `, for example ${key}: ${JSON.stringify(example)}`;
  return {
    code: 'missing-key',
    message: `${key} is missing${inside(failed)}.`,
    hint: `Add ${key}${shown}.`,
    path: failed.path,
    target: 'key',
    keys: [key],
  };
}

/** Hints for keys that no longer exist, by section and key. */
const REMOVED_KEYS: ReadonlyMap<string, string> = new Map([
  [
    'service.status',
    'Remove the key: if the service shows no status, campaignctl decides it from what it did itself.',
  ],
]);

export const MERGE = '<<';

function mergeKey(failed: Case): Wording {
  return {
    code: 'unknown-key',
    message: `Merge keys (<<)${inside(failed)} are not supported: YAML 1.2 has none.`,
    hint: 'Write out the keys. To share a sequence or a schedule, write use: FILE; for several similar campaigns, for_each.',
  };
}

function unknownKey(failed: Case, key: string): Violation {
  const place = { path: [...failed.path, key], target: 'key' } as const;
  if (key === MERGE) return { ...mergeKey(failed), ...place, keys: [MERGE] };
  const known = Object.keys(objectAt(failed.schema, 'properties'));
  const glued = gluedKey(key, known);
  if (glued !== null) return { ...glued, ...place };
  const removed = REMOVED_KEYS.get(`${failed.path.at(-1)}.${key}`);
  const near = removed === undefined ? nearest(key, known) : null;
  if (near === null && SECRET.test(key)) {
    const message = `${key} is not a known key, and its value may be a secret.`;
    const hint =
      "Put the token in an environment variable, and write the variable's name under token_env. Revoke the token and create a new one, because it was stored in a file.";
    return { code: 'secret-in-file', message, hint, ...place, secret: true };
  }
  const home = near === null ? findHome(key, failed.root, failed.root) : null;
  return {
    code: 'unknown-key',
    message: `Unknown key ${quoted(key)}${inside(failed)}.`,
    hint:
      removed ??
      didYouMean(near) ??
      (home === null ? `Allowed here: ${listed(known)}.` : `It belongs under ${home}.`),
    ...place,
    ...(near === null ? {} : { keys: [near] }),
    ...(SECRET.test(key) ? { secret: true } : {}),
  };
}

/** `max_emails_per_day:200`, `sandbox { profile: …` and `-lists`, which YAML takes for keys. */
function gluedKey(key: string, known: readonly string[]): (Wording & { keys: string[] }) | null {
  const [, dash, word = '', sign] = /^(-)?([\w-]+?)(:|\s)?(?=$|[^\w-]|(?<=:))/.exec(key) ?? [];
  if (!known.includes(word) || word === key) return null;
  const missing =
    dash !== undefined
      ? 'space is missing after the dash'
      : sign === ':'
        ? 'space is missing after the colon'
        : 'colon is missing';
  return {
    code: 'unknown-key',
    message: `A ${missing} of ${word}.`,
    hint: `Write \`${dash === undefined ? '' : '- '}${word}: …\`.`,
    keys: [word],
  };
}

function badName(failed: Case, key: string): Wording {
  const isValue = failed.path[0] === 'for_each';
  return {
    code: 'wrong-value',
    message: `${quoted(key)} is not a valid name${inside(failed)}.`,
    hint: `Use at most 64 letters, digits${isValue ? ' and "_", not starting with a digit' : ', "-" and "_", starting with a letter or digit'}.`,
  };
}

function wrongType(failed: Case): Wording {
  const words = enumWords(failed.schema);
  const expected =
    words.length > 0 && words.length < 8 ? `one of ${listed(words)}` : typeWords(failed.error.params.type);
  return {
    code: 'wrong-type',
    message: `${place(failed)}: expected ${expected}, but got ${valueWords(failed.value)}.`,
    hint: typeHint(failed.error.params.type, failed.value, failed.path.at(-1)),
  };
}

function wrongValue(failed: Case): [message: string, hint: string] {
  const { value, error, path } = failed;
  const { limit } = error.params;
  const [subject, key] = [place(failed), String(path.at(-1) ?? '')];
  const has = `${subject}: ${valueWords(value).replace(/^the (?:string|number) /, '')}`;
  switch (error.keyword) {
    case 'enum':
      return [`${has} is not an allowed value.`, wordHint(failed)];
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
      'Write hours and minutes with two digits each, from "00:00" to "23:59".',
    ];
  if (typeof value === 'string' && value.trim() === '')
    return [`${has} is blank.`, 'Add a value, or remove the key if it is optional.'];
  if (path.at(-2) === 'custom_variables' || path.at(-2) === 'built_in_variables')
    return [`${has} is not a valid variable name.`, 'Write the name without braces.'];
  if (key === 'name')
    return [
      `${has} has leading or trailing white space, or a line break.`,
      'Write the name on one line, without leading or trailing white space.',
    ];
  return [
    `${has} is not valid.`,
    String(failed.schema.patternErrorMessage ?? `See the documentation of ${key}.`),
  ];
}

/** A time zone is compared only with those of its region. */
function wordHint({ schema, value }: Case): string {
  const words = enumWords(schema);
  if (typeof value !== 'string') return `Allowed values: ${listed(words)}.`;
  const region = words.filter((word) => word.startsWith(`${value.split('/')[0]}/`));
  const candidates = region.length > 0 ? region : words;
  const city = words.find((word) => word.toLowerCase().endsWith(`/${value.toLowerCase()}`));
  return didYouMean(nearest(value, candidates) ?? city ?? null) ?? `Allowed values: ${listed(candidates)}.`;
}

function enumWords(schema: JsonObject): string[] {
  return Array.isArray(schema.enum) ? schema.enum.map(String) : [];
}

function place({ path }: Case): string {
  return pathText(path) || 'The document';
}

function inside({ path }: Case): string {
  return path.length === 0 ? '' : ` in ${pathText(path)}`;
}

interface ChosenForm {
  violations: Violation[];
  keeps(error: SchemaError): boolean;
}

export function chooseForm(failed: Case): ChosenForm {
  const only = (...violations: Violation[]): ChosenForm => ({ violations, keeps: () => false });
  const { value, error, schema } = failed;
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf.filter(isObject) : [];
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

function requiredKeys({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.map(String) : [];
}

function conflict(failed: Case, kept: string[], foreign: string[]): Violation {
  return {
    code: 'conflicting-keys',
    message: `${place(failed)} has ${joinedKeys(foreign)} as well as ${joinedKeys(kept)}.`,
    hint: `Remove ${joinedKeys(foreign)}, or remove ${joinedKeys(kept)}.`,
    path: [...failed.path, foreign[0] ?? ''],
    target: 'key',
  };
}

function missingForm(failed: Case, forms: readonly JsonObject[]): Violation {
  const choices = forms.map((form) => joinedKeys(requiredKeys(form)));
  return {
    code: 'missing-key',
    message: `${place(failed)} has neither ${choices.join(' nor ')}.`,
    hint: `Add ${choices.join(', or ')}.`,
    path: failed.path,
    target: 'key',
    keys: forms.flatMap(requiredKeys),
  };
}

function misspelt(failed: Case, forms: readonly JsonObject[]): Violation[] {
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

/** The path of the section that accepts the key, such as `sequence.steps[]`; `null` if the key is unknown. */
function findHome(key: string, part: Json, root: JsonObject, path = ''): string | null {
  if (!isObject(part)) return null;
  const schema = definition(part, root);
  const properties = objectAt(schema, 'properties');
  if (path !== '' && Object.hasOwn(properties, key)) return path;
  const forms = Array.isArray(schema.oneOf) ? schema.oneOf : [];
  const inner: [Json, string][] = [
    ...Object.entries(properties).map(([name, property]): [Json, string] => [
      property,
      childPath(path, name),
    ]),
    ...forms.map((form): [Json, string] => [form, path]),
    [schema.items ?? null, `${path}[]`],
    [schema.additionalProperties ?? null, childPath(path, '<name>')],
  ];
  for (const [field, name] of inner) {
    const home = findHome(key, field, root, name);
    if (home !== null) return home;
  }
  return null;
}

function childPath(path: string, name: string): string {
  return path === '' ? name : `${path}.${name}`;
}
