import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { Failure, messageOf } from '../model/failure.js';
import { isObject } from '../model/json.js';
import { parseJson } from './fields.js';
import { NEW_STATE, type SandboxState } from './state.js';

/** Where the state is kept. `write` replaces the whole of it, or fails and keeps what was there. */
export interface Snapshot {
  state: SandboxState;
  write(state: SandboxState): Promise<void>;
}

/** The file holds one object; `checksum` is that of the state's JSON, so that no damage passes for campaigns. */
const VERSION = 1;
const BEGINNING = '{"file":"campaignctl sandbox"';

/**
 * Opens the snapshot in a file, made if there is none. A file that is damaged or holds something else is a Failure, and is
 * left alone. A process that is killed at any moment leaves the old state or the new one.
 */
export async function openSnapshot(file: string): Promise<Snapshot> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '';
    throw unusable(file, error);
  });
  const state = text === '' ? NEW_STATE : stateIn(text, file);
  let mark = text === '' ? await keep(state, file) : await markOf(file);
  return {
    state,
    async write(next) {
      if ((await markOf(file)) !== mark)
        throw new Failure({
          code: 'sandbox-file-shared',
          message: `Something else changed ${file} while this sandbox uses it. The sandbox did not carry out this write.`,
          hint: 'Run one sandbox at a time on a file: stop the other, then start this one again.',
        });
      mark = await keep(next, file);
    },
  };
}

function stateIn(text: string, file: string): SandboxState {
  if (!text.startsWith(BEGINNING))
    throw new Failure({
      code: 'sandbox-file-foreign',
      message: `${file} does not hold data of the sandbox, or its beginning is damaged.`,
      hint: 'Nothing was written to it. Name another file, or move this one away.',
    });
  const json = parseJson(text);
  const { version, checksum, state } = isObject(json) ? json : {};
  if (version === VERSION && isObject(state) && checksum === checksumOf(JSON.stringify(state)))
    return state as unknown as SandboxState;
  throw new Failure({
    code: 'sandbox-file-corrupt',
    message: `The sandbox's data in ${file} cannot be read: it is not as the sandbox wrote it.`,
    hint: `Restore ${file}, or delete it to begin with an empty sandbox.`,
  });
}

/** Writes the state; gives what tells this file from one that something else writes. */
async function keep(state: SandboxState, file: string): Promise<string> {
  const json = JSON.stringify(state);
  const text = `${BEGINNING},"version":${VERSION},"checksum":"${checksumOf(json)}","state":${json}}\n`;
  try {
    await makeFolder(dirname(file));
    await writeAtomic(file, text);
    return await markOf(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

function checksumOf(json: string): string {
  return createHash('sha256').update(json).digest('hex');
}

/** Each write makes another file of this name. */
async function markOf(file: string): Promise<string> {
  const found = await stat(file, { bigint: true }).catch(() => null);
  return found === null ? 'gone' : `${found.ino} ${found.size} ${found.mtimeNs}`;
}

function unusable(file: string, cause: unknown): Failure {
  const reason = messageOf(cause);
  return new Failure(
    {
      code: 'sandbox-file-unusable',
      message: `The sandbox cannot keep its data in ${file}: ${reason}.`,
      hint: 'Make the folder writable, make room on the disk, or name another file.',
    },
    { cause },
  );
}
