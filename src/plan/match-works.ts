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

export function matchWorks(input: MatchInput): Matched {
  const { environment, selected, selection, outside, listed, mode, again, tool } = input;
  const { entries, matches } = matchManifests(input);
  const wanted = new Set(selected);
  const isWanted = ({ campaign }: Match) =>
    wanted.has(campaign) && (selection.target.length === 0 || selection.target.includes(campaign.spec.name));
  const planned = matches.filter(isWanted);
  const known = new Set(entries.map(({ id }) => id));
  const unread =
    mode === 'all'
      ? new Set<Match>()
      : unreadMatches(planned, matches, { ...{ environment, tool, again }, ...pick(input) });
  const reading = planned.filter((match) => !unread.has(match));
  const compared = new Set(
    reading.flatMap((match) => (comparesEmails(match) ? (match.predecessor?.id ?? []) : [])),
  );
  const rows = new Map(listed.map((row) => [row.id, row]));
  const claim = claims(input.pending);
  const declared = planned.map((match): CampaignWork => {
    const { id, listed: row, campaign } = match;
    const [isKnown, isCompared] = [known.has(id ?? 0), compared.has(id ?? 0)];
    const reads = readsOf(campaign.spec, { isKnown, row, isCompared });
    return {
      ...match,
      ...{ role: 'declared', outside: false, answers: null },
      pending: claim(id, row?.name ?? campaign.spec.name, campaign.manifest),
      reads: id === null || unread.has(match) ? null : reads,
    };
  });
  const ids = new Set(declared.flatMap(({ id }) => id ?? []));
  const described = new Set(matches.flatMap(({ id }) => id ?? []));
  const isDescribed = (entry: StateEntry) => described.has(entry.id) || isOutside(entry, outside);
  const other = (role: 'removed' | 'replaced', named: Predecessor, manifest: string): CampaignWork => {
    const { id, entry } = named;
    const reads: AnswerName[] = compared.has(id) ? ['campaign', 'sequence'] : ['campaign'];
    const name = entry?.name ?? named.name ?? String(id);
    const own = entry?.manifest ?? manifest;
    return {
      ...{
        role,
        id,
        entry,
        listed: named.listed,
        rivals: [],
        predecessor: null,
        problems: [],
        answers: null,
      },
      campaign: { manifest: own, file: own, document: 0, spec: { name, id, status: 'paused' }, remarks: [] },
      pending: claim(id, name, own),
      outside: entry !== null && isDescribed(entry),
      reads,
    };
  };
  const replaced = planned.flatMap((match): CampaignWork[] => {
    const { predecessor, campaign } = match;
    if (predecessor === null || ids.has(predecessor.id)) return [];
    ids.add(predecessor.id);
    const work = other('replaced', predecessor, campaign.manifest);
    return [unread.has(match) ? { ...work, reads: null } : work];
  });
  const removed = isFull(selection) ? removedEntries(entries, matches) : [];
  return {
    works: [
      ...declared,
      ...replaced,
      ...removed.flatMap((entry): CampaignWork[] => {
        const { id, name } = entry;
        const row = rows.get(id);
        if (row === undefined) return [];
        const work = other('removed', { id, name, listed: row, entry }, entry.manifest);
        // The row of a replaced campaign tells whether it sends.
        const isLeft =
          mode === 'changed' &&
          entry.recorded.superseded_by !== undefined &&
          work.pending.length === 0 &&
          restsInList(row, environment);
        return [isLeft ? { ...work, reads: null } : work];
      }),
    ],
    matches,
    entries,
  };
}

const pick = ({ entries, pending }: MatchInput) => ({ entries, pending });

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
export function answersOf(spec: Managed): AnswerName[] {
  const managed = SECTIONS.flatMap((section) => section.reads(spec));
  return [...new Set<AnswerName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

/** An unknown campaign's record is read if the list shows no status. */
function readsOf(
  spec: CampaignSpec,
  { isKnown, row, isCompared }: { isKnown: boolean; row: ListedCampaign | null; isCompared: boolean },
): AnswerName[] {
  const names = new Set(answersOf(spec));
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
