import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

/** The inputs of a table by title, from `cases/NAME.yaml` of a folder. A golden file has what becomes of them. */
export function readCases<Case = string>(folder: string, name: string): [title: string, input: Case][] {
  return Object.entries(parse(readFileSync(join(folder, 'cases', `${name}.yaml`), 'utf8'), { merge: true }));
}
