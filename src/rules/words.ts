import type { CopyNode } from '../email/copy.js';
import { quoted } from '../manifest/errors.js';
import { property } from '../model/json.js';
import { foldedText, spot } from './emails.js';
import { type Flaw, LIST, type PolicyKind } from './rule.js';

const PARTS = ['subject', 'body'] as const;

const phrases = { ...LIST, items: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' } };

export const wordsPolicy: PolicyKind<'words'> = {
  key: 'words',
  schema: {
    title: 'WordsPolicy',
    description:
      'Words and phrases in the text that recipients read. Only whole words match; case is ignored.',
    examples: [{ never: ['risk free', '100 %'], in: ['subject'] }],
    properties: {
      never: property(
        phrases,
        'Words and phrases that no email may contain, whichever spintax choices are made.',
        ['risk free'],
      ),
      always: property(phrases, 'Words and phrases that every email must contain, in every spintax choice.', [
        '{FIRST_NAME}',
      ]),
      in: property(
        { ...LIST, items: { type: 'string', enum: [...PARTS] }, default: [...PARTS] },
        'Parts of the email to search. If both are searched, words under always may be in either.',
        ['subject'],
        ['subject', 'body'],
      ),
    },
  },
  faults(wanted) {
    const forbidden = new Set((wanted.never ?? []).map((text) => parsePhrase(text).spelling));
    return (['never', 'always'] as const).flatMap((list) =>
      (wanted[list] ?? []).flatMap((text, index): Flaw[] => {
        const path = ['words', list, index];
        const { spelling } = parsePhrase(text);
        const blank = `words.${list} has a phrase without visible characters.`;
        if (spelling === '') return [{ path, message: blank, hint: 'Remove the phrase.' }];
        if (list === 'never' || !forbidden.has(spelling)) return [];
        const message = `words: ${quoted(text)} cannot be in both never and always.`;
        return [{ path, message, hint: 'Keep it in one of the two lists.' }];
      }),
    );
  },
  *check({ never = [], always = [], in: parts = PARTS }, { emails }) {
    const [part = 'body', other] = parts;
    const withPhrase = (text: string) => ({ text, phrase: parsePhrase(text) });
    const [forbidden, wanted] = [never.map(withPhrase), always.map(withPhrase)];
    for (const email of emails) {
      const readings = parts.map((name) => ({ copy: email[name], nodes: email[name].readable() }));
      for (const { copy, nodes } of readings)
        for (const { text, phrase } of forbidden)
          if (occurrence(phrase, nodes) !== 'never')
            yield {
              ...spot(copy, findSpelling(copy.value, text)),
              message: `${copy.label}: the text must not contain ${quoted(text)}.`,
              hint: 'Rephrase the text.',
            };
      for (const { text, phrase } of wanted) {
        const occurrences = readings.map(({ nodes }) => occurrence(phrase, nodes));
        if (occurrences.includes('always')) continue;
        const { label } = other === undefined ? email[part] : email;
        const lacks = occurrences.includes('sometimes')
          ? 'some choices do not contain'
          : 'the text does not contain';
        yield {
          path: email[other === undefined ? part : 'body'].path,
          message: `${label}: ${lacks} ${quoted(text)}.`,
          hint: 'Add the phrase.',
        };
      }
    }
  },
};

/** Finds the phrase as written, or the whole text if tags or choices interrupt the phrase. */
function findSpelling(value: string, phrase: string): { start: number; text: string } {
  const pattern = phrase
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\s+');
  const match = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'iu').exec(value);
  return match === null ? { start: 0, text: '' } : { start: match.index, text: match[0] };
}

interface Phrase {
  spelling: string;
  length: number;
  next: Next;
}

export function parsePhrase(text: string): Phrase {
  const spelling = foldedText(text).trim();
  const letters = [...spelling];
  return { spelling, length: letters.length, next: matcher(letters) };
}

/** Searches for whole words in all readings, in linear time. Each spintax choice gives a different reading. */
export function occurrence(
  { length, next }: Phrase,
  nodes: readonly CopyNode[],
): 'never' | 'sometimes' | 'always' {
  const states = [...follow(next, nodes, new Set([OUTSIDE]))];
  if (!states.some((state) => state >= length)) return 'never';
  return states.every((state) => state >= length) ? 'always' : 'sometimes';
}

/** Number of letters matched so far; if none, 0 outside a word and -1 inside one. */
type MatchState = number;
const OUTSIDE = 0;
const INSIDE = -1;
const FOUND = Number.POSITIVE_INFINITY;

type Next = (from: MatchState, letter: string) => MatchState;

function follow(
  next: Next,
  nodes: readonly CopyNode[],
  from: ReadonlySet<MatchState>,
): ReadonlySet<MatchState> {
  const read = (text: string, starts: ReadonlySet<MatchState>): Set<MatchState> =>
    new Set([...starts].map((start) => [...text].reduce(next, start)));
  return nodes.reduce((states, node) => {
    if (node.kind === 'spintax')
      return new Set(node.choices.flatMap((choice) => [...follow(next, choice, states)]));
    return node.kind === 'braces'
      ? read('}', follow(next, node.content, read('{', states)))
      : read(node.text, states);
  }, from);
}

const isInWord = (letter: string) => /[\p{L}\p{M}\p{N}_]/u.test(letter);

/** Computes each transition only once. There is at most one state per letter. */
function matcher(letters: readonly string[]): Next {
  const known = new Map<string, MatchState>();
  const isWordEnd = (before: string, after: string) => !isInWord(before) || !isInWord(after);
  const step = (from: MatchState, letter: string): MatchState => {
    const read = [from === INSIDE ? 'a' : ' ', ...letters.slice(0, Math.max(from, 0)), letter];
    const last = read.at(-2) ?? '';
    if (letter === ' ' && last === ' ' && from > 0) return from;
    if (from === letters.length && isWordEnd(last, letter)) return FOUND;
    for (let start = 1; start < read.length; start += 1) {
      const begins = isWordEnd(read[start - 1] ?? '', read[start] ?? '');
      if (begins && read.slice(start).every((part, index) => part === letters[index]))
        return read.length - start;
    }
    return isInWord(letter) ? INSIDE : OUTSIDE;
  };
  return (from, letter) => {
    if (from === FOUND) return FOUND;
    const key = `${from}${letter}`;
    const state = known.get(key) ?? step(from, letter);
    known.set(key, state);
    return state;
  };
}
