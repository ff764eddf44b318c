import { quoted } from '../manifest/words.js';
import type { CopyNode } from '../model/copy.js';
import { type Email, placeIn, plain, type Text } from './emails.js';
import { type Fault, policyKind, type ReadCampaign, type Remark } from './rule.js';

type Part = 'subject' | 'body';
const PARTS: readonly Part[] = ['subject', 'body'];

const phrases = {
  type: 'array',
  minItems: 1,
  uniqueItems: true,
  items: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' },
};

/** Words that emails must not or must hold. */
export const wordsPolicy = policyKind({
  key: 'words',
  schema: {
    title: 'WordsPolicy',
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    description: 'Words and phrases, in whatever case, as people read them: without tags, whole words only.',
    examples: [{ never: ['risk free', '100 %'], in: ['subject'] }],
    properties: {
      never: {
        ...phrases,
        description: 'May be in no email, in no choice of spintax.',
        examples: [['risk free']],
      },
      always: {
        ...phrases,
        description: 'Have to be in every email, whatever choice of spintax is made.',
        examples: [['{FIRST_NAME}']],
      },
      in: {
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { type: 'string', enum: [...PARTS] },
        default: [...PARTS],
        description: 'Where to look. With both, words of always may be in either of the two.',
        examples: [['subject'], ['subject', 'body']],
      },
    },
  },
  faults({ never = [], always = [] }) {
    const forbidden = new Set(never.map(spelling));
    return [
      ...unseen('never', never),
      ...unseen('always', always),
      ...always.flatMap((text, index) =>
        forbidden.has(spelling(text))
          ? [
              {
                path: ['words', 'always', index],
                message: `words: ${quoted(text)} cannot be there never and always.`,
                hint: 'Keep it in one of the two lists.',
              },
            ]
          : [],
      ),
    ];
  },
  check({ never = [], always = [], in: parts = PARTS }, campaign) {
    const forbidden = never.map((text) => ({ text, phrase: phraseOf(text) }));
    const wanted = always.map((text) => ({ text, phrase: phraseOf(text) }));
    return campaign.emails.flatMap((email) => [
      ...parts.flatMap((part) => present(campaign, email[part], forbidden)),
      ...absent(campaign, email, { parts, wanted }),
    ]);
  },
});

function unseen(list: 'never' | 'always', texts: readonly string[]): Fault[] {
  return texts.flatMap((text, index) => {
    if (spelling(text) !== '') return [];
    const message = `words.${list} has a phrase of which nothing can be seen.`;
    return [{ path: ['words', list, index], message, hint: 'Take it out.' }];
  });
}

function spelling(text: string): string {
  return phraseOf(text).letters.join('');
}

interface Asked {
  text: string;
  phrase: Phrase;
}

function present(campaign: ReadCampaign, text: Text, forbidden: readonly Asked[]): Remark[] {
  return forbidden
    .filter(({ phrase }) => occurrence(phrase, text.readable()) !== 'never')
    .map((one) => ({
      message: `${text.label}: ${quoted(one.text)} must not be in it.`,
      hint: 'Write it another way.',
      place: placeIn(campaign, text, pieceOf(text.value, one.text)),
    }));
}

function absent(
  { at }: ReadCampaign,
  email: Email,
  { parts, wanted }: { parts: readonly Part[]; wanted: readonly Asked[] },
): Remark[] {
  const [first = 'body', second] = parts;
  const text = email[second === undefined ? first : 'body'];
  const label = second === undefined ? text.label : email.label;
  return wanted.flatMap((one) => {
    const found = parts.map((part) => occurrence(one.phrase, email[part].readable()));
    if (found.includes('always')) return [];
    const is = found.includes('sometimes') ? 'not in every choice of it' : 'not in it';
    return { message: `${label}: ${quoted(one.text)} is ${is}.`, hint: 'Add it.', place: at(text.path) };
  });
}

/** The phrase as it is written in the text; the whole text where tags, references or choices are in between. */
function pieceOf(value: string, phrase: string): { start: number; text: string } {
  const pattern = phrase
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\s+');
  const found = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'iu').exec(value);
  return found === null ? { start: 0, text: '' } : { start: found.index, text: found[0] };
}

/** A phrase to look for, in one spelling. `back`: how much of it is still there when it breaks off after so many letters. */
export interface Phrase {
  letters: readonly string[];
  back: readonly number[];
}

/** How often a phrase is among the readings of a text: each choice of its spintax gives others. */
export type Occurrence = 'never' | 'sometimes' | 'always';

const IN_WORD = /[\p{L}\p{M}\p{N}_]/u;

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
