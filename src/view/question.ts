import type { Plan } from '../model/outputs.js';
import { count } from '../model/words.js';
import { isHeadline } from './plan-notices.js';
import { plainLines } from './plan-text.js';
import { type Count, countWords, viewPlan } from './plan-view.js';
import { visibleLine } from './terminal.js';
import { hanging } from './words.js';

const MOST_LAUNCHES = 15;

export function renderQuestion(plan: Plan, width = 100): string {
  const { counts, notices, environment } = viewPlan(plan);
  const shownCounts = (all: readonly Count[]) => all.filter(({ kind }) => SHOWN.has(kind));
  const accepted = notices.filter(({ kind }) => kind === 'accepted').flatMap(({ messages }) => messages);
  const fitted = (line: string) => (line === '' ? [] : hanging(line, width - 4));
  const launches = { width: width - 2, most: MOST_LAUNCHES, more: '' };
  const lines = [
    ...fitted(countWords({ campaigns: shownCounts(counts.campaigns), rest: shownCounts(counts.rest) })),
    ...notices
      .filter(isHeadline)
      .flatMap(({ title, messages }) => [...fitted(title), ...plainLines(messages, launches)]),
    ...[...new Set(accepted.map(({ code, hint }) => `${code}: ${visibleLine(hint)}`))].flatMap(fitted),
  ];
  const sentences = lines.map((line) => `  ${line}\n`).join('');
  return `\nThis sends ${count(plan.summary.requests, 'request')} to ${environment}:\n${sentences}Type "yes" to send: `;
}

const SHOWN: ReadonlySet<Count['kind']> = new Set(['create', 'change', 'blocked', 'pause']);
