import { readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { flushFolder, hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { decode } from '../model/json.js';
import type { Run } from '../model/outputs.js';
import {
  type ElsewhereEntry,
  type ElsewhereRun,
  type Moment,
  type PendingOperations,
  type RunStart,
  type StateEntry,
  type StateFile,
  UNKNOWN_STATE,
} from '../model/state.js';
import { hasConflict, missing, refused } from './failure.js';
import {
  ageIn,
  closePending,
  type Journal,
  openJournal,
  readElsewhere,
  readPending,
  readRuns,
} from './journal.js';
import { isLastApplied, isStateFile } from './validators.generated.js';

/** The entries and journals of one environment, at one address of a service. A saved entry is on the disk when `save` resolves; Failure if it cannot be. */
export interface Store {
  readAll(): Promise<StateEntry[]>;
  /** All entries; `elsewhere`: those of another service, or of none that their files tell; `open`: what runs left open there. */
  read(): Promise<Entries & { open: ElsewhereRun[] }>;
  /** Never replaces an entry of another service: a campaign that has the same id there keeps its file. */
  save(entry: StateEntry): Promise<void>;
  /** Takes an entry away, if there is one. */
  remove(entry: Pick<ElsewhereEntry, 'base_url'> & { id: number }): Promise<void>;
  /** What earlier runs left unreconciled, oldest first. */
  pending(): Promise<PendingOperations[]>;
  /** Notes that these are reconciled: what they sent is in the entries. */
  closePending(reconciled: readonly PendingOperations[]): Promise<void>;
  /** Begins the journal of a run; `now` gives the time of each line, ISO 8601. */
  begin(start: RunStart, now: () => string): Promise<Journal>;
  /** The last runs, newest first, at most `limit`; or those whose name begins with `prefix`. */
  runs(wanted: { limit: number; prefix: string }): Promise<Run[]>;
}

interface Entries {
  entries: StateEntry[];
  elsewhere: ElsewhereEntry[];
}

/**
 * Opens the store in `folder`, which need not exist. Reading never creates it. `address`: of the service, as `addressOf` gives it; what
 * the files say of another one is kept and not believed. `changing` is told the name of each file before it is written, with
 * its text, or removed: null.
 */
export function openStore(
  folder: string,
  address: string,
  changing: (file: string, text: string | null) => Promise<void> = async () => {},
): Store {
  let places: Promise<EntryFiles> | null = null;
  const read = async () => {
    const found = await readEntries(folder);
    places = Promise.resolve(placesOf(folder, found));
    const isHere = ({ base_url }: ElsewhereEntry) => base_url === address;
    return {
      entries: found.filter(isHere).map(({ entry }) => entry),
      elsewhere: found.filter((one) => !isHere(one)),
    };
  };
  const fileOf = async (wanted: Omit<EntryFile, 'file'>) => {
    places ??= readEntries(folder).then((found) => placesOf(folder, found));
    return join(folder, fileFor(wanted, await places));
  };
  return {
    read: async () => ({ ...(await read()), open: await readElsewhere(folder, address) }),
    readAll: async () => (await read()).entries,
    async save(entry) {
      const file = await fileOf({ id: entry.id, base_url: address });
      const text = textOf(entry, address);
      await changing(basename(file), text);
      await save(file, text);
    },
    async remove(wanted) {
      const file = await fileOf(wanted);
      await changing(basename(file), null);
      await remove(file);
      places = null;
    },
    pending: () => readPending(folder, address),
    closePending: (reconciled) => closePending(folder, reconciled),
    begin: (start, now) => openJournal(folder, start, now),
    runs: (wanted) => readRuns(folder, wanted),
  };
}

/** The file of an entry: `42.json`, or `42-2.json` where a campaign of another service with that id has the first. */
interface EntryFile {
  id: number;
  base_url: string | null;
  file: string;
}

/** By the id of the campaign. */
type EntryFiles = ReadonlyMap<number, readonly EntryFile[]>;

const NAME = /^(\d+)(-\d+)?\.json$/;

/** Failure where two files are of one campaign. */
function placesOf(folder: string, found: readonly ReadEntry[]): EntryFiles {
  const places = new Map<number, EntryFile[]>();
  for (const { entry, base_url, file } of found) {
    const { id } = entry;
    const same = places.get(id) ?? [];
    const twin = same.find((one) => one.base_url === base_url);
    if (twin !== undefined)
      throw new Failure({
        code: 'state-conflict',
        message: `The state has two files of campaign ${id} at ${base_url ?? 'an address that they do not tell'}: ${join(folder, twin.file)} and ${join(folder, file)}.`,
        hint: `Merge them into one file ${MERGE}`,
      });
    places.set(id, [...same, { id, base_url, file }]);
  }
  return places;
}

function fileFor({ id, base_url }: Omit<EntryFile, 'file'>, places: EntryFiles): string {
  const same = places.get(id) ?? [];
  const own = same.find((one) => one.base_url === base_url);
  if (own !== undefined) return own.file;
  const isFree = (file: string) => same.every((one) => one.file !== file);
  let file = `${id}.json`;
  for (let number = 2; !isFree(file); number++) file = `${id}-${number}.json`;
  return file;
}

interface ReadEntry extends ElsewhereEntry {
  file: string;
}

async function readEntries(folder: string): Promise<ReadEntry[]> {
  const listed = (await readdir(folder).catch(missing(folder))) ?? [];
  const names = listed.filter((name) => NAME.test(name)).sort();
  const found: ReadEntry[] = [];
  for (const [index, file] of names.entries()) {
    found.push({ ...readEntry(join(folder, file)), file });
    // Lets answers arrive, and an interrupt.
    if (index % 64 === 63) await nextTurn();
  }
  return found.sort((a, b) => a.entry.id - b.entry.id);
}

const MERGE =
  'so that nothing is forgotten: keep under attached and under doubtful every list and id of either side, the smaller total_leads, and the rest of the side that was applied last. Then plan again.';

/** Synchronous: for thousands of small files that is several times quicker than promises. */
function readEntry(file: string): ElsewhereEntry {
  const text = readText(file);
  const { value, wrong } = decode(text, isStateFile);
  const [id] = basename(file, '.json').split('-');
  if (value !== null && String(value.id) === id)
    return { entry: entryOf(value), base_url: value.base_url ?? null };
  if (hasConflict(text))
    throw new Failure({
      code: 'state-conflict',
      message: `The state file ${file} has conflict markers of git: two branches have applied campaign ${id}.`,
      hint: `Merge it ${MERGE} If the sides have different base_urls, they are two campaigns: give each its own file, ${id}.json and ${id}-2.json.`,
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

function entryOf({
  id,
  manifest,
  name,
  version: _,
  base_url: _service,
  last,
  ...known
}: StateFile): StateEntry {
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
function textOf({ id, manifest, name, recorded }: StateEntry, base_url: string): string {
  const file: StateFile = {
    version: 1,
    id,
    base_url,
    manifest,
    name,
    ...recorded,
    last: recorded.last as Json,
  };
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
