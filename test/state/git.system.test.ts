import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { CREATED_STATE } from '../../src/model/state.js';
import { type Branch, openBranch } from '../../src/state/git.js';
import { machineOn, memoryRemote, type Remote } from '../support/branch.js';
import { withFolder } from '../support/folder.js';
import { startGitServer } from '../support/git-http.js';
import { replaceGit } from '../support/repository.js';
import { recordWaits } from '../support/waits.js';

const contents = async (branch: Branch, commit: string) =>
  [...(await branch.files(commit))].map(([path, content]) => [path, content.toString('utf8')]);

/** A bare repository. */
function gitRemote(folder: string): Remote {
  const path = join(folder, 'remote.git');
  execFileSync('git', ['init', '-q', '--bare', path]);
  const hook = (name: string, script: string) =>
    writeFileSync(join(path, 'hooks', name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
  const run = (...args: string[]) =>
    execFileSync('git', args, { cwd: path, stdio: 'pipe', encoding: 'utf8' });
  return {
    open: (options) => openBranch({ root: folder, remote: path, secrets: [], ...options }),
    tip: (name) => run('for-each-ref', '--format=%(objectname)', `refs/heads/${name}`).trim() || null,
    move(name, commit) {
      const ref = `refs/heads/${name}`;
      run('update-ref', ...(commit === null ? ['-d', ref] : [ref, commit]));
    },
    answer(way) {
      mkdirSync(join(path, 'hooks'), { recursive: true });
      hook('pre-receive', way === 'refused' ? 'exit 1' : '');
      hook('post-receive', way === 'lost' ? 'kill -9 $PPID' : '');
    },
    reach(isReachable) {
      const away = `${path}.away`;
      if (isReachable) renameSync(away, path);
      else renameSync(path, away);
    },
  };
}

const NAME = 'state/spring';
const spring = ({ open }: Remote) => open({ branch: 'state', environment: 'spring' });
const REFUSED = { failure: { code: 'state-refused', message: expect.stringContaining(`branch ${NAME}: `) } };
const UNREACHABLE = { code: 'state-unreachable' };
const ARRIVED = { failure: null };

/** The backend is tested with the branch in memory, so both branches must behave alike. */
describe.each([
  ['of a bare repository', gitRemote],
  ['in memory', memoryRemote],
])('a branch %s', (_, create) => {
  const on = (use: (remote: Remote) => Promise<void>) => () => withFolder((folder) => use(create(folder)));

  it(
    'is read, and pushed to on top of its last commit only',
    on(async (remote) => {
      const [each, other] = [spring(remote), spring(remote)];
      expect([await each.fetch(), remote.tip(NAME)]).toEqual([null, null]);
      const odd = 'a/b ü"\n.json';
      const first = await each.push(null, new Map([odd, 'c'].map((path) => [path, `${path}\n`])), 'first');
      expect(first).toMatchObject(ARRIVED);
      expect([await other.fetch(), remote.tip(NAME)]).toEqual([first.commit, first.commit]);
      expect(await contents(other, first.commit)).toEqual([odd, 'c'].map((path) => [path, `${path}\n`]));
      const changes = new Map([
        ['c', null],
        ['d', ''],
      ]);
      const second = await other.push(first.commit, changes, 'second');
      expect(second).toMatchObject(ARRIVED);
      for (const parent of [first.commit, null])
        expect(await each.push(parent, new Map([['e', 'e']]), 'third')).toMatchObject(REFUSED);
      expect(await each.fetch()).toBe(second.commit);
      expect(await contents(each, second.commit)).toEqual([
        [odd, `${odd}\n`],
        ['d', ''],
      ]);
      await Promise.all([each.close(), other.close()]);
    }),
  );

  it(
    'lists its files in one order, with their bytes',
    on(async (remote) => {
      const branch = spring(remote);
      const bytes = Buffer.from([0, 255, 10, 13]);
      const files = ['b', 'a.b', 'a/b', 'a-b', 'ü', 'B'].map((path) => [path, bytes] as const);
      const { commit } = await branch.push(null, new Map(files), 'first');
      expect([...(await branch.files(commit))]).toEqual(
        ['B', 'a-b', 'a.b', 'a/b', 'b', 'ü'].map((path) => [path, bytes]),
      );
      await branch.close();
    }),
  );

  it(
    'describes a commit with its parent, which the machine may not have, and its time in seconds',
    on(async (remote) => {
      const [each, other] = [spring(remote), spring(remote)];
      const start = 1000 * Math.floor(Date.now() / 1000);
      const first = await each.push(null, new Map([['a', 'a']]), 'first');
      const second = await each.push(first.commit, new Map([['a', 'b']]), 'second');
      const committed = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
      await other.fetch();
      const described = await other.describe(second.commit);
      expect(described).toEqual({ parent: first.commit, committed });
      const time = Date.parse(described.committed);
      expect([time >= start, time <= Date.now()]).toEqual([true, true]);
      expect(await each.describe(first.commit)).toEqual({ parent: null, committed });
      const unknown = { code: 'state-unusable' };
      await expect(other.describe(first.commit)).rejects.toMatchObject(unknown);
      await expect(other.files(first.commit)).rejects.toMatchObject(unknown);
      await expect(other.push(first.commit, new Map(), 'third')).rejects.toMatchObject(unknown);
      await Promise.all([each.close(), other.close()]);
    }),
  );

  it(
    'is separate for each environment, and forgotten by a machine that closes it',
    on(async (remote) => {
      const [each, other] = ['spring', 'summer'].map((environment) =>
        remote.open({ branch: 'state', environment }),
      ) as [Branch, Branch];
      const { commit } = await each.push(null, new Map([['a', 'a']]), 'first');
      expect([await other.fetch(), remote.tip('state/summer')]).toEqual([null, null]);
      await each.close();
      await expect(each.files(commit)).rejects.toMatchObject({ code: 'state-unusable' });
      expect(await each.fetch()).toBe(commit);
      expect(await contents(each, commit)).toEqual([['a', 'a']]);
      await Promise.all([each.close(), other.close()]);
    }),
  );

  it(
    'takes a commit once that is made twice in one second',
    on(async (remote) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      const [each, other] = [spring(remote), spring(remote)];
      const push = (branch: Branch, text: string) => branch.push(null, new Map([['a', text]]), 'first');
      const pushed = [await push(each, 'a'), await push(other, 'a')];
      expect(pushed).toEqual([0, 1].map(() => ({ commit: remote.tip(NAME), failure: null })));
      expect(await push(each, 'b')).toMatchObject(REFUSED);
      vi.useRealTimers();
      await Promise.all([each.close(), other.close()]);
    }),
  );

  it(
    'keeps a push without a response, and none that was refused',
    on(async (remote) => {
      const branch = spring(remote);
      const first = await branch.push(null, new Map([['a', 'a']]), 'first');
      remote.answer('refused');
      const second = await branch.push(first.commit, new Map([['a', 'b']]), 'second');
      expect(second).toMatchObject(REFUSED);
      expect(await branch.fetch()).toBe(first.commit);
      remote.answer('lost');
      const third = await branch.push(first.commit, new Map([['a', 'c']]), 'third');
      expect(third).toMatchObject({ failure: UNREACHABLE });
      expect(await branch.fetch()).toBe(third.commit);
      remote.answer('given');
      expect(await branch.push(third.commit, new Map([['a', 'd']]), 'fourth')).toMatchObject(ARRIVED);
      await branch.close();
    }),
  );

  it(
    'cannot be read or pushed to while its remote is away',
    on(async (remote) => {
      const branch = spring(remote);
      const { commit } = await branch.push(null, new Map([['a', 'a']]), 'first');
      remote.reach(false);
      await expect(branch.fetch()).rejects.toMatchObject(UNREACHABLE);
      expect(await branch.push(commit, new Map([['a', 'b']]), 'second')).toMatchObject({
        failure: UNREACHABLE,
      });
      expect(await contents(branch, commit)).toEqual([['a', 'a']]);
      remote.reach(true);
      expect(await branch.fetch()).toBe(commit);
      await branch.close();
    }),
  );

  it(
    'takes a commit after it was deleted or reset by hand only from a machine that has all commits below',
    on(async (remote) => {
      const [each, other] = [spring(remote), spring(remote)];
      const first = await each.push(null, new Map([['a', 'a']]), 'first');
      const second = await each.push(first.commit, new Map([['a', 'b']]), 'second');
      await other.fetch();
      for (const [text, commit] of [
        ['c', first.commit],
        ['d', null],
      ] as const) {
        remote.move(NAME, commit);
        const push = (branch: Branch) => branch.push(second.commit, new Map([['a', text]]), 'third');
        expect(await push(other)).toMatchObject(REFUSED);
        const third = await push(each);
        expect([third.failure, remote.tip(NAME)]).toEqual([null, third.commit]);
      }
      await Promise.all([each.close(), other.close()]);
    }),
  );

  it(
    'takes the commits below a commit that were not taken before',
    on(async (remote) => {
      const [each, other] = [spring(remote), spring(remote)];
      const first = await each.push(null, new Map([['a', 'a']]), 'first');
      remote.answer('refused');
      const second = await each.push(first.commit, new Map([['a', 'b']]), 'second');
      remote.answer('given');
      const third = await each.push(second.commit, new Map([['c', 'c']]), 'third');
      expect(third).toMatchObject(ARRIVED);
      expect(await other.fetch()).toBe(third.commit);
      expect(await contents(other, third.commit)).toEqual([
        ['a', 'b'],
        ['c', 'c'],
      ]);
      await Promise.all([each.close(), other.close()]);
    }),
  );
});

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
    const fetching = async (message: string) => {
      replaceGit(bin, `case " $* " in *" fetch "*) echo "${message}" >&2; exit 1;; esac`);
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

/** Where machines keep the state on a branch of this remote. */
const machine = (folder: string, remote: Pick<Remote, 'open'>) =>
  machineOn({ remote, folder: join(folder, 'state') });
const asking = { who: 'ada', timeout: 0, waiting() {}, signal: new AbortController().signal };

it('a SHA-256 repository can store the state', () =>
  withFolder(async (folder) => {
    const [root, path] = [join(folder, 'top'), join(folder, 'remote.git')];
    for (const args of [['--bare', path], [root]])
      execFileSync('git', ['init', '-q', '--object-format=sha256', ...args]);
    const remote = {
      open: (options: { branch: string; environment: string }) =>
        openBranch({ root, remote: path, secrets: [], ...options }),
    };
    for (const id of [12, 13]) {
      const lease = await machine(folder, remote).acquire(asking);
      await lease.store.save({ id, name: 'Spring', manifest: 'spring.yaml', recorded: CREATED_STATE });
      await lease.end();
    }
    const all = await machine(folder, remote).store.readAll();
    expect(all.map(({ id }) => id)).toEqual([12, 13]);
  }));

it('a branch that cannot be created is an error with the reason from git', () =>
  withFolder(async (folder) => {
    const remote = gitRemote(folder);
    const other = remote.open({ branch: 'other', environment: 'production' });
    const { commit } = await other.push(null, new Map([['a', 'a']]), 'Other');
    // A branch of this name leaves no room for branches below it.
    remote.move('state', commit);
    await expect(machine(folder, remote).acquire(asking)).rejects.toMatchObject({
      code: 'state-refused',
      message: expect.stringContaining('the state branch state/production'),
    });
  }));
