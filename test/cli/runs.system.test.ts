import { expect, test } from 'vitest';
import { processShell } from '../../src/cli/shell.js';
import { describeRun } from '../../src/operations/lock.js';

test('runs sort by time where several begin within a second', async () => {
  const shell = processShell({ color: 'auto', quiet: true });
  const runs: string[] = [];
  for (let count = 0; count < 8; count += 1) {
    runs.push(describeRun(shell).run);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  expect([...runs].sort()).toEqual(runs);
});

test.each([
  [{ GITHUB_SHA: 'aaa', CI_COMMIT_SHA: 'bbb' }, 'aaa'],
  [{ GITHUB_SHA: '', CI_COMMIT_SHA: 'bbb' }, 'bbb'],
  [{}, null],
])('the commit of a run is the one that the pipeline names: %j', (env, commit) => {
  expect(describeRun({ env, cwd: '', now: () => 0, err: () => {} })).toMatchObject({ commit });
});
