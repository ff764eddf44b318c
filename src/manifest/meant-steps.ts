import { isObject, type Json, type JsonObject, replaceAt, valueAt } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { nearest } from './nearest.js';
import { keyMeant } from './spellings.js';

/** Steps that are written elsewhere: a list directly below `sequence`, or a list below another key. */
export interface MovedSteps {
  steps: Path;
  written: Path;
}

/** The document with such steps below `sequence.steps`, so that mistakes in them show at once, and not after a first correction. */
export function withMeantSteps(document: Json): { value: Json; moved: readonly MovedSteps[] } {
  const overlays = valueAt(document, ['environments']);
  const names = isObject(overlays) ? Object.keys(overlays) : [];
  const moved = [[], ...names.map((name) => ['environments', name])].flatMap((holder): MovedSteps[] => {
    const campaign = valueAt(document, holder);
    const written = isObject(campaign) ? writtenSteps(campaign) : null;
    return written === null
      ? []
      : [{ steps: [...holder, 'sequence', 'steps'], written: [...holder, ...written] }];
  });
  const value = moved.reduce((root, { steps, written }) => {
    const place = steps.slice(0, -1);
    const section = valueAt(root, place);
    const list = valueAt(root, written) ?? null;
    return replaceAt(root, place, { ...(isObject(section) ? section : {}), steps: list });
  }, document);
  return { value, moved };
}

/** `null` if they are where they belong, or nowhere. */
function writtenSteps(campaign: JsonObject): Path | null {
  const key = keyFor(campaign, 'sequence');
  const section = key === null ? campaign : (campaign[key] ?? null);
  const path = key === null ? [] : [key];
  if (isSteps(section)) return path;
  const steps = isObject(section) ? keyFor(section, 'steps') : null;
  if (steps === null || !isObject(section) || !isSteps(section[steps] ?? null)) return null;
  return key === 'sequence' && steps === 'steps' ? null : [...path, steps];
}

function keyFor(section: JsonObject, name: string): string | null {
  if (Object.hasOwn(section, name)) return name;
  const isMeant = (key: string) => (keyMeant(key, [name]) ?? nearest(key, [name])) === name;
  return Object.keys(section).find(isMeant) ?? null;
}

/** A list of sections, none of which contains steps itself. */
function isSteps(value: Json): boolean {
  const isStep = (item: Json) =>
    isObject(item) && !Object.values(item).some((inner) => isSteps(inner) && keyFor(item, 'steps') !== null);
  return Array.isArray(value) && value.length > 0 && value.every(isStep);
}

/** Where a value of the document with moved steps is written. */
export function unmovedPath(path: Path, moved: readonly MovedSteps[]): Path {
  const found = moved.find(({ steps }) => isBelow(path, steps));
  return found === undefined ? path : [...found.written, ...path.slice(found.steps.length)];
}

export function isBelow(path: Path, parent: Path): boolean {
  return path.length > parent.length && parent.every((part, index) => path[index] === part);
}
