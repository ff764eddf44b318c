import { execFileSync } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Branch, openBranch } from '../../src/state/git.js';
import { withFolder } from '../support/folder.js';
import { startGitServer } from '../support/git-http.js';
import { recordWaits } from '../support/waits.js';

const contents = async (branch: Branch, commit: string) =>
  [...(await branch.files(commit))].map(([path, content]) => [path, content.toString('utf8')]);

it('reads a branch of a bare repository, and pushes each commit on top of the last one', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const open = () =>
      openBranch({
        root: folder,
        remote,
        branch: 'state',
        environment: 'spring',
        secrets: [],
      });
    const [each, other] = [open(), open()];
    expect(await each.fetch()).toBeNull();
    const odd = 'a/b ü"\n.json';
    const first = await each.push(null, new Map([odd, 'c'].map((path) => [path, `${path}\n`])), 'first');
    expect(first.failure).toBeNull();
    expect(await other.fetch()).toBe(first.commit);
    expect(await contents(other, first.commit)).toEqual([odd, 'c'].map((path) => [path, `${path}\n`]));
    const changes = new Map([
      ['c', null],
      ['d', ''],
    ]);
    const second = await other.push(first.commit, changes, 'second');
    expect(second.failure).toBeNull();
    for (const parent of [first.commit, null])
      expect((await each.push(parent, new Map([['e', 'e']]), 'third')).failure).not.toBeNull();
    expect(await each.fetch()).toBe(second.commit);
    expect(await contents(each, second.commit)).toEqual([
      [odd, `${odd}\n`],
      ['d', ''],
    ]);
  }));

it('announces each command, without the user or password of the remote', () =>
  withFolder(async (folder) => {
    const { waits, seen } = recordWaits();
    const remote = 'https://ada:secret@127.0.0.1:1/state.git';
    const branch = openBranch({
      root: folder,
      remote,
      branch: 'state',
      environment: 'spring',
      secrets: [],
      waits,
    });
    await expect(branch.fetch()).rejects.toMatchObject({ code: 'state-unreachable' });
    expect((await branch.push(null, new Map([['a', 'a']]), 'first')).failure).not.toBeNull();
    await branch.close();
    const length = { most: 60_000 };
    const git = (command: string, remote: string | null) => ({
      wait: { kind: 'git', command, remote },
      length,
      lasted: 0,
    });
    const shown = 'https://127.0.0.1:1/state.git';
    expect(seen).toEqual([git('fetch', shown), git('fast-import', null), git('push', shown)]);
  }));

it('passes no service token to git, and repeats no user or password of the remote', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    await mkdir(join(remote, 'hooks'), { recursive: true });
    const seen = join(folder, 'seen');
    await writeFile(join(remote, 'hooks', 'pre-receive'), `#!/bin/sh\nenv > '${seen}'\n`, { mode: 0o755 });
    vi.stubEnv('CAMPAIGNS_TOKEN', 'token-of-the-service');
    vi.stubEnv('OTHER_VARIABLE', 'of-another-use');
    const options = {
      root: folder,
      branch: 'state',
      environment: 'spring',
      secrets: ['CAMPAIGNS_TOKEN'],
    };
    const branch = openBranch({ ...options, remote });
    expect((await branch.push(null, new Map([['c', 'c']]), 'first')).failure).toBeNull();
    vi.unstubAllEnvs();
    const text = await readFile(seen, 'utf8');
    expect([text.includes('token-of-the-service'), text.includes('of-another-use')]).toEqual([false, true]);

    const remotes = [
      'http://ada:pass@word@127.0.0.1:1/mailings.git',
      'password@127.0.0.1:mailings.git',
      'http://ada:pass/word@127.0.0.1:1/mailings.git',
      'http://password@127.0.0.1:1/mailings.git',
      'localhost:password@127.0.0.1:mailings.git',
      'ssh://ada:password@127.0.0.1:1/mailings.git',
      'http://127.0.0.1:1/mailings.git?private_token=password',
      'http://127.0.0.1:1/mailings.git#password',
    ];
    for (const remote of remotes) {
      const away = openBranch({ ...options, remote });
      await expect(away.fetch(), remote).rejects.toMatchObject({
        code: 'state-unreachable',
        message: expect.not.stringMatching(/ada|pass|word@/),
      });
    }
  }));

it('a host that forbids pushes is reported as a refusal, not as unreachable', () =>
  withFolder(async (folder) => {
    execFileSync('git', ['init', '-q', '--bare', join(folder, 'remote.git')]);
    const server = await startGitServer(folder, { readOnly: true });
    try {
      const local = {};
      const options = { ...local, root: folder, environment: 'spring', secrets: [] };
      const branch = openBranch({ ...options, remote: `${server.url}/remote.git`, branch: 'state' });
      expect(await branch.fetch()).toBeNull();
      const { failure } = await branch.push(null, new Map([['c', 'c']]), 'first');
      expect(failure).toMatchObject({
        code: 'state-refused',
        message: expect.stringContaining('state/spring'),
      });
      expect(failure?.message).toContain('The requested URL returned error: 403');
    } finally {
      await server.close();
    }
  }));

it('a full local disk is not reported as an unreadable remote', () =>
  withFolder(async (folder) => {
    const [remote, bin] = [join(folder, 'remote.git'), join(folder, 'bin')];
    execFileSync('git', ['init', '-q', '--bare', remote]);
    await mkdir(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const fetching = async (message: string) => {
      const text = `#!/bin/sh\ncase " $* " in *" fetch "*) echo "${message}" >&2; exit 1;; esac\nexec ${real} "$@"\n`;
      await writeFile(join(bin, 'git'), text, { mode: 0o755 });
      vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
      const branch = openBranch({
        ...{ root: folder, remote, branch: 'state', environment: 'spring' },
        secrets: [],
      });
      return branch.fetch().finally(() => vi.unstubAllEnvs());
    };
    for (const expected of [
      "error: cannot update ref 'refs/campaignctl/tip': couldn't write 'own.git/refs/campaignctl/tip.lock'",
      'fatal: write error: No space left on device',
    ])
      await expect(fetching(expected)).rejects.toMatchObject({
        code: 'state-unusable',
        hint: expect.stringContaining('disk space'),
      });
    await expect(fetching('remote: fatal: write error: No space left on device')).rejects.toMatchObject({
      code: 'state-unreachable',
    });
  }));

it('shows no credential that a host echoes', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    await mkdir(join(remote, 'hooks'), { recursive: true });
    const echo = '#!/bin/sh\necho "you sent glpat-0123456789abcdef and basic-0123456789" >&2\nexit 1\n';
    await writeFile(join(remote, 'hooks', 'pre-receive'), echo, { mode: 0o755 });
    vi.stubEnv('STATE_TOKEN', 'glpat-0123456789abcdef');
    execFileSync('git', ['init', '-q', folder]);
    const header = ['http.https://git.example.com/.extraheader', 'AUTHORIZATION: basic-0123456789'];
    execFileSync('git', ['-C', folder, 'config', ...header]);
    const branch = openBranch({ root: folder, remote, branch: 'state', environment: 'spring', secrets: [] });
    const { failure } = await branch.push(null, new Map([['c', 'c']]), 'first');
    vi.unstubAllEnvs();
    await branch.close();
    expect(failure?.message).toContain('you sent *** and ***');
  }));

it('pushes independently of the configuration for signed pushes, push options and mirrors, and forces nothing', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    const clone = join(folder, 'clone');
    const config = join(folder, 'config');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    execFileSync('git', ['clone', '-q', remote, clone], { stdio: 'ignore' });
    const set = (...line: string[]) => execFileSync('git', ['-C', clone, 'config', ...line]);
    set('remote.origin.mirror', 'true');
    set('remote.origin.push', '+refs/heads/*:refs/heads/*');
    await writeFile(config, '[push]\n\tgpgSign = true\n\tpushOption = ci.skip\n');
    await writeFile(config, '[remote "origin"]\n\tmirror = true\n', { flag: 'a' });
    vi.stubEnv('GIT_CONFIG_GLOBAL', config);
    const open = () =>
      openBranch({ root: clone, remote: 'origin', branch: 'state', environment: 'spring', secrets: [] });
    const [each, other] = [open(), open()];
    const first = await each.push(null, new Map([['a', 'a']]), 'first');
    expect(await other.fetch()).toBe(first.commit);
    const second = await each.push(first.commit, new Map([['b', 'b']]), 'second');
    expect([first.failure, second.failure]).toEqual([null, null]);
    // A machine that has missed the second commit does not overwrite it.
    const late = await other.push(first.commit, new Map([['c', 'c']]), 'third');
    expect(late.failure).toMatchObject({ code: 'state-refused' });
    expect(await other.fetch()).toBe(second.commit);
    vi.unstubAllEnvs();
    await Promise.all([each.close(), other.close()]);
  }));

it('reaches a remote whose path contains an equals sign', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'a=b.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const branch = openBranch({ root: folder, remote, branch: 'state', environment: 'spring', secrets: [] });
    const { commit, failure } = await branch.push(null, new Map([['a', 'a']]), 'first');
    expect([failure, await branch.fetch()]).toEqual([null, commit]);
    await branch.close();
  }));

it('ignores the filter of a partial clone, which would fetch each file separately', () =>
  withFolder(async (folder) => {
    const [remote, clone] = [join(folder, 'remote.git'), join(folder, 'clone')];
    execFileSync('git', ['init', '-q', '--bare', remote]);
    execFileSync('git', ['-C', remote, 'config', 'uploadpack.allowFilter', 'true']);
    const writer = openBranch({ root: folder, remote, branch: 'state', environment: 'spring', secrets: [] });
    const files = new Map(Array.from({ length: 40 }, (_, at) => [`${at}.json`, `${at}`]));
    const { commit } = await writer.push(null, files, 'first');
    execFileSync('git', ['clone', '-q', '--no-checkout', '--filter=blob:none', `file://${remote}`, clone]);
    const log = join(folder, 'trace');
    vi.stubEnv('GIT_TRACE', log);
    const branch = openBranch({
      root: clone,
      remote: 'origin',
      branch: 'state',
      environment: 'spring',
      secrets: [],
    });
    expect(await branch.fetch()).toBe(commit);
    expect(await contents(branch, commit)).toHaveLength(40);
    vi.unstubAllEnvs();
    await branch.close();
    expect((await readFile(log, 'utf8')).match(/built-in: git fetch/g)).toHaveLength(1);
  }));
