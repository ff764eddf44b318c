import { posix } from 'node:path';
import type { Place } from '../model/problem.js';
import type { Code } from './codes.js';
import { errorAt, type SourceFinding, type Wording } from './finding.js';
import { badText, quoted } from './text.js';

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
