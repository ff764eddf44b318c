import { appendFileSync, close, fdatasync, openSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { flushFolder, hasCode, makeFolder, renameDurably, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import { nullIfMissing, throwUnusable } from './failure.js';
import type { JOURNALS } from './file-names.js';

/** The files of a state, by relative path. They are in a folder or, for a branch, in memory. */
export interface Storage {
  nameOf(path: string): string;
  /** Names of the files at the top level, or of the journals. */
  names(folder: '' | typeof JOURNALS): Promise<string[]>;
  /** `null` if the file is missing. */
  read(path: string): Buffer | null;
  write(path: string, text: string): Promise<void>;
  remove(path: string): Promise<void>;
  move(path: string, to: string): Promise<void>;
  /** `isNew`: fails if the file exists. */
  append(path: string, options: { isNew: boolean }): Promise<LineFile>;
}

export interface LineFile {
  /** Appended lines survive a crash of the process. After an error, nothing more is appended. */
  append(line: object): void;
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Only writing creates the folder. */
export function folderStorage(folder: string): Storage {
  const nameOf = (path: string) => join(folder, path);
  return {
    nameOf,
    async names(part) {
      const path = nameOf(part);
      return (await readdir(path).catch(nullIfMissing(path))) ?? [];
    },
    // Synchronous reading is several times faster for small files.
    read(path) {
      try {
        return readRegularFile(nameOf(path));
      } catch (error) {
        return nullIfMissing(nameOf(path))(error);
      }
    },
    async write(path, text) {
      const file = nameOf(path);
      const write = () => writeAtomic(file, text, { mode: 0o600 });
      // The folder is missing only before the first entry.
      const withFolder = async (error: unknown) => {
        if (!hasCode(error, 'ENOENT')) throw error;
        await makeFolder(dirname(file));
        await write();
      };
      await write().catch(withFolder).catch(throwUnusable(file));
    },
    async remove(path) {
      const drop = async () => {
        await rm(nameOf(path), { force: true });
        await flushFolder(dirname(nameOf(path)));
      };
      await drop().catch(throwUnusable(nameOf(path)));
    },
    move: (path, to) => renameDurably(nameOf(path), nameOf(to)),
    async append(path, { isNew }) {
      await makeFolder(dirname(nameOf(path)));
      const file = openLines(openSync(nameOf(path), isNew ? 'ax' : 'a', 0o600));
      if (isNew) await flushFolder(dirname(nameOf(path)));
      return file;
    },
  };
}

const [toTheDisk, closeFile] = [promisify(fdatasync), promisify(close)];

function openLines(fd: number): LineFile {
  let failure: unknown = null;
  const fail = (error: unknown) => {
    failure = error;
    throw error;
  };
  return {
    append(line) {
      if (failure !== null) throw failure;
      try {
        appendFileSync(fd, `${JSON.stringify(line)}\n`);
      } catch (error) {
        fail(error);
      }
    },
    flush: () => toTheDisk(fd).catch(fail),
    close: () => closeFile(fd),
  };
}

export interface MemoryStorage extends Storage {
  files: Map<string, Buffer | string>;
  changed: Set<string>;
}

export function memoryStorage(name: string, files: Map<string, Buffer | string>): MemoryStorage {
  const changed = new Set<string>();
  const set = (path: string, content: string) => {
    files.set(path, content);
    changed.add(path);
  };
  const textOf = (path: string) => files.get(path)?.toString() ?? '';
  const remove = (path: string) => {
    if (files.delete(path)) changed.add(path);
  };
  return {
    files,
    changed,
    nameOf: (path) => `${name}:${path}`,
    async names(folder) {
      const parts = [...files.keys()].map((path) => path.split('/'));
      return parts.flatMap((part) => (part.slice(0, -1).join('/') === folder ? (part.at(-1) ?? []) : []));
    },
    read(path) {
      const content = files.get(path);
      return content === undefined ? null : Buffer.from(content);
    },
    write: async (path, text) => set(path, text),
    remove: async (path) => remove(path),
    async move(path, to) {
      const text = textOf(path);
      remove(path);
      set(to, text);
    },
    async append(path) {
      let text = textOf(path);
      return {
        append(line) {
          text += `${JSON.stringify(line)}\n`;
          set(path, text);
        },
        flush: async () => {},
        close: async () => {},
      };
    },
  };
}
