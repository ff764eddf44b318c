import { execFileSync } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openGit } from '../../src/state/git-process.js';
import { openRepository } from '../../src/state/repository.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { startService } from '../support/service/service.js';
import { shaped } from '../support/service/shape.js';

/** Repositories that keep the state of a project at the same path in one remote: real git, commands, and one service. */

function git(cwd: string, ...args: string[]): string {
  const words = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args];
  return execFileSync('git', words, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

interface Scene {
  folder: string;
  /** A repository with a project of one campaign. `more`: what it says of its state beside remote and branch. */
  repository(name: string, campaign: string, more?: string): Promise<void>;
  run(name: string, ...argv: string[]): Promise<string>;
  /** How many writes reached the service. */
  writes(): number;
}

async function scene(body: (at: Scene) => Promise<void>): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      git(folder, 'init', '-q', '--bare', 'states.git');
      await body({
        folder,
        async repository(name, campaign, more = '') {
          const own = join(folder, name);
          await mkdir(own, { recursive: true });
          git(own, 'init', '-q');
          const state = `backend: git, remote: "${join(folder, 'states.git')}", branch: states${more}`;
          await writeFiles(own, {
            '.gitignore': '.campaignctl\n',
            'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
on_removal: pause
state: { ${state} }
environments: { production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN, allow: [launch] } }
`,
            'campaigns/one.yaml': `name: ${campaign}\nstatus: paused\n`,
          });
          git(own, 'add', '-A');
          git(own, 'commit', '-qm', `Project of ${name}`);
        },
        async run(name, ...argv) {
          const { code, out, err } = await command(join(folder, name), argv);
          return `${code} ${out}${err}`.replace(/\s+/g, ' ').trim();
        },
        writes: () => service.writes().length,
      });
    });
  } finally {
    await service.close();
  }
}

const OTHER = /^1 .*belongs to a project of the repository .*\[state-of-other\]/;

it('a repository that names the branch of another one is refused before anything is sent', () =>
  scene(async ({ folder, repository, run, writes }) => {
    await repository('acme', 'Spring');
    await repository('globex', 'Autumn');
    git(join(folder, 'acme'), 'remote', 'add', 'origin', 'git@Git.example.com:agency/acme.git');
    git(
      join(folder, 'globex'),
      'remote',
      'add',
      'origin',
      'https://ci:letmein@git.example.com/agency/globex',
    );
    expect(await run('acme', 'apply', '--yes')).toMatch(/^0 /);
    const before = writes();
    for (const argv of [['plan'], ['apply', '--yes'], ['forget', 'Spring', '--yes'], ['history']]) {
      const refused = await run('globex', ...argv);
      expect(refused).toMatch(OTHER);
      expect(refused).toContain(
        'state: { repositories: [git.example.com/agency/acme, git.example.com/agency/globex] }',
      );
      expect(refused).not.toContain('letmein');
    }
    expect(writes()).toBe(before);
    expect(await run('acme', 'plan')).toMatch(/^0 .*No changes/);

    // A file that was copied from another repository does not name this one.
    await repository('globex', 'Autumn', ', repositories: [git.example.com/agency/acme, x]');
    expect(await run('globex', 'plan')).toMatch(OTHER);
    const both = ', repositories: [git.example.com/agency/acme, git.example.com/agency/globex]';
    await repository('globex', 'Spring', both);
    expect(await run('globex', 'plan')).toMatch(/^0 .*No changes/);
  }));

it('without an origin, the first commit tells a repository, and still does once it has one', () =>
  scene(async ({ folder, repository, run }) => {
    await repository('acme', 'Spring');
    await repository('globex', 'Autumn');
    expect(await run('acme', 'apply', '--yes')).toMatch(/^0 /);
    expect(await run('globex', 'apply', '--yes')).toMatch(OTHER);
    git(join(folder, 'acme'), 'commit', '--allow-empty', '-qm', 'More');
    expect(await run('acme', 'plan')).toMatch(/^0 .*No changes/);
    git(folder, 'clone', '-q', 'acme', 'laptop');
    for (const name of ['laptop', 'acme'])
      expect(await run(name, 'apply', '--yes')).toMatch(/^0 .*No changes/);
    git(join(folder, 'acme'), 'remote', 'add', 'origin', 'git@git.example.com:agency/acme.git');
    expect(await run('acme', 'apply', '--yes')).toMatch(/^0 .*No changes/);
  }));

it('a repository that keeps the state itself may be moved, and cloned from a clone', () =>
  scene(async ({ folder, repository, run }) => {
    await repository('acme', 'Spring');
    const own = join(folder, 'acme');
    const file = await readFile(join(own, 'campaignctl.yaml'), 'utf8');
    await writeFiles(own, { 'campaignctl.yaml': file.replace(/remote: .*branch/, 'branch') });
    git(own, 'remote', 'add', 'origin', join(folder, 'states.git'));
    git(own, 'commit', '-qam', 'Here');
    git(own, 'push', '-q', 'origin', 'HEAD:main');
    expect(await run('acme', 'apply', '--yes')).toMatch(/^0 /);
    git(folder, 'clone', '-q', 'acme', 'laptop');
    // Its origin has no branch of the state: it names the one that does.
    await writeFiles(join(folder, 'laptop'), { 'campaignctl.yaml': file });
    expect(await run('laptop', 'plan')).toMatch(/^0 .*No changes/);
    git(folder, 'clone', '-q', '--bare', 'states.git', 'moved.git');
    git(own, 'remote', 'set-url', 'origin', join(folder, 'moved.git'));
    expect(await run('acme', 'plan')).toMatch(/^0 .*No changes/);
  }));

describe('the name of a repository', () => {
  const nameOf = (origin: string) =>
    withFolder(async (folder) => {
      git(folder, 'init', '-q');
      git(folder, 'remote', 'add', 'origin', origin);
      const own = { root: folder, folder: join(folder, 'own.git'), remote: 'origin', secrets: [] };
      return openRepository({ ...own, repositories: [] }, openGit(own)).repository();
    });

  it.each([
    'https://git.example.com/team/Campaigns.git',
    'https://oauth2:letmein@git.example.com/team/campaigns',
    'https://git.example.com:8443/team/campaigns.git/?token=letmein#letmein',
    'ssh://git@git.example.com:2222/team/campaigns.git',
    'git@git.example.com:team/campaigns.git',
    'Git.example.com:/team/campaigns',
    'git://git.example.com/team/campaigns.git',
  ])('is the same by every way there, without credentials: %s', async (origin) => {
    expect(await nameOf(origin)).toBe('git.example.com/team/campaigns');
  });

  it.each(['https://ada:let/mein@git.example.com/team/campaigns', 'https://ada:let mein@[git/x'])(
    'holds nothing of an address that cannot be read: %s',
    async (origin) => {
      expect(await nameOf(origin)).toBeNull();
    },
  );
});
