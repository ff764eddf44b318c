import { diffBody, diffWords, linesOf, type Piece as WordPiece } from '../diffs.js';
import { type Html, html, type Piece } from '../html-page.js';
import { count } from '../words.js';

/** Unchanged lines that stay in sight beside a changed one, and how many have to be left for a fold. */
const CONTEXT = 1;
const WORTH_FOLDING = 3;

/** The time of a comparison grows with the square of the lines that differ. No mail that people write has as many. */
const MOST_LINES = 2000;

/** A changed subject on one line. */
export function changedLine(from: string, to: string): Html {
  return html`${diffWords(from, to).map(mark)}`;
}

/** A changed body, paragraph by paragraph; what is the same far and wide is folded. */
export function changedText(from: string, to: string): Html {
  const lines = compared(paragraphs(from), paragraphs(to));
  if (lines.length === 0) return html`<p class="quiet">Only line breaks differ.</p>`;
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !isSame(line)),
  );
  const parts: Html[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = near[at] ? at + 1 : endOf(near, at);
    const run = lines.slice(at, end).map(shownLine);
    parts.push(end - at < WORTH_FOLDING ? html`${run}` : folded(run));
    at = end;
  }
  return html`<div class="diff">${parts}</div>`;
}

/** All lines of both texts. What takes too long to compare is shown one after the other between what is the same around. */
function compared(from: string, to: string): WordPiece[][] {
  const [before, after] = [linesOf(from), linesOf(to)];
  if (Math.max(before.length, after.length) <= MOST_LINES) {
    const rows = diffBody(from, to, Number.MAX_SAFE_INTEGER);
    return rows.flatMap((row) => (row.kind === 'line' ? [row.pieces] : []));
  }
  const alike = (one: readonly string[], other: readonly string[]) => {
    const at = one.findIndex((line, index) => line !== other[index]);
    return at < 0 ? one.length : at;
  };
  const head = alike(before, after);
  const tail = alike(before.slice(head).reverse(), after.slice(head).reverse());
  const all = (lines: readonly string[], kind: WordPiece['kind']) => lines.map((text) => [{ kind, text }]);
  return [
    ...all(before.slice(0, head), 'same'),
    ...all(before.slice(head, before.length - tail), 'removed'),
    ...all(after.slice(head, after.length - tail), 'added'),
    ...all(before.slice(before.length - tail), 'same'),
  ];
}

function endOf(near: readonly boolean[], start: number): number {
  const end = near.indexOf(true, start);
  return end < 0 ? near.length : end;
}

function folded(lines: readonly Html[]): Html {
  return html`<details class="fold"><summary>${count(lines.length, 'unchanged line')}</summary>${lines}</details>`;
}

function isSame(line: readonly WordPiece[]): boolean {
  return line.every(({ kind }) => kind === 'same');
}

function shownLine(line: readonly WordPiece[]): Html {
  return html`<p class="${isSame(line) ? 'line' : 'line touched'}">${line.map(mark)}</p>`;
}

/** Ends of lines that come or go are shown as a sign: a line break alone would be invisible. */
function mark({ kind, text }: WordPiece): Html {
  if (kind === 'same') return html`${tagged(text)}`;
  const shown = text.trim() === '' ? text.replace(/\n/g, '⏎').replace(/[^\S\n]/g, '·') || '⏎' : text;
  return kind === 'added' ? html`<ins>${tagged(shown)}</ins>` : html`<del>${tagged(shown)}</del>`;
}

/** Tags step back, variables stand out: whoever reads this reads the words. */
function tagged(text: string): Piece[] {
  return text
    .split(/(<\/?[a-zA-Z][^<>]*>|\{[A-Z0-9_](?:[A-Z0-9_ ]*[A-Z0-9_])?\})/)
    .map((part, at) =>
      at % 2 === 0 ? part : html`<span class="${part.startsWith('<') ? 'tag' : 'variable'}">${part}</span>`,
    );
}

/** A line for each paragraph, also where the source has all of them on one. */
function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
