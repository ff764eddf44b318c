/** Writes YAML. Sets single values in a text and keeps every other byte. */
import equal from 'fast-deep-equal';
import {
  Composer,
  CST,
  Document,
  isMap,
  isNode,
  isScalar,
  isSeq,
  Parser,
  type Scalar,
  type ScalarTag,
  type Tags,
  visit,
  type YAMLSeq,
} from 'yaml';
import {
  codePoint,
  type Readership,
  replaceHidden,
  visibleCopyLine,
  visibleLine,
} from '../model/characters.js';
import { isObject, type Json, type JsonObject, mapValues } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { badText } from './errors.js';
import { isMisread } from './misread.js';
import { composeYaml, type ParsedDocument, parseYaml } from './parse.js';

export function mapTexts(value: Json, replace: (text: string) => string): Json {
  if (typeof value === 'string') return replace(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, replace));
  return isObject(value) ? mapValues(value, (inner) => mapTexts(inner, replace)) : value;
}

/** Writes lists of scalars on one line and, if possible, bodies as block scalars. */
export function blockYaml(value: JsonObject): string {
  // A no-break space is legitimate in emails but misleading in names.
  const names = new Set([value.name, isObject(value.sequence) ? value.sequence.title : null]);
  const needsEscapes = (text: string) =>
    (!isVisible(text) && !isBlock(text)) ||
    isMisread(text) ||
    (names.has(text) && visibleLine(text) !== text);
  const quoted: ScalarTag = {
    tag: 'tag:yaml.org,2002:str',
    default: true,
    identify: (node) => typeof node === 'string' && needsEscapes(node),
    resolve: (text) => text,
    stringify: ({ value: text }) => quotedText(String(text), names.has(String(text)) ? 'name' : 'email'),
  };
  const document = new Document(value, { ...SCHEMA, customTags: (tags: Tags) => [quoted, ...tags] });
  visit(document, {
    Seq(_, list) {
      if (list.items.every(isOnOneLine)) list.flow = true;
    },
  });
  return document.toString({ lineWidth: 0, flowCollectionPadding: false, blockQuote: 'literal' });
}

/** Programs that read YAML 1.1 must see the same values, so `no` and `09:00` are quoted. */
const SCHEMA = { schema: 'core', compat: 'yaml-1.1' } as const;

function isOnOneLine(item: unknown): boolean {
  return isScalar(item) && !String(item.value).includes('\n');
}

export function isVisible(text: string): boolean {
  return visibleCopyLine(text) === text;
}

export function isBlock(text: string): boolean {
  const isSafe = !/[\r\u2028\u2029\ufeff]/.test(text) && badText(text) === null;
  return isSafe && text.includes('\n') && /^[^\s]/.test(text) && !/\n\s*\n$|[^\S\n]$/.test(text);
}

function quotedText(text: string, readers: Readership = 'email'): string {
  const escaped = (character: string) => {
    const hex = codePoint(character).slice(2);
    return character.length > 1 ? `\\U${hex.padStart(8, '0')}` : `\\u${hex}`;
  };
  const json = JSON.stringify(text);
  return replaceHidden(json, escaped, readers);
}

export function commentLine(text: string): string {
  return `# ${visibleLine(text)}\n`;
}

type Position = Pick<Place, 'document' | 'path'>;

type SingleValue = Exclude<Json, object>;

/** Replaces a scalar and keeps its style. Returns `null` if that is impossible, or if aliases share the value. */
export function setScalar(text: string, position: Position, value: SingleValue): string | null {
  const isCrlf = !/(?<!\r)\n/.test(text);
  const written = (type: Scalar.Type | null): string | null => {
    const tokens = [...new Parser().parse(text)];
    const document = [...new Composer({ keepSourceTokens: true }).compose(tokens)][position.document];
    const token = nodeAt(document, position.path)?.srcToken;
    if (token === undefined || !CST.isScalar(token) || token.source === '') return null;
    // The source of a block includes the blank lines that follow it.
    const blanks =
      token.type === 'block-scalar' ? (/\n((?:[ \t]*\r?\n)+)$/.exec(token.source)?.[1] ?? '') : '';
    const indentation = token.type === 'block-scalar' ? /^( *)\S/m.exec(token.source)?.[1] : undefined;
    if (indentation !== undefined) Object.assign(token, { indent: indentation.length - 2 });
    CST.setScalarValue(token, String(value), { afterKey: true, ...(type !== null && { type }) });
    if (type === 'QUOTE_DOUBLE') Object.assign(token, { source: quotedText(String(value)) });
    if (token.type === 'block-scalar') Object.assign(token, { source: token.source + blanks });
    else if ('end' in token) token.end?.push({ type: 'newline', offset: -1, indent: 0, source: blanks });
    const changed = tokens.map((part) => CST.stringify(part)).join('');
    return isCrlf ? changed.replaceAll(/\r?\n/g, '\r\n') : changed;
  };
  const hasLines = typeof value === 'string' && value.includes('\n');
  const types: (Scalar.Type | null)[] =
    typeof value !== 'string'
      ? ['PLAIN']
      : [
          ...(hasLines || isVisible(value) ? [null] : []),
          ...(hasLines ? (['BLOCK_LITERAL'] as const) : []),
          'QUOTE_DOUBLE',
        ];
  return proven(
    text,
    position,
    value,
    types.map((type) => () => written(type)),
  );
}

/** Like `setScalar`, but adds missing keys to the nearest map. A list can only be added. */
export function setValue(text: string, position: Position, value: SingleValue | string[]): string | null {
  const { document, path } = position;
  const composed = composeYaml(text);
  const root = 'documents' in composed ? composed.documents[document] : undefined;
  const parents = path.map((_, at) => nodeAt(root, path.slice(0, at)));
  const depth = parents.findLastIndex(isMap);
  const map = parents[depth];
  const [first] = isMap(map) ? map.items : [];
  if (depth === path.length - 1 && isMap(map) && map.has(path.at(-1)))
    return Array.isArray(value) ? null : setScalar(text, position, value);
  if (!isMap(map) || !isNode(first?.key)) return null;
  const [start = 0] = first.key.range ?? [];
  const indent = ' '.repeat(start - text.lastIndexOf('\n', start - 1) - 1);
  const before = text.slice(0, (map.range?.[1] ?? 0) - (map.flow ? 1 : 0)).trimEnd();
  const [key = '', ...rest] = path.slice(depth).map(String);
  const added = { [key]: rest.reduceRight<Json>((inner, name) => ({ [name]: inner }), value) };
  const scalar = blockYaml({ _: value }).slice('_: '.length).trimEnd();
  const entry = map.flow
    ? `${before.endsWith(',') ? '' : ','} ${key}: ${rest.reduceRight((inner, name) => `{ ${name}: ${inner} }`, scalar)}`
    : `\n${blockYaml(added).trimEnd()}`.replaceAll('\n', `\n${indent}`);
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const changed = before + entry.replaceAll('\n', eol) + text.slice(before.length);
  return proven(text, position, value, [() => changed, () => changed + eol]);
}

/** Adds items to a list of texts. Returns `null` if there is no such list, or if aliases share it. */
export function addItems(text: string, position: Position, items: readonly string[]): string | null {
  const composed = composeYaml(text);
  const root = 'documents' in composed ? composed.documents[position.document] : undefined;
  const list = root?.getIn(position.path, true);
  if (!isSeq(list)) return null;
  const before = list.items.map((item) => (isScalar(item) ? String(item.value) : ''));
  const written = items.map((item) => blockYaml({ _: item }).slice('_: '.length).trimEnd());
  const changed = list.flow ? inFlowList(text, list, written) : inBlockList(text, list, written);
  return proven(text, position, [...before, ...items], [() => changed]);
}

function inFlowList(text: string, list: YAMLSeq, items: readonly string[]): string {
  const head = text.slice(0, (list.range?.[1] ?? 1) - 1).trimEnd();
  const separator = list.items.length === 0 ? '' : head.endsWith(',') ? ' ' : ', ';
  return `${head}${separator}${items.join(', ')}${text.slice(head.length)}`;
}

function inBlockList(text: string, list: YAMLSeq, items: readonly string[]): string | null {
  const last = list.items.at(-1);
  if (!isNode(last)) return null;
  const [start = 0, end = 0] = last.range ?? [];
  const [indent = ''] = /^\s*/.exec(text.slice(text.lastIndexOf('\n', start - 1) + 1)) ?? [];
  const lineEnd = text.slice(end).search(/\r?\n|$/) + end;
  const eol = /\r?\n/.exec(text)?.[0] ?? '\n';
  const lines = items.map((item) => `${eol}${indent}- ${item}`).join('');
  return text.slice(0, lineEnd) + lines + text.slice(lineEnd);
}

function nodeAt(root: { contents: unknown; getIn(path: Path, keep: true): unknown } | undefined, path: Path) {
  const node = path.length === 0 ? root?.contents : root?.getIn(path, true);
  return isNode(node) && (isScalar(node) || isMap(node)) ? node : undefined;
}

/** The first candidate that is read as the text with the value. YAML must not cut or fold the value, as it may have the old one. */
function proven(
  text: string,
  { document, path }: Position,
  value: Json,
  candidates: readonly (() => string | null)[],
): string | null {
  const { documents, findings } = parseYaml('', text);
  if (findings.length > 0) return null;
  const wanted = documents.map((other) =>
    other.document === document ? withValue(other.value, path, value) : other.value,
  );
  const isCut = (other: ParsedDocument) =>
    other.document === document && other.cuts.some((cut) => equal(cut.path, path));
  for (const candidate of candidates) {
    const changed = candidate();
    if (changed === null) continue;
    const parsed = parseYaml('', changed);
    if (parsed.findings.length > 0 || parsed.documents.some(isCut)) continue;
    const values = parsed.documents.map((other) => other.value);
    if (equal(values, wanted)) return changed;
  }
  return null;
}

/** Copies objects along the path, so that aliases elsewhere keep the old value. */
function withValue(root: Json, path: Path, value: Json): Json {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(root)) return root.map((item, at) => (at === key ? withValue(item, rest, value) : item));
  const owner = isObject(root) ? root : {};
  return { ...owner, [key]: withValue(owner[key] ?? {}, rest, value) };
}
