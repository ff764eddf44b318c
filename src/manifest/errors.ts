import { codePoint } from '../model/characters.js';
import { isObject, type Json } from '../model/json.js';
import type { Path, Place, Problem } from '../model/outputs.js';
import { listed } from '../model/words.js';
import { types } from './json-schema.js';
import { nearest } from './nearest.js';

/** Codes of all errors in manifests and project files, explained in docs/errors.md. For lint rules, see docs/rules.md. */
export const CODES = {
  'yaml-syntax': 'The file is not valid YAML.',
  'yaml-alias':
    'An alias refers to nothing or to itself, or expands to too much text. Or a text begins with &, so that its first word is an anchor.',
  'typographic-quotes':
    'A value is in typographic quotes, such as “ and ”, which YAML takes as part of the text.',
  'yaml-tag': 'The file contains a tag such as !!timestamp. Use only plain values, lists and sections.',
  'duplicate-key': 'A key is written twice in the same section.',
  'control-character': 'The text contains a control character.',
  'empty-manifest': 'The file contains no document.',
  'missing-key': 'A required key is missing.',
  'unknown-key': 'A key is unknown, or belongs in a different section.',
  'conflicting-keys': 'Two mutually exclusive keys are both present.',
  'wrong-type': 'A value has the wrong type.',
  'wrong-value': 'A value has the right type but is not allowed.',
  'broken-expression': `A \${{ … }} is not closed, or does not name exactly one value.`,
  'unknown-value': `An expression refers to a value that for_each does not provide.`,
  'shared-piece': 'A file among the manifests is a shared piece, not a manifest.',
  'secret-in-file': 'A file seems to contain a token or a password.',
  'unknown-environment': 'The project file has no environment with this name.',
  'unknown-lead-list': 'The environment has no lead list with this name.',
  'unknown-schedule-template': 'The environment has no schedule template with this name.',
  'unknown-policy': 'A manifest waives a policy that the project file does not have.',
  'policy-not-waivable': 'A manifest waives a policy that cannot be waived.',
  'bad-policy': 'A policy has no requirement, or an impossible one.',
  'duplicate-name': 'Two manifests have the same campaign name, and not each has an id.',
  'duplicate-id': 'Two manifests are pinned to the same live campaign.',
  'replaces-circle': 'Campaigns replace one another in a circle, or a campaign replaces itself.',
  'replaced-twice': 'Two manifests replace the same campaign.',
  'superseded-running': 'A manifest has `status: running`, but another one replaces its campaign.',
  'file-not-found': 'A referenced file does not exist.',
  'file-outside-project': 'A referenced file is outside the project, directly or through a link.',
  'shared-not-found': 'A shared folder does not exist.',
  'shared-outside-repository': "A shared folder is outside the project's git repository.",
  'extends-outside-repository': "The file that a project extends is outside the project's git repository.",
  'file-hidden': 'A referenced file is a dot-file or is in a dot-folder, directly or through a link.',
  'file-too-large': 'A file is larger than allowed.',
  'file-not-utf8': 'A file is not UTF-8 text.',
  'file-unreadable': 'A file cannot be read, or is a folder or a device.',
  'empty-file': 'The body file of an email is empty.',
  'bad-lead-id': 'A line in an ids file is not a lead id.',
  'no-match': 'A pattern or folder matches no manifest.',
  'near-match': 'A pattern nearly matches a file, which is therefore not read.',
  'not-in-environment': 'A manifest is not part of any environment, or is not part of this one.',
  'no-project': 'There is no project file in this folder or any parent folder.',
  'invalid-project': 'The project file has errors.',
  'shared-workspace': 'Two environments with the same manifests use the same service and token.',
  'environment-required': 'The project has several environments, and none was selected.',
} as const;

export type Code = keyof typeof CODES;

/** A position at which YAML cannot be parsed. `offset` is in UTF-16 units. */
export interface Offset {
  file: string;
  offset: number;
  length: number;
}

/**
 * A finding whose line is not yet known. `secret`: true if the source text must not be shown. `earlier`: a second place in the
 * same file; `{lines}` in the message stands for the lines of both.
 */
export interface SourceFinding extends Problem {
  place: Place | Offset;
  earlier?: Place;
  secret?: boolean;
  scope?: string;
}

export interface Wording {
  code: Code;
  message: string;
  hint: string;
}

export function errorAt<Where extends Place | Offset>(place: Where, { code, message, hint }: Wording) {
  return { code, severity: 'error', message, hint, place } as const;
}

export function controlCharacter(file: string, text: string): SourceFinding | null {
  const bad = badText(text);
  if (bad === null) return null;
  return errorAt(
    { file, offset: bad.index, length: 1 },
    {
      code: 'control-character',
      message: `The file contains the control character ${bad.name}.`,
      hint: 'Delete the character. If the file is full of such characters, save it as UTF-8 text.',
    },
  );
}

export function toPlace(file: string, document: number, path: Path): Place {
  return { file, document, path, target: 'value', text: null };
}

const NOUNS: { readonly [list: string]: string } = { steps: 'step', variants: 'variant' };

/** A path as messages show it, counted from 1: `step 1, email_body`; `leads.ids, entry 2`. */
export function pathText(path: Path): string {
  const isNumber = (index: number) => typeof path[index] === 'number';
  const words = path.flatMap((part, index) => {
    if (typeof part === 'number') return `${NOUNS[path[index - 1] ?? ''] ?? 'entry'} ${part + 1}`;
    const isInNoun = NOUNS[part] !== undefined && isNumber(index + 1);
    const isOfSteps = part === 'sequence' && path[index + 1] === 'steps' && isNumber(index + 2);
    return isInNoun || isOfSteps ? [] : part;
  });
  return words
    .join('.')
    .replaceAll(/\.(?=(?:step|variant|entry) \d)|(?<=(?:step|variant|entry) \d+)\./g, ', ');
}

const BAD = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ud800-\udfff]/u;

/** The first forbidden character, as `U+0000`, with its index; `null` if there is none. */
export function badText(text: string): { index: number; name: string } | null {
  const match = BAD.exec(text);
  return match === null ? null : { index: match.index, name: codePoint(match[0]) };
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 57)}…` : text);
}

const WORDS: Readonly<Record<string, string>> = {
  integer: 'a whole number',
  number: 'a number',
  string: 'a string',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'a section with keys',
};

/** A schema's `type` in words: `a whole number or null`. */
export function typeWords(type: unknown): string {
  const words = types(type).map((name) => WORDS[name] ?? name);
  return words
    .join(', ')
    .replace('true or false,', 'true, false,')
    .replace(/, ([^,]+)$/, ' or $1');
}

/** A value in words: `the string "abc"`, `the number 3.5`, `a list`. */
export function valueWords(value: Json): string {
  if (value === null) return 'nothing (null)';
  if (typeof value === 'string') return `the string ${quoted(value)}`;
  if (typeof value === 'number') return `the number ${value}`;
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list';
  return isObject(value) ? 'a section with keys' : String(value);
}

export function didYouMean(word: string | null): string | null {
  return word === null ? null : `Did you mean ${quoted(word)}?`;
}

export function unknownEnvironment(name: string, known: readonly string[]) {
  return {
    code: 'unknown-environment',
    message: `The project file has no environment named ${quoted(name)}.`,
    hint:
      didYouMean(nearest(name, known)) ??
      (known.length > 0 ? `Choose one of: ${listed(known)}.` : 'Add it to the project file.'),
  } as const;
}
