import { type Alias, Composer, type CST, type Document, isScalar, Parser, visit, type YAMLError } from 'yaml';
import type { Json } from '../model/json.js';
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

/** Deeper nesting than anybody writes; the composer recurses, and very deep input kills the process. */
const MAX_DEPTH = 100;

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
  if (composed === null) return { documents: [], findings: [tooDeep(file)] };
  const documents: ParsedDocument[] = [];
  const findings: SourceFinding[] = [];
  composed.forEach((document, index) => {
    const wrong = syntaxFindings(file, text, document);
    findings.push(...wrong);
    if (wrong.length > 0 || isEmpty(document)) return;
    const plain = plainValue(document, text);
    if ('value' in plain) documents.push({ document: index, value: plain.value });
    else findings.push(badAlias(file, plain.alias));
  });
  if (findings.length === 0 && documents.length === 0) findings.push(nothing(file));
  return { documents, findings };
}

/** The documents of a text with all positions; null when it is nested too deeply to be composed. */
export function composeYaml(text: string): Document[] | null {
  const tokens = [...new Parser().parse(text)];
  if (tokens.some(isTooDeep)) return null;
  const documents: Document[] = [...new Composer(OPTIONS).compose(tokens)];
  return documents;
}

function isTooDeep(root: CST.Token): boolean {
  const open: { token: CST.Token; depth: number }[] = [{ token: root, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const depth = next.depth + 1;
    if (depth > MAX_DEPTH) return true;
    for (const token of childrenOf(next.token)) open.push({ token, depth });
  }
  return false;
}

function childrenOf(token: CST.Token): CST.Token[] {
  const children: (CST.Token | null | undefined)[] = [];
  if (token.type === 'document') children.push(token.value);
  else if ('items' in token) for (const item of token.items) children.push(item.key, item.value);
  return children.filter((child) => child !== null && child !== undefined);
}

function isEmpty(document: Document): boolean {
  const { contents } = document;
  return contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
}

/** Broken YAML brings follow-up errors with it: one a line is enough. */
function syntaxFindings(file: string, text: string, document: Document): SourceFinding[] {
  const lines = new Set<number>();
  return [...document.errors, ...document.warnings]
    .map((error) => ({ error, line: text.lastIndexOf('\n', error.pos[0] - 1) }))
    .filter(({ line }) => !lines.has(line) && lines.add(line))
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

function tooDeep(file: string): SourceFinding {
  return errorAt(placeOf(file, 0, []), {
    code: 'yaml-syntax',
    message: `The YAML is nested more than ${MAX_DEPTH} levels deep.`,
    hint: 'A manifest needs about six levels: look for a bracket or a dash that is repeated.',
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
