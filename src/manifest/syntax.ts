import { type Document, type ErrorCode, isScalar, isSeq, visit, type YAMLError } from 'yaml';
import { listed } from '../model/words.js';
import { type Cause, fromCause } from './cause.js';
import { errorAt, quoted, type SourceFinding, type Wording } from './errors.js';
import { lineAt } from './lines.js';

/** A file that is not YAML has an error on every line. */
const MAX_ERRORS = 500;

/** Mistakes in one place, which cause no errors elsewhere. */
const LOCAL: ReadonlySet<string> = new Set(['BAD_DQ_ESCAPE', 'DUPLICATE_KEY', 'TAG_RESOLVE_FAILED']);

/**
 * One cause for each document, because most errors of the parser follow from the first. If the text shows no cause, the
 * first error stands for it.
 */
export function syntaxFindings(
  file: string,
  text: string,
  { document, causes }: { document: Document; causes: readonly Cause[] },
): SourceFinding[] {
  const errors = [...document.errors, ...document.warnings].slice(0, MAX_ERRORS);
  const general = errors.find(({ code }) => !LOCAL.has(code));
  const [begin, , end] = document.range ?? [0, 0, text.length];
  const cause = causes.find(({ offset }) => offset >= begin && offset <= end);
  const limit = cause?.offset ?? general?.pos[0] ?? Number.POSITIVE_INFINITY;
  const local = errors.filter((error) => LOCAL.has(error.code) && locateError(error, text)[0] < limit);
  const others = cause === undefined && general !== undefined ? [general] : [];
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
