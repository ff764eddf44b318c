import type { ListedCampaign } from '../model/answer.js';
import { type Environment, serviceAddress } from '../model/environment.js';
import { countEach } from '../model/json.js';
import {
  INVENTORY_STATUSES,
  type Inventory,
  type InventoryEntry,
  type Problem,
  type Volume,
} from '../model/outputs.js';
import { isScratch } from '../model/probe.js';
import { type StateEntry, seenLast } from '../model/state.js';
import { capWords, isOverCapacity, NO_RESULTS, sumResults, sumVolume } from '../model/volume.js';
import { thousands } from '../model/words.js';
import { classifyStatus, sendingBy } from '../sections/sending.js';
import { isOutside, type Match, type OutsideFiles } from './match.js';

export interface InventoryInput {
  environment: Environment;
  listed: readonly ListedCampaign[];
  matches: readonly Match[];
  entries: readonly StateEntry[];
  outside?: OutsideFiles;
}

/** All manifests and live campaigns, those that need attention first, then by name. */
export function takeInventory(input: InventoryInput): Inventory {
  const { environment, listed, matches, entries, outside = new Map() } = input;
  const { statuses } = environment.service;
  const isGone = ({ status }: ListedCampaign) => classifyStatus(status, statuses) === 'gone';
  const byId = new Map(entries.map((known) => [known.id, known]));
  const told = new Set(matches.flatMap(({ id, listed: one }) => (one === null ? [] : [id])));
  const rivals = ambiguousCandidates(matches, told);
  // An ambiguous manifest is listed with each candidate.
  const own = matches
    .filter((match) => match.id !== null || !match.rivals.some(({ id }) => rivals.get(id) === match))
    .map((match) => ofManifest(match, isGone, byId));
  const rest = listed
    .filter(({ id }) => !told.has(id))
    .map((one) => {
      const { id, name, status: live_status } = one;
      const match = rivals.get(id);
      const removed = byId.get(id);
      const known = removed && whyWithout(removed, outside);
      const alone = isGone(one) ? 'gone' : (known ?? (isScratch(name) ? 'scratch' : 'unmanaged'));
      const status = match !== undefined ? 'unclear' : alone;
      const manifest = match?.campaign.manifest ?? (alone === known ? removed?.manifest : null) ?? null;
      return inventoryEntry(
        { status, name, id, live_status, manifest, problems: match?.problems ?? [] },
        byId.get(id),
      );
    });
  const rows = new Map(listed.map((row) => [row.id, row]));
  const campaigns = [...own, ...rest].sort(inOrder).map((entry): InventoryEntry => {
    const { results = NO_RESULTS, cap = null } = rows.get(entry.id ?? 0)?.numbers ?? {};
    return { ...entry, results, cap };
  });
  const live = campaigns.filter(({ id, status }) => rows.has(id ?? 0) && status !== 'gone');
  const volume = sumVolume(
    live.filter((entry) => isSending(entry, environment)).map(({ cap }) => cap),
    environment.capacity,
  );
  const counts = countEach(
    INVENTORY_STATUSES,
    campaigns.map(({ status }) => status),
  );
  return {
    version: 1,
    environment: environment.name,
    base_url: serviceAddress(environment),
    summary: { live: listed.length, ...counts },
    totals: sumResults(live.map(({ results }) => results)),
    volume,
    problems: isOverCapacity(volume) ? [overCapacity(volume)] : [],
    campaigns,
  };
}

/** True if the list shows a status of a campaign that sends, or may. */
export function isSending(
  { live_status }: Pick<InventoryEntry, 'live_status'>,
  environment: Pick<Environment, 'service'>,
): boolean {
  return live_status !== null && sendingBy(live_status, environment).state !== 'no';
}

function overCapacity(volume: Volume): Problem {
  return {
    code: 'over-capacity',
    severity: 'warning',
    message: `The running campaigns may send ${capWords(volume)} a day, more than the capacity of ${thousands(volume.capacity ?? 0)}.`,
    hint: 'Lower max_emails_per_day of some campaigns, pause one, or correct capacity in the project file.',
  };
}

function whyWithout(entry: StateEntry, outside: OutsideFiles): 'superseded' | 'removed' | 'outside' {
  if (entry.recorded.superseded_by !== undefined) return 'superseded';
  return isOutside(entry, outside) ? 'outside' : 'removed';
}

function ofManifest(
  { campaign, id, listed, entry, problems }: Match,
  isGone: (one: ListedCampaign) => boolean,
  byId: ReadonlyMap<number, StateEntry>,
): ReturnType<typeof inventoryEntry> {
  const { manifest, spec } = campaign;
  const known = { name: spec.name, id, live_status: null, manifest, problems };
  const own = id === null ? entry : byId.get(id);
  if (listed !== null) {
    const status = problems.length > 0 ? 'unclear' : isGone(listed) ? 'gone' : 'managed';
    return inventoryEntry(
      { ...known, id: listed.id, name: listed.name, live_status: listed.status, status },
      own,
    );
  }
  if (id !== null)
    return inventoryEntry({ ...known, status: 'missing', problems: [...problems, notListed(id)] }, own);
  const isMissing = problems.length === 1 && problems[0]?.code === 'missing';
  if (isMissing) return inventoryEntry({ ...known, id: entry?.id ?? null, status: 'missing' }, own);
  return inventoryEntry({ ...known, status: problems.length > 0 ? 'unclear' : 'new' }, null);
}

/** Candidates of ambiguous manifests. */
function ambiguousCandidates(
  matches: readonly Match[],
  taken: ReadonlySet<number | null>,
): Map<number, Match> {
  return new Map(
    matches.flatMap((match) =>
      match.rivals.filter(({ id }) => !taken.has(id)).map(({ id }) => [id, match] as const),
    ),
  );
}

function notListed(id: number): Problem {
  return {
    code: 'pinned-not-found',
    severity: 'error',
    message: `The manifest pins campaign ${id}, which is not in the list of the service.`,
    hint: 'Check id: in the manifest, and that the token belongs to the right workspace; plan reads the campaign itself.',
  };
}

/** Before the list's numbers are added. */
type Entry = Omit<InventoryEntry, 'last' | 'results' | 'cap'>;

function inventoryEntry(
  { status, name, id, live_status, manifest, problems }: Entry,
  own: StateEntry | null | undefined,
): Omit<InventoryEntry, 'results' | 'cap'> {
  return { status, name, id, live_status, manifest, last: own ? seenLast(own.recorded) : null, problems };
}

/** A campaign that is gone needs attention only if a manifest names it. */
function inOrder(one: Entry, other: Entry): number {
  const rank = ({ status, manifest }: Entry) =>
    status === 'gone' && manifest === null ? INVENTORY_STATUSES.length : INVENTORY_STATUSES.indexOf(status);
  if (rank(one) !== rank(other)) return rank(one) - rank(other);
  if (one.name !== other.name) return one.name < other.name ? -1 : 1;
  return (one.id ?? 0) - (other.id ?? 0);
}
