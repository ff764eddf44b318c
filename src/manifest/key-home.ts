/** Finds the section that a key of another section belongs in. */
import { isObject, type Json, type JsonObject, objectAt } from '../model/json.js';
import { fitting } from './fixes.js';
import { definition, fits, formsOf } from './json-schema.js';
import { keysMeant, valueMeant } from './spellings.js';
import type { FailedCheck } from './violation.js';

/**
 * `path`: the names down to the section that accepts `key`, with `ENTRY` for an entry of a list. `property`: the schema of
 * the key there.
 */
export interface KeyHome {
  path: readonly string[];
  key: string;
  section: JsonObject;
  property: JsonObject;
}

export const ENTRY = '*';
export const ANY_NAME = '<name>';

/** Keys that mean something else in each section. */
const IN_EACH_SECTION = new Set(['name', 'id', 'file', 'path', 'with']);

/**
 * Sections below the one with the key come first, and the nearest of them, because other environments have the same sections. Other
 * words count only there, and only with a value that is allowed.
 */
export function findHome(key: string, { path, value, schema, root }: FailedCheck): KeyHome | null {
  const here = path.map((part) => (typeof part === 'number' ? ENTRY : part));
  const written = isObject(value) ? (value[key] ?? null) : null;
  const [own = key, ...others] = keysMeant(key);
  const below = sectionsIn(schema, here, root).slice(1);
  const isVague = IN_EACH_SECTION.has(own);
  const homes = [
    isVague ? null : homeIn(own, below, root),
    ...others
      .map((word) => homeIn(word, below, root))
      .filter((home) => home !== null && isPossible(home, written, root)),
  ].flatMap((home) => home ?? []);
  const [home] = homes.toSorted((a, b) => a.path.length - b.path.length);
  if (home !== undefined || isVague || path.length === 0) return home ?? null;
  const inWhole = sectionsIn(root, [], root);
  const around = inWhole
    .filter((section) => isAround(section.path, here))
    .map((section) => ({ ...section, path: here.slice(0, section.path.length) }));
  const all = [...around.reverse(), ...inWhole];
  const other = others
    .filter((word) => !IN_EACH_SECTION.has(word))
    .map((word) => homeIn(word, all, root))
    .find((found) => found !== null && written !== null && isPossible(found, written, root));
  return homeIn(own, all, root) ?? other ?? null;
}

/** The value as the key needs it there. */
export function valueAtHome({ key, property }: KeyHome, written: Json): Json {
  return valueMeant(key, written) ?? fitting(key, written, property);
}

function isAround(section: readonly string[], path: readonly string[]): boolean {
  return section.length < path.length && section.every((part, at) => part === ANY_NAME || part === path[at]);
}

function isPossible(home: KeyHome, written: Json, root: JsonObject): boolean {
  return written === null || fits(valueAtHome(home, written), home.property, root);
}

function homeIn(key: string, sections: readonly SchemaSection[], root: JsonObject): KeyHome | null {
  for (const { path, schema } of sections) {
    const property = objectAt(schema, 'properties')[key];
    if (isObject(property)) return { path, key, section: schema, property: definition(property, root) };
  }
  return null;
}

interface SchemaSection {
  path: readonly string[];
  schema: JsonObject;
}

/** All sections of a schema, the outer ones first. */
function sectionsIn(part: Json, path: readonly string[], root: JsonObject): SchemaSection[] {
  const found: SchemaSection[] = [];
  let level: [Json, readonly string[]][] = [[part, path]];
  while (level.length > 0) {
    const sections = level.flatMap(([schema, at]): SchemaSection[] =>
      isObject(schema) ? [{ schema: definition(schema, root), path: at }] : [],
    );
    found.push(...sections);
    level = sections.flatMap(({ schema, path: at }) => [
      ...Object.entries(objectAt(schema, 'properties')).map(([name, inner]): [Json, string[]] => [
        inner,
        [...at, name],
      ]),
      ...formsOf(schema).map((form): [Json, readonly string[]] => [form, at]),
      [schema.items ?? null, [...at, ENTRY]],
      [schema.additionalProperties ?? null, [...at, ANY_NAME]],
    ]);
  }
  return found;
}
