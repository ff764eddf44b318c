import { structuredPatch } from 'diff';
import type { Json } from '../model/json.js';
import { diffWords, type Piece } from './word-diff.js';

/** Lines that differ beyond which two texts are shown one after the other: comparing takes the square of it. */
const MOST_EDITS = 2_000;

/** Characters of a text up to which it is shown beside the other. */
const SHORT = 60;

/** A line of a long text as a reviewer reads it, or a number of lines that are the same on both sides and left out. */
export type Row = { kind: 'line'; pieces: Piece[] } | { kind: 'folded'; lines: number };

/** Whether two values are texts that one line cannot show beside each other. */
export function areLong(from: Json, to: Json): boolean {
  const isLong = (text: string) => text.length > SHORT || /[\r\n]/.test(text);
  return typeof from === 'string' && typeof to === 'string' && (isLong(from) || isLong(to));
}

/** Where two long texts differ, word by word, with `context` unchanged lines around; the rest is folded. */
export function diffBody(from: string, to: string, context: number): Row[] {
  const [before, after] = [linesOf(from), linesOf(to)];
  const ended = (lines: readonly string[]) => `${lines.join('\n')}\n`;
  const patch = structuredPatch('', '', ended(before), ended(after), '', '', {
    context,
    maxEditLength: MOST_EDITS,
  });
  if (patch === undefined)
    return rowsOf([...before.map((line) => `-${line}`), ...after.map((line) => `+${line}`)]);
  const { hunks } = patch;
  let next = 1;
  const rows = hunks.flatMap(({ oldStart, oldLines, lines }): Row[] => {
    const skipped = folded(oldStart - next);
    next = oldStart + oldLines;
    return [...skipped, ...rowsOf(lines)];
  });
  return [...rows, ...folded(before.length + 1 - next)];
}

/** The lines of a text, however they end. */
export function linesOf(text: string): string[] {
  return text.replace(/\r\n?/g, '\n').trim().split('\n');
}

function folded(lines: number): Row[] {
  return lines > 0 ? [{ kind: 'folded', lines }] : [];
}

/** Lines of a hunk as `diff` gives them; lines that go and come at one place are compared word by word. */
function rowsOf(lines: readonly string[]): Row[] {
  const rows: Row[] = [];
  let removed: string[] = [];
  let added: string[] = [];
  const flush = () => {
    if (removed.length > 0 || added.length > 0) rows.push(...compared(removed, added));
    [removed, added] = [[], []];
  };
  for (const line of lines) {
    const text = line.slice(1);
    if (line.startsWith('-')) removed.push(text);
    else if (line.startsWith('+')) added.push(text);
    else if (line.startsWith(' ')) {
      flush();
      rows.push({ kind: 'line', pieces: [{ kind: 'same', text }] });
    }
  }
  flush();
  return rows;
}

function compared(removed: readonly string[], added: readonly string[]): Row[] {
  const whole = (lines: readonly string[], kind: Piece['kind']) =>
    lines.map((text): Row => ({ kind: 'line', pieces: [{ kind, text }] }));
  if (removed.length === 0 || added.length === 0) {
    return [...whole(removed, 'removed'), ...whole(added, 'added')];
  }
  const pieces = diffWords(removed.join('\n'), added.join('\n'));
  if (!pieces.some(({ kind }) => kind === 'same'))
    return [...whole(removed, 'removed'), ...whole(added, 'added')];
  return splitLines(pieces).map((line) => ({ kind: 'line', pieces: line }));
}

/** Pieces over several lines → the pieces of each line. */
function splitLines(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  for (const { kind, text } of pieces) {
    text.split('\n').forEach((part, index) => {
      if (index > 0) lines.push([]);
      if (part !== '') lines.at(-1)?.push({ kind, text: part });
    });
  }
  return lines;
}
