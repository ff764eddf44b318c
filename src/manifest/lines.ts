import { codePoint } from '../model/characters.js';
import { cutWording } from './cut-texts.js';
import { quoted } from './errors.js';
import { mayBeSecret } from './secrets.js';

/** One mistake that a person can see in the text. `line`: where to correct it, counted from 0. */
export interface Mistake {
  line: number;
  column: number;
  length: number;
  message: string;
  hint: string;
  /** True if it is a mistake also in a text that is valid YAML. */
  isCertain?: boolean;
  /** True if the line may hold a secret, so that it must not be shown. */
  secret?: boolean;
}

/** `column`: where a key or the text after a dash begins. */
export interface LineColumn {
  column: number;
  kind: 'dash' | 'key' | 'text';
}

/** Lines of a block text: `|` or `>`. `indent` is that of its first line. */
interface BlockText {
  header: number;
  first: number;
  last: number;
  indent: number;
}

/**
 * A line outside of longer values. `holds`: what stands after its last key or dash: `plain` text may continue on the next
 * line, and only after `nothing` may a section or list begin.
 */
export interface YamlLine {
  line: number;
  columns: readonly LineColumn[];
  text: string;
  holds: 'nothing' | 'plain' | 'whole';
  block: BlockText | null;
  cause: Mistake | null;
  /** A character in the indentation that is not a space. */
  hidden: Mistake | null;
}

const KEY = /^(?:(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*') *|[^\s"'#[\]{}&*!|>@`][^#]*?):(?=\s|$)\s*/;
/** A line that begins with a key, perhaps after a dash. */
const BEGINS_KEY = /^ *(?:- +)*[\w-]+:(?: |$)/;
const COMMENT = /^(?:#|$|\.\.\.$)/;

/** Reads the lines of one document from `start` to before `end`, as far as block sections and lists go. */
export function readLines(lines: readonly string[], start: number, end: number): YamlLine[] {
  const read: YamlLine[] = [];
  for (let at = start; at < end; ) {
    const text = lines[at] ?? '';
    if (COMMENT.test(text.trim())) {
      at += 1;
      continue;
    }
    const { line, next } = readLine(lines, at, end);
    read.push(line);
    at = next;
  }
  return read;
}

function readLine(lines: readonly string[], at: number, end: number): { line: YamlLine; next: number } {
  const whole = lines[at] ?? '';
  const columns: LineColumn[] = [];
  let column = indentOf(whole);
  let parent = column;
  for (let dash = /^-(?: +|$)/.exec(whole.slice(column)); dash !== null; ) {
    columns.push({ column, kind: 'dash' });
    parent = column;
    column += dash[0].length;
    dash = /^-(?: +|$)/.exec(whole.slice(column));
  }
  const text = whole.slice(column).trimEnd();
  const hidden = hiddenIndent(at, column, text) ?? hiddenSpace(at, column, text);
  const line = { line: at, columns, text, holds: 'nothing', block: null, cause: null, hidden } as const;
  if (COMMENT.test(text)) return { line, next: at + 1 };
  const key = KEY.exec(text)?.[0] ?? null;
  columns.push({ column, kind: key === null ? 'text' : 'key' });
  const value = column + (key ?? '').length;
  const after = readValue({ lines, at, end, column: value, parent: key === null ? parent : column });
  return { line: { ...line, ...after }, next: after.next };
}

const UNSEEN = '\\u00a0\\u1680\\u2000-\\u200b\\u202f\\u205f\\u2060\\u3000\\ufeff';
const UNSEEN_INDENT = new RegExp(`^[\\t\\u200c-\\u200f\\u2028\\u2029${UNSEEN}]+`);
const UNSEEN_SPACE = new RegExp(`^(-|[a-z_]+:) ?([${UNSEEN}])`);

/** YAML takes such characters for the beginning of a key or a text. */
export const ODD_SPACE = new RegExp(`^ *(?:[\\u200c-\\u200f]|(?:(?:- +)*(?:-|[a-z_]+:) ?)?[${UNSEEN}])`, 'm');

function hiddenSpace(line: number, column: number, text: string): Mistake | null {
  const [, before, hidden] = UNSEEN_SPACE.exec(text) ?? [];
  if (before === undefined || hidden === undefined) return null;
  const place = before === '-' ? 'The dash' : `The colon of ${before.slice(0, -1)}`;
  return {
    line,
    column: column + before.length,
    length: 1,
    message: `${place} is followed by the invisible character ${codePoint(hidden)}.`,
    hint: 'Write only a space after it.',
    isCertain: true,
  };
}

function hiddenIndent(line: number, column: number, text: string): Mistake | null {
  const [hidden = ''] = UNSEEN_INDENT.exec(text) ?? [];
  if (hidden === '') return null;
  const name = hidden.startsWith('\t') ? 'a tab' : `the invisible character ${codePoint(hidden)}`;
  return {
    line,
    column,
    length: hidden.length,
    message: `Line ${line + 1} is indented with ${name}.`,
    hint: 'Indent with spaces only.',
    isCertain: true,
  };
}

interface ValuePlace {
  lines: readonly string[];
  at: number;
  end: number;
  column: number;
  /** The column that the lines of the value must exceed. */
  parent: number;
}

interface ValueRead extends Pick<YamlLine, 'holds' | 'block' | 'cause'> {
  next: number;
}

function readValue(place: ValuePlace): ValueRead {
  const { lines, at } = place;
  const rest = (lines[at] ?? '').slice(place.column);
  const [mark = ''] = /^(?:[&!]\S*(?: +|$))*/.exec(rest) ?? [];
  const column = place.column + mark.length;
  const value = rest.slice(mark.length).trimEnd();
  const whole = { holds: 'whole', block: null, cause: null, next: at + 1 } as const;
  if (COMMENT.test(value)) return { ...whole, holds: 'nothing' };
  if (/^[|>][-+\d]*(?: +#.*)?$/.test(value)) return readBlock(place);
  if (/^["']/.test(value)) return readQuoted({ ...place, column });
  if (/^[[{]/.test(value)) return readFlow({ ...place, column });
  const odd = oddStart(value);
  if (odd !== null) return { ...whole, cause: { ...odd, line: at, column, length: value.length } };
  const second = /: |:$/.exec(value.replace(/ #.*/, ''));
  return {
    ...whole,
    holds: 'plain',
    cause: second === null ? null : secondColon(value, { line: at, column, length: second.index + 1 }),
  };
}

/** Text that begins with a character which means something else in YAML. */
function oddStart(value: string): Pick<Mistake, 'message' | 'hint'> | null {
  const [mark = ''] = /^[|>%@`]|^-(?= )|^\*(?=\S+ +[^#\s])/.exec(value) ?? [];
  const whole = value.length > 100 ? 'put the whole text in double quotes' : `write ${JSON.stringify(value)}`;
  const hint = `${whole.replace(/^./, (letter) => letter.toUpperCase())}.`;
  if (mark === '|' || mark === '>')
    return {
      message: `After ${mark}, the text has to begin on the next line.`,
      hint: `Write the text on the next lines, indented further than its key, or ${whole}.`,
    };
  if (mark === '-')
    return {
      message:
        'YAML takes text that begins with "- " for the beginning of a list, which has to be on the next line.',
      hint: `If it is text, ${whole}. Otherwise, begin the list on the next line.`,
    };
  if (mark === '*') return { message: 'YAML takes text that begins with * for an alias.', hint };
  return mark === '' ? null : { message: `Unquoted text cannot begin with ${mark}.`, hint };
}

function secondColon(value: string, spot: Pick<Mistake, 'line' | 'column' | 'length'>): Mistake {
  // A word such as #sale is part of the text; "# " begins a comment.
  const whole = value.replace(/ +#(?: .*)?$/, '');
  const text =
    whole.length <= 100
      ? `Write ${JSON.stringify(whole)}`
      : 'Write "|" here and the text on the next lines, indented further than its key';
  return {
    ...spot,
    message: 'The line contains a second ": ".',
    hint: `${text}, or start a new line for the inner key.`,
  };
}

function readBlock({ lines, at, end, column, parent }: ValuePlace): ValueRead {
  let next = at + 1;
  while (next < end && (lines[next] ?? '').trim() === '') next += 1;
  const first = next;
  const [, digit] = /[|>][-+]*(\d)/.exec((lines[at] ?? '').slice(column)) ?? [];
  const indent = digit === undefined ? indentOf(lines[first] ?? '') : parent + Number(digit);
  const whole = { holds: 'whole', cause: null } as const;
  if (first >= end || indent <= parent) {
    const block = { header: at, first: at, last: at, indent: parent + 2 };
    return { ...whole, block, next: first };
  }
  while (next < end && ((lines[next] ?? '').trim() === '' || indentOf(lines[next] ?? '') >= indent))
    next += 1;
  let last = next - 1;
  while ((lines[last] ?? '').trim() === '') last -= 1;
  return { ...whole, block: { header: at, first, last, indent }, next };
}

/** The quote ends before the next line that begins with a key: only a forgotten quote lets the text run over it. */
function readQuoted(place: ValuePlace): ValueRead {
  const { lines, at, end, column } = place;
  const quote = (lines[at] ?? '')[column] ?? '';
  const whole = { holds: 'whole', block: null, cause: null } as const;
  let from = column + 1;
  for (let next = at; next < end; next += 1) {
    const text = lines[next] ?? '';
    if (next > at && BEGINS_KEY.test(text)) return { ...whole, next: at + 1, cause: openQuote(place) };
    const close = closingQuote(text, from, quote);
    if (close >= 0) return { ...whole, next: next + 1, cause: afterValue(place, text, close + 1) };
    from = 0;
  }
  return { ...whole, next: at + 1, cause: openQuote(place) };
}

function closingQuote(text: string, from: number, quote: string): number {
  for (let at = from; at < text.length; at += 1) {
    if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at;
      at += 1;
    }
  }
  return -1;
}

function openQuote({ lines, at, column }: ValuePlace): Mistake {
  const rest = (lines[at] ?? '').slice(column).trimEnd();
  return {
    line: at,
    column,
    length: rest.length,
    message: 'A quoted string is not closed.',
    hint: rest.startsWith('"')
      ? 'Add the closing quote; inside double quotes write \\" for a quote.'
      : "Add the closing quote; inside single quotes write '' for an apostrophe.",
  };
}

/** Null if nothing but a comment follows the value that ends at `end`. */
function afterValue({ at, column }: ValuePlace, text: string, end: number): Mistake | null {
  const rest = text.slice(end);
  if (/^\s*(?:#|$)/.test(rest)) return null;
  const opening = text[column] ?? '';
  const isQuote = /["']/.test(opening);
  return {
    line: at,
    column,
    length: Math.max(1, end - column),
    message: isQuote
      ? `The text after the closing quote is not part of the string: ${quoted(rest.trim())}.`
      : `YAML reads text that begins with ${opening} as a ${opening === '[' ? 'list' : 'section'}, and more text follows it.`,
    hint: isQuote ? HINT_INNER_QUOTE[opening === '"' ? 0 : 1] : 'Put the whole text in double quotes.',
  };
}

const HINT_INNER_QUOTE = [
  'Write \\" for a quote inside double quotes, or put the whole text in single quotes.',
  "Write '' for an apostrophe inside single quotes, or put the whole text in double quotes.",
] as const;

/** The bracket ends before the next line with a key that is not indented further than the key of the list. */
function readFlow(place: ValuePlace): ValueRead {
  const { lines, at, end, column, parent } = place;
  const whole = { holds: 'whole', block: null, cause: null } as const;
  let open = 0;
  let cut: Mistake | null = null;
  for (let next = at; next < end; next += 1) {
    const text = lines[next] ?? '';
    if (next > at && indentOf(text) <= parent && BEGINS_KEY.test(text)) break;
    if (cut !== null && /^\s*[^\s,\]}#]/.test(text)) break;
    for (let from = next === at ? column : 0; from < text.length; from += 1) {
      const sign = text[from] ?? '';
      if (sign === '#' && text[from - 1] === ' ') {
        cut ??= cutInFlow(text, next, from);
        break;
      }
      if (/["']/.test(sign) && /[[{,:\s]/.test(text[from - 1] ?? ' ')) {
        const close = closingQuote(text, from + 1, sign);
        if (close < 0 && next + 1 < end && BEGINS_KEY.test(lines[next + 1] ?? ''))
          return { ...whole, next: next + 1, cause: openQuote({ ...place, at: next, column: from }) };
        from = close < 0 ? text.length : close;
      }
      if (sign === '$' && text[from + 1] === '{')
        return { ...whole, next: next + 1, cause: bareExpression(text, { line: next, column: from }) };
      if (/[[{]/.test(sign)) open += 1;
      if (/[\]}]/.test(sign)) open -= 1;
      if (open === 0) return { ...whole, next: next + 1, cause: afterValue(place, text, from + 1) };
    }
  }
  return { ...whole, next: at + 1, cause: cut ?? openBracket(place) };
}

/** Text between brackets that a "#" at `column` cuts; `null` if the "#" begins a comment. */
function cutInFlow(text: string, line: number, column: number): Mistake | null {
  const before = (/[^[{,]*$/.exec(text.slice(0, column))?.[0] ?? '').trim();
  const [rest = ''] = /^#[^\s#!][^,\]}]*/.exec(text.slice(column)) ?? [];
  if (rest === '' || /^$|["'}\]]$/.test(before)) return null;
  const [, key = '', value = ''] = /^([\w-]+):(?:\s+(.*))?$/.exec(before) ?? [];
  const cut = { written: key === '' ? before : value, rest: rest.trimEnd() };
  return {
    ...{ line, column, length: cut.rest.length },
    ...cutWording(key === '' ? [] : [key], cut),
    secret: mayBeSecret(key, `${value} ${rest}`),
  };
}

/** `[${{ list }}]` and `[${list}]`: only the whole entry in quotes is a text. */
function bareExpression(text: string, { line, column }: Pick<Mistake, 'line' | 'column'>): Mistake {
  const [written = '${', name = null] = /^\$\{\{?\s*([A-Za-z_]\w*)\s*\}\}?/.exec(text.slice(column)) ?? [];
  const isWhole =
    /(?:[[{,]|: )\s*$/.test(text.slice(0, column)) && /^\s*[\]},]/.test(text.slice(column + written.length));
  return {
    line,
    column,
    length: written.length,
    message: `In [ … ] and { … }, YAML takes the brace of ${quoted(written)} for the beginning of a section.`,
    hint:
      name !== null && isWhole
        ? `Write "\${{ ${name} }}", with the quotes, which inserts the value.`
        : 'Put the whole text in double quotes.',
  };
}

function openBracket({ lines, at, column }: ValuePlace): Mistake {
  const rest = (lines[at] ?? '').slice(column).trimEnd();
  const isList = rest.startsWith('[');
  return {
    line: at,
    column,
    length: rest.length,
    message: isList
      ? 'The list that begins with [ is not closed.'
      : 'The section that begins with { is not closed.',
    hint: `Add the closing ${isList ? ']' : '}'}, or put the text in double quotes.`,
  };
}

/** Counted from 1. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export function indentOf(text: string): number {
  return /^ */.exec(text)?.[0].length ?? 0;
}
