import { groupBy, isObject, type Json, type JsonObject, mapValues, valueAt } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { TEXT_SETTINGS } from '../model/sections.js';
import { listed } from '../model/words.js';
import { badText, pathText, quoted, typeWords } from './errors.js';
import { keyOf, LARGEST_NUMBER, wholeNumberHint } from './fixes.js';
import { types } from './json-schema.js';
import { ENTRY } from './key-home.js';
import { withReplySubject } from './reply-subject.js';
import { manifestSchema } from './schema.js';
import { MERGE } from './unknown-keys.js';
import { validate as validator } from './validator.generated.js';
import {
  findFailedCheck,
  pointerTo,
  type SchemaError,
  type SourceAt,
  type ValidatedValue,
  type Validator,
  type Violation,
} from './violation.js';
import { withWaitSteps } from './wait-steps.js';
import { chooseForm, explain } from './wording.js';

/** `copy`: keys whose strings may contain escaped control characters. */
interface ValidatedSchema {
  validator: Validator;
  schema: JsonObject;
  copy: readonly string[];
}

const MANIFEST: ValidatedSchema = {
  validator,
  schema: manifestSchema,
  copy: ['email_subject', 'email_body', 'title', ...TEXT_SETTINGS],
};

const MAX_ERRORS = 1_000;

export function validateManifest(value: Json, sourceAt: SourceAt | null = null): Violation[] {
  return withWaitSteps(validate(value, MANIFEST, sourceAt), value);
}

/** `sourceAt`: `null` if every number is written as its value. */
export function validate(
  value: Json,
  { validator, schema, copy }: ValidatedSchema,
  sourceAt: SourceAt | null,
): Violation[] {
  const numbers = sourceAt === null ? [] : oddValues(value, validator, sourceAt);
  const errors = validator(value) ? [] : (validator.errors ?? []);
  const root = { value, schema, sourceAt };
  const { forms, kept } = chooseForms(errors.slice(0, MAX_ERRORS), root);
  const isOdd = ({ instancePath }: SchemaError) => numbers.some((number) => number.pointer === instancePath);
  const explained = onePerValue(kept.filter((error) => !isOdd(error))).map((error) =>
    withReplySubject(explain(findFailedCheck(error, root)), value),
  );
  const texts = valueViolations(value, [], copy).slice(0, MAX_ERRORS);
  const odd = numbers.map(({ violation }) => violation);
  return onePerGroup(withoutEchoes([...texts, ...odd, ...forms, ...explained], value));
}

/**
 * Whole numbers that are not written as one: in many countries, 1.000 is a thousand, but in YAML, it is 1. And keys without
 * a value, which YAML takes for null. The schema shows where one of them changes something, because half a one is an error there.
 */
function oddValues(value: Json, validator: Validator, sourceAt: SourceAt) {
  const found = new Map<string, OddValue>();
  const halved = (inner: Json, path: Path): Json => {
    if (Array.isArray(inner)) return inner.map((item, index) => halved(item, [...path, index]));
    if (isObject(inner)) return mapValues(inner, (item, key) => halved(item, [...path, key]));
    const source = typeof inner === 'number' || inner === null ? sourceAt(path) : undefined;
    if (source === undefined || PLAIN.test(source)) return inner;
    found.set(pointerTo(path), { path, value: inner, source });
    return 0.5;
  };
  const errors = validator(halved(value, [])) ? [] : (validator.errors ?? []);
  return [...found].flatMap(([pointer, { value: inner, ...odd }]) => {
    const error = errors.find(({ keyword, instancePath }) => keyword === 'type' && instancePath === pointer);
    const allowed = types(error?.params.type);
    if (typeof inner !== 'number')
      return allowed.includes('null') ? [{ pointer, violation: noValue(odd.path, allowed) }] : [];
    // Where a text is allowed as well, 1.10 may be one that lacks its quotes.
    const isText = !Number.isInteger(inner) && allowed.includes('string');
    return !allowed.includes('integer') || isText
      ? []
      : [{ pointer, violation: oddNumber(value, { ...odd, number: inner }) }];
  });
}

interface OddValue {
  path: Path;
  value: Json;
  source: string;
}

interface OddNumber {
  path: Path;
  number: number;
  source: string;
}

const PLAIN = /^[-+]?(?:0|[1-9]\d*)$/;

/** Null says something where it is allowed, so it has to be written. */
function noValue(path: Path, allowed: readonly string[]): Violation {
  const others = allowed.filter((type) => type !== 'null');
  const none = others.includes('integer') ? 'no limit' : 'none';
  return {
    code: 'wrong-type',
    message: `${pathText(path)} has no value.`,
    hint: `Write ${typeWords(others)}${others.includes('boolean') ? '' : `, or null for ${none}`}.`,
    path,
    target: 'key',
  };
}

function oddNumber(document: Json, { path, number, source }: OddNumber): Violation {
  const index = path.at(-1);
  const before = typeof index === 'number' ? valueAt(document, [...path.slice(0, -1), index - 1]) : undefined;
  const isSplit = /^0\d\d$/.test(source) && typeof before === 'number';
  return {
    code: 'wrong-value',
    message: `${pathText(path)}: ${source} is the number ${number} in YAML.`,
    hint: isSplit
      ? `Write ${before}${source}, without a comma, or ${number}.`
      : wholeNumberHint(keyOf(path), { number, source }),
    path,
    target: 'value',
  };
}

function onePerGroup(violations: readonly Violation[]): Violation[] {
  const groups = groupBy(violations, ({ group, path }) => group?.id ?? JSON.stringify(path));
  return [...groups.values()].flatMap((same) => {
    const [{ group, ...first }] = same;
    if (group === undefined || same.length === 1) return same;
    const words = same.flatMap((violation) => violation.group?.word ?? []);
    const keys = same.flatMap((violation) => violation.group?.meant ?? []);
    const isRenamed = keys.some((key, at) => quoted(key) !== words[at]);
    const hint = isRenamed ? `${group.hint.replace(/\.$/, '')}, as ${listed(keys)}.` : group.hint;
    return { ...first, message: `${group.before}${listed(words)}${group.after}`, hint };
  });
}

/**
 * Drops violations that follow from others: for a misspelt key, for example, the intended key is also reported as missing, and a
 * section is empty if its keys are not indented.
 */
function withoutEchoes(violations: readonly Violation[], value: Json): Violation[] {
  const unreadable = violations.filter(({ code }) => code === 'control-character');
  const isSame = (a: Path, b: Path) => pathText(a) === pathText(b);
  const isHome = (path: Path, home?: readonly string[]) =>
    path.map((part) => (typeof part === 'number' ? ENTRY : part)).join('.') === home?.join('.');
  const holds = (path: Path, home?: readonly string[]) =>
    path.length > 0 && isHome(path, home?.slice(0, path.length));
  const isThere = (path: Path, key: string) =>
    violations.some(
      ({ path: other, provides, home }) =>
        isHome([...path, key], home) || (provides?.includes(key) && isSame(other.slice(0, -1), path)),
    );
  return violations.filter(({ code, path, missing = [] }) => {
    const isEmpty = code === 'wrong-type' && valueAt(value, path) === null;
    if (isEmpty && violations.some(({ home }) => holds(path, home))) return false;
    if (code !== 'unknown-key' && path.includes(MERGE)) return false;
    if (missing.some((key) => isThere(path, key))) return false;
    return code === 'control-character' || !unreadable.some((other) => isSame(other.path, path));
  });
}

/**
 * For a failed `oneOf`, keeps only the errors of the intended form, which the keys indicate. A mix of forms is one error.
 */
function chooseForms(errors: readonly SchemaError[], root: ValidatedValue) {
  const forms: Violation[] = [];
  let kept = errors;
  for (const error of errors.filter(({ keyword }) => keyword === 'oneOf')) {
    const choice = chooseForm(findFailedCheck(error, root));
    forms.push(...choice.violations);
    kept = kept.filter((other) => other !== error && (choice.keeps(other) || !isBelow(other, error)));
  }
  return { forms, kept };
}

function isBelow(error: SchemaError, oneOf: SchemaError): boolean {
  return (
    error.schemaPath.startsWith(`${oneOf.schemaPath}/`) &&
    `${error.instancePath}/`.startsWith(`${oneOf.instancePath}/`)
  );
}

const ABOUT_KEYS = new Set(['required', 'additionalProperties', 'propertyNames']);

function onePerValue(errors: readonly SchemaError[]): SchemaError[] {
  const isType = ({ keyword }: SchemaError) => Number(keyword === 'type');
  const byWeight = [...errors].sort((a, b) => isType(b) - isType(a));
  const seen = new Set<string>();
  return byWeight.filter((error) => {
    if (error.propertyName !== undefined) return false;
    if (ABOUT_KEYS.has(error.keyword)) return true;
    const first = !seen.has(error.instancePath);
    seen.add(error.instancePath);
    return first;
  });
}

/** Errors that JSON Schema cannot express: escaped control characters, and numbers outside the range of JSON. */
function valueViolations(value: Json, path: Path, copy: readonly string[]): Violation[] {
  if (Array.isArray(value))
    return value.flatMap((item, index) => valueViolations(item, [...path, index], copy));
  if (isObject(value))
    return Object.entries(value).flatMap(([key, item]) => valueViolations(item, [...path, key], copy));
  const isCopy = copy.includes(String(path.at(-1)));
  const bad = typeof value === 'string' && !isCopy ? badText(value) : null;
  if (bad !== null)
    return [
      {
        code: 'control-character',
        message: `${pathText(path) || 'The text'} contains the control character ${bad.name}.`,
        hint: 'Remove the escape sequence.',
        path,
        target: 'value',
      },
    ];
  if (typeof value !== 'number' || !Number.isInteger(value) || Number.isSafeInteger(value)) return [];
  return [
    {
      code: 'wrong-value',
      message: `${pathText(path)} is too large.`,
      hint: LARGEST_NUMBER,
      path,
      target: 'value',
    },
  ];
}
