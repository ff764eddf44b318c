import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Failure } from '../model/failure.js';
import type { CampaignRecord } from '../model/memory.js';
import { decodeRecord, encodeRecord } from './record.js';

/** The records of one environment. A saved record is on disk when `save` returns; Failure where it cannot be. */
export interface Store {
  readAll(): Promise<CampaignRecord[]>;
  save(record: CampaignRecord): void;
}

/** Opens the store in `folder`, which need not exist. Reading never creates it. */
export function openStore(folder: string): Store {
  return {
    readAll: () => readAll(folder),
    save: (record) => writeAtomic(join(folder, `${record.id}.json`), encodeRecord(record)),
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

/**
 * A process that dies leaves the old file or the new one, never half of one. Synchronous: for a small file that is
 * several times quicker than promises, and nothing can come between.
 */
function writeAtomic(file: string, text: string): void {
  const temporary = `${file}.tmp`;
  try {
    write(temporary, text);
    renameSync(temporary, file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** The folder is made when it turns out to be missing. */
function write(file: string, text: string): void {
  try {
    writeFileSync(file, text, { mode: 0o600 });
  } catch (error) {
    if (!isMissing(error)) throw error;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
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
