import { codePoint } from '../model/characters.js';
import { count } from '../model/words.js';
import { cutWording } from './cut-texts.js';
import { errorAt, quoted, type SourceFinding } from './errors.js';
import { indentOf, type LineColumn, type Mistake, readLines, type YamlLine } from './lines.js';
import { STEP_KEYS } from './schema.js';
import { mayBeSecret } from './secrets.js';

/**
 * The parser reports where it could not go on, which may be several lines behind the mistake, and again on every line that
 * follows. This reads the text line by line instead, as a person does, and returns the first mistake of each document.
 */
export interface Cause extends Mistake {
  offset: number;
}

export function findCauses(text: string): Cause[] {
  const offsets = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  const lines = text.split('\n').map((line) => line.replace(/\r$/, ''));
  const starts = [...lines.keys()].filter((at) => at === 0 || /^---(?:\s|$)/.test(lines[at] ?? ''));
  return starts.flatMap((start, index) => {
    const begin = /^(?:---|%)/.test(lines[start] ?? '') ? start + 1 : start;
    const end = starts[index + 1] ?? lines.length;
    const spot = firstCause(lines, readLines(lines, begin, end));
    return spot === null ? [] : { ...spot, offset: (offsets[spot.line] ?? 0) + spot.column };
  });
}

export function fromCause(file: string, cause: Cause): SourceFinding {
  const { offset, length, message, hint, secret = false } = cause;
  const finding = errorAt({ file, offset, length }, { code: 'yaml-syntax', message, hint });
  return secret ? { ...finding, secret } : finding;
}

/** A section or list that the following lines may continue. */
interface BlockLevel {
  column: number;
  kind: LineColumn['kind'];
  first: YamlLine;
  last: YamlLine;
}

interface LineContext {
  lines: readonly string[];
  levels: readonly BlockLevel[];
  before: YamlLine | null;
}

function firstCause(lines: readonly string[], read: readonly YamlLine[]): Mistake | null {
  let levels: readonly BlockLevel[] = [];
  for (const [index, line] of read.entries()) {
    const around = { lines, levels, before: read[index - 1] ?? null };
    if (line.hidden !== null) return line.hidden;
    if (continuesText(line, around)) {
      const cut = cutText(read, index - 1);
      if (cut !== null) return cut;
      continue;
    }
    const entered = enter(line, around);
    if ('message' in entered) return entered;
    if (line.cause !== null) return line.cause;
    levels = entered.levels;
  }
  return null;
}

function continuesText({ columns }: YamlLine, { levels, before }: LineContext): boolean {
  const [first] = columns;
  return before?.holds === 'plain' && first?.kind === 'text' && first.column > (levels.at(-1)?.column ?? -1);
}

/** A line of an unquoted text ends at " #", so that YAML expects no further line. `at`: its index. */
function cutText(read: readonly YamlLine[], at: number): Mistake | null {
  const { line = 0, text = '', columns = [] } = read[at] ?? {};
  const [, before = '', rest] = /^(.*?) +(#.*)$/.exec(text) ?? [];
  if (rest === undefined) return null;
  const isFirst = (each: YamlLine) => each.columns.length > 1 || each.columns[0]?.kind === 'key';
  const begin = read.slice(0, at + 1).findLastIndex(isFirst);
  const next = read.findIndex((each, index) => index > at && isFirst(each));
  const lines = read.slice(Math.max(0, begin), next < 0 ? undefined : next).map((each) => each.text);
  const [, key = '', whole = ''] = /^(?:([\w-]+): +)?(.*)$/.exec(lines.join(' ')) ?? [];
  const written = before.replace(/^[\w-]+: +/, '');
  return {
    ...{
      line,
      column: (columns.at(-1)?.column ?? 0) + text.indexOf(rest, before.length),
      length: rest.length,
    },
    ...cutWording(key === '' ? [] : [key], { written, rest }, whole),
    secret: mayBeSecret(key, whole),
  };
}

function enter(line: YamlLine, around: LineContext): { levels: readonly BlockLevel[] } | Mistake {
  const { levels, before } = around;
  const [first, ...inner] = line.columns;
  if (first === undefined) return { levels };
  const { column, kind } = first;
  const isKept = (level: BlockLevel) =>
    level.column < column || (level.column === column && (level.kind === kind || kind === 'dash'));
  const kept = levels.slice(0, levels.filter(isKept).length);
  const [top, closed] = [kept.at(-1), levels[kept.length]];
  const isNext = top !== undefined && top.column === column && top.kind === kind;
  const isDeeper = top === undefined || column > top.column || (kind === 'dash' && top.kind === 'key');
  const mayNest = before === null || (before.holds === 'nothing' && closed === undefined && isDeeper);
  const isEntry = top?.kind === 'dash' || (closed?.kind === 'dash' && closed.column === column);
  const slip =
    strayMark(line) ??
    gluedDash(line, isNext || mayNest || isEntry) ??
    unfinishedKey(line, before) ??
    gluedColon(line);
  if (slip !== null) return slip;
  if (kind === 'text') return mayNest ? { levels } : strayText(line, around);
  if (!isNext && !mayNest && (closed ?? top) !== undefined) {
    const undashed = kind === 'dash' ? noDash(line, top, closed) : null;
    if (undashed !== null) return undashed;
    const other = nearestLevel(first, levels);
    return other === undefined ? strayDash(line, closed ?? top) : uneven(line, column, other, around);
  }
  const outer = isNext
    ? [...kept.slice(0, -1), { ...top, last: line }]
    : [...kept, { ...first, first: line, last: line }];
  const nested = inner
    .filter((part) => part.kind !== 'text')
    .map((part) => ({ ...part, first: line, last: line }));
  return { levels: [...outer, ...nested] };
}

/** The section or list of the same kind whose column is nearest; of two, the inner one. */
function nearestLevel({ column, kind }: LineColumn, levels: readonly BlockLevel[]): BlockLevel | undefined {
  const distance = (level: BlockLevel) => Math.abs(level.column - column);
  return levels
    .filter((level) => level.kind === kind && level.column !== column)
    .toReversed()
    .toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Keys of lists whose entries are sections. */
const LISTS = /^["']?(?:steps|variants|lists|for_each)["']?:/;

/** The first entry of a list has no dash. `top`: the section around the line; `closed`: the one that it ends. */
function noDash(line: YamlLine, top: BlockLevel | undefined, closed: BlockLevel | undefined): Mistake | null {
  const begin = closed?.kind === 'key' ? closed.first : undefined;
  if (begin === undefined || !LISTS.test(top?.last.text ?? '')) return null;
  return causeAt(
    line,
    `Line ${line.line + 1} begins with a dash, but line ${begin.line + 1}, which begins the list, does not.`,
    `Write line ${begin.line + 1} with a dash, too: \`- ${shortened(begin.text)}\`.`,
  );
}

/** A dash where no list is. */
function strayDash(line: YamlLine, level: BlockLevel | undefined): Mistake {
  const { last, column } = level ?? { last: line, column: 0 };
  return causeAt(
    line,
    `Line ${line.line + 1} begins with a dash, but does not belong to a list.`,
    `Write it without the dash, indented like line ${last.line + 1}: by ${column}.`,
  );
}

const FENCE = /^(?:```|~~~)/;
const RULE = /^(?:-{4,}|[–—_=*~]{2,})$/;
const BULLET = /^([–—−•‣·●○▪◦])\s*(\S.*)$/u;
const SIGN = /^([A-Za-z][\w-]*)\s*([：;=])\s*(.*)$/;

/** What other programs write, but YAML does not know: fences, rules, bullets. */
function strayMark(line: YamlLine): Mistake | null {
  const { text } = line;
  if (FENCE.test(text))
    return causeAt(line, `Line ${line.line + 1} is a fence of Markdown, not YAML.`, 'Remove the line.');
  if (RULE.test(text))
    return causeAt(
      line,
      `${quoted(text)} does not begin a document.`,
      'Write `---` if another document begins here; otherwise, remove the line.',
    );
  const [, bullet, rest = ''] = BULLET.exec(text) ?? [];
  if (bullet === undefined) return null;
  return causeAt(
    line,
    `${bullet} (${codePoint(bullet)}) is not the dash of a list.`,
    `Write \`- ${shortened(rest)}\`.`,
  );
}

function shortened(text: string): string {
  return text.length > 50 ? '…' : text;
}

function causeAt({ line, columns, text }: YamlLine, message: string, hint: string): Mistake {
  return { line, column: columns.at(-1)?.column ?? 0, length: text.length, message, hint };
}

function gluedDash(line: YamlLine, isPossible: boolean): Mistake | null {
  if (!isPossible || !/^-[A-Za-z"'{[]/.test(line.text)) return null;
  return causeAt(line, 'A space is missing after the dash.', 'Write `- …`, with a space after the dash.');
}

function gluedColon(line: YamlLine): Mistake | null {
  const [, key, value] = /^([A-Za-z][\w-]*):(?!\/\/)(\S.*)/.exec(line.text) ?? [];
  if (key === undefined || value === undefined || line.columns.at(-1)?.kind !== 'text') return null;
  const cause = causeAt(
    line,
    `A space is missing after the colon of ${key}.`,
    `Write \`${key}: …\`, with a space after the colon.`,
  );
  return { ...cause, secret: mayBeSecret(key, value) };
}

/** The line before is read as text, although a section continues at its column. */
function unfinishedKey({ columns }: YamlLine, before: YamlLine | null): Mistake | null {
  const [first] = columns;
  const text = before?.columns.at(-1);
  if (before === null || first === undefined || text?.kind !== 'text' || first.column < text.column)
    return null;
  const isSection = first.kind === 'key' || before.columns.length === 1;
  return isSection && first.kind !== 'text' ? noColon(before) : null;
}

function noColon(line: YamlLine): Mistake {
  const [, word = '', sign, rest = ''] = SIGN.exec(line.text) ?? [];
  if (sign !== undefined) {
    const secret = mayBeSecret(word, rest);
    const cause = causeAt(
      line,
      `${word} is followed by ${sign} (${codePoint(sign)}), not by ": ".`,
      `Write \`${word}: ${secret ? '…' : shortened(rest)}\`.`,
    );
    return { ...cause, secret };
  }
  const [, key = '', value = ''] = /^("[^"]*"|\S+)\s*(.*)$/.exec(line.text) ?? [];
  const isSimple = /^(?:\d+|true|false)$/.test(value);
  const hint = value === '' ? `${key}:` : `${key}: ${isSimple ? value : '…'}`;
  const cause = causeAt(
    line,
    'Expected a key followed by ":".',
    `Write \`${hint}\`, or indent the line if it continues the text above.`,
  );
  return { ...cause, secret: value !== '' && mayBeSecret(key, value) };
}

function strayText(line: YamlLine, { before, lines }: LineContext): Mistake {
  const block = before?.block ?? null;
  const [word = ''] = /^[\w-]+/.exec(line.text) ?? [];
  if (block === null || STEP_KEYS.includes(word)) return noColon(line);
  const indent = line.columns[0]?.column ?? 0;
  const [begin, here] = [block.first + 1, line.line + 1];
  if (block.first === block.header)
    return causeAt(
      line,
      `The text that belongs to line ${block.header + 1} is indented by ${indent} in line ${here}, but has to be indented further than its key.`,
      `Indent every line of the text by ${block.indent} or more.`,
    );
  const isFirst = block.first === block.last && indentOf(lines[line.line + 1] ?? '') === indent;
  const cause = causeAt(
    line,
    `The text begins in line ${begin}, indented by ${block.indent}, but line ${here} is indented by ${indent}.`,
    'Indent every line of the text by at least as much as its first line.',
  );
  return isFirst ? { ...cause, line: block.first, column: block.indent } : cause;
}

/** Which of the two lines is wrong, the following lines tell. The message names both. */
function uneven(line: YamlLine, column: number, level: BlockLevel, { lines }: LineContext): Mistake {
  const other = level.last;
  const isOnly = level.first === other;
  const isOdd = (indent: number) => indent % 2 === 1;
  const isOther =
    isOnly &&
    (followingIndent(lines, line.line, column) === column || (isOdd(level.column) && !isOdd(column)));
  const shown = (at: YamlLine, indent: number) =>
    `${at.line + 1} is indented by ${indent}${at.columns[0]?.kind === 'dash' && at.columns[0].column !== indent ? ' (with its dash)' : ''}`;
  const [wrong, right] = isOther ? [other, column] : [line, level.column];
  const last = isOther ? wrong.line : lastShifted(lines, line);
  const shift = right - column;
  const hint =
    last > line.line
      ? `Move lines ${line.line + 1} to ${last + 1} together ${count(Math.abs(shift), 'space')} to the ${shift < 0 ? 'left' : 'right'}, so that line ${line.line + 1} is indented by ${right}.`
      : `Indent both by the same number of spaces if they belong to the same section: probably line ${wrong.line + 1} by ${right}.`;
  return {
    ...causeAt(
      wrong,
      `Line ${shown(other, level.column)}, line ${shown(line, column).replace(' is indented', '')}.`,
      hint,
    ),
    column: 0,
    length: (lines[wrong.line] ?? '').length,
  };
}

/** The last line that is moved with this one: the lines of an entry, or of the section or list that a key begins. */
function lastShifted(lines: readonly string[], { line, columns, holds }: YamlLine): number {
  const [{ column } = { column: 0 }, ...inner] = columns;
  const content = inner.at(-1)?.column ?? (holds === 'nothing' ? column + 2 : column);
  const isBlank = (text: string) => text.trim() === '';
  const below = lines.slice(line + 1);
  const next = below.find((text) => !isBlank(text));
  if (content === column || next === undefined || indentOf(next) !== content) return line;
  const end = below.findIndex((text) => !isBlank(text) && indentOf(text) <= column);
  const block = end < 0 ? below : below.slice(0, end);
  return line + 1 + block.findLastIndex((text) => !isBlank(text));
}

/** The indentation of the next line that is not indented further than `column`. */
function followingIndent(lines: readonly string[], line: number, column: number): number | null {
  const next = lines.slice(line + 1).find((text) => text.trim() !== '' && indentOf(text) <= column);
  return next === undefined ? null : indentOf(next);
}
