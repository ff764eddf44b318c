import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import {
  common,
  isEmpty,
  leadRefs,
  listIdOf,
  refillOf,
  union,
  without,
  withoutRefills,
} from '../model/leads.js';
import { isNone, type LiveCampaign, liveCampaign } from '../model/live.js';
import type { PlanProblem, Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import {
  type LeadRefs,
  NO_LEADS,
  type PendingOperations,
  type RecordedState,
  type StateEntry,
  UNKNOWN_STATE,
} from '../model/state.js';
import type { Target } from '../model/target.js';
import { accountedLeads, sentLeads, totalLeads } from '../sections/leads.js';
import {
  classifyStatus,
  hasRun,
  mailingStatus,
  mayLaunch,
  othersShowStatus,
  runWords,
  shownStatuses,
} from '../sections/sending.js';
import { resumes } from '../sections/status.js';
import { problem, type SharedLeads } from './messages.js';
import { hasStep, type IdleOwner, isDeclared, type Planned } from './planned.js';
import { isPendingFor, recordEarlierStep } from './reconcile.js';

/** A campaign that may have mailed leads. */
interface ShownOwner {
  id: number | null;
  name: string;
  recorded: RecordedState;
  /** `null` if the plan creates it. */
  live: LiveCampaign | null;
  work: Planned | null;
}

export interface LeadOwner extends ShownOwner {
  manifest: string;
  /** Leads after the plan is applied. */
  leads: LeadRefs;
  /** "is sending", "has run" or "may have run"; `null` if it never ran. */
  ran: string | null;
}

/**
 * Campaigns that may have mailed leads: those in the state, even if they are gone, and live ones whose manifests name leads.
 */
export function leadOwners(
  entries: readonly StateEntry[],
  manifests: readonly Target[],
  known: {
    environment: Environment;
    listed: readonly ListedCampaign[];
    pending: readonly PendingOperations[];
  },
): LeadOwner[] {
  const owners = new Map(stateOwners(entries, known).map((owner) => [owner.id, owner]));
  for (const { id, row: listed, campaign } of manifests) {
    const { manifest, spec } = campaign;
    const declared = namedLeads(spec.leads, known.environment);
    const named = { id, name: listed?.name ?? spec.name, manifest };
    const owner = owners.get(id) ?? unknownOwner(named, listed, known.listed);
    if (id !== null && !isEmpty(declared)) owners.set(id, { ...owner, leads: union(owner.leads, declared) });
  }
  return [...owners.values()];
}

function unknownOwner(
  named: { id: number | null; name: string; manifest: string },
  row: ListedCampaign | null,
  listed: readonly ListedCampaign[],
): LeadOwner {
  const live = liveCampaign(null, { row, othersShowStatus: othersShowStatus(named.id, listed) });
  return { ...named, live, recorded: UNKNOWN_STATE, leads: NO_LEADS, work: null, ran: null };
}

function stateOwners(
  entries: readonly StateEntry[],
  { listed, pending }: { listed: readonly ListedCampaign[]; pending: readonly PendingOperations[] },
): LeadOwner[] {
  const rows = new Map(listed.map((row) => [row.id, row]));
  return entries.map((entry) => {
    const { id, name, manifest } = entry;
    const recorded = withPending(entry, pending);
    const row = rows.get(id) ?? null;
    const leads = union(recorded.attached, recorded.doubtful);
    const owner = unknownOwner({ id, name: row?.name ?? name, manifest }, row, listed);
    return { ...owner, recorded, leads };
  });
}

/** Includes the requests of crashed runs. */
export function withPending(entry: StateEntry, pending: readonly PendingOperations[]): RecordedState {
  return pending
    .filter((operations) => isPendingFor(operations, entry))
    .flatMap(({ sent }) => sent.filter(({ result }) => result !== 'failed'))
    .reduce(
      (recorded, sent) => recordEarlierStep(recorded, sent, sent.result === 'done' ? 'done' : 'in_doubt'),
      entry.recorded,
    );
}

/** Other owners of leads that these campaigns may mail. The owners' records show whether they have sent. */
export function ownersToRead(
  owners: readonly LeadOwner[],
  targets: readonly Target[],
  { environment, listed }: { environment: Environment; listed: readonly ListedCampaign[] },
): Set<LeadOwner> {
  const known = new Map(owners.map((owner) => [owner.id, owner]));
  const byLead = groupByLead(owners);
  const shared = targets.flatMap((target) => {
    const { id, campaign } = target;
    const { spec } = campaign;
    const owner = id === null ? undefined : known.get(id);
    const named = namedLeads(spec.leads, environment);
    const has = owner?.recorded.known ? without(owner.recorded.attached, owner.recorded.doubtful) : NO_LEADS;
    if (!mayLaunch(target, { environment, listed }) && isEmpty(without(named, has))) return [];
    return findOwners(union(named, owner?.leads ?? NO_LEADS), byLead).filter((other) => other !== owner);
  });
  return new Set(shared);
}

function namedLeads(
  { lists = [], ids = [] }: NonNullable<CampaignSpec['leads']> = {},
  { lead_lists }: Environment,
): LeadRefs {
  const known = lists.flatMap((entry) => {
    const list = listIdOf(entry, lead_lists);
    return list === undefined ? [] : [{ list, refill: refillOf(entry) }];
  });
  const refills = known.flatMap(({ list, refill }) => (refill === null ? [] : [{ list, refill }]));
  return leadRefs({ lists: known.map(({ list }) => list), ids, refills });
}

export type Owners = ReadonlyMap<string, readonly LeadOwner[]>;

function groupByLead(owners: readonly LeadOwner[]): Owners {
  const groups = new Map<string, LeadOwner[]>();
  for (const owner of owners)
    for (const key of leadKeys(owner.leads)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [owner]);
      else group.push(owner);
    }
  return groups;
}

function leadKeys({ lists, ids }: LeadRefs): string[] {
  return [...lists.map((id) => `list ${id}`), ...ids.map((id) => `lead ${id}`)];
}

function findOwners(leads: LeadRefs, owners: Owners): LeadOwner[] {
  return [...new Set(leadKeys(leads).flatMap((key) => owners.get(key) ?? []))];
}

export function attachedBy(steps: readonly Step[]): LeadRefs {
  return steps.map(sentLeads).reduce(union, NO_LEADS);
}

/** Leads that the plan mails: newly attached ones and, at a launch, all attached ones. */
function mailedBy({ plan: { steps }, target }: Planned): LeadRefs {
  const { attached, doubtful } = target.recorded;
  const sent = attachedBy(steps);
  const isLaunched = steps.some(({ stage }) => stage === 'launch');
  return withoutRefills(isLaunched ? [sent, attached, doubtful].reduce(union) : sent);
}

export function ownersAfter(
  works: readonly Planned[],
  known: readonly LeadOwner[],
  environment: Environment,
): Owners {
  const owners = new Map(known.map((owner) => [owner.id, owner]));
  const planned = works.map((work): LeadOwner => {
    const { target, plan } = work;
    const { id } = target;
    const owner = id === null ? undefined : owners.get(id);
    const { attached, doubtful } = target.recorded;
    return {
      ...shownOwner(work, owner?.live),
      manifest: owner?.manifest ?? plan.manifest,
      leads: [attached, doubtful].reduce(union, attachedBy(plan.steps)),
      ran: null,
    };
  });
  const ids = new Set(planned.map(({ id }) => id));
  const all = [...known.filter(({ id }) => !ids.has(id)), ...planned];
  return groupByLead(all.map((owner) => ({ ...owner, ran: describeRun(owner, environment) })));
}

/** `read`: the campaign as it was read as an owner of leads. */
function shownOwner(work: Planned, read: LiveCampaign | null = null): ShownOwner {
  const { target, plan } = work;
  const { id, recorded, live, row } = target;
  const shown = live !== null && live.record.is === 'not-read' && read !== null ? read : live;
  return { id, name: row?.name ?? plan.name, recorded, live: shown, work };
}

function isThere({ live, work }: ShownOwner): boolean {
  if (live === null || isNone(live.record)) return false;
  return live.row !== null || (work !== null && live.record.is !== 'not-read');
}

function describeRun(owner: ShownOwner, environment: Environment): string | null {
  if (owner.id === null) return null;
  const { live, recorded } = owner;
  const words = isThere(owner) ? shownStatuses(live, environment) : null;
  const othersShowStatus = live?.othersShowStatus === true;
  const ran = runWords(words, { recorded, othersShowStatus }, environment);
  const plans = (step: Step['id']) => ran !== null && owner.work !== null && hasStep(owner.work, step);
  if (plans('launch')) return `${ran}, and this plan launches it`;
  return ran === 'is sending' && plans('pause') ? `${ran} until this plan pauses it` : ran;
}

function starts(work: Planned): boolean {
  const isMailed = !isEmpty(attachedBy(work.plan.steps)) && mailingStatus(work.target) !== null;
  return hasStep(work, 'launch') || (isMailed && !hasStep(work, 'pause'));
}

interface Sharing {
  other: LeadOwner;
  leads: LeadRefs;
  /** True if `other` has sent, is sending, or starts in this plan. */
  isConflict: boolean;
}

function sharing(work: Planned, owners: Owners): Sharing[] {
  const mailed = mailedBy(work);
  return findOwners(mailed, owners)
    .filter((other) => other.work !== work)
    .map((other) => ({
      other,
      leads: common(mailed, other.leads),
      isConflict: other.ran !== null || (other.work !== null && starts(other.work)),
    }));
}

export function leadHazards(work: Planned, owners: Owners, all: readonly Planned[]): PlanProblem[] {
  const pairs = sharing(work, owners).filter(({ isConflict }) => isConflict);
  const reported = pairs.filter(
    ({ other }) => other.work === null || isReportedFor(work, other.work, owners, all),
  );
  return [...reported.map((pair) => sharedLeads(work, pair)), ...unknownLeads(work)];
}

export function conflictingWorks(work: Planned, owners: Owners): Planned[] {
  const others = sharing(work, owners).filter(({ isConflict }) => isConflict);
  return others.length === 0 ? [] : [work, ...others.flatMap(({ other }) => other.work ?? [])];
}

/** Each pair is reported once: for the campaign that never ran or, otherwise, for the later one. */
function isReportedFor(work: Planned, other: Planned, owners: Owners, all: readonly Planned[]): boolean {
  const isMutual = sharing(other, owners).some((pair) => pair.other.work === work && pair.isConflict);
  if (!isMutual) return true;
  const [ran, otherRan] = [work, other].map(({ target }) => hasRun(target) === true);
  return ran === otherRan ? all.indexOf(work) > all.indexOf(other) : !ran;
}

function sharedLeads(work: Planned, { other, leads }: Sharing): PlanProblem {
  const { environment } = work.target;
  const facts = sharedFacts(work, leads);
  const attached = union(other.recorded.attached, other.recorded.doubtful);
  const isMailedBefore = other.ran !== null && (other.work === null || !isEmpty(common(leads, attached)));
  if (!isMailedBefore)
    return problem('shared-leads/both', facts, other, {
      starts: starts(work),
      launches: other.work !== null && hasStep(other.work, 'launch'),
    });
  const [word] = shownStatuses(other.live, environment);
  const meaning = classifyStatus(word, environment.service.statuses);
  const gone = !isThere(other) || meaning === 'gone';
  return problem('shared-leads', facts, other, {
    predecessor: other.id === work.waitsFor?.target.id,
    gone,
    perhapsSame: work.target.id === null && !gone && !(other.work !== null && isDeclared(other.work.target)),
  });
}

function sharedFacts({ plan, target }: Planned, leads: LeadRefs): SharedLeads {
  const isNew = isEmpty(without(leads, attachedBy(plan.steps)));
  return { leads, isNew, isResumed: resumes(target) };
}

function unknownLeads(work: Planned): PlanProblem[] {
  if (work.waitsFor === null) return [];
  const owner = shownOwner(work.waitsFor);
  const { recorded, environment } = work.waitsFor.target;
  const ran = describeRun(owner, environment);
  const total = isThere(owner) ? totalLeads(work.waitsFor.target) : null;
  const known = recorded.known ? union(recorded.attached, recorded.doubtful) : NO_LEADS;
  const leads = without(mailedBy(work), known);
  const isExplained = recorded.known && accountedLeads(recorded, total) === null;
  if (isEmpty(leads) || ran === null || isExplained || total === 0) return [];
  return [problem('shared-leads/unknown', sharedFacts(work, leads), { ...owner, ran }, total)];
}

/** Campaigns that own the same leads but never ran. A person may launch one before this campaign sends. */
export function idleOwners(work: Planned, owners: Owners): IdleOwner[] {
  const { environment } = work.target;
  return sharing(work, owners).flatMap(({ other }) => {
    const { id, ran, live } = other;
    if (id === null || ran !== null || (other.work !== null && hasStep(other.work, 'launch'))) return [];
    const [status] = shownStatuses(live, environment);
    return [{ id, status }];
  });
}
