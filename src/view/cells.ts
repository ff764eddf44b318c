/** Characters that take two columns of a terminal, and those that take none of their own. */
const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|(?!\p{RI})\p{Emoji_Presentation}/u;
const NONE = /[\p{Mn}\p{Me}]/u;

/** How many columns of a terminal a text on one line takes. */
export function cells(text: string): number {
  let sum = 0;
  for (const character of text) sum += columnsOf(character);
  return sum;
}

/** At most `width` columns of a text, the cut shown where it was made: at the end, or at the start of a path. */
export function cutCells(text: string, width: number, side: 'start' | 'end'): string {
  if (cells(text) <= width) return text;
  const characters = [...text];
  if (side === 'start') characters.reverse();
  const kept: string[] = [];
  let left = width - 1;
  for (const character of characters) {
    left -= columnsOf(character);
    if (left < 0) break;
    kept.push(character);
  }
  return side === 'start' ? `…${kept.reverse().join('')}` : `${kept.join('').trimEnd()}…`;
}

function columnsOf(character: string): number {
  return NONE.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** `shrink`: where a line is too long, the column gives way at these turns, each time down to a width. */
export interface Column {
  head: string;
  right?: true;
  cut?: 'start';
  shrink?: readonly { turn: number; least: number }[];
}

/** Rows with their head as cells of equal width; the last of a line is not padded. Two blanks belong between two of them. */
export function fitted(columns: readonly Column[], rows: readonly string[][], width: number): string[][] {
  const all = [columns.map(({ head }) => head), ...rows];
  const natural = columns.map((_, at) => all.reduce((most, row) => Math.max(most, cells(row[at] ?? '')), 0));
  const widths = shrunk(columns, natural, width);
  return all.map((row) =>
    row.map((cell, at) => {
      const { right, cut = 'end' } = columns[at] ?? { head: '' };
      const room = widths[at] ?? 0;
      const shown = cutCells(cell, room, cut);
      const space = ' '.repeat(Math.max(0, room - cells(shown)));
      if (right) return `${space}${shown}`;
      return at < row.length - 1 ? `${shown}${space}` : shown;
    }),
  );
}

function shrunk(columns: readonly Column[], natural: readonly number[], width: number): number[] {
  const widths = [...natural];
  let excess = widths.reduce((sum, one) => sum + one + 2, -2) - width;
  const turns = columns.flatMap(({ shrink = [] }, at) => shrink.map((one) => ({ ...one, at })));
  for (const { at, least } of turns.sort((one, other) => one.turn - other.turn)) {
    const now = widths[at] ?? 0;
    const given = Math.max(0, Math.min(excess, now - least));
    widths[at] = now - given;
    excess -= given;
  }
  return widths;
}
