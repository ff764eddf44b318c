import type { CopyNode } from '../../model/copy.js';

/** A phrase to look for, in one spelling. `back`: how much of it is still there when it breaks off after so many letters. */
export interface Phrase {
  letters: readonly string[];
  back: readonly number[];
}

/** How often a phrase is among the readings of a text: each choice of its spintax gives others. */
export type Occurrence = 'never' | 'sometimes' | 'always';

const IN_WORD = /[\p{L}\p{M}\p{N}_]/u;
const UNSEEN = /[\u00ad\u200b-\u200d\u2060\ufeff]/g;

/** One spelling for what reads the same: case, width, white space, apostrophes, characters that nobody sees. */
export function plain(text: string): string {
  const same = text.normalize('NFKC').toLowerCase().replace(UNSEEN, '');
  return same.replace(/\s+/g, ' ').replace(/[‘’]/g, "'");
}

export function phraseOf(text: string): Phrase {
  const letters = [...plain(text).trim()];
  const back = [0, 0];
  for (let length = 2; length <= letters.length; length += 1) {
    let rest = back[length - 1] ?? 0;
    while (rest > 0 && letters[rest] !== letters[length - 1]) rest = back[rest] ?? 0;
    back.push(letters[rest] === letters[length - 1] ? rest + 1 : 0);
  }
  return { letters, back: back.map((rest, length) => startsWord(letters, { rest, length, back })) };
}

/** What is left of a match counts only where a word begins. */
function startsWord(
  letters: readonly string[],
  { rest, length, back }: { rest: number; length: number; back: readonly number[] },
): number {
  let left = rest;
  while (left > 0 && joins(letters[length - left - 1], letters[0])) left = back[left] ?? 0;
  return left;
}

/** Whether a phrase is in a text, as whole words. Takes time in proportion to the text, however many readings it has. */
export function occurrence(phrase: Phrase, nodes: readonly CopyNode[]): Occurrence {
  const states = [...follow(phrase, nodes, new Set([0]))];
  const found = states.filter((state) => state >= phrase.letters.length);
  if (found.length === 0) return 'never';
  return found.length === states.length ? 'always' : 'sometimes';
}

/**
 * All states that readings of the nodes can lead to. A state is the number of letters matched; 0: none, and a word may
 * begin; -1: none, inside of a word; one more than there are letters: found.
 */
function follow(phrase: Phrase, nodes: readonly CopyNode[], from: ReadonlySet<number>): Set<number> {
  return nodes.reduce((states, node) => {
    if (node.kind === 'spintax')
      return new Set(node.choices.flatMap((choice) => [...follow(phrase, choice, states)]));
    if (node.kind !== 'braces') return read(phrase, node.text, states);
    return read(phrase, '}', follow(phrase, node.content, read(phrase, '{', states)));
  }, new Set(from));
}

function read(phrase: Phrase, text: string, from: ReadonlySet<number>): Set<number> {
  const found = phrase.letters.length + 1;
  const ends = [...from].map((start) => {
    let state = start;
    for (const letter of text) {
      if (state === found) break;
      state = next(phrase, state, letter);
    }
    return state;
  });
  return new Set(ends);
}

function next({ letters, back }: Phrase, from: number, letter: string): number {
  const before = from === -1 ? 'a' : letters[from - 1];
  if (letter === ' ' && before === ' ') return from;
  if (from === letters.length && !joins(before, letter)) return from + 1;
  let state = Math.max(from, 0);
  while (state > 0) {
    if (state < letters.length && letters[state] === letter) return state + 1;
    state = back[state] ?? 0;
  }
  if (letters[0] === letter && !joins(before, letter)) return 1;
  return IN_WORD.test(letter) ? -1 : 0;
}

/** Whether two neighbours are parts of one word. */
function joins(left: string | undefined, right: string | undefined): boolean {
  return left !== undefined && right !== undefined && IN_WORD.test(left) && IN_WORD.test(right);
}
