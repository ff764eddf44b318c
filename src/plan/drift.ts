/** `plan --drift`: a plan of which only changes made outside campaignctl remain. */
import { groupBy } from '../model/json.js';
import {
  type CampaignPlan,
  EMPTY_SUMMARY,
  isDrift,
  type OtherCampaign,
  type Plan,
  type PlannedChange,
  type PlanProblem,
} from '../model/outputs.js';
import { dayOf } from '../model/words.js';
import { problem } from './messages.js';

/** `renamed`: live names of campaigns that were renamed in the service, by the names in the manifests. */
export function keepDrift(plan: Plan, renamed: ReadonlyMap<string, string>): Plan {
  const campaigns = plan.campaigns.flatMap(({ refill: _, ...campaign }): CampaignPlan[] => {
    const changes = [
      ...nameChange(campaign, renamed),
      ...campaign.changes.filter(isDrift),
      ...switchedOff(campaign, plan.by_hand),
    ];
    const problems = losses(campaign, renamed.has(campaign.name));
    if (changes.length + problems.length === 0) return [];
    return [{ ...campaign, action: 'drift', changes, steps: [], problems, content: null, impact: null }];
  });
  const { length } = campaigns;
  const unchanged = plan.campaigns.length - length;
  // A predecessor is paused because of its successor's manifest, which is not drift.
  const asFound = (campaign: OtherCampaign) => ({ ...campaign, step: null });
  // A campaign whose manifest was renamed is shown as drift.
  const drifted = new Set(campaigns.map(({ id }) => id));
  const removed = plan.removed.filter(({ id }) => !drifted.has(id)).map(asFound);
  const replaced = plan.replaced.filter(({ superseded_by }) => superseded_by !== undefined).map(asFound);
  const summary = { ...EMPTY_SUMMARY, change: length, unchanged, removed: removed.length };
  const problems = [
    ...plan.problems.filter(isAboutStatus),
    ...heldLaunches(plan.campaigns),
    ...unknown(plan.campaigns),
  ];
  return { ...plan, mode: 'drift', summary, problems, campaigns, removed, replaced, by_hand: [] };
}

function nameChange({ name }: CampaignPlan, renamed: ReadonlyMap<string, string>): PlannedChange[] {
  const from = renamed.get(name);
  if (from === undefined) return [];
  return [
    { section: 'campaign', path: 'name', kind: 'update', from, to: name, note: null, origin: 'service' },
  ];
}

function switchedOff({ id, last }: CampaignPlan, tasks: Plan['by_hand']): PlannedChange[] {
  return tasks.flatMap((task): PlannedChange[] => {
    const { section, path, from, to } = task;
    if (last === null || task.id !== id || section !== 'sequence' || !path.endsWith('.active')) return [];
    return [{ section, path, kind: 'update', from, to, note: null, origin: 'service' }];
  });
}

const isUnknownStatus = ({ code }: PlanProblem) => code === 'unknown-status';
const isAboutStatus = (problem: PlanProblem) =>
  isUnknownStatus(problem) || problem.code === 'status-not-shown';

/**
 * Reports lost campaigns and sequences, renamed campaigns and unknown statuses as warnings, because drift needs no
 * approval.
 */
function losses({ problems, last }: CampaignPlan, isRenamed: boolean): PlanProblem[] {
  const isLoss = (problem: PlanProblem) =>
    problem.code === 'missing' ||
    problem.code === 'sequence-missing' ||
    problem.code === 'schedule-missing' ||
    (problem.code === 'rename' && isRenamed) ||
    (last !== null && (problem.code === 'campaign-gone' || isUnknownStatus(problem)));
  return problems.filter(isLoss).map((problem) => ({ ...problem, severity: 'warning' }));
}

function heldLaunches(campaigns: readonly CampaignPlan[]): PlanProblem[] {
  const held = campaigns.flatMap(({ name, launch_held: at }) =>
    at === undefined ? [] : [{ name, day: dayOf(at) }],
  );
  const byDay = groupBy(held, ({ day }) => day);
  const names = [...byDay].map(([day, all]) => [day, all.map(({ name }) => name)] as const);
  return names.length === 0 ? [] : [problem('launch-held/several', names)];
}

function unknown(campaigns: readonly CampaignPlan[]): PlanProblem[] {
  const unclear = campaigns.flatMap((campaign) => {
    const reason = whyUnknown(campaign);
    return reason === null ? [] : [{ name: campaign.name, reason }];
  });
  return unclear.length === 0 ? [] : [problem('drift-unknown', unclear)];
}

function whyUnknown({ id, last, changes, problems, launch_held }: CampaignPlan): string | null {
  if (id === null) return problems.some(({ code }) => code === 'rename') ? 'no campaign has its name' : null;
  if (last === null && launch_held === undefined) return 'never applied with this state';
  return changes.some(({ origin }) => origin === null) ? 'differences of unknown origin' : null;
}
