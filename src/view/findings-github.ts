import type { LocatedFinding } from '../model/problem.js';
import { printable, visibleLine } from './terminal.js';
import { count } from './words.js';

/** Annotations of one level that GitHub keeps of a step. What comes later is dropped without a word. */
const MOST = 10;

/**
 * Problems of source files as workflow commands, a line each: GitHub shows them at the lines of a pull request. Files have to
 * be named from the root of the repository. The lines are for `Shell.annotate`; the log has to show all findings besides.
 */
export function renderFindingsGithub(findings: readonly LocatedFinding[]): string {
  const errors = variedFirst(findings.filter(({ severity }) => severity !== 'warning'));
  const warnings = variedFirst(findings.filter(({ severity }) => severity === 'warning'));
  return [
    ...errors.slice(0, MOST).map((finding) => annotation('error', finding)),
    ...warnings.slice(0, MOST).map((finding) => annotation('warning', finding)),
    ...whatIsLeft(errors.length - MOST, warnings.length - MOST),
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
  return command(level, { ...place, title: code }, text);
}

function whatIsLeft(errors: number, warnings: number): string[] {
  const left = [
    ...(errors > 0 ? [count(errors, 'more error')] : []),
    ...(warnings > 0 ? [count(warnings, 'more warning')] : []),
  ];
  if (left.length === 0) return [];
  const text = `GitHub shows ${MOST} errors and ${MOST} warnings of a step. There are ${left.join(' and ')}: the log of this step has them all.`;
  return [command('notice', { title: `${left.join(' and ')} in the log` }, text)];
}

/** One line as the runner reads it (`ActionCommand.cs` in actions/runner), which undoes the escapes in this order reversed. */
function command(
  name: 'error' | 'warning' | 'notice',
  properties: Record<string, string | number>,
  text: string,
): string {
  const written = Object.entries(properties).map(([key, value]) => `${key}=${property(String(value))}`);
  return `::${name} ${written.join(',')}::${data(printable(text))}\n`;
}

function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
