import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import { errorAt, type SourceFinding, type Wording } from './finding.js';

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
