import { isObject, type Json, type JsonObject, replaceAt, valueAt } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import { nearest } from './nearest.js';
import { keyMeant } from './spellings.js';

/** A section below another spelling of its key; steps in a list directly below `sequence`, or below another key. */
export interface MovedPart {
  part: Path;
  written: Path;
}

/** The document with all of them where they belong, so that mistakes in them show at once, and not after a first correction. */
export function withMeantSteps(document: Json): { value: Json; moved: readonly MovedPart[] } {
  const overlays = valueAt(document, ['environments']);
  const names = isObject(overlays) ? Object.keys(overlays) : [];
  const moved = [[], ...names.map((name) => ['environments', name])].flatMap((holder): MovedPart[] => {
    const campaign = valueAt(document, holder);
    if (!isObject(campaign)) return [];
    const written = writtenSteps(campaign);
    const steps = { part: [...holder, 'sequence', 'steps'], written: [...holder, ...(written ?? [])] };
    const sections = OPTIONAL_SECTIONS.filter((name) => name !== 'sequence').flatMap((name) => {
      const key = keyFor(campaign, name);
      const isMoved = key !== null && key !== name && isObject(campaign[key]);
      return isMoved ? [{ part: [...holder, name], written: [...holder, key] }] : [];
    });
    return [...sections, ...(written === null ? [] : [steps])];
  });
  const value = moved.reduce((root, { part, written }) => {
    const place = part.slice(0, -1);
    const section = valueAt(root, place);
    const value = valueAt(root, written) ?? null;
    const placed = { ...(isObject(section) ? section : {}), [String(part.at(-1))]: value };
    return place.length === 0 ? placed : replaceAt(root, place, placed);
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
export function unmovedPath(path: Path, moved: readonly MovedPart[]): Path {
  const found = moved.find(({ part }) => isBelow(path, part));
  return found === undefined ? path : [...found.written, ...path.slice(found.part.length)];
}

export function isBelow(path: Path, parent: Path): boolean {
  return path.length > parent.length && parent.every((part, index) => path[index] === part);
}
