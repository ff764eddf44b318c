import { diffArrays, structuredPatch } from 'diff';
import { marked } from '../model/characters.js';
import type { Json } from '../model/json.js';

/** Above, texts are shown one after the other: comparing is quadratic. */
const MOST_EDITS = 1_000;

/** Longer texts are shown separately. */
const SHORT = 60;

export interface Stretch {
  kind: 'same' | 'added' | 'removed';
  text: string;
}

/** Marks white space that comes or goes: `·` for a blank, `<U+00A0>` for another. */
export function stretchText({ kind, text }: Stretch): string {
  return kind === 'same' || text.trim() !== '' ? text : shownSpaces(text);
}

/** One line, or the old and the new one. */
export function sidesOf(
  line: readonly Stretch[],
): { sign: ' ' | '-' | '+'; stretches: readonly Stretch[] }[] {
  const has = (wanted: Stretch['kind']) => line.some(({ kind }) => kind === wanted);
  if (!has('removed') && !has('added')) return [{ sign: ' ', stretches: line }];
  const side = (wanted: Stretch['kind']) => line.filter(({ kind }) => kind === 'same' || kind === wanted);
  return [
    { sign: '-' as const, stretches: side('removed') },
    { sign: '+' as const, stretches: side('added') },
  ].filter(({ stretches }) => stretches.length > 0);
}

export function shownSpaces(text: string): string {
  return text.replace(/[^\S\n]/g, (space) => (space === ' ' ? '·' : marked(space)));
}

/** A line of a long text, or a number of equal lines. */
export type Row = { kind: 'line'; stretches: Stretch[] } | { kind: 'folded'; lines: number };

export function wholeLines(lines: readonly string[], kind: Stretch['kind']): Row[] {
  return lines.map((text) => ({ kind: 'line', stretches: [{ kind, text }] }));
}

/** True if a line cannot show both texts. */
export function areLong(from: Json, to: Json): boolean {
  const isLong = (text: string) => text.length > SHORT || /[\r\n]/.test(text);
  return typeof from === 'string' && typeof to === 'string' && (isLong(from) || isLong(to));
}

/** Word by word, with `context` unchanged lines; the rest is folded. */
export function diffBody(from: string, to: string, context: number): Row[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const ended = (lines: readonly string[]) => `${lines.join('\n')}\n`;
  const patch = structuredPatch('', '', ended(before), ended(after), '', '', {
    context,
    maxEditLength: MOST_EDITS,
  });
  if (patch === undefined) return apartRows(before, after, context);
  const { hunks } = patch;
  let next = 1;
  const rows = hunks.flatMap(({ oldStart, oldLines, lines }): Row[] => {
    const skipped = folded(oldStart - next);
    next = oldStart + oldLines;
    return [...skipped, ...rowsOf(lines)];
  });
  return [...rows, ...folded(before.length + 1 - next)];
}

/** Too expensive to compare: shown one after the other between equal ends. */
function apartRows(before: readonly string[], after: readonly string[], context: number): Row[] {
  const alike = (a: readonly string[], b: readonly string[]) => {
    const at = a.findIndex((line, index) => line !== b[index]);
    return at < 0 ? a.length : at;
  };
  const head = alike(before, after);
  const tail = alike(before.slice(head).reverse(), after.slice(head).reverse());
  const [start, end] = [Math.max(0, head - context), before.length - tail];
  return [
    ...folded(start),
    ...wholeLines(before.slice(start, head), 'same'),
    ...wholeLines(before.slice(head, end), 'removed'),
    ...wholeLines(after.slice(head, after.length - tail), 'added'),
    ...wholeLines(before.slice(end, end + context), 'same'),
    ...folded(tail - context),
  ];
}

export function linesOf(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').trim().split('\n');
}

function folded(lines: number): Row[] {
  return lines > 0 ? [{ kind: 'folded', lines }] : [];
}

/** Compares replaced lines word by word. */
function rowsOf(lines: readonly string[]): Row[] {
  const rows: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  for (const line of [...lines, ' ']) {
    const text = line.slice(1);
    if (line.startsWith('-')) removed.push(text);
    else if (line.startsWith('+')) added.push(text);
    else if (line.startsWith(' ')) {
      rows.push(...compared(removed, added), ...wholeLines([text], 'same'));
      [removed, added] = [[], []];
    }
  }
  return rows.slice(0, -1);
}

function compared(removed: readonly string[], added: readonly string[]): Row[] {
  const isBoth = removed.length > 0 && added.length > 0;
  const stretches = isBoth ? diffWords(removed.join('\n'), added.join('\n')) : [];
  if (!stretches.some(({ kind }) => kind === 'same'))
    return [...wholeLines(removed, 'removed'), ...wholeLines(added, 'added')];
  const rows: Stretch[][] = [[]];
  for (const { kind, text } of stretches)
    for (const [at, part] of text.split('\n').entries()) {
      if (at > 0) rows.push([]);
      if (part !== '') rows.at(-1)?.push({ kind, text: part });
    }
  return rows.map((line) => ({ kind: 'line', stretches: line }));
}

/** A variable, a tag, a word, white space, or a character. */
const tokensOf = (text: string): string[] =>
  text.match(/\{[^{}\s|]*\}|<[^<>]*>|[\p{L}\p{M}\p{N}_'’]+|[^\S\n]+|./gsu) ?? [];

/** Equal share of the longer text from which words are compared. */
const LEAST_ALIKE = 0.3;

/** Differing words; very different texts are shown one after the other. */
export function diffWords(from: string, to: string): Stretch[] {
  const [before, after] = [tokensOf(from), tokensOf(to)];
  const parts = diffArrays(before, after, { maxEditLength: MOST_EDITS });
  if (parts === undefined) return apart(from, to);
  const stretches = parts.map(({ value, added, removed }): Stretch => {
    const kind = added ? 'added' : removed ? 'removed' : 'same';
    return { kind, text: value.join('') };
  });
  const same = stretches.reduce((sum, { kind, text }) => sum + (kind === 'same' ? text.length : 0), 0);
  const longer = Math.max(from.length, to.length);
  return same < longer * LEAST_ALIKE ? apartBetween(stretches) : readable(stretches);
}

/** Equal beginnings and ends stay. */
function apartBetween(stretches: readonly Stretch[]): Stretch[] {
  const head = stretches[0]?.kind === 'same' ? 1 : 0;
  const tail =
    stretches.length > 1 && stretches.at(-1)?.kind === 'same' ? stretches.length - 1 : stretches.length;
  const side = (gone: Stretch['kind']) =>
    stretches
      .slice(head, tail)
      .filter(({ kind }) => kind !== gone)
      .map(({ text }) => text)
      .join('');
  return [...stretches.slice(0, head), ...apart(side('added'), side('removed')), ...stretches.slice(tail)];
}

function apart(removed: string, added: string, same = ''): Stretch[] {
  return Object.entries({ removed, added, same }).flatMap(([kind, text]) =>
    text === '' ? [] : [{ kind: kind as Stretch['kind'], text }],
  );
}

/** Merges changes with only a blank between them. */
function readable(stretches: readonly Stretch[]): Stretch[] {
  const runs: { removed: string; added: string; same: string }[] = [];
  for (const [index, { kind, text }] of stretches.entries()) {
    const last = runs.at(-1);
    const isGlue = kind === 'same' && /^[^\S\n]+$/.test(text) && index > 0 && index < stretches.length - 1;
    if (last === undefined || last.same !== '' || (kind === 'same' && !isGlue)) {
      runs.push({ removed: '', added: '', same: '', [kind]: text });
    } else if (isGlue) {
      last.removed += text;
      last.added += text;
    } else last[kind] += text;
  }
  return runs.flatMap(({ removed, added, same }) => apart(removed, added, same));
}
