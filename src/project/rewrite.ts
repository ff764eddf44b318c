import { randomUUID } from 'node:crypto';
import { readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Failure } from '../model/failure.js';

/** A file of the project with a new text. `before`: the text that it is expected to have. */
export interface NewText {
  file: string;
  before: string;
  after: string;
}

const BOM = '\ufeff';

/**
 * Writes files of the project, each at once or not at all; a byte order mark, permissions and links stay. Nothing is written
 * if one of them has changed since it was read.
 */
export function writeSources(root: string, texts: readonly NewText[]): void {
  const marks = texts.map(({ file, before }) => markOf(root, file, before));
  texts.forEach(({ file, after }, at) => {
    attempt(file, () => replace(realpathSync(join(root, file)), (marks[at] ?? '') + after));
  });
}

function markOf(root: string, file: string, before: string): string {
  const text = attempt(file, () => readFileSync(join(root, file), 'utf8'));
  const mark = text.startsWith(BOM) ? BOM : '';
  if (text === mark + before) return mark;
  throw new Failure({
    code: 'file-changed',
    message: `${file} was changed while the service was being read, so nothing was written.`,
    hint: 'Save it, and run the command again.',
  });
}

function replace(path: string, text: string): void {
  const temporary = `${path}.${randomUUID()}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: statSync(path).mode, flag: 'wx', flush: true });
    renameSync(temporary, path);
  } finally {
    rmSync(temporary, { force: true });
  }
}

function attempt<T>(file: string, act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw new Failure(
      {
        code: 'file-not-written',
        message: `${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
        hint: 'Check its permissions, and run the command again: what is written already is found so.',
      },
      { cause: error },
    );
  }
}
