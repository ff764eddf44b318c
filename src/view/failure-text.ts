import type { Failure } from '../model/failure.js';
import { renderFindingsText } from './findings.js';
import { problemLines } from './plan-text.js';
import { type TextOptions, visibleLine } from './terminal.js';
import { cut } from './words.js';

/** What stopped a command: its findings in the sources, then the reasons with their ways out. */
export function renderFailureText(failure: Failure, options: TextOptions): string {
  const main = {
    code: failure.code,
    severity: 'error' as const,
    message: failure.message,
    hint: failure.hint,
  };
  const [first = '', ...rest] = problemLines(main, options, '');
  const details = failure.details.map((line) => `    ${cut(visibleLine(line), options.width - 4)}`);
  // The details belong to the message, and the way out comes last.
  const hint = rest.findIndex((line) => line.includes('→'));
  const at = hint < 0 ? rest.length : hint;
  const others = failure.others.flatMap((problem) => problemLines(problem, options, ''));
  const lines = [first, ...rest.slice(0, at), ...details, ...rest.slice(at), ...others];
  return `${renderFindingsText(failure.findings, options)}${lines.join('\n')}\n`;
}
