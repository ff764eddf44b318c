import type { CopyNode } from '../email/copy.js';
import { quoted } from '../manifest/errors.js';
import { property } from '../model/json.js';
import { foldedText, spot, type TextSpan } from './emails.js';
import { type Flaw, NON_EMPTY_LIST, type PolicyKind } from './rule.js';

const PARTS = ['subject', 'body'] as const;

const phrases = {
  ...NON_EMPTY_LIST,
  items: { type: 'string', minLength: 1, maxLength: 200, pattern: '\\S' },
};

export const wordsPolicy: PolicyKind<'words'> = {
  key: 'words',
  schema: {
    title: 'WordsPolicy',
    description:
      'Words and phrases in the text that recipients read. Only whole words match; case is ignored.',
    examples: [{ never: ['risk free', '100 %'], in: ['subject'] }],
    properties: {
      never: property(phrases, 'Words and phrases that no email may contain, in any spintax choice.', [
        'risk free',
      ]),
      always: property(phrases, 'Words and phrases that every email must contain, in every spintax choice.', [
        '{FIRST_NAME}',
      ]),
      in: property(
        { ...NON_EMPTY_LIST, items: { type: 'string', enum: [...PARTS] }, default: [...PARTS] },
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
function findSpelling(value: string, phrase: string): TextSpan {
  const pattern = phrase
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
    .join('\\s+');
  const match = new RegExp(`(?<![\\p{L}\\p{N}_])${pattern}(?![\\p{L}\\p{N}_])`, 'iu').exec(value);
  return match === null ? { start: 0, text: '' } : { start: match.index, text: match[0] };
}

/** `reach`: how much of the text around a choice can matter. */
interface Phrase {
  spelling: string;
  reach: number;
}

export function parsePhrase(text: string): Phrase {
  const spelling = foldedText(text).trim();
  return { spelling, reach: spelling.length + 2 };
}

type Occurrence = 'never' | 'sometimes' | 'always';

/** Checks each choice with the text around it, and the whole text with its longest choices. Takes linear time. */
export function occurrence(phrase: Phrase, nodes: readonly CopyNode[]): Occurrence {
  const pieces = toPieces(nodes);
  const found = inChoices(phrase, pieces);
  return found === 'never' && isIn(longest(pieces), phrase) ? 'sometimes' : found;
}

/** A text, or the choices of spintax. */
type Piece = string | Piece[][];

function toPieces(nodes: readonly CopyNode[]): Piece[] {
  return nodes.flatMap((node): Piece[] => {
    if (node.kind === 'spintax') return [node.choices.map(toPieces)];
    return node.kind === 'braces' ? ['{', ...toPieces(node.content), '}'] : [node.text];
  });
}

function longest(pieces: readonly Piece[]): string {
  const longer = (one: string, other: string) => (other.length > one.length ? other : one);
  return pieces
    .map((piece) => (typeof piece === 'string' ? piece : piece.map(longest).reduce(longer, '')))
    .join('');
}

/** Stands for text that is left out. It continues a word, and is in no phrase because they are in lower case. */
const MORE = 'X';

function inChoices(phrase: Phrase, pieces: readonly Piece[]): Occurrence {
  const groups = pieces.filter((piece) => typeof piece !== 'string');
  const texts = textsBetween(pieces);
  if (texts.some((text) => isIn(text, phrase))) return 'always';
  let found: Occurrence = 'never';
  for (const [index, choices] of groups.entries()) {
    const before = [...(texts[index] ?? '').slice(0, -MORE.length)];
    const after = [...(texts[index + 1] ?? '').slice(MORE.length)];
    const start = before.length > phrase.reach ? [MORE, ...before.slice(-phrase.reach)] : before;
    const end = after.length > phrase.reach ? [...after.slice(0, phrase.reach), MORE] : after;
    const results = choices.map((choice) => inChoices(phrase, [start.join(''), ...choice, end.join('')]));
    if (results.every((result) => result === 'always')) return 'always';
    if (results.some((result) => result !== 'never')) found = 'sometimes';
  }
  return found;
}

/** The texts before, between and after the spintax, with a mark where spintax is left out. */
function textsBetween(pieces: readonly Piece[]): string[] {
  const texts = [''];
  for (const piece of pieces) {
    const isText = typeof piece === 'string';
    texts.push(`${texts.pop() ?? ''}${isText ? piece : MORE}`);
    if (!isText) texts.push(MORE);
  }
  return texts;
}

const WORD_END = /(?<![\p{L}\p{M}\p{N}_])|(?![\p{L}\p{M}\p{N}_])/uy;

function isWordEnd(text: string, at: number): boolean {
  WORD_END.lastIndex = at;
  return WORD_END.test(text);
}

function isIn(text: string, { spelling }: Phrase): boolean {
  const line = text.replace(/ +/g, ' ');
  let at = line.indexOf(spelling);
  while (at >= 0 && at < line.length) {
    if (isWordEnd(line, at) && isWordEnd(line, at + spelling.length)) return true;
    at = line.indexOf(spelling, at + 1);
  }
  return false;
}
