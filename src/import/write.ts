import { posix } from 'node:path';
import { Document, isCollection, isScalar, Scalar, type ScalarTag, type Tags, visit } from 'yaml';
import { badText, escapeExpressions, LIMITS } from '../manifest/index.js';
import {
  codePoint,
  type Readership,
  replaceHidden,
  replaceMixed,
  visibleCopyLine,
  visibleLine,
} from '../model/characters.js';
import { isObject, type Json, type JsonObject, mapValues } from '../model/json.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import { remarkLine } from '../model/words.js';
import type { SectionRemark } from '../sections/section.js';

/** The keys of a manifest that an import writes, in their order. */
export const MANIFEST_KEYS = ['name', 'replaces', ...OPTIONAL_SECTIONS, 'lint', 'waive'] as const;

/** One key of a manifest with its value, null where there is none, and what stands as comments with it. */
export interface ManifestPart {
  key: (typeof MANIFEST_KEYS)[number];
  value: Json;
  remarks: SectionRemark[];
}

/** Where a manifest goes: its folder, relative to the project, and its file name in two; `head`: what it begins with. */
export interface ManifestTarget {
  head: string;
  folder: string;
  basename: string;
  extension: string;
}

/** What a manifest is to say: its parts in order, and what holds for one environment alone. */
interface ManifestContent {
  parts: readonly ManifestPart[];
  environment: string;
  overlay: JsonObject;
}

/** More ids than these go into a file. */
const MOST_IDS = 20;
/** A body of more goes into a file. */
const MOST_LINES = 15;
const MOST_CHARACTERS = 240;
const HTML = /<\/?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>|<!--|<!doctype/i;

/** The manifest and the files that it names, by their paths relative to the project; the manifest itself comes first. */
export function writeManifest(
  { parts, environment, overlay }: ManifestContent,
  { head, folder, basename, extension }: ManifestTarget,
  style: TextStyle,
): Map<string, string> {
  const named = new Map<string, string>();
  const spelt = (value: Json) =>
    style === 'quoted' ? withoutExpressions(value) : moveOut(withoutExpressions(value), basename, named);
  const texts = parts.map((part) => partText({ ...part, value: spelt(part.value) }, style));
  if (Object.keys(overlay).length > 0)
    texts.push(blockYaml({ environments: { [environment]: mapValues(overlay, spelt) } }, style));
  const files = [[`${basename}${extension}`, head + texts.filter(Boolean).join('\n')] as const, ...named];
  return new Map(files.map(([path, text]) => [posix.join(folder, path), text]));
}

/** Remarks stand in front of one value, at the top of a section, or in the place of one that is missing. */
function partText({ key, value, remarks }: ManifestPart, style: TextStyle): string {
  if (value === null) return comments(remarks.map((remark) => remarkLine({ key, ...remark })));
  const text = blockYaml({ [key]: value }, style);
  const said = remarks.map((remark) => remark.text);
  if (!isObject(value)) return comments(said) + text;
  const top = text.indexOf('\n') + 1;
  return text.slice(0, top) + comments(said, '  ') + text.slice(top);
}

function comments(lines: readonly string[], indent = ''): string {
  return lines.map((line) => `${indent}# ${commentText(line)}\n`).join('');
}

/** A value of the service as a manifest says it: nothing in it is an expression. */
export function withoutExpressions(value: Json): Json {
  if (typeof value === 'string') return escapeExpressions(value);
  if (Array.isArray(value)) return value.map(withoutExpressions);
  return isObject(value) ? mapValues(value, withoutExpressions) : value;
}

/** A section with bodies and a list of ids that belong in files replaced by their names; `files` gets those. */
function moveOut(section: Json, basename: string, files: Map<string, string>): Json {
  if (!isObject(section)) return section;
  const { ids, ...rest } = section;
  if (Array.isArray(rest.steps)) {
    const steps = rest.steps.map((step, at) => moveBodies(step, `emails/${basename}/${at + 1}`, files));
    return { ...section, steps };
  }
  if (!Array.isArray(ids) || ids.length <= MOST_IDS) return section;
  const path = `leads/${basename}.txt`;
  files.set(path, `${ids.join('\n')}\n`);
  return { ...rest, ids_file: path };
}

/** An email, and its variants, with their bodies in files; `path` is the name of its file without the extension. */
function moveBodies(email: Json, path: string, files: Map<string, string>): Json {
  if (!isObject(email)) return email;
  const entries = Object.entries(email).map(([key, value]): [string, Json] => {
    if (key === 'variants' && Array.isArray(value))
      return [key, value.map((variant, at) => moveBodies(variant, `${path}-${variantLetter(at)}`, files))];
    if (key !== 'email_body' || typeof value !== 'string' || !belongsInFile(value)) return [key, value];
    const name = `${path}${HTML.test(value) ? '.html' : '.txt'}`;
    files.set(name, value);
    return ['email_body_file', name];
  });
  return Object.fromEntries(entries);
}

/** The step itself is `a`: its variants are `b`, `c`, …, and from the 26th on numbers. */
function variantLetter(index: number): string {
  return index < 25 ? String.fromCharCode(98 + index) : String(index + 2);
}

/**
 * A body that belongs in a file of its own: HTML, long, or of lines that no block can hold. Not one that no file gives back byte
 * for byte: a mark at its start is dropped by those who read it.
 */
export function belongsInFile(text: string): boolean {
  const isLong =
    text.length > MOST_CHARACTERS && (!text.includes('\n') || text.split('\n').length > MOST_LINES);
  const isUnblocked = text.trimEnd().includes('\n') && !isBlock(text);
  const fits = badText(text) === null && !text.startsWith('\ufeff') && Buffer.byteLength(text) <= LIMITS.body;
  return (HTML.test(text) || isLong || isUnblocked) && fits;
}

/** `natural`: as a person writes; `quoted`: every text in one line of double quotes, which holds anything. */
export type TextStyle = 'natural' | 'quoted';

/** A text that is nothing but words: neither quotes nor escapes could make it plainer. */
const PLAIN = /^[A-Za-z][\w./-]*$/;
const MOST_OF_COMMENT = 300;

/** A section as lines of YAML, the last line end included. Lists of single values stand on one line. */
export function blockYaml(value: JsonObject, style: TextStyle = 'natural'): string {
  // A fixed space works in an email; in a name it only looks like another.
  const names = new Set([value.name, isObject(value.sequence) ? value.sequence.title : null]);
  const isOdd = (text: string) =>
    (style === 'quoted' ? !PLAIN.test(text) : !isVisible(text) && !isBlock(text)) ||
    (names.has(text) && visibleLine(text) !== text);
  const document = documentOf(value, isOdd, (text) => quotedText(text, names.has(text) ? 'name' : 'email'));
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
function documentOf(value: unknown, isOdd: (text: string) => boolean, spelt = quotedText): Document {
  const quoted: ScalarTag = {
    tag: 'tag:yaml.org,2002:str',
    default: true,
    identify: (one) => typeof one === 'string' && isOdd(one),
    resolve: (text) => text,
    stringify: ({ value: text }) => spelt(String(text)),
  };
  const customTags = (tags: Tags) => [quoted, ...tags];
  return new Document(value, { schema: 'core', compat: 'yaml-1.1', customTags });
}

/** Whether every character of a one-line text can be seen. */
function isVisible(text: string): boolean {
  return visibleCopyLine(text) === text;
}

/** Whether a text of several lines can stand as a block as it is, and be edited there without harm. */
export function isBlock(text: string): boolean {
  const isSafe = !/[\r\u2028\u2029\ufeff]/.test(text) && badText(text) === null;
  return isSafe && text.includes('\n') && /^[^\s]/.test(text) && !/\n\s*\n$|[^\S\n]$/.test(text);
}

/** A text in double quotes on one line, as every reader of YAML takes it. */
export function quotedText(text: string, readers: Readership = 'email'): string {
  const escaped = (character: string) => {
    const hex = codePoint(character).slice(2);
    return character.length > 1 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex}`;
  };
  const json = JSON.stringify(text);
  return replaceHidden(readers === 'name' ? replaceMixed(json, escaped) : json, escaped, readers);
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
