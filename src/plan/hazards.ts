import type { Approval } from '../model/environment.js';
import {
  type CampaignPlan,
  groupProblems,
  type Plan,
  type Problem,
  type ProblemGroup,
  type RemovedCampaign,
} from '../model/outputs.js';

/** Below this number of campaigns a share says nothing; both are those of octoDNS' safety, which people know. */
const MASS_FLOOR = 25;
const MASS_SHARE = 0.3;

/** A plan that changes very much at once is more often a wrong token or a wrong folder than an intention. */
export function massChange(
  campaigns: readonly CampaignPlan[],
  liveCount: number,
  removed: readonly RemovedCampaign[] = [],
): Problem[] {
  const sent = campaigns.filter(({ steps }) => steps.length > 0);
  const paused = removed.filter(({ step }) => step !== null).length;
  const [changing, all] = [sent.length + paused, campaigns.length + removed.length];
  const allNew = liveCount === 0 && sent.every(({ id }) => id === null);
  if (allNew || changing <= MASS_FLOOR || changing <= MASS_SHARE * all) return [];
  const percent = Math.round((100 * changing) / all);
  return [
    {
      code: 'mass-change',
      severity: 'hazard',
      message: `${changing} of ${all} campaigns (${percent} %) would change at once.`,
      hint: 'Check the environment and the files. If you mean it, accept with --allow mass-change; --target NAME plans single campaigns.',
    },
  ];
}

/** Nothing that was ever applied here is in the list: apply would create a campaign in another workspace. */
export function lostWorkspace(
  campaigns: readonly CampaignPlan[],
  listed: readonly { id: number }[],
  entries: readonly { id: number }[],
): Problem[] {
  const shown = new Set(listed.map(({ id }) => id));
  const creates = campaigns.some(({ id, steps }) => id === null && steps.length > 0);
  const told = campaigns.some(({ problems }) => problems.some(({ code }) => code === 'missing'));
  if (!creates || told || entries.length === 0 || entries.some(({ id }) => shown.has(id))) return [];
  const known = entries.length === 1 ? 'The campaign' : `None of the ${entries.length} campaigns`;
  return [
    {
      code: 'missing',
      severity: 'hazard',
      message: `${known} that ${entries.length === 1 ? 'was applied here is not' : 'were applied here is'} in the workspace that the token shows, and apply would create a new one in it.`,
      hint: 'Check that the token belongs to the right workspace. If the campaigns were deleted on purpose, accept with --allow missing.',
    },
  ];
}

/** Hazards with what accepts them; other problems as they are. */
export function withApprovals(problems: readonly Problem[], approvals: readonly Approval[]): Problem[] {
  return problems.map((problem) => {
    if (problem.severity !== 'hazard') return problem;
    const approval = approvals.find(({ hazard }) => hazard === problem.code);
    return { ...problem, accepted_by: approval?.by ?? null };
  });
}

/** The hazards of a plan that need approval, one entry a kind. */
export function refusals(plan: Plan): ProblemGroup[] {
  return groupProblems(
    plan,
    ({ severity, accepted_by = null }) => severity === 'hazard' && accepted_by === null,
  );
}
