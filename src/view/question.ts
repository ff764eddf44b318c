import { groupProblems, type Plan } from '../model/outputs.js';
import { count, thousands } from '../model/words.js';
import { isLaunched } from './plan-notices.js';
import { type Count, viewPlan } from './plan-view.js';
import { visibleLine } from './terminal.js';
import { cut } from './words.js';

const LONGEST = 200;

/** What apply is about to send, in the counts of the plan and in names, and the question whether it may. */
export function renderQuestion(plan: Plan): string {
  const { summary, environment, campaigns } = plan;
  const { counts } = viewPlan(plan);
  const steps = campaigns.flatMap((campaign) => campaign.steps);
  const launched = campaigns.filter(isLaunched).map(({ name }) => visibleLine(name));
  const mailing = `${count(launched.length, 'launch', 'launches')}, mailing real people`;
  const irreversible = steps.filter((step) => step.irreversible).length;
  const accepted = groupProblems(plan, ({ accepted_by = null }) => accepted_by !== null);
  const said = [...counts.campaigns, ...counts.rest].filter(({ kind }) => !UNSAID.has(kind));
  const lines = [
    said.map(({ number, words }) => `${thousands(number)} ${words}`).join(', '),
    launched.length > 0 ? `${mailing}: ${cut(launched.join(', '), LONGEST)}` : '',
    attached(plan),
    irreversible > 0 ? `${count(irreversible, 'request')} irreversible` : '',
    ...accepted.map(({ code, accepted_by }) => `${code} is accepted by ${accepted_by}`),
  ];
  const told = lines.filter((line) => line !== '').map((line) => `  ${line}\n`);
  return `\nThis sends ${count(summary.requests, 'request')} to ${environment}:\n${told.join('')}Send? Only "yes" sends: `;
}

/** Said elsewhere in the question, or nothing that is sent. */
const UNSAID: ReadonlySet<Count['kind']> = new Set(['unchanged', 'launch', 'removed', 'requests', 'drift']);

/** "leads attached: lists 12, 77 and 340 individual leads". */
function attached({ campaigns }: Plan): string {
  const bodies = campaigns.flatMap(({ steps }) =>
    steps.filter(({ section }) => section === 'leads').map(({ body }) => body),
  );
  const lists = [...new Set(bodies.flatMap((body) => body?.lead_list_id ?? []))].map(Number);
  const leads = bodies.flatMap((body) => body?.lead_ids ?? []).length;
  const ids = lists.sort((one, other) => one - other).join(', ');
  const parts = [
    ...(lists.length > 0 ? [cut(`list${lists.length === 1 ? '' : 's'} ${ids}`, LONGEST)] : []),
    ...(leads > 0 ? [count(leads, 'individual lead')] : []),
  ];
  return parts.length === 0 ? '' : `leads attached: ${parts.join(' and ')}`;
}
