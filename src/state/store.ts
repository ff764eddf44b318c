import { Failure } from '../model/failure.js';
import { decode, type Json } from '../model/json.js';
import type { PendingOperations, Run, RunStart, StateEntry, StateFile } from '../model/state.js';
import { archiveRuns, type Marks, readMarks, readRuns } from './archive.js';
import { caughtUp, rolledBack } from './catch-up.js';
import { entryName, isEntryName, isStatePath, JOURNALS, OWNER } from './file-names.js';
import type { StateOwner } from './files.js';
import { nothingSent } from './git-failures.js';
import {
  closePending,
  findCampaignId,
  type Journal,
  journals,
  openJournal,
  type ReconciledRun,
  readPausesAfter,
  readPending,
  readPlanned,
  readReconciled,
} from './journal.js';
import { ageIn } from './moment.js';
import { ownedBy, refuseOther, type StateUser } from './owner.js';
import { folderStorage, type Storage } from './storage.js';
import { isLastApplied, isStateFile, isStateOwner } from './validators.generated.js';

/**
 * If the state belongs to a different project or service address, all methods except `owner`, `rebase` and `runs` reject
 * with `state-of-other` or `state-of-other-service`.
 */
export interface Store {
  /** `null` until something has been written. */
  owner(): Promise<StateOwner | null>;
  /** Records this project and its address as the owner, and keeps entries and journals. */
  rebase(): Promise<void>;
  /** Restored older entries are updated from the journals of later runs. */
  readAll(): Promise<StateEntry[]>;
  /** Resolves once the entry is durable. */
  save(entry: StateEntry): Promise<void>;
  remove(id: number): Promise<void>;
  /** Oldest first. */
  pending(): Promise<PendingOperations[]>;
  /** Closes requests that need no further reconciling. */
  closePending(reconciled: readonly PendingOperations[]): Promise<void>;
  /** Ids of campaigns that `campaignctl pause` was sent for since the run began, as far as this storage shows. */
  pausesAfter(run: string): Promise<ReadonlySet<number>>;
  /** `now`: ISO 8601. */
  begin(start: RunStart, now: () => string): Promise<Journal>;
  /** Shortens the journals of older runs to what `runs` shows. Brings entries up to date first. Needs the lock. */
  archive(limits: ArchiveLimits): Promise<void>;
  /** Newest first. `prefix`: beginning of the run's name. */
  runs(wanted: { limit: number; prefix: string }): Promise<Run[]>;
}

/**
 * `check` fails if another run may have taken over. `keep` pushes what has been written: the plan before anything is sent, and
 * each attachment before it is sent; `null` if the state has no branch.
 */
export interface LeaseTerms {
  check(): void;
  keep: (() => Promise<void>) | null;
}

const UNLEASED: LeaseTerms = { check() {}, keep: null };

export interface LeasableStore extends Store {
  /** The same store for the holder of a lease. */
  under(lease: LeaseTerms): Store;
}

/** `journals`: number of closed journals that are kept as they are. `runs`: number of archived runs. */
export interface ArchiveLimits {
  journals: number;
  runs: number;
}

export function storeIn(storage: Storage, user: StateUser): LeasableStore {
  const state = openState(storage, user);
  return {
    ...storeUnder(UNLEASED, state, { storage, user }),
    under: (lease) => storeUnder(lease, state, { storage, user }),
  };
}

/** Shared by a store and its leased forms, such as the runs that were read. */
function openState(storage: Storage, user: StateUser) {
  const checkOwner = async () => {
    const recorded = await readOwner(storage, user);
    if (recorded !== null) refuseOther(recorded, user);
    return recorded;
  };
  const recordOwner = (recorded: StateOwner | null) =>
    storage.write(OWNER, `${JSON.stringify(ownedBy(user, recorded), null, 2)}\n`);
  const claim = onceDone(async () => {
    if ((await checkOwner()) === null) await recordOwner(null);
  });
  /** Runs by campaign, in the order in which its entry included them. */
  const included = new Map<number, Set<string>>();
  const include = (id: number | null, run: string) => {
    if (id !== null) included.set(id, (included.get(id) ?? new Set()).add(run));
  };
  const runsIn = (id: number) => [...(included.get(id) ?? [])];
  async function read() {
    await checkOwner();
    const saved = await readEntries(storage);
    const runs = await readReconciled(storage);
    const marks = await readMarks(storage);
    const existing = new Set([...runs.map(({ run }) => run), ...[...marks.values()].flat()]);
    for (const { entry, runs: known } of saved) {
      const kept = known.filter((run) => existing.has(run));
      included.set(entry.id, new Set([...kept, ...runsIn(entry.id)]));
    }
    for (const [id, names] of marks) for (const run of names) include(id, run);
    for (const { run, writes } of runs) for (const id of writes.keys()) include(id, run);
    return { known: await catchUp(storage, saved, { runs, marks }), runs, marks };
  }
  async function save(entry: StateEntry) {
    await claim();
    await storage.write(entryName(entry.id), encodeEntry(entry, runsIn(entry.id)));
  }
  return { checkOwner, recordOwner, claim, include, runsIn, read, save };
}

/** `check` is called before each write but those to a run's journal. */
function storeUnder(
  { check: mayWrite, keep }: LeaseTerms,
  { checkOwner, recordOwner, claim, include, runsIn, read, save }: ReturnType<typeof openState>,
  { storage, user }: { storage: Storage; user: StateUser },
): Store {
  return {
    owner: () => readOwner(storage, user),
    async rebase() {
      mayWrite();
      await recordOwner(await readOwner(storage, user));
    },
    readAll: async () => (await read()).known.map(({ entry }) => entry),
    async save(entry) {
      mayWrite();
      await save(entry);
    },
    async remove(id) {
      mayWrite();
      await checkOwner();
      await storage.remove(entryName(id));
    },
    async pending() {
      await checkOwner();
      const pending = await readPending(storage);
      // The planner reconciles these before saving.
      for (const { id, run } of pending) include(id, run);
      return pending;
    },
    async closePending(reconciled) {
      mayWrite();
      await checkOwner();
      await closePending(storage, reconciled);
    },
    pausesAfter: (run) => readPausesAfter(storage, run),
    async begin(start, now) {
      await claim();
      const announced = keep === null ? start : { ...start, announced: true };
      const journal = await openJournal(storage, announced, now);
      try {
        await keep?.();
        mayWrite();
      } catch (error) {
        await journal.end('incomplete');
        return nothingSent(error);
      }
      return sharedJournal(journal, { keep, include: (id) => include(id, start.run) });
    },
    async archive(limits) {
      const names = await journals(storage);
      if (names.length <= limits.journals) return;
      const { known, runs, marks } = await read();
      const closed = runs.filter(({ isOpen }) => !isOpen);
      const old = closed.slice(0, Math.max(0, closed.length - limits.journals));
      if (old.length === 0) return;
      for (const { entry, isBehind } of known) {
        mayWrite();
        if (isBehind) await save(entry);
      }
      const entries = new Map(known.map(({ entry: { id } }) => [id, runsIn(id)]));
      await archiveRuns(storage, { old, marks, entries, most: limits.runs, check: mayWrite });
    },
    runs: (wanted) => readRuns(storage, wanted),
  };
}

/** Does the work once, unless it fails. */
function onceDone(work: () => Promise<void>): () => Promise<void> {
  let doing: Promise<void> | null = null;
  return () => {
    doing ??= work().catch((error: unknown) => {
      doing = null;
      throw error;
    });
    return doing;
  };
}

/**
 * Includes what a run's journal says in the entries that are written afterwards. If there is a branch, an attachment is on it
 * before it is sent.
 */
function sharedJournal(
  journal: Journal,
  { keep, include }: { keep: LeaseTerms['keep']; include: (id: number | null) => void },
): Journal {
  return {
    ...journal,
    async intend(intent) {
      include(findCampaignId(intent));
      await journal.intend(intent);
      if (keep === null || intent.step.section !== 'leads') return;
      await keep().catch(async (error: unknown) => {
        const { manifest, name, id, step } = intent;
        const detail = 'it could not be recorded on the branch';
        const outcome = { manifest, name, id, step: step.id, result: 'not_run', detail } as const;
        await journal.conclude({ ...outcome, visible_in: null });
        throw error;
      });
    },
    conclude(outcome) {
      include(outcome.id);
      return journal.conclude(outcome);
    },
  };
}

export async function statePaths(storage: Storage): Promise<string[]> {
  const runs = (await storage.names(JOURNALS)).map((name) => `${JOURNALS}/${name}`);
  return [...(await storage.names('')), ...runs].filter(isStatePath);
}

export async function isState(folder: string): Promise<boolean> {
  return (await statePaths(folderStorage(folder))).length > 0;
}

async function entryFiles(storage: Storage): Promise<string[]> {
  return (await storage.names('')).filter(isEntryName);
}

/** `null` if the state is new. */
export async function readOwner(storage: Storage, user: StateUser): Promise<StateOwner | null> {
  const [file, folder] = [storage.nameOf(OWNER), storage.nameOf('')];
  const text = storage.read(OWNER)?.toString('utf8') ?? null;
  if (text !== null) {
    const { value, wrong } = decode(text, isStateOwner);
    if (value !== null) return value;
    throw withoutOwner(
      file,
      user,
      `The state file ${file} does not say which service and project the state belongs to: ${wrong}.`,
    );
  }
  const [entries, runs] = await Promise.all([entryFiles(storage), journals(storage)]);
  if (entries.length + runs.length === 0) return null;
  throw withoutOwner(
    file,
    user,
    `The state in ${folder} has entries or journals, but no ${OWNER}, which says which service and project they belong to.`,
  );
}

function withoutOwner(file: string, user: StateUser, message: string): Failure {
  const example = JSON.stringify({ ...ownedBy(user, null), base_url: 'https://send.example.com' });
  return new Failure({
    code: 'state-corrupt',
    message,
    hint: `Restore ${OWNER} from version control or a backup. If this project applied these campaigns, and you know at which base_url, recreate the file: echo '${example.replaceAll("'", "'\\''")}' > ${file}`,
  });
}

interface SavedEntry {
  entry: StateEntry;
  runs: readonly string[];
}

/** `isBehind`: the file lacks writes that the entry now includes. */
interface KnownEntry {
  entry: StateEntry;
  isBehind: boolean;
}

async function catchUp(
  storage: Storage,
  saved: readonly SavedEntry[],
  { runs, marks }: { runs: readonly ReconciledRun[]; marks: Marks },
): Promise<KnownEntry[]> {
  const compared = saved.map(({ entry, runs: known }) => {
    const missed = runs.flatMap(({ run, name, writes: all }) => {
      const writes = known.includes(run) ? [] : (all.get(entry.id) ?? []);
      return writes.length === 0 ? [] : [{ name, writes }];
    });
    const isRolledBack = marks.get(entry.id)?.some((run) => !known.includes(run)) ?? false;
    return { entry, missed, isRolledBack, isBehind: missed.length > 0 || isRolledBack };
  });
  if (compared.every(({ isBehind }) => !isBehind)) return compared;
  return Promise.all(
    compared.map(async ({ entry, missed, isRolledBack, isBehind }) => {
      const planned = ({ name, writes }: (typeof missed)[number]) =>
        readPlanned(storage, name).then((plan) => ({ plan, writes }));
      const latest = missed.length === 0 ? entry : caughtUp(entry, await Promise.all(missed.map(planned)));
      return { entry: isRolledBack ? rolledBack(latest) : latest, isBehind };
    }),
  );
}

async function readEntries(storage: Storage): Promise<SavedEntry[]> {
  const entries: SavedEntry[] = [];
  for (const file of await entryFiles(storage)) {
    const entry = readEntry(storage, file);
    if (entry !== null) entries.push(entry);
  }
  return entries.sort((a, b) => a.entry.id - b.entry.id);
}

/** `null` if another process has removed it. */
function readEntry(storage: Storage, name: string): SavedEntry | null {
  const text = storage.read(name)?.toString('utf8');
  if (text === undefined) return null;
  const file = storage.nameOf(name);
  const { value, wrong } = decode(text, isStateFile);
  const id = name.replace('.json', '');
  if (value !== null && String(value.id) === id) return decodeEntry(value);
  throw new Failure({
    code: 'state-corrupt',
    message: `The state file ${file} is not the entry of campaign ${id}: ${wrong ?? `it belongs to campaign ${value?.id}`}.`,
    hint: 'Restore it from version control or a backup. If it has conflict markers, keep every list and id of both sides under attached and doubtful. If you delete it, campaignctl no longer knows which leads are attached to the campaign.',
  });
}

/** Milliseconds for which the number of leads shown may lag behind an attachment: twice the documented time. */
const RECENT = 10 * 60_000;

function decodeEntry({ id, manifest, name, version: _, last, runs = [], ...known }: StateFile): SavedEntry {
  const { attached_at } = known;
  const isRecent = attached_at !== null && (ageIn(attached_at) ?? RECENT) < RECENT;
  const recorded = {
    ...known,
    attached_at: isRecent ? attached_at : null,
    last: isLastApplied(last) ? last : null,
  };
  return { entry: { id, manifest, name, recorded }, runs };
}

/** Writes one key per line, in a fixed order, to ease merging. */
function encodeEntry({ id, manifest, name, recorded }: StateEntry, runs: string[]): string {
  const known: StateFile = { version: 1, id, manifest, name, ...recorded, last: recorded.last as Json };
  const file = runs.length === 0 ? known : { ...known, runs };
  return `${JSON.stringify(file, null, 2)}\n`;
}
