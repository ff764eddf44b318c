import { expect, test } from 'vitest';
import { toProblem } from '../../src/model/failure.js';
import * as catalogue from '../../src/state/git-failures.js';
import { page, readCases } from '../support/cases.js';

const {
  FULL: _full,
  DENIED: _denied,
  nothingSent: _nothingSent,
  reasonIn: _reasonIn,
  ...failures
} = catalogue;

test('the page shows each failure of git', async () => {
  const calls = new Map(readCases<never[][]>(import.meta.dirname, 'git-failures'));
  expect([...calls.keys()].sort()).toEqual(Object.keys(failures).sort());
  const problems = Object.entries(failures).flatMap(([name, fail]) =>
    (calls.get(name) ?? []).map((facts) =>
      toProblem((fail as (...facts: never[]) => ReturnType<typeof fail>)(...facts)),
    ),
  );
  await expect(page(problems)).toMatchFileSnapshot('golden/git-failures.txt');
});
