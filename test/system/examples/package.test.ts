import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { installPackage } from '../../support/package.js';

test('the package runs where it is installed, without any other package: init, plan, apply, and its own examples', () =>
  withFolder(async (folder) => {
    const installed = await installPackage(folder);
    const bin = join(folder, 'node_modules/.bin/campaignctl');
    const run = (program: string, words: string[]) => {
      const env = { PATH: process.env.PATH ?? '', HOME: folder };
      const { status, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' });
      return { words, status, stderr };
    };
    const lines = ['init', 'validate', 'plan', 'apply --yes', 'plan --detailed-exitcode'];
    const examples = ['quickstart', 'agency', 'segments'].map(
      (name) => `plan -C ${join(installed, 'examples', name)}`,
    );
    const ended = [...lines, ...examples].map((line) => run(bin, line.split(' ')));
    expect(ended.filter(({ status, stderr }) => status !== 0 || stderr !== '')).toEqual([]);
    expect(run('npx', ['--no', 'campaignctl', 'version'])).toMatchObject({ status: 0 });
  }));
