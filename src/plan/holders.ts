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
import { fieldsOf, shownText } from '../sections/decode.js';
import { isEmpty, union, without } from '../sections/leads.js';
import { meaningOf, shownOf } from '../sections/status.js';
import { isOutside, type Match, type OutsideFiles } from './match.js';
import { recordSent } from './reconcile.js';

/** Which campaigns have which leads, as far as the state knows, and whether they have mailed them. */

/** An entry of the state with what a run left that died, and the leads that it has; `spec` is null if no manifest describes it, `listed` if no list was read. */
export interface EntryLeads {
  entry: StateEntry;
  spec: CampaignSpec | null;
  listed: ListedCampaign | null;
  /** False: the list was read, and it is not there. */
  isListed: boolean;
  /** Its record, read where a manifest names leads that it has; null: not read. */
  answer?: Answer | null;
  leads: LeadRefs;
  /** The manifest that it was applied from stands, and is for another one now. */
  isLeft?: boolean;
  /** Its manifest belongs to another environment and may describe the campaign still. */
  isOutside: boolean;
}

/** `listed` is null if no list was read; `outside`: files of other environments. */
interface EntryContext {
  listed: readonly ListedCampaign[] | null;
  pending: readonly PendingOperations[];
  outside?: OutsideFiles;
}

/** The leads of the campaigns of the state, also of those that are gone: they may have mailed them. */
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

/** What the state knows of it, with what a run sent which did not come to remember it: leads, and a launch. */
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

/** The word that the service shows for the campaign of an entry, and whether it has ever run. */
export function statusOf({ entry, listed, isListed, answer = null }: EntryLeads, environment: Environment) {
  const isThere = isListed && answer?.none !== true;
  const [own, row] = [wordOf(answer), listed?.status ?? null];
  const word = shownOf(own, row, environment.service.statuses);
  // The record and the list may contradict each other: what either shows may be so.
  const shown = [word, own, row].filter((one) => one !== null && isThere);
  const ran = (shown.length === 0 ? [null] : shown).map((one) => whetherRun(entry, one, environment));
  return { word, isThere, ran: ran.find((one) => one !== null) ?? null };
}

/** The entries that have leads which one of these campaigns may begin to mail: whether they have run matters. */
export function sharedEntries(
  all: readonly EntryLeads[],
  matches: readonly Match[],
  environment: Environment,
): EntryLeads[] {
  const [own, holders] = [new Map(all.map((one) => [one.entry.id, one])), holdersOf(all)];
  const shared = new Set<EntryLeads>();
  for (const match of matches) {
    const known = match.id === null ? undefined : own.get(match.id);
    if (!mayMail(match, known, environment)) continue;
    const leads = union(namedLeads(match.campaign.spec, environment), known?.leads ?? NO_LEADS);
    for (const one of holding(leads, holders)) if (one !== known) shared.add(one);
  }
  return all.filter((one) => shared.has(one));
}

/** Whether a plan may attach leads to this campaign, or launch it, as far as that shows before its record is read. */
function mayMail(
  { campaign: { spec }, listed }: Match,
  known: EntryLeads | undefined,
  environment: Environment,
): boolean {
  const mayLaunch = spec.status === 'running' && !isRunning(listed?.status ?? null, environment);
  if (known === undefined || mayLaunch) return true;
  const { recorded } = known.entry;
  const has = without(recorded.attached, recorded.doubtful);
  return !recorded.known || !isEmpty(without(namedLeads(spec, environment), has));
}

function isRunning(word: string | null, { service }: Environment): boolean {
  return meaningOf(word, service.statuses) === 'running';
}

/** The entries that have a list or a lead, by its kind and id. */
export type Holders = ReadonlyMap<string, readonly EntryLeads[]>;

export function holdersOf(all: readonly EntryLeads[]): Holders {
  const holders = new Map<string, EntryLeads[]>();
  for (const one of all)
    for (const key of keysOf(one.leads)) {
      const known = holders.get(key);
      if (known === undefined) holders.set(key, [one]);
      else known.push(one);
    }
  return holders;
}

/** The entries that have any of these leads, each once. */
export function holding(leads: LeadRefs, holders: Holders): EntryLeads[] {
  return [...new Set(keysOf(leads).flatMap((key) => holders.get(key) ?? []))];
}

export function keysOf({ lists, ids }: LeadRefs): string[] {
  return [...lists.map((id) => `list ${id}`), ...ids.map((id) => `lead ${id}`)];
}

/** The status that a record shows. */
export function wordOf(answer: Answer | null): string | null {
  return answer === null || answer.none ? null : shownText(fieldsOf(answer), 'status');
}

/** The leads that a manifest names, as far as the environment knows its lists. */
export function namedLeads({ leads }: CampaignSpec, { lead_lists }: Environment): LeadRefs {
  const lists = (leads?.lists ?? []).map((list) => (typeof list === 'number' ? list : lead_lists[list]));
  return { lists: lists.filter((id) => id !== undefined), ids: leads?.ids ?? [] };
}

/** Whether such a campaign has ever run, in words; null: it has not. In doubt it may have. */
export function whetherRun(
  { recorded }: Pick<StateEntry, 'recorded'>,
  word: string | null,
  { service }: Environment,
): string | null {
  switch (meaningOf(word, service.statuses)) {
    case 'running':
    case 'starting':
      return 'is sending';
    case 'finished':
      return 'has run';
    default:
      if (recorded.has_run === true) return 'has run';
      // One that was made here and shows another status, or none, may have been launched by a person, also if it is gone since.
      return isDraft(word) ? null : 'may have run';
  }
}

export function isDraft(word: string | null): boolean {
  return word?.trim().toLowerCase() === 'draft';
}
