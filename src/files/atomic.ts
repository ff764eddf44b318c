/**
 * How this program writes files: whole or not at all, and on the disk when the promise resolves. It knows nothing of what
 * it writes, and its errors are those of the system: who calls says in its own words which file could not be written.
 */

import { constants, promises as fs } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

export interface WriteOptions {
  /** Permissions. Left out: those of the file that is replaced, or what the system gives a new one. */
  mode?: number;
  /** Refuses, with the code EEXIST, where there is such a file already. */
  exclusive?: boolean;
}

/** Names of what a process has open: a file behind one is written on by others, and must not be replaced. */
const STREAM = /^\/(dev\/(fd\/|std)|proc\/)/;

/**
 * Writes a file at once: its text goes to a temporary file beside it and to the disk, then takes the name, then the folder
 * goes to the disk. A process or a machine that dies leaves the old file or the new one, never half of one. A link stays
 * a link, and what is no file (a pipe, a terminal) is written to as it is.
 */
export async function writeAtomic(path: string, text: string, options: WriteOptions = {}): Promise<void> {
  const { exclusive = false } = options;
  const found = exclusive ? null : await fs.stat(path).catch(() => null);
  if (found !== null && (STREAM.test(path) || !(found.isFile() || found.isDirectory())))
    return fs.writeFile(path, text);
  const target = found === null ? path : await fs.realpath(path);
  const temporary = `${target}.${crypto.randomUUID()}.tmp`;
  try {
    await fs.writeFile(temporary, text, { flag: 'wx', flush: true, mode: options.mode ?? 0o666 });
    if (found !== null && options.mode === undefined)
      await fs.chmod(temporary, found.mode & 0o7777).catch(() => undefined);
    if (exclusive) await place(temporary, target);
    else await patiently(() => fs.rename(temporary, target));
  } catch (error) {
    await fs.rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(dirname(target));
}

/**
 * Gives a file a name that must be free. Not every disk has hard links, and each refuses them with a code of its own; a copy is not
 * there at once, but as exclusive.
 */
async function place(temporary: string, target: string): Promise<void> {
  await fs.link(temporary, target).catch((error: unknown) => {
    if (hasCode(error, 'EEXIST')) throw error;
    return fs.copyFile(temporary, target, constants.COPYFILE_EXCL);
  });
  await fs.rm(temporary, { force: true }).catch(() => undefined);
}

/** Under Windows, a file that another program has open for a moment, such as a virus scanner, cannot be renamed or replaced. */
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

/** Renames within a folder; the new name is on the disk when this resolves. */
export async function renameDurably(path: string, to: string): Promise<void> {
  await patiently(() => fs.rename(path, to));
  await flushFolder(dirname(to));
}

/** Makes a folder and those above it that are missing; their names are on the disk when this resolves. */
export async function makeFolder(path: string): Promise<void> {
  const first = await fs.mkdir(path, { recursive: true });
  if (first === undefined) return;
  for (let made = path; made.length >= first.length; made = dirname(made)) await flushFolder(dirname(made));
}

/** A name is on the disk only once its folder is; not every system can do that. */
export async function flushFolder(path: string): Promise<void> {
  const handle = await fs.open(path, 'r').catch(() => null);
  await handle?.sync().catch(() => undefined);
  await handle?.close();
}

/** Whether an error of the system has this code, as in ENOENT. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
