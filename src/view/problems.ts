import type { Failure } from '../model/failure.js';
import type { LocatedFinding, Problem, Severity } from '../model/outputs.js';
import type { CommandError, FailureReport } from '../model/reports.js';
import { count } from '../model/words.js';
import { type Colour, type TextOptions, visible, visibleLine } from './terminal.js';
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
  const { shown, caret } = cutExcerpt(finding, width - number.length - 5);
  return [
    `${paint('bold', `${visibleLine(file)}:${line}:${column}`)}  ${paint(colour, severity)}  ${visibleLine(message)}  ${paint('dim', `[${code}]`)}`,
    `  ${paint('dim', `${number} │`)} ${shown}`,
    `  ${paint('dim', `${margin} │`)} ${paint(colour, caret)}`,
    ...(hint === '' ? [] : wrap(`→ ${visibleLine(hint)}`, width - 2).map((text) => `  ${text}`)),
  ];
}

function cutExcerpt(
  { excerpt, column, length }: LocatedFinding,
  room: number,
): { shown: string; caret: string } {
  const start = column - 1;
  const from = start + length <= room ? 0 : Math.max(0, start - Math.floor(room / 3));
  const part = (begin: number, end: number) => visible(excerpt.slice(begin, end).replaceAll('\t', ' '));
  const meant = part(start, start + length);
  const before = `${from > 0 ? '…' : ''}${part(from, start)}`;
  const isCut = from + room < excerpt.length && start + length < excerpt.length;
  const shown = `${before}${meant}${part(start + length, from + room - (isCut ? 1 : 0))}${isCut ? '…' : ''}`;
  const caret = `${' '.repeat(before.length)}${'^'.repeat(Math.max(1, Math.min(meant.length, room)))}`;
  return {
    shown: shown.length > room + 8 ? `${shown.slice(0, room + 7)}…` : shown,
    caret,
  };
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
