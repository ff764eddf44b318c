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
  'control-character': 'The text holds a control character that has no place in it.',
  'empty-manifest': 'The file holds no document.',
  'missing-key': 'A required key is not there.',
  'unknown-key': 'A key is not one that is known at this place.',
  'conflicting-keys': 'Keys stand side by side of which only one may be given.',
  'wrong-type': 'A value is of another kind than the key takes.',
  'wrong-value': 'A value is of the right kind, but not one that the key takes.',
  'broken-expression': `A \${{ … }} is not closed, or does not name one value.`,
  'unknown-value': `A \${{ name }} is used that for_each does not give.`,
  'shared-piece': 'A file among the manifests holds a section to be shared, and is no manifest.',
  'secret-in-file': 'A file holds what looks like a token or a password.',
  'unknown-environment': 'An environment is named that the project file does not have.',
  'unknown-lead-list': 'A lead list is named that the environment does not have.',
  'unknown-schedule-template': 'A schedule template is named that the environment does not have.',
  'unknown-policy': 'A policy is waived that the project file does not have.',
  'policy-not-waivable': 'A policy is waived of which the project file says that it cannot be.',
  'bad-policy': 'A policy of the project file asks for nothing, or for what cannot be.',
  'file-not-found': 'A file is named that does not exist.',
  'file-outside-project': 'A file is named that lies outside the project, directly or through a link.',
  'file-not-regular': 'A folder or device is named where a file is needed.',
  'file-too-large': 'A file is larger than allowed.',
  'file-not-utf8': 'A file is not text in UTF-8.',
  'file-unreadable': 'A file is there and cannot be read.',
  'empty-file': 'A file with the body of an email has nothing in it.',
  'bad-lead-id': 'A line of an ids file is not a lead id.',
  'no-match': 'A pattern or folder matches no manifest.',
  'no-project': 'There is no project file here or in a folder above.',
  'invalid-project': 'The project file has errors.',
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
