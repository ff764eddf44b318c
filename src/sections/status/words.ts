import type { StatusWords } from '../../model/environment.js';

/** What a status word means here. `starting` is on its way to running; `unknown` is any other word, or none. */
export type Meaning = keyof StatusWords | 'unknown';

const WORDS: StatusWords = {
  running: ['active', 'running', 'started', 'sending'],
  starting: ['queued', 'launching', 'launched'],
  stopped: ['draft', 'paused', 'stopped', 'inactive', 'failed'],
  finished: ['completed'],
  gone: ['archived', 'deleted', 'pending deletion'],
};
const MEANINGS = Object.keys(WORDS) as (keyof StatusWords)[];

/** Words are matched without case; the environment's words go before the built-in ones. */
export function meaningOf(word: string | null, added: StatusWords): Meaning {
  if (word === null) return 'unknown';
  const wanted = plain(word);
  const means = (words: StatusWords) =>
    MEANINGS.find((meaning) => words[meaning].some((known) => plain(known) === wanted));
  return means(added) ?? means(WORDS) ?? 'unknown';
}

/** Whether the word says that a launch did not succeed. */
export function saysFailed(word: string | null): boolean {
  return word !== null && plain(word) === 'failed';
}

function plain(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}
