/** Campaigns without a manifest: removed and replaced ones. */
import { isSameName } from '../model/characters.js';
import type { OtherCampaign, PlanProblem } from '../model/outputs.js';
import type { StateEntry } from '../model/state.js';
import type { Target } from '../model/target.js';
import { classifyStatus } from '../sections/sending.js';
import { status } from '../sections/status.js';
import type { LeftOver } from './by-hand.js';
import { hasLeads } from './hazards.js';
import { isSucceededBy, lastSuccessor, type Planned } from './planned.js';
import { shownCap } from './volume.js';

export function isGone({ row, live, status, environment }: Target): boolean {
  const word = row?.status ?? null;
  const listed = classifyStatus(word, environment.service.statuses);
  const isRead = live?.isRead === true && live.record.is !== 'not-read';
  if (!isRead) return word === null || listed === 'gone';
  return status.meaning === 'gone' || (listed === 'gone' && !status.provesRun);
}

/** A campaign without a manifest is paused only if it has a successor, or if `on_removal` says so. */
export function isLeftAsItIs(target: Target): boolean {
  const { role, entry, outside, environment } = target;
  if (role === 'declared') return false;
  if (isGone(target)) return true;
  if (role === 'replaced') return false;
  const hasSuccessor = entry?.recorded.superseded_by !== undefined;
  return outside || (!hasSuccessor && environment.on_removal !== 'pause');
}

/** Campaigns without a manifest that a reader must know of. */
export interface Others {
  removed: OtherCampaign[];
  replaced: OtherCampaign[];
}

export function describeOthers(works: readonly Planned[]): Others {
  const others = works.filter(({ target }) => target.role !== 'declared');
  const described = others.flatMap((work) => {
    const campaign = describeOther(work);
    return campaign === null ? [] : [{ role: work.target.role, campaign }];
  });
  const isRemoved = ({ role, campaign }: (typeof described)[number]) =>
    role === 'removed' && campaign.superseded_by === undefined;
  const campaigns = (some: typeof described) => some.map(({ campaign }) => campaign);
  return {
    removed: campaigns(described.filter(isRemoved)),
    replaced: campaigns(described.filter((other) => !isRemoved(other))),
  };
}

function describeOther(work: Planned): OtherCampaign | null {
  const { target, plan } = work;
  const { role, id, entry, row, outside, pending } = target;
  const [step = null] = plan.steps;
  const successor = entry?.recorded.superseded_by;
  if (id === null || isGone(target)) return null;
  // The desired status is `paused`, so a step means that the campaign may be sending.
  const running = status.plan(target).steps.length > 0;
  const isQuiet =
    role === 'replaced' ? step === null : successor !== undefined && !running && pending.length === 0;
  if (isQuiet) return null;
  const { word, meaning, basis, since } = target.status;
  const cap = shownCap(target);
  return {
    id,
    name: row?.name ?? plan.name,
    manifest: plan.manifest,
    outside,
    running,
    step,
    status: word,
    basis: meaning === 'unknown' ? 'unknown' : basis,
    ...(since === null ? {} : { since }),
    max_emails_per_day: typeof cap === 'number' ? cap : null,
    ...(plan.stopping_leads === undefined ? {} : { stopping_leads: plan.stopping_leads }),
    ...(successor === undefined ? {} : { superseded_by: successor }),
  };
}

export function problemsOfOther({ target, plan }: Planned): PlanProblem[] {
  return plan.problems.map((problem) => ({
    ...problem,
    message: `"${target.spec.name}": ${problem.message}`,
  }));
}

/**
 * Idle campaigns that a person may delete. A predecessor may be deleted once its last successor has leads and is running
 * or finished.
 */
export function leftOver(works: readonly Planned[], entries: readonly StateEntry[]): LeftOver[] {
  const successors = new Map(works.map(({ target: { id, predecessor } }) => [predecessor?.id, id]));
  const entriesById = new Map(entries.map((entry) => [entry.id, entry]));
  return works.flatMap(({ target, plan }) => {
    const { role, id, entry, row, outside } = target;
    if (role === 'declared' || id === null || entry === null || outside || isGone(target)) return [];
    const successor = entry.recorded.superseded_by;
    const isDone = role === 'removed' || isSucceededBy(entry, successors.get(id) ?? null);
    const { word, meaning } = target.status;
    const isIdle = meaning === 'stopped' || meaning === 'finished';
    const name = row?.name ?? entry.name;
    if (!isDone || !isIdle) return [];
    const leftover = { id, name, manifest: plan.manifest, status: word };
    if (successor === undefined) return [leftover];
    const last = works.find(({ target: other }) => other.id === lastSuccessor(id, entriesById));
    const runs = last?.target.status.provesRun === true && hasLeads(last.target);
    return runs && isSameName(name, entry.name) ? [{ ...leftover, superseded_by: successor }] : [];
  });
}
