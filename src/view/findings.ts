/** Problems of source files: for people, as annotations of a pull request, as a test report. For code scanning see `sarif.ts`. */

import type { LocatedFinding } from '../model/problem.js';
import { characters, plain, printable, type TextOptions, visible, visibleLine } from './terminal.js';
import { count, wrap } from './words.js';

/** As compilers show them: position, line, caret, hint. */
export function renderFindingsText(findings: readonly LocatedFinding[], options: TextOptions): string {
  return findings.map((finding) => `${findingLines(finding, options).join('\n')}\n\n`).join('');
}

function findingLines(finding: LocatedFinding, { paint, width }: TextOptions): string[] {
  const { severity, code, file, line, column, message, hint } = finding;
  const colour = severity === 'warning' ? 'yellow' : 'red';
  const number = String(line);
  const margin = ' '.repeat(number.length);
  const { shown, caret } = excerptOf(finding, width - number.length - 5);
  return [
    `${paint('bold', `${visibleLine(file)}:${line}:${column}`)}  ${paint(colour, severity)}  ${visibleLine(message)}  ${paint('dim', `[${code}]`)}`,
    `  ${paint('dim', `${number} │`)} ${shown}`,
    `  ${paint('dim', `${margin} │`)} ${paint(colour, caret)}`,
    ...(hint === '' ? [] : wrap(`→ ${visibleLine(hint)}`, width - 2).map((text) => `  ${text}`)),
  ];
}

/** The source line with carets below what is meant, cut around it where the line is too long. */
function excerptOf(
  { excerpt, column, length }: LocatedFinding,
  room: number,
): { shown: string; caret: string } {
  const start = column - 1;
  const from = start + length <= room ? 0 : Math.max(0, start - Math.floor(room / 3));
  const part = (begin: number, end: number) => visible(excerpt.slice(begin, end).replaceAll('\t', ' '));
  const meant = part(start, start + length);
  const before = `${from > 0 ? '…' : ''}${part(from, start)}`;
  const shown = `${before}${meant}${part(start + length, from + room)}`;
  const caret = `${' '.repeat(before.length)}${'^'.repeat(Math.max(1, Math.min(meant.length, room)))}`;
  return { shown: shown.length > room + 8 ? `${shown.slice(0, room + 7)}…` : shown, caret };
}

/** "2 errors and 1 warning in 3 manifests", or that all is well. */
export function findingsSummary(findings: readonly LocatedFinding[], manifests: number): string {
  if (findings.length === 0) return `${count(manifests, 'manifest')} valid.`;
  const errors = findings.filter(isFailure).length;
  return `${errorsAndWarnings(errors, findings.length - errors)} in ${count(manifests, 'manifest')}.`;
}

function isFailure({ severity }: LocatedFinding): boolean {
  return severity !== 'warning';
}

function errorsAndWarnings(errors: number, warnings: number, more = ''): string {
  const parts = [
    ...(errors > 0 ? [count(errors, `${more}error`)] : []),
    ...(warnings > 0 ? [count(warnings, `${more}warning`)] : []),
  ];
  return parts.join(' and ');
}

/** Annotations of one level that GitHub keeps of a step. What comes later is dropped without a word. */
const MOST = 10;

/**
 * Problems as workflow commands, a line each: GitHub shows them at the lines of a pull request. Files have to be named from the
 * root of the repository. The lines are for `Shell.annotate`; the log has to show all findings besides.
 */
export function renderFindingsGithub(findings: readonly LocatedFinding[]): string {
  const errors = variedFirst(findings.filter(isFailure));
  const warnings = variedFirst(findings.filter((finding) => !isFailure(finding)));
  const left = errorsAndWarnings(errors.length - MOST, warnings.length - MOST, 'more ');
  const note = `GitHub shows ${MOST} errors and ${MOST} warnings of a step. There are ${left}: the log of this step has them all.`;
  return [
    ...errors.slice(0, MOST).map((finding) => annotation('error', finding)),
    ...warnings.slice(0, MOST).map((finding) => annotation('warning', finding)),
    ...(left === '' ? [] : [workflowCommand('notice', { title: `${left} in the log` }, note)]),
  ].join('');
}

/** The first of each kind in each file, then the second ones, and so on: ten that are alike would hide all others. */
function variedFirst(findings: readonly LocatedFinding[]): LocatedFinding[] {
  const seen = new Map<string, number>();
  const ranked = findings.map((finding) => {
    const kind = JSON.stringify([finding.file, finding.code]);
    const rank = seen.get(kind) ?? 0;
    seen.set(kind, rank + 1);
    return { finding, rank };
  });
  return ranked.sort((left, right) => left.rank - right.rank).map(({ finding }) => finding);
}

function annotation(level: 'error' | 'warning', finding: LocatedFinding): string {
  const { file, line, column, length, code, message, hint } = finding;
  // The last column that is meant: GitHub takes the first one for it where there is none.
  const place = { file, line, endLine: line, col: column, endColumn: column + length - 1 };
  const text = [message, ...(hint === '' ? [] : [`→ ${hint}`])].map(visibleLine).join('\n');
  return workflowCommand(level, { ...place, title: code }, text);
}

/** One line as the runner reads it (`ActionCommand.cs` in actions/runner), which undoes the escapes in this order reversed. */
function workflowCommand(
  name: 'error' | 'warning' | 'notice',
  properties: Record<string, string | number>,
  text: string,
): string {
  const data = (part: string) => part.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
  const property = (part: string) => data(part).replaceAll(':', '%3A').replaceAll(',', '%2C');
  const written = Object.entries(properties).map(([key, value]) => `${key}=${property(String(value))}`);
  return `::${name} ${written.join(',')}::${data(printable(text))}\n`;
}

const REPORT_WIDTH = 100;

/**
 * Problems as a JUnit report: a suite for each file that was checked, in it a case for each kind of problem, or one that
 * passed. GitLab tells new failures from known ones by the names of the cases, so these hold no line. Warnings pass and are
 * told as the output of their case: a report knows no other weight than failed.
 */
export function renderFindingsJunit(findings: readonly LocatedFinding[], files: readonly string[]): string {
  const byFile = grouped(findings, ({ file }) => file, files);
  const suites = [...byFile].sort(([left], [right]) => (left < right ? -1 : 1)).map(suiteOf);
  const sum = (key: 'tests' | 'failures') => suites.reduce((so, suite) => so + suite[key], 0);
  const counts = { name: 'campaignctl validate', tests: sum('tests'), failures: sum('failures'), errors: 0 };
  const inner = suites.map(({ xml }) => xml).join('');
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', counts, `\n${inner}`)}`;
}

function suiteOf([file, findings]: [string, LocatedFinding[]]) {
  const kinds = [...grouped(findings, ({ code }) => code)];
  const cases = kinds.map(([code, kind]) => caseOf(`${file}: ${code}`, file, outcome(kind)));
  if (cases.length === 0) cases.push(caseOf(file, file, ''));
  const failures = kinds.filter(([, kind]) => kind.some(isFailure)).length;
  const attributes = { name: file, tests: cases.length, failures, errors: 0, skipped: 0 };
  return { tests: cases.length, failures, xml: element('testsuite', attributes, `\n${cases.join('')}`) };
}

/** Jenkins splits a class name at its last dot into package and class: a file name is no good as one. */
function caseOf(name: string, file: string, inner: string): string {
  return element('testcase', { classname: 'campaignctl.validate', name, file, time: 0 }, inner);
}

function outcome(kind: readonly LocatedFinding[]): string {
  const text = escaped(renderFindingsText(kind, { paint: plain, width: REPORT_WIDTH }).trimEnd());
  const failed = kind.find(isFailure);
  if (failed === undefined) return `\n${element('system-out', {}, text)}`;
  const more = kind.length > 1 ? ` (and ${kind.length - 1} more)` : '';
  const message = `line ${failed.line}: ${failed.message}${more}`;
  return `\n${element('failure', { message, type: failed.code }, text)}`;
}

/** In order of first appearance; `keys` are there in any case. */
function grouped(
  findings: readonly LocatedFinding[],
  keyOf: (finding: LocatedFinding) => string,
  keys: readonly string[] = [],
): Map<string, LocatedFinding[]> {
  const all = [...new Set([...keys, ...findings.map(keyOf)])];
  const groups = new Map(all.map((key): [string, LocatedFinding[]] => [key, []]));
  for (const finding of findings) groups.get(keyOf(finding))?.push(finding);
  return groups;
}

/** An element on a line of its own; `inner` is XML already. */
function element(name: string, attributes: Record<string, string | number>, inner: string): string {
  const written = Object.entries(attributes).map(
    ([key, value]) => ` ${key}="${escaped(visibleLine(String(value)))}"`,
  );
  const head = `${name}${written.join('')}`;
  return inner === '' ? `<${head}/>\n` : `<${head}>${inner}</${name}>\n`;
}

/** Nothing that XML cannot hold is left. Colons and hashes as in `::` and `##[` could start a command of a log. */
function escaped(text: string): string {
  return characters(visible(text)).replace(
    /[&<>"']|:(?=:)|#(?=#)/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
