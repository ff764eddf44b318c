import equal from 'fast-deep-equal';
import type { Change, SectionName } from '../../model/change.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { canonicalText } from '../../sections/text.js';

/** Every place where two canonical values of a section differ; undefined is "not there". Steps pair up by their place. */
export function changesBelow(
  section: SectionName,
  path: string,
  from: Json | undefined,
  to: Json | undefined,
): Change[] {
  if (isSame(from, to)) return [];
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) =>
      changesBelow(section, path === '' ? name : `${path}.${name}`, from[name], to[name]),
    );
  }
  if (isListOfObjects(from) && isListOfObjects(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, at) =>
      changesBelow(section, `${path}[${at}]`, from[at], to[at]),
    ).flat();
  }
  const kind = from === undefined ? 'add' : to === undefined ? 'remove' : 'update';
  return [{ section, path, kind, from: from ?? null, to: to ?? null, note: null }];
}

function isSame(from: Json | undefined, to: Json | undefined): boolean {
  if (typeof from === 'string' && typeof to === 'string') return canonicalText(from) === canonicalText(to);
  return equal(from, to);
}

function isListOfObjects(value: Json | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
