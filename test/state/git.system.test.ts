import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { type Branch, idOf, openBranch } from '../../src/state/git.js';
import { withFolder } from '../support/folder.js';
import { startGitServer } from '../support/git-http.js';

const content = (text: string) => Buffer.from(text);
const contents = async (branch: Branch, commit: string) => {
  const files = await branch.list(commit);
  const all = await branch.read([...files.values()]);
  return [...files].map(([path, id], at) => {
    expect(idOf(all[at] ?? content(''), id)).toBe(id);
    return [path, all[at]?.toString('utf8')];
  });
};

it('reads and moves a branch of a bare repository, in plain steps on top of the last commit', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const open = (name: string) =>
      openBranch({
        root: folder,
        folder: join(folder, name),
        remote,
        branch: 'state',
        environment: 'spring',
        project: '.',
        projectFile: 'campaignctl.yaml',
        claims: async () => [],
        repositories: [],
        secrets: [],
      });
    const [one, other] = [await open('one.git'), await open('other.git')];
    expect(await one.fetch()).toBeNull();
    const odd = 'a/b ü"\n.json';
    const first = await one.push(
      null,
      new Map([odd, 'c'].map((path) => [path, content(`${path}\n`)])),
      'first',
    );
    expect(first.failure).toBeNull();
    expect(await other.fetch()).toBe(first.commit);
    expect(await contents(other, first.commit)).toEqual([odd, 'c'].map((path) => [path, `${path}\n`]));
    const changes = new Map([
      ['c', null],
      ['d', content('')],
    ]);
    const second = await other.push(first.commit, changes, 'second');
    expect(second.failure).toBeNull();
    for (const parent of [first.commit, null])
      expect((await one.push(parent, new Map([['e', content('e')]]), 'third')).failure).not.toBeNull();
    expect(await one.fetch()).toBe(second.commit);
    expect(await contents(one, second.commit)).toEqual([
      [odd, `${odd}\n`],
      ['d', ''],
    ]);
  }));

it('hands git no token of the service, and no word of its user and password on', () =>
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
      project: '.',
      projectFile: 'campaignctl.yaml',
      claims: async () => [],
      repositories: [],
      secrets: ['CAMPAIGNS_TOKEN'],
    };
    const branch = openBranch({ ...options, folder: join(folder, 'one.git'), remote });
    expect((await branch.push(null, new Map([['c', content('c')]]), 'first')).failure).toBeNull();
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
    for (const [at, remote] of remotes.entries()) {
      const away = openBranch({ ...options, folder: join(folder, `${at}.git`), remote });
      await expect(away.fetch(), remote).rejects.toMatchObject({
        code: 'state-unreachable',
        message: expect.not.stringMatching(/ada|pass|word@/),
      });
    }
  }));

it('a host that lets none push here refuses, which is more than no answer', () =>
  withFolder(async (folder) => {
    execFileSync('git', ['init', '-q', '--bare', join(folder, 'remote.git')]);
    const server = await startGitServer(folder, { readOnly: true });
    try {
      const own = {
        folder: join(folder, 'own.git'),
        project: '.',
        projectFile: 'campaignctl.yaml',
        claims: async () => [],
        repositories: [],
      };
      const options = { ...own, root: folder, environment: 'spring', secrets: [] };
      const branch = openBranch({ ...options, remote: `${server.url}/remote.git`, branch: 'state' });
      expect(await branch.fetch()).toBeNull();
      const { failure } = await branch.push(null, new Map([['c', content('c')]]), 'first');
      expect(failure).toMatchObject({
        code: 'state-refused',
        message: expect.stringContaining('refuses pushes to the branch state/spring'),
      });
      expect(failure?.message).toContain('The requested URL returned error: 403');
    } finally {
      await server.close();
    }
  }));

it('knows for certain which project it is, or says what to do', () =>
  withFolder(async (folder) => {
    const [top, acme] = [join(folder, 'top'), join(folder, 'top', 'clients', ' acme')];
    await mkdir(acme, { recursive: true });
    execFileSync('git', ['init', '-q', top]);
    const projectOf = (root: string, project: string | null = null) =>
      openBranch({
        ...{ root, folder: join(folder, 'own.git'), remote: 'origin', branch: 'state' },
        ...{
          environment: 'spring',
          project,
          projectFile: 'campaignctl.yaml',
          claims: async () => [],
          repositories: [],
          secrets: [],
        },
      })
        .project()
        .catch((error: { code: string; message: string }) => `${error.code}: ${error.message}`);
    expect(await projectOf(top)).toBe('');
    for (const named of [null, 'clients/ acme']) expect(await projectOf(acme, named)).toBe('clients/ acme');
    expect(await projectOf(top, 'mailings')).toBe('mailings');
    // The folder where it lay before; then that of another project.
    expect(await projectOf(acme, 'clients/globex')).toBe('clients/globex');
    await mkdir(join(top, 'clients', 'globex'));
    await writeFile(join(top, 'clients', 'globex', 'campaignctl.yaml'), '');
    expect(await projectOf(acme, 'clients/globex')).toMatch(/^state-project: .* lies in "clients\/ acme"/);
    expect(await projectOf(top, 'clients/globex')).toMatch(/^state-project: .* lies in "."/);
    // No repository, one of git itself, one of another user.
    expect(await projectOf(folder)).toMatch(/^state-project: .*not a git repository/);
    expect(await projectOf(join(top, '.git'))).toMatch(/^state-project: /);
    vi.stubEnv('GIT_TEST_ASSUME_DIFFERENT_OWNER', '1');
    expect(await projectOf(acme)).toMatch(/^state-project: .*dubious ownership/);
    expect(await projectOf(acme, 'clients/globex')).toBe('clients/globex');
    vi.unstubAllEnvs();
  }));

it('a full disk of this machine is not taken for a remote that cannot be read', () =>
  withFolder(async (folder) => {
    const [remote, bin] = [join(folder, 'remote.git'), join(folder, 'bin')];
    execFileSync('git', ['init', '-q', '--bare', remote]);
    await mkdir(bin);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const fetching = async (said: string) => {
      const text = `#!/bin/sh\ncase " $* " in *" fetch "*) echo "${said}" >&2; exit 1;; esac\nexec ${real} "$@"\n`;
      await writeFile(join(bin, 'git'), text, { mode: 0o755 });
      vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
      const branch = openBranch({
        ...{ root: folder, folder: join(folder, 'own.git'), remote, branch: 'state', environment: 'spring' },
        ...{
          project: '.',
          projectFile: 'campaignctl.yaml',
          claims: async () => [],
          repositories: [],
          secrets: [],
        },
      });
      return branch.fetch().finally(() => vi.unstubAllEnvs());
    };
    for (const said of [
      "error: cannot update ref 'refs/campaignctl/tip': couldn't write 'own.git/refs/campaignctl/tip.lock'",
      'fatal: write error: No space left on device',
    ])
      await expect(fetching(said)).rejects.toMatchObject({
        code: 'state-unusable',
        hint: 'Make room on the disk of this machine, and run again.',
      });
    await expect(fetching('remote: fatal: write error: No space left on device')).rejects.toMatchObject({
      code: 'state-unreachable',
    });
  }));

it('a project without a state beside the state of a folder that is gone may have been renamed', () =>
  withFolder(async (folder) => {
    const [top, remote] = [join(folder, 'top'), join(folder, 'remote.git')];
    execFileSync('git', ['init', '-q', '--bare', remote]);
    execFileSync('git', ['init', '-q', top]);
    const fetched = (path: string, { environment = 'spring', project = null as string | null } = {}) =>
      openBranch({
        ...{ root: join(top, path), folder: join(folder, 'own.git'), remote, branch: 'state' },
        ...{
          environment,
          project,
          projectFile: 'campaignctl.yaml',
          claims: async () => [],
          repositories: [],
          secrets: [],
        },
      });
    for (const path of ['clients/a.b+c', 'clients/globex', 'new one']) {
      await mkdir(join(top, path), { recursive: true });
      await writeFile(join(top, path, 'campaignctl.yaml'), '');
    }
    const acme = fetched('clients/a.b+c');
    expect(await acme.fetch()).toBeNull();
    await acme.push(null, new Map([['c', content('c')]]), 'first');
    // Beside one that is there, a project begins; beside one that is not, it says which it is.
    expect(await fetched('new one').fetch()).toBeNull();
    await rm(join(top, 'clients/a.b+c', 'campaignctl.yaml'));
    await expect(fetched('new one').fetch()).rejects.toMatchObject({
      code: 'state-project',
      message: expect.stringMatching(/in "new one", but for "clients\/a\.b\+c", where no project is/),
      hint: expect.stringContaining('state: { project: clients/a.b+c }'),
    });
    expect(await fetched('new one', { project: 'new one' }).fetch()).toBeNull();
    expect(await fetched('new one', { project: 'clients/a.b+c' }).fetch()).toMatch(/^[0-9a-f]{40}$/);
    expect(await fetched('new one', { environment: 'spring-2' }).fetch()).toBeNull();
  }));

it('a project may lie in a folder of any name', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const own = {
      folder: join(folder, 'own.git'),
      projectFile: 'campaignctl.yaml',
      claims: async () => [],
      repositories: [],
    };
    for (const project of [
      'clients/Nestlé',
      'clients/日本',
      'acme (old)',
      'acme.lock',
      'é.lock',
      'a..b',
      '.',
    ]) {
      const options = { ...own, root: folder, remote, branch: 'state', environment: 'v1.', secrets: [] };
      const branch = openBranch({ ...options, project });
      expect(await branch.fetch()).toBeNull();
      const { commit } = await branch.push(null, new Map([['c', content('c')]]), project);
      expect(await branch.fetch()).toBe(commit);
    }
  }));

it('commands that share its folder wait for each other, and cut off nothing that another asks about', () =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const open = (own = 'own.git') =>
      openBranch({
        ...{ root: folder, folder: join(folder, own), remote, branch: 'state', environment: 'spring' },
        ...{
          project: '.',
          projectFile: 'campaignctl.yaml',
          claims: async () => [],
          repositories: [],
          secrets: [],
        },
      });
    const writer = open('writer.git');
    const commits: string[] = [];
    for (const text of ['a', 'b', 'c', 'd']) {
      const changes = new Map([['file', content(text)]]);
      commits.push((await writer.push(commits.at(-1) ?? null, changes, text)).commit);
    }
    const [first = '', , , last = ''] = commits;

    // What a fetch that was killed leaves, or another one holds for a while.
    const lock = join(folder, 'own.git', 'shallow.lock');
    expect(await open().fetch()).toBe(last);
    await writeFile(lock, '');
    const waiting = open().fetch();
    setTimeout(() => rm(lock), 700);
    expect(await waiting).toBe(last);
    expect(await Promise.all(Array.from({ length: 4 }, () => open().fetch()))).toEqual(Array(4).fill(last));

    // Another command fetches right after each fetch of this one, and finds an older or shallower branch.
    const script = (after: string) =>
      `#!/bin/sh\n'${real}' "$@"; code=$?\ncase "$*" in *fetch*) ${after} >&2;; esac\nexit $code\n`;
    const bin = join(folder, 'bin');
    await mkdir(bin);
    const own = join(folder, 'own.git');
    const tip = 'refs/heads/state/spring:refs/campaignctl/tip';
    const within = async <T>(after: string, work: () => Promise<T>) => {
      await writeFile(join(bin, 'git'), script(after), { mode: 0o755 });
      vi.stubEnv('PATH', `${bin}:${process.env.PATH}`);
      return work().finally(() => vi.unstubAllEnvs());
    };
    const shallow = `'${real}' --git-dir '${own}' fetch -q --depth=1 '${remote}' '+${tip}'`;
    expect(await within(shallow, () => open().descends(last, first, 3))).toBe(true);
    expect(await within(shallow, () => open().descends(last, first, 2))).toBe(false);
    const older = `'${real}' --git-dir '${own}' update-ref refs/campaignctl/tip ${first}`;
    expect(await within(older, () => open().fetch())).toBe(last);
    expect(
      execFileSync('git', ['-C', own, 'for-each-ref', '--format=%(refname)'], { encoding: 'utf8' }),
    ).toBe('refs/campaignctl/tip\n');
  }));
