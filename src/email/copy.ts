/**
 * Parses email copy: text, variables `{FIRST_NAME}`, spintax `{Hi|Hello}`, Liquid. Linear, never throws, and keeps every
 * character. Innermost braces match first; `<style>` is text.
 */

/** Exact text and start in UTF-16 units. */
interface CopySpan {
  text: string;
  start: number;
}

/** `open`, `pipe` and `close` belong to matched braces; `stray` braces do not. */
export interface CopyToken extends CopySpan {
  kind: 'text' | 'variable' | 'liquid' | 'open' | 'pipe' | 'close' | 'stray';
}

/** `braces`: matched, but neither variable nor spintax; sent as they are. `stray`: unmatched. */
export type CopyNode =
  | (CopySpan & { kind: 'text' | 'liquid' | 'stray' })
  | (CopySpan & { kind: 'variable'; name: string })
  | (CopySpan & { kind: 'spintax'; choices: CopyNode[][] })
  | (CopySpan & { kind: 'braces'; content: CopyNode[] });

/** Deeper braces are stray, which bounds recursion. */
const MAX_DEPTH = 32;

/** Everything but plain text. No alternative crosses a brace, so the scan is linear. */
const MARK =
  /\{\{[^{}]*\}\}|\{%[^{}]*%\}|\{[A-Z0-9_](?:[A-Z0-9_ ]*[A-Z0-9_])?\}|[{}|]|<[sS][tT][yY][lL][eE](?![\w-])/g;

/** Tokens in order and without gaps. */
export function tokenizeCopy(text: string): CopyToken[] {
  const pieces = scan(text);
  const partner = matchBraces(pieces);
  const tokens: CopyToken[] = [];
  let depth = 0;
  for (const [index, piece] of pieces.entries()) {
    const kind = tokenKind(piece, { matched: partner.has(index), depth });
    if (kind === 'open') depth += 1;
    if (kind === 'close') depth -= 1;
    const last = tokens.at(-1);
    if (kind === 'text' && last?.kind === 'text') last.text += piece.text;
    else tokens.push({ kind, text: piece.text, start: piece.start });
  }
  return tokens;
}

export function parseCopy(text: string): CopyNode[] {
  const root: OpenGroup = { start: 0, choices: [[]] };
  const frames = [root];
  for (const token of tokenizeCopy(text)) {
    const frame = frames.at(-1) ?? root;
    if (token.kind === 'open') frames.push({ start: token.start, choices: [[]] });
    else if (token.kind === 'pipe') frame.choices.push([]);
    else if (token.kind === 'close') {
      frames.pop();
      append(frames.at(-1) ?? root, group(frame, text.slice(frame.start, token.start + 1)));
    } else append(frame, leaf(token, token.kind));
  }
  return root.choices.flat();
}

/** All nodes, outer ones first. */
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

/** An open pair of braces with the choices so far. */
interface OpenGroup {
  start: number;
  choices: CopyNode[][];
}

function append(frame: OpenGroup, node: CopyNode): void {
  frame.choices.at(-1)?.push(node);
}

function group({ start, choices }: OpenGroup, text: string): CopyNode {
  return choices.length > 1
    ? { kind: 'spintax', text, start, choices }
    : { kind: 'braces', text, start, content: choices.flat() };
}

function leaf({ text, start }: CopySpan, kind: 'text' | 'variable' | 'liquid' | 'stray'): CopyNode {
  return kind === 'variable' ? { kind, text, start, name: text.slice(1, -1) } : { kind, text, start };
}

/** Splits at every mark, before braces are matched. */
function scan(text: string): CopySpan[] {
  const pieces: CopySpan[] = [];
  const mark = new RegExp(MARK);
  const endOfStyle = /<\/style/gi;
  let at = 0;
  let styleCloses = true;
  const cut = (end: number): void => {
    if (end > at) pieces.push({ text: text.slice(at, end), start: at });
    at = end;
  };
  for (let match = mark.exec(text); match !== null; match = mark.exec(text)) {
    if (!match[0].startsWith('<')) {
      cut(match.index);
      cut(mark.lastIndex);
    } else if (styleCloses) {
      endOfStyle.lastIndex = match.index;
      styleCloses = endOfStyle.test(text);
      if (styleCloses) mark.lastIndex = endOfStyle.lastIndex;
    }
  }
  cut(text.length);
  return pieces;
}

/** Indexes of matched braces. */
function matchBraces(pieces: readonly CopySpan[]): Set<number> {
  const matched = new Set<number>();
  const open: number[] = [];
  for (const [index, { text }] of pieces.entries()) {
    if (text === '{') open.push(index);
    if (text !== '}') continue;
    const partner = open.pop();
    if (partner !== undefined && open.length < MAX_DEPTH) matched.add(partner).add(index);
  }
  return matched;
}

function tokenKind(
  { text }: CopySpan,
  { matched, depth }: { matched: boolean; depth: number },
): CopyToken['kind'] {
  if (text === '{') return matched ? 'open' : 'stray';
  if (text === '}') return matched ? 'close' : 'stray';
  if (text === '|') return depth > 0 ? 'pipe' : 'text';
  if (!text.startsWith('{')) return 'text';
  return text.startsWith('{{') || text.startsWith('{%') ? 'liquid' : 'variable';
}
