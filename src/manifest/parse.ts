import { type Alias, Composer, type CST, type Document, isScalar, Lexer, Parser, visit } from 'yaml';
import type { Json } from '../model/json.js';
import { type Cause, findCauses, fromCause } from './cause.js';
import { findConflict, holdsConflict } from './conflict.js';
import { type CutText, findCutTexts } from './cut-texts.js';
import { controlCharacter, errorAt, quoted, type SourceFinding, toPlace } from './errors.js';
import { ODD_SPACE } from './lines.js';
import { findMisread } from './misread.js';
import { syntaxFindings } from './syntax.js';
import { mergeKey } from './unknown-keys.js';
import { findWrittenNumbers, type WrittenNumber, withWrittenNumbers } from './written.js';

/** One YAML document. `document` counts from 0 and includes empty documents. */
export interface ParsedDocument {
  document: number;
  value: Json;
  cuts: readonly CutText[];
  numbers: readonly WrittenNumber[];
}

/** `broken`: the number of documents that could not be read. */
export interface ParsedFile {
  documents: ParsedDocument[];
  broken: number;
  findings: SourceFinding[];
}

const OPTIONS = {
  // A %YAML directive must not change this, because in YAML 1.1, `no` is false and `<<` merges.
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
  if (control !== null) return { documents: [], broken: 1, findings: [control] };
  const composed = composeYaml(text);
  if ('excess' in composed) return { documents: [], broken: 1, findings: [tooMuch(file, composed.excess)] };
  const { hasDashInText } = composed;
  const isBroken = composed.documents.some(({ errors }) => errors.length > 0);
  const conflict = isBroken || holdsConflict(text) ? findConflict(text) : null;
  if (conflict !== null) return { documents: [], broken: 1, findings: [fromCause(file, conflict)] };
  const causes = isBroken || hasDashInText || ODD_SPACE.test(text) ? findCauses(text) : [];
  const certain = hasDashInText ? causes : causes.filter(({ isCertain }) => isCertain);
  const read = composed.documents.map((document) =>
    readDocument(document, { file, text, causes: document.errors.length > 0 ? causes : certain }),
  );
  const documents = read.flatMap((each, document) => ('value' in each ? { document, ...each } : []));
  const findings = read.flatMap((each) => ('findings' in each ? each.findings : []));
  const broken = read.filter((each) => 'findings' in each && each.findings.length > 0).length;
  return { documents, broken, findings: broken + documents.length === 0 ? [nothing(file)] : findings };
}

/** An empty document has neither a value nor findings. */
function readDocument(
  document: Document,
  { file, text, causes }: { file: string; text: string; causes: readonly Cause[] },
): Omit<ParsedDocument, 'document'> | { findings: SourceFinding[] } {
  const errors = syntaxFindings(file, text, { document, causes });
  const findings = errors.length > 0 ? errors : findMisread(file, document, text);
  if (findings.length > 0) return { findings };
  const { contents } = document;
  if (contents === null || (isScalar(contents) && contents.value === null && contents.source === ''))
    return { findings: [] };
  const plain = plainValue(document, text);
  if ('alias' in plain) return { findings: [badAlias(file, text, plain.alias)] };
  return {
    value: plain.value,
    cuts: findCutTexts(document, text),
    numbers: findWrittenNumbers(document, text),
  };
}

/** `hasDashInText`: some plain text goes on in a line that begins with a dash. */
type Composed = { documents: Document[]; hasDashInText: boolean } | { excess: string };

/** Characters of source text whose documents are kept. Keeping those of all files would take longer than parsing some again. */
const MAX_KEPT = 256 * 1024;

/** By source text. */
const kept = new Map<string, Composed>();
let keptLength = 0;

/** Called when a project is opened, because a process may live long. */
export function forgetYaml(): void {
  kept.clear();
  keptLength = 0;
}

/** Composes a text once, although a command may parse it, look up lines in it, and read it for another environment. */
export function composeYaml(text: string): Composed {
  const known = kept.get(text);
  if (known !== undefined) return known;
  const composed = compose(text);
  if (keptLength + text.length > MAX_KEPT) return composed;
  keptLength += text.length;
  kept.set(text, composed);
  return composed;
}

function compose(text: string): Composed {
  const parser = new Parser();
  const tokens: CST.Token[] = [];
  let words = 0;
  let brackets = 0;
  for (const word of new Lexer().lex(text)) {
    words += 1;
    if (word === '[' || word === '{') brackets += 1;
    if (word === ']' || word === '}') brackets -= 1;
    if (words > MAX.words) return { excess: `contains more than ${MAX.words} words and symbols` };
    if (brackets > MAX.levels) return { excess: TOO_DEEP };
    for (const token of parser.next(word)) tokens.push(token);
  }
  for (const token of parser.end()) tokens.push(token);
  const { excess, hasDashInText } = inspectTokens(tokens);
  return excess === null
    ? { documents: [...new Composer(OPTIONS).compose(tokens)], hasDashInText }
    : { excess };
}

/** Returns the value, or the alias that cannot be resolved; that alias is `null` if aliases expand to too much text. */
function plainValue(document: Document, text: string): { value: Json } | { alias: Alias | null } {
  const alias = text.includes('*') ? brokenAlias(document) : null;
  if (alias !== null) return { alias };
  try {
    const value: Json = document.toJS({ maxAliasCount: MAX.aliases });
    return isTooLarge(value) ? { alias: null } : { value: withWrittenNumbers(value, document) };
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
  return errorAt(toPlace(file, 0, []), {
    code: 'yaml-syntax',
    message: `The YAML ${excess}.`,
    hint: 'Simplify the file: for example, move long lists of lead ids to an ids_file, or some campaigns to other files.',
  });
}

const MERGED = /<<["']?[ \t]*:[ \t]*$/;

function badAlias(file: string, text: string, alias: Alias | null): SourceFinding {
  const [offset, end] = alias?.range ?? [0, 1];
  const before = MERGED.exec(text.slice(Math.max(0, offset - 80), offset));
  if (before !== null) {
    const [{ length }] = before;
    return errorAt({ file, offset: offset - length, length: length + end - offset }, mergeKey(''));
  }
  const name = alias === null ? "The file's aliases" : quoted(`*${alias.source}`);
  const problem = alias === null ? 'expand to too much text' : 'has no anchor above it, or refers to itself';
  return errorAt(
    { file, offset, length: end - offset },
    {
      code: 'yaml-alias',
      message: `${name} ${problem}.`,
      hint: 'If the asterisk is part of the text, quote the text. Otherwise, write out the values.',
    },
  );
}

function nothing(file: string): SourceFinding {
  return errorAt(toPlace(file, 0, []), {
    code: 'empty-manifest',
    message: 'The file contains no document: it is empty or contains only comments.',
    hint: 'Write a document, or delete the file.',
  });
}

/**
 * Limits that keep time and memory proportional to the file's size. The composer is recursive, and its time is quadratic in
 * keys and aliases.
 */
const MAX = {
  words: 600_000,
  documents: 1_000,
  levels: 100,
  keys: 5_000,
  aliases: 100,
  /** Number of values and characters in a document once aliases are expanded. */
  unfolded: 4 * 1024 * 1024,
} as const;

const TOO_DEEP = `is nested more than ${MAX.levels} levels deep`;

function inspectTokens(tokens: readonly CST.Token[]): { excess: string | null; hasDashInText: boolean } {
  let hasDashInText = false;
  const tooMuch = (excess: string) => ({ excess, hasDashInText });
  if (tokens.filter(({ type }) => type === 'document').length > MAX.documents)
    return tooMuch(`contains more than ${MAX.documents} documents`);
  let aliases = 0;
  const open = tokens.map((token) => ({ token, level: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, level } = next;
    if (token.type === 'document') aliases = 0;
    if (token.type === 'alias') aliases += 1;
    if (token.type === 'scalar' && /\n *- /.test(token.source)) hasDashInText = true;
    if (level >= MAX.levels) return tooMuch(TOO_DEEP);
    if (aliases > MAX.aliases) return tooMuch(`has more than ${MAX.aliases} aliases in one document`);
    const isMap =
      token.type === 'block-map' || (token.type === 'flow-collection' && token.start.source === '{');
    if (isMap && token.items.length > MAX.keys) return tooMuch(`has a section of more than ${MAX.keys} keys`);
    for (const child of listChildren(token)) open.push({ token: child, level: level + 1 });
  }
  return { excess: null, hasDashInText };
}

function listChildren(token: CST.Token): CST.Token[] {
  const children: (CST.Token | null | undefined)[] = [];
  if (token.type === 'document') children.push(token.value);
  else if ('items' in token) for (const item of token.items) children.push(item.key, item.value);
  return children.filter((child) => child !== null && child !== undefined);
}

function isTooLarge(root: Json): boolean {
  let size = 0;
  const open = [{ value: root, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, level } = next;
    size += 1 + (typeof value === 'string' ? value.length : 0);
    if (size > MAX.unfolded || level > MAX.levels) return true;
    if (typeof value === 'object' && value !== null)
      for (const inner of Object.values(value)) open.push({ value: inner, level: level + 1 });
  }
  return false;
}
