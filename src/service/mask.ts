/** Hides tokens, which some services echo, but never in content: changed content is worse than none. */
import { visibleLine } from '../model/characters.js';
import { isDeeper, isObject, type Json } from '../model/json.js';
import { type Mask, SHORTEST_IN_CONTENT } from '../model/mask.js';
import { TEXT_SETTINGS } from '../model/sections.js';

const MAX_DEPTH = 64;

/** `leak`: the first field of content that contains the token, such as `data[0].email_body`; `null` if none does. */
interface ParsedBody {
  body: Json | undefined;
  leak: string | null;
}

/** Parses a response and hides the token. `body` is `undefined` if it is not JSON or is nested too deeply. */
export function parseBody(text: string, token: string, mask: Mask): ParsedBody {
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, '')) as Json;
    if (isDeeper(value, MAX_DEPTH)) return { body: undefined, leak: null };
    // Masks the values, because masking the text could cut an escape in half.
    return token.length < SHORTEST_IN_CONTENT || mask(text) === text
      ? { body: value, leak: null }
      : { body: maskValue(value, mask), leak: findLeak(value, '', mask) };
  } catch {
    return { body: undefined, leak: null };
  }
}

function maskValue(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((part) => maskValue(part, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [mask(name), maskValue(part, mask)]));
}

const CONTENT: ReadonlySet<string> = new Set([
  ...['name', 'title', 'email_subject', 'email_body'],
  ...TEXT_SETTINGS,
]);

function findLeak(value: Json, path: string, mask: Mask): string | null {
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, part] of Object.entries(value)) {
    const place = Array.isArray(value) ? `${path}[${key}]` : `${path}${path && '.'}${mask(key)}`;
    const isLeak = typeof part === 'string' && CONTENT.has(key) && mask(part) !== part;
    const leak = isLeak ? place : findLeak(part, place, mask);
    if (leak !== null) return leak;
  }
  return null;
}

/**
 * Quotes untrusted text for a message: on one line, without the token or invisible characters, at most `length` characters
 * long.
 */
export type Quote = (text: string, length?: number) => string;

export function createQuote(mask: Mask): Quote {
  return (text, length = 80) => {
    const clean = mask(text);
    return visibleLine(clean.length > length ? `${clean.slice(0, length)}…` : clean);
  };
}
