import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** Reads a table's inputs by title from `cases/NAME.yaml`. A golden file contains the results. */
export function readCases<Case = string>(folder: string, name: string): [title: string, input: Case][] {
  return Object.entries(parse(readFileSync(join(folder, 'cases', `${name}.yaml`), 'utf8'), { merge: true }));
}
