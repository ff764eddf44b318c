import { mkdir, open, readdir, readFile, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../model/failure.js';
import type { CampaignRecord } from '../model/memory.js';
import { decodeRecord, encodeRecord } from './record.js';

/** The records of one environment. Saves of one campaign happen one after the other; others do not wait for them. */
export interface Store {
  readAll(): Promise<CampaignRecord[]>;
  save(record: CampaignRecord): Promise<void>;
}

/** Opens the store in `folder`, which need not exist. Reading never creates it. */
export function openStore(folder: string): Store {
  const saving = new Map<number, Promise<void>>();
  const made = new Set<string>();
  return {
    readAll: () => readAll(folder),
    save(record) {
      const write = () => writeAtomic(join(folder, `${record.id}.json`), encodeRecord(record), made);
      // A save that failed is told to its caller; the next one is tried all the same.
      const saved = (saving.get(record.id) ?? Promise.resolve()).then(write, write);
      saving.set(record.id, saved);
      return saved;
    },
  };
}

async function readAll(folder: string): Promise<CampaignRecord[]> {
  const names = (await listed(folder)).filter((name) => /^\d+\.json$/.test(name));
  const records: CampaignRecord[] = [];
  // In slices: ten thousand files opened at once would exceed the number that a process may have open.
  for (let at = 0; at < names.length; at += 64) {
    const slice = names.slice(at, at + 64).map((name) => readRecord(join(folder, name)));
    records.push(...(await Promise.all(slice)));
  }
  return records.sort((a, b) => a.id - b.id);
}

async function listed(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isMissing(error)) return [];
    throw unusable(folder, error);
  }
}

async function readRecord(file: string): Promise<CampaignRecord> {
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

/** A crash leaves the old file or the new one, never half of one. */
async function writeAtomic(file: string, text: string, made: Set<string>): Promise<void> {
  const temporary = `${file}.tmp`;
  try {
    const folder = dirname(file);
    if (!made.has(folder)) await mkdir(folder, { recursive: true });
    made.add(folder);
    const handle = await open(temporary, 'w', 0o600);
    try {
      await handle.writeFile(text);
      await handle.datasync();
    } finally {
      await handle.close();
    }
    await rename(temporary, file);
  } catch (error) {
    throw unusable(file, error);
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
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
