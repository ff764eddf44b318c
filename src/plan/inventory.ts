import type { ListedCampaign } from '../model/answer.js';
import { type Environment, serviceHead } from '../model/environment.js';
import type { Problem } from '../model/outputs.js';
import {
  INVENTORY_STATUSES,
  type Inventory,
  type InventoryEntry,
  type InventoryStatus,
  type Results,
} from '../model/reports.js';
import { NO_RESULTS, sumResults } from '../model/results.js';
import type { CampaignSpec } from '../model/spec.js';
import { type PendingOperations, type StateEntry, seenLast } from '../model/state.js';
import type { Target } from '../model/target.js';
import { isOverCapacity, sumVolume } from '../model/volume.js';
import { classifyStatus, statusInList, statusOfWord } from '../sections/sending.js';
import type { OutsideFiles } from './input.js';
import { withPending } from './leads.js';
import { isOutside } from './match.js';
import { problem } from './messages.js';

export interface InventoryInput {
  environment: Environment;
  listed: readonly ListedCampaign[];
  manifests: readonly Target[];
  entries: readonly StateEntry[];
  pending?: readonly PendingOperations[];
  outside?: OutsideFiles;
}

export function takeInventory(input: InventoryInput): Inventory {
  const { environment, listed, manifests, entries } = input;
  const rows = new Map(listed.map((row) => [row.id, row]));
  const known = new Map(entries.map((entry) => [entry.id, entry]));
  const matched = new Set(manifests.flatMap(({ row }) => row?.id ?? []));
  const unmatched = listed.filter(({ id }) => !matched.has(id));
  const candidates = new Map(
    manifests.flatMap((target) => target.candidates.map((row) => [row.id, target] as const)),
  );
  // An ambiguous manifest is listed once for each candidate.
  const isAmbiguous = (target: Target) =>
    target.id === null &&
    target.candidates.some(({ id }) => !matched.has(id) && candidates.get(id) === target);
  const wanted = new Map(
    manifests.flatMap(({ id, campaign }) => (id === null ? [] : [[id, campaign.spec.status] as const])),
  );
  const campaigns = [
    ...manifests.filter((target) => !isAmbiguous(target)).map((target) => ofManifest(target, environment)),
    ...unmatched.map((row) =>
      withoutManifest(row, { entry: known.get(row.id), target: candidates.get(row.id) }, input),
    ),
  ]
    .sort(byUrgency)
    .map((campaign): InventoryEntry => {
      const { id } = campaign;
      const [row, entry] = id === null ? [] : [rows.get(id), known.get(id)];
      return describe(campaign, { row: row ?? null, entry, wanted }, input);
    });
  const live = campaigns.filter(({ id, status }) => id !== null && rows.has(id) && status !== 'gone');
  const volume = sumVolume(
    live.filter((entry) => isSending(entry, environment)).map(({ cap }) => cap),
    environment.capacity,
  );
  const counts = Object.fromEntries(
    INVENTORY_STATUSES.map((name) => [name, campaigns.filter(({ status }) => status === name).length]),
  ) as Record<InventoryStatus, number>;
  return {
    version: 1,
    environment: environment.name,
    ...serviceHead(environment),
    summary: { live: listed.length, ...counts },
    totals: sumResults(
      live.map((entry) => (isFinal(entry, environment) ? withoutLeads(entry) : entry.results)),
    ),
    volume,
    problems: isOverCapacity(volume) ? [problem('over-capacity/now', volume)] : [],
    campaigns,
  };
}

/** `wanted`: the statuses in the manifests, by id. */
interface EntryFacts {
  row: ListedCampaign | null;
  entry: StateEntry | undefined;
  wanted: ReadonlyMap<number, CampaignSpec['status']>;
}

function describe(
  campaign: Entry,
  { row, entry, wanted }: EntryFacts,
  input: InventoryInput,
): InventoryEntry {
  const { environment, pending = [] } = input;
  const { results = NO_RESULTS, cap = null } = row?.numbers ?? {};
  const now = entry ? { ...entry, recorded: withPending(entry, pending) } : null;
  const { word, basis, meaning } =
    row === null || campaign.live_status !== null
      ? { ...statusOfWord(campaign.live_status, null, environment), basis: 'shown' as const }
      : statusInList(row, now, input);
  const { id } = campaign;
  const isStopped = id !== null && wanted.has(id) && meaning === 'stopped';
  const late = isStopped && now !== null ? stoppedProblems(now, wanted.get(id), environment) : [];
  return {
    ...campaign,
    problems: [...campaign.problems, ...late],
    live_status: word,
    status_basis: word === null ? 'unknown' : basis,
    last: entry ? seenLast(entry.recorded) : null,
    results,
    cap,
  };
}

/** Why a campaign that should or may be running is stopped: a pause outlasts a launch that was left out later. */
function stoppedProblems(
  { recorded }: StateEntry,
  wanted: CampaignSpec['status'],
  { service }: Environment,
): Problem[] {
  if (wanted === 'paused') return [];
  const { paused, launch_held: held } = recorded;
  if (wanted === undefined) return paused === undefined ? [] : [problem('launch-held/no-status', paused)];
  if (paused !== undefined) return [problem('launch-held/paused', paused)];
  return held === undefined ? [] : [problem('launch-held/before', held.at, service.senders === 'by_hand')];
}

/** True if, according to the list, the campaign is or may be sending. */
export function isSending(
  { live_status }: { live_status: string | null },
  environment: Environment,
): boolean {
  return live_status !== null && statusOfWord(live_status, null, environment).sends !== 'no';
}

/** A replaced campaign mails nobody, so none of its leads is left. */
function isFinal(entry: InventoryEntry, environment: Environment): boolean {
  return entry.status === 'superseded' && !isSending(entry, environment);
}

function withoutLeads({ results }: InventoryEntry): Results {
  return { ...results, leads: 0, leads_contacted: 0 };
}

/** True if, according to the list, the campaign has mailed all its leads. It goes on if it gets new ones. */
export function isFinished(
  { live_status }: { live_status: string | null },
  environment: Environment,
): boolean {
  return live_status !== null && statusOfWord(live_status, null, environment).meaning === 'finished';
}

type Entry = Omit<InventoryEntry, 'status_basis' | 'last' | 'results' | 'cap'>;

function isGone({ status }: ListedCampaign, { service }: Environment): boolean {
  return classifyStatus(status, service.statuses) === 'gone';
}

function withoutManifest(
  row: ListedCampaign,
  { entry, target }: { entry: StateEntry | undefined; target: Target | undefined },
  { environment, outside = new Map() }: InventoryInput,
): Entry {
  const { id, name, status: live_status } = row;
  const shown = { name, id, live_status, manifest: null, problems: [] };
  if (target !== undefined) {
    const { campaign, problems } = target;
    return { ...shown, status: 'unclear', manifest: campaign.manifest, problems };
  }
  if (isGone(row, environment)) return { ...shown, status: 'gone' };
  if (entry === undefined) return { ...shown, status: 'unmanaged' };
  const hasSuccessor = entry.recorded.superseded_by !== undefined;
  const status = hasSuccessor ? 'superseded' : isOutside(entry, outside) ? 'outside' : 'removed';
  return { ...shown, status, manifest: entry.manifest };
}

function ofManifest(
  { campaign, id, row: listed, earlier, problems }: Target,
  environment: Environment,
): Entry {
  const { manifest, spec } = campaign;
  const known = { name: spec.name, id, live_status: null, manifest, problems };
  const unclear = problems.length > 0 ? 'unclear' : null;
  if (listed !== null) {
    const status = unclear ?? (isGone(listed, environment) ? 'gone' : 'managed');
    return { ...known, name: listed.name, live_status: listed.status, status };
  }
  if (id !== null)
    return { ...known, status: 'missing', problems: [...problems, problem('pinned-not-found/list', id)] };
  const isMissing = problems.length === 1 && problems[0]?.code === 'missing';
  return isMissing
    ? { ...known, id: earlier?.id ?? null, status: 'missing' }
    : { ...known, status: unclear ?? 'new' };
}

/** An archived or deleted campaign needs attention only if a manifest names it. */
function byUrgency(a: Entry, b: Entry): number {
  const rank = ({ status, manifest }: Entry) =>
    status === 'gone' && manifest === null ? INVENTORY_STATUSES.length : INVENTORY_STATUSES.indexOf(status);
  if (rank(a) !== rank(b)) return rank(a) - rank(b);
  if (a.name !== b.name) return a.name < b.name ? -1 : 1;
  if (a.id === null || b.id === null) return Number(a.id !== null) - Number(b.id !== null);
  return a.id - b.id;
}
