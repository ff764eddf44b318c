import { type Document, isScalar, type Pair, type Scalar, visit } from 'yaml';
import { holdsConflict } from './conflict.js';
import { errorAt, quoted, type SourceFinding } from './errors.js';
import { indentOf, lineAt } from './lines.js';
import { STEP_KEYS } from './schema.js';
import { pathOf } from './written.js';

/** Mistakes in valid YAML that change a text without a word: what was written is not what is read. */
export function findMisread(file: string, document: Document, text: string): SourceFinding[] {
  const found: SourceFinding[] = [];
  const mayHoldQuotes = ODD_QUOTE.test(text);
  const used = aliasesIn(document, text);
  visit(document, {
    Pair(_, pair) {
      const finding = swallowedKey(file, text, pair);
      if (finding !== null) found.push(finding);
    },
    Scalar(key, scalar, ancestors) {
      if (scalar.type !== 'PLAIN') return;
      if (mayHoldQuotes && QUOTED.test(String(scalar.value))) found.push(inTypographicQuotes(file, scalar));
      if (key === 'key' || scalar.anchor === undefined || used.has(scalar.anchor)) return;
      const name = pathOf(ancestors, scalar).at(-1);
      const finding = unusedAnchor(file, text, {
        scalar,
        line: typeof name === 'string' ? `${name}: ` : '- ',
      });
      if (finding !== null) found.push(finding);
    },
  });
  return found;
}

const ODD_QUOTE = /(?:^|[-:,[{])[ ]*[“”„‟«»‘’‚‛]/m;
/** A text that is wholly in quotes: „Hallo“ oder »Hi« has two pairs of its own. */
const QUOTED = /^(?:[“”„‟«»]([^“”„‟«»]*)[“”„‟«»]|[‘’‚‛]([^‘‚‛]*)[‘’‚‛])$/;

/** True for a text that is refused unless YAML's own quotes stand around it. */
export function isMisread(text: string): boolean {
  return QUOTED.test(text) || keyOfStep(text) !== null || holdsConflict(text);
}

function inTypographicQuotes(file: string, { value, range }: Scalar): SourceFinding {
  const [offset, end] = range ?? [0, 1];
  const text = String(value);
  const [, double, single = ''] = QUOTED.exec(text) ?? [];
  const inner = double ?? single;
  return errorAt(
    { file, offset, length: end - offset },
    {
      code: 'typographic-quotes',
      message: `${text[0]} and ${text.at(-1)} are part of the text: YAML knows only " and '.`,
      hint: `Write ${quoted(inner)}, or, if the text should have them, ${quoted(text)}.`,
    },
  );
}

function aliasesIn(document: Document, text: string): ReadonlySet<string> {
  const used = new Set<string>();
  if (!text.includes('*')) return used;
  visit(document, {
    Alias(_, { source }) {
      used.add(source);
    },
  });
  return used;
}

/** `null` if the value is a number or a switch, of which an anchor cuts nothing off. `line`: the key or dash before the value. */
function unusedAnchor(
  file: string,
  text: string,
  { scalar, line }: { scalar: Scalar; line: string },
): SourceFinding | null {
  const { anchor = '', value, source = '', range } = scalar;
  if (source !== '' && typeof value !== 'string') return null;
  const start = text.lastIndexOf(`&${anchor}`, Math.max(0, (range?.[0] ?? 0) - 1));
  const whole = `&${anchor}${source === '' ? '' : ` ${source}`}`;
  const rest = source === '' ? 'nothing' : quoted(source);
  const isNumber = source === '' && /^\d+$/.test(anchor);
  return errorAt(
    { file, offset: start, length: anchor.length + 1 },
    {
      code: 'yaml-alias',
      message: `YAML takes ${quoted(`&${anchor}`)} for the name of an anchor, so that ${rest} is left as the value. No alias uses the anchor.`,
      hint: `Write \`${line}${isNumber ? anchor : JSON.stringify(whole)}\`.`,
    },
  );
}

/** A line of a body that begins with a key of a step, perhaps after a dash. */
const KEY_OF_STEP = new RegExp(
  `^ *(- +)?(?:(${STEP_KEYS.filter((key) => key !== 'variants').join('|')}):(?=\\s|$)|(variants):\\s*$)`,
  'm',
);

function keyOfStep(body: string) {
  const match = KEY_OF_STEP.exec(body);
  if (match === null) return null;
  const [, dash, name, list = ''] = match;
  return { index: match.index, key: name ?? list, isStep: dash !== undefined };
}

/** A body that goes on over the keys below it, because they are indented as far as its text. Reports the first of them. */
function swallowedKey(file: string, text: string, { key, value }: Pair): SourceFinding | null {
  if (!isScalar(key) || key.value !== 'email_body' || !isScalar(value)) return null;
  if (value.type !== 'BLOCK_LITERAL' && value.type !== 'BLOCK_FOLDED') return null;
  const [header, end] = value.range ?? [0, 0];
  const begin = text.indexOf('\n', header) + 1;
  const found = keyOfStep(text.slice(begin, end));
  if (found === null) return null;
  const offset = begin + found.index;
  const line = /^.*/.exec(text.slice(offset))?.[0] ?? '';
  const [lead = ''] = /^ *(?:- +)*/.exec(text.slice(lineStart(text, key.range?.[0] ?? 0))) ?? [];
  const [indent, depth] = [indentOf(line), found.isStep ? Math.max(0, lead.length - 2) : lead.length];
  const number = lineAt(text, offset);
  const what = found.isStep ? 'the beginning of a step' : `a key of the step (${found.key})`;
  return errorAt(
    { file, offset: offset + indent, length: line.trim().length },
    {
      code: 'yaml-syntax',
      message: `Line ${number} looks like ${what}, but is indented as text of the body: by ${indent}, not ${depth}.`,
      hint: `Indent it by ${depth}. If it is text, move the body to a file: email_body_file.`,
    },
  );
}

function lineStart(text: string, offset: number): number {
  return offset === 0 ? 0 : text.lastIndexOf('\n', offset - 1) + 1;
}
