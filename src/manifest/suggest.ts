import { quoted } from './text.js';

/** `a, b, c and 4 more`: words for a hint. */
export function listed(words: readonly string[], most = 12): string {
  const shown = words.slice(0, most).join(', ');
  return words.length > most ? `${shown} and ${words.length - most} more` : shown;
}

/** `Did you mean "x"?`, or null where nothing is near. */
export function didYouMean(word: string | null): string | null {
  return word === null ? null : `Did you mean ${quoted(word)}?`;
}
