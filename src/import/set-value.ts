import equal from 'fast-deep-equal';
import { isMap, isNode, isScalar, type Node, type Scalar } from 'yaml';
import { composeYaml, parseYaml } from '../manifest/index.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { blockYaml, isVisible, quotedText, type ScalarLayout, scalarYaml } from './write.js';

type Position = Pick<Place, 'document' | 'path'>;
type Single = Exclude<Json, object>;

/** The text with one scalar replaced and every other byte unchanged; `null` if it is none, or aliases share it. */
export function setScalar(text: string, { document, path }: Position, value: Json): string | null {
  const parent = nodeAt(text, document, path.slice(0, -1));
  const pair = isMap(parent) ? parent.items.find(({ key }) => String(key) === path.at(-1)) : undefined;
  const { key, value: node } = pair ?? {};
  if (!isNode(key) || !isScalar(node) || isCollection(value)) return null;
  const [start = 0, end = 0] = node.range ?? [];
  if (start === end) return null;
  const source = text.slice(start, end).replace(/\r?\n$/, '');
  // The comment behind the sign of a block is part of its source.
  const comment = /^[|>][-+\d]*(.*)/.exec(source)?.[1] ?? '';
  const [, ...lines] = source.split('\n');
  const column = columnOf(text, key);
  const shown = lines.find((line) => line.trim() !== '')?.search(/\S/);
  const indent = (isBlockType(node.type) ? shown : undefined) ?? column + 2;
  const candidates = spellings(value, node.type ?? 'PLAIN', { column, indent, eol: eolOf(text) });
  return proven(
    text,
    { document, path },
    value,
    candidates.map((spelling) => {
      const [first = '', ...others] = spelling.split(eolOf(text));
      const written = [first + comment, ...others].join(eolOf(text));
      return text.slice(0, start) + written + text.slice(start + source.length);
    }),
  );
}

/** The same; keys that do not exist are added to the end of the nearest map that does. */
export function setValue(text: string, position: Position, value: Single): string | null {
  return setScalar(text, position, value) ?? addKey(text, position, value);
}

function addKey(text: string, { document, path }: Position, value: Single): string | null {
  const parents = path.map((_, at) => nodeAt(text, document, path.slice(0, at)));
  const depth = parents.findLastIndex(isMap);
  const map = parents[depth];
  const [first] = isMap(map) ? map.items : [];
  if (!isMap(map) || !isNode(first?.key)) return null;
  const [key = '', ...rest] = path.slice(depth).map(String);
  const column = columnOf(text, first.key);
  const before = text.slice(0, (map.range?.[1] ?? 0) - (map.flow ? 1 : 0)).trimEnd();
  const single = scalarYaml(value, 'PLAIN', { column: 0, indent: 2, eol: '\n' });
  const added = { [key]: rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value) };
  const entry = map.flow
    ? `, ${key}: ${rest.reduceRight((inner, name) => `{ ${name}: ${inner} }`, single)}`
    : `\n${blockYaml(added).trimEnd()}`.replaceAll('\n', `\n${' '.repeat(column)}`);
  const written = before + entry.replaceAll('\n', eolOf(text)) + text.slice(before.length);
  return proven(text, { document, path }, value, [written]);
}

/** The first candidate that parses to the old values with only this one changed. */
function proven(
  text: string,
  { document, path }: Position,
  value: Json,
  candidates: readonly string[],
): string | null {
  const { documents, findings } = parseYaml('', text);
  if (findings.length > 0) return null;
  const wanted = documents.map((one) =>
    one.document === document ? { ...one, value: withValue(one.value, path, value) } : one,
  );
  // A block that became the end of the file may need its line end.
  const withEnds = candidates.flatMap((candidate) => [candidate, candidate + eolOf(text)]);
  return (
    withEnds.find((candidate) => {
      const parsed = parseYaml('', candidate);
      return parsed.findings.length === 0 && equal(parsed.documents, wanted);
    }) ?? null
  );
}

/** A copy along the path only: what an alias shares keeps its old value. */
function withValue(root: Json, path: Path, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  const owner = isObject(root) ? root : {};
  return { ...owner, [key]: withValue(owner[key] ?? {}, rest, value) };
}

function nodeAt(text: string, document: number, path: Path): unknown {
  const composed = composeYaml(text);
  const root = 'documents' in composed ? composed.documents[document] : undefined;
  return path.length === 0 ? root?.contents : root?.getIn(path, true);
}

/** The value in the style that it has, then as a block if it has several lines, then in double quotes. */
function spellings(value: Single, type: Scalar.Type, layout: ScalarLayout): string[] {
  if (typeof value !== 'string') return [scalarYaml(value, 'PLAIN', layout)];
  const isOneLine = isVisible(value);
  return [
    ...(isOneLine || isBlockType(type) ? [scalarYaml(value, type, layout)] : []),
    ...(value.includes('\n') && type !== 'QUOTE_DOUBLE' ? [scalarYaml(value, 'BLOCK_LITERAL', layout)] : []),
    quotedText(value),
  ];
}

function isCollection(value: Json): value is Json[] | JsonObject {
  return value !== null && typeof value === 'object';
}

function isBlockType(type: Scalar.Type | undefined): boolean {
  return type === 'BLOCK_FOLDED' || type === 'BLOCK_LITERAL';
}

function columnOf(text: string, { range }: Node): number {
  const [start = 0] = range ?? [];
  return start - text.lastIndexOf('\n', start - 1) - 1;
}

function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}
