import {
  closeSync,
  existsSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { hasCode } from './atomic.js';

interface OnlyFile {
  name: string;
  text: string;
}

/** Creates a folder with one file, atomically. False if the folder has a file already. */
export function placeFolder(path: string, { name, text }: OnlyFile): boolean {
  const prepared = `${path}.${crypto.randomUUID()}`;
  try {
    mkdirSync(prepared);
    writeFileSync(join(prepared, name), text, { mode: 0o600 });
    renameSync(prepared, path);
    return true;
  } catch (error) {
    const isTaken = ['ENOTEMPTY', 'EEXIST', 'EPERM', 'EACCES'].some((code) => hasCode(error, code));
    if (!isTaken || !existsSync(prepared)) throw error;
    // Windows does not replace an empty folder.
    removeEmpty(path);
    return false;
  } finally {
    rmSync(prepared, { recursive: true, force: true });
  }
}

/** Renames the folder's file and replaces its text. One process succeeds. False if it is gone. */
export function takeFile(folder: string, from: string, { name, text }: OnlyFile): boolean {
  const file = join(folder, name);
  try {
    renameSync(join(folder, from), file);
    const now = new Date();
    utimesSync(file, now, now);
    const fd = openSync(file, 'r+');
    ftruncateSync(fd);
    writeSync(fd, text);
    closeSync(fd);
    return true;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return false;
    throw error;
  }
}

/** Removes a folder if it is empty. */
export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It is gone, or not empty.
  }
}
