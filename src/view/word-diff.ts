import { diffArrays } from 'diff';

/** A stretch of text that both sides have, or one of them. */
export interface Piece {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** A variable, a tag of HTML, a word, white space, or one other character. */
const TOKEN = /\{[^{}\s|]*\}|<[^<>]*>|[\p{L}\p{M}\p{N}_'’]+|[^\S\n]+|./gsu;

/** Milliseconds after which words are no longer worth the wait. */
const PATIENCE = 200;
/** Share of the longer side that has to be the same for words to tell more than both texts do. */
const LEAST_ALIKE = 0.3;

/** The words in which two texts differ; a variable is one word. Texts that have little in common are shown one after the other. */
export function diffWords(from: string, to: string): Piece[] {
  const [before, after] = [from.match(TOKEN) ?? [], to.match(TOKEN) ?? []];
  const parts = diffArrays(before, after, { timeout: PATIENCE });
  if (parts === undefined) return apart(from, to);
  const pieces = parts.map(({ value, added, removed }): Piece => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return { kind, text: value.join('') };
  });
  const same = pieces.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  const longer = Math.max(from.length, to.length);
  return same < longer * LEAST_ALIKE ? apartBetween(pieces) : readable(pieces);
}

/** What both begin and end with (a dash of a list, a full stop) stays; what is between goes and comes as a whole. */
function apartBetween(pieces: readonly Piece[]): Piece[] {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const head = first?.kind === 'same' ? [first] : [];
  const tail = pieces.length > 1 && last?.kind === 'same' ? [last] : [];
  const middle = pieces.slice(head.length, pieces.length - tail.length);
  const side = (gone: Piece['kind']) =>
    middle
      .filter(({ kind }) => kind !== gone)
      .map(({ text }) => text)
      .join('');
  return [...head, ...apart(side('added'), side('removed')), ...tail];
}

function apart(from: string, to: string): Piece[] {
  const pieces: Piece[] = [
    { kind: 'removed', text: from },
    { kind: 'added', text: to },
  ];
  return pieces.filter(({ text }) => text !== '');
}

/** A blank between two changes belongs to them: "two words" is one change, not two. */
function readable(pieces: readonly Piece[]): Piece[] {
  const runs: { removed: string; added: string; same: string }[] = [];
  for (const [index, { kind, text }] of pieces.entries()) {
    const last = runs.at(-1);
    const isGlue = kind === 'same' && /^[^\S\n]+$/.test(text) && index > 0 && index < pieces.length - 1;
    if (last === undefined || last.same !== '' || (kind === 'same' && !isGlue)) {
      runs.push({ removed: '', added: '', same: '', [kind]: text });
    } else if (isGlue) {
      last.removed += text;
      last.added += text;
    } else last[kind] += text;
  }
  return runs.flatMap(({ removed, added, same }) =>
    [
      { kind: 'removed' as const, text: removed },
      { kind: 'added' as const, text: added },
      { kind: 'same' as const, text: same },
    ].filter(({ text }) => text !== ''),
  );
}
