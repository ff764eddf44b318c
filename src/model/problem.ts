import type { Path } from './json.js';
import type { Problem } from './outputs.generated.js';

export type { Path } from './json.js';

export type { LocatedFinding, Problem, Severity } from './outputs.generated.js';

/**
 * A spot in a source file, named by what the author wrote there. Lines and columns are looked up late, by
 * `locate` in `manifest`. `document` counts from 0. `target` says whether the key or its value is meant, and
 * `text`, if not null, narrows it to the first occurrence of that text inside the value.
 */
export interface Place {
  file: string;
  document: number;
  path: Path;
  target: 'key' | 'value';
  text: string | null;
  /** Only in a document that stands for several campaigns: which of them is meant. */
  instance?: Instance;
}

/** One of the campaigns that a document with `for_each` stands for: the document's name, its label, and how many there are. */
export interface Instance {
  manifest: string;
  label: string;
  of: number;
}

/** A problem of a source file, before its line is known. */
export interface Finding extends Problem {
  place: Place;
}
