import type { LocatedFinding } from '../model/problem.js';
import { type TextOptions, visible, visibleLine } from './terminal.js';
import { count, wrap } from './words.js';

/** Problems of source files as compilers show them: position, line, caret, hint. */
export function renderFindingsText(findings: readonly LocatedFinding[], options: TextOptions): string {
  return findings.map((finding) => `${findingLines(finding, options).join('\n')}\n\n`).join('');
}

function findingLines(finding: LocatedFinding, { paint, width }: TextOptions): string[] {
  const { severity, code, file, line, column, message, hint } = finding;
  const colour = severity === 'warning' ? 'yellow' : 'red';
  const number = String(line);
  const margin = ' '.repeat(number.length);
  const { shown, caret } = excerpt(finding, width - number.length - 5);
  return [
    `${paint('bold', `${visibleLine(file)}:${line}:${column}`)}  ${paint(colour, severity)}  ${visibleLine(message)}  ${paint('dim', `[${code}]`)}`,
    `  ${paint('dim', `${number} │`)} ${shown}`,
    `  ${paint('dim', `${margin} │`)} ${paint(colour, caret)}`,
    ...(hint === '' ? [] : wrap(`→ ${visibleLine(hint)}`, width - 2).map((text) => `  ${text}`)),
  ];
}

/** The source line with carets below what is meant, cut around it where the line is too long. */
function excerpt(
  { excerpt, column, length }: LocatedFinding,
  room: number,
): { shown: string; caret: string } {
  const start = column - 1;
  const from = start + length <= room ? 0 : Math.max(0, start - Math.floor(room / 3));
  const before = visible(excerpt.slice(from, start).replaceAll('\t', ' '));
  const meant = visible(excerpt.slice(start, start + length).replaceAll('\t', ' '));
  const after = visible(excerpt.slice(start + length, from + room).replaceAll('\t', ' '));
  const lead = from > 0 ? '…' : '';
  const shown = `${lead}${before}${meant}${after}`;
  const caret = `${' '.repeat(lead.length + before.length)}${'^'.repeat(Math.max(1, Math.min(meant.length, room)))}`;
  return { shown: shown.length > room + 8 ? `${shown.slice(0, room + 7)}…` : shown, caret };
}

/** "2 errors and 1 warning in 3 manifests", or that all is well. */
export function findingsSummary(findings: readonly LocatedFinding[], manifests: number): string {
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  if (findings.length === 0) return `${count(manifests, 'manifest')} valid.`;
  const parts = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
  ];
  return `${parts.join(' and ')} in ${count(manifests, 'manifest')}.`;
}
