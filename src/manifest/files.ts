import { posix } from 'node:path';
import { isObject, type Json, without } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import {
  type Code,
  controlCharacter,
  errorAt,
  placeOf,
  quoted,
  type SourceFinding,
  type Wording,
} from './errors.js';
import { substituteIn, type ValuesAt } from './for-each.js';
import { anchored } from './locate.js';

export type FileProblem = Extract<Code, `file-${string}`>;

/** A file's text without byte order mark, or the problem. */
export type FileText = { text: string } | { problem: FileProblem };

/** `file` is relative to the project, `limit` in bytes. Refuses files outside the project and its shared folders. */
export type ReadFile = (file: string, limit: number) => FileText;

const MEBIBYTE = 1024 * 1024;

/** In bytes. */
export const LIMITS = { manifest: MEBIBYTE, body: MEBIBYTE, ids: 16 * MEBIBYTE } as const;

/** Reads the file named at `place`, relative to the manifest. `file` is relative to the project. */
export function readNamed(
  name: string,
  place: Place,
  read: { file: ReadFile; limit: number },
): { file: string; text: string } | { finding: SourceFinding } {
  const file = posix.isAbsolute(name) ? name : posix.join(posix.dirname(place.file), name);
  const result = read.file(file, read.limit);
  if ('problem' in result) return { finding: errorAt(place, fileWording(result.problem, name, read.limit)) };
  const control = controlCharacter(file, result.text);
  return control === null ? { file, text: result.text } : { finding: control };
}

const FILE_WORDS: Record<FileProblem, readonly [message: string, hint: string]> = {
  'file-not-found': [
    'does not exist',
    'Check the spelling, letter case too; paths are relative to the file that names them.',
  ],
  'file-outside-project': [
    'lies outside the project',
    'Move the file into the folder of campaignctl.yaml or below it, or name its folder under shared: in that file.',
  ],
  'file-hidden': [
    'is a dot-file or lies in a dot-folder: secrets are kept there',
    'Move the file to a place whose name does not begin with a dot.',
  ],
  'file-not-regular': ['is not a file', 'Name a file.'],
  'file-too-large': ['is larger than', 'Split it up, or check whether it is the right file.'],
  'file-not-utf8': ['is not text in UTF-8', 'Save it again with the encoding UTF-8.'],
  'file-unreadable': ['cannot be read', 'Check the permissions of the file.'],
};

export function fileWording(problem: FileProblem, name: string, limit: number): Wording {
  const [message, hint] = FILE_WORDS[problem];
  const size = problem === 'file-too-large' ? ` ${limit / MEBIBYTE} MiB` : '';
  return { code: problem, message: `${quoted(name)} ${message}${size}.`, hint };
}

/** A section with its files read in. `origin`: the file of a value; `null` if it is in the manifest. */
export interface FilledSection {
  value: Json | undefined;
  origin(path: Path): Place | null;
  findings: SourceFinding[];
}

/** Replaces `email_body_file` by `email_body`. The schema reports invalid values. */
export function fillBodies(
  sequence: Json | undefined,
  at: (path: Path) => Place,
  { readFile, valuesAt }: { readFile: ReadFile; valuesAt: ValuesAt },
): FilledSection {
  const files = new Map<string, string>();
  const findings: SourceFinding[] = [];

  const bodyOf = (name: string, path: Path): string | null => {
    const named = readNamed(name, at([...path, 'email_body_file']), { file: readFile, limit: LIMITS.body });
    if ('finding' in named) {
      findings.push(named.finding);
      return null;
    }
    const place = placeOf(named.file, 0, []);
    const body = substituteIn(named.text, valuesAt(path));
    if ('broken' in body) {
      for (const broken of body.broken)
        findings.push(errorAt(anchored(place, named.text, broken), broken.wording));
      return null;
    }
    if (body.text.trim() === '')
      findings.push(
        errorAt(place, {
          code: 'empty-file',
          message: `${quoted(name)} is the body of an email and is empty.`,
          hint: 'Write the body, or name another file.',
        }),
      );
    files.set([...path, 'email_body'].join('/'), named.file);
    return body.text;
  };

  const fillEmail = (email: Json, path: Path): Json => {
    const name = isObject(email) && !Object.hasOwn(email, 'email_body') ? email.email_body_file : undefined;
    const body = typeof name === 'string' && name !== '' ? bodyOf(name, path) : null;
    const filled =
      isObject(email) && body !== null ? { ...without(email, 'email_body_file'), email_body: body } : email;
    // The schema reports variants of a variant.
    if (!isObject(filled) || !Array.isArray(filled.variants) || path.length > 3) return filled;
    const variants = filled.variants.map((one, index) => fillEmail(one, [...path, 'variants', index]));
    return { ...filled, variants };
  };

  const steps = isObject(sequence) && Array.isArray(sequence.steps) ? sequence.steps : null;
  const value =
    isObject(sequence) && steps !== null
      ? { ...sequence, steps: steps.map((step, index) => fillEmail(step, ['sequence', 'steps', index])) }
      : sequence;
  return { value, origin: files.size === 0 ? NOWHERE : originIn(files), findings };
}

const NOWHERE = () => null;

/** Separate, so that the closure retains only these values. */
function originIn(files: ReadonlyMap<string, string>): FilledSection['origin'] {
  return (path) => {
    const file = files.get(path.join('/'));
    return file === undefined ? null : placeOf(file, 0, []);
  };
}

/** A file of the wrong kind has an error on every line. */
const MOST_FINDINGS = 20;

function parseIds(file: string, text: string) {
  const ids: { id: number; line: number }[] = [];
  const findings: SourceFinding[] = [];
  for (const [line, content] of text.split('\n').entries()) {
    const word = (content.split('#')[0] ?? '').trim();
    if (word === '') continue;
    const id = /^[0-9]+$/.test(word) ? Number(word) : 0;
    if (id >= 1 && Number.isSafeInteger(id)) ids.push({ id, line });
    else if (findings.length < MOST_FINDINGS)
      findings.push(
        errorAt(
          { ...placeOf(file, 0, [line]), text: word },
          {
            code: 'bad-lead-id',
            message: `${quoted(word)} is not a lead id.`,
            hint: 'Write one whole number per line; "#" starts a comment.',
          },
        ),
      );
  }
  return { ids, findings };
}

/** Adds the ids of `ids_file` to `ids`. The schema reports invalid values. */
export function fillIds(
  leads: Json | undefined,
  at: (path: Path) => Place,
  readFile: ReadFile,
): FilledSection {
  const name = isObject(leads) ? leads.ids_file : undefined;
  if (!isObject(leads) || typeof name !== 'string' || name === '')
    return { value: leads, origin: NOWHERE, findings: [] };
  const named = readNamed(name, at(['leads', 'ids_file']), { file: readFile, limit: LIMITS.ids });
  if ('finding' in named) return { value: leads, origin: NOWHERE, findings: [named.finding] };
  const own = Array.isArray(leads.ids) ? leads.ids : [];
  const { ids, findings } = parseIds(named.file, named.text);
  const origin = (path: Path) => {
    const line =
      path[0] === 'leads' && path[1] === 'ids' ? ids[Number(path[2]) - own.length]?.line : undefined;
    return line === undefined ? null : placeOf(named.file, 0, [line]);
  };
  const value = { ...without(leads, 'ids_file'), ids: [...own, ...ids.map(({ id }) => id)] };
  return { value, origin, findings };
}
