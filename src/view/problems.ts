import type { Failure } from '../model/failure.js';
import type { LocatedFinding, Problem, Severity } from '../model/outputs.js';
import type { CommandError, FailureReport } from '../model/reports.js';
import { count } from '../model/words.js';
import { type Colour, cells, cutCells, type TextOptions, visible, visibleLine } from './terminal.js';
import { cut, hanging, wrap } from './words.js';

const SEVERITIES: Record<Severity, { colour: Colour; sign: string; words: string }> = {
  error: { colour: 'red', sign: '✗', words: 'error' },
  blocked: { colour: 'red', sign: '✗', words: 'blocked' },
  hazard: { colour: 'magenta', sign: '!', words: 'needs approval' },
  warning: { colour: 'yellow', sign: '!', words: 'warning' },
};

export function problemLines(
  { severity, message, hint, code }: Problem,
  { paint, width }: TextOptions,
  indent: string,
  details: readonly string[] = [],
): string[] {
  const { colour, sign, words } = SEVERITIES[severity];
  const room = width - indent.length;
  const [first = '', ...rest] = wrap(
    `${words}: ${visibleLine(message)}${hint === '' ? ` [${code}]` : ''}`,
    room - 2,
  );
  return [
    `${paint(colour, sign)} ${first.replace(words, paint(colour, words))}`,
    ...rest.map((line) => `  ${line}`),
    ...details.map((line) => `    ${cut(visibleLine(line), room - 4)}`),
    ...hintLines(hint && `${hint} [${code}]`, '  ', { paint, width: room - 2 }),
  ].map((line) => `${indent}${line}`);
}

/** Returns no lines for an empty hint. The indent is not coloured. */
export function hintLines(hint: string, indent: string, { paint, width }: TextOptions): string[] {
  if (hint === '') return [];
  return hanging(`→ ${visibleLine(hint)}`, width - indent.length).map((line) =>
    line.replace(/^( *)(.*)$/, (_, blanks, text) => `${indent}${blanks}${paint('dim', text)}`),
  );
}

export function renderFailureText(failure: Failure, options: TextOptions): string {
  const { code, message, hint, details, findings, others } = failure;
  const lines = [
    ...problemLines({ code, severity: 'error', message, hint }, options, '', details),
    ...others.flatMap((problem) => problemLines(problem, options, '')),
  ];
  return `${renderFindingsText(findings, options)}${lines.join('\n')}\n`;
}

/** What is wrong, without excerpts. */
export function failureProblems(failure: Failure): Pick<Problem, 'code' | 'message' | 'hint'>[] {
  const { code, message, hint, others, findings } = failure;
  const located = findings.map(({ file, line, ...finding }) => ({
    ...finding,
    message: `${file}:${line}: ${finding.message}`,
  }));
  return [{ code, message, hint }, ...others, ...located];
}

export function toError({ code, message, hint, details, others, findings }: Failure): CommandError {
  return { code, message, hint, details: [...details], others: [...others], findings: [...findings] };
}

export function toFailureReport(failure: Failure): FailureReport {
  return { version: 1, exit_code: failure.exitCode, error: toError(failure) };
}

export function renderFindingsText(findings: readonly LocatedFinding[], options: TextOptions): string {
  return findings.map((finding) => `${findingLines(finding, options).join('\n')}\n\n`).join('');
}

function findingLines(finding: LocatedFinding, { paint, width }: TextOptions): string[] {
  const { severity, code, file, line, column, message, hint } = finding;
  const colour = severity === 'warning' ? 'yellow' : 'red';
  const number = String(line);
  const margin = ' '.repeat(number.length);
  const { shown, caret } = excerptLines(finding, width - number.length - 5);
  return [
    `${paint('bold', `${visibleLine(file)}:${line}:${column}`)}  ${paint(colour, severity)}  ${visibleLine(message)}  ${paint('dim', `[${code}]`)}`,
    `  ${paint('dim', `${number} │`)} ${shown}`,
    `  ${paint('dim', `${margin} │`)} ${paint(colour, caret)}`,
    ...(hint === '' ? [] : wrap(`→ ${visibleLine(hint)}`, width - 2).map((text) => `  ${text}`)),
  ];
}

/** The whole start of the line or, if the marked text is further to the right, a third of the `room` before it. */
function excerptLines(finding: LocatedFinding, room: number): { shown: string; caret: string } {
  const { excerpt, column, length } = finding;
  const show = (text: string) => visible(text.replaceAll('\t', ' '));
  const isAtStart = column - 1 + length <= room && cells(show(excerpt.slice(0, column - 1 + length))) <= room;
  const most = isAtStart ? room : Math.floor(room / 3) + 1;
  const { before, spot, after } = cutExcerpt(finding, { before: most, spot: room, after: room }, show);
  const columns = Math.min(cells(spot), room - cells(before));
  return {
    shown: cutCells(`${before}${spot}${after}`, room, 'end'),
    caret: `${' '.repeat(cells(before))}${'^'.repeat(Math.max(1, columns))}`,
  };
}

/** The line of a finding in parts, of which `spot` is what the finding is about. `…` stands for what was cut. */
interface Excerpt<Part> {
  before: Part;
  spot: Part;
  after: Part;
}

/** `most`: in columns. `show`: marks hidden characters. Neither a character nor the mark of one is cut in half. */
export function cutExcerpt(
  { excerpt, column, length }: LocatedFinding,
  most: Excerpt<number>,
  show: (text: string) => string,
): Excerpt<string> {
  const start = column - 1;
  const end = start + length;
  // A line may be a whole email, so only the part that has room is searched for hidden characters.
  const from = wholeCharacter(excerpt, start - most.before);
  const spotEnd = wholeCharacter(excerpt, Math.min(end, start + most.spot));
  const to = wholeCharacter(excerpt, end + most.after);
  const before = `${from > 0 ? '…' : ''}${show(excerpt.slice(from, start))}`;
  const spot = `${show(excerpt.slice(start, spotEnd))}${spotEnd < end ? '…' : ''}`;
  const after = `${show(excerpt.slice(end, to))}${to < excerpt.length ? '…' : ''}`;
  return {
    before: cutCells(before, most.before, 'start'),
    spot: cutCells(spot, most.spot, 'end'),
    after: cutCells(after, most.after, 'end'),
  };
}

/** The position, moved so that it is not inside of a surrogate pair. */
function wholeCharacter(line: string, at: number): number {
  const place = Math.min(Math.max(at, 0), line.length);
  return /[\udc00-\udfff]/.test(line[place] ?? '') ? place + 1 : place;
}

export function findingsSummary(findings: readonly LocatedFinding[], manifests: number): string {
  if (findings.length === 0) return `${count(manifests, 'manifest')} valid.`;
  const errors = findings.filter(isFailure).length;
  const found = errorsAndWarnings(errors, findings.length - errors);
  return manifests === 0 ? `${found}.` : `${found} in ${count(manifests, 'manifest')}.`;
}

export function isFailure({ severity }: LocatedFinding): boolean {
  return severity !== 'warning';
}

export function errorsAndWarnings(errors: number, warnings: number, more = ''): string {
  const parts = [
    ...(errors > 0 ? [count(errors, `${more}error`)] : []),
    ...(warnings > 0 ? [count(warnings, `${more}warning`)] : []),
  ];
  return parts.join(' and ');
}
