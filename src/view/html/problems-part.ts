import type { Problem } from '../../model/problem.js';
import { type Html, html } from '../html-page.js';

/** Words for a reader who has never seen the tool. */
const SEVERITIES: Record<Problem['severity'], string> = {
  error: 'Error',
  blocked: 'Not possible',
  hazard: 'To be accepted',
  warning: 'Note',
};

/** Problems with their way out. */
export function problemList(problems: readonly Problem[]): Html | null {
  if (problems.length === 0) return null;
  return html`<ul class="problems">${problems.map(problemItem)}</ul>`;
}

function problemItem({ severity, message, hint, code }: Problem): Html {
  const way = hint === '' ? null : html`<span class="hint">${hint}</span>`;
  return html`<li class="${severity}"><strong>${SEVERITIES[severity]}</strong> <code>${code}</code><span>${message}</span>${way}</li>`;
}
