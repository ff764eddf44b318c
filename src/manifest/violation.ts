import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { pathText, type Wording } from './errors.js';
import type { WrongValue } from './fixes.js';
import { definition } from './json-schema.js';

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

/** Violations of one kind in one section or list, which are reported once: `before`, their words, `after`. */
export interface ViolationGroup {
  id: string;
  word: string;
  /** The right key, for a word that is not one. */
  meant?: string;
  before: string;
  after: string;
  hint: string;
}

/** `target`: the part to mark. `secret`: its value must not be shown. `earlier`: see `SourceFinding`. */
export interface Violation extends Wording {
  group?: ViolationGroup;
  path: Path;
  earlier?: Path;
  target: 'key' | 'value';
  secret?: boolean;
  /** True if a section or a list is needed, so that no text fits. */
  isBlock?: boolean;
  missing?: readonly string[];
  /** Known keys that an unknown key stands for or brings along, so that they are not missing. */
  provides?: readonly string[];
  /** Where a key of another section belongs, with `*` for an entry of a list. */
  home?: readonly string[];
}

/** How the number at a path is written, if that differs from its value. */
export type SourceAt = (path: Path) => string | undefined;

/** A value with its schema. `sourceAt`: `null` if every number is written as its value. */
export interface ValidatedValue {
  value: Json;
  schema: JsonObject;
  sourceAt: SourceAt | null;
}

/**
 * An error of the validator with the value that it is about. `section`: the schema of the whole value, which `schema` may be
 * a part of. `around`: that of the section that contains it. `root`: the schema with the definitions.
 */
export interface FailedCheck extends WrongValue {
  error: SchemaError;
  section: JsonObject;
  around: JsonObject;
  root: JsonObject;
}

/** An error's schema path begins at the last `$ref` before the value, because each `$ref` is compiled separately. */
export function findFailedCheck(error: SchemaError, root: ValidatedValue): FailedCheck {
  const path: (string | number)[] = [];
  let value: Json = root.value;
  let parent: Json = null;
  let shape: JsonObject = root.schema;
  let around: JsonObject = {};
  let schema: Json = root.schema;
  for (const part of segments(error.instancePath)) {
    path.push(Array.isArray(value) ? Number(part) : part);
    parent = value;
    value = child(value, part);
    const inner = child(shape.properties ?? null, part) ?? shape.additionalProperties ?? shape.items ?? null;
    around = shape;
    shape = isObject(inner) ? inner : {};
    if (shape.$ref !== undefined) schema = shape = definition(shape, root.schema);
  }
  for (const part of segments(error.schemaPath).slice(0, -1)) schema = child(schema, part);
  const source = root.sourceAt?.(path) ?? null;
  const found = { error, path, value, parent, source, section: shape, around, root: root.schema };
  return { ...found, schema: isObject(schema) ? schema : {} };
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

export function pointerTo(path: Path): string {
  return path.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

export function placeText({ path }: FailedCheck): string {
  return pathText(path) || 'The document';
}

export function inside({ path }: FailedCheck): string {
  return path.length === 0 ? '' : ` in ${pathText(path)}`;
}
