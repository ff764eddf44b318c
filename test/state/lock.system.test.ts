import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { LockHolder } from '../../src/state/files.js';
import { acquireLock, forceUnlock, ownHolder, readLock } from '../../src/state/lock.js';
import { failureOf } from '../support/failure.js';
import { withFolder } from '../support/folder.js';

const never = new AbortController().signal;
const options = (folder: string, timeout = 0) => ({
  folder,
  who: 'ada',
  timeout,
  waiting: () => {},
  signal: never,
});

/** An unused process id: the one of a child that has exited. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await ended(child);
  return child.pid ?? 0;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('exit', resolve));
}

const LINUX = process.platform === 'linux';
/** The PID namespace in which process ids have the same meaning as here. */
const HERE = LINUX
  ? `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  : null;

const ID = '00000000-0000-4000-8000-000000000000';

function lockOf(folder: string, holder: Partial<LockHolder>): void {
  const place = { host: hostname(), pid: 1, space: HERE };
  const whole = { id: ID, who: 'bob', ...place, at: '2026-03-02T08:00:00.000Z', ...holder };
  mkdirSync(join(folder, 'lock'), { recursive: true });
  writeFileSync(join(folder, 'lock', `${whole.id}.json`), JSON.stringify(whole));
}

function unlock(folder: string): void {
  const held = readLock(folder);
  if (held !== null) forceUnlock(folder, held.holder);
}

/** Advances the clock that decides when locks are stale, in milliseconds. */
async function later<T>(ms: number, work: () => Promise<T>): Promise<T> {
  const { now } = performance;
  performance.now = () => now.call(performance) + ms;
  try {
    return await work();
  } finally {
    performance.now = now;
  }
}

describe('the lock of an environment', () => {
  it('is held by one run at a time, and free once released', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'locked', exitCode: 1 });
      expect(failure.message).toContain(`ada, process ${process.pid} on ${hostname()}`);
      lock.release();
      lock.release();
      expect(readLock(folder)).toBeNull();
      (await acquireLock(options(folder))).release();
      expect(readdirSync(folder)).toEqual([]);
    }));

  it('is awaited, which is reported once', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      const outcomes: number[] = [];
      const second = acquireLock({ ...options(folder, 60_000), waiting: ({ pid }) => outcomes.push(pid) });
      setTimeout(() => lock.release(), 350);
      (await second).release();
      expect(outcomes).toEqual([process.pid]);
    }));

  it('is awaited for the same time while the system clock is set forward and back', () =>
    withFolder(async (folder) => {
      const { now } = Date;
      let looks = 0;
      Date.now = () => now() + (looks++ % 2 === 0 ? 1 : -1) * 86_400_000;
      try {
        const lock = await acquireLock(options(folder));
        expect(await failureOf(acquireLock(options(folder, 300)))).toMatchObject({ code: 'locked' });
        const second = acquireLock(options(folder, 60_000));
        setTimeout(() => lock.release(), 350);
        (await second).release();
      } finally {
        Date.now = now;
      }
    }));

  it('is no longer awaited after an interrupt', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      const interrupt = new AbortController();
      const second = acquireLock({ ...options(folder, 60_000), signal: interrupt.signal });
      interrupt.abort();
      expect(await failureOf(second)).toMatchObject({ code: 'interrupted', exitCode: 130 });
      lock.release();
    }));

  it.runIf(LINUX)('of a process that has died is taken over', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: await deadPid() });
      expect(readLock(folder)?.alive).toBe(false);
      const lock = await acquireLock(options(folder));
      expect(readLock(folder)?.holder.pid).toBe(process.pid);
      lock.release();
      expect(readdirSync(folder)).toEqual([]);
    }),
  );

  // A container that was started again often has the same process ids, in a namespace of the same name.
  it.runIf(LINUX)('of an earlier process with the id of this process or of another one is taken over', () =>
    withFolder(async (folder) => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      const { started } = ownHolder('ada');
      for (const pid of [process.pid, child.pid ?? 0]) {
        lockOf(folder, { pid, started: Number(started) - 60_000 });
        expect(readLock(folder)?.alive).toBe(false);
        (await acquireLock(options(folder))).release();
      }
      child.kill('SIGKILL');
      await ended(child);
    }),
  );

  it.runIf(LINUX)('of a running process is kept, whether or not the lock records its start', () =>
    withActors(async (folder) => {
      const other = actor(folder, 'hold');
      await other.line(0);
      const state = join(folder, 'state');
      const { started = null, ...holder } = readLock(state)?.holder ?? ownHolder('nobody');
      expect(started).toBeGreaterThan(0);
      // A copy of the library in this process.
      const copy = { ...ownHolder('ada'), id: ID };
      unlock(state);
      for (const held of [holder, { ...holder, started }, copy]) {
        lockOf(state, held);
        expect(readLock(state)?.alive).toBe(true);
        expect(await failureOf(acquireLock(options(state)))).toMatchObject({ code: 'locked' });
        unlock(state);
      }
      other.child.kill('SIGKILL');
      await ended(other.child);
    }),
  );

  const elsewhere: [string, Partial<LockHolder>][] = [
    ['another machine', { host: 'another.example' }],
    [
      'another machine of the same name, or from before it was started again',
      { space: `another-boot ${HERE}` },
    ],
    ['another container of the same name', { space: HERE?.replace(/\d+/g, '1') ?? null }],
    ['a system that shows no boot and no namespace', { space: null }],
  ];
  it.each(elsewhere)('of %s is not taken over immediately, and can be removed by hand', (_, holder) =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: await deadPid(), ...holder });
      expect(readLock(folder)?.alive).toBeNull();
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'locked', exitCode: 1 });
      expect(failure.message).toContain('bob, process');
      expect(failure.hint).toContain('campaignctl unlock');
      unlock(folder);
      (await acquireLock(options(folder))).release();
    }),
  );

  it('that was not touched for a whole lease is taken over', () =>
    withFolder(async (folder) => {
      lockOf(folder, { host: 'another.example' });
      const waiting = acquireLock(options(folder, 600_000));
      setTimeout(() => void later(121_000, () => waiting), 300);
      const lock = await waiting;
      expect(readLock(folder)?.holder.pid).toBe(process.pid);
      lock.check();
      lock.release();
      expect(readdirSync(folder)).toEqual([]);
    }));

  it('that is touched is not taken over, however long it is held', () =>
    withFolder(async (folder) => {
      lockOf(folder, { host: 'another.example' });
      let touched = Date.now();
      const touch = setInterval(() => {
        touched += 1000;
        utimesSync(join(folder, 'lock', `${ID}.json`), new Date(touched), new Date(touched));
      }, 50);
      const { now } = performance;
      const began = now.call(performance);
      performance.now = () => began + 400 * (now.call(performance) - began);
      try {
        expect(await failureOf(acquireLock(options(folder, 400_000)))).toMatchObject({ code: 'locked' });
      } finally {
        performance.now = now;
        clearInterval(touch);
      }
    }));

  it('that was not touched for two thirds of the lease prevents sending', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      lock.check();
      await later(81_000, async () => expect(() => lock.check()).toThrow('lost its lease'));
      expect(() => lock.check()).toThrow('lost its lease');
      lock.release();
    }));

  it('that was removed prevents sending', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      unlock(folder);
      expect(() => lock.check()).toThrow(Failure);
      const next = await acquireLock(options(folder));
      lock.release();
      next.check();
      next.release();
    }));

  it('with unreadable content has an unknown holder, and can be removed', () =>
    withFolder(async (folder) => {
      lockOf(folder, {});
      writeFileSync(join(folder, 'lock', `${ID}.json`), '{"pid": 0}');
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'locked', exitCode: 1 });
      expect(failure.message).toContain('unknown');
      unlock(folder);
      expect(readLock(folder)).toBeNull();
    }));

  it('is taken by one run at a time', () =>
    withFolder(async (folder) => {
      const locks = await Promise.allSettled([1, 2, 3].map(() => acquireLock(options(folder))));
      expect(locks.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
      for (const lock of locks) if (lock.status === 'fulfilled') lock.value.release();
      expect(readdirSync(folder)).toEqual([]);
    }));

  it('is taken if an earlier one left an empty folder', () =>
    withFolder(async (folder) => {
      mkdirSync(join(folder, 'lock'));
      (await acquireLock(options(folder))).release();
      expect(readdirSync(folder)).toEqual([]);
    }));

  it('is removed only if the holder is still the same', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: 1, host: 'another.example' });
      const seen = readLock(folder)?.holder;
      if (seen !== undefined) forceUnlock(folder, seen);
      lockOf(folder, { pid: 2, host: 'another.example', id: ID.replace('4', '5') });
      if (seen !== undefined) forceUnlock(folder, seen);
      expect(readLock(folder)?.holder.pid).toBe(2);
    }));

  it('in a folder that cannot be written is an error', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'state'), 'a file');
      const failure = await failureOf(acquireLock(options(join(folder, 'state'))));
      expect(failure).toMatchObject({ code: 'state-unusable', exitCode: 1 });
    }));
});

const LOCK = fileURLToPath(new URL('../../src/state/lock.ts', import.meta.url));
const CHILD = `
import { appendFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { acquireLock } from './lock.mjs';
const [folder, rounds, dies] = process.argv.slice(2);
for (let round = 0; round < Number(rounds); round += 1) {
  const lock = await acquireLock({ folder, who: 'x', timeout: 60_000, waiting() {}, signal: new AbortController().signal });
  appendFileSync(folder + '/log', 'enter ' + process.pid + '\\n');
  await wait(Math.random() * 4);
  if (dies === 'yes' && round === Number(rounds) - 1) process.kill(process.pid, 'SIGKILL');
  appendFileSync(folder + '/log', 'leave ' + process.pid + '\\n');
  lock.release();
}
`;

/** The lock as a module, and a process that loads it. */
function bundle(folder: string, program: string): void {
  const files = { entryPoints: [LOCK], outfile: join(folder, 'lock.mjs'), bundle: true };
  buildSync({ ...files, platform: 'node', format: 'esm', logLevel: 'error' });
  writeFileSync(join(folder, 'actor.mjs'), program);
}

/** Real processes that compete for the same lock, starting with a stale one; some die while they hold it. */
async function struggle(folder: string, count: number, rounds: number): Promise<string[]> {
  bundle(folder, CHILD);
  const state = join(folder, 'state');
  mkdirSync(state);
  lockOf(state, { pid: await deadPid() });
  const children = Array.from({ length: count }, (_, index) => {
    const dies = index % 2 === 0 ? 'yes' : 'no';
    return spawn(process.execPath, [join(folder, 'actor.mjs'), state, String(rounds), dies]);
  });
  await Promise.all(children.map(ended));
  return readFileSync(join(state, 'log'), 'utf8').trim().split('\n');
}

describe('processes that compete for the lock', () => {
  it('get it one after another, also after one that died with it', { timeout: 60_000 }, () =>
    withFolder(async (folder) => {
      const [count, rounds] = [6, 8];
      const log = await struggle(folder, count, rounds);
      const dead = new Set<string>();
      let inside: string | null = null;
      for (const line of log) {
        const [what, pid = ''] = line.split(' ');
        // A process may take the lock while another holds it only if that one was killed.
        if (what === 'enter' && inside !== null) dead.add(inside);
        inside = what === 'enter' ? pid : null;
        if (what === 'leave') expect(dead.has(pid), pid).toBe(false);
      }
      expect(dead.size).toBeLessThanOrEqual(count / 2);
      expect(log.filter((line) => line.startsWith('enter'))).toHaveLength(count * rounds);
    }),
  );
});

const IN_NAMESPACE = ['--user', '--map-root-user', '--pid', '--fork', '--kill-child'];
const PROBE = LINUX
  ? spawnSync('unshare', [...IN_NAMESPACE, '--mount-proc', 'true'], { encoding: 'utf8' })
  : null;
const NAMESPACES = PROBE?.status === 0;
const WHY_NOT = NAMESPACES ? '' : ` (skipped: ${PROBE?.stderr?.trim() || 'there is no unshare'})`;

const ACTOR = `
import { acquireLock, readLock } from './lock.mjs';
const [folder, does] = process.argv.slice(2);
if (does === 'look') {
  console.log(JSON.stringify({ alive: readLock(folder).alive }));
  process.exit();
}
const timeout = does === 'wait' ? 200_000 : 0;
try {
  const lock = await acquireLock({ folder, who: 'x', timeout, waiting() {}, signal: new AbortController().signal });
  if (does === 'hold') setInterval(() => {}, 1000);
  process.on('SIGUSR2', () => {
    try {
      lock.check();
      console.log(JSON.stringify({ checked: true }));
    } catch ({ code }) {
      console.log(JSON.stringify({ code }));
    }
  });
  console.log(JSON.stringify({ pid: process.pid }));
} catch ({ code, hint }) {
  console.log(JSON.stringify({ code, hint }));
}
`;

const FASTER = new URL('../support/faster.js', import.meta.url).href;
/** A process whose clock goes a hundred times as fast. */
function actor(folder: string, does: string, wrap: readonly string[] = []) {
  const node = [process.execPath, '--import', FASTER, join(folder, 'actor.mjs'), join(folder, 'state'), does];
  const [program = '', ...args] = [...wrap, ...node];
  const env = { ...process.env, FASTER: '100', NOW: String(Date.now()), JUMP: '0' };
  const child = spawn(program, args, { env });
  let text = '';
  child.stdout.on('data', (more) => (text += more));
  const line = async (at: number): Promise<object> => {
    while (text.split('\n').length <= at + 1) {
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`it ended (${child.exitCode ?? child.signalCode}) and said ${text}`);
      await wait(20);
    }
    return JSON.parse(text.split('\n')[at] ?? '');
  };
  return { child, line };
}

async function withActors(work: (folder: string) => Promise<void>): Promise<void> {
  await withFolder(async (folder) => {
    bundle(folder, ACTOR);
    await work(folder);
  });
}

describe('a process that is suspended', () => {
  it(
    'keeps its lock after a short pause, and sends nothing once another one has it',
    { timeout: 60_000 },
    () =>
      withActors(async (folder) => {
        const first = actor(folder, 'hold');
        expect(await first.line(0)).toEqual({ pid: first.child.pid });
        const check = async (at: number) => {
          first.child.kill('SIGUSR2');
          return first.line(at);
        };
        expect(await check(1)).toEqual({ checked: true });
        // It was not taken over while it was held for longer than a lease.
        await wait(2_000);
        expect(await check(2)).toEqual({ checked: true });
        first.child.kill('SIGSTOP');
        const second = actor(folder, 'wait');
        expect(await second.line(0)).toEqual({ pid: second.child.pid });
        first.child.kill('SIGCONT');
        expect(await check(3)).toEqual({ code: 'lease-lost' });
        for (const { child } of [first, second]) child.kill('SIGKILL');
      }),
  );
});

/** Two containers with one folder: neither sees the processes of the other. */
describe.skipIf(!NAMESPACES)(`the lock of a process in another PID namespace${WHY_NOT}`, () => {
  const within = (folder: string, mount: string[], does: string) =>
    actor(folder, does, ['unshare', ...IN_NAMESPACE, ...mount]);

  // Without its own /proc, a process sees the process ids of the parent namespace, which belong to other processes.
  const mounts: [string, string[]][] = [
    ['with its own /proc', ['--mount-proc']],
    ['with the /proc of the machine', []],
  ];
  it.each(mounts)('is not taken over while it runs (%s)', (_, mount) =>
    withActors(async (folder) => {
      const state = join(folder, 'state');
      const first = within(folder, mount, 'hold');
      try {
        expect(await first.line(0)).toEqual({ pid: 1 });
        const second = await within(folder, mount, 'try').line(0);
        expect(second).toEqual({ code: 'locked', hint: expect.stringContaining('campaignctl unlock') });
        expect(await failureOf(acquireLock(options(state)))).toMatchObject({ code: 'locked' });
        expect(readLock(state)).toMatchObject({ alive: null, holder: { pid: 1 } });
      } finally {
        first.child.kill('SIGKILL');
        await ended(first.child);
      }
      // This system cannot tell whether a process there has ended.
      expect(readLock(state)?.alive).toBeNull();
    }),
  );

  it('is taken over once nothing has renewed it for the lease', { timeout: 60_000 }, () =>
    withActors(async (folder) => {
      const first = within(folder, ['--mount-proc'], 'hold');
      expect(await first.line(0)).toEqual({ pid: 1 });
      const second = within(folder, ['--mount-proc'], 'wait');
      first.child.kill('SIGKILL');
      const began = performance.now();
      expect(await second.line(0)).toEqual({ pid: 1 });
      expect(performance.now() - began).toBeGreaterThan(1_000);
      second.child.kill('SIGKILL');
    }),
  );

  it.each(mounts)(
    'is taken over by the next process in the same namespace once it has ended, %s',
    (_, mount) =>
      withActors(async (folder) => {
        const actor = `'${process.execPath}' '${folder}/actor.mjs' '${folder}/state'`;
        const holding = `${actor} hold >'${folder}/held' & while [ ! -s '${folder}/held' ]; do sleep 0.1; done`;
        const script = `${actor} try; ${actor} look; ${holding}; ${actor} look; ${actor} try`;
        const { stdout } = spawnSync('unshare', [...IN_NAMESPACE, ...mount, 'sh', '-c', script], {
          encoding: 'utf8',
        });
        const lines = stdout.trim().split('\n');
        expect(lines.map((line) => JSON.parse(line))).toEqual([
          { pid: expect.any(Number) },
          { alive: false },
          { alive: true },
          { code: 'locked', hint: expect.stringContaining('Run again') },
        ]);
      }),
  );
});
