import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { gitlab, has, workflows } from './files.js';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'campaignctl-state-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const quiet = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null', GIT_TERMINAL_PROMPT: '0' };

function git(folder: string, ...words: string[]): string {
  const env = { ...process.env, ...quiet, HOME: home };
  return execFileSync('git', words, {
    cwd: folder,
    env,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();
}

/** What a job does after an apply, and the folder that it does it in. */
const KEEPERS: [name: string, script: string, folder: string][] = [
  ...workflows.flatMap(({ workflow }) =>
    Object.entries(workflow.jobs).flatMap(([job, { steps }]) =>
      steps
        .filter(({ name }) => name === 'Keep the state')
        .map((step): [string, string, string] => [
          `GitHub, ${job}`,
          step.run ?? '',
          step['working-directory'] ?? '',
        ]),
    ),
  ),
  ['GitLab', Object(gitlab['.apply']).after_script.join('\n'), '.'],
];

/** A project with a clone of the branch of the state in it, as the jobs have it. */
function checkOut(name: string): string {
  const project = join(home, name);
  mkdirSync(join(project, '.campaignctl'), { recursive: true });
  git(
    project,
    'clone',
    '--quiet',
    '--depth=1',
    '--branch=campaignctl-state',
    `file://${home}/origin.git`,
    '.campaignctl/state',
  );
  return project;
}

/** What an apply leaves behind when it was killed: a record and its lock. */
function applied(project: string, environment: string): void {
  const folder = join(project, '.campaignctl/state', environment);
  mkdirSync(folder, { recursive: true });
  for (const file of ['1.json', 'lock', 'lock.takeover']) writeFileSync(join(folder, file), '{}');
}

describe.skipIf(!has('bash') || !has('git'))('the state after an apply', () => {
  beforeEach(() => {
    git(home, 'init', '--quiet', '--bare', 'origin.git');
    git(home, 'init', '--quiet', 'first');
    const first = join(home, 'first');
    git(first, 'switch', '--quiet', '--orphan', 'campaignctl-state');
    git(
      first,
      '-c',
      'user.name=a',
      '-c',
      'user.email=a@example.com',
      'commit',
      '--quiet',
      '--allow-empty',
      '-m',
      'State',
    );
    git(first, 'push', '--quiet', join(home, 'origin.git'), 'campaignctl-state');
  });

  it.each(KEEPERS)(
    'is kept without its lock, beside what another job has kept meanwhile (%s)',
    (_, script, folder) => {
      const keep = (project: string) =>
        spawnSync('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
          cwd: join(project, folder),
          env: {
            ...process.env,
            ...quiet,
            HOME: home,
            GITHUB_RUN_ID: '17',
            CI_PIPELINE_ID: '17',
            CAMPAIGNCTL_ENV: 'x',
          },
          encoding: 'utf8',
        });
      const [one, two] = [checkOut('one'), checkOut('two')];
      applied(one, 'staging');
      applied(two, 'production');
      expect([keep(one).status, keep(two).status]).toEqual([0, 0]);
      const kept = () =>
        git(home, '--git-dir=origin.git', 'ls-tree', '-r', '--name-only', 'campaignctl-state');
      expect(kept().split('\n')).toEqual(['production/1.json', 'staging/1.json']);
      const commits = () => git(home, '--git-dir=origin.git', 'rev-list', '--count', 'campaignctl-state');
      expect([keep(two).status, commits()]).toEqual([0, '3']);
    },
  );

  it('is kept by every job that applies', () => {
    expect(KEEPERS.map(([name]) => name)).toEqual(['GitHub, staging', 'GitHub, production', 'GitLab']);
  });
});
