import { Document, isCollection, isScalar, Scalar, type ScalarTag, type Tags, visit } from 'yaml';
import { badText } from '../manifest/index.js';
import { codePoint, replaceHidden, visibleLine } from '../model/characters.js';
import type { Json, JsonObject } from '../model/json.js';

/** `natural`: as a person writes; `quoted`: every text in one line of double quotes, which holds anything. */
export type TextStyle = 'natural' | 'quoted';

/** A text that is nothing but words: neither quotes nor escapes could make it plainer. */
const PLAIN = /^[A-Za-z][\w./-]*$/;
const MOST_OF_COMMENT = 300;

/** A section as lines of YAML, the last line end included. Lists of single values stand on one line. */
export function blockYaml(value: JsonObject, style: TextStyle = 'natural'): string {
  const isOdd = (text: string) =>
    style === 'quoted' ? !PLAIN.test(text) : !isVisible(text) && !isBlock(text);
  const document = documentOf(value, isOdd);
  visit(document, {
    Seq(_, list) {
      if (list.items.every(isScalar)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: 'literal' });
}

/** A value on one line, as it stands in a flow collection. */
export function flowYaml(value: Json): string {
  const document = documentOf([value], (text) => !isVisible(text));
  visit(document, (_, node) => {
    if (isCollection(node)) node.flow = true;
  });
  return document.toString({ lineWidth: 0 }).slice('[ '.length, -' ]\n'.length);
}

/** A single value on one line, as it stands behind a key; a text in the quotes of `type`, where these can hold it. */
export function lineYaml(value: Exclude<Json, object>, type: Scalar.Type = 'PLAIN'): string {
  if (typeof value !== 'string') return String(value);
  if (!isVisible(value)) return quotedText(value);
  const scalar = new Scalar(value);
  scalar.type = type;
  return documentOf({ key: scalar }, () => false)
    .toString({ lineWidth: 0 })
    .slice('key: '.length, -1);
}

/** `isOdd`: texts that the library would not quote, or not so that others read them in the same way. */
function documentOf(value: unknown, isOdd: (text: string) => boolean): Document {
  const quoted: ScalarTag = {
    tag: 'tag:yaml.org,2002:str',
    default: true,
    identify: (one) => typeof one === 'string' && isOdd(one),
    resolve: (text) => text,
    stringify: ({ value: text }) => quotedText(String(text)),
  };
  const customTags = (tags: Tags) => [quoted, ...tags];
  return new Document(value, { schema: 'core', compat: 'yaml-1.1', customTags });
}

/** Whether every character of a one-line text can be seen. */
function isVisible(text: string): boolean {
  return visibleLine(text) === text;
}

/** Whether a text of several lines can stand as a block as it is, and be edited there without harm. */
export function isBlock(text: string): boolean {
  const isSafe = !/[\r\u2028\u2029\ufeff]/.test(text) && badText(text) === null;
  return isSafe && text.includes('\n') && /^[^\s]/.test(text) && !/\n\s*\n$|[^\S\n]$/.test(text);
}

/** A text in double quotes on one line, as every reader of YAML takes it. */
export function quotedText(text: string): string {
  return replaceHidden(JSON.stringify(text), (character) => {
    const hex = codePoint(character).slice(2);
    return character.length > 1 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex}`;
  });
}

/** A remark as one line of a comment, whatever texts are quoted in it. */
export function commentText(text: string): string {
  const shown = visibleLine(text);
  return shown.length <= MOST_OF_COMMENT
    ? shown
    : `${shown.slice(0, MOST_OF_COMMENT - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** How a block scalar is written. */
export interface BlockLayout {
  /** Column of the key, and of the lines below it. */
  column: number;
  indent: number;
  /** What follows the sign on its line: a comment. */
  head: string;
  eol: string;
  /** Characters of a line of a folded block, and its paragraphs so far, line by line. */
  width: number;
  paragraphs: readonly string[][];
}

/** A text below `|`, line by line; null where it would not be read back. */
export function literalBlock(text: string, layout: BlockLayout): string | null {
  return block('|', text, linesOf(text), layout);
}

/** A text below `>`. Paragraphs that are there already stay as they are, others are wrapped. */
export function foldedBlock(text: string, layout: BlockLayout): string | null {
  const lines = linesOf(text);
  if (lines.some((line) => /^\s|\s$/.test(line))) return null;
  const { paragraphs, width } = layout;
  const rows = lines.flatMap((line, at) => {
    const known = paragraphs.find((one) => one.join(' ') === line);
    return [...(at > 0 ? [''] : []), ...(known ?? wrapped(line, width))];
  });
  return block('>', text, rows, layout);
}

function linesOf(text: string): string[] {
  return text.replace(/\n$/, '').split('\n');
}

function block(sign: '|' | '>', text: string, lines: readonly string[], layout: BlockLayout): string | null {
  const { column, indent, head, eol } = layout;
  const isDeep = /^\n* /.test(text);
  if (!/\S/.test(text) || text.includes('\r') || (isDeep && indent - column > 9)) return null;
  const chomp = text.endsWith('\n\n') ? '+' : text.endsWith('\n') ? '' : '-';
  const indented = lines.map((line) => (line === '' ? '' : ' '.repeat(indent) + line));
  return [`${sign}${isDeep ? indent - column : ''}${chomp}${head}`, ...indented].join(eol);
}

function wrapped(line: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of line.split(/(?<=\S) (?=\S)/)) {
    const last = rows.at(-1);
    if (last === undefined || last.length + word.length >= width) rows.push(word);
    else rows[rows.length - 1] = `${last} ${word}`;
  }
  return rows;
}
