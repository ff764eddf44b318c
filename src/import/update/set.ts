import { isMap, isScalar, type Node, type YAMLMap } from 'yaml';
import type { Json } from '../../model/json.js';
import type { Path } from '../../model/problem.js';
import { SETTING_NAMES } from '../../model/settings.js';
import { behindKey, inFlow } from './render.js';
import { double, folded, literal, plain, type Room, single } from './styles.js';
import {
  columnOf,
  eolOf,
  isBlock,
  isFilled,
  keyOf,
  linesEnd,
  nodeAt,
  pairOf,
  type Range,
  type Source,
  splice,
  startOf,
  valueEnd,
} from './tree.js';

/** The order in which people write keys: a new one goes behind those that stand before it here. */
const ORDER: readonly string[] = [
  ...['name', 'id', ...SETTING_NAMES, 'days', 'start_time', 'end_time', 'timezone', 'title'],
  ...['email_subject', 'email_body', 'email_body_file', 'wait_in_days'],
  ...['thread_reply', 'steps', 'variants', 'settings', 'schedule', 'sequence', 'leads', 'status'],
];

/** Texts with the value at a path set, the closest to what is there first. */
export function settings(source: Source, path: Path, value: Json): (string | null)[] {
  const parent = nodeAt(source, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  const pair = isMap(parent) ? pairOf(parent, key) : null;
  if (isMap(parent) && pair === null) return [withKey(source, parent, String(key), value)];
  if (parent === null && path.length > 1) return settings(source, path.slice(0, -1), { [key]: value });
  if (!isMap(parent) || pair === null) return [];
  const { text } = source;
  if (!isFilled(pair.value)) {
    const colon = text.indexOf(':', valueEnd(text, pair.key as Node)) + 1;
    return [splice(text, { start: colon, end: colon }, ` ${inFlow(value)}`)];
  }
  const node = pair.value;
  if (!isScalar(node)) return [];
  const range = { start: startOf(node), end: valueEnd(text, node) };
  const room = roomOf(text, node, columnOf(text, startOf(pair.key)));
  const spelt = spellings(value, room, node.type ?? 'PLAIN');
  const isLast = range.end === text.length;
  return spelt
    .filter((one) => one !== null)
    .map((one) => (/^[|>]/.test(one) ? one : one + room.head))
    .flatMap((one) => [
      splice(text, range, one),
      ...(isLast ? [splice(text, range, one + eolOf(text))] : []),
    ]);
}

/** How a value could be written in the place of a scalar of this style. */
function spellings(value: Json, room: Room, style: string): (string | null)[] {
  if (typeof value !== 'string') return [inFlow(value)];
  const lines = value.includes('\n') ? [literal(value, room)] : [];
  switch (style) {
    case 'QUOTE_DOUBLE':
      return [double(value)];
    case 'QUOTE_SINGLE':
      return [single(value), ...lines, double(value)];
    case 'BLOCK_FOLDED':
      return [folded(value, room), literal(value, room), double(value)];
    case 'BLOCK_LITERAL':
      return [literal(value, room), double(value)];
    default:
      return [...lines, plain(value), double(value)];
  }
}

/** The room that a scalar has; a block keeps its indentation, and the comment behind its sign. */
function roomOf(text: string, node: Node, column: number): Room {
  const base = { column, indent: column + 2, head: '', eol: eolOf(text), width: 80, paragraphs: [] };
  if (!isBlock(text, node)) return base;
  const [first = '', ...lines] = text.slice(startOf(node), valueEnd(text, node)).split(/\r?\n/);
  const [, digit = '', head = ''] = /^[|>][-+]?(\d?)[-+]?(.*)$/.exec(first) ?? [];
  const filled = lines.filter((line) => line.trim() !== '');
  const shown = filled[0] === undefined ? base.indent : filled[0].search(/\S/);
  return {
    ...base,
    head,
    indent: digit === '' ? shown : column + Number(digit),
    width: Math.max(40, ...filled.map((line) => line.trim().length + 1)),
    paragraphs: lines
      .map((line) => line.trim())
      .join('\n')
      .split(/\n\n+/)
      .map((paragraph) => paragraph.split('\n')),
  };
}

/** A new key behind its neighbour. */
function withKey({ text }: Source, map: YAMLMap, key: string, value: Json): string {
  const before = ORDER.slice(0, Math.max(0, ORDER.indexOf(key)));
  const neighbour = map.items.findLast((pair) => before.includes(keyOf(pair))) ?? map.items.at(-1);
  if (map.flow === true || neighbour === undefined) {
    const written = `${key}: ${inFlow(value)}`;
    if (neighbour === undefined) return splice(text, inside(map), ` ${written} `);
    const node = isFilled(neighbour.value) ? neighbour.value : (neighbour.key as Node);
    const at = valueEnd(text, node);
    return splice(text, { start: at, end: at }, `, ${written}`);
  }
  const column = columnOf(text, startOf(neighbour.key));
  const at = linesEnd(text, isFilled(neighbour.value) ? neighbour.value : neighbour.key);
  const eol = eolOf(text);
  const previous = map.items[map.items.indexOf(neighbour) - 1];
  const apart = previous && /\n[ \t]*\r?\n/.test(text.slice(startOf(previous.key), startOf(neighbour.key)));
  const blank = apart && column === 0 ? eol : '';
  const line = `${blank}${eol}${' '.repeat(column)}${key}:${behindKey(value, { column, eol })}`;
  return splice(text, { start: at, end: at }, line);
}

/** What stands between the brackets of a flow collection. */
function inside(node: Node): Range {
  const [start, end] = node.range ?? [0, 0];
  return { start: start + 1, end: end - 1 };
}
