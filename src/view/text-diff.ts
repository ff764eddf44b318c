/** The differences of two texts in a terminal. */
import { diffLines, foldUnchanged, splitSides, wrapped } from './diffs.js';
import type { TextOptions } from './terminal.js';

const SIDES = { ' ': 'dim', '-': 'red', '+': 'green' } as const;

/** Shows changed lines with one line of context or, if `full`, everything. */
export function textDiff(
  { from, to }: { from: string; to: string },
  { paint, width, full = false }: TextOptions & { full?: boolean },
): string[] {
  const lines = diffLines(from, to).flatMap((line) => (full ? [line] : wrapped(line, width - 12)));
  return foldUnchanged(lines, full ? lines.length : 1).flatMap((row) =>
    typeof row === 'number'
      ? [paint('dim', '    …')]
      : splitSides(row).map(({ sign, text }) => paint(SIDES[sign], `    ${sign} ${text}`.trimEnd())),
  );
}
