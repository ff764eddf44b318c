/**
 * Parses email copy: text, variables `{FIRST_NAME}`, spintax `{Hi|Hello}` and Liquid. Runs in linear time, never
 * throws, and keeps every character. Innermost braces match first; `<style>` is text.
 */

/** The exact text, and its start in UTF-16 units. */
export interface CopySpan {
  text: string;
  start: number;
}

/** `braces`: a matched pair that is neither a variable nor spintax and is sent unchanged. `stray`: an unmatched brace. */
export type CopyNode =
  | (CopySpan & { kind: 'text' | 'liquid' | 'stray' })
  | (CopySpan & { kind: 'variable'; name: string })
  | (CopySpan & { kind: 'spintax'; choices: CopyNode[][] })
  | (CopySpan & { kind: 'braces'; content: CopyNode[] });

/** Braces nested more deeply count as stray, which bounds the recursion. */
const MAX_DEPTH = 32;

/** Matches everything except plain text. No alternative crosses a brace, so scanning takes linear time. */
const MARK = /\{\{[^{}]*\}\}|\{%[^{}]*%\}|\{[A-Z0-9_](?:[A-Z0-9_ ]*[A-Z0-9_])?\}|[{}|]/g;

/** An open brace and the content after it; the root has no brace. The meaning of pipes is decided when the brace closes. */
interface OpenBrace {
  start: number;
  inside: (CopyNode | Pipe)[];
}
type Pipe = CopySpan & { kind: 'pipe' };

/** `declared`: names of variables that the environment has, which may contain any characters. */
export function parseCopy(text: string, declared: readonly string[] = []): CopyNode[] {
  const root: OpenBrace = { start: 0, inside: [] };
  const open = [root];
  for (const span of scan(text)) {
    const last = open.at(-1) ?? root;
    if (span.text === '{' && open.length <= MAX_DEPTH) open.push({ start: span.start, inside: [] });
    else if (span.text === '}' && open.length > 1) {
      open.pop();
      open.at(-1)?.inside.push(closed(last, text.slice(last.start, span.start + 1), declared));
    } else last.inside.push(leaf(span));
  }
  const stray = (start: number) => ({ kind: 'stray', text: '{', start }) as const;
  return withoutPipes(
    open.flatMap(({ start, inside }, depth) => (depth === 0 ? inside : [stray(start), ...inside])),
  );
}

function closed({ start, inside }: OpenBrace, text: string, declared: readonly string[]): CopyNode {
  const name = text.slice(1, -1).normalize('NFC');
  if (declared.includes(name)) return { kind: 'variable', text, start, name };
  const choices: CopyNode[][] = [[]];
  for (const node of inside) {
    if (node.kind === 'pipe') choices.push([]);
    else choices.at(-1)?.push(node);
  }
  return choices.length > 1
    ? { kind: 'spintax', text, start, choices }
    : { kind: 'braces', text, start, content: choices.flat() };
}

function leaf({ text, start }: CopySpan): CopyNode | Pipe {
  if (text === '|') return { kind: 'pipe', text, start };
  if (text === '{' || text === '}') return { kind: 'stray', text, start };
  if (!text.startsWith('{')) return { kind: 'text', text, start };
  if (text.startsWith('{{') || text.startsWith('{%')) return { kind: 'liquid', text, start };
  return { kind: 'variable', text, start, name: text.slice(1, -1) };
}

/** Pipes outside braces belong to the surrounding text. */
function withoutPipes(nodes: readonly (CopyNode | Pipe)[]): CopyNode[] {
  const merged: CopyNode[] = [];
  for (const node of nodes) {
    const last = merged.at(-1);
    const isText = node.kind === 'text' || node.kind === 'pipe';
    if (isText && last?.kind === 'text') last.text += node.text;
    else merged.push(node.kind === 'pipe' ? { ...node, kind: 'text' } : node);
  }
  return merged;
}

export function everyNode(nodes: readonly CopyNode[]): CopyNode[] {
  const all: CopyNode[] = [];
  const visit = (node: CopyNode): void => {
    all.push(node);
    if (node.kind === 'spintax') for (const choice of node.choices) choice.forEach(visit);
    if (node.kind === 'braces') node.content.forEach(visit);
  };
  nodes.forEach(visit);
  return all;
}

function scan(text: string): CopySpan[] {
  const pieces: CopySpan[] = [];
  let at = 0;
  const cut = (end: number): void => {
    if (end > at) pieces.push({ text: text.slice(at, end), start: at });
    at = end;
  };
  for (const { 0: mark, index } of withoutStyles(text).matchAll(MARK)) {
    cut(index);
    cut(index + mark.length);
  }
  cut(text.length);
  return pieces;
}

/** The text with spaces instead of its `<style>` elements, so that positions stay the same. Runs in linear time. */
export function withoutStyles(text: string): string {
  const begin = /<style(?![\w-])/gi;
  const end = /<\/style/gi;
  let without = '';
  let at = 0;
  for (let match = begin.exec(text); match !== null; match = begin.exec(text)) {
    end.lastIndex = match.index;
    if (!end.test(text)) break;
    without += text.slice(at, match.index) + ' '.repeat(end.lastIndex - match.index);
    at = end.lastIndex;
    begin.lastIndex = at;
  }
  return without + text.slice(at);
}
