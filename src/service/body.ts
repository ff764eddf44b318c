import type { Json } from '../model/json.js';

/** Deeper than any answer of this interface, shallow enough for every walk over it. */
const MAX_DEPTH = 64;

/** Decodes the text of an answer; undefined where it is not JSON, or nested beyond reason. */
export function parseBody(text: string): Json | undefined {
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, '')) as Json;
    return isDeeper(value, MAX_DEPTH) ? undefined : value;
  } catch {
    return undefined;
  }
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeper(part, levels - 1)) return true;
  }
  return false;
}
