import { posix } from 'node:path';
import { isObject, type Json, without } from '../model/json.js';
import type { Path, Place } from '../model/outputs.js';
import { anchored } from './anchor.js';
import { fromCause } from './cause.js';
import { findConflict, holdsConflict } from './conflict.js';
import {
  type Code,
  controlCharacter,
  errorAt,
  quoted,
  type SourceFinding,
  toPlace,
  type Wording,
} from './errors.js';
import { hasExpressions, substituteIn, type ValuesAt } from './expressions.js';
import { parseIds, sheetHint } from './ids.js';

export type FileProblem = Extract<Code, `file-${string}`>;

/** `hint`: instead of the usual one for the problem. */
export type FileText = { text: string } | { problem: FileProblem; hint?: string };

/** `file` is relative to the project; `limit` is in bytes. Files outside the project and its shared folders are refused. */
export type ReadFile = (file: string, limit: number) => FileText;

/** `read`: the files that could be read so far. */
export function recordReads(readFile: ReadFile): { readFile: ReadFile; read: ReadonlySet<string> } {
  const read = new Set<string>();
  return {
    read,
    readFile(file, limit) {
      const result = readFile(file, limit);
      if ('text' in result) read.add(file);
      return result;
    },
  };
}

const MEBIBYTE = 1024 * 1024;

/** Maximum sizes in bytes. */
export const LIMITS = { manifest: MEBIBYTE, body: MEBIBYTE, ids: 16 * MEBIBYTE } as const;

/** Reads the file named at `place`, relative to the manifest. The returned `file` is relative to the project. */
export function readNamed(
  name: string,
  place: Place,
  { readFile, limit }: { readFile: ReadFile; limit: number },
): { file: string; text: string } | { finding: SourceFinding } {
  const written = posix.isAbsolute(name) ? name : posix.join(posix.dirname(place.file), name);
  const file = existingForm(written, (path) => 'text' in readFile(path, limit));
  const result = readFile(file, limit);
  if ('problem' in result) {
    const meant = nameFrom(place.file, name, readFile);
    const wording = fileWording(result.problem, name, limit);
    const hint =
      meant === null
        ? (result.hint ?? wording.hint)
        : `Write ${meant}: paths are relative to the file that contains them, not to the project.`;
    return { finding: errorAt(place, { ...wording, hint }) };
  }
  const control = controlCharacter(file, result.text);
  return control === null ? { file, text: result.text } : { finding: control };
}

/** File systems keep the Unicode form of a name, which nobody sees. */
function existingForm(path: string, exists: (path: string) => boolean): string {
  const [nfc, nfd] = [path.normalize('NFC'), path.normalize('NFD')];
  return nfc === nfd ? path : ([path, nfc, nfd].find(exists) ?? path);
}

/** A path from the project's folder as a path from `file`; `null` unless only the former exists. */
export function nameFrom(file: string, name: string, readFile: ReadFile): string | null {
  const folder = posix.dirname(file);
  const exists = (path: string) => !posix.isAbsolute(path) && 'text' in readFile(path, LIMITS.ids);
  return exists(posix.join(folder, name)) || !exists(posix.normalize(name))
    ? null
    : posix.relative(folder, name);
}

const FILE_WORDS: Record<FileProblem, readonly [message: string, hint: string]> = {
  'file-not-found': [
    'does not exist',
    'Paths are relative to the file that contains them. Check the spelling, including the case.',
  ],
  'file-outside-project': [
    'is outside the project',
    'Move the file into the folder of the project file, or list its folder under shared: in the project file.',
  ],
  'file-hidden': [
    'is a dotfile or is in a dot-folder, where secrets are often kept',
    'Move the file to a path in which no name begins with a dot.',
  ],
  'file-too-large': ['is larger than', 'Split the file, or check that it is the right one.'],
  'file-not-utf8': ['is not UTF-8 text', 'Save the file as UTF-8.'],
  'file-unreadable': ['cannot be read', 'Specify a file, not a folder or device, and check its permissions.'],
};

export function fileWording(problem: FileProblem, name: string, limit: number): Wording {
  const [message, hint] = FILE_WORDS[problem];
  const size = problem === 'file-too-large' ? ` ${limit / MEBIBYTE} MiB` : '';
  return { code: problem, message: `${quoted(name)} ${message}${size}.`, hint };
}

interface FilledBodies {
  value: Json | undefined;
  files: ReadonlyMap<string, string>;
  templates: ReadonlyMap<string, string>;
  findings: SourceFinding[];
}

/** `files`: the file of each body, by path; `templates`: its text. Leaves invalid values for the schema to report. */
export function fillBodies(
  sequence: Json | undefined,
  at: (path: Path) => Place,
  { readFile, valuesAt }: { readFile: ReadFile; valuesAt: ValuesAt },
): FilledBodies {
  const files = new Map<string, string>();
  const templates = new Map<string, string>();
  const findings: SourceFinding[] = [];

  const readBody = (name: string, path: Path): string | null => {
    const named = readNamed(name, at([...path, 'email_body_file']), { readFile, limit: LIMITS.body });
    if ('finding' in named) {
      findings.push(named.finding);
      return null;
    }
    const place = toPlace(named.file, 0, []);
    const conflict = holdsConflict(named.text) ? findConflict(named.text) : null;
    if (conflict !== null) {
      findings.push(fromCause(named.file, conflict));
      return null;
    }
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
          message: `The email body file ${quoted(name)} is empty.`,
          hint: 'Write the body, or specify a different file.',
        }),
      );
    const key = [...path, 'email_body'].join('/');
    files.set(key, named.file);
    if (hasExpressions(named.text)) templates.set(key, named.text);
    return body.text;
  };

  const fillEmail = (email: Json, path: Path): Json => {
    if (!isObject(email) || Object.hasOwn(email, 'email_body')) return email;
    const name = email.email_body_file;
    const body = typeof name === 'string' && name !== '' ? readBody(name, path) : null;
    return body === null ? email : { ...without(email, 'email_body_file'), email_body: body };
  };

  const fillStep = (step: Json, index: number): Json => {
    const path = ['sequence', 'steps', index];
    const email = fillEmail(step, path);
    if (!isObject(email) || !Array.isArray(email.variants)) return email;
    const variants = email.variants.map((variant, at) => fillEmail(variant, [...path, 'variants', at]));
    return { ...email, variants };
  };

  if (!isObject(sequence) || !Array.isArray(sequence.steps))
    return { value: sequence, files, templates, findings };
  return { value: { ...sequence, steps: sequence.steps.map(fillStep) }, files, templates, findings };
}

export function fillIds(
  leads: Json | undefined,
  at: (path: Path) => Place,
  readFile: ReadFile,
): { value: Json | undefined; findings: SourceFinding[] } {
  const name = isObject(leads) ? leads.ids_file : undefined;
  if (!isObject(leads) || typeof name !== 'string' || name === '') return { value: leads, findings: [] };
  const named = readNamed(name, at(['leads', 'ids_file']), { readFile, limit: LIMITS.ids });
  if ('finding' in named) return { value: leads, findings: [sheetHint(named.finding)] };
  const { ids, findings } = parseIds(named.file, named.text);
  const written = Array.isArray(leads.ids) ? leads.ids : [];
  return { value: { ...without(leads, 'ids_file'), ids: [...written, ...ids] }, findings };
}
