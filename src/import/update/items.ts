import { isMap, isNode, isSeq, type Pair, type YAMLSeq } from 'yaml';
import type { Json } from '../../model/json.js';
import type { Path } from '../../model/problem.js';
import { inFlow, itemLines } from './render.js';
import {
  columnOf,
  endOfLine,
  eolOf,
  isFilled,
  linesEnd,
  nodeAt,
  pairOf,
  type Range,
  type Source,
  splice,
  startOf,
  startOfLine,
  valueEnd,
} from './tree.js';

/** Texts with a new item in a list, before the index that ends the path. */
export function insertions(source: Source, path: Path, value: Json): (string | null)[] {
  const list = nodeAt(source, path.slice(0, -1));
  const index = Number(path.at(-1));
  if (!isSeq(list)) return [];
  return [
    list.flow === true ? insertedInFlow(source, list, index, value) : inserted(source, list, index, value),
  ];
}

function insertedInFlow({ text }: Source, list: YAMLSeq, index: number, value: Json): string | null {
  const [before, after] = [list.items[index - 1], list.items[index]];
  if (isFilled(before)) {
    const at = valueEnd(text, before);
    return splice(text, { start: at, end: at }, `, ${inFlow(value)}`);
  }
  const at = isFilled(after) ? startOf(after) : startOf(list) + 1;
  return splice(text, { start: at, end: at }, `${inFlow(value)}${isFilled(after) ? ', ' : ''}`);
}

/** As the item before it is written; in front of all others, as the one behind it. */
function inserted({ text }: Source, list: YAMLSeq, index: number, value: Json): string | null {
  const model = list.items[Math.max(0, index - 1)];
  const dash = dashOf(text, startOf(model));
  if (dash === null) return null;
  const [column, eol] = [columnOf(text, dash), eolOf(text)];
  const near = startOf(model) - dash - 1;
  const gap = near >= 1 && near < 9 && !/[\r\n\t]/.test(text.slice(dash, startOf(model))) ? near : 1;
  const item = ' '.repeat(column) + itemLines(value, { column, eol }, gap);
  if (index === 0) {
    const at = aboveOf(text, startOfLine(text, dash), 0);
    return splice(text, { start: at, end: at }, item + eol);
  }
  const at = linesEnd(text, model);
  const previous = list.items[index - 2];
  const apart = index > 1 && /\n[ \t]*\r?\n/.test(text.slice(linesEnd(text, previous), dash));
  return splice(text, { start: at, end: at }, `${apart ? eol : ''}${eol}${item}`);
}

/** Texts without the item or key that ends the path, and without the comment directly above it. */
export function removals(source: Source, path: Path): (string | null)[] {
  const { text } = source;
  const parent = nodeAt(source, path.slice(0, -1));
  const last = path.at(-1) ?? '';
  if (isMap(parent)) {
    const pair = pairOf(parent, last);
    if (pair === null) return [];
    if (parent.flow === true)
      return [
        withoutInFlow(
          text,
          parent.items.map((one) => pairRange(text, one)),
          parent.items.indexOf(pair),
        ),
      ];
    const previous = parent.items[parent.items.indexOf(pair) - 1];
    const above = previous && (isFilled(previous.value) ? previous.value : previous.key);
    const node = isFilled(pair.value) ? pair.value : pair.key;
    return [withoutLines(text, { start: startOf(pair.key), node, above })];
  }
  if (!isSeq(parent) || typeof last !== 'number') return [];
  if (parent.flow === true)
    return [
      withoutInFlow(
        text,
        parent.items.map((one) => ({ start: startOf(one), end: isNode(one) ? valueEnd(text, one) : 0 })),
        last,
      ),
    ];
  const item = parent.items[last];
  const dash = dashOf(text, startOf(item));
  return dash === null
    ? []
    : [withoutLines(text, { start: dash, node: item, above: parent.items[last - 1] })];
}

/** `above`: the node before it in the same list or section. Blank lines between the two go too, so that none are left twice. */
function withoutLines(
  text: string,
  { start: at, node, above }: { start: number; node: unknown; above: unknown },
): string | null {
  const line = startOfLine(text, at);
  if (text.slice(line, at).trim() !== '') return null;
  const floor = above === undefined ? null : linesEnd(text, above);
  let start = aboveOf(text, line, floor ?? 0);
  while (floor !== null && start - 1 > floor && lineBefore(text, start).trim() === '')
    start = startOfLine(text, start - 1);
  const end = endOfLine(text, linesEnd(text, node));
  const next = text.startsWith('\r\n', end) ? end + 2 : Math.min(text.length, end + 1);
  return splice(text, { start, end: next }, '');
}

function withoutInFlow(text: string, ranges: readonly Range[], index: number): string | null {
  const [before, own, after] = [ranges[index - 1], ranges[index], ranges[index + 1]];
  if (own === undefined) return null;
  if (before !== undefined) return splice(text, { start: before.end, end: own.end }, '');
  return splice(text, { start: own.start, end: after?.start ?? own.end }, '');
}

function pairRange(text: string, { key, value }: Pair): Range {
  const last = isFilled(value) ? value : key;
  return { start: startOf(key), end: isNode(last) ? valueEnd(text, last) : 0 };
}

/** The beginning of the comment lines directly above a line, behind `floor`; the line itself where there are none. */
function aboveOf(text: string, line: number, floor: number): number {
  let start = line;
  while (start - 1 > floor && lineBefore(text, start).trimStart().startsWith('#'))
    start = startOfLine(text, start - 1);
  return start;
}

function lineBefore(text: string, start: number): string {
  return text.slice(startOfLine(text, start - 1), start);
}

/** Where the dash of an item is; null where something else stands in front of it. */
function dashOf(text: string, item: number): number | null {
  const dash = text.lastIndexOf('-', item - 1);
  return dash < 0 || text.slice(startOfLine(text, dash), dash).trim() !== '' ? null : dash;
}
