import { readFile } from 'node:fs/promises';
import { isMap, parseDocument } from 'yaml';
import { writeAtomic } from '../files/atomic.js';
import { errorMessage, Failure } from '../model/failure.js';

/** Adds `state.id` to a project file with a git backend, byte for byte elsewhere. */
export async function writeStateId(
  file: string,
  { environment, id }: { environment: string; id: string },
): Promise<void> {
  try {
    const text = await readFile(file, 'utf8');
    await writeAtomic(file, withStateId(text, environment, id));
  } catch (error) {
    throw new Failure(
      {
        code: 'state-of-other',
        message: `The branch that keeps the state needs the id of this project, and ${file} cannot be changed: ${errorMessage(error)}.`,
        hint: `Write state: { id: ${id} } into it.`,
      },
      { cause: error },
    );
  }
}

export function withStateId(text: string, environment: string, id: string): string {
  const document = parseDocument(text, { schema: 'core' });
  const maps = [['state'], ['environments', environment, 'state']].map((path) => document.getIn(path, true));
  const state = maps.find((map) => isMap(map) && map.has('backend')) ?? maps.find((map) => isMap(map));
  if (!isMap(state) || !state.range) throw new Error('it has no state');
  const [start, end] = state.range;
  if (state.flow) {
    const before = text.slice(0, end - 1).trimEnd();
    return `${before}${before.endsWith(',') ? '' : ','} id: ${id} ${text.slice(end - 1)}`;
  }
  const indent = ' '.repeat(start - (text.lastIndexOf('\n', start - 1) + 1));
  return `${text.slice(0, start)}id: ${id}\n${indent}${text.slice(start)}`;
}
