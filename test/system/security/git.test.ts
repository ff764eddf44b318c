import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Plan } from '../../../src/model/outputs.js';
import { type Project, withProject } from '../../support/project.js';
import { replaceGit } from '../../support/repository.js';
import { TOKEN } from '../../support/service/service.js';

const MANIFEST = 'name: Spring\nsettings: { max_emails_per_day: 5, reputation_building: true }\n';
const SPRING = 'campaigns/spring.yaml';
const KEPT = '.campaignctl/state/production/note.txt';

interface Repository extends Pick<Project, 'exits' | 'edit'> {
  folder: string;
  /** A program in the folder that records that it ran. */
  trap: string;
  git(...words: string[]): string;
  config(values: Record<string, string>): void;
  /** True if the plan says that git tracks the state. */
  isTracked(): Promise<boolean>;
  /** Why git cannot say whether it tracks the state, and everything on stderr. */
  unknown(): Promise<{ message: string; err: string }>;
}

/** A project in a repository with one commit that includes the state. `init`: options for git init. */
function repository(use: (created: Repository) => Promise<void>, init: string[] = []): Promise<void> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'core.fsmonitor=false'];
  vi.stubEnv('CI', '');
  return withProject(
    { files: { [SPRING]: MANIFEST, [KEPT]: 'kept\n' } },
    async ({ exits, edit, folder, write }) => {
      const git = (...words: string[]) =>
        execFileSync('git', [...identity, ...words], { cwd: folder, env, encoding: 'utf8' }).trim();
      const config: Repository['config'] = (values) => {
        for (const [key, value] of Object.entries(values)) git('config', key, value);
      };
      const trap = join(folder, 'trap.sh');
      await write({ 'trap.sh': `#!/bin/sh\ntouch '${folder}/ran'\ncat\n` });
      chmodSync(trap, 0o755);
      git('init', '--quiet', ...init);
      if (init.length > 0) config({ 'core.bare': 'false', 'core.worktree': folder });
      git('add', '--force', 'campaignctl.yaml', SPRING, KEPT);
      git('commit', '--quiet', '--message', 'First');
      const unkept = async () => {
        const { out, err } = await exits(0, 'plan --json');
        const { problems } = JSON.parse(out) as Plan;
        return { message: problems.find(({ code }) => code === 'unkept-state')?.message ?? '', err };
      };
      const isTracked = async () => {
        const { message } = await unkept();
        expect(message).not.toContain('cannot say');
        return message !== '';
      };
      const unknown = async () => {
        const { message, err } = await unkept();
        const [, why = message] =
          /^git cannot say whether it tracks the state in \S+: (.*?)\. /.exec(message) ?? [];
        return { message: why, err };
      };
      await use({ folder, trap, git, config, isTracked, unknown, exits, edit });
    },
  );
}

/** Ways to name a program in the configuration of a repository. */
const TRAPS: Record<string, (created: Repository) => void> = {
  'a monitor of files': ({ config, trap }) => config({ 'core.fsmonitor': trap }),
  'a hook in its place': ({ folder, trap }) => {
    for (const name of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
      writeFileSync(join(folder, '.git/hooks', name), readFileSync(trap), { mode: 0o755 });
  },
  'hooks elsewhere': ({ folder, config, trap }) => {
    mkdirSync(join(folder, 'hooks'));
    writeFileSync(join(folder, 'hooks/post-index-change'), readFileSync(trap), { mode: 0o755 });
    config({ 'core.hooksPath': 'hooks' });
  },
  'programs that show something': ({ config, trap }) =>
    config({ 'core.pager': trap, 'core.editor': trap, 'alias.ls-files': `!${trap}` }),
};

/** Programs that git runs when it compares files with a commit. */
const FILTERS: typeof TRAPS = {
  ...TRAPS,
  'a filter of files': ({ folder, config, trap }) => {
    writeFileSync(join(folder, '.gitattributes'), '* filter=evil diff=evil\n');
    config({
      'filter.evil.clean': trap,
      'filter.evil.process': trap,
      'filter.evil.required': 'true',
      'diff.external': trap,
      'diff.evil.textconv': trap,
    });
  },
};

/** Settings that name a source of missing objects. */
const SOURCES: Record<string, (trap: string) => Record<string, string>> = {
  'a program': (trap) => ({ 'remote.evil.url': `ext::${trap}`, 'protocol.ext.allow': 'always' }),
  'ssh, by a program': (trap) => ({
    'remote.evil.url': 'ssh://evil.example.com/a',
    'core.sshCommand': trap,
    'protocol.ssh.allow': 'always',
  }),
  'a folder, by a program': (trap) => ({
    'remote.evil.url': '.',
    'remote.evil.uploadpack': trap,
    'protocol.file.allow': 'always',
  }),
};

afterEach(() => {
  vi.unstubAllEnvs();
});

describe('git, asked whether it tracks the state', () => {
  it.each(Object.entries(TRAPS))('runs nothing and answers: %s', (_, set) =>
    repository(async (created) => {
      expect(await created.isTracked()).toBe(true);
      set(created);
      expect(await created.isTracked()).toBe(true);
      created.git('rm', '--cached', '--quiet', KEPT);
      rmSync(join(created.folder, 'ran'), { force: true });
      expect(await created.isTracked()).toBe(false);
      expect(existsSync(join(created.folder, 'ran'))).toBe(false);
    }),
  );

  it.each(Object.entries(SOURCES))('does not fetch missing objects of a partial clone from %s', (_, from) =>
    repository(async ({ folder, git, config, trap, isTracked }) => {
      const trees = [git('rev-parse', 'HEAD'), git('rev-parse', 'HEAD^{tree}')];
      config({
        ...from(trap),
        'core.repositoryFormatVersion': '1',
        'extensions.partialClone': 'evil',
        'remote.evil.promisor': 'true',
        'remote.evil.fetch': '+refs/heads/*:refs/remotes/evil/*',
      });
      for (const id of trees) rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)));
      expect(await isTracked()).toBe(true);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    }),
  );

  it('does not treat a folder of the repository as a separate repository', () =>
    repository(
      async ({ folder, config, trap, isTracked }) => {
        config({ 'core.fsmonitor': trap });
        expect(await isTracked()).toBe(false);
        expect(existsSync(join(folder, 'ran'))).toBe(false);
      },
      ['--bare', '.'],
    ));

  it.each(Object.entries(FILTERS))('and about the checkout and its history, runs nothing: %s', (_, set) =>
    repository(async (created) => {
      const { folder, exits, edit } = created;
      const allow = '--allow unkept-state --allow undoes-apply';
      await exits(0, `apply --yes ${allow}`);
      await edit(SPRING, '5', '6');
      set(created);
      rmSync(join(folder, 'ran'), { force: true });
      await exits(0, `apply --yes ${allow}`);
      await edit(SPRING, '6', '5');
      expect((await exits(0, 'plan --json')).out).toContain('"undoes-apply"');
      await exits(0, `apply --yes ${allow}`);
      expect((await exits(0, 'history')).out).toMatch(/ apply .* [0-9a-f]{8}\+? /);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    }),
  );

  it.each(Object.entries(SOURCES))(
    'nor does it fetch a missing commit of an earlier apply from %s',
    (_, from) =>
      repository(async ({ folder, git, config, trap, exits, edit }) => {
        const allow = '--allow unkept-state';
        await exits(0, `apply --yes ${allow}`);
        await edit(SPRING, '5', '6');
        git('add', '--force', 'campaignctl.yaml');
        git('commit', '--quiet', '--all', '--message', 'Second');
        const id = git('rev-parse', 'HEAD');
        await exits(0, `apply --yes ${allow}`);
        git('checkout', '--quiet', 'HEAD^');
        expect((await exits(0, 'plan --json')).out).toContain('does not include that commit');
        config({
          ...from(trap),
          'core.repositoryFormatVersion': '1',
          'extensions.partialClone': 'evil',
          'remote.evil.promisor': 'true',
          'remote.evil.fetch': '+refs/heads/*:refs/remotes/evil/*',
        });
        rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)));
        rmSync(join(folder, 'ran'), { force: true });
        expect((await exits(0, 'plan --json')).out).toContain('"undoes-apply"');
        expect(existsSync(join(folder, 'ran'))).toBe(false);
      }),
  );

  it('receives no token', () =>
    repository(async ({ folder, isTracked }) => {
      replaceGit(join(folder, 'bin'), `env >>'${folder}/seen'`);
      for (const name of ['CAMPAIGNS_TOKEN', 'GITHUB_TOKEN', 'GIT_CONFIG_VALUE_0']) vi.stubEnv(name, TOKEN);
      expect(await isTracked()).toBe(true);
      const seen = readFileSync(join(folder, 'seen'), 'utf8');
      expect(seen).toContain('GIT_ALLOW_PROTOCOL=\n');
      expect(seen).not.toContain(TOKEN);
    }));

  it('answers for a repository of another user, as in a container', () =>
    repository(async ({ folder, git, isTracked }) => {
      replaceGit(join(folder, 'bin'), 'export GIT_TEST_ASSUME_DIFFERENT_OWNER=1');
      expect(await isTracked()).toBe(true);
      git('rm', '--cached', '--quiet', KEPT);
      expect(await isTracked()).toBe(false);
    }));

  it('answers for the repository of the project in a hook of another one', () =>
    repository(async ({ folder, isTracked }) => {
      const other = join(folder, 'other');
      execFileSync('git', ['init', '--quiet', other]);
      for (const [name, path] of [
        ['GIT_DIR', '.git'],
        ['GIT_WORK_TREE', '.'],
        ['GIT_INDEX_FILE', '.git/index'],
      ] as const)
        vi.stubEnv(name, join(other, path));
      expect(await isTracked()).toBe(true);
    }));

  it('answers for a state behind a link', () =>
    repository(async ({ folder, isTracked }) => {
      renameSync(join(folder, '.campaignctl'), join(folder, 'kept'));
      symlinkSync('kept', join(folder, '.campaignctl'));
      expect(await isTracked()).toBe(false);
      execFileSync('git', ['add', '--force', 'kept'], { cwd: folder });
      expect(await isTracked()).toBe(true);
    }));

  it.each<[string, string, (created: Repository) => void]>([
    ['git is not installed', 'it is not installed', () => vi.stubEnv('PATH', '/nonexistent')],
    [
      'git does not know the safe folder',
      "detected dubious ownership in repository at '/work'",
      ({ folder }) =>
        replaceGit(
          join(folder, 'bin'),
          `echo "fatal: detected dubious ownership in repository at '/work'" >&2; exit 128`,
        ),
    ],
    [
      'the index is damaged',
      'index file smaller than expected',
      ({ folder }) => writeFileSync(join(folder, '.git/index'), 'DIRC, but no more'),
    ],
    [
      'the repository of a work tree is not here',
      'not a git repository: /elsewhere/.git/worktrees/a',
      ({ folder }) => {
        rmSync(join(folder, '.git'), { recursive: true });
        writeFileSync(join(folder, '.git'), 'gitdir: /elsewhere/.git/worktrees/a\n');
      },
    ],
  ])('cannot say, which needs approval: %s', (_, why, damage) =>
    repository(async (created) => {
      damage(created);
      expect(await created.unknown()).toMatchObject({ message: expect.stringContaining(why), err: '' });
    }),
  );

  it('cannot say if git does not answer within five seconds, which plan announces', () =>
    repository(async ({ folder, unknown }) => {
      replaceGit(join(folder, 'bin'), 'exec sleep 30');
      expect(await unknown()).toEqual({
        message: 'no answer within 5 s',
        err: 'Waiting up to 5 s for git to say whether it tracks .campaignctl/state/production.\n',
      });
    }));
});
