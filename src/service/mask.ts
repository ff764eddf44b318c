/** Hides tokens, which some services echo. */
import { visibleLine } from '../model/characters.js';
import { isDeeper, isObject, type Json } from '../model/json.js';

/** Replaces the token in a string, including its JSON-, URL- and HTML-escaped forms. */
export type Mask = (text: string) => string;

const MASKED = '[token]';
/** A shorter token could match ordinary words and damage content. */
const SHORTEST_IN_CONTENT = 8;

export function createMask(token: string): Mask {
  const escaped = new RegExp(Array.from(token, anySpelling).join(''), 'g');
  return (text) => {
    const plain = text.replaceAll(token, MASKED);
    return /[\\%&]/.test(plain) ? plain.replace(escaped, MASKED) : plain;
  };
}

/** Matches `/` as `/`, `\/`, `\u002f`, `%2F`, `&#x2F;`, `&#47;` or `&sol;`. */
function anySpelling(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const itself = character.replace(/[^\w]/, '\\$&');
  const short = '"/\\'.includes(character) ? `|\\\\${itself}` : '';
  const named = /\w/.test(character) && character !== '_' ? '' : '|&[a-z]+;';
  const numeric = `&#(?:[xX]0*${hex}|0*${character.charCodeAt(0)});`;
  return `(?:\\\\u00${hex}|%${hex}|${numeric}${named}${short}|${itself})`;
}

const MAX_DEPTH = 64;

/** Parses a response and hides the token; `undefined` if it is not JSON or is nested too deeply. */
export function parseBody(text: string, token: string, mask: Mask): Json | undefined {
  try {
    const value = JSON.parse(text.replace(/^\ufeff/, '')) as Json;
    if (isDeeper(value, MAX_DEPTH)) return undefined;
    // Masks the values, because masking the text could cut an escape in half.
    return token.length < SHORTEST_IN_CONTENT || mask(text) === text ? value : maskValue(value, mask);
  } catch {
    return undefined;
  }
}

function maskValue(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((part) => maskValue(part, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [mask(name), maskValue(part, mask)]));
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
