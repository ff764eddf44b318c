import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path } from '../model/problem.js';

/**
 * The base with an environment's overlay over it: objects merge, everything else (lists too) replaces, null is a
 * value. One exception: a schedule of the other form (template, own fields) replaces the whole section, since the
 * two forms exclude each other.
 */
export function applyOverlay(base: JsonObject, overlay: JsonObject): JsonObject {
  const kept = isOtherSchedule(base.schedule, overlay.schedule) ? without(base, 'schedule') : base;
  return merge(kept, overlay);
}

function merge(base: JsonObject, overlay: JsonObject): JsonObject {
  const entries = Object.entries(overlay).map(([key, value]): [string, Json] => {
    const below = Object.hasOwn(base, key) ? base[key] : undefined;
    return [key, isObject(below) && isObject(value) ? merge(below, value) : value];
  });
  return { ...base, ...Object.fromEntries(entries) };
}

/** Where a value of the merged document was written: below the overlay (true) or in the base. */
export function isFromOverlay(overlay: JsonObject, path: Path): boolean {
  let value: Json = overlay;
  for (const key of path) {
    if (!isObject(value)) return true;
    const next: Json | undefined =
      typeof key === 'string' && Object.hasOwn(value, key) ? value[key] : undefined;
    if (next === undefined) return false;
    value = next;
  }
  return true;
}

function isOtherSchedule(base: Json | undefined, overlay: Json | undefined): boolean {
  if (!isObject(base) || !isObject(overlay) || Object.keys(overlay).length === 0) return false;
  return Object.hasOwn(base, 'template') !== Object.hasOwn(overlay, 'template');
}

/** A copy without one key. */
export function without(value: JsonObject, key: string): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name]) => name !== key));
}
