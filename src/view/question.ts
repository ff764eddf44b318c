import type { Plan } from '../model/outputs.js';
import { count } from '../model/words.js';
import { type Count, countWords, viewPlan } from './plan-view.js';
import { visibleLine } from './terminal.js';
import { broken, hanging, namesWithin, unbroken } from './words.js';

const LONGEST = 200;

export function renderQuestion(plan: Plan, width = 100): string {
  const { counts, campaigns, notices, environment } = viewPlan(plan);
  const launched = campaigns
    .filter(({ isLaunch }) => isLaunch)
    .map(({ name }) => unbroken(visibleLine(name)));
  const saidCounts = (all: readonly Count[]) => all.filter(({ kind }) => SAID.has(kind));
  const accepted = notices.filter(({ kind }) => kind === 'accepted').flatMap(({ sayings }) => sayings);
  const lines = [
    countWords({ campaigns: saidCounts(counts.campaigns), rest: saidCounts(counts.rest) }),
    ...notices.flatMap(({ kind, title }) => {
      if (kind === 'launch') return [`${title} (${namesWithin(launched, LONGEST)})`];
      return kind === 'irreversible' ? [title] : [];
    }),
    ...new Set(accepted.map(({ code, hint }) => `${code}: ${visibleLine(hint)}`)),
  ];
  const sentences = lines
    .filter((line) => line !== '')
    .flatMap((line) => hanging(line, width - 4).map((part) => `  ${broken(part)}\n`));
  return `\nThis sends ${count(plan.summary.requests, 'request')} to ${environment}:\n${sentences.join('')}Send? Only "yes" sends: `;
}

const SAID: ReadonlySet<Count['kind']> = new Set(['create', 'change', 'blocked', 'pause']);
