import type { Approval } from '../model/environment.js';
import {
  type CampaignPlan,
  groupProblems,
  type Plan,
  type Problem,
  type ProblemGroup,
  type RemovedCampaign,
  type Step,
} from '../model/outputs.js';
import type { PendingOperations } from '../model/state.js';
import type { CampaignContext } from '../sections/index.js';
import { hasRun, type LiveStatus, liveStatus, mayBePaused, maySend } from '../sections/status.js';

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

/** The status of a campaign that sends, or of which it is not known that it does not; null for one that does not send. */
export function sendingStatus(context: CampaignContext): LiveStatus | null {
  if (context.id === null) return null;
  const status = liveStatus(context);
  return maySend(status) ? status : null;
}

export function campaignThat({ word, meaning, believed }: LiveStatus): string {
  if (believed)
    return word === null
      ? 'a campaign that may be sending (the service shows no status, and the state does not know it)'
      : 'a campaign that was launched from here (the service shows no status)';
  switch (meaning) {
    case 'starting':
      return `a campaign that is being launched ("${word}")`;
    case 'finished':
      return `a campaign that has sent everything ("${word}") and may go on with new leads`;
    case 'unknown':
      return word === null
        ? 'a campaign that may be sending (the service shows no status)'
        : `a campaign that may be sending ("${word}" is not a known status)`;
    default:
      return `a campaign that is sending ("${word}")`;
  }
}

/** The other way out where it is not known what a status means; empty for one that is known. */
export function howToDeclare({ word, meaning, believed }: LiveStatus): string {
  if (meaning !== 'unknown' || believed) return '';
  return word === null
    ? '; or if the service never shows a status, write status: hidden under service in the project file'
    : `; or say under service.statuses in the project file what "${word}" means`;
}

/**
 * The status of a campaign that the state does not know and that sends, or of which it is not known that it does not: it may be
 * someone else's. Null for any other.
 */
export function strangerStatus(context: CampaignContext, isKnown: boolean): LiveStatus | null {
  return isKnown ? null : sendingStatus(context);
}

/** What needs approval before anything is sent to such a campaign. `unlike`: what sets it apart from the one that the state knows. */
export function adoptHazard(
  steps: readonly Step[],
  status: LiveStatus | null,
  unlike = 'The state does not know this campaign',
): Problem[] {
  if (status === null || steps.length === 0) return [];
  const requests = steps.map(({ title }) => title).join(', ');
  return [
    {
      code: 'adopt',
      severity: 'hazard',
      message: `${unlike}, ${campaignThat(status)}: it may be someone else's. Apply would send to it: ${requests}.`,
      hint: 'If it is yours, accept with --allow adopt, and the state knows it from then on. If it is not, give the manifest another name.',
    },
  ];
}

/**
 * What needs approval before a sequence is replaced of which leads may have had emails. What a service does with them then, no document
 * tells.
 */
export function replaceHazard(context: CampaignContext, steps: readonly Step[]): Problem[] {
  const { id, answers, environment } = context;
  const isPosted = steps.some((step) => step.id === 'sequence');
  const isReplaced = environment.service.sequence_repost === 'replace' && answers?.sequence?.none === false;
  if (id === null || !isPosted || !isReplaced || !mayHaveRun(context)) return [];
  const status = sendingStatus(context);
  const which = status === null ? 'a campaign that has run, or may have' : campaignThat(status);
  return [
    {
      code: 'replace-sequence',
      severity: 'hazard',
      message: `Apply would replace the emails of ${which}. Leads in the middle of them may get emails again from the first step, or miss some: what this service does with them is not known.`,
      hint: "Find it out on a campaign of your own leads, and then accept with --allow replace-sequence. Or make the change in the service's web app and plan again, or replace the campaign by a new one (replaces: in its manifest).",
    },
  ];
}

/** A campaign that shows that it is a draft, or that was made here and is not known to have run, has not. */
function mayHaveRun(context: CampaignContext): boolean {
  return hasRun(context) ?? mayBePaused(liveStatus(context));
}

/** Another apply that holds the lock, in words. `certain`: it is at work; else it may have ended. */
export interface OtherApply {
  holder: string;
  certain: boolean;
}

/** What an apply sends while this is planned is not what was read. */
export function applyAtWork(other: OtherApply | null): Problem[] {
  if (other === null) return [];
  const { holder, certain } = other;
  const [advice, hint] = certain
    ? [
        'This plan does not show what it sends, and may take what it has already made for the work of others.',
        'Plan again once it has ended.',
      ]
    : [
        'This machine cannot tell whether it still runs. If it does, this plan does not show what it sends, and takes it for a run that ended.',
        'If it still runs, plan again once it has ended. If it has ended, campaignctl unlock removes its lock.',
      ];
  const message = `The state is locked by another apply (${holder}). ${advice}`;
  return [{ code: 'apply-at-work', severity: 'warning', message, hint }];
}

/** Probes that died: what they made is no one's campaign, and nothing goes on with it. The next apply or probe closes them. */
export function unfinishedProbes(
  probes: readonly PendingOperations[],
  rows: readonly { id: number; name: string }[],
): Problem[] {
  return probes.map(({ name, at, who, id: made }) => {
    const id = rows.find((row) => row.name === name)?.id ?? made;
    const what = id === null ? `It may have made "${name}".` : `It made campaign ${id}, "${name}".`;
    return {
      code: 'unfinished-probe',
      severity: 'warning',
      message: `A probe (${who}, ${at}) did not finish. ${what}`,
      hint: "Delete that campaign in the service's web app: it has no leads, and no manifest refers to it.",
    };
  });
}
