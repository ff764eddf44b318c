import { diffBody, linesOf, type Piece, type Row } from '../diffs.js';
import { html } from '../markdown.js';

/** Columns after which a line of a body is wrapped: comments do not wrap what stands in `pre`. */
const WIDTH = 96;

/** Two texts as a block of HTML in which the words that go are struck out and those that come are bold and underlined. */
export function changedBody(from: string, to: string, context: number): string {
  return block(diffBody(from, to, context));
}

/** A text that is new, as it is. */
export function wholeBody(text: string): string {
  return block(linesOf(text).map((line) => ({ kind: 'line', pieces: [{ kind: 'same', text: line }] })));
}

function block(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) =>
    row.kind === 'line'
      ? wrapped(row.pieces).map(written)
      : [`<i>⋯ ${row.lines} more line${row.lines === 1 ? '' : 's'}</i>`],
  );
  return `<pre>${lines.join('\n')}\n</pre>`;
}

function written(pieces: readonly Piece[]): string {
  return pieces
    .map(({ kind, text }) => {
      if (kind === 'same') return html(text);
      // Without this, a blank that comes or goes could not be seen.
      const shown = html(text).replace(/^ +| +$/g, (blanks) => '␣'.repeat(blanks.length));
      return kind === 'added' ? `<ins><b>${shown}</b></ins>` : `<del>${shown}</del>`;
    })
    .join('');
}

/** Breaks a line after blanks; a word that is longer than a line stays whole. */
function wrapped(pieces: readonly Piece[]): Piece[][] {
  const lines: Piece[][] = [[]];
  let column = 0;
  for (const { kind, text } of pieces) {
    let rest = '';
    for (const word of text.match(/\S+\s*|\s+/g) ?? []) {
      if (column > 0 && column + word.trimEnd().length > WIDTH) {
        if (rest !== '') lines.at(-1)?.push({ kind, text: rest });
        lines.push([]);
        [rest, column] = ['', 0];
      }
      rest += word;
      column += word.length;
    }
    if (rest !== '') lines.at(-1)?.push({ kind, text: rest });
  }
  return lines;
}
