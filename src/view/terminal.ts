import { replaceHidden, visible, visibleCopy, visibleCopyLine, visibleLine } from '../model/characters.js';

export { visible, visibleCopy, visibleCopyLine, visibleLine };

export type Colour = 'green' | 'yellow' | 'red' | 'magenta' | 'cyan' | 'dim' | 'bold';

export type Paint = (colour: Colour, text: string) => string;

const CODES: Record<Colour, [number, number]> = {
  green: [32, 39],
  yellow: [33, 39],
  red: [31, 39],
  magenta: [35, 39],
  cyan: [36, 39],
  dim: [2, 22],
  bold: [1, 22],
};

export const plain: Paint = (_colour, text) => text;

export const coloured: Paint = (colour, text) => {
  const [on, off] = CODES[colour];
  return text === '' ? '' : `\u001b[${on}m${text}\u001b[${off}m`;
};

/** `keepsNames`: names in tables are not cut, because nothing limits the width. */
export interface TextOptions {
  paint: Paint;
  width: number;
  keepsNames?: boolean;
}

/** Our own colour codes, and tabs. */
const OWN = /(\u001b\[\d{1,2}m|\t)/;
/** Starts a log command of GitHub (`##[name]`), Azure or TeamCity, anywhere in a line. */
const HASH = '#(?=#(?:\\[|vso\\[|teamcity\\[))';
/** One of these, or one of GitHub at the start of a line (`::name::`). */
const LOG_COMMAND = new RegExp(`^([^\\S\\n]*):(?=:)|${HASH}`, 'gim');

/** Called last for all output, so that no text can control the terminal or start a log command. */
export function printable(text: string): string {
  const shown = text
    .split(OWN)
    .map((part, at) => (at % 2 === 1 ? part : visibleCopy(part)))
    .join('');
  return shown.replace(LOG_COMMAND, (match, space: string | undefined) =>
    match.endsWith('#') ? '<U+0023>' : `${space}<U+003A>`,
  );
}

/** Returns equivalent JSON in which hidden characters are escaped. */
export function escapedJson(json: string): string {
  const spelt = (character: string) =>
    [...Array(character.length).keys()]
      .map((at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`)
      .join('');
  return replaceHidden(json, spelt).replace(new RegExp(HASH, 'gi'), spelt);
}

/** Text in HTML or XML that contains no markup and, because a log may contain the report, starts no log command. */
export function escapedMarkup(text: string): string {
  return text.replace(/[&<>"'`]|:(?=:)|#(?=#)|(?<=#)#/g, (character) => `&#${character.charCodeAt(0)};`);
}

const WIDE =
  /[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|(?!\p{RI})\p{Emoji_Presentation}/u;
const WIDTHLESS = /[\p{Mn}\p{Me}\p{Cf}]/u;

export function cells(text: string): number {
  let sum = 0;
  for (const character of text) sum += countColumns(character);
  return sum;
}

/** The mark of a hidden character, such as `<U+202E>`, or any other character. */
const UNITS = /<U\+[0-9A-F]{4,6}>|[\s\S]/gu;

/** Cuts a text at its end or, for a path, at its start, but not within the mark of a hidden character; `…` shows the cut. */
export function cutCells(text: string, width: number, side: 'start' | 'end'): string {
  if (cells(text) <= width) return text;
  const units = text.match(UNITS) ?? [];
  if (side === 'start') units.reverse();
  const kept: string[] = [];
  let room = width - 1;
  for (const unit of units) {
    room -= cells(unit);
    if (room < 0) break;
    kept.push(unit);
  }
  return side === 'start' ? `…${kept.reverse().join('')}` : `${kept.join('').trimEnd()}…`;
}

function countColumns(character: string): number {
  if (/[ -~]/.test(character)) return 1;
  return WIDTHLESS.test(character) ? 0 : WIDE.test(character) ? 2 : 1;
}

/** `least`: minimum width when columns shrink, the last ones first. `isPath`: cells are cut at their start. */
export interface Column<Row> {
  head: string;
  cell(row: Row): string;
  colour?(row: Row): Colour;
  isRight?: boolean;
  isPath?: boolean;
  least?: number;
}

export interface Table<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
}

export function tableLines<Row>({ columns, rows }: Table<Row>, { paint, width }: TextOptions): string[] {
  const cellsOf = columns.map(({ cell }) => rows.map((row) => visibleLine(cell(row))));
  const widths = columnWidths(columns, cellsOf, width - 2);
  const fitted = (text: string, at: number) => {
    const { isRight, isPath } = columns[at] ?? {};
    const room = widths[at] ?? 0;
    const shown = cutCells(text, room, isPath ? 'start' : 'end');
    const space = ' '.repeat(Math.max(0, room - cells(shown)));
    if (isRight) return `${space}${shown}`;
    return at < columns.length - 1 ? `${shown}${space}` : shown;
  };
  const lines = rows.map((row, at) =>
    columns.map(({ colour }, column) => {
      const text = fitted(cellsOf[column]?.[at] ?? '', column);
      return colour === undefined ? text : paint(colour(row), text);
    }),
  );
  const heads = columns.map(({ head }, at) => fitted(head, at)).join('  ');
  return [paint('dim', `  ${heads}`), ...lines.map((line) => `  ${line.join('  ')}`)];
}

/** The width of a table in which every column has its minimum width. */
export function leastWidth<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): number {
  return columns.reduce((sum, { head, cell, least = Number.POSITIVE_INFINITY }) => {
    const whole = Math.max(...[head, ...rows.map((row) => visibleLine(cell(row)))].map(cells));
    return sum + 2 + Math.min(least, whole);
  }, 0);
}

function columnWidths(
  columns: readonly Column<never>[],
  cellsOf: readonly string[][],
  width: number,
): number[] {
  const widths = columns.map(({ head }, at) => Math.max(...[head, ...(cellsOf[at] ?? [])].map(cells)));
  let excess = widths.reduce((sum, columnWidth) => sum + columnWidth + 2, -2) - width;
  for (const [at, columnWidth] of [...widths.entries()].reverse()) {
    const reduction = Math.max(0, Math.min(excess, columnWidth - (columns[at]?.least ?? columnWidth)));
    widths[at] = columnWidth - reduction;
    excess -= reduction;
  }
  return widths;
}

export function renderJson(value: unknown): string {
  return `${escapedJson(JSON.stringify(value, null, 2))}\n`;
}
