import equal from 'fast-deep-equal';
import type { AspectName, Change } from '../../model/change.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import { canonicalText } from '../../sections/text.js';

/** Every place where two canonical values of an aspect differ; undefined is "not there". Steps pair up by their place. */
export function changesBelow(
  aspect: AspectName,
  path: string,
  from: Json | undefined,
  to: Json | undefined,
): Change[] {
  if (isSame(from, to)) return [];
  if (isObject(from) && isObject(to)) {
    const names = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return names.flatMap((name) =>
      changesBelow(aspect, path === '' ? name : `${path}.${name}`, from[name], to[name]),
    );
  }
  if (isListOfObjects(from) && isListOfObjects(to)) {
    const length = Math.max(from.length, to.length);
    return Array.from({ length }, (_, at) => changesBelow(aspect, `${path}[${at}]`, from[at], to[at])).flat();
  }
  const kind = from === undefined ? 'add' : to === undefined ? 'drop' : 'alter';
  return [{ aspect, path, kind, from: from ?? null, to: to ?? null, note: null }];
}

function isSame(from: Json | undefined, to: Json | undefined): boolean {
  if (typeof from === 'string' && typeof to === 'string') return canonicalText(from) === canonicalText(to);
  return equal(from, to);
}

function isListOfObjects(value: Json | undefined): value is JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}
