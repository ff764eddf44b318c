import { isObject, type Json } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import type { Filled } from './emails.js';
import { LIMITS, type ReadFile, readNamed } from './file-text.js';
import { errorAt, placeOf, type SourceFinding } from './finding.js';
import { without } from './overlay.js';
import { quoted } from './text.js';

/** The lead ids of a file, each with the index of its line. */
export interface IdsFile {
  ids: number[];
  lines: number[];
  findings: SourceFinding[];
}

/** A file of the wrong kind is wrong in every line: so many are enough. */
const MOST_FINDINGS = 20;

/** Reads lead ids: one a line; blank lines and what follows a "#" do not count. */
export function parseIds(file: string, text: string): IdsFile {
  const parsed: IdsFile = { ids: [], lines: [], findings: [] };
  text.split('\n').forEach((line, index) => {
    const word = (line.split('#')[0] ?? '').trim();
    if (word === '' || parsed.findings.length >= MOST_FINDINGS) return;
    const id = /^[0-9]+$/.test(word) ? Number(word) : 0;
    if (id < 1 || !Number.isSafeInteger(id)) {
      parsed.findings.push(badId(file, index, word));
      return;
    }
    parsed.ids.push(id);
    parsed.lines.push(index);
  });
  return parsed;
}

/** Adds the ids of `ids_file` to `ids`. Leaves alone what is not as it should be; the schema has spoken of that. */
export function fillIds(leads: Json | undefined, at: (path: Path) => Place, readFile: ReadFile): Filled {
  const name = isObject(leads) ? leads.ids_file : undefined;
  if (!isObject(leads) || typeof name !== 'string' || name === '')
    return { value: leads, origin: () => null, findings: [] };
  const named = readNamed(name, at(['leads', 'ids_file']), { file: readFile, limit: LIMITS.ids });
  if ('finding' in named) return { value: leads, origin: () => null, findings: [named.finding] };
  const own = Array.isArray(leads.ids) ? leads.ids : [];
  const { ids, lines, findings } = parseIds(named.file, named.text);
  const origin = (path: Path) => {
    const line = path[0] === 'leads' && path[1] === 'ids' ? lines[Number(path[2]) - own.length] : undefined;
    return line === undefined ? null : placeOf(named.file, 0, [line]);
  };
  return { value: { ...without(leads, 'ids_file'), ids: [...own, ...ids] }, origin, findings };
}

function badId(file: string, line: number, word: string): SourceFinding {
  const place = { ...placeOf(file, 0, [line]), text: word };
  return errorAt(place, {
    code: 'bad-lead-id',
    message: `${quoted(word)} is not a lead id.`,
    hint: 'Write one whole number a line; "#" starts a comment.',
  });
}
