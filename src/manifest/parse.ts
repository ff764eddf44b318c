import {
  type Alias,
  Composer,
  type CST,
  type Document,
  isScalar,
  Lexer,
  Parser,
  visit,
  type YAMLError,
} from 'yaml';
import type { Json } from '../model/json.js';
import { excessOf, MOST, MOST_UNFOLDED, unfoldedSize } from './bounds.js';
import { errorAt, errorAtOffset, placeOf, type SourceFinding } from './finding.js';
import { badText, quoted } from './text.js';
import { wordsFor } from './yaml-words.js';

/** One document of a YAML file as a plain value. `document` counts from 0, empty documents included. */
export interface ParsedDocument {
  document: number;
  value: Json;
}

/** The documents of a file, without those that are empty or broken, and what is wrong. */
export interface ParsedFile {
  documents: ParsedDocument[];
  findings: SourceFinding[];
}

/** A file of the wrong kind is wrong in every line: so many errors of a document are looked at, and so many are told. */
const MOST_ERRORS = 500;
const MOST_FINDINGS = 20;

const OPTIONS = {
  // Fixed, whatever a %YAML line says: under 1.1 `no` would be false, and `<<` would merge.
  schema: 'core',
  merge: false,
  resolveKnownTags: false,
  stringKeys: true,
  uniqueKeys: true,
  prettyErrors: false,
  logLevel: 'silent',
} as const;

/** Reads YAML text into plain values. Never throws: what is wrong with the text is a finding. */
export function parseYaml(file: string, text: string): ParsedFile {
  const control = controlCharacters(file, text);
  if (control.length > 0) return { documents: [], findings: control };
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

/** The documents of a text with all positions, or what it has too much of to be composed, in words. */
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

/** Broken YAML brings follow-up errors with it: one a line is enough. */
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
      return errorAtOffset({ file, offset, length: end - offset }, wording);
    });
}

/** Where an author would look: a text that does not end where it begins, a key that is there twice as a whole. */
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

/** The value of a document, or the alias that cannot be followed (null: too many of them). */
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

/** An alias without an anchor, or one that stands inside of what it refers to: the value would hold itself. */
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

function controlCharacters(file: string, text: string): SourceFinding[] {
  const bad = badText(text);
  if (bad === null) return [];
  return [
    errorAtOffset(
      { file, offset: bad.index, length: 1 },
      {
        code: 'control-character',
        message: `The file holds the control character ${bad.name}.`,
        hint: 'Delete the character; if the whole file looks like this, save it as plain text in UTF-8.',
      },
    ),
  ];
}

function tooMuch(file: string, excess: string): SourceFinding {
  return errorAt(placeOf(file, 0, []), {
    code: 'yaml-syntax',
    message: `The YAML ${excess}.`,
    hint: 'No manifest needs that much. Long lists of lead ids belong in an ids_file, further campaigns in further files.',
  });
}

function badAlias(file: string, alias: Alias | null): SourceFinding {
  const [offset, end] = alias?.range ?? [0, 1];
  const name = alias === null ? 'The aliases of the file' : quoted(`*${alias.source}`);
  const problem = alias === null ? 'unfold to far too much' : 'refers to no anchor above it, or to itself';
  return errorAtOffset(
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
    message: 'The file holds no document: it is empty or all comments.',
    hint: 'Write a document, or delete the file.',
  });
}
