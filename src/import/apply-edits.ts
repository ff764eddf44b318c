import equal from 'fast-deep-equal';
import { type Document, isMap, isNode, isScalar, isSeq, type Node, type YAMLMap, type YAMLSeq } from 'yaml';
import { composeYaml, parseYaml } from '../manifest/index.js';
import { isObject, type Json, without } from '../model/json.js';
import type { Path } from '../model/outputs.js';
import { SECTIONS } from '../sections/index.js';
import type { PlannedEdit, YamlEdit } from './plan-edits.js';
import {
  type BlockLayout,
  blockYaml,
  flowYaml,
  foldedBlock,
  lineYaml,
  literalBlock,
  quotedText,
} from './write.js';

/** A text and one of its documents with positions: offsets in UTF-16 units. */
interface EditedText {
  text: string;
  document: Document;
}

/**
 * An item of a list or a key of a section: where it begins, where its value ends, and where its lines end, a comment behind
 * the value included.
 */
interface EntrySpan {
  start: number;
  end: number;
  linesEnd: number;
}

/** The order in which people write keys: a new one goes behind those that stand before it here. */
const ORDER = SECTIONS.flatMap(({ properties }) => keysIn({ properties }));

/** The keys that a JSON Schema has for objects at any depth, in its order. */
function keysIn(schema: Json): string[] {
  if (Array.isArray(schema)) return schema.flatMap(keysIn);
  if (!isObject(schema)) return [];
  const { properties = {}, items = null, oneOf = null } = schema;
  const inner = isObject(properties) ? properties : {};
  return [...Object.keys(inner), ...[...Object.values(inner), items, oneOf].flatMap(keysIn)];
}

/**
 * The text with the edit made and every other byte as it was; null where that is not possible. What was written is read
 * again: it has to be the value that was meant, and nothing else may have changed, through an alias for instance.
 */
export function applyEdit(text: string, edit: PlannedEdit): string | null {
  if (edit.kind === 'file') return edit.text;
  const before = valuesOf(text);
  const composed = composeYaml(text);
  const document = 'documents' in composed ? composed.documents[edit.document] : undefined;
  if (before === null || document === undefined) return null;
  const wanted = before.map((one) =>
    one.document === edit.document ? { ...one, value: editValue(one.value, edit.path, edit) } : one,
  );
  const ways = { set: withValue, insert: withItem, remove: withoutEntry };
  const candidates = ways[edit.kind]({ text, document }, edit.path, edit.value);
  // A block that has become the end of the file may need its line end.
  const tried = candidates.flatMap((one) => [one, one + eolOf(text)]);
  return tried.find((one) => equal(valuesOf(one), wanted)) ?? null;
}

function valuesOf(text: string) {
  const { documents, findings } = parseYaml('', text);
  return findings.length > 0 ? null : documents;
}

/** The same edit of the plain value. */
export function editValue(value: Json, path: Path, edit: Pick<YamlEdit, 'kind' | 'value'>): Json {
  const [part, ...rest] = path;
  if (part === undefined) return edit.value;
  const isEnd = rest.length === 0 && edit.kind !== 'set';
  if (typeof part === 'number') {
    const list = Array.isArray(value) ? [...value] : [];
    if (!isEnd) list[part] = editValue(list[part] ?? null, rest, edit);
    else if (edit.kind === 'insert') list.splice(part, 0, edit.value);
    else list.splice(part, 1);
    return list;
  }
  const section = isObject(value) ? value : {};
  if (!isEnd) return { ...section, [part]: editValue(section[part] ?? {}, rest, edit) };
  return without(section, part);
}

/** Texts with the value at a path set, the closest to what is there first. */
function withValue(source: EditedText, path: Path, value: Json): string[] {
  const { text, document } = source;
  const above = path.slice(0, -1);
  const parent = document.getIn(above, true);
  const key = String(path.at(-1));
  if (parent === undefined && path.length > 1) return withValue(source, above, { [key]: value });
  if (!isMap(parent)) return [];
  const pair = parent.items.find((one) => keyOf(one) === key);
  if (pair === undefined) return withKey(text, parent, key, value);
  const { value: node } = pair;
  if (isObject(value) || Array.isArray(value) || !isNode(pair.key)) return [];
  if (!isFilled(node)) {
    const colon = text.indexOf(':', valueEnd(text, pair.key)) + 1;
    return [splice(text, colon, colon, ` ${lineYaml(value)}`)];
  }
  if (!isScalar(node)) return [];
  const layout = layoutOf(text, node, columnOf(text, startOf(pair.key)));
  return spellings(value, layout, node.type ?? 'PLAIN')
    .filter((one) => one !== null)
    .map((one) => (/^[|>]/.test(one) ? one : one + layout.head))
    .map((one) => splice(text, startOf(node), valueEnd(text, node), one));
}

/** How a single value could be written in the place of a scalar of this type, the closest first. */
function spellings(
  value: Exclude<Json, object>,
  layout: BlockLayout,
  type: NonNullable<Parameters<typeof lineYaml>[1]>,
): (string | null)[] {
  if (typeof value !== 'string') return [lineYaml(value)];
  const [literal, quoted] = [literalBlock(value, layout), quotedText(value)];
  if (type === 'BLOCK_FOLDED') return [foldedBlock(value, layout), literal, quoted];
  if (type === 'BLOCK_LITERAL') return [literal, quoted];
  if (type === 'QUOTE_DOUBLE') return [quoted];
  return [value.includes('\n') ? literal : null, lineYaml(value, type), quoted];
}

/** The layout of the block that a scalar is, or could be: a block keeps its indentation, and the comment behind its sign. */
function layoutOf(text: string, node: Node, column: number): BlockLayout {
  const layout = { column, indent: column + 2, head: '', eol: eolOf(text), width: 80, paragraphs: [] };
  if (!isBlockScalar(node)) return layout;
  const [first = '', ...lines] = text.slice(startOf(node), valueEnd(text, node)).split(/\r?\n/);
  const [, digit = '', head = ''] = /^[|>][-+]?(\d?)[-+]?(.*)$/.exec(first) ?? [];
  const trimmed = lines.map((line) => line.trim());
  const shown = lines.find((line) => line.trim() !== '')?.search(/\S/) ?? layout.indent;
  return {
    ...layout,
    head,
    indent: digit === '' ? shown : column + Number(digit),
    width: Math.max(40, ...trimmed.map((line) => line.length + 1)),
    paragraphs: trimmed
      .join('\n')
      .split(/\n\n+/)
      .map((paragraph) => paragraph.split('\n')),
  };
}

/** A new key behind its neighbour. */
function withKey(text: string, map: YAMLMap, key: string, value: Json): string[] {
  const before = ORDER.slice(0, Math.max(0, ORDER.indexOf(key)));
  const neighbour = map.items.findLastIndex((pair) => before.includes(keyOf(pair)));
  const index = (neighbour < 0 ? map.items.length - 1 : neighbour) + 1;
  const block = () => blockYaml({ [key]: value });
  return inserted(text, map, index, { flow: `${key}: ${flowYaml(value)}`, block });
}

/** Texts with a new item in a list, before the index that ends the path. */
function withItem({ text, document }: EditedText, path: Path, value: Json): string[] {
  const list = document.getIn(path.slice(0, -1), true);
  if (!isSeq(list)) return [];
  const flow = flowYaml(value);
  return inserted(text, list, Number(path.at(-1)), {
    flow,
    block: (gap) => `-${' '.repeat(gap)}${indented(isObject(value) ? blockYaml(value) : flow, 1 + gap)}`,
  });
}

/** How a new entry is written: on one line, or as a block for column 0, with so many blanks behind a dash. */
interface NewEntry {
  flow: string;
  block: (gap: number) => string;
}

/** A new entry before the one at an index, written as the one before it is; in front of all others, as the one behind it. */
function inserted(
  text: string,
  collection: YAMLMap | YAMLSeq,
  index: number,
  { flow, block }: NewEntry,
): string[] {
  const entries = entriesOf(text, collection);
  const [before, after] = [entries[index - 1], entries[index]];
  const model = before ?? after;
  if (model === undefined) {
    const [start, end] = [startOf(collection) + 1, valueEnd(text, collection) - 1];
    return [splice(text, start, end, isMap(collection) ? ` ${flow} ` : flow)];
  }
  if (collection.flow === true)
    return before === undefined
      ? [splice(text, model.start, model.start, `${flow}, `)]
      : [splice(text, model.end, model.end, `, ${flow}`)];
  const eol = eolOf(text);
  const [, blanks = ' '] = /^-( {1,8})\S/.exec(text.slice(model.start, model.start + 10)) ?? [];
  const column = columnOf(text, model.start);
  const entry = block(blanks.length).replace(/\n$/, '');
  const lines = ' '.repeat(column) + indented(entry, column).replaceAll('\n', eol);
  if (before === undefined) {
    const at = above(text, startOfLine(text, model.start), 0, COMMENT);
    return [splice(text, at, at, lines + eol)];
  }
  const previous = entries[index - 2];
  const isApart = previous && /\n[ \t]*\r?\n/.test(text.slice(previous.linesEnd, model.start));
  const blank = isApart && (isSeq(collection) || column === 0) ? eol : '';
  return [splice(text, model.linesEnd, model.linesEnd, blank + eol + lines)];
}

/** All lines but the first by so many columns to the right. */
function indented(text: string, columns: number): string {
  return text.replace(/\n(?=[^\n])/g, `\n${' '.repeat(columns)}`);
}

/** Texts without the item or key that ends the path, and without the comment directly above it. */
function withoutEntry({ text, document }: EditedText, path: Path): string[] {
  const parent = document.getIn(path.slice(0, -1), true);
  const last = path.at(-1);
  if (!isMap(parent) && !isSeq(parent)) return [];
  const index = isSeq(parent) ? Number(last) : parent.items.findIndex((pair) => keyOf(pair) === last);
  const entries = entriesOf(text, parent);
  const [before, own, after] = [entries[index - 1], entries[index], entries[index + 1]];
  if (own === undefined) return [];
  if (parent.flow === true)
    return before === undefined
      ? [splice(text, own.start, after?.start ?? own.end, '')]
      : [splice(text, before.end, own.end, '')];
  const comment = above(text, startOfLine(text, own.start), before?.linesEnd ?? 0, COMMENT);
  // Blank lines between the two go too, so that none are left twice.
  const start = before === undefined ? comment : above(text, comment, before.linesEnd, BLANK);
  const next = text.startsWith('\r\n', own.linesEnd) ? own.linesEnd + 2 : own.linesEnd + 1;
  return [splice(text, start, next, '')];
}

/** In a block list an entry begins with its dash. */
function entriesOf(text: string, collection: YAMLMap | YAMLSeq): EntrySpan[] {
  if (isMap(collection)) return collection.items.map(({ key, value }) => entryOf(text, key, value ?? key));
  return collection.items.map((item) => {
    const entry = entryOf(text, item, item);
    return collection.flow === true ? entry : { ...entry, start: text.lastIndexOf('-', entry.start - 1) };
  });
}

function entryOf(text: string, first: unknown, last: unknown): EntrySpan {
  const end = isNode(last) ? valueEnd(text, last) : 0;
  return { start: startOf(first), end, linesEnd: linesEnd(text, last) };
}

function keyOf({ key }: YAMLMap['items'][number]): string {
  return isScalar(key) ? String(key.value) : String(key);
}

/** Whether anything is written for a value: `key:` alone has an empty one. */
function isFilled(node: unknown): node is Node {
  return isNode(node) && !(isScalar(node) && node.range?.[0] === node.range?.[1]);
}

function isBlockScalar(node: Node): boolean {
  return isScalar(node) && node.type?.startsWith('BLOCK') === true;
}

function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where the value of a scalar, alias or flow collection ends; a block scalar ends before its last line end. */
function valueEnd(text: string, node: Node): number {
  const [start, end] = node.range ?? [0, 0];
  return isBlockScalar(node) ? start + text.slice(start, end).replace(/\r?\n$/, '').length : end;
}

/** Where the lines of a node of a block collection end, before the line end: a comment behind its value belongs to it. */
function linesEnd(text: string, node: unknown): number {
  if ((isMap(node) || isSeq(node)) && node.flow !== true) return entriesOf(text, node).at(-1)?.linesEnd ?? 0;
  if (!isNode(node)) return 0;
  const end = valueEnd(text, node);
  return isBlockScalar(node) ? end : endOfLine(text, end);
}

const COMMENT = /^\s*#/;
const BLANK = /^\s*$/;

/** Where the lines of a kind directly above a line begin, behind `floor`; the line itself where there are none. */
function above(text: string, line: number, floor: number, kind: RegExp): number {
  let start = line;
  while (start - 1 > floor && kind.test(text.slice(startOfLine(text, start - 1), start)))
    start = startOfLine(text, start - 1);
  return start;
}

function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

function endOfLine(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  if (next < 0) return text.length;
  return text[next - 1] === '\r' && next > at ? next - 1 : next;
}

function columnOf(text: string, at: number): number {
  return at - startOfLine(text, at);
}

/** How the lines of the file end. */
function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The text with a part of it replaced. */
function splice(text: string, start: number, end: number, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
