import { execFileSync, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { CREATED_STATE, type RunStart, type StateEntry } from '../../src/model/state.js';
import { NO_WAITS, type Waits } from '../../src/model/waits.js';
import type { Backend } from '../../src/state/backend.js';
import { branchBackend } from '../../src/state/branch.js';
import { openBranch } from '../../src/state/git.js';
import { ownHolder } from '../../src/state/lock.js';
import { withFolder } from '../support/folder.js';
import { planOf } from '../support/plans.js';
import { openStore, stateUser } from '../support/state.js';
import { recordWaits } from '../support/waits.js';

const entry = (id: number, name: string): StateEntry => ({
  ...{ id, name, manifest: `${name}.yaml` },
  recorded: { ...CREATED_STATE, attached: { lists: [id], ids: [] } },
});

interface MachineOptions {
  seconds?: number;
  root?: string;
  environment?: string;
  id?: string | null;
  /** A different path to the remote. */
  path?: string;
  waits?: Waits;
}

interface Scene {
  remote: string;
  /** A run on a machine that keeps nothing between runs. */
  machine(name: string, options?: MachineOptions): Backend;
  git(...args: string[]): string;
  folder: string;
  /** Ids written to the project file. */
  saved: string[];
}

const ADDRESS = 'https://send.example.com';

const scene = (work: (at: Scene) => Promise<void>) =>
  withFolder(async (folder) => {
    const remote = join(folder, 'remote.git');
    execFileSync('git', ['init', '-q', '--bare', remote]);
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', remote, ...args], { encoding: 'utf8' }).trim();
    const saved: string[] = [];
    await work({
      ...{ folder, remote, git, saved },
      machine(
        name,
        {
          seconds = 30,
          root = folder,
          environment = 'production',
          id = 'shop',
          path = remote,
          waits = NO_WAITS,
        } = {},
      ) {
        return branchBackend({
          open: () => openBranch({ root, remote: path, branch: 'state', environment, secrets: [] }),
          folder: join(folder, name, 'state'),
          user: stateUser(ADDRESS, { environment, project: id }),
          seconds,
          waits,
          saveId: async (id) => void saved.push(id),
        });
      },
    });
  });

const asking = (timeout = 0) => ({
  who: 'ada',
  timeout,
  waiting: () => {},
  signal: new AbortController().signal,
});

it('one machine reads what another has written, and only one holds the lease', () =>
  scene(async ({ machine, git }) => {
    const [backend, other] = [machine('one'), machine('other')];
    expect([await other.held(), await other.store.readAll()]).toEqual([null, []]);
    const lease = await backend.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await expect(other.acquire(asking())).rejects.toMatchObject({ code: 'locked', message: /ada, process/ });
    await lease.end();
    const second = await other.acquire(asking());
    expect(await second.store.readAll()).toEqual([entry(12, 'Spring')]);
    await second.store.remove(12);
    await second.store.save(entry(13, 'Autumn'));
    second.check();
    await second.end();
    expect(await machine('one').store.readAll()).toEqual([entry(13, 'Autumn')]);
    expect(Number(git('rev-list', '--count', 'state/production'))).toBe(4);
  }));

it('the lease of a lost machine is taken over once the branch has not moved for the length of the lease', () =>
  scene(async ({ machine, folder, remote }) => {
    const path = join(folder, 'way.git');
    await symlink(remote, path);
    const lost = await machine('one', { seconds: 2, path }).acquire(asking());
    await lost.store.save(entry(12, 'Spring'));
    // It can no longer reach the remote, so it renews nothing.
    await rm(path);
    const other = machine('other');
    const lease = await other.acquire(asking(40_000));
    await lease.store.save(entry(13, 'Autumn'));
    lease.check();
    expect(() => lost.check()).toThrow(expect.objectContaining({ code: 'lease-lost' }));
    await lease.end();
    await expect(lost.end()).rejects.toMatchObject({ code: 'state-not-kept' });
    expect((await other.store.readAll()).map(({ id }) => id)).toEqual([13]);
    expect((await machine('third').store.readAll()).map(({ id }) => id)).toEqual([13]);
  }));

it('an edited branch is an error that says so', () =>
  scene(async ({ machine, git, folder, remote }) => {
    const backend = machine('one');
    for (const id of [12, 13]) {
      const lease = await backend.acquire(asking());
      await lease.store.save(entry(id, 'Spring'));
      await lease.end();
    }
    const [name, ref] = ['state/production', 'refs/heads/state/production'];
    const good = git('rev-parse', name);
    const again = async () => machine('one').store.readAll();

    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '-q', '-b', name, remote, clone]);
    await writeFile(join(clone, '12.json'), '{}');
    const who = ['-c', 'user.name=a', '-c', 'user.email=a@b'];
    execFileSync('git', ['-C', clone, ...who, 'commit', '-qam', 'By hand']);
    execFileSync('git', ['-C', clone, 'push', '-q', 'origin', name]);
    await expect(again()).rejects.toMatchObject({ code: 'state-edited' });
    await expect(backend.acquire(asking())).rejects.toMatchObject({ code: 'state-edited' });

    git('update-ref', ref, good);
    expect((await again()).map(({ id }) => id)).toEqual([12, 13]);
  }));

it('a SHA-256 repository can store the state', () =>
  scene(async ({ machine, folder, remote }) => {
    const top = join(folder, 'top');
    for (const args of [['--bare', remote], [top]]) {
      await rm(args.at(-1) ?? '', { recursive: true, force: true });
      execFileSync('git', ['init', '-q', '--object-format=sha256', ...args]);
    }
    for (const [name, id] of [
      ['one', 12],
      ['other', 13],
    ] as const) {
      const lease = await machine(name, { root: top }).acquire(asking());
      await lease.store.save(entry(id, 'Spring'));
      await lease.end();
    }
    const all = await machine('one', { root: top }).store.readAll();
    expect(all.map(({ id }) => id)).toEqual([12, 13]);
  }));

it('a local state is not mixed with that of the branch', () =>
  scene(async ({ machine, folder }) => {
    const backend = machine('one');
    const lease = await backend.acquire(asking());
    await lease.end();
    const other = machine('other');
    await openStore(join(folder, 'other', 'state'), ADDRESS).save(entry(12, 'Spring'));
    await expect(other.acquire(asking())).rejects.toMatchObject({ code: 'state-to-migrate' });
    await expect(other.store.readAll()).rejects.toMatchObject({ code: 'state-to-migrate' });
    expect(await readdir(join(folder, 'other', 'state'))).toContain('12.json');
  }));

const AT = '2026-10-05T09:00:00.000Z';
const START: RunStart = {
  ...{ run: 'run-0', environment: 'production', at: AT, who: 'ada', commit: null, tool: '1.0.0', specs: {} },
  plan: planOf([]),
};

it('a run whose pushes are too slow for its lease sends nothing', () =>
  scene(async ({ machine, remote }) => {
    await mkdir(join(remote, 'hooks'), { recursive: true });
    await writeFile(join(remote, 'hooks', 'pre-receive'), '#!/bin/sh\nsleep 1\n', { mode: 0o755 });
    const backend = machine('one', { seconds: 1 });
    const lease = await backend.acquire(asking());
    await expect(lease.store.begin(START, () => AT)).rejects.toMatchObject({
      code: 'lease-lost',
      exitCode: 1,
      message: expect.stringMatching(/Nothing was sent\.$/),
      hint: expect.stringContaining('state.lease'),
    });
    await lease.end();
    const runs = await backend.store.runs({ limit: 9, prefix: '' });
    expect(runs).toMatchObject([{ result: 'incomplete', pending: false, steps: [] }]);
  }));

it('each wait before the next attempt to push is announced, with the reason', () =>
  scene(async ({ machine, remote }) => {
    const { waits, of } = recordWaits();
    const lease = await machine('one', { waits }).acquire(asking());
    await mkdir(join(remote, 'hooks'), { recursive: true });
    const count = join(remote, 'count');
    const hook = `#!/bin/sh\necho x >> '${count}'\ntest $(wc -l < '${count}') -gt 2\n`;
    await writeFile(join(remote, 'hooks', 'pre-receive'), hook, { mode: 0o755 });
    await lease.store.begin(START, () => AT);
    await lease.end();
    const fault = expect.stringMatching(/^The git remote .* refuses pushes to the state branch/);
    expect(of('push')).toMatchObject([
      { wait: { fault }, length: { most: 250, isCertain: true } },
      { wait: { fault }, length: { most: 500, isCertain: true } },
    ]);
  }));

it('a push without a response is looked up on the remote', () =>
  scene(async ({ machine, remote, git }) => {
    const backend = machine('one');
    const hook = join(remote, 'hooks', 'post-receive');
    await mkdir(join(remote, 'hooks'), { recursive: true });
    await writeFile(hook, '#!/bin/sh\nkill -9 $PPID\n', { mode: 0o755 });
    const lease = await backend.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    expect((await machine('other').store.readAll()).map(({ id }) => id)).toEqual([12]);
    expect(git('rev-list', '--count', 'state/production')).toBe('2');
  }));

it('a branch that cannot be created is an error with the reason from git', () =>
  scene(async ({ machine, git }) => {
    const tree = git('hash-object', '-t', 'tree', '-w', '--stdin');
    const commit = git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', '-m', 'Other', tree);
    git('update-ref', 'refs/heads/state', commit);
    await expect(machine('one').acquire(asking())).rejects.toMatchObject({
      code: 'state-refused',
      message: expect.stringContaining('the state branch state/production'),
    });
  }));

it('a rewritten history is an error, even if it has the same length', () =>
  scene(async ({ machine, git }) => {
    const backend = machine('one');
    await (await backend.acquire(asking())).end();
    const ref = 'refs/heads/state/production';
    const tree = git('rev-parse', `${ref}^{tree}`);
    const commit = git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit-tree', '-m', 'Other', tree);
    git('update-ref', ref, commit);
    await expect(machine('one').store.readAll()).rejects.toMatchObject({ code: 'state-edited' });
  }));

it('an edited head and a foreign commit on top are errors', () =>
  scene(async ({ machine, git, folder, remote }) => {
    await (await machine('one').acquire(asking())).end();
    const name = 'state/production';
    const good = git('rev-parse', name);
    const clone = join(folder, 'clone');
    execFileSync('git', ['clone', '-q', '-b', name, remote, clone]);
    const head = JSON.parse(await readFile(join(clone, 'branch.json'), 'utf8'));
    for (const change of [{ lease: 7 }, { parent: null }, {}]) {
      await writeFile(join(clone, 'branch.json'), `${JSON.stringify({ ...head, ...change }, null, 2)}\n`);
      const commit = ['commit', '-qa', '--allow-empty', '-m', 'By hand'];
      execFileSync('git', ['-C', clone, '-c', 'user.name=a', '-c', 'user.email=a@b', ...commit]);
      execFileSync('git', ['-C', clone, 'push', '-q', '-f', 'origin', name]);
      await expect(machine('one').store.readAll()).rejects.toMatchObject({ code: 'state-edited' });
      git('update-ref', `refs/heads/${name}`, good);
      execFileSync('git', ['-C', clone, 'reset', '-q', '--hard', good]);
    }
  }));

it('a lease that is renewed while a person decides is not removed, and a local lock is not the lease', () =>
  scene(async ({ machine }) => {
    const [backend, other] = [machine('one', { seconds: 6 }), machine('other')];
    const lease = await backend.acquire(asking());
    const held = await other.held();
    while (isDeepStrictEqual(await machine('third').held(), held)) await sleep(200);
    await expect(held && other.unlock(held)).rejects.toMatchObject({ code: 'locked' });
    lease.check();
    await lease.end();
  }));

it('a person can remove a lease', () =>
  scene(async ({ machine }) => {
    const [backend, other] = [machine('one'), machine('other')];
    const lease = await backend.acquire(asking());
    const held = await other.held();
    expect(held?.holder.who).toBe('ada');
    if (held !== null) await other.unlock(held);
    await (await other.acquire(asking())).end();
    await expect(lease.end()).rejects.toMatchObject({ code: 'state-not-kept' });
  }));

it('the branch belongs to the project whose id the first apply creates', () =>
  scene(async ({ machine, git, saved }) => {
    const backend = machine('one', { id: null });
    await (await backend.acquire(asking())).end();
    expect(saved).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
    const [id = ''] = saved;
    expect(JSON.parse(git('show', 'state/production:branch.json'))).toMatchObject({ project: id });
    await (await machine('one', { id }).acquire(asking())).end();
    for (const [other, hint] of [
      ['globex', 'correct state.id in campaignctl.yaml'],
      [null, `write state: { id: ${id} }`],
    ] as const) {
      const refused = { code: 'state-of-other', hint: expect.stringContaining(hint) };
      await expect(machine('two', { id: other }).store.readAll()).rejects.toMatchObject(refused);
      await expect(machine('two', { id: other }).acquire(asking())).rejects.toMatchObject(refused);
    }
    expect(saved).toEqual([id]);
  }));

it('nothing is read from a branch with the name of another environment', () =>
  scene(async ({ machine, git }) => {
    await (await machine('one').acquire(asking())).end();
    git('update-ref', 'refs/heads/state/staging', 'refs/heads/state/production');
    const staging = machine('one', { environment: 'staging' });
    await expect(staging.store.readAll()).rejects.toMatchObject({
      code: 'state-of-other',
      message: expect.stringContaining('the environment production'),
    });
  }));

it('the branch keeps fifty runs, ten of them with their journals', () =>
  scene(async (at) => {
    const run = async (name: string) => {
      const lease = await at.machine('one').acquire(asking());
      await (await lease.store.begin({ ...START, run: name }, () => AT)).end('done');
      await lease.end();
    };
    await run('run-10');
    const closed = at.git('show', 'state/production:journal/run-10.jsonl').concat('\n');
    const more = Array.from({ length: 50 }, (_, index) => {
      const name = `run-${index + 11}`;
      return [`journal/${name}.jsonl`, Buffer.from(closed.replaceAll('run-10', name))] as const;
    });
    await commit(at, {}, more);
    await run('run-61');
    const names = at.git('ls-tree', '-r', '--name-only', 'state/production').split('\n');
    const journals = names.filter((name) => name.startsWith('journal/run-') && name.endsWith('.jsonl'));
    expect([journals.length, journals[0], journals.at(-1)]).toEqual([
      10,
      'journal/run-52.jsonl',
      'journal/run-61.jsonl',
    ]);
    const runs = await at.machine('two').store.runs({ limit: 99, prefix: '' });
    expect([runs.length, runs[0]?.run, runs.at(-1)?.run]).toEqual([50, 'run-61', 'run-12']);
  }));

it('the lease of a dead process on this machine is taken over immediately', () =>
  scene(async (at) => {
    await (await at.machine('one').acquire(asking())).end();
    const child = spawn(process.execPath, ['-e', '']);
    await new Promise((resolve) => child.on('exit', resolve));
    await commit(at, { holder: { ...ownHolder('ada'), pid: child.pid }, lease: 300 });
    await (await at.machine('two').acquire(asking())).end();
  }));

it.runIf(process.platform === 'linux')(
  'the lease of an earlier process with the id of this process is taken over immediately',
  () =>
    scene(async (at) => {
      await (await at.machine('one').acquire(asking())).end();
      const { started, ...holder } = ownHolder('ada');
      const id = '00000000-0000-4000-8000-000000000000';
      await commit(at, { holder: { ...holder, id, started: Number(started) - 1 }, lease: 300 });
      await (await at.machine('two').acquire(asking())).end();
    }),
);

/** Adds a commit as campaignctl does, with a head changed by `change`. */
async function commit(
  { folder, remote, git }: Scene,
  change: object,
  files: (readonly [string, Buffer])[] = [],
): Promise<void> {
  const branch = openBranch({
    root: folder,
    remote,
    branch: 'state',
    environment: 'production',
    secrets: [],
  });
  const parent = await branch.fetch();
  const head = JSON.parse(git('show', 'state/production:branch.json'));
  const text = Buffer.from(JSON.stringify({ ...head, parent, ...change }));
  await branch.push(parent, new Map([['branch.json', text], ...files]), 'By a machine');
  await branch.close();
}
