import { posix } from 'node:path';
import { isObject, type Json, without } from '../model/json.js';
import type { Path, Place } from '../model/problem.js';
import { type Code, errorAt, placeOf, type SourceFinding, type Wording } from './errors.js';
import { type ForEachValues, hasExpressions, namesIn, substituteIn } from './expressions.js';
import { anchored } from './locate.js';
import { badText, quoted } from './words.js';

/** Why a file that is named somewhere could not be taken. */
export type FileProblem = Extract<Code, `file-${string}`>;

/** The text of a file, without a byte order mark, or why there is none. */
export type FileText = { text: string } | { problem: FileProblem };

/** Reads a file by its path relative to the project (forward slashes); `limit` in bytes. The only way to the disk. */
export type ReadFile = (file: string, limit: number) => FileText;

const MEBIBYTE = 1024 * 1024;

/** Most bytes of a manifest, of the body of an email, of a file of lead ids. */
export const LIMITS = { manifest: MEBIBYTE, body: MEBIBYTE, ids: 16 * MEBIBYTE } as const;

/** A file that a manifest names: what it holds, or what is wrong with it. `file` is relative to the project. */
export type NamedFile = { file: string; text: string } | { finding: SourceFinding };

/** Reads the file that a manifest names at `place`, relative to the manifest. */
export function readNamed(name: string, place: Place, read: { file: ReadFile; limit: number }): NamedFile {
  const file = posix.join(posix.dirname(place.file), name);
  const isOutside = posix.isAbsolute(name) || file.startsWith('../');
  const result: FileText = isOutside ? { problem: 'file-outside-project' } : read.file(file, read.limit);
  if ('problem' in result) return { finding: errorAt(place, fileWording(result.problem, name, read.limit)) };
  const bad = badText(result.text);
  if (bad === null) return { file, text: result.text };
  return {
    finding: {
      code: 'control-character',
      severity: 'error',
      message: `The file holds the control character ${bad.name}.`,
      hint: 'Delete the character; if the whole file looks like this, save it as plain text in UTF-8.',
      place: { file, offset: bad.index, length: 1 },
    },
  };
}

/** What is said of a file that cannot be taken. */
export function fileWording(problem: FileProblem, name: string, limit: number): Wording {
  const [message, hint] = words(problem, limit);
  return { code: problem, message: `${quoted(name)} ${message}.`, hint };
}

function words(problem: FileProblem, limit: number): [message: string, hint: string] {
  switch (problem) {
    case 'file-not-found':
      return [
        'does not exist',
        'Check the spelling, letter case too; paths are relative to the file that names them.',
      ];
    case 'file-outside-project':
      return ['lies outside the project', 'Move the file into the folder of campaignctl.yaml or below it.'];
    case 'file-not-regular':
      return ['is not a file', 'Name a file.'];
    case 'file-too-large':
      return [
        `is larger than ${limit / MEBIBYTE} MiB`,
        'Split it up, or check whether it is the right file.',
      ];
    case 'file-not-utf8':
      return ['is not text in UTF-8', 'Save it again with the encoding UTF-8.'];
    case 'file-unreadable':
      return ['cannot be read', 'Check the permissions of the file.'];
  }
}

/** A section with the files it names read in. `origin`: where a value came from, null if not from a file. */
export interface FilledSection {
  value: Json | undefined;
  origin(path: Path): Place | null;
  findings: SourceFinding[];
}

/** `names`: those of the values that the files use. */
interface FilledBodies extends FilledSection {
  names: ReadonlySet<string>;
}

/**
 * Reads the body files of a sequence in: `email_body_file` becomes `email_body`, its expressions replaced. Leaves alone
 * what is not as it should be; the schema has spoken of that.
 */
export function fillBodies(
  sequence: Json | undefined,
  at: (path: Path) => Place,
  { readFile, values }: { readFile: ReadFile; values: ForEachValues },
): FilledBodies {
  const names = new Set<string>();
  const files = new Map<string, string>();
  const findings: SourceFinding[] = [];

  const fillEmail = (email: Json, path: Path): Json => {
    if (!isObject(email)) return email;
    const name = email.email_body_file;
    if (typeof name !== 'string' || name === '' || Object.hasOwn(email, 'email_body')) return email;
    const place = at([...path, 'email_body_file']);
    const named = readNamed(name, place, { file: readFile, limit: LIMITS.body });
    if ('finding' in named) {
      findings.push(named.finding);
      return email;
    }
    const body = bodyOf(named, values);
    if ('findings' in body) {
      findings.push(...body.findings);
      return email;
    }
    if (body.text.trim() === '') findings.push(blank(named.file, name));
    for (const used of body.names) names.add(used);
    files.set([...path, 'email_body'].join('/'), named.file);
    return { ...without(email, 'email_body_file'), email_body: body.text };
  };

  const fillStep = (step: Json, index: number): Json => {
    const path = ['sequence', 'steps', index];
    const filled = fillEmail(step, path);
    if (!isObject(filled) || !Array.isArray(filled.variants)) return filled;
    const variants = filled.variants.map((variant, number) =>
      fillEmail(variant, [...path, 'variants', number]),
    );
    return { ...filled, variants };
  };

  const steps = isObject(sequence) ? sequence.steps : undefined;
  const value =
    Array.isArray(steps) && isObject(sequence) ? { ...sequence, steps: steps.map(fillStep) } : sequence;
  const origin = (path: Path) => {
    const file = files.get(path.join('/'));
    return file === undefined ? null : placeOf(file, 0, []);
  };
  return { value, origin, findings, names };
}

function bodyOf(
  { file, text }: { file: string; text: string },
  values: ForEachValues,
): { text: string; names: string[] } | { findings: SourceFinding[] } {
  if (!hasExpressions(text)) return { text, names: [] };
  const result = substituteIn(text, values);
  if ('text' in result) return { ...result, names: namesIn(text) };
  const place = placeOf(file, 0, []);
  return {
    findings: result.broken.map((broken) => errorAt(anchored(place, text, broken), broken.wording)),
  };
}

function blank(file: string, name: string): SourceFinding {
  return errorAt(placeOf(file, 0, []), {
    code: 'empty-file',
    message: `${quoted(name)} is the body of an email and has nothing in it.`,
    hint: 'Write the body, or name another file.',
  });
}

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
export function fillIds(
  leads: Json | undefined,
  at: (path: Path) => Place,
  readFile: ReadFile,
): FilledSection {
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
