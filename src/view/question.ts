import { groupProblems, type Plan } from '../model/outputs.js';
import { visibleLine } from './terminal.js';
import { count, counts, cut, thousands } from './words.js';

const LONGEST = 200;

/** What apply is about to send, in numbers and names, and the question whether it may. */
export function renderQuestion(plan: Plan): string {
  const { summary, environment, campaigns } = plan;
  const steps = campaigns.flatMap((campaign) => campaign.steps);
  const names = campaigns
    .filter((one) => one.steps.some(({ id }) => id === 'launch'))
    .map(({ name }) => name);
  const touched = (isNew: boolean) =>
    campaigns.filter((one) => one.steps.length > 0 && (one.id === null) === isNew).length;
  const launched = cut(names.map(visibleLine).join(', '), LONGEST);
  const irreversible = steps.filter((step) => step.irreversible).length;
  const accepted = groupProblems(plan, ({ accepted_by = null }) => accepted_by !== null);
  const lines = [
    counts([touched(true), 'created'], [touched(false), 'changed'], [summary.pause, 'paused']).join(', '),
    names.length > 0 ? `${count(names.length, 'campaign')} launched, mailing real people: ${launched}` : '',
    attached(plan),
    irreversible > 0 ? `${count(irreversible, 'request')} irreversible` : '',
    ...accepted.map(({ code, accepted_by }) => `${code} is accepted by ${accepted_by}`),
  ];
  const told = lines.filter((line) => line !== '').map((line) => `  ${line}\n`);
  return `\nThis sends ${count(summary.requests, 'request')} to ${environment}:\n${told.join('')}Send? Only "yes" sends: `;
}

/** "leads attached: lists 12, 77 and 340 individual leads". */
function attached({ campaigns }: Plan): string {
  const bodies = campaigns.flatMap(({ steps }) =>
    steps.filter(({ section }) => section === 'leads').map(({ body }) => body),
  );
  const lists = [...new Set(bodies.flatMap((body) => body?.lead_list_id ?? []))].map(Number);
  const leads = bodies.reduce(
    (sum, body) => sum + (Array.isArray(body?.lead_ids) ? body.lead_ids.length : 0),
    0,
  );
  const parts = [
    lists.length > 0
      ? cut(`list${lists.length === 1 ? '' : 's'} ${lists.sort((a, b) => a - b).join(', ')}`, LONGEST)
      : '',
    leads > 0 ? `${thousands(leads)} individual lead${leads === 1 ? '' : 's'}` : '',
  ].filter((part) => part !== '');
  return parts.length === 0 ? '' : `leads attached: ${parts.join(' and ')}`;
}
