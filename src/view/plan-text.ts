import { campaignsWithSteps, type Plan, type Step } from '../model/outputs.js';
import { count } from '../model/words.js';
import { documentText } from './document-text.js';
import { messageLines } from './notice-text.js';
import type { PlanTextOptions } from './options.js';
import { countWords, type PlanCount } from './plan-counts.js';
import { planDocument } from './plan-document.js';
import { isHeadline } from './plan-notices.js';
import { viewPlan } from './plan-view.js';
import { plain, visibleLine } from './terminal.js';
import { environmentWords, hanging } from './words.js';

export function renderPlanText(plan: Plan, options: PlanTextOptions = { paint: plain, width: 100 }): string {
  const { place, saved = null } = options;
  const placed = place === undefined ? {} : { placeOf: () => place };
  return documentText(planDocument(plan, { ...placed, saved }), options);
}

/** For each request, shows `METHOD path` and the body as one line of JSON. */
export function renderRequestsText(plan: Plan): string {
  const request = ({ method, path, body }: Step) =>
    `${method} ${path}\n${body === null ? '' : `  ${visibleLine(JSON.stringify(body))}\n`}`;
  return campaignsWithSteps(plan)
    .map(({ name, steps }) => `# ${visibleLine(name)}\n${steps.map(request).join('')}\n`)
    .join('');
}

const MAX_LAUNCHES = 15;

export function renderQuestion(plan: Plan, width = 100): string {
  const { counts, notices } = viewPlan(plan);
  const shownCounts = (all: readonly PlanCount[]) => all.filter(({ kind }) => SHOWN.has(kind));
  const accepted = notices.filter(({ kind }) => kind === 'accepted').flatMap(({ messages }) => messages);
  const fitted = (line: string) => (line === '' ? [] : hanging(line, width - 4));
  const launches = { width: width - 2, most: MAX_LAUNCHES, more: '' };
  const lines = [
    ...fitted(countWords({ campaigns: shownCounts(counts.campaigns), rest: shownCounts(counts.rest) })),
    ...notices
      .filter(isHeadline)
      .flatMap(({ title, messages }) => [...fitted(title), ...messageLines(messages, launches)]),
    ...[...new Set(accepted.map(({ code, hint }) => `${code}: ${visibleLine(hint)}`))].flatMap(fitted),
  ];
  const sentences = lines.map((line) => `  ${line}\n`).join('');
  return `\nThis sends ${count(plan.summary.requests, 'request')} to ${environmentWords(plan)}:\n${sentences}Type "yes" to send: `;
}

const SHOWN: ReadonlySet<PlanCount['kind']> = new Set(['create', 'change', 'blocked', 'pause']);
