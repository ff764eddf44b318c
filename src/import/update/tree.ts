import { type Document, isMap, isNode, isScalar, isSeq, type Node, type Pair, type YAMLMap } from 'yaml';
import type { Path } from '../../model/problem.js';

/** A text and one of its documents with positions. */
export interface Source {
  text: string;
  document: Document;
}

/** Part of a text, by offsets in UTF-16 units; `end` is behind the last one. */
export interface Range {
  start: number;
  end: number;
}

/** The node at a path; null where there is none, or where the way leads through an alias. */
export function nodeAt({ document }: Pick<Source, 'document'>, path: Path): Node | null {
  let node: Node | null = document.contents;
  for (const part of path) {
    const next: unknown =
      isSeq(node) && typeof part === 'number'
        ? node.items[part]
        : isMap(node)
          ? pairOf(node, part)?.value
          : null;
    if (!isNode(next)) return null;
    node = next;
  }
  return node;
}

/** The pair of a key. */
export function pairOf(map: YAMLMap, key: Path[number]): Pair | null {
  return map.items.find((pair) => keyOf(pair) === String(key)) ?? null;
}

export function keyOf({ key }: Pair): string {
  return isScalar(key) ? String(key.value) : String(key);
}

export function startOf(node: unknown): number {
  return isNode(node) ? (node.range?.[0] ?? 0) : 0;
}

/** Where the value of a scalar, alias or flow collection ends; a block scalar ends before its last line end. */
export function valueEnd(text: string, node: Node): number {
  const [start, end] = node.range ?? [0, 0];
  if (!isBlock(text, node)) return end;
  return start + text.slice(start, end).replace(/\r?\n$/, '').length;
}

/** Where the lines of a node of a block collection end, before the line end: a comment behind its value belongs to it. */
export function linesEnd(text: string, node: unknown): number {
  if (isMap(node) && node.flow !== true) {
    const last = node.items.at(-1);
    return linesEnd(text, isFilled(last?.value) ? last?.value : last?.key);
  }
  if (isSeq(node) && node.flow !== true) return linesEnd(text, node.items.at(-1));
  if (!isNode(node)) return 0;
  const end = valueEnd(text, node);
  return isBlock(text, node) ? end : endOfLine(text, end);
}

/** Whether anything is written for a value: `key:` alone has an empty one. */
export function isFilled(node: unknown): node is Node {
  return isNode(node) && !(isScalar(node) && node.range?.[0] === node.range?.[1]);
}

/** A literal or folded scalar. */
export function isBlock(text: string, node: Node): boolean {
  return isScalar(node) && /[|>]/.test(text.charAt(startOf(node))) && node.type?.startsWith('BLOCK') === true;
}

export function startOfLine(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

export function endOfLine(text: string, at: number): number {
  const next = text.indexOf('\n', at);
  if (next < 0) return text.length;
  return text[next - 1] === '\r' && next > at ? next - 1 : next;
}

export function columnOf(text: string, at: number): number {
  return at - startOfLine(text, at);
}

/** How the lines of the file end. */
export function eolOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/** The text with a part of it replaced. */
export function splice(text: string, { start, end }: Range, by: string): string {
  return text.slice(0, start) + by + text.slice(end);
}
