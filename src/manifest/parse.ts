import {
  type Alias,
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isScalar,
  Lexer,
  Parser,
  visit,
  type YAMLError,
} from 'yaml';
import { isObject, type Json } from '../model/json.js';
import { controlCharacter, errorAt, placeOf, quoted, type SourceFinding, type Wording } from './errors.js';

/** One YAML document. `document` counts from 0, empty ones included. */
export interface ParsedDocument {
  document: number;
  value: Json;
}

export interface ParsedFile {
  documents: ParsedDocument[];
  findings: SourceFinding[];
}

/** Errors examined, and errors listed: a file of the wrong kind has one on every line. */
const MOST_ERRORS = 500;
const MOST_FINDINGS = 20;

const OPTIONS = {
  // A %YAML directive must not change this: in 1.1, `no` is false and `<<` merges.
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

export function parseYaml(file: string, text: string): ParsedFile {
  const control = controlCharacter(file, text);
  if (control !== null) return { documents: [], findings: [control] };
  const composed = composeYaml(text);
  if ('excess' in composed) return { documents: [], findings: [tooMuch(file, composed.excess)] };
  const documents: ParsedDocument[] = [];
  const findings: SourceFinding[] = [];
  let unfolded = 0;
  composed.documents.forEach((document, index) => {
    const wrong = syntaxFindings(file, text, document);
    findings.push(...wrong);
    if (wrong.length > 0 || isEmpty(document)) return;
    const plain = plainValue(document, text);
    const size = 'value' in plain ? unfoldedSize(plain.value, MOST_UNFOLDED - unfolded) : 0;
    unfolded += size ?? 0;
    if ('value' in plain && size !== null) documents.push({ document: index, value: plain.value });
    else findings.push(badAlias(file, 'alias' in plain ? plain.alias : null));
  });
  if (findings.length === 0 && documents.length === 0) findings.push(nothing(file));
  return { documents, findings };
}

/** Parses with all positions; `excess` says which limit the text exceeds. */
export function composeYaml(text: string): { documents: Document[] } | { excess: string } {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let words = 0;
  for (const word of new Lexer().lex(text)) {
    words += 1;
    if (words > MOST.words) return { excess: `holds more than ${MOST.words} words and signs` };
    for (const token of parser.next(word)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  const excess = excessOf(tokens);
  return excess === null ? { documents: [...new Composer(OPTIONS).compose(tokens)] } : { excess };
}

function isEmpty(document: Document): boolean {
  const { contents } = document;
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

/** One error a line: the others follow from it. */
function syntaxFindings(file: string, text: string, document: Document): SourceFinding[] {
  const lines = new Set<number>();
  return [...document.errors, ...document.warnings]
    .slice(0, MOST_ERRORS)
    .map((error) => ({ error, line: text.lastIndexOf('\n', error.pos[0] - 1) }))
    .filter(({ line }) => !lines.has(line) && lines.add(line))
    .slice(0, MOST_FINDINGS)
    .map(({ error }) => {
      const [offset, end] = spotOf(error, text, document);
      const wording = wordsFor(error.code, error.message, text.slice(offset, end));
      return errorAt({ file, offset, length: end - offset }, wording);
    });
}

/** The position to show: the start of an unclosed text, the whole of a duplicate key. */
function spotOf(error: YAMLError, text: string, document: Document): [start: number, end: number] {
  const [start, end] = error.pos;
  if (error.code === 'DUPLICATE_KEY') {
    return [start, start + (/^[^:\r\n]+/.exec(text.slice(start, start + 80))?.[0].length ?? 1)];
  }
  if (error.code !== 'MISSING_CHAR' || !error.message.includes('quote')) return [start, end];
  let opening: [number, number] = [start, end];
  visit(document, {
    Scalar(_, { type, range }) {
      const isOpen = type?.startsWith('QUOTE_') && range && range[0] < start && range[1] >= start;
      if (isOpen) opening = [range[0], range[1]];
    },
  });
  return opening;
}

/** The value, or the alias that cannot be followed (`null`: too many aliases). */
function plainValue(document: Document, text: string): { value: Json } | { alias: Alias | null } {
  const alias = text.includes('*') ? brokenAlias(document) : null;
  if (alias !== null) return { alias };
  try {
    const value: Json = document.toJS({ maxAliasCount: 100 });
    return { value };
  } catch (error) {
    if (error instanceof ReferenceError) return { alias: null };
    throw error;
  }
}

function brokenAlias(document: Document): Alias | null {
  const broken: Alias[] = [];
  visit(document, {
    Alias(_, alias, ancestors) {
      const target = alias.resolve(document);
      if (target !== undefined && !ancestors.includes(target)) return undefined;
      broken.push(alias);
      return visit.BREAK;
    },
  });
  return broken[0] ?? null;
}

function tooMuch(file: string, excess: string): SourceFinding {
  return errorAt(placeOf(file, 0, []), {
    code: 'yaml-syntax',
    message: `The YAML ${excess}.`,
    hint: 'No manifest needs that much. Long lists of lead ids belong in an ids_file, further campaigns in other files.',
  });
}

function badAlias(file: string, alias: Alias | null): SourceFinding {
  const [offset, end] = alias?.range ?? [0, 1];
  const name = alias === null ? 'The aliases of the file' : quoted(`*${alias.source}`);
  const problem = alias === null ? 'expand to far too much' : 'refers to no anchor above it, or to itself';
  return errorAt(
    { file, offset, length: end - offset },
    {
      code: 'yaml-alias',
      message: `${name} ${problem}.`,
      hint: 'Put a text that begins with an asterisk in quotes; else write the values out.',
    },
  );
}

function nothing(file: string): SourceFinding {
  return errorAt(placeOf(file, 0, []), {
    code: 'empty-manifest',
    message: 'The file has no document: it is empty or holds only comments.',
    hint: 'Write a document, or delete the file.',
  });
}

/** Keeps time and memory proportional to the file's size. The composer is quadratic in keys and aliases, and recursive. */
const MOST = { words: 600_000, documents: 1_000, levels: 100, keys: 5_000, aliases: 100 } as const;

/** Values and characters of all documents once aliases are followed. */
const MOST_UNFOLDED = 4 * 1024 * 1024;

function excessOf(tokens: readonly CST.Token[]): string | null {
  const documents = tokens.filter(({ type }) => type === 'document');
  if (documents.length > MOST.documents) return `holds more than ${MOST.documents} documents`;
  for (const document of documents) {
    const excess = excessIn(document);
    if (excess !== null) return excess;
  }
  return null;
}

function excessIn(root: CST.Token): string | null {
  let aliases = 0;
  const open: { token: CST.Token; level: number }[] = [{ token: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, level } = next;
    if (level >= MOST.levels) return `is nested more than ${MOST.levels} levels deep`;
    if (token.type === 'alias') aliases += 1;
    if (aliases > MOST.aliases) return `has more than ${MOST.aliases} aliases in one document`;
    if (isTooWide(token)) return `has a section of more than ${MOST.keys} keys`;
    for (const child of childrenOf(token)) open.push({ token: child, level: level + 1 });
  }
  return null;
}

function isTooWide(token: CST.Token): boolean {
  const isMap =
    token.type === 'block-map' || (token.type === 'flow-collection' && token.start.source === '{');
  return isMap && token.items.length > MOST.keys;
}

function childrenOf(token: CST.Token): CST.Token[] {
  const children: (CST.Token | null | undefined)[] = [];
  if (token.type === 'document') children.push(token.value);
  else if ('items' in token) for (const item of token.items) children.push(item.key, item.value);
  return children.filter((child) => child !== null && child !== undefined);
}

/** Values and characters once aliases are followed; `null` if above `room` or nested too deeply. */
export function unfoldedSize(root: Json, room: number): number | null {
  let size = 0;
  const open: { value: Json; level: number }[] = [{ value: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next;
    size += 1 + (typeof value === 'string' ? value.length : 0);
    if (size > room || level > MOST.levels) return null;
    const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
    for (const one of inner) open.push({ value: one, level: level + 1 });
  }
  return size;
}

const WORDS: { [mistake: string]: [message: string, hint: string] } = {
  BAD_INDENT: [
    'The indentation is inconsistent.',
    'Indent everything that belongs to a key by the same number of spaces.',
  ],
  BAD_DQ_ESCAPE: [
    'The text in double quotes holds a backslash sequence that YAML does not know.',
    'Write \\\\ for a backslash, or use single quotes.',
  ],
  BAD_SCALAR_START: [
    'A text without quotes cannot begin with this character.',
    'Put the whole text in double quotes.',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'There is a second ": " on the line.',
    'Put the text in double quotes, or begin a new line for the inner key.',
  ],
  BLOCK_IN_FLOW: [
    'Indented lists and sections cannot stand inside [ ] or { }.',
    'Write the outer one with indentation too.',
  ],
  KEY_OVER_1024_CHARS: [
    'A key is longer than 1024 characters.',
    'A quote or a line end is probably missing above.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'A key spans several lines.',
    'A ":" is probably missing after a key, or quotes around a text.',
  ],
  NO_KEY: [
    'A key is expected here, with ":" after it.',
    'Write `key: value`; indent the lines of a longer text below its key.',
  ],
  NON_STRING_KEY: ['A key is not a text.', 'Keys are plain words.'],
  OPEN_FLOW: [
    'A list [ … ] or section { … } does not end before this line.',
    'Add the closing bracket on a line above.',
  ],
  OPEN_QUOTE: [
    'A quoted text is not closed.',
    'Add the closing quote; inside double quotes write \\" for a quote.',
  ],
  TAB_AS_INDENT: ['A tab is used for indentation.', 'Indent with spaces.'],
  UNEXPECTED_TOKEN: [
    'This does not fit what comes before it.',
    'Check the indentation, and put texts that begin with a brace, bracket or quote in double quotes as a whole.',
  ],
};

function wordsFor(code: ErrorCode, message: string, spot: string): Wording {
  if (code === 'DUPLICATE_KEY') {
    return {
      code: 'duplicate-key',
      message: `The key ${quoted(spot)} appears twice in the same section.`,
      hint: 'Keep one of the two.',
    };
  }
  if (code === 'TAG_RESOLVE_FAILED') {
    return {
      code: 'yaml-tag',
      message: 'A tag (!name) gives the value another type.',
      hint: 'Leave the tag out; put a text that begins with "!" in quotes.',
    };
  }
  const [said, hint] = WORDS[mistakeOf(code, message)] ?? [
    `This is not YAML: ${firstSentence(message)}.`,
    'Check quotes, colons and indentation here and on the line above.',
  ];
  return { code: 'yaml-syntax', message: said, hint };
}

function mistakeOf(code: ErrorCode, message: string): string {
  if (code === 'BAD_INDENT' && message.startsWith('Flow ')) return 'OPEN_FLOW';
  if (code !== 'MISSING_CHAR') return code;
  if (message.includes('quote')) return 'OPEN_QUOTE';
  return message.startsWith('Implicit map keys') ? 'NO_KEY' : code;
}

function firstSentence(message: string): string {
  return (message.split('\n')[0] ?? message).replace(/[.:]$/, '');
}
