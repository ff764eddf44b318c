/** Rethrows system errors unchanged. */

import {
  constants,
  existsSync,
  promises as fs,
  mkdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface WriteOptions {
  /** Default: the mode of the replaced file. */
  mode?: number;
  /** Fails with EEXIST if the file exists. */
  exclusive?: boolean;
}

/** Paths of open file descriptors, which must not be replaced. */
const STREAM = /^\/(dev\/(fd\/|std)|proc\/)/;

/**
 * Writes and flushes a temporary file, renames it, and flushes the folder. Keeps symbolic links; writes directly to pipes
 * and terminals.
 */
export async function writeAtomic(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  const { exclusive = false } = options;
  const existing = exclusive ? null : await fs.stat(path).catch(() => null);
  if (existing !== null && (STREAM.test(path) || !(existing.isFile() || existing.isDirectory())))
    return fs.writeFile(path, text);
  const target = existing === null ? path : await fs.realpath(path);
  const temporary = `${target}.${crypto.randomUUID()}.tmp`;
  try {
    await fs.writeFile(temporary, text, { flag: 'wx', flush: true, mode: options.mode ?? 0o666 });
    if (existing !== null && options.mode === undefined)
      await fs.chmod(temporary, existing.mode & 0o7777).catch(() => undefined);
    if (exclusive) await place(temporary, target);
    else await patiently(() => fs.rename(temporary, target));
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(dirname(target));
}

async function place(temporary: string, target: string): Promise<void> {
  await fs.link(temporary, target).catch((error: unknown) => {
    if (hasCode(error, 'EEXIST')) throw error;
    return fs.copyFile(temporary, target, constants.COPYFILE_EXCL);
  });
  await fs.rm(temporary, { force: true }).catch(() => undefined);
}

/** Retries on Windows, where a file cannot be renamed while a virus scanner has it open. */
export async function patiently<T>(
  act: () => Promise<T>,
  pauses: readonly number[] = process.platform === 'win32' ? [10, 30, 100, 300, 600] : [],
): Promise<T> {
  for (const pause of pauses) {
    try {
      return await act();
    } catch (error) {
      if (!['EPERM', 'EACCES', 'EBUSY'].some((code) => hasCode(error, code))) throw error;
      await wait(pause);
    }
  }
  return act();
}

export async function renameDurably(path: string, to: string): Promise<void> {
  await patiently(() => fs.rename(path, to));
  await flushFolder(dirname(to));
}

/** Creates a folder with one file, atomically. Returns false if the folder already has a file. */
export function placeFolder(path: string, { name, text }: { name: string; text: string }): boolean {
  const prepared = `${path}.${crypto.randomUUID()}`;
  try {
    mkdirSync(prepared);
    writeFileSync(join(prepared, name), text, { mode: 0o600 });
    renameSync(prepared, path);
    return true;
  } catch (error) {
    const isTaken = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].some((code) => hasCode(error, code));
    if (!isTaken || !existsSync(prepared)) throw error;
    // Windows cannot replace even an empty folder, so it is removed for the next attempt.
    removeEmpty(path);
    return false;
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
}

/** Renames a file in the folder and replaces its content. Returns false if another process has done so first. */
export function takeOverFile(
  folder: string,
  from: string,
  { name, text }: { name: string; text: string },
): boolean {
  try {
    renameSync(join(folder, from), join(folder, name));
    writeFileSync(join(folder, name), text);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // The folder is gone or is not empty.
  }
}

export async function makeFolder(path: string): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let folder = path; folder.length >= first.length; folder = dirname(folder))
    await flushFolder(dirname(folder));
}

/** Makes file names durable on systems that can flush a folder. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await fs.open(path, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
