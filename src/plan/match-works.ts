/** Matches manifests, state and list into the works of a plan, and decides what to read. */
import type { AnswerName, ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import type { RefreshMode } from '../model/outputs.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { type PendingOperations, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { type Managed, SECTIONS } from '../sections/index.js';
import type { Selection } from './fingerprint.js';
import {
  isOutside,
  isReplacedBy,
  type Match,
  matchCampaigns,
  type OutsideFiles,
  type Predecessor,
} from './match.js';
import { restsInList, unreadMatches } from './seen.js';
import { withPredecessors } from './succession.js';
import type { CampaignWork } from './work.js';

/** `campaigns`: all of the environment. `selected`: those asked for. */
export interface MatchInput {
  environment: Environment;
  campaigns: readonly Campaign[];
  selected: readonly Campaign[];
  selection: Selection;
  entries: readonly StateEntry[];
  pending: readonly PendingOperations[];
  outside: OutsideFiles;
  listed: readonly ListedCampaign[];
  mode: RefreshMode;
  /** Manifests to read in any case. */
  again: ReadonlySet<string>;
  tool: string;
}

/** `matches`: of all manifests. `entries`: with campaigns that a crashed run created. */
export interface Matched {
  works: CampaignWork[];
  matches: Match[];
  entries: StateEntry[];
}

export const ALL: Selection = { files: [], target: [], hold: [] };

/** True if all manifests are planned: only then are removed campaigns reported. */
export function isFull({ target, files }: Selection): boolean {
  return target.length === 0 && files.length === 0;
}

/** All manifests with their live campaigns and predecessors. */
export function matchManifests(
  input: Pick<MatchInput, 'environment' | 'campaigns' | 'entries' | 'pending' | 'listed'>,
) {
  const { environment, campaigns, pending, listed } = input;
  const entries = [...madeBy(pending, input.entries, { listed, campaigns }), ...input.entries];
  const matched = matchCampaigns(campaigns, listed, entries, { environment: environment.name });
  return { entries, matches: withPredecessors(matched, { listed, entries, environment }) };
}

/** Shared while the works of a plan are made. `compared`: predecessors whose emails are read. */
interface WorkTable {
  input: MatchInput;
  unread: ReadonlySet<Match>;
  compared: ReadonlySet<number>;
  claim: ReturnType<typeof claims>;
  /** The entry's campaign has a manifest in another environment, or outside the selection. */
  isDescribed(entry: StateEntry): boolean;
}

export function matchWorks(input: MatchInput): Matched {
  const { environment, selected, selection, outside, mode, again, tool, pending } = input;
  const { entries, matches } = matchManifests(input);
  const wanted = new Set(selected);
  const isWanted = ({ campaign }: Match) =>
    wanted.has(campaign) && (selection.target.length === 0 || selection.target.includes(campaign.spec.name));
  const planned = matches.filter(isWanted);
  const comparer = { environment, tool, again, entries: input.entries, pending };
  const unread = mode === 'all' ? new Set<Match>() : unreadMatches(planned, matches, comparer);
  const compared = planned.filter((match) => !unread.has(match) && comparesEmails(match));
  const described = new Set(matches.flatMap(({ id }) => id ?? []));
  const table: WorkTable = {
    ...{ input, unread },
    compared: new Set(compared.flatMap(({ predecessor }) => predecessor?.id ?? [])),
    claim: claims(pending),
    isDescribed: (entry) => described.has(entry.id) || isOutside(entry, outside),
  };
  const known = new Set(entries.map(({ id }) => id));
  const declared = planned.map((match) => declaredWork(match, known.has(match.id ?? 0), table));
  const removed = isFull(selection) ? removedEntries(entries, matches) : [];
  const works = [
    ...declared,
    ...replacedWorks(planned, new Set(declared.flatMap(({ id }) => id ?? [])), table),
    ...removedWorks(removed, table),
  ];
  return { works, matches, entries };
}

function declaredWork(match: Match, isKnown: boolean, { unread, compared, claim }: WorkTable): CampaignWork {
  const { id, listed: row, campaign } = match;
  const reads = answersToRead(campaign.spec, { isKnown, row, isCompared: compared.has(id ?? 0) });
  return {
    ...match,
    ...{ role: 'declared', outside: false, answers: null },
    pending: claim(id, row?.name ?? campaign.spec.name, campaign.manifest),
    reads: id === null || unread.has(match) ? null : reads,
  };
}

/** Predecessors that are not in `taken`, each once. */
function replacedWorks(planned: readonly Match[], taken: Set<number>, table: WorkTable): CampaignWork[] {
  return planned.flatMap((match): CampaignWork[] => {
    const { predecessor, campaign } = match;
    if (predecessor === null || taken.has(predecessor.id)) return [];
    taken.add(predecessor.id);
    const work = otherWork('replaced', { ...predecessor, manifest: campaign.manifest }, table);
    return [table.unread.has(match) ? { ...work, reads: null } : work];
  });
}

/** Campaigns of the state without manifest that the list shows. */
function removedWorks(removed: readonly StateEntry[], table: WorkTable): CampaignWork[] {
  const { listed, mode, environment } = table.input;
  const rows = new Map(listed.map((row) => [row.id, row]));
  return removed.flatMap((entry): CampaignWork[] => {
    const { id, name, manifest, recorded } = entry;
    const row = rows.get(id);
    if (row === undefined) return [];
    const work = otherWork('removed', { id, name, listed: row, entry, manifest }, table);
    // The row of a replaced campaign tells whether it sends.
    const isIdle = recorded.superseded_by !== undefined && restsInList(row, environment);
    return [mode === 'changed' && isIdle && work.pending.length === 0 ? { ...work, reads: null } : work];
  });
}

/** A campaign without manifest; `manifest` if the state does not know it. */
function otherWork(
  role: 'removed' | 'replaced',
  { id, entry, listed, ...named }: Predecessor & { manifest: string },
  { compared, claim, isDescribed }: WorkTable,
): CampaignWork {
  const name = entry?.name ?? named.name ?? String(id);
  const manifest = entry?.manifest ?? named.manifest;
  const spec = { name, id, status: 'paused' } as const;
  return {
    ...{ role, id, entry, listed, rivals: [], predecessor: null, problems: [], answers: null },
    campaign: { manifest, file: manifest, document: 0, spec, remarks: [] },
    pending: claim(id, name, manifest),
    outside: entry !== null && isDescribed(entry),
    reads: compared.has(id) ? ['campaign', 'sequence'] : ['campaign'],
  };
}

/** Entries that no manifest describes or replaces. */
export function removedEntries(entries: readonly StateEntry[], matches: readonly Match[]): StateEntry[] {
  const claimed = new Set(matches.flatMap(({ id, predecessor }) => [id, predecessor?.id]));
  return entries.filter(({ id }) => !claimed.has(id));
}

/** Assigns pending requests to campaigns, preferably by manifest, each once. */
function claims(pending: readonly PendingOperations[]) {
  const left = new Set(pending);
  return (id: number | null, name: string, manifest: string): PendingOperations[] => {
    const own = [...left].filter((one) => (one.id === null ? one.name === name : one.id === id));
    const same = own.filter((one) => one.manifest === manifest);
    const claimed = same.length > 0 ? same : own;
    for (const one of claimed) left.delete(one);
    return claimed;
  };
}

/** A pinned campaign is always read, to know that it exists. */
export function requiredAnswers(spec: Managed): AnswerName[] {
  const managed = SECTIONS.flatMap((section) => section.reads(spec));
  return [...new Set<AnswerName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

/** An unknown campaign's record is read if the list shows no status. */
function answersToRead(
  spec: CampaignSpec,
  { isKnown, row, isCompared }: { isKnown: boolean; row: ListedCampaign | null; isCompared: boolean },
): AnswerName[] {
  const names = new Set(requiredAnswers(spec));
  if (!isKnown && (row?.status ?? null) === null) names.add('campaign');
  if (isCompared) for (const name of ['campaign', 'sequence'] as const) names.add(name);
  return [...names];
}

/** The plan compares a predecessor's emails until it is replaced. */
function comparesEmails({ id, campaign, predecessor }: Match): boolean {
  return campaign.spec.sequence !== undefined && !isReplacedBy(predecessor?.entry ?? null, id);
}

/** Campaigns that a crashed run created: by the answered id, or by a name that no manifest claims. */
function madeBy(
  pending: readonly PendingOperations[],
  entries: readonly StateEntry[],
  { listed, campaigns }: { listed: readonly ListedCampaign[]; campaigns: readonly Campaign[] },
): StateEntry[] {
  // A pinned manifest means that id, whatever its name.
  const names = new Set(campaigns.flatMap(({ spec }) => (spec.id === undefined ? spec.name : [])));
  const known = new Set(entries.map(({ id }) => id));
  return pending.flatMap(({ id, manifest, name, sent }) => {
    const sentCreate = sent.some(({ step, result }) => step.id === 'create' && result !== 'failed');
    const called = sentCreate && !names.has(name) ? listed.filter((row) => row.name === name) : [];
    const made = id ?? (called.length === 1 ? called[0]?.id : undefined);
    return made === undefined || known.has(made)
      ? []
      : [{ id: made, manifest, name, recorded: UNKNOWN_STATE }];
  });
}
