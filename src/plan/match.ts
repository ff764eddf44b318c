import type { ListedCampaign } from '../model/answer.js';
import { isSameName, spelling } from '../model/characters.js';
import { groupBy } from '../model/json.js';
import type { Problem } from '../model/outputs.js';
import type { Campaign, Described } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import { problem } from './messages.js';

/**
 * Which live campaign a manifest means. `id` null: none, it has to be created. `entry`: the state entry of the manifest, by
 * its name or file. `rivals`: other live campaigns that the problems speak of, one of which may be meant.
 */
export interface Match {
  campaign: Campaign;
  id: number | null;
  listed: ListedCampaign | null;
  entry: StateEntry | null;
  rivals: ListedCampaign[];
  /** The campaign that this one replaces, once `withPredecessors` has found it; null: none. */
  predecessor: Predecessor | null;
  problems: Problem[];
}

/** A campaign that another one replaces: what the list shows of it, and what the state keeps; neither, if its id alone tells it. */
export interface Predecessor {
  id: number;
  name: string | null;
  listed: ListedCampaign | null;
  entry: StateEntry | null;
}

/**
 * Finds the live campaign of every manifest: by id if it is pinned, else by its exact name in the complete list, else through
 * its state entry. A problem of severity `error` means that nothing can be planned.
 */
export function matchCampaigns(
  campaigns: readonly Campaign[],
  listed: readonly ListedCampaign[],
  entries: readonly StateEntry[],
  about: MatchContext = {},
): Match[] {
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  const pins = new Set(campaigns.map(({ spec }) => spec.id));
  const isUnnamed = ({ name }: { name: string }) => !names.has(name);
  const live: LiveIndex = {
    byName: groupBy(listed, ({ name }) => name),
    byId: new Map(listed.map((entry) => [entry.id, entry])),
    bySpelling: groupBy(listed.filter(isUnnamed), ({ name }) => spelling(name)),
  };
  const state: StateIndex = {
    byName: groupBy(entries, ({ name }) => name),
    ids: new Set(entries.map(({ id }) => id)),
    ...{ pins, left: leftIn(entries, campaigns, pins), newcomers: newIn(campaigns, entries) },
  };
  const matches = campaigns.map((campaign) => matchOne(campaign, live, state, about));
  return claimedTwice(matches);
}

/** `environment`: as commands name it. */
export interface MatchContext {
  environment?: string;
}

interface LiveIndex {
  byName: Map<string, ListedCampaign[]>;
  byId: Map<number, ListedCampaign>;
  /** Campaigns that no manifest names, by their names regardless of spelling. */
  bySpelling: Map<string, ListedCampaign[]>;
}

interface StateIndex {
  /** By name, whatever the file: it may have been moved. */
  byName: Map<string, StateEntry[]>;
  ids: Set<number>;
  /** Campaigns that manifests pin: no other manifest means them. */
  pins: ReadonlySet<number | undefined>;
  /** By place: entries that no manifest claims any more, and how many manifests have none. One may be another under a new name. */
  left: Map<string, StateEntry[]>;
  newcomers: Map<string, Campaign[]>;
}

/** The file, whatever the number of the document: that changes where another one is removed. */
function placeOf({ manifest }: { manifest: string }): string {
  return manifest.replace(/#\d+/, '');
}

function leftIn(
  entries: readonly StateEntry[],
  campaigns: readonly Campaign[],
  pins: StateIndex['pins'],
): StateIndex['left'] {
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  // A campaign that is replaced is no other one under a new name.
  const replaced = new Set(campaigns.map(({ spec }) => spec.replaces));
  // Where a manifest has taken over the place of another, it was told then.
  const taken = new Set(entries.filter(({ name }) => names.has(name)).map(({ manifest }) => manifest));
  const isOver = ({ id, name, manifest, recorded }: StateEntry) =>
    names.has(name) ||
    pins.has(id) ||
    taken.has(manifest) ||
    [id, name].some((one) => replaced.has(one)) ||
    recorded.superseded_by !== undefined;
  return groupBy(
    entries.filter((entry) => !isOver(entry)),
    placeOf,
  );
}

function newIn(campaigns: readonly Campaign[], entries: readonly StateEntry[]): StateIndex['newcomers'] {
  const known = new Set(entries.map(({ name }) => name));
  return groupBy(
    campaigns.filter(({ spec }) => spec.id === undefined && !known.has(spec.name)),
    placeOf,
  );
}

interface OwnEntry {
  entry: StateEntry | null;
  /** Entries of its name between which nothing decides. */
  twins: StateEntry[];
  /** Entries of its file, one of which it may be under a new name. */
  perhaps: StateEntry[];
}

/**
 * The entry of a manifest: the one with its name, whatever its file, which one of two checkouts may have moved. Of several, the one
 * whose campaign still has that name, else one whose campaign is there. Without one, what its file leaves over.
 */
function entryOf(campaign: Campaign, live: LiveIndex, { byName, pins, ...rest }: StateIndex): OwnEntry {
  const { manifest, spec } = campaign;
  const { name } = spec;
  const isThere = ({ id }: StateEntry) => live.byId.has(id);
  const called = (byName.get(name) ?? []).filter(({ id }) => id === spec.id || !pins.has(id));
  const bound = called.filter((entry) => entry.manifest === manifest);
  const there = called.filter(isThere);
  const named = there.filter(({ id }) => live.byId.get(id)?.name === name);
  const [likely] = [named, there, bound, called].filter(({ length }) => length > 0);
  if (likely !== undefined) {
    const twins = named.length === 1 ? [] : there.length > 1 ? likely : [];
    return { entry: likely.at(-1) ?? null, twins, perhaps: [] };
  }
  const left = rest.left.get(placeOf(campaign)) ?? [];
  const perhaps = spec.id === undefined ? left.filter(isThere) : [];
  const before = (perhaps.length > 0 ? perhaps : left).filter((entry) => entry.manifest === manifest).at(-1);
  // Places tell only where none was removed or added: those without a claim are those of the new names.
  const places = (all: readonly { manifest: string }[]) =>
    all
      .map((one) => one.manifest)
      .sort()
      .join('\n');
  const isSure = perhaps.length === 0 || places(left) === places(rest.newcomers.get(placeOf(campaign)) ?? []);
  if (before !== undefined && isSure) return { entry: before, twins: [], perhaps: [] };
  return { entry: null, twins: [], perhaps };
}

function matchOne(campaign: Campaign, live: LiveIndex, state: StateIndex, about: MatchContext): Match {
  const { name, id } = campaign.spec;
  const { entry, twins, perhaps } = entryOf(campaign, live, state);
  const none = { campaign, id: null, listed: null, entry, rivals: [], predecessor: null, problems: [] };
  if (id !== undefined) return { ...none, id, listed: live.byId.get(id) ?? null };
  const candidates = live.byName.get(name) ?? [];
  if (twins.length > 1) {
    const rivals = twins.flatMap((twin) => live.byId.get(twin.id) ?? []);
    return { ...none, rivals, problems: [recordTwice(campaign, twins, about)] };
  }
  const called = entry === null ? undefined : live.byId.get(entry.id);
  const [only] = candidates;
  if (only === undefined) {
    const [alike] = live.bySpelling.get(spelling(name)) ?? [];
    if (entry !== null)
      return { ...none, rivals: called ? [called] : [], problems: [lost(campaign, entry, live)] };
    if (!alike && perhaps.length > 0) {
      const rivals = perhaps.flatMap(({ id }) => live.byId.get(id) ?? []);
      return {
        ...none,
        rivals,
        problems: [problem('rename/perhaps', { campaign, left: perhaps, other: null })],
      };
    }
    return alike
      ? { ...none, rivals: [alike], problems: [problem('rename/spelling', { name, other: alike })] }
      : none;
  }
  const bound = candidates.find((candidate) => candidate.id === entry?.id);
  const found = candidates.length === 1 ? only : bound;
  if (found === undefined)
    return { ...none, rivals: candidates, problems: [problem('ambiguous-name', { name, candidates })] };
  const others = candidates.filter((candidate) => candidate !== found);
  const problems =
    others.length > 0 ? [problem('same-name', { id: found.id, name: found.name, others })] : [];
  const taken = { ...none, id: found.id, listed: found, problems };
  if (bound !== undefined || state.ids.has(found.id)) return taken;
  if (perhaps.length > 0)
    return {
      ...taken,
      problems: [...problems, problem('rename/perhaps', { campaign, left: perhaps, other: found })],
    };
  if (entry === null) return taken;
  return { ...taken, rivals: called ? [called] : [], problems: [lost(campaign, entry, live)] };
}

/** Two machines have each made one, or their states were merged: all of these campaigns are there. */
function recordTwice(
  { spec: { name }, manifest }: Campaign,
  twins: readonly StateEntry[],
  { environment }: MatchContext,
): Problem {
  const ids = twins.map(({ id }) => id).sort((a, b) => a - b);
  return problem('record-twice', { name, manifest, ids, environment });
}

/** State knows a campaign for this manifest, yet it is not the one that has its name, or none has. */
function lost({ spec: { name } }: Campaign, entry: StateEntry, live: LiveIndex): Problem {
  const now = live.byId.get(entry.id);
  const [other = null] = live.byName.get(name) ?? [];
  return now === undefined
    ? problem('missing', { entry, other })
    : problem('rename', { name, entry, now, other });
}

/** The file of an entry, without the document and the instance in it; null if it is none of these. */
export function fileOf(
  { manifest }: Pick<StateEntry, 'manifest'>,
  files: Pick<ReadonlySet<string>, 'has'>,
): string | null {
  const ends = [...manifest.matchAll(/#|\[|$/g)].map(({ index }) => index);
  const isFile = (end: number) =>
    files.has(manifest.slice(0, end)) && /^(#\d+)?(\[.*\])?$/s.test(manifest.slice(end));
  const end = ends.find(isFile);
  return end === undefined ? null : manifest.slice(0, end);
}

/** Files of manifests that are not among those of the environment, each with the campaigns that it describes; null where that is not known. */
export type OutsideFiles = ReadonlyMap<string, readonly Described[] | null>;

/** Whether the file of an entry is one of these and describes its campaign still, or may. */
export function isOutside(entry: StateEntry, outside: OutsideFiles): boolean {
  const file = fileOf(entry, outside);
  const described = file === null ? [] : (outside.get(file) ?? null);
  const isOf = ({ name, id }: Described) =>
    id === undefined ? isSameName(name, entry.name) : id === entry.id;
  return described === null || described.some(isOf);
}

/** True once the successor was applied as its manifest says. */
export function isReplacedBy(entry: StateEntry | null, successor: number | null): boolean {
  return successor !== null && entry?.recorded.superseded_by === successor;
}

/** Whether the campaign that was applied has another name in the service now, not only in another spelling. */
export function isRenamed({ entry, rivals }: Match): boolean {
  return rivals.some(({ id, name }) => id === entry?.id && !isSameName(name, entry.name));
}

/** Two manifests for one campaign would undo each other at every run, or make it twice. */
function claimedTwice(matches: readonly Match[]): Match[] {
  const key = ({ id, campaign }: Match) => (id === null ? campaign.spec.name : id);
  const claims = groupBy(matches, key);
  return matches.map((match) => {
    const same = claims.get(key(match)) ?? [];
    if (same.length < 2) return match;
    const { id, campaign } = match;
    const manifests = same.map((other) => other.campaign.manifest);
    const claimed = problem('claimed-twice', { id, name: campaign.spec.name, manifests });
    return { ...match, problems: [...match.problems, claimed] };
  });
}
