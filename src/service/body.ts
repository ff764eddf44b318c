import { isUtf8 } from 'node:buffer';
import type { Json } from '../model/json.js';

/** Deeper than any answer of this interface, shallow enough for every walk over it. */
const MAX_DEPTH = 64;

/** A shorter token would be found in ordinary words. */
const SHORTEST_TOKEN = 8;

/**
 * Decodes the bytes of an answer; undefined where they are not UTF-8, not JSON, or nested beyond reason. A token that the
 * service echoes is taken out here, so that it can reach neither plan nor state.
 */
export function parseBody(bytes: Buffer, token: string): Json | undefined {
  if (!isUtf8(bytes)) return undefined;
  try {
    const text = bytes.toString('utf8').replace(/^\ufeff/, '');
    const value = JSON.parse(text) as Json;
    if (isDeeper(value, MAX_DEPTH)) return undefined;
    return token.length < SHORTEST_TOKEN ? value : masked(value, text, token);
  } catch {
    return undefined;
  }
}

/** Written anew where the text has escapes: a token could be spelt with them. */
function masked(value: Json, text: string, token: string): Json {
  const plain = text.includes('\\') ? JSON.stringify(value) : text;
  const spelt = JSON.stringify(token).slice(1, -1);
  return plain.includes(spelt) ? (JSON.parse(plain.replaceAll(spelt, '[token]')) as Json) : value;
}

function isDeeper(value: Json, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (levels === 0) return true;
  for (const part of Array.isArray(value) ? value : Object.values(value)) {
    if (isDeeper(part, levels - 1)) return true;
  }
  return false;
}
