import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import type { PendingOperations } from '../model/pending.js';
import type { Run, RunStart } from '../model/run.js';
import type { StateEntry } from '../model/state-entry.js';
import { closePending, type Journal, openJournal } from './journal.js';
import { decodeRecord, encodeRecord } from './record.js';
import { readPending, readRuns } from './runs.js';

/** The entries and journals of one environment. A saved record is on the disk when `save` resolves; Failure where it cannot be. */
export interface Store {
  readAll(): Promise<StateEntry[]>;
  save(record: StateEntry): Promise<void>;
  /** What earlier runs did not bring to an end, oldest first. */
  pending(): Promise<PendingOperations[]>;
  /** Notes that these are settled: what they sent is in the entries. */
  closePending(settled: readonly PendingOperations[]): Promise<void>;
  /** Begins the journal of a run; `now` gives the time of each line, ISO 8601. */
  begin(start: RunStart, now: () => string): Promise<Journal>;
  /** The last runs, newest first, at most `limit`; or those whose name begins with `prefix`. */
  runs(wanted: { limit: number; prefix: string }): Promise<Run[]>;
}

/** Opens the store in `folder`, which need not exist. Reading never creates it. */
export function openStore(folder: string): Store {
  return {
    readAll: () => readAll(folder),
    save: (record) => save(folder, record),
    pending: () => readPending(folder),
    closePending: (settled) => closePending(folder, settled),
    begin: (start, now) => openJournal(folder, start, now),
    runs: (wanted) => readRuns(folder, wanted),
  };
}

async function readAll(folder: string): Promise<StateEntry[]> {
  const names = (await listed(folder)).filter((name) => /^\d+\.json$/.test(name));
  const entries: StateEntry[] = [];
  // In slices: ten thousand files opened at once would exceed the number that a process may have open.
  for (let at = 0; at < names.length; at += 64) {
    const slice = names.slice(at, at + 64).map((name) => readRecord(join(folder, name)));
    entries.push(...(await Promise.all(slice)));
  }
  return entries.sort((a, b) => a.id - b.id);
}

async function listed(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw unusable(folder, error);
  }
}

async function readRecord(file: string): Promise<StateEntry> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unusable(file, error);
  });
  const record = decodeRecord(text);
  if (record !== null && basename(file) === `${record.id}.json`) return record;
  throw new Failure({
    code: 'state-corrupt',
    message: `The state file ${file} cannot be read: it is not the record of campaign ${basename(file, '.json')}.`,
    hint: 'Restore it from version control or a backup. Deleting it is safe, but what was attached to the campaign is then unknown.',
  });
}

async function save(folder: string, record: StateEntry): Promise<void> {
  const file = join(folder, `${record.id}.json`);
  try {
    await makeFolder(folder);
    await writeAtomic(file, encodeRecord(record), { mode: 0o600 });
  } catch (error) {
    throw unusable(file, error);
  }
}

function unusable(path: string, error: unknown): Failure {
  return new Failure(
    {
      code: 'state-unusable',
      message: `The state at ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Check that the folder exists, is writable and has room.',
    },
    { cause: error },
  );
}
