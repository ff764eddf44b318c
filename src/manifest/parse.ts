import {
  type Alias,
  Composer,
  type CST,
  type Document,
  type ErrorCode,
  isScalar,
  isSeq,
  Lexer,
  Parser,
  visit,
  type YAMLError,
} from 'yaml';
import type { Json } from '../model/json.js';
import { listed } from '../model/words.js';
import { type Cause, findCauses, findConflict, fromCause, holdsConflict } from './cause.js';
import { type CutText, findCutTexts } from './cut-texts.js';
import { controlCharacter, errorAt, quoted, type SourceFinding, toPlace, type Wording } from './errors.js';
import { ODD_SPACE } from './lines.js';
import { findMisread } from './misread.js';
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

/** A file that is not YAML has an error on every line. */
const MAX_ERRORS = 500;

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
  const documents: ParsedDocument[] = [];
  const findings: SourceFinding[] = [];
  let broken = 0;
  const isBroken = composed.documents.some(({ errors }) => errors.length > 0);
  const conflict = isBroken || holdsConflict(text) ? findConflict(text) : null;
  if (conflict !== null) return { documents: [], broken: 1, findings: [fromCause(file, conflict)] };
  const isOdd = composed.isFolded || ODD_SPACE.test(text);
  const causes = isBroken || isOdd ? findCauses(text) : [];
  composed.documents.forEach((document, index) => {
    const certain = composed.isFolded ? causes : causes.filter(({ isCertain }) => isCertain);
    const errors = syntaxFindings(file, text, {
      document,
      causes: document.errors.length > 0 ? causes : certain,
    });
    findings.push(...errors);
    const misread = errors.length === 0 ? findMisread(file, document, text) : [];
    findings.push(...misread);
    const { contents } = document;
    const isEmpty =
      contents === null || (isScalar(contents) && contents.value === null && contents.source === '');
    const isWrong = errors.length > 0 || misread.length > 0;
    if (isWrong) broken += 1;
    if (isWrong || isEmpty) return;
    const plain = plainValue(document, text);
    if ('value' in plain)
      documents.push({
        document: index,
        value: plain.value,
        cuts: findCutTexts(document, text),
        numbers: findWrittenNumbers(document, text),
      });
    else {
      broken += 1;
      findings.push(badAlias(file, text, plain.alias));
    }
  });
  if (findings.length === 0 && documents.length === 0) findings.push(nothing(file));
  return { documents, broken, findings };
}

/** `isFolded`: some plain text goes on in a line that begins with a dash. */
type Composed = { documents: Document[]; isFolded: boolean } | { excess: string };

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
  const { excess, isFolded } = inspectTokens(tokens);
  return excess === null ? { documents: [...new Composer(OPTIONS).compose(tokens)], isFolded } : { excess };
}

/** Mistakes in one place, which cause no errors elsewhere. */
const LOCAL: ReadonlySet<string> = new Set(['BAD_DQ_ESCAPE', 'DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

/**
 * One cause for each document, because most errors of the parser follow from the first. If the text shows no cause, the
 * first error stands for it.
 */
function syntaxFindings(
  file: string,
  text: string,
  { document, causes }: { document: Document; causes: readonly Cause[] },
): SourceFinding[] {
  const errors = [...document.errors, ...document.warnings].slice(0, MAX_ERRORS);
  const follows = errors.find(({ code }) => !LOCAL.has(code));
  const [begin, , end] = document.range ?? [0, 0, text.length];
  const cause = causes.find(({ offset }) => offset >= begin && offset <= end);
  const limit = cause?.offset ?? follows?.pos[0] ?? Number.POSITIVE_INFINITY;
  const local = errors.filter((error) => LOCAL.has(error.code) && locateError(error, text)[0] < limit);
  const others = cause === undefined && follows !== undefined ? [follows] : [];
  const second = secondCampaign(file, text, local);
  if (second !== null) return [second];
  const isRepeated = ({ code }: YAMLError) => code === 'DUPLICATE_KEY';
  const repeated = local.filter(isRepeated).map((error) => locateError(error, text));
  return [
    ...repeatedKeys(file, text, { document, repeated }),
    ...[...local.filter((error) => !isRepeated(error)), ...others].map((error) => {
      const [offset, end] = locateError(error, text);
      return errorAt({ file, offset, length: end - offset }, wordsFor(error.code, error.message));
    }),
    ...(cause === undefined ? [] : [fromCause(file, cause)]),
  ];
}

/** The position to show: for a key that is repeated, the whole key, without the white space before it. */
function locateError({ code, pos: [start, end] }: YAMLError, text: string): [start: number, end: number] {
  if (code !== 'DUPLICATE_KEY') return [start, end];
  const begin = start + (/^\s*/.exec(text.slice(start, start + 200))?.[0].length ?? 0);
  return [begin, begin + (/^[^:\r\n]+/.exec(text.slice(begin, begin + 80))?.[0].length ?? 1)];
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

function inspectTokens(tokens: readonly CST.Token[]): { excess: string | null; isFolded: boolean } {
  let isFolded = false;
  const tooMuch = (excess: string) => ({ excess, isFolded });
  if (tokens.filter(({ type }) => type === 'document').length > MAX.documents)
    return tooMuch(`contains more than ${MAX.documents} documents`);
  let aliases = 0;
  const open = tokens.map((token) => ({ token, level: 0 }));
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { token, level } = next;
    if (token.type === 'document') aliases = 0;
    if (token.type === 'alias') aliases += 1;
    if (token.type === 'scalar' && /\n *- /.test(token.source)) isFolded = true;
    if (level >= MAX.levels) return tooMuch(TOO_DEEP);
    if (aliases > MAX.aliases) return tooMuch(`has more than ${MAX.aliases} aliases in one document`);
    const isMap =
      token.type === 'block-map' || (token.type === 'flow-collection' && token.start.source === '{');
    if (isMap && token.items.length > MAX.keys) return tooMuch(`has a section of more than ${MAX.keys} keys`);
    for (const child of listChildren(token)) open.push({ token: child, level: level + 1 });
  }
  return { excess: null, isFolded };
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

const WORDS: { [mistake: string]: [message: string, hint: string] } = {
  BAD_INDENT: [
    'The indentation is inconsistent.',
    'Indent everything under a key by the same number of spaces.',
  ],
  BAD_DQ_ESCAPE: [
    'The double-quoted string contains an unknown escape sequence.',
    'Write \\\\ for a backslash, or use single quotes.',
  ],
  BAD_SCALAR_START: [
    'Unquoted text cannot begin with this character.',
    'Put the whole text in double quotes.',
  ],
  BLOCK_AS_IMPLICIT_KEY: [
    'The line contains a second ": ".',
    'Put the text in double quotes, or start a new line for the inner key.',
  ],
  MULTILINE_IMPLICIT_KEY: [
    'A key spans several lines.',
    'A ":" is probably missing after a key, or a string needs quotes.',
  ],
  NO_KEY: [
    'Expected a key followed by ":".',
    'Write `key: value`, and indent the lines of a longer text below its key.',
  ],
  OPEN_FLOW: [
    'A list [ … ] or section { … } is not closed before this line.',
    'Add the closing bracket before this line.',
  ],
  TAB_AS_INDENT: ['A tab is used for indentation.', 'Indent with spaces.'],
  UNEXPECTED_TOKEN: [
    'This text is not valid here.',
    'Check the indentation, and double-quote text that begins with a brace, bracket or quote.',
  ],
};

type Range = [start: number, end: number];

/** One finding for each section. Several repeated keys mean that another entry or section begins with the first of them. */
function repeatedKeys(
  file: string,
  text: string,
  { document, repeated }: { document: Document; repeated: readonly Range[] },
): SourceFinding[] {
  return groupRepeated(document, repeated).map(({ first, isEntry, ranges: [range, ...others] }) => {
    const [offset, end] = range;
    const key = text.slice(offset, end);
    const [before, line] = [lineAt(text, first), lineAt(text, offset)];
    const keys = [range, ...others].map((other) => text.slice(...other));
    const place = { file, offset, length: end - offset };
    if (others.length === 0)
      return errorAt(place, {
        code: 'duplicate-key',
        message: `The key ${quoted(key)} appears twice in the same section${before === line ? '' : `: in lines ${before} and ${line}`}.`,
        hint: 'Remove one of the two.',
      });
    return errorAt(place, {
      code: 'duplicate-key',
      message: `The keys ${listed(keys)} appear twice in the same section: the second time from line ${line} on.`,
      hint: isEntry
        ? `If another entry of the list begins in line ${line}, write \`- ${key}: …\`. Otherwise, remove one of each.`
        : `If another section begins in line ${line}, write its key above the line. Otherwise, remove one of each.`,
    });
  });
}

/** `first`: where the first repeated key stands before. `isEntry`: true if the section is an entry of a list. */
interface RepeatedKeys {
  first: number;
  isEntry: boolean;
  ranges: [Range, ...Range[]];
}

/** A name and other keys that appear twice: the line `---` between two campaigns is missing. */
function secondCampaign(file: string, text: string, errors: readonly YAMLError[]): SourceFinding | null {
  const spots = errors
    .filter(({ code }) => code === 'DUPLICATE_KEY')
    .map((error) => locateError(error, text))
    .filter(([offset]) => offset === 0 || text[offset - 1] === '\n');
  const [first, other] = spots;
  if (first === undefined || other === undefined || text.slice(...first) !== 'name') return null;
  const line = lineAt(text, first[0]);
  return errorAt(
    { file, offset: first[0], length: first[1] - first[0] },
    {
      code: 'duplicate-key',
      message: `In line ${line}, a second campaign seems to begin: ${spots.length} keys appear twice.`,
      hint: 'Write a line `---` between two campaigns.',
    },
  );
}

function groupRepeated(document: Document, repeated: readonly Range[]): RepeatedKeys[] {
  const left = new Map(repeated.map((range) => [range[0], range]));
  const groups: RepeatedKeys[] = [];
  visit(document, {
    Map(_, { items }, ancestors) {
      const keys = items.map(({ key }) => key).filter(isScalar);
      const again = keys.filter(({ range }) => left.has(range?.[0] ?? -1));
      const [range, ...others] = again
        .map(({ range }) => left.get(range?.[0] ?? -1))
        .filter((range) => range !== undefined);
      if (range === undefined) return;
      for (const [offset] of [range, ...others]) left.delete(offset);
      const [same] = keys.filter(({ value }) => value === again[0]?.value);
      const isEntry = isSeq(ancestors.at(-1));
      groups.push({ first: same?.range?.[0] ?? range[0], isEntry, ranges: [range, ...others] });
    },
  });
  const others = [...left.values()].map(
    (range): RepeatedKeys => ({ first: range[0], isEntry: false, ranges: [range] }),
  );
  return [...groups, ...others];
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function wordsFor(code: ErrorCode, message: string): Wording {
  if (code === 'TAG_RESOLVE_FAILED') {
    return {
      code: 'yaml-tag',
      message: 'Tags (!name), which change the type of a value, are not allowed.',
      hint: 'Remove the tag. Quote text that begins with "!".',
    };
  }
  const [sentence, hint] = WORDS[classifyMistake(code, message)] ?? [
    `This is not valid YAML: ${message.replace(/\n.*/s, '').replace(/[.:]$/, '')}.`,
    'Check quotes, colons and indentation here and on the line above.',
  ];
  return { code: 'yaml-syntax', message: sentence, hint };
}

function classifyMistake(code: ErrorCode, message: string): string {
  if (code === 'BAD_INDENT' && message.startsWith('Flow ')) return 'OPEN_FLOW';
  if (code !== 'MISSING_CHAR') return code;
  return message.startsWith('Implicit map keys') ? 'NO_KEY' : code;
}
