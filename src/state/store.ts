import { readFileSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { flushFolder, hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { decode } from '../model/json.js';
import type { Run } from '../model/run.js';
import {
  type Moment,
  type PendingOperations,
  type RunStart,
  type StateEntry,
  type StateFile,
  UNKNOWN_STATE,
} from '../model/state.js';
import { hasConflict, missing, otherService, refused } from './failure.js';
import {
  ageIn,
  closePending,
  type Journal,
  journals,
  openJournal,
  readPending,
  readRuns,
} from './journal.js';
import { isLastApplied, isStateFile, isStateService } from './validators.generated.js';

/**
 * The entries and journals of one environment, which belong to one service address. Where the state records another address, every method
 * but `address`, `rebase` and `runs` rejects with the Failure `state-of-other-service`.
 */
export interface Store {
  /** The service address that the state records; null if nothing was written yet. */
  address(): Promise<string | null>;
  /** Records the address of the environment in place of another one. Entries and journals stay as they are. */
  rebase(): Promise<void>;
  readAll(): Promise<StateEntry[]>;
  /** A saved entry is on the disk when this resolves. Failure if it cannot be. */
  save(entry: StateEntry): Promise<void>;
  /** Removes the entry of a campaign, if there is one. */
  remove(id: number): Promise<void>;
  /** What earlier runs left unreconciled, oldest first. */
  pending(): Promise<PendingOperations[]>;
  /** Notes that these are reconciled: what they sent is in the entries. */
  closePending(reconciled: readonly PendingOperations[]): Promise<void>;
  /** Begins the journal of a run; `now` gives the time of each line, ISO 8601. */
  begin(start: RunStart, now: () => string): Promise<Journal>;
  /** The last runs, newest first, at most `limit`; or those whose name begins with `prefix`. */
  runs(wanted: { limit: number; prefix: string }): Promise<Run[]>;
}

interface StoreOptions {
  /** The name of the environment, for messages. */
  environment?: string | null;
  /** Called before a file is written, with its text, or removed: null. */
  changing?: (file: string, text: string | null) => Promise<void>;
}

/** Opens the store in `folder`, which need not exist. Reading never creates it. `address`: of the service, as `addressOf` gives it. */
export function openStore(
  folder: string,
  address: string,
  { environment = null, changing = async () => {} }: StoreOptions = {},
): Store {
  const write = async (file: string, text: string) => {
    await changing(file, text);
    await save(join(folder, file), text);
  };
  const check = async () => {
    const recorded = await readAddress(folder);
    if (recorded !== null && recorded !== address) throw otherService(recorded, { address, environment });
    return recorded;
  };
  const record = () => write(STATE, `${JSON.stringify({ version: 1, base_url: address }, null, 2)}\n`);
  let recording: Promise<void> | null = null;
  /** The address is on the disk before the first entry or journal. */
  const recordOnce = () => {
    recording ??= check()
      .then((recorded) => (recorded === null ? record() : undefined))
      .catch((error: unknown) => {
        recording = null;
        throw error;
      });
    return recording;
  };
  return {
    address: () => readAddress(folder),
    rebase: record,
    async readAll() {
      await check();
      return readEntries(folder);
    },
    async save(entry) {
      await recordOnce();
      await write(`${entry.id}.json`, textOf(entry));
    },
    async remove(id) {
      await check();
      await changing(`${id}.json`, null);
      await remove(join(folder, `${id}.json`));
    },
    async pending() {
      await check();
      return readPending(folder);
    },
    async closePending(reconciled) {
      await check();
      await closePending(folder, reconciled);
    },
    async begin(start, now) {
      await recordOnce();
      return openJournal(folder, start, now);
    },
    runs: (wanted) => readRuns(folder, wanted),
  };
}

/** Names the service address that all entries and journals belong to. */
const STATE = 'state.json';
const ENTRY = /^\d+\.json$/;

async function entryFiles(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(missing(folder))) ?? [];
  return names.filter((name) => ENTRY.test(name));
}

/** Null if the state is empty. Failure if the address cannot be read. */
async function readAddress(folder: string): Promise<string | null> {
  const file = join(folder, STATE);
  const text = await readFile(file, 'utf8').catch(missing(file));
  if (text !== null) {
    const { value, wrong } = decode(text, isStateService);
    if (value !== null) return value.base_url;
    throw withoutAddress(folder, `The state file ${file} does not name the service of the state: ${wrong}.`);
  }
  const [entries, runs] = await Promise.all([entryFiles(folder), journals(folder)]);
  if (entries.length + runs.length === 0) return null;
  throw withoutAddress(
    folder,
    `The state in ${folder} has entries or journals, and no ${STATE}, which names their service.`,
  );
}

function withoutAddress(folder: string, message: string): Failure {
  return new Failure({
    code: 'state-corrupt',
    message,
    hint: `Restore ${STATE} from version control or a backup. If you know the base_url at which these campaigns were applied, write it: echo '{"version":1,"base_url":"https://send.example.com"}' > ${join(folder, STATE)}`,
  });
}

async function readEntries(folder: string): Promise<StateEntry[]> {
  const entries: StateEntry[] = [];
  for (const [index, file] of (await entryFiles(folder)).entries()) {
    entries.push(readEntry(join(folder, file)));
    // Lets answers arrive, and an interrupt.
    if (index % 64 === 63) await nextTurn();
  }
  return entries.sort((a, b) => a.id - b.id);
}

const MERGE =
  'so that nothing is forgotten: keep under attached and under doubtful every list and id of either side, the smaller total_leads, and the rest of the side that was applied last. Then plan again.';

/** Synchronous: for thousands of small files that is several times quicker than promises. */
function readEntry(file: string): StateEntry {
  const text = readText(file);
  const { value, wrong } = decode(text, isStateFile);
  const id = basename(file, '.json');
  if (value !== null && String(value.id) === id) return entryOf(value);
  if (hasConflict(text))
    throw new Failure({
      code: 'state-conflict',
      message: `The state file ${file} has conflict markers of git: two branches have applied campaign ${id}.`,
      hint: `Merge it ${MERGE}`,
    });
  throw new Failure({
    code: 'state-corrupt',
    message: `The state file ${file} is not the entry of campaign ${id}: ${wrong ?? `it is of campaign ${value?.id}`}.`,
    hint: 'Restore it from version control or a backup. You can delete it; campaignctl then no longer knows which leads are attached to the campaign.',
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return refused(file)(error);
  }
}

/** What the interface gives the service to take leads up, in milliseconds. */
const LATEST = 5 * 60_000;

function entryOf({ id, manifest, name, version: _, last, ...known }: StateFile): StateEntry {
  const lately = (then: Moment | null = null) =>
    then !== null && (ageIn(then) ?? LATEST) < LATEST ? then : null;
  const recorded = {
    ...UNKNOWN_STATE,
    ...known,
    ...{ late_ids_at: lately(known.late_ids_at), late: lately(known.late) },
    last: isLastApplied(last) ? last : null,
  };
  return { id, manifest, name, recorded };
}

/** Keys in a fixed order and a line each, so that merges stay readable. */
function textOf({ id, manifest, name, recorded }: StateEntry): string {
  const file: StateFile = { version: 1, id, manifest, name, ...recorded, last: recorded.last as Json };
  return `${JSON.stringify(file, null, 2)}\n`;
}

async function save(file: string, text: string): Promise<void> {
  const write = () => writeAtomic(file, text, { mode: 0o600 });
  // The folder is there but for the first entry.
  const withFolder = async (error: unknown) => {
    if (!hasCode(error, 'ENOENT')) throw error;
    await makeFolder(dirname(file));
    await write();
  };
  await write().catch(withFolder).catch(refused(file));
}

async function remove(file: string): Promise<void> {
  const drop = async () => {
    await rm(file, { force: true });
    await flushFolder(dirname(file));
  };
  await drop().catch(refused(file));
}
