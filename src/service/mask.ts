import { isObject, type Json } from '../model/json.js';

/** Replaces the token in a text, also where it is written in the escapes of JSON or of URLs. */
export type Mask = (text: string) => string;

const MASKED = '[token]';
/** A shorter token would be found in ordinary words, and content would be damaged. */
const LEAST = 8;

export function createMask(token: string): Mask {
  const escaped = new RegExp(Array.from(token, anySpelling).join(''), 'g');
  return (text) => {
    const plain = text.includes(token) ? text.replaceAll(token, MASKED) : text;
    return plain.includes('\\') || plain.includes('%') ? plain.replace(escaped, MASKED) : plain;
  };
}

/** Masks every name and text of a value; `text` is the JSON it was parsed from, as a rule without the token. */
export function createBodyMask(token: string, mask: Mask): (value: Json, text: string) => Json {
  if (token.length < LEAST) return (value) => value;
  // In the text the token is only looked for: to cut it out there could break an escape in half.
  return (value, text) => (mask(text) === text ? value : maskValue(value, mask));
}

function maskValue(value: Json, mask: Mask): Json {
  if (typeof value === 'string') return mask(value);
  if (Array.isArray(value)) return value.map((part) => maskValue(part, mask));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [mask(name), maskValue(part, mask)]));
}

/** `/` as `/`, `\/`, `\u002f` or `%2F`. */
function anySpelling(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  const hex = code.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  const itself = character.replace(/[^\w]/, '\\$&');
  const short = '"/\\'.includes(character) ? `|\\\\${itself}` : '';
  return `(?:\\\\u00${hex}|%${hex}${short}|${itself})`;
}
