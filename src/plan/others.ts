/** Campaigns without a manifest: removed and replaced ones. */
import { isSameName } from '../model/characters.js';
import { isNone } from '../model/live.js';
import type { OtherCampaign, Plan, PlanProblem } from '../model/outputs.js';
import type { StateEntry } from '../model/state.js';
import { classifyStatus, provesRun, sending } from '../sections/sending.js';
import { status } from '../sections/status.js';
import type { LeftOver } from './by-hand.js';
import { hasLeads } from './hazards.js';
import { shownCap } from './volume.js';
import { isReplacedBy, lastSuccessor, type PlannedWork, type ReconciledWork } from './work.js';

export function isGone({ live, listed, context }: ReconciledWork): boolean {
  const word = listed?.status ?? null;
  const row = classifyStatus(word, context.environment.service.statuses);
  const isRead = live?.isRead === true && !isNone(live.record);
  if (!isRead) return word === null || row === 'gone';
  const status = sending(context);
  return status.meaning === 'gone' || (row === 'gone' && !provesRun(status));
}

/** A campaign without a manifest is paused only if it was replaced, or if `on_removal` says so. */
export function isLeftAsItIs(work: ReconciledWork): boolean {
  const { role, entry, outside, context } = work;
  if (role === 'declared') return false;
  if (isGone(work)) return true;
  if (role === 'replaced') return false;
  const isReplaced = entry?.recorded.superseded_by !== undefined;
  return outside || (!isReplaced && context.environment.on_removal !== 'pause');
}

export function describeOthers(works: readonly PlannedWork[]): Pick<Plan, 'removed' | 'replaced'> {
  const described = works.flatMap((work) => {
    const campaign = describeOther(work);
    return campaign === null ? [] : [{ role: work.role, campaign }];
  });
  const isRemoved = ({ role, campaign }: (typeof described)[number]) =>
    role === 'removed' && campaign.superseded_by === undefined;
  const campaigns = (some: typeof described) => some.map(({ campaign }) => campaign);
  return {
    removed: campaigns(described.filter(isRemoved)),
    replaced: campaigns(described.filter((one) => !isRemoved(one))),
  };
}

function describeOther(work: PlannedWork): OtherCampaign | null {
  const { role, id, entry, listed, outside, pending, context, plan } = work;
  const [step = null] = plan.steps;
  const by = entry?.recorded.superseded_by;
  if (role === 'declared' || id === null || isGone(work)) return null;
  // The desired status is `paused`, so a step means that the campaign may be sending.
  const running = status.plan(context).steps.length > 0;
  const isQuiet = role === 'replaced' ? step === null : by !== undefined && !running && pending.length === 0;
  if (isQuiet) return null;
  const { word, meaning, basis, since } = sending(context);
  const cap = shownCap(context);
  return {
    id,
    name: listed?.name ?? plan.name,
    manifest: plan.manifest,
    outside,
    running,
    step,
    status: word,
    basis: meaning === 'unknown' ? 'unknown' : basis,
    ...(since === null ? {} : { since }),
    max_emails_per_day: typeof cap === 'number' ? cap : null,
    ...(by === undefined ? {} : { superseded_by: by }),
  };
}

export function problemsOfOther({ context, plan }: PlannedWork): PlanProblem[] {
  return plan.problems.map((problem) => ({
    ...problem,
    message: `"${context.spec.name}": ${problem.message}`,
  }));
}

/**
 * Idle campaigns that a person may delete. A replaced one may be deleted once its last successor has leads and is running
 * or finished.
 */
export function leftOver(works: readonly PlannedWork[], entries: readonly StateEntry[]): LeftOver[] {
  const successors = new Map(works.map(({ id, predecessor }) => [predecessor?.id, id]));
  const entriesById = new Map(entries.map((entry) => [entry.id, entry]));
  return works.flatMap((work) => {
    const { role, id, entry, listed, outside, context, plan } = work;
    if (role === 'declared' || id === null || entry === null || outside || isGone(work)) return [];
    const by = entry.recorded.superseded_by;
    const isDone = role === 'removed' || isReplacedBy(entry, successors.get(id) ?? null);
    const { word, meaning } = sending(context);
    const isIdle = meaning === 'stopped' || meaning === 'finished';
    const name = listed?.name ?? entry.name;
    if (!isDone || !isIdle) return [];
    const leftover = { id, name, manifest: plan.manifest, status: word };
    if (by === undefined) return [leftover];
    const last = works.find((other) => other.id === lastSuccessor(id, entriesById));
    const runs = last !== undefined && provesRun(sending(last.context)) && hasLeads(last.context);
    return runs && isSameName(name, entry.name) ? [{ ...leftover, superseded_by: by }] : [];
  });
}
