import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { Problem } from '../../src/model/outputs.js';

/** Reads a table's inputs by title from `cases/NAME.yaml`. A golden file contains the results. */
export function readCases<Case = string>(folder: string, name: string): [title: string, input: Case][] {
  return Object.entries(parse(readFileSync(join(folder, 'cases', `${name}.yaml`), 'utf8'), { merge: true }));
}

/** The golden page of a room's messages. */
export function page(problems: readonly Pick<Problem, 'code' | 'severity' | 'message' | 'hint'>[]): string {
  return problems
    .map(({ code, severity, message, hint }) => `${severity} ${code}\n  ${message}\n  ${hint}\n`)
    .join('\n');
}
