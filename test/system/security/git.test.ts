import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { withProject } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';

const MANIFEST = 'name: Spring\nsettings: { max_emails_per_day: 5, reputation_building: true }\n';
const SPRING = 'campaigns/spring.yaml';
const KEPT = '.campaignctl/state/production/note.txt';

interface Repository {
  folder: string;
  /** A program in the folder that records that it ran. */
  trap: string;
  git(...words: string[]): string;
  config(values: Record<string, string>): void;
  /** True if the plan says that git tracks the state. */
  isTracked(): Promise<boolean>;
}

/** A project in a repository with one commit that includes the state. `init`: options for git init. */
function repository(use: (created: Repository) => Promise<void>, init: string[] = []): Promise<void> {
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  const identity = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'core.fsmonitor=false'];
  vi.stubEnv('CI', '');
  return withProject(
    { files: { [SPRING]: MANIFEST, [KEPT]: 'kept\n' } },
    async ({ exits, folder, write }) => {
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
      git('add', '--force', SPRING, KEPT);
      git('commit', '--quiet', '--message', 'First');
      const isTracked = async () => (await exits(0, 'plan --json')).out.includes('"unkept-state"');
      await use({ folder, trap, git, config, isTracked });
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

  it('receives no token', () =>
    repository(async ({ folder, isTracked }) => {
      const installed = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
      mkdirSync(join(folder, 'bin'));
      const script = `#!/bin/sh\nenv >>'${folder}/seen'\nexec '${installed}' "$@"\n`;
      writeFileSync(join(folder, 'bin/git'), script, { mode: 0o755 });
      vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`);
      for (const name of ['CAMPAIGNS_TOKEN', 'GITHUB_TOKEN', 'GIT_CONFIG_VALUE_0']) vi.stubEnv(name, TOKEN);
      expect(await isTracked()).toBe(true);
      const seen = readFileSync(join(folder, 'seen'), 'utf8');
      expect(seen).toContain('GIT_ALLOW_PROTOCOL=\n');
      expect(seen).not.toContain(TOKEN);
    }));
});
