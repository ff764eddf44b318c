/** A command line as typed, up to the cursor: read as shells read it, and written as bash inserts it. */

/**
 * `words`: those before the cursor, without quotes. `current`: the word at the cursor, possibly empty. `quote`: the quote
 * that is still open. `kept`: the length of the part of `current` that bash keeps, because it ends in one of its breaks.
 */
export interface TypedLine {
  words: string[];
  current: string;
  quote: OpenQuote;
  kept: number;
}

type OpenQuote = '"' | "'" | '';

/** `breaks`: characters at which bash begins a word to complete, as in `COMP_WORDBREAKS`. */
export function readTypedLine(text: string, breaks = ''): TypedLine {
  const words: string[] = [];
  let current: string | null = null;
  let quote: OpenQuote = '';
  let kept = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const escapes = quote === '' || (quote === '"' && /["\\$`]/.test(text.charAt(at + 1)));
    if (character === '\\' && quote !== "'" && escapes) {
      at += 1;
      current = (current ?? '') + text.charAt(at);
    } else if (quote !== '' && character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) {
      quote = character;
      current ??= '';
      kept = current.length;
    } else if (quote === '' && /\s/.test(character)) {
      if (current !== null) words.push(current);
      current = null;
      kept = 0;
    } else {
      current = (current ?? '') + character;
      if (quote === '' && breaks.includes(character)) kept = current.length;
    }
  }
  return { words, current: current ?? '', quote, kept };
}

/** The part of a word that bash inserts; bash itself closes an open quote. */
export function bashWord(word: string, { quote, kept }: TypedLine): string {
  const rest = word.slice(kept);
  if (quote === '"') return rest.replace(/["\\$`]/g, '\\$&');
  if (quote === "'") return rest.replaceAll("'", "'\\''");
  return rest.replace(/[^\p{L}\p{M}\p{N}\p{Extended_Pictographic}_@%+=:,./-]/gu, '\\$&');
}
