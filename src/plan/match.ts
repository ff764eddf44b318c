import type { ListedCampaign } from '../model/answer.js';
import { isSameName, spelling } from '../model/characters.js';
import { groupBy } from '../model/json.js';
import type { Problem } from '../model/outputs.js';
import type { Campaign, Described } from '../model/spec.js';
import type { StateEntry } from '../model/state.js';
import { problem } from './messages.js';

/**
 * The live campaign of a manifest. `id`: `null` to create it. `entry`: by name or file. `rivals`: other candidates, named by
 * problems.
 */
export interface Match {
  campaign: Campaign;
  id: number | null;
  listed: ListedCampaign | null;
  entry: StateEntry | null;
  rivals: ListedCampaign[];
  /** `null` if none. */
  predecessor: Predecessor | null;
  problems: Problem[];
}

/** The replaced campaign with its row and entry, if known. */
export interface Predecessor {
  id: number;
  name: string | null;
  listed: ListedCampaign | null;
  entry: StateEntry | null;
}

/** Matches by pinned id, else by exact name, else by state entry. A problem with severity `error` stops planning. */
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

/** `environment`: its name. */
export interface MatchContext {
  environment?: string;
}

interface LiveIndex {
  byName: Map<string, ListedCampaign[]>;
  byId: Map<number, ListedCampaign>;
  /** Campaigns that no manifest names, by normalised name. */
  bySpelling: Map<string, ListedCampaign[]>;
}

interface StateIndex {
  /** Regardless of the file, which may have moved. */
  byName: Map<string, StateEntry[]>;
  ids: Set<number>;
  /** Pinned ids: no other manifest means them. */
  pins: ReadonlySet<number | undefined>;
  /** Unclaimed entries by file, and how many manifests have none. */
  left: Map<string, StateEntry[]>;
  newcomers: Map<string, Campaign[]>;
}

/** Without the document's number, which changes if another one is removed. */
function stableManifest({ manifest }: { manifest: string }): string {
  return manifest.replace(/#\d+/, '');
}

function leftIn(
  entries: readonly StateEntry[],
  campaigns: readonly Campaign[],
  pins: StateIndex['pins'],
): StateIndex['left'] {
  const names = new Set(campaigns.map(({ spec }) => spec.name));
  // A replaced campaign is not a renamed one.
  const replaced = new Set(campaigns.map(({ spec }) => spec.replaces));
  // Reported when the other manifest took over the file.
  const taken = new Set(entries.filter(({ name }) => names.has(name)).map(({ manifest }) => manifest));
  const isOver = ({ id, name, manifest, recorded }: StateEntry) =>
    names.has(name) ||
    pins.has(id) ||
    taken.has(manifest) ||
    [id, name].some((one) => replaced.has(one)) ||
    recorded.superseded_by !== undefined;
  return groupBy(
    entries.filter((entry) => !isOver(entry)),
    stableManifest,
  );
}

function newIn(campaigns: readonly Campaign[], entries: readonly StateEntry[]): StateIndex['newcomers'] {
  const known = new Set(entries.map(({ name }) => name));
  return groupBy(
    campaigns.filter(({ spec }) => spec.id === undefined && !known.has(spec.name)),
    stableManifest,
  );
}

interface OwnEntry {
  entry: StateEntry | null;
  /** Several entries with its name. */
  twins: StateEntry[];
  /** Entries of its file that may be it under a former name. */
  perhaps: StateEntry[];
}

/**
 * The entry with the manifest's name, whatever its file; of several, the one whose campaign has the name, else exists. Otherwise
 * by file.
 */
function findEntry(campaign: Campaign, live: LiveIndex, { byName, pins, ...rest }: StateIndex): OwnEntry {
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
  const left = rest.left.get(stableManifest(campaign)) ?? [];
  const perhaps = spec.id === undefined ? left.filter(isThere) : [];
  const before = (perhaps.length > 0 ? perhaps : left).filter((entry) => entry.manifest === manifest).at(-1);
  // File positions count only if no manifest was added or removed.
  const places = (all: readonly { manifest: string }[]) =>
    all
      .map((one) => one.manifest)
      .sort()
      .join('\n');
  const isSure =
    perhaps.length === 0 || places(left) === places(rest.newcomers.get(stableManifest(campaign)) ?? []);
  if (before !== undefined && isSure) return { entry: before, twins: [], perhaps: [] };
  return { entry: null, twins: [], perhaps };
}

function matchOne(campaign: Campaign, live: LiveIndex, state: StateIndex, about: MatchContext): Match {
  const { name, id } = campaign.spec;
  const { entry, twins, perhaps } = findEntry(campaign, live, state);
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

/** Two machines created the campaign, or their states were merged. */
function recordTwice(
  { spec: { name }, manifest }: Campaign,
  twins: readonly StateEntry[],
  { environment }: MatchContext,
): Problem {
  const ids = twins.map(({ id }) => id).sort((a, b) => a - b);
  return problem('record-twice', { name, manifest, ids, environment });
}

/** The state's campaign is not the one with the name. */
function lost({ spec: { name } }: Campaign, entry: StateEntry, live: LiveIndex): Problem {
  const now = live.byId.get(entry.id);
  const [other = null] = live.byName.get(name) ?? [];
  return now === undefined
    ? problem('missing', { entry, other })
    : problem('rename', { name, entry, now, other });
}

/** The file of an entry without document and instance; `null` if it is no such file. */
export function entryFile(
  { manifest }: Pick<StateEntry, 'manifest'>,
  files: Pick<ReadonlySet<string>, 'has'>,
): string | null {
  const ends = [...manifest.matchAll(/#|\[|$/g)].map(({ index }) => index);
  const isFile = (end: number) =>
    files.has(manifest.slice(0, end)) && /^(#\d+)?(\[.*\])?$/s.test(manifest.slice(end));
  const end = ends.find(isFile);
  return end === undefined ? null : manifest.slice(0, end);
}

/** Manifests outside the environment with their campaigns; `null` if unknown. */
export type OutsideFiles = ReadonlyMap<string, readonly Described[] | null>;

/** True if such a file describes the entry's campaign, or may. */
export function isOutside(entry: StateEntry, outside: OutsideFiles): boolean {
  const file = entryFile(entry, outside);
  const described = file === null ? [] : (outside.get(file) ?? null);
  const isOf = ({ name, id }: Described) =>
    id === undefined ? isSameName(name, entry.name) : id === entry.id;
  return described === null || described.some(isOf);
}

/** True once the successor was applied. */
export function isReplacedBy(entry: StateEntry | null, successor: number | null): boolean {
  return successor !== null && entry?.recorded.superseded_by === successor;
}

/** True if the applied campaign has another name now, beyond spelling. */
export function isRenamed({ entry, rivals }: Match): boolean {
  return rivals.some(({ id, name }) => id === entry?.id && !isSameName(name, entry.name));
}

/** Two manifests for one campaign would undo each other, or create it twice. */
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
