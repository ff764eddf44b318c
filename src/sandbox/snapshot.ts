import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { readRegularFile } from '../files/read.js';
import { errorMessage, Failure } from '../model/failure.js';
import { isObject, parseJson } from '../model/json.js';
import { NEW_STATE, type SandboxState } from './state.js';

/** `write` either replaces everything or fails and keeps the old state. */
interface Snapshot {
  state: SandboxState;
  write(state: SandboxState): Promise<void>;
}

const VERSION = 1;
const BEGINNING = '{"file":"campaignctl sandbox"';

/** Creates the file if it is missing. Fails, without changing the file, if it is damaged or not a sandbox's. Crash-safe. */
export async function openSnapshot(file: string): Promise<Snapshot> {
  const text = readWhole(file);
  const state = text === '' ? NEW_STATE : stateIn(text, file);
  let mark = text === '' ? await keep(state, file) : await readFileMark(file);
  return {
    state,
    async write(next) {
      if ((await readFileMark(file)) !== mark)
        throw new Failure({
          code: 'sandbox-file-shared',
          message: `Another process changed ${file} while this sandbox was using it. The sandbox did not perform this write.`,
          hint: 'Only one sandbox at a time can use a file. Stop the other one, then restart this one.',
        });
      mark = await keep(next, file);
    },
  };
}

/** Empty if the file does not exist. */
function readWhole(file: string): string {
  try {
    return readRegularFile(file).toString('utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return '';
    throw unusable(file, error);
  }
}

function stateIn(text: string, file: string): SandboxState {
  if (!text.startsWith(BEGINNING))
    throw new Failure({
      code: 'sandbox-file-unusable',
      message: `${file} does not contain sandbox data, or its beginning is damaged.`,
      hint: 'Nothing was written to it. Use a different file, or move this one away.',
    });
  const json = parseJson(text);
  const { version, state } = isObject(json) ? json : {};
  if (version === VERSION && isObject(state)) return state as unknown as SandboxState;
  throw new Failure({
    code: 'sandbox-file-unusable',
    message: `The sandbox's data in ${file} cannot be read: it is not in the format that the sandbox writes.`,
    hint: `Restore ${file}, or delete it to start with an empty sandbox.`,
  });
}

async function keep(state: SandboxState, file: string): Promise<string> {
  const text = `${BEGINNING},"version":${VERSION},"state":${JSON.stringify(state)}}\n`;
  try {
    await makeFolder(dirname(file));
    await writeAtomic(file, text);
    return await readFileMark(file);
  } catch (error) {
    throw unusable(file, error);
  }
}

/** The mark changes with each write, because each creates a new file. */
async function readFileMark(file: string): Promise<string> {
  const stats = await stat(file, { bigint: true }).catch(() => null);
  return stats === null ? 'gone' : `${stats.ino} ${stats.size} ${stats.mtimeNs}`;
}

function unusable(file: string, cause: unknown): Failure {
  const reason = errorMessage(cause);
  return new Failure({
    code: 'sandbox-file-unusable',
    message: `The sandbox cannot save its data in ${file}: ${reason}.`,
    hint: 'Make the folder writable, free disk space, or use a different file.',
  });
}
