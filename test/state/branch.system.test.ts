import { spawn } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect, it } from 'vitest';
import { CREATED_STATE, type RunStart, type StateEntry } from '../../src/model/state.js';
import type { Backend } from '../../src/state/backend.js';
import { ownHolder } from '../../src/state/lock.js';
import {
  MACHINE_SERVICE,
  type MachineOptions,
  type MemoryRemote,
  machineOn,
  memoryRemote,
} from '../support/branch.js';
import { withFolder } from '../support/folder.js';
import { planOf } from '../support/plans.js';
import { openStore } from '../support/state.js';
import { recordWaits } from '../support/waits.js';

const entry = (id: number, name: string): StateEntry => ({
  ...{ id, name, manifest: `${name}.yaml` },
  recorded: { ...CREATED_STATE, attached: { lists: [id], ids: [] } },
});

const NAME = 'state/production';

interface Scene {
  remote: MemoryRemote;
  /** A run on a machine that keeps nothing between runs. */
  machine(name: string, options?: Partial<MachineOptions>): Backend;
  folder: string;
  /** Ids written to the project file. */
  saved: string[];
}

const scene = (work: (at: Scene) => Promise<void>) =>
  withFolder(async (folder) => {
    const remote = memoryRemote();
    const saved: string[] = [];
    const saveId = (id: string) => void saved.push(id);
    await work({
      ...{ folder, remote, saved },
      machine: (name, options) =>
        machineOn({ remote, folder: join(folder, name, 'state'), saveId, ...options }),
    });
  });

const asking = (timeout = 0) => ({
  who: 'ada',
  timeout,
  waiting: () => {},
  signal: new AbortController().signal,
});

it('one machine reads what another has written, and only one holds the lease', () =>
  scene(async ({ machine, remote }) => {
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
    expect(remote.subjects(NAME)).toHaveLength(4);
  }));

it('the lease of a lost machine is taken over once the branch has not moved for the length of the lease', () =>
  scene(async ({ machine, remote }) => {
    const path = remote.path();
    const lost = await machine('one', { seconds: 1, remote: path }).acquire(asking());
    await lost.store.save(entry(12, 'Spring'));
    // It can no longer reach the remote, so it renews nothing.
    path.cut();
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
  scene(async ({ machine, remote }) => {
    const backend = machine('one');
    for (const id of [12, 13]) {
      const lease = await backend.acquire(asking());
      await lease.store.save(entry(id, 'Spring'));
      await lease.end();
    }
    const good = remote.tip(NAME);
    const again = async () => machine('one').store.readAll();

    await edit(remote, { '12.json': '{}' });
    await expect(again()).rejects.toMatchObject({ code: 'state-edited' });
    await expect(backend.acquire(asking())).rejects.toMatchObject({ code: 'state-edited' });

    remote.move(NAME, good);
    expect((await again()).map(({ id }) => id)).toEqual([12, 13]);
  }));

it('a local state is not mixed with that of the branch', () =>
  scene(async ({ machine, folder }) => {
    const backend = machine('one');
    const lease = await backend.acquire(asking());
    await lease.end();
    const other = machine('other');
    await openStore(join(folder, 'other', 'state'), MACHINE_SERVICE).save(entry(12, 'Spring'));
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
    remote.answer(() => sleep(750, 'given'));
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
    remote.answer((nth) => (nth > 2 ? 'given' : 'refused'));
    await lease.store.begin(START, () => AT);
    await lease.end();
    const fault = expect.stringMatching(/^The git remote .* refuses pushes to the state branch/);
    expect(of('push')).toMatchObject([
      { wait: { fault }, length: { most: 250, isCertain: true } },
      { wait: { fault }, length: { most: 500, isCertain: true } },
    ]);
  }));

it('a push without a response is looked up on the remote', () =>
  scene(async ({ machine, remote }) => {
    const backend = machine('one');
    remote.answer('lost');
    const lease = await backend.acquire(asking());
    await lease.store.save(entry(12, 'Spring'));
    await lease.end();
    expect((await machine('other').store.readAll()).map(({ id }) => id)).toEqual([12]);
    expect(remote.subjects(NAME)).toHaveLength(2);
  }));

it('a rewritten history is an error, even if it has the same length', () =>
  scene(async ({ machine, remote }) => {
    await (await machine('one').acquire(asking())).end();
    const [texts, length] = [remote.texts(NAME), remote.subjects(NAME).length];
    for (const commits of [1, length]) {
      remote.move(NAME, null);
      for (let number = 1; number < commits; number += 1) await edit(remote, { x: '' });
      await edit(remote, { x: null, ...texts });
      expect([remote.texts(NAME), remote.subjects(NAME).length]).toEqual([texts, commits]);
      await expect(machine('one').store.readAll()).rejects.toMatchObject({ code: 'state-edited' });
    }
  }));

it('an edited head and a foreign commit on top are errors', () =>
  scene(async ({ machine, remote }) => {
    await (await machine('one').acquire(asking())).end();
    const good = remote.tip(NAME);
    const head = headOf(remote);
    for (const change of [{ lease: 7 }, { parent: null }, {}]) {
      await edit(remote, { 'branch.json': `${JSON.stringify({ ...head, ...change }, null, 2)}\n` });
      await expect(machine('one').store.readAll()).rejects.toMatchObject({ code: 'state-edited' });
      remote.move(NAME, good);
    }
    await expect(machine('one').store.readAll()).resolves.toEqual([]);
  }));

it('a lease that is renewed while a person decides is not removed, and a local lock is not the lease', () =>
  scene(async ({ machine }) => {
    const [backend, other] = [machine('one', { seconds: 3 }), machine('other')];
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
    await expect(lease.store.begin(START, () => AT)).rejects.toMatchObject({ code: 'lease-lost' });
    await expect(lease.end()).rejects.toMatchObject({ code: 'state-not-kept' });
  }));

it('the branch belongs to the project whose id the first apply creates', () =>
  scene(async ({ machine, remote, saved }) => {
    const backend = machine('one', { id: null });
    await (await backend.acquire(asking())).end();
    expect(saved).toEqual([expect.stringMatching(/^[0-9a-f]{12}$/)]);
    const [id = ''] = saved;
    expect(headOf(remote)).toMatchObject({ project: id });
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
  scene(async ({ machine, remote }) => {
    await (await machine('one').acquire(asking())).end();
    remote.move('state/staging', remote.tip(NAME));
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
    const closed = at.remote.texts(NAME)['journal/run-10.jsonl'] ?? '';
    const more = Array.from({ length: 50 }, (_, index) => {
      const name = `run-${index + 11}`;
      return [`journal/${name}.jsonl`, closed.replaceAll('run-10', name)] as const;
    });
    await commit(at, {}, Object.fromEntries(more));
    await run('run-61');
    const journals = Object.keys(at.remote.texts(NAME)).filter(
      (name) => name.startsWith('journal/run-') && name.endsWith('.jsonl'),
    );
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

const headOf = (remote: MemoryRemote) => JSON.parse(remote.texts(NAME)['branch.json'] ?? '');

/** Adds a commit as campaignctl does, with a head changed by `change`. */
async function commit({ remote }: Scene, change: object, files: Record<string, string> = {}): Promise<void> {
  const head = { ...headOf(remote), parent: remote.tip(NAME), ...change };
  await edit(remote, { 'branch.json': JSON.stringify(head), ...files });
}

/** Adds a commit by hand. */
async function edit(remote: MemoryRemote, files: Record<string, string | null>): Promise<void> {
  const branch = remote.open({ branch: 'state', environment: 'production' });
  const { failure } = await branch.push(await branch.fetch(), new Map(Object.entries(files)), 'By hand');
  expect(failure).toBeNull();
}
