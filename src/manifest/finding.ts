import type { Finding, Path, Place, Problem } from '../model/problem.js';
import type { Code } from './codes.js';

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

/** An error at a place. Every error of this folder is made here, so that its code is one of the catalogue. */
export function errorAt(place: Place, wording: Wording): Finding {
  return { ...wording, severity: 'error', place };
}

/** An error at an offset. */
export function errorAtOffset(offset: Offset, wording: Wording): SourceFinding {
  return { ...wording, severity: 'error', place: offset };
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
