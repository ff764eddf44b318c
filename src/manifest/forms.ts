import { isObject, type JsonObject } from '../model/json.js';
import { pathText } from './finding.js';
import type { Case, SchemaError, Violation } from './violation.js';
import { explain } from './wording.js';

/** What a failed `oneOf` comes down to: violations of its own, or the complaints of the form that was meant. */
export interface Choice {
  violations: Violation[];
  keeps(error: SchemaError): boolean;
}

/** Decides which of several forms a value was meant to have: by the keys that are there. */
export function formViolation(found: Case): Choice {
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

function only(...violations: Violation[]): Choice {
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

function where({ path }: Case): string {
  return pathText(path) || 'The document';
}

function all(keys: readonly string[]): string {
  return keys.length < 2 ? keys.join('') : `${keys.slice(0, -1).join(', ')} and ${keys.at(-1)}`;
}
