import { diffArrays } from 'diff';
import { marked, visibleCopy } from '../model/characters.js';
import type { Json } from '../model/json.js';

/** Above this limit, shows one text after the other, because comparing takes quadratic time. */
const MAX_EDITS = 1_000;

const SHORT = 60;

export interface Stretch {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Marks added and removed characters that cannot be seen: `·` for a space, `<U+00A0>` for other characters. */
export function stretchText({ kind, text }: Stretch): string {
  return kind === 'same' || !isUnseen(text) ? text : shownSpaces(text);
}

export function isUnseen(text: string): boolean {
  return text.replace(/\ufe0e|\ufe0f/g, '').trim() === '';
}

export function splitSides(line: readonly Stretch[]): { sign: ' ' | '-' | '+'; text: string }[] {
  const side = (sign: ' ' | '-' | '+', gone: Stretch['kind']) => {
    const stretches = line.filter(({ kind }) => kind !== gone);
    return stretches.length === 0 ? [] : [{ sign, text: visibleCopy(stretches.map(stretchText).join('')) }];
  };
  return isSame(line) ? side(' ', 'added') : [...side('-', 'added'), ...side('+', 'removed')];
}

export function shownSpaces(text: string): string {
  return text.replace(/[^\S\n]|\ufe0e|\ufe0f/g, (space) => (space === ' ' ? '·' : marked(space)));
}

export function areLong(from: Json, to: Json): boolean {
  const isLong = (text: string) => text.length > SHORT || /[\r\n]/.test(text);
  return typeof from === 'string' && typeof to === 'string' && (isLong(from) || isLong(to));
}

export function splitLines(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').trim().split('\n');
}

/** Compares texts line by line, and replaced lines word by word. */
export function diffLines(from: string, to: string): Stretch[][] {
  const [before, after] = [splitLines(from), splitLines(to)];
  const parts = diffArrays(before, after, { maxEditLength: MAX_EDITS });
  if (parts === undefined) return [...wholeLines(before, 'removed'), ...wholeLines(after, 'added')];
  return parts.flatMap(({ value, added, removed }, at) => {
    if (added && parts[at - 1]?.removed) return [];
    const next = parts[at + 1];
    if (removed && next?.added) return compared(value, next.value);
    return wholeLines(value, added ? 'added' : removed ? 'removed' : 'same');
  });
}

function wholeLines(lines: readonly string[], kind: Stretch['kind']): Stretch[][] {
  return lines.map((text) => [{ kind, text }]);
}

function compared(removed: readonly string[], added: readonly string[]): Stretch[][] {
  const stretches = diffWords(removed.join('\n'), added.join('\n'));
  if (!stretches.some(({ kind }) => kind === 'same'))
    return [...wholeLines(removed, 'removed'), ...wholeLines(added, 'added')];
  const lines: Stretch[][] = [[]];
  for (const { kind, text } of stretches)
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    }
  return lines;
}

export function wrapped(line: readonly Stretch[], width: number): Stretch[][] {
  const lines: Stretch[][] = [[]];
  let column = 0;
  for (const { kind, text } of line)
    for (const word of text.match(/\S+\s*|\s+/g) ?? ['']) {
      if (column > 0 && column + word.trimEnd().length > width) {
        lines.push([]);
        column = 0;
      }
      const last = lines.at(-1)?.at(-1);
      if (last?.kind === kind) last.text += word;
      else lines.at(-1)?.push({ kind, text: word });
      column += word.length;
    }
  return lines;
}

/** The changed lines with `context` unchanged lines around them. A number stands for so many other unchanged lines. */
export function foldUnchanged(lines: readonly Stretch[][], context: number): (Stretch[] | number)[] {
  const isNear = lines.map((_, at) =>
    lines.slice(Math.max(0, at - context), at + context + 1).some((line) => !isSame(line)),
  );
  const rows: (Stretch[] | number)[] = [];
  for (const [at, line] of lines.entries()) {
    const last = rows.at(-1);
    if (isNear[at]) rows.push(line);
    else if (typeof last === 'number') rows[rows.length - 1] = last + 1;
    else rows.push(1);
  }
  return rows;
}

export function isSame(line: readonly Stretch[]): boolean {
  return line.every(({ kind }) => kind === 'same');
}

/** Splits text into variables, tags, words, white space and other characters. */
const tokensOf = (text: string): string[] =>
  text.match(/\{[^{}\s|]*\}|<[^<>]*>|\d+(?:[.,:]\d+)*|[\p{L}\p{M}\p{N}_'’]+|[^\S\n]+|./gsu) ?? [];

/** Texts are compared by word only if at least this share of the longer text is equal. */
const MIN_ALIKE = 0.3;

/** Changed words with only blanks between them become one removal and one addition, which is easier to read. */
function withoutIslands(stretches: readonly Stretch[]): Stretch[] {
  const groups: { same: boolean; removed: string; added: string }[] = [];
  for (const [at, { kind, text }] of stretches.entries()) {
    const last = groups.at(-1);
    const isIsland = last?.same === false && stretches[at + 1] !== undefined && /^[^\S\n]+$/.test(text);
    if (kind === 'same' && !isIsland) {
      groups.push({ same: true, removed: text, added: text });
      continue;
    }
    const group = last?.same === false ? last : { same: false, removed: '', added: '' };
    if (group !== last) groups.push(group);
    if (kind !== 'added') group.removed += text;
    if (kind !== 'removed') group.added += text;
  }
  return groups.flatMap(({ same, removed, added }): Stretch[] => {
    if (same) return [{ kind: 'same', text: removed }];
    const both: Stretch[] = [
      { kind: 'removed', text: removed },
      { kind: 'added', text: added },
    ];
    return both.filter(({ text }) => text !== '');
  });
}

/** Shows very different texts as a removal and an addition. */
export function diffWords(from: string, to: string): Stretch[] {
  const parts = diffArrays(tokensOf(from), tokensOf(to), { maxEditLength: MAX_EDITS }) ?? [];
  const stretches = parts.map(({ value, added, removed }): Stretch => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return { kind, text: value.join('') };
  });
  const same = stretches.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  if (same >= Math.max(from.length, to.length) * MIN_ALIKE) return withoutIslands(stretches);
  const whole: Stretch[] = [
    { kind: 'removed', text: from },
    { kind: 'added', text: to },
  ];
  return whole.filter(({ text }) => text !== '');
}
