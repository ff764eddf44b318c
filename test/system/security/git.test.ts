import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const MANIFEST = 'name: Spring\nsettings: { max_emails_per_day: 5, reputation_building: true }\n';

interface Repository {
  folder: string;
  /** A program in the folder that notes that it ran. */
  trap: string;
  git(...words: string[]): string;
  config(values: Record<string, string>): void;
  /** What a saved plan says of the commit. */
  planned(): Promise<string | null>;
}

/** A project that is a repository with one commit. `init`: words for git init. */
async function repository(use: (made: Repository) => Promise<void>, init: string[] = []): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' };
  try {
    await withFolder(async (folder) => {
      const git = gitIn(folder, env);
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [spring.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
        'spring.yaml': MANIFEST,
        '.gitattributes': '*.yaml filter=evil\n',
      });
      git('init', '--quiet', ...init);
      await use({
        folder,
        trap: trapIn(folder),
        git,
        config(values) {
          for (const [key, value] of Object.entries(values)) git('config', key, value);
        },
        async planned() {
          expect((await command(folder, ['plan', '--out', 'plan.json'])).code).toBe(0);
          return JSON.parse(readFileSync(join(folder, 'plan.json'), 'utf8')).made.commit;
        },
      });
    });
  } finally {
    await service.close();
  }
}

function gitIn(folder: string, env: NodeJS.ProcessEnv) {
  const ours = ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'core.fsmonitor=false'];
  return (...words: string[]) =>
    execFileSync('git', [...ours, ...words], { cwd: folder, env, stdio: 'pipe' })
      .toString()
      .trim();
}

function trapIn(folder: string): string {
  const file = join(folder, 'trap.sh');
  writeFileSync(file, `#!/bin/sh\ntouch '${folder}/ran'\ncat\n`);
  chmodSync(file, 0o755);
  return file;
}

function commitAll({ git }: Repository): string {
  git('add', '--update', '.');
  git('add', '*.yaml', '.gitattributes');
  git('commit', '--quiet', '--message', 'First');
  return git('rev-parse', 'HEAD');
}

/** Ways to name a program in the configuration of a repository, each beside one commit. */
const TRAPS: Record<string, (made: Repository) => void> = {
  'a monitor of files': ({ config, trap }) => config({ 'core.fsmonitor': trap }),
  'filters of changed files': ({ config, trap }) => {
    for (const key of ['filter.evil.clean', 'filter.evil.process', 'filter.a=b.clean'])
      config({ [key]: trap });
    config({ 'filter.evil.required': 'true' });
  },
  'a hook in its place': ({ folder, trap }) => {
    for (const name of ['post-index-change', 'reference-transaction', 'fsmonitor-watchman'])
      writeFileSync(join(folder, '.git/hooks', name), readFileSync(trap), { mode: 0o755 });
  },
  'hooks elsewhere': ({ folder, config, trap }) => {
    mkdirSync(join(folder, 'hooks'));
    writeFileSync(join(folder, 'hooks/post-index-change'), readFileSync(trap), { mode: 0o755 });
    config({ 'core.hooksPath': 'hooks' });
  },
  'programs that show differences': ({ config, trap }) =>
    config({ 'diff.external': trap, 'core.pager': trap, 'core.editor': trap, 'alias.status': `!${trap}` }),
  'filters and a monitor of a submodule': ({ folder, config, trap }) => {
    const git = gitIn(join(folder, 'sub'), process.env);
    git('config', 'core.fsmonitor', trap);
    git('config', 'filter.evil.clean', trap);
    writeFileSync(join(folder, 'sub/a.txt'), 'changed');
    config({
      'submodule.sub.ignore': 'none',
      'diff.ignoreSubmodules': 'none',
      'status.submoduleSummary': 'true',
    });
  },
};

/** Where a repository may say that the objects which it lacks are to be had. */
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

describe('git, asked for the commit of a run', () => {
  it.each(Object.entries(TRAPS))('runs nothing and still sees what has changed: %s', (_, set) =>
    repository(async (made) => {
      const { folder, git } = made;
      mkdirSync(join(folder, 'sub'));
      writeFileSync(join(folder, 'sub/a.txt'), 'a');
      writeFileSync(join(folder, 'sub/.gitattributes'), '* filter=evil\n');
      const sub = gitIn(join(folder, 'sub'), process.env);
      sub('init', '--quiet');
      sub('add', '.');
      sub('commit', '--quiet', '--message', 'First');
      writeFileSync(
        join(folder, '.gitmodules'),
        '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n\tignore = none\n',
      );
      git('add', 'sub', '.gitmodules');
      const head = commitAll(made);
      set(made);
      expect(await made.planned()).toBe(head);
      // Of the same size, so that git has to look into it.
      writeFileSync(join(folder, 'spring.yaml'), MANIFEST.replace('5', '6'));
      utimesSync(join(folder, 'spring.yaml'), 1, 1);
      expect(await made.planned()).toBe(`${head}-dirty`);
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    }),
  );

  it.each(Object.entries(SOURCES))('fetches no object that a partial clone lacks from %s', (_, from) =>
    repository(async (made) => {
      const { folder, git, config, trap } = made;
      const head = commitAll(made);
      const trees = [head, git('rev-parse', 'HEAD^{tree}')];
      config({
        ...from(trap),
        'core.repositoryFormatVersion': '1',
        'extensions.partialClone': 'evil',
        'remote.evil.promisor': 'true',
        'remote.evil.fetch': '+refs/heads/*:refs/remotes/evil/*',
      });
      for (const id of trees) rmSync(join(folder, '.git/objects', id.slice(0, 2), id.slice(2)));
      await made.planned();
      expect(existsSync(join(folder, 'ran'))).toBe(false);
    }),
  );

  it('takes no folder of the repository for another repository', () =>
    repository(
      async (made) => {
        const { folder, config, trap } = made;
        config({ 'core.bare': 'false', 'core.worktree': folder });
        commitAll(made);
        config({ 'core.fsmonitor': trap });
        expect(await made.planned()).toBeNull();
        expect(existsSync(join(folder, 'ran'))).toBe(false);
      },
      ['--bare', '.'],
    ));

  it('knows no token', () =>
    repository(async (made) => {
      const { folder } = made;
      const head = commitAll(made);
      const found = execFileSync('sh', ['-c', 'command -v git']).toString().trim();
      mkdirSync(join(folder, 'bin'));
      writeFileSync(join(folder, 'bin/git'), `#!/bin/sh\nenv >>'${folder}/seen'\nexec '${found}' "$@"\n`, {
        mode: 0o755,
      });
      vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env.PATH}`);
      for (const name of ['CAMPAIGNS_TOKEN', 'GITHUB_TOKEN', 'GIT_CONFIG_VALUE_0']) vi.stubEnv(name, TOKEN);
      expect(await made.planned()).toBe(head);
      const seen = readFileSync(join(folder, 'seen'), 'utf8');
      expect(seen).toContain('GIT_ALLOW_PROTOCOL=\n');
      expect(seen).not.toContain(TOKEN);
    }));
});
