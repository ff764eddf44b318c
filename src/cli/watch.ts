import { type FSWatcher, watch } from 'node:fs';
import { dirname } from 'node:path';

/** Milliseconds in which a save is one change, however many writes it takes. */
const AT_ONCE = 80;

/** Watches the folders of some files; `follow` says which files matter from now on. */
export interface FileWatch {
  follow(files: readonly string[]): void;
  close(): void;
}

/** Calls `changed` after something in a folder of these files was written. Folders, since editors replace files. */
export function watchFiles(changed: () => void): FileWatch {
  const watchers = new Map<string, FSWatcher>();
  let timer: NodeJS.Timeout | null = null;
  const soon = (): void => {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(changed, AT_ONCE);
  };
  const open = (folder: string): void => {
    try {
      watchers.set(
        folder,
        watch(folder, soon).on('error', () => forget(folder)),
      );
    } catch {
      // A folder that has gone: the next look at the project says so.
    }
  };
  const forget = (folder: string): void => {
    watchers.get(folder)?.close();
    watchers.delete(folder);
  };
  return {
    follow(files) {
      const folders = new Set(files.map((file) => dirname(file)));
      for (const folder of watchers.keys()) if (!folders.has(folder)) forget(folder);
      for (const folder of folders) if (!watchers.has(folder)) open(folder);
    },
    close() {
      if (timer !== null) clearTimeout(timer);
      for (const folder of [...watchers.keys()]) forget(folder);
    },
  };
}
