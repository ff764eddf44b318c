import type { Json } from '../model/json.js';
import type { Mask } from './mask.js';

/** Makes foreign text fit for a message: without the token, one line, nothing invisible, cut to `length` characters. */
export type Quote = (text: string, length?: number) => string;

/** What the terminal or the reader could be deceived by: control, bidi and zero-width characters, lone surrogates. */
const INVISIBLE =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ufff9-\ufffb]/gu;

/** The only way for a text of the service into a message; services do echo tokens in what they answer. */
export function createQuote(mask: Mask): Quote {
  return (text, length = 80) => {
    const clean = mask(text);
    const cut = clean.length > length ? `${clean.slice(0, length)}…` : clean;
    return cut.replace(INVISIBLE, escaped);
  };
}

/** A value of an answer, as it is shown in a message. */
export function quoteValue(quote: Quote, value: Json | undefined): string {
  return value === undefined ? 'nothing' : quote(JSON.stringify(value));
}

function escaped(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
}
