import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName, spelling } from '../model/characters.js';
import { groupBy } from '../model/json.js';
import type { PlanProblem } from '../model/outputs.js';
import type { Campaign, Described } from '../model/spec.js';
import { type PendingOperations, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import type { Predecessor, Target } from '../model/target.js';
import { SECTIONS } from '../sections/index.js';
import type { Managed } from '../sections/section.js';
import { mayLaunch, statusInList } from '../sections/sending.js';
import { newTarget } from '../sections/target.js';
import type {
  KnownState,
  MatchContext,
  OutsideFiles,
  PlanRequest,
  PlanWorkspace,
  Selection,
} from './input.js';
import { problem } from './messages.js';
import { isSucceededBy } from './planned.js';
import { isCreatedBy, isPendingFor } from './reconcile.js';
import { unreadTargets } from './seen.js';
import { withPredecessors } from './succession.js';

/** All manifests of an environment, and what is known of their campaigns. */
export interface Manifests extends MatchContext {
  campaigns: readonly Campaign[];
  pending: readonly PendingOperations[];
}

/** `listed`: the complete list. */
export interface MatchInput extends PlanWorkspace, KnownState, PlanRequest {
  listed: readonly ListedCampaign[];
}

/**
 * `targets`: those to plan. `manifests`: one target per manifest. `entries`: state entries, and those for campaigns
 * that a crashed run created.
 */
export interface Matched {
  targets: Target[];
  manifests: Target[];
  entries: StateEntry[];
}

/** True if all manifests are planned. Only then are removed campaigns reported. */
export function isFull({ target, files }: Selection): boolean {
  return target.length === 0 && files.length === 0;
}

export function matchTargets(input: MatchInput): Matched {
  const { selected, selection, mode, listed, drift } = input;
  const matched = matchManifests(input);
  const wanted = new Set(selected);
  const { target: names } = selection;
  const chosen = matched.manifests.filter(
    ({ campaign }) => wanted.has(campaign) && (names.length === 0 || names.includes(campaign.spec.name)),
  );
  const planned = drift ? chosen.map(boundToEntry) : chosen;
  const unread = mode === 'all' ? new Set<Target>() : unreadTargets(planned, matched.manifests, input);
  const compared = planned.filter((target) => !unread.has(target) && comparesWhole(target));
  const scope: Scope = {
    ...{ input, unread },
    known: new Set(matched.entries.map(({ id }) => id)),
    described: new Set(matched.manifests.map(({ id }) => id)),
    compared: new Set(compared.map(({ predecessor }) => predecessor?.id)),
  };
  const declared = planned.map((target) => declaredTarget(target, scope));
  const taken = new Set(declared.map(({ id }) => id));
  /** Replaced by an earlier apply. */
  const settled = new Set<Target>();
  const predecessors = planned.flatMap((target): Target[] => {
    const { predecessor, campaign } = target;
    if (predecessor === null || taken.has(predecessor.id)) return [];
    taken.add(predecessor.id);
    const paused = unmanagedTarget('replaced', { ...predecessor, manifest: campaign.manifest }, scope);
    if (unread.has(target)) return [{ ...paused, reads: null }];
    if (isSucceededBy(predecessor.entry, target.id)) settled.add(paused);
    return [paused];
  });
  const rows = new Map(listed.map((row) => [row.id, row]));
  const entries = isFull(selection) ? removedEntries(matched.entries, matched.manifests) : [];
  const removed = entries.flatMap((entry): Target[] => {
    const row = rows.get(entry.id);
    if (row === undefined) return [];
    const target = unmanagedTarget('removed', { ...entry, row, entry }, scope);
    if (taken.has(entry.id)) return [{ ...target, reads: null }];
    if (entry.recorded.superseded_by !== undefined) settled.add(target);
    return [target];
  });
  const targets = [...declared, ...predecessors, ...removed];
  const claims = claim(input.pending, targets);
  return {
    ...matched,
    targets: targets.map((target) => {
      const claimed = { ...target, pending: claims.get(target) ?? [] };
      return settled.has(target) ? unreadIfIdle(claimed, input) : claimed;
    }),
  };
}

/**
 * Sets of campaign ids. `known`: those in the state. `described`: those of manifests. `compared`: those whose emails the
 * plan compares.
 */
interface Scope {
  input: MatchInput;
  known: ReadonlySet<number | null>;
  described: ReadonlySet<number | null>;
  unread: ReadonlySet<Target>;
  compared: ReadonlySet<number | undefined>;
}

/** Sections shown for each launch, even if the manifest does not manage them. */
export const LAUNCH_SECTIONS = ['schedule', 'sequence'] as const;

function declaredTarget(target: Target, { input, known, unread, compared }: Scope): Target {
  const { id, row, campaign } = target;
  const reads = new Set(requiredAnswers(campaign.spec));
  if (mayLaunch(target, input)) for (const name of LAUNCH_SECTIONS) reads.add(name);
  const isShown = row !== null && row.status !== null;
  // If neither the list nor the state has a status, the campaign itself may show it.
  if (!isShown && !known.has(id)) reads.add('campaign');
  const added = id !== null && compared.has(id) ? COMPARED.filter((name) => !reads.has(name)) : [];
  return {
    ...target,
    reads: id === null || unread.has(target) ? null : [...reads, ...added],
    shows: added.filter(isOnlyShown),
  };
}

/** `manifest`: the successor's manifest, used if the campaign is not in the state. */
function unmanagedTarget(
  role: 'removed' | 'replaced',
  { id, entry, row, ...named }: Predecessor & { manifest: string },
  { input, described, compared }: Scope,
): Target {
  const name = entry?.name ?? named.name ?? String(id);
  const manifest = entry?.manifest ?? named.manifest;
  const spec = { name, id, status: 'paused' } as const;
  const campaign = { manifest, file: manifest, document: 0, spec, remarks: [] };
  return {
    ...newTarget(campaign, input.environment),
    ...{ role, id, entry, row },
    outside: entry !== null && (described.has(id) || isOutside(entry, input.outside)),
    reads: compared.has(id) ? COMPARED : (['campaign'] as const),
    shows: COMPARED.filter(isOnlyShown),
  };
}

/** A predecessor that is idle according to the list is not read again. */
function unreadIfIdle(target: Target, input: MatchInput): Target {
  const { entry, row } = target;
  if (row === null || entry === null || target.pending.length > 0) return target;
  return statusInList(row, entry, input).sends === 'no' ? { ...target, reads: null } : target;
}

const COMPARED = ['campaign', 'schedule', 'sequence'] as const;

/** No rule needs the schedule of a replaced campaign. Its emails decide whether the successor revives one. */
function isOnlyShown(name: AnswerName): boolean {
  return name === 'schedule';
}

/** The plan compares a campaign with its predecessor until the state records the succession. */
function comparesWhole({ id, campaign, predecessor }: Target): boolean {
  return campaign.spec.sequence !== undefined && !isSucceededBy(predecessor?.entry ?? null, id);
}

/** A campaign that was renamed in the web app still has its manifest. */
export function removedEntries(entries: readonly StateEntry[], manifests: readonly Target[]): StateEntry[] {
  const claimed = new Set(
    manifests.flatMap((target) => [
      target.id,
      target.predecessor?.id,
      isRenamed(target) ? target.earlier?.id : null,
    ]),
  );
  return entries.filter(({ id }) => !claimed.has(id));
}

/** A pinned campaign is always read, to check that it exists. */
export function requiredAnswers(spec: Managed): AnswerName[] {
  const managed = SECTIONS.flatMap((section) => section.reads(spec));
  return [...new Set<AnswerName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

/** Assigns the open requests of each run to one campaign, the first that they are for, preferably one with the same manifest. */
function claim(
  pending: readonly PendingOperations[],
  targets: readonly Target[],
): ReadonlyMap<Target, PendingOperations[]> {
  const taken = new Set<PendingOperations>();
  const claims = new Map<Target, PendingOperations[]>();
  for (const target of targets) {
    const { id, role, row, campaign } = target;
    const name = (role === 'declared' ? row?.name : undefined) ?? campaign.spec.name;
    const same = pending.filter(
      (operations) => !taken.has(operations) && isPendingFor(operations, { id, name }),
    );
    const ofManifest = same.filter(({ manifest }) => manifest === campaign.manifest);
    const claimed = ofManifest.length > 0 ? ofManifest : same;
    for (const operations of claimed) taken.add(operations);
    claims.set(target, claimed);
  }
  return claims;
}

export function matchManifests(input: Manifests): { manifests: Target[]; entries: StateEntry[] } {
  const entries = [...createdEntries(input), ...input.entries];
  const context = { ...input, entries };
  return { entries, manifests: withPredecessors(matchCampaigns(input.campaigns, context), context) };
}

/** Binds a manifest to the live campaign to which it was applied, whatever that is called now. */
function boundToEntry(target: Target): Target {
  const { earlier } = target;
  const row = target.candidates.find(({ id }) => id === earlier?.id);
  return row === undefined ? target : { ...target, id: row.id, row, entry: earlier, earlier: null };
}

/**
 * Entries for campaigns that a crashed run created, identified by the id in the response or by a name that no manifest
 * uses.
 */
function createdEntries({ campaigns, entries, pending, listed }: Manifests): StateEntry[] {
  // A manifest with a pinned id refers to that id, regardless of its name.
  const names = new Set(campaigns.flatMap(({ spec }) => (spec.id === undefined ? spec.name : [])));
  const known = new Set(entries.map(({ id }) => id));
  const created = pending.flatMap((operations) => {
    const { manifest, name } = operations;
    const isUnclaimed = isCreatedBy(operations) && !names.has(name);
    const namesakes = isUnclaimed ? listed.filter((row) => row.name === name) : [];
    const id = operations.id ?? (namesakes.length === 1 ? namesakes[0]?.id : undefined);
    return id === undefined || known.has(id) ? [] : [{ id, manifest, name, recorded: UNKNOWN_STATE }];
  });
  // Several runs may have sent requests for the same campaign: one created it, the next one paused it.
  return [...new Map(created.toReversed().map((entry) => [entry.id, entry])).values()];
}

/** Finds each manifest's live campaign by pinned id or, otherwise, by exact name. If several match, the state decides. */
export function matchCampaigns(
  campaigns: readonly Campaign[],
  { environment, listed, entries, pending = [] }: MatchContext & { pending?: readonly PendingOperations[] },
): Target[] {
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  const pins = new Set(campaigns.map(({ spec }) => spec.id));
  // Predecessors were not renamed.
  const predecessors = new Set(campaigns.map(({ spec }) => spec.replaces));
  // A different campaign now has this position in the file; the rename was reported earlier.
  const taken = new Set(entries.filter(({ name }) => names.has(name)).map(({ manifest }) => manifest));
  const isOrphan = ({ id, name, manifest, recorded }: StateEntry) =>
    !names.has(name) &&
    !taken.has(manifest) &&
    !pins.has(id) &&
    !predecessors.has(id) &&
    !predecessors.has(name) &&
    recorded.superseded_by === undefined;
  const strays = listed.filter(({ name }) => !names.has(name));
  const knownIds = new Set([...entries.map(({ id }) => id), ...pins]);
  const lookup: Lookup = {
    environment: environment.name,
    rows: new Map(listed.map((row) => [row.id, row])),
    rowsByName: groupBy(listed, ({ name }) => name),
    strays: groupBy(strays, ({ name }) => withoutCase(name)),
    newcomers: new Map(
      pending.filter(isCreatedBy).map(({ name, listed_ids }) => {
        const before = new Set(listed_ids);
        const isNew = ({ id }: ListedCampaign) => !before.has(id) && !knownIds.has(id);
        return [name, listed_ids === undefined ? [] : strays.filter(isNew)];
      }),
    ),
    entries: new Map(entries.map((entry) => [entry.id, entry])),
    entriesByName: groupBy(entries, ({ name }) => name),
    pins,
    orphans: groupBy(entries.filter(isOrphan), withoutDocument),
  };
  return claimedTwice(
    campaigns.map((campaign) => {
      const target = { ...newTarget(campaign, environment), ...identify(campaign, lookup) };
      if (target.id === null) return target;
      return {
        ...target,
        row: lookup.rows.get(target.id) ?? null,
        entry: lookup.entries.get(target.id) ?? null,
      };
    }),
  );
}

interface Lookup {
  environment: string;
  rows: ReadonlyMap<number, ListedCampaign>;
  rowsByName: ReadonlyMap<string, readonly ListedCampaign[]>;
  /** Campaigns that no manifest names, by normalised name without case. */
  strays: ReadonlyMap<string, readonly ListedCampaign[]>;
  /** Unknown campaigns that have appeared since an unfinished creation, by the requested name. */
  newcomers: ReadonlyMap<string, readonly ListedCampaign[]>;
  entries: ReadonlyMap<number, StateEntry>;
  /** Entries of any file, because the manifest may have moved. */
  entriesByName: ReadonlyMap<string, readonly StateEntry[]>;
  pins: ReadonlySet<number | undefined>;
  /** Entries that no manifest names, pins or replaces, by file. */
  orphans: ReadonlyMap<string, readonly StateEntry[]>;
}

/** Document numbers change when an earlier document is removed. */
function withoutDocument({ manifest }: { manifest: string }): string {
  return manifest.replace(/#\d+/, '');
}

/** The live campaigns to which a manifest refers, or may refer. */
interface Doubt {
  earlier: StateEntry | null;
  candidates: ListedCampaign[];
  problems: PlanProblem[];
}

interface Identity extends Doubt {
  id: number | null;
}

function identify(campaign: Campaign, lookup: Lookup): Identity {
  const { spec } = campaign;
  const { name } = spec;
  const none = { id: null, earlier: null, candidates: [], problems: [] };
  if (spec.id !== undefined) return { ...none, id: spec.id };
  const known = (lookup.entriesByName.get(name) ?? []).filter(({ id }) => !lookup.pins.has(id));
  const there = known.filter(({ id }) => lookup.rows.has(id));
  const named = there.filter(({ id }) => lookup.rows.get(id)?.name === name);
  const [applied = there[0] ?? known.at(-1) ?? null] = named;
  // Two machines created the campaign, or their states were merged.
  if (there.length > 1 && named.length !== 1) {
    const duplicates = named.length > 0 ? named : there;
    const ids = duplicates.map(({ id }) => id).sort((a, b) => a - b);
    const problems = [problem('record-twice', campaign, ids, lookup.environment)];
    return { ...none, earlier: applied, candidates: findRows(duplicates, lookup), problems };
  }
  const namesakes = lookup.rowsByName.get(name) ?? [];
  const isApplied = ({ id }: ListedCampaign) => id === applied?.id;
  const [only] = namesakes;
  const match = namesakes.length === 1 ? only : namesakes.find(isApplied);
  if (match === undefined && only !== undefined) {
    const problems = [problem('ambiguous-name', name, namesakes)];
    return { ...none, earlier: applied, candidates: [...namesakes], problems };
  }
  const others = namesakes.filter((row) => row !== match);
  const sameName = match && others.length > 0 ? [problem('same-name', match, others)] : [];
  if (match !== undefined && lookup.entries.has(match.id))
    return { ...none, id: match.id, problems: sameName };
  const doubt = findDoubt(campaign, { applied, match: match ?? null }, lookup);
  return { ...none, id: match?.id ?? null, ...doubt, problems: [...sameName, ...doubt.problems] };
}

/**
 * Finds campaigns that may be this one under a different name: by state, by file, by spelling, or by an unfinished
 * creation.
 */
function findDoubt(
  campaign: Campaign,
  { applied, match }: { applied: StateEntry | null; match: ListedCampaign | null },
  lookup: Lookup,
): Doubt {
  const { manifest, spec } = campaign;
  const { name } = spec;
  const orphans = lookup.orphans.get(withoutDocument(campaign)) ?? [];
  const live = orphans.filter(({ id }) => lookup.rows.has(id));
  const unclaimed = orphans.filter((entry) => entry.manifest === manifest);
  const entry = applied ?? (live.length === 0 ? (unclaimed.at(-1) ?? null) : null);
  if (entry !== null) {
    const now = lookup.rows.get(entry.id);
    return now === undefined
      ? { earlier: entry, candidates: [], problems: [problem('missing', entry, match)] }
      : { earlier: entry, candidates: [now], problems: [problem('rename', name, now, match)] };
  }
  const [orphan] = live;
  if (orphan !== undefined) {
    // If there are several candidates, the match is uncertain, because positions in a file change.
    const isSure = live.length === 1 && orphan.manifest === manifest;
    const problems = [problem('rename/file', campaign, live, match)];
    return { earlier: isSure ? orphan : null, candidates: findRows(live, lookup), problems };
  }
  const none = { earlier: null, candidates: [], problems: [] };
  if (match !== null) return none;
  const strays = lookup.strays.get(withoutCase(name)) ?? [];
  const alike = strays.find((row) => spelling(row.name) === spelling(name));
  if (alike !== undefined)
    return { ...none, candidates: [alike], problems: [problem('rename/spelling', name, alike)] };
  const newcomers = lookup.newcomers.get(name) ?? [];
  if (newcomers.length > 0)
    return { ...none, candidates: [...newcomers], problems: [problem('rename/created', name, newcomers)] };
  const [other] = strays;
  return other === undefined ? none : { ...none, problems: [problem('similar-name', name, other)] };
}

function withoutCase(name: string): string {
  return spelling(name).toLowerCase();
}

function findRows(entries: readonly StateEntry[], { rows }: Lookup): ListedCampaign[] {
  return entries.flatMap(({ id }) => rows.get(id) ?? []);
}

/** One manifest may pin the campaign that another one names: they would undo each other's changes. */
function claimedTwice(targets: readonly Target[]): Target[] {
  const byId = groupBy(targets, ({ id }) => id);
  return targets.map((target) => {
    if (target.id === null) return target;
    const same = byId.get(target.id) ?? [target];
    if (same.length < 2) return target;
    const manifests = same.map(({ campaign }) => campaign.manifest);
    const claimed = problem('claimed-twice', target.id, manifests);
    return { ...target, problems: [...target.problems, claimed] };
  });
}

export function isRenamed({ earlier, candidates }: Target): boolean {
  return candidates.some(({ id, name }) => id === earlier?.id && !isSameName(name, earlier.name));
}

/** Both names of a campaign that was renamed in the web app, unless the manifest has the new one. */
export function renaming(target: Target): [manifest: string, live: string][] {
  const { campaign, id, earlier, row: shown } = target;
  const entry = id === null ? earlier : target.entry;
  if (entry === null) return [];
  const row = target.candidates.find((candidate) => candidate.id === entry.id) ?? shown;
  const { name } = campaign.spec;
  if (row === null || isSameName(row.name, entry.name) || isSameName(row.name, name)) return [];
  return [[name, row.name]];
}

export function isOutside(entry: StateEntry, outside: OutsideFiles): boolean {
  const file = entryFile(entry.manifest, (name) => outside.has(name));
  const described = file === null ? [] : (outside.get(file) ?? null);
  const isEntry = ({ name, id }: Described) =>
    id === undefined ? isSameName(name, entry.name) : id === entry.id;
  return described === null || described.some(isEntry);
}

/** The entry's file, without its document and instance; `null` if it is not a known one. */
export function entryFile(manifest: string, isKnown: (file: string) => boolean): string | null {
  const ends = [...manifest.matchAll(/#|\[|$/g)].map(({ index }) => index);
  const isFile = (end: number) =>
    isKnown(manifest.slice(0, end)) && /^(#\d+)?(\[.*\])?$/s.test(manifest.slice(end));
  const end = ends.find(isFile);
  return end === undefined ? null : manifest.slice(0, end);
}
