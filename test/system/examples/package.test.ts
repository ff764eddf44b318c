import { spawnSync } from 'node:child_process';
import { realpathSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { installPackage, packPackage } from '../../support/package.js';

let packed = '';
let tarball = '';
beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'campaignctl-'));
  tarball = await packPackage(packed);
});
afterAll(() => rm(packed, { recursive: true }));

test('the package runs where it is installed, without any other package: init, plan, apply, and its own examples', () =>
  withFolder(async (folder) => {
    const installed = await installPackage(folder, tarball);
    const bin = join(folder, 'node_modules/.bin/campaignctl');
    const run = (program: string, words: string[]) => {
      const env = { PATH: process.env.PATH ?? '', HOME: folder };
      const { status, stderr } = spawnSync(program, words, { cwd: folder, env, encoding: 'utf8' });
      return { words, status, stderr };
    };
    const lines = ['init', 'validate', 'plan', 'apply --yes', 'plan --detailed-exitcode'];
    const examples = ['quickstart', 'agency/clients/brightmoor', 'segments'].map(
      (name) => `plan -C ${join(installed, 'examples', name)}`,
    );
    const ended = [...lines, ...examples].map((line) => run(bin, line.split(' ')));
    expect(ended.filter(({ status, stderr }) => status !== 0 || stderr !== '')).toEqual([]);
    expect(run('npx', ['--no', 'campaignctl', '--version'])).toMatchObject({ status: 0 });
  }));

const README = fileURLToPath(new URL('../../../README.md', import.meta.url));
/** What npm says where no registry answers. */
const OFFLINE = /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED)\b/;

test(
  'the way of installing in the README makes a copy that runs elsewhere',
  async (context) =>
    withFolder(async (folder) => {
      const [, line = ''] =
        /^## Install\n[\s\S]*?```sh\n(.*)\n```/m.exec(await readFile(README, 'utf8')) ?? [];
      expect(line).toMatch(/^npm ci && npm install --global /);
      const prefix = join(folder, 'prefix');
      // What belongs to this machine is another prefix; the build of this repository is what npm pack would make again.
      const env = {
        ...process.env,
        npm_config_prefix: prefix,
        npm_config_ignore_scripts: 'true',
        npm_config_prefer_offline: 'true',
        npm_config_fetch_retries: '0',
      };
      const source = await installPackage(folder, tarball);
      const command = line.replace('npm ci && ', '');
      const { status, stderr } = spawnSync(command, { cwd: source, env, encoding: 'utf8', shell: true });
      if (OFFLINE.test(stderr)) return context.skip('no registry answers');
      expect([status, stderr]).toEqual([0, expect.not.stringContaining('npm error')]);
      const bin = join(prefix, 'bin/campaignctl');
      expect(realpathSync(bin)).toBe(
        join(realpathSync(prefix), 'lib/node_modules/campaignctl/dist/campaignctl.cjs'),
      );
      expect(spawnSync(bin, ['--version'], { env, encoding: 'utf8' }).status).toBe(0);
    }),
  120_000,
);

const RELEASES = fileURLToPath(new URL('../../../docs/releases.md', import.meta.url));

test(
  'the tarball of docs/releases.md is installed by a runner that has the repository and an empty cache',
  async (context) =>
    withFolder(async (folder) => {
      const [, block = ''] =
        /\*\*The tarball\.\*\*[\s\S]*?```\n([\s\S]*?)```/.exec(await readFile(RELEASES, 'utf8')) ?? [];
      const source = join(folder, 'clone');
      await rename(await installPackage(folder, tarball), source);
      const env = { ...process.env, npm_config_ignore_scripts: 'true', npm_config_fetch_retries: '0' };
      const run = (command: string, cwd: string, cache: string) => {
        const { status, stderr } = spawnSync(command, {
          ...{ cwd, shell: true, encoding: 'utf8' },
          env: { ...env, npm_config_cache: join(folder, cache) },
        });
        return { status, stderr };
      };
      const repository = join(folder, 'campaigns');
      await mkdir(repository);
      run(
        'git init -q && git config user.name Ada && git config user.email ada@example.com',
        repository,
        'a',
      );
      await writeFile(join(repository, '.gitignore'), 'node_modules\n');
      // The package is what npm pack makes; npm ci of the clone would only build it again.
      const made = run(`set -e; ${block.replace('npm ci && ', '')}git commit -qm Campaigns`, source, 'a');
      if (OFFLINE.test(made.stderr)) return context.skip('no registry answers');
      expect(made).toEqual({ status: 0, stderr: expect.not.stringContaining('npm error') });
      const installed = run(
        'git clone -q campaigns runner && cd runner && npm ci --omit=dev --ignore-scripts && npx --no campaignctl --version',
        folder,
        'empty',
      );
      expect(installed).toEqual({ status: 0, stderr: expect.not.stringContaining('npm error') });
    }),
  300_000,
);
