import type { Failure } from '../model/failure.js';
import { renderFindingsText } from './findings-text.js';
import { problemLines, type TextOptions } from './plan-text.js';

/** What stopped a command: its findings in the sources, then the reasons with their ways out. */
export function renderFailureText(failure: Failure, options: TextOptions): string {
  const main = {
    code: failure.code,
    severity: 'error' as const,
    message: failure.message,
    hint: failure.hint,
  };
  const problems = [main, ...failure.others];
  return `${renderFindingsText(failure.findings, options)}${problems.map((problem) => problemLines(problem, options, '').join('\n')).join('\n')}\n`;
}
