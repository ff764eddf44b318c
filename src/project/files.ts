import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { isNativeError } from 'node:util/types';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import type { FileProblem, FileText, ReadFile } from '../manifest/files.js';
import { errorMessage, Failure } from '../model/failure.js';

/**
 * Follows links and refuses hidden files. `root`: a real path. `shared`: from `sharedFolders`. `hint`: for files outside the
 * project. Synchronous, because that is several times faster here.
 */
export function readerBelow(root: string, shared: readonly string[] = [], hint?: string): ReadFile {
  const written = [root, ...shared.map((folder) => join(root, folder).replace(/[\\/]$/, ''))];
  const folders = written.map(realPlace);
  const outside = { problem: 'file-outside-project', ...(hint !== undefined && { hint }) } as const;
  return (file, limit) => {
    try {
      const path = resolve(root, file);
      // This check comes first, so that nothing reveals whether a file outside the project exists.
      if (!written.some((folder) => isBelow(folder, path))) return outside;
      const real = realpathSync.native(path);
      const folder = folders.find((candidate) => isBelow(candidate, real));
      if (folder === undefined) return outside;
      if (isHidden(file) || isHidden(projectPath(folder, real))) return { problem: 'file-hidden' };
      return readText(real, limit);
    } catch (error) {
      return { problem: classifyError(error) };
    }
  };
}

const decoder = new TextDecoder('utf-8', { fatal: true });

export function readText(path: string, limit: number): FileText {
  try {
    return { text: decoder.decode(readRegularFile(path, limit)) };
  } catch (error) {
    return { problem: classifyError(error) };
  }
}

/** `root`: the real path of the file's folder. A link may lead elsewhere, but not out of the repository or to a hidden file. */
export function readProjectFile(
  path: string,
  limit: number,
): { root: string; text: string } | { problem: FileProblem } {
  try {
    const root = realpathSync.native(dirname(path));
    const real = realpathSync.native(path);
    const folder = [root, findRepository(root) ?? root].find((candidate) => isBelow(candidate, real));
    if (folder === undefined) return { problem: 'file-outside-project' };
    const isLink = real !== join(root, basename(path));
    if (isLink && isHidden(projectPath(folder, real))) return { problem: 'file-hidden' };
    return { root, ...readText(real, limit) };
  } catch (error) {
    return { problem: classifyError(error) };
  }
}

/** Expects real paths. Also true for the folder itself. */
export function isBelow(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

/** True for dot-files and files in dot-folders, which may contain secrets. */
export function isHidden(file: string): boolean {
  return file.split(/[\\/]/).some((part) => part.startsWith('.') && part !== '.' && part !== '..');
}

/** The real path of a file that may not exist, derived from its nearest existing folder. */
export function realPlace(path: string): string {
  let there = path;
  while (!existsSync(there)) there = dirname(there);
  return join(realpathSync.native(there), relative(there, path));
}

/** A folder as a pattern of manifests, such as `campaigns/` or `!drafts`, stands for the YAML files in it. */
export function withoutFolders(root: string, patterns: readonly string[]): string[] {
  return patterns.map((pattern) => {
    const folder = pattern.replace(/^!/, '').replace(/\/+$/, '');
    const isFolder = pattern.endsWith('/') || isDirectory(join(root, folder));
    return isFolder ? `${pattern.startsWith('!') ? '!' : ''}${folder}/**/*.{yaml,yml}` : pattern;
  });
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

export function projectPath(root: string, path: string): string {
  return relative(root, path).replaceAll(sep, '/');
}

export function findRepository(folder: string): string | null {
  if (existsSync(join(folder, '.git'))) return folder;
  return dirname(folder) === folder ? null : findRepository(dirname(folder));
}

const PROBLEMS: { readonly [code: string]: FileProblem } = {
  ENOENT: 'file-not-found',
  ENOTDIR: 'file-not-found',
  ENAMETOOLONG: 'file-not-found',
  EFBIG: 'file-too-large',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'file-not-utf8',
};

export function classifyError(error: unknown): FileProblem {
  const code = isNativeError(error) && 'code' in error ? String(error.code) : '';
  return PROBLEMS[code] ?? 'file-unreadable';
}

/** Writes nothing if one of the files is outside the folder. Stops at the first file that cannot be written. */
export async function writeFiles(
  root: string,
  files: Iterable<readonly [file: string, text: string]>,
): Promise<void> {
  const all = [...files];
  for (const [file] of all) refuseOutside(root, file);
  for (const [file, text] of all) {
    const path = join(root, file);
    try {
      await makeFolder(dirname(path));
      await writeAtomic(path, text);
    } catch (error) {
      const hint = 'Check the permissions of the folder and the free space on the disk, then import again.';
      throw notWritten(file, error, hint);
    }
  }
}

function refuseOutside(root: string, file: string): void {
  const real = realPlace(join(root, file));
  const isOutside = !isBelow(root, real);
  if (!isOutside && !isHidden(projectPath(root, real))) return;
  throw new Failure({
    code: isOutside ? 'file-outside-project' : 'file-hidden',
    message: isOutside
      ? `${file} would be outside the project because of a link. Nothing was written.`
      : `${file} would be a dotfile or in a dot-folder, and campaignctl does not read manifests there. Nothing was written.`,
    hint: 'Imported manifests go to the folder of the first pattern under manifests. Change that pattern, or replace the link.',
  });
}

const BOM = '\ufeff';

/** Keeps the byte order mark, the permissions and links. Writes nothing if any of the files has changed in the meantime. */
export async function rewriteFiles(
  root: string,
  texts: readonly { file: string; before: string; after: string }[],
): Promise<void> {
  const marked = texts.map(({ file, before, after }) => ({ file, text: markOf(root, file, before) + after }));
  for (const { file, text } of marked) {
    await writeAtomic(join(root, file), text).catch((error: unknown) => {
      throw notWritten(file, error, AGAIN);
    });
  }
}

const AGAIN = 'Files already written are kept. Check the permissions, then run the command again.';

function markOf(root: string, file: string, before: string): string {
  let text: string;
  try {
    text = readFileSync(join(root, file), 'utf8');
  } catch (error) {
    throw notWritten(file, error, AGAIN);
  }
  const mark = text.startsWith(BOM) ? BOM : '';
  if (text === mark + before) return mark;
  throw new Failure({
    code: 'file-changed',
    message: `${file} changed while campaignctl was reading the service, so nothing was written.`,
    hint: 'Save the file and run the command again.',
  });
}

function notWritten(file: string, error: unknown, hint: string): Failure {
  const reason = errorMessage(error);
  return new Failure({ code: 'file-not-written', message: `${file} cannot be written: ${reason}.`, hint });
}
