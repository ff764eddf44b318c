/** Hazards of leads, within a campaign and between campaigns. */
import type { ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { Problem, Step } from '../model/outputs.js';
import {
  type LeadRefs,
  NO_LEADS,
  type RecordedState,
  type StateEntry,
  UNKNOWN_STATE,
} from '../model/state.js';
import { count, LEAD_DELAY } from '../model/words.js';
import type { CampaignContext } from '../sections/index.js';
import {
  accountedLeads,
  describeLeads,
  isEmpty,
  sentLeads,
  totalLeads,
  union,
  without,
} from '../sections/leads.js';
import {
  classifyStatus,
  hasRun,
  isDraft,
  provesRun,
  runStatus,
  type Sending,
  sending,
  sendingStatus,
} from '../sections/sending.js';
import { belief } from '../sections/status.js';
import { common, type EntryLeads, holderStatus, leadKeys } from './holders.js';
import { knownLeads } from './impact.js';
import { campaignThat, howToDeclare } from './messages.js';
import { hasStep, type PlannedWork } from './work.js';

/** A launch or replacement without known leads. */
export function noLeads(
  context: CampaignContext,
  steps: readonly Step[],
  replaced: PlannedWork | null,
): Problem[] {
  const isLaunched = steps.some(({ id }) => id === 'launch');
  const isReplacing = replaced !== null && steps.length > 0;
  if ((!isLaunched && !isReplacing) || hasLeads(context)) return [];
  const stops = isReplacing
    ? ` Campaign ${replaced.id} "${replaced.context.spec.name}" would stop, and nobody would get the new emails.`
    : '';
  const does = isLaunched ? 'is launched' : 'replaces another one';
  return [
    {
      code: 'no-leads',
      severity: 'hazard',
      message: `This campaign ${does}, and neither its manifest, nor the state, nor the service shows any lead of it.${stops}`,
      hint: `Name its leads under leads: in the manifest. If they are attached in the service's web app, accept with --allow no-leads.`,
    },
  ];
}

/** The manifest, the state or the service shows a lead. */
export function hasLeads(context: CampaignContext): boolean {
  return !isEmpty(knownLeads(context)) || (context.id !== null && (totalLeads(context) ?? 0) > 0);
}

interface KnownCampaigns {
  works: readonly { context: CampaignContext }[];
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
  environment: Environment;
}

/** The last successor runs or has finished with leads: its predecessors may be deleted. */
export function runsWithLeads(
  successor: number,
  { works, listed, entries, environment }: KnownCampaigns,
): boolean {
  const passed = new Set<number>();
  let id = successor;
  let recorded = UNKNOWN_STATE;
  for (;;) {
    recorded = entries.find((entry) => entry.id === id)?.recorded ?? UNKNOWN_STATE;
    passed.add(id);
    const next = recorded.superseded_by;
    if (next === undefined || passed.has(next)) break;
    id = next;
  }
  const context = works.find((planned) => planned.context.id === id)?.context ?? {
    ...{ environment, templates: null, spec: { name: '' }, id, answers: null, recorded },
    listed: listed.find((row) => row.id === id) ?? null,
  };
  return provesRun(sending(context)) && hasLeads(context);
}

export function attachedBy(steps: readonly Step[]): LeadRefs {
  return steps.map(sentLeads).reduce(union, NO_LEADS);
}

/** Leads that get mailed: attached ones, and at a launch those attached before. */
export function mailedBy(steps: readonly Step[], { attached, doubtful }: RecordedState): LeadRefs {
  const sent = attachedBy(steps);
  return steps.some(({ id }) => id === 'launch') ? [sent, attached, doubtful].reduce(union) : sent;
}

export function ownLeadHazards(context: CampaignContext, steps: readonly Step[]): Problem[] {
  return [...attachRunning(context, steps), ...fewerLeads(context, steps)];
}

/** Leads added to a sending campaign are mailed without a launch. */
function attachRunning(context: CampaignContext, steps: readonly Step[]): Problem[] {
  const leads = attachedBy(steps);
  if (context.id === null || isEmpty(leads)) return [];
  const status = sendingStatus(context);
  const shown = sending(context);
  // If the manifest manages the status, that section warns.
  if (status === null) return shown.believed && context.spec.status === undefined ? [belief(shown)] : [];
  if (steps.some(({ id }) => id === 'pause')) return [];
  const total = totalLeads(context);
  const now = total === null ? '' : ` The service shows ${count(total, 'lead')} on it now.`;
  return [
    {
      code: 'attach-running',
      severity: 'hazard',
      message: `Apply attaches ${describeLeads(leads)} to ${campaignThat(status)}: these leads are mailed without another approval.${now} ${LEAD_DELAY.replace('the', 'The')}.`,
      hint: `Accept it with --allow attach-running${instead(status)}.`,
    },
  ];
}

/** Only individual leads can be counted: sizes of lists are not shown. */
function fewerLeads(context: CampaignContext, steps: readonly Step[]): Problem[] {
  const { known, attached, doubtful } = context.recorded;
  const total = totalLeads(context);
  const isCounted = known && attached.lists.length === 0 && isEmpty(doubtful) && isEmpty(attachedBy(steps));
  const launches = steps.some(({ id }) => id === 'launch');
  if (!launches || !isCounted || total === null || total >= attached.ids.length) return [];
  return [
    {
      code: 'fewer-leads',
      severity: 'warning',
      message: `The service shows ${total} of the ${count(attached.ids.length, 'lead')} that were attached to this campaign: it would be launched without the others.`,
      hint: "The service may have skipped leads that bounced, unsubscribed or are busy in another campaign. Look at them in the service's web app.",
    },
  ];
}

function instead(status: Sending): string {
  if (status.meaning === 'finished') return '';
  return `, or write status: paused in the manifest to pause the campaign first${howToDeclare(status)}`;
}

/** "list 12", "lead 1001" */
export type LeadKey = string;

/** A campaign with its leads after this plan. `ran` completes "it …"; `null` if it never ran. */
export interface LeadOwner {
  id: number | null;
  name: string;
  manifest: string;
  leads: LeadRefs;
  ran: string | null;
  /** `null` if it is not planned. */
  work: PlannedWork | null;
  /** `null` if the state does not know it. */
  entry: EntryLeads | null;
}

/** Owners of each list and lead: campaigns of the state and of the plan, each once. */
export function leadOwners(
  works: readonly PlannedWork[],
  entries: readonly EntryLeads[],
  environment: Environment,
): Map<LeadKey, LeadOwner[]> {
  const planned = new Map(works.map((work) => [work.id, work]));
  const known = entries.map((entry): LeadOwner => {
    const { id, name, manifest } = entry.entry;
    const work = planned.get(id) ?? null;
    const leads = union(entry.leads, attachedBy(work?.plan.steps ?? []));
    const { ran } = holderStatus(entry, environment);
    return { id, name: entry.listed?.name ?? name, manifest, leads, ran, work, entry };
  });
  const ids = new Set(known.map(({ id }) => id));
  const others = works
    .filter(({ id }) => id === null || !ids.has(id))
    .map((work): LeadOwner => {
      const { context, plan } = work;
      const leads = union(mailedBy(plan.steps, context.recorded), context.recorded.attached);
      const ran =
        context.id === null
          ? null
          : runStatus(context.recorded, [sending(context).word], context.environment);
      return { id: plan.id, name: plan.name, manifest: plan.manifest, leads, ran, work, entry: null };
    });
  const owners = new Map<LeadKey, LeadOwner[]>();
  for (const owner of [...known, ...others])
    for (const key of leadKeys(owner.leads)) {
      const same = owners.get(key);
      if (same === undefined) owners.set(key, [owner]);
      else same.push(owner);
    }
  return owners;
}

type Owners = ReadonlyMap<LeadKey, readonly LeadOwner[]>;

/** Other owners of leads that get mailed, with those leads. */
function sharing(work: PlannedWork, owners: Owners): { other: LeadOwner; shared: LeadRefs }[] {
  const mailed = mailedBy(work.plan.steps, work.context.recorded);
  const others = new Set(leadKeys(mailed).flatMap((key) => owners.get(key) ?? []));
  return [...others].flatMap((other) =>
    other.work === work || (other.id !== null && other.id === work.id)
      ? []
      : [{ other, shared: common(mailed, other.leads) }],
  );
}

/** The plan launches the campaign, or attaches leads to it while it sends. */
function starts({ context, plan }: PlannedWork): boolean {
  const isMailed = !isEmpty(attachedBy(plan.steps)) && sendingStatus(context) !== null;
  return (
    plan.steps.some(({ id }) => id === 'launch') || (isMailed && plan.steps.every(({ id }) => id !== 'pause'))
  );
}

/**
 * Leads shared with a campaign that has sent, sends or starts. Reported once a pair: at the one that never ran, else the later
 * one.
 */
export function leadHazards(work: PlannedWork, owners: Owners, works: readonly PlannedWork[]): Problem[] {
  const pairs = sharing(work, owners).filter(({ other }) => isConflict(other));
  const told = pairs.filter(
    ({ other, shared }) => other.work === null || tellsPair(work, other.work, { owners, works, shared }),
  );
  const replaced = work.waitsFor;
  const isTold = replaced !== null && pairs.some(({ other }) => other.id === replaced.id);
  return [
    ...told.map(({ other, shared }) => {
      const had = common(shared, other.entry?.leads ?? NO_LEADS);
      const isMailedBefore = other.ran !== null && (other.work === null || !isEmpty(had));
      return isMailedBefore ? mailedBefore(work, other, shared) : alsoMailed(work, other, shared);
    }),
    ...(replaced === null || isTold ? [] : leadsNotKnown(work, replaced)),
  ];
}

function isConflict({ ran, work }: LeadOwner): boolean {
  return ran !== null || (work !== null && starts(work));
}

function tellsPair(
  work: PlannedWork,
  other: PlannedWork,
  { owners, works, shared }: { owners: Owners; works: readonly PlannedWork[]; shared: LeadRefs },
): boolean {
  const own = leadKeys(shared)
    .flatMap((key) => owners.get(key) ?? [])
    .find((owner) => owner.work === work);
  const isMutual =
    own !== undefined && isConflict(own) && sharing(other, owners).some((pair) => pair.other.work === work);
  if (!isMutual) return true;
  const [ran, otherRan] = [work, other].map(({ context }) => hasRun(context) === true);
  return ran === otherRan ? works.indexOf(work) > works.indexOf(other) : !ran;
}

/** Owners of the same leads that never ran; a person may launch one before the leads are sent. */
export function idleOwners(work: PlannedWork, owners: Owners): number[] {
  return sharing(work, owners).flatMap(({ other }) =>
    other.id === null || other.ran !== null || (other.work !== null && hasStep(other.work, 'launch'))
      ? []
      : [other.id],
  );
}

function mailedBefore(work: PlannedWork, other: LeadOwner, shared: LeadRefs): Problem {
  const { context, plan } = work;
  const { recorded, environment } = context;
  const sent = attachedBy(plan.steps);
  const { id, name, manifest, ran, entry } = other;
  const { spec, isOutside, isLeft = false } = entry ?? { spec: {}, isOutside: false };
  const status = entry === null ? null : holderStatus(entry, environment);
  const isGone =
    status !== null &&
    (!status.isThere || classifyStatus(status.word, environment.service.statuses) === 'gone');
  const isOld = recorded.has_run === true && isEmpty(common(shared, sent));
  const again = isOld
    ? 'those that this campaign has not mailed yet would be mailed again'
    : 'these leads would be mailed again';
  const left = isGone ? ' and is gone from the service' : ', which is for another one now';
  const isReplaced = id !== null && id === work.waitsFor?.id;
  const whose = isReplaced
    ? 'That campaign is the one that this one replaces'
    : spec === null && !isOutside && !isLeft
      ? `No manifest describes that campaign any more (it was applied from ${manifest})`
      : `That campaign was applied from ${manifest}${isLeft ? left : ''}`;
  const isMoved = work.id === null && spec === null && !isOutside && !isLeft && !isGone && !isReplaced;
  const pin = isMoved
    ? `If this manifest is that campaign under a new name, write id: ${id} into it. If not, `
    : '';
  const out = isReplaced
    ? 'If the new emails are not for leads that have got the old ones, leave these leads out of the manifest. If they are for all of them, from the first email on, accept with --allow shared-leads.'
    : `${pin}${isMoved ? 't' : 'T'}ake these leads out of the manifest, or make sure in the service's web app that campaign ${id} mails them no more and accept with --allow shared-leads.`;
  const forget =
    isGone && !isReplaced ? ` If it never ran, campaignctl forget ${id} takes it out of the state.` : '';
  return {
    code: 'shared-leads',
    severity: 'hazard',
    message: `Apply ${attaches(shared, sent)}, which campaign ${id} "${name}" has already. ${whose}, and it ${ran}: ${again}, from the first email on.${isReplaced ? leadsOn(work.waitsFor) : ''}`,
    hint: `${out}${forget}`,
  };
}

/** Shown leads of a replaced campaign, and how many the state explains. */
function leadsOn(replaced: PlannedWork | null): string {
  const total = replaced === null ? null : shownLeads(replaced.context);
  if (replaced === null || total === null) return '';
  const known = accountedLeads(replaced.context.recorded, total);
  const others =
    known === null
      ? ''
      : `, and the state accounts for ${known} of them: other leads of this campaign may be among the rest`;
  return ` The service shows ${count(total, 'lead')} on it${others}.`;
}

/** `null` if not shown, or the campaign is missing. */
function shownLeads(context: CampaignContext): number | null {
  const isThere = context.listed !== null || context.answers?.campaign?.none === false;
  return isThere ? totalLeads(context) : null;
}

function alsoMailed(work: PlannedWork, other: LeadOwner, shared: LeadRefs): Problem {
  const sent = attachedBy(work.plan.steps);
  const which = `${other.id === null ? '' : `campaign ${other.id} `}"${other.name}" (${other.manifest})`;
  const also =
    other.work !== null && hasStep(other.work, 'launch')
      ? `launches ${which} with them`
      : `attaches them to ${which}`;
  const attaching = [work, other.work].find(
    (one) => one !== null && isEmpty(without(shared, attachedBy(one.plan.steps))),
  );
  const out =
    attaching == null ? 'Write' : `Take these leads out of ${attaching.campaign.manifest}, or write`;
  return {
    code: 'shared-leads',
    severity: 'hazard',
    message: `Apply ${attaches(shared, sent)}, and ${also} as well: both campaigns would mail these leads.`,
    hint: `${out} status: paused in one of the two manifests, or make sure in the service's web app that only one of the campaigns has these leads and accept with --allow shared-leads.`,
  };
}

function attaches(leads: LeadRefs, sent: LeadRefs): string {
  const isNew = isEmpty(without(leads, sent));
  return `${isNew ? 'attaches' : 'launches this campaign with'} ${describeLeads(leads)}`;
}

/** Leads of a replaced campaign that the state does not know. */
function leadsNotKnown({ context, plan }: PlannedWork, predecessor: PlannedWork): Problem[] {
  const old = predecessor.context;
  const { recorded } = old;
  const isThere = old.listed !== null || old.answers?.campaign?.none === false;
  const total = shownLeads(old);
  const mailed = mailedBy(plan.steps, context.recorded);
  const ran = runStatus(old.recorded, isThere ? [sending(old).word] : [], old.environment);
  const leads = recorded.known ? without(mailed, union(recorded.attached, recorded.doubtful)) : mailed;
  const known = recorded.known ? accountedLeads(recorded, total) : 0;
  if (isEmpty(leads) || ran === null || known === null || total === 0) return [];
  const accounted = recorded.known
    ? `, and the state accounts for ${known === 0 ? 'none' : known} of them`
    : '';
  const shown = total === null ? '' : ` The service shows ${count(total, 'lead')} on it${accounted}.`;
  const which = `campaign ${old.id} "${old.listed?.name ?? old.spec.name}"`;
  return [
    {
      code: 'shared-leads',
      severity: 'hazard',
      message: `Apply ${attaches(leads, attachedBy(plan.steps))}, and the state does not know ${recorded.known ? 'all leads that' : 'which leads'} ${which} has, which this one replaces and which ${ran}.${shown} Those that both have would be mailed again, from the first email on.`,
      hint: "Compare the leads in the service's web app. If some are on both and are not to get the new emails, leave them out of the manifest. If they are, from the first email on, accept with --allow shared-leads.",
    },
  ];
}

/** Codes of lint findings that a hazard replaces. */
export function lintedLeads(works: readonly PlannedWork[], owners: Owners): Map<PlannedWork, Set<string>> {
  const told = new Map<PlannedWork, Set<string>>();
  const add = (work: PlannedWork, { lists, ids }: LeadRefs) => {
    const codes = told.get(work) ?? new Set();
    if (lists.length > 0) codes.add('shared-lead-list');
    if (ids.length > 0) codes.add('shared-lead-ids');
    told.set(work, codes);
  };
  for (const work of works)
    for (const { other, shared } of sharing(work, owners).filter((pair) => isConflict(pair.other)))
      for (const campaign of [work, other.work]) if (campaign !== null) add(campaign, shared);
  return told;
}

/** Why leads are not mailed: an owner that was a draft has another status now; `null` if none has. */
export function checkIdleOwners(
  holders: readonly (Pick<ListedCampaign, 'id' | 'name'> & { words: readonly (string | null)[] })[],
): string | null {
  for (const { id, name, words } of holders) {
    const shown = words.filter((word) => word !== null);
    const word = shown.find((one) => !isDraft(one));
    if (word === undefined && shown.length > 0) continue;
    const now = word === undefined ? 'shows no status' : `is "${word}"`;
    return `campaign ${id} "${name}" ${now} now, was a draft when this was planned, and has some of its leads: they may be mailed twice. Plan again to see what needs approval`;
  }
  return null;
}
