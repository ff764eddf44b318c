import { groupProblems, type Plan } from '../model/outputs.js';
import { count, thousands } from '../model/words.js';
import { isLaunched } from './plan-notices.js';
import { type Count, viewPlan } from './plan-view.js';
import { visibleLine } from './terminal.js';
import { broken, hanging, launchCount, namesWithin, unbroken } from './words.js';

const LONGEST = 200;

/** Counts, names and the question. */
export function renderQuestion(plan: Plan, width = 100): string {
  const { summary, environment, campaigns } = plan;
  const { counts } = viewPlan(plan);
  const steps = campaigns.flatMap((campaign) => campaign.steps);
  const launched = campaigns.filter(isLaunched).map(({ name }) => visibleLine(name));
  const mailing = `${launchCount(summary)}, mailing ${audience(campaigns)}`;
  const irreversible = steps.filter((step) => step.irreversible).length;
  const accepted = groupProblems(plan, ({ accepted_by = null }) => accepted_by !== null);
  const shownCounts = [...counts.campaigns, ...counts.rest].filter(({ kind }) => !UNSAID.has(kind));
  const lines = [
    shownCounts.map(({ number, words }) => `${thousands(number)} ${words}`).join(', '),
    launched.length > 0 ? `${mailing}: ${namesWithin(launched.map(unbroken), LONGEST)}` : '',
    attached(plan),
    irreversible > 0
      ? `${thousands(irreversible)} of ${count(summary.requests, 'request')} irreversible`
      : '',
    ...accepted.map(({ code, accepted_by }) => `${code} is accepted by ${accepted_by}`),
  ];
  const sentences = lines
    .filter((line) => line !== '')
    .flatMap((line) => hanging(line, width - 4).map((part) => `  ${broken(part)}\n`));
  return `\nThis sends ${count(summary.requests, 'request')} to ${environment}:\n${sentences.join('')}Send? Only "yes" sends: `;
}

/** "about 1,200 real people", as far as shown. */
function audience(campaigns: Plan['campaigns']): string {
  const impacts = campaigns.filter(isLaunched).map(({ impact }) => impact);
  const leads = impacts.reduce((sum, impact) => sum + (impact?.leads ?? 0), 0);
  const isAll = impacts.every((impact) => impact !== null && impact.leads !== null && !impact.and_more);
  if (leads === 0) return 'real people';
  return `${isAll ? 'about' : 'more than'} ${thousands(leads)} real ${leads === 1 ? 'person' : 'people'}`;
}

/** Counts that the question has elsewhere, or that send nothing. */
const UNSAID: ReadonlySet<Count['kind']> = new Set([
  'unchanged',
  'launch',
  'removed',
  'requests',
  'drift',
  'warnings',
  'by_hand',
]);

/** "leads attached: lists 12, 77 and 340 individual leads" */
function attached({ campaigns }: Plan): string {
  const bodies = campaigns.flatMap(({ steps }) =>
    steps.filter(({ section }) => section === 'leads').map(({ body }) => body),
  );
  const lists = [...new Set(bodies.flatMap((body) => body?.lead_list_id ?? []))].map(Number);
  const leads = bodies.flatMap((body) => body?.lead_ids ?? []).length;
  const ids = lists.sort((a, b) => a - b).map(String);
  const parts = [
    ...(lists.length > 0 ? [`list${lists.length === 1 ? '' : 's'} ${namesWithin(ids, LONGEST)}`] : []),
    ...(leads > 0 ? [count(leads, 'individual lead')] : []),
  ];
  return parts.length === 0 ? '' : `leads attached: ${parts.join(' and ')}`;
}
