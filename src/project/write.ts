import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Failure } from '../model/failure.js';
import { isBelow } from './files.js';

/** Writes files below the project, each at once with its whole text. Failure where one cannot be written, or lies outside. */
export function writeFiles(root: string, files: Iterable<readonly [file: string, text: string]>): void {
  const all = [...files];
  for (const [file] of all) refuseOutside(root, file);
  for (const [file, text] of all) {
    const path = join(root, file);
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(temporary, text, { flag: 'wx' });
      renameSync(temporary, path);
    } catch (error) {
      rmSync(temporary, { force: true });
      throw notWritten(file, error);
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

function notWritten(file: string, error: unknown): Failure {
  return new Failure(
    {
      code: 'file-not-written',
      message: `${file} could not be written: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Check the permissions of the folder and the room on the disk, then import again.',
    },
    { cause: error },
  );
}
