import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { Failure } from '../../src/model/failure.js';

/** A folder with these files, gone when the test is over. */
export function folder(files: Readonly<Record<string, string | Uint8Array>>): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'project-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), content);
  }
  return root;
}

/** The failure that a call ends with. */
export async function failure(call: () => unknown): Promise<Failure> {
  try {
    await call();
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
  throw new Error('There was no failure.');
}
