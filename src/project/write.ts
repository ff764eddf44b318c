import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder, writeAtomic } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import { isBelow } from './files.js';

/** Writes files below the project. Failure where one cannot be written, or lies outside: then none is written. */
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
      const hint = 'Check the permissions of the folder and the room on the disk, then import again.';
      throw notWritten(file, error, hint);
    }
  }
}

/** A link may lead out of the project: of what is not there yet, the first folder above that is counts. */
function refuseOutside(root: string, file: string): void {
  let path = join(root, file);
  while (!existsSync(path)) path = dirname(path);
  const real = realpathSync(path);
  if (real === root || isBelow(root, real)) return;
  throw new Failure({
    code: 'file-outside-project',
    message: `${file} would lie outside the project: a link leads there. Nothing was written.`,
    hint: 'Choose another folder with --dir.',
  });
}

/** A file of the project with a new text. `before`: the text that it is expected to have. */
export interface NewText {
  file: string;
  before: string;
  after: string;
}

const BOM = '\ufeff';

/**
 * Writes new texts of files of the project; a byte order mark, permissions and links stay. Nothing is written if one of
 * them has changed since it was read.
 */
export async function rewriteFiles(root: string, texts: readonly NewText[]): Promise<void> {
  const marked = texts.map(({ file, before, after }) => ({ file, text: markOf(root, file, before) + after }));
  for (const { file, text } of marked) {
    await writeAtomic(join(root, file), text).catch((error: unknown) => {
      throw notWritten(file, error, AGAIN);
    });
  }
}

const AGAIN = 'Check its permissions, and run the command again: what is written already is found so.';

function markOf(root: string, file: string, before: string): string {
  const text = textOf(root, file);
  const mark = text.startsWith(BOM) ? BOM : '';
  if (text === mark + before) return mark;
  throw new Failure({
    code: 'file-changed',
    message: `${file} was changed while the service was being read, so nothing was written.`,
    hint: 'Save it, and run the command again.',
  });
}

function textOf(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), 'utf8');
  } catch (error) {
    throw notWritten(file, error, AGAIN);
  }
}

function notWritten(file: string, error: unknown, hint: string): Failure {
  const reason = error instanceof Error ? error.message : String(error);
  return new Failure(
    { code: 'file-not-written', message: `${file} cannot be written: ${reason}.`, hint },
    { cause: error },
  );
}
