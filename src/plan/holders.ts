import type { Answer, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import type { CampaignSpec } from '../model/spec.js';
import {
  type LeadRefs,
  NO_LEADS,
  type PendingOperations,
  type RecordedState,
  type SentStep,
  type StateEntry,
} from '../model/state.js';
import { isEmpty, union, without } from '../sections/leads.js';
import { runStatus, sendingBy, shownStatuses } from '../sections/sending.js';
import { isOutside, type Match, type OutsideFiles } from './match.js';
import { recordSent } from './reconcile.js';

/** Campaigns of the state with their leads, and whether they have run. */

/** A state entry with its leads. `spec`: `null` without manifest. `listed`: `null` if no list was read. */
export interface EntryLeads {
  entry: StateEntry;
  spec: CampaignSpec | null;
  listed: ListedCampaign | null;
  /** False: the list lacks it. */
  isListed: boolean;
  /** Its record, if read. */
  answer?: Answer | null;
  leads: LeadRefs;
  /** Its manifest now describes another campaign. */
  isLeft?: boolean;
  /** Its manifest belongs to another environment. */
  isOutside: boolean;
}

/** `outside`: files of other environments. */
interface EntryContext {
  listed: readonly ListedCampaign[] | null;
  pending: readonly PendingOperations[];
  outside?: OutsideFiles;
}

/** Includes campaigns that are gone: they may have mailed their leads. */
export function leadsOfEntries(
  entries: readonly StateEntry[],
  matches: readonly Match[],
  { listed, pending, outside = new Map() }: EntryContext,
): EntryLeads[] {
  const live = new Map(listed?.map((one) => [one.id, one]));
  const specs = new Map(matches.map(({ id, campaign }) => [id, campaign.spec]));
  const manifests = new Map(matches.map(({ campaign }) => [campaign.manifest, campaign.spec.name]));
  return entries.map((entry) => {
    const recorded = withPending(entry, pending);
    return {
      entry: { ...entry, recorded },
      spec: specs.get(entry.id) ?? null,
      listed: live.get(entry.id) ?? null,
      isListed: listed === null || live.has(entry.id),
      leads: union(recorded.attached, recorded.doubtful),
      isLeft: !specs.has(entry.id) && isSameName(manifests.get(entry.manifest) ?? '', entry.name),
      isOutside: isOutside(entry, outside),
    };
  });
}

/** The state with what crashed runs sent. */
export function withPending(
  { id, name, recorded }: StateEntry,
  pending: readonly PendingOperations[],
): RecordedState {
  const sent = pending
    .filter((one) => (one.id === null ? one.name === name : one.id === id))
    .flatMap((one) => one.sent.filter(({ result }) => result !== 'failed'));
  const after = (known: RecordedState, one: SentStep) =>
    recordSent(known, one, one.result === 'done' ? 'done' : 'in_doubt');
  return sent.reduce(after, recorded);
}

export function common(a: LeadRefs, b: LeadRefs): LeadRefs {
  return without(a, without(a, b));
}

/** The shown status, and whether the campaign has run. */
export function holderStatus(
  { entry, listed, isListed, answer = null }: EntryLeads,
  environment: Environment,
) {
  const isThere = isListed && answer?.none !== true;
  const words = shownStatuses(answer, listed?.status ?? null, environment);
  return { word: words[0], isThere, ran: runStatus(entry.recorded, isThere ? words : [], environment) };
}

/** Entries with leads that one of these campaigns may mail. */
export function sharedEntries(
  all: readonly EntryLeads[],
  matches: readonly Match[],
  environment: Environment,
): EntryLeads[] {
  const [own, holders] = [new Map(all.map((one) => [one.entry.id, one])), indexHolders(all)];
  const shared = new Set<EntryLeads>();
  for (const match of matches) {
    const known = match.id === null ? undefined : own.get(match.id);
    if (!mayMail(match, known, environment)) continue;
    const leads = union(namedLeads(match.campaign.spec, environment), known?.leads ?? NO_LEADS);
    for (const one of holding(leads, holders)) if (one !== known) shared.add(one);
  }
  return all.filter((one) => shared.has(one));
}

/** True if a plan may attach leads or launch, as far as is known before reading. */
function mayMail(
  { campaign: { spec }, listed }: Match,
  known: EntryLeads | undefined,
  environment: Environment,
): boolean {
  const mayLaunch =
    spec.status === 'running' && sendingBy(listed?.status ?? null, environment).meaning !== 'running';
  if (known === undefined || mayLaunch) return true;
  const { recorded } = known.entry;
  const has = without(recorded.attached, recorded.doubtful);
  return !recorded.known || !isEmpty(without(namedLeads(spec, environment), has));
}

/** Entries by list and lead. */
export type Holders = ReadonlyMap<string, readonly EntryLeads[]>;

export function indexHolders(all: readonly EntryLeads[]): Holders {
  const holders = new Map<string, EntryLeads[]>();
  for (const one of all)
    for (const key of leadKeys(one.leads)) {
      const known = holders.get(key);
      if (known === undefined) holders.set(key, [one]);
      else known.push(one);
    }
  return holders;
}

/** Entries that have any of these leads. */
export function holding(leads: LeadRefs, holders: Holders): EntryLeads[] {
  return [...new Set(leadKeys(leads).flatMap((key) => holders.get(key) ?? []))];
}

export function leadKeys({ lists, ids }: LeadRefs): string[] {
  return [...lists.map((id) => `list ${id}`), ...ids.map((id) => `lead ${id}`)];
}

/** The leads in a manifest; unknown list names are left out. */
export function namedLeads({ leads }: CampaignSpec, { lead_lists }: Environment): LeadRefs {
  const lists = (leads?.lists ?? []).map((list) => (typeof list === 'number' ? list : lead_lists[list]));
  return { lists: lists.filter((id) => id !== undefined), ids: leads?.ids ?? [] };
}
