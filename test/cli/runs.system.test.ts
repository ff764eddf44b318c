import { expect, test } from 'vitest';
import { processShell } from '../../src/cli/shell.js';
import { describeRun } from '../../src/operations/lock.js';
import { withFolder } from '../support/folder.js';

test('runs sort by time where several begin within a second', () =>
  withFolder(async (folder) => {
    const shell = processShell({ color: 'auto', quiet: true });
    const runs: string[] = [];
    for (let count = 0; count < 8; count += 1) {
      runs.push((await describeRun(folder, shell)).run);
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
    expect([...runs].sort()).toEqual(runs);
  }));
