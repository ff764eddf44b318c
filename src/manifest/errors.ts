import type { Path, Place, Problem } from '../model/problem.js';
import { badText } from './words.js';

/**
 * Every error of manifests and project files, by its stable code, in one line each. `docs/errors.md` explains them.
 * The rules of the linter have codes of their own, in `docs/rules.md`.
 */
export const CODES = {
  'yaml-syntax': 'The file is not YAML.',
  'yaml-alias': 'An alias refers to nothing, to itself, or to far too much.',
  'yaml-tag':
    'A tag such as !!timestamp is used: manifests hold plain text, numbers, lists and sections only.',
  'duplicate-key': 'A key is written twice in the same section.',
  'control-character': 'The text holds a control character.',
  'empty-manifest': 'The file holds no document.',
  'missing-key': 'A required key is missing.',
  'unknown-key': 'A key is not known at this place.',
  'conflicting-keys': 'Two keys that exclude each other are both written.',
  'wrong-type': 'A value has the wrong type.',
  'wrong-value': 'A value has the right type, but the key does not take it.',
  'broken-expression': `A \${{ … }} is not closed, or does not name one value.`,
  'unknown-value': `An expression names a value that for_each does not give.`,
  'shared-piece': 'A file among the manifests is a shared piece, not a manifest.',
  'secret-in-file': 'A file holds what looks like a token or a password.',
  'unknown-environment': 'The project file has no environment of this name.',
  'unknown-lead-list': 'The environment has no lead list of this name.',
  'unknown-schedule-template': 'The environment has no schedule template of this name.',
  'unknown-policy': 'A manifest waives a policy that the project file does not have.',
  'policy-not-waivable': 'A manifest waives a policy that the project file does not allow to be waived.',
  'bad-policy': 'A policy of the project file has no requirement, or an impossible one.',
  'file-not-found': 'A file that is named does not exist.',
  'file-outside-project': 'A file that is named lies outside the project, directly or through a link.',
  'file-hidden': 'A file that is named is a dot-file or lies in a dot-folder, directly or through a link.',
  'file-not-regular': 'A file that is named is a folder or a device.',
  'file-too-large': 'A file is larger than allowed.',
  'file-not-utf8': 'A file is not text in UTF-8.',
  'file-unreadable': 'A file exists and cannot be read.',
  'manifest-unreadable': 'A campaign was applied from another file, which has an error now.',
  'empty-file': 'The body file of an email is empty.',
  'bad-lead-id': 'A line of an ids file is not a lead id.',
  'no-match': 'A pattern or folder matches no manifest.',
  'not-in-environment': 'A manifest belongs to no environment, or not to this one.',
  'no-project': 'There is no project file here or in a folder above.',
  'invalid-project': 'The project file has errors.',
  'shared-workspace': 'Two environments with the same manifests share a service and a token.',
  'environment-required': 'There are several environments, and none was chosen.',
} as const;

/** A code of the catalogue. */
export type Code = keyof typeof CODES;

/** A spot in a source file that has no path: where the YAML itself is broken. `offset` in UTF-16 units. */
export interface Offset {
  file: string;
  offset: number;
  length: number;
}

/** A finding whose line is not known yet. `secret`: the spot holds something that must not be shown. */
export interface SourceFinding extends Problem {
  place: Place | Offset;
  secret?: boolean;
}

/** What is wrong, before it is known where. */
export interface Wording {
  code: Code;
  message: string;
  hint: string;
}

/** An error at a place or offset. Every error of this folder is made here, so that its code is one of the catalogue. */
export function errorAt<Where extends Place | Offset>(place: Where, { code, message, hint }: Wording) {
  return { code, severity: 'error', message, hint, place } as const;
}

/** A control character in a file; null where there is none. */
export function controlCharacter(file: string, text: string): SourceFinding | null {
  const bad = badText(text);
  if (bad === null) return null;
  return errorAt(
    { file, offset: bad.index, length: 1 },
    {
      code: 'control-character',
      message: `The file holds the control character ${bad.name}.`,
      hint: 'Delete the character; if the whole file looks like this, save it as plain text in UTF-8.',
    },
  );
}

/** The place of a value of a document. */
export function placeOf(file: string, document: number, path: Path): Place {
  return { file, document, path, target: 'value', text: null };
}

/** How a path is written in messages: `sequence.steps[0].email_body`. */
export function pathText(path: Path): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : index === 0 ? part : `.${part}`))
    .join('');
}
