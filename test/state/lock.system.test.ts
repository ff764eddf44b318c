import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdirSync, promises, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import type { LockHolder } from '../../src/state/index.js';
import { acquireLock, forceUnlock, readLock } from '../../src/state/lock.js';
import { withFolder } from '../support/folder.js';

const never = new AbortController().signal;
const options = (folder: string, timeout = 0) => ({
  folder,
  who: 'ada',
  timeout,
  waiting: () => {},
  signal: never,
});

async function failureOf(action: Promise<unknown>): Promise<Failure> {
  const error = await action.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (error instanceof Failure) return error;
  throw new Error(`a Failure was expected, not ${String(error)}`);
}

/** A process number that is free: of a child that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await ended(child);
  return child.pid ?? 0;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('exit', resolve));
}

const LINUX = process.platform === 'linux';
/** Where a number means the same process as here. */
const HERE = LINUX
  ? `${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()} ${readlinkSync('/proc/self/ns/pid')}`
  : null;

const ID = '00000000-0000-4000-8000-000000000000';

function lockOf(folder: string, holder: Partial<LockHolder>): void {
  const whole = {
    id: ID,
    who: 'bob',
    host: hostname(),
    pid: 1,
    space: HERE,
    started: '1',
    at: '2026-03-02T08:00:00.000Z',
    ...holder,
  };
  writeFileSync(join(folder, 'lock'), JSON.stringify(whole));
}

describe('the lock of an environment', () => {
  it('is held by one at a time, and free when it is released', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'locked', exitCode: 1 });
      expect(failure.message).toContain(`ada, process ${process.pid} on ${hostname()}, since`);
      lock.release();
      lock.release();
      expect(readLock(folder)).toBeNull();
      (await acquireLock(options(folder))).release();
      expect(readdirSync(folder)).toEqual([]);
    }));

  it('is waited for, and that is said once', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      const told: number[] = [];
      const second = acquireLock({ ...options(folder, 60_000), waiting: ({ pid }) => told.push(pid) });
      setTimeout(() => lock.release(), 350);
      (await second).release();
      expect(told).toEqual([process.pid]);
    }));

  it('is waited for no longer and no shorter while the clock of the machine is set forward and back', () =>
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

  it('is not waited for any more after an interrupt', () =>
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

  it.runIf(LINUX)('of a process whose number another one has now is taken over', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: process.pid });
      (await acquireLock(options(folder))).release();
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
  it.each(elsewhere)('of %s is never taken over, only removed by hand', (_, holder) =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: await deadPid(), ...holder });
      expect(readLock(folder)?.alive).toBeNull();
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'locked', exitCode: 1 });
      expect(failure.message).toContain('bob, process');
      expect(failure.hint).toContain('campaignctl unlock');
      forceUnlock(folder, readLock(folder)?.holder ?? null);
      (await acquireLock(options(folder))).release();
    }),
  );

  it.runIf(LINUX)('is not taken over while another process may be at it, however long that takes', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: await deadPid() });
      writeFileSync(join(folder, `lock.${ID}.takeover`), '');
      await promises.utimes(join(folder, `lock.${ID}.takeover`), 1, 1);
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'locked', hint: expect.stringContaining('campaignctl unlock') });
      forceUnlock(folder, readLock(folder)?.holder ?? null);
      expect(readdirSync(folder)).toEqual([]);
    }),
  );

  it.each(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'EACCES', 'UNKNOWN'])(
    'is taken by one at a time on a disk that refuses hard links with %s',
    (code) =>
      withFolder(async (folder) => {
        const { link } = promises;
        promises.link = () => Promise.reject(Object.assign(new Error(code), { code }));
        try {
          const locks = await Promise.allSettled([1, 2, 3].map(() => acquireLock(options(folder))));
          expect(locks.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected', 'rejected']);
          for (const lock of locks)
            if (lock.status === 'fulfilled') lock.value.release();
            else expect(lock.reason).toMatchObject({ code: 'locked' });
          expect(readdirSync(folder)).toEqual([]);
        } finally {
          promises.link = link;
        }
      }),
  );

  it('that is being written is waited for', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'lock'), '');
      setTimeout(() => lockOf(folder, { host: 'another.example' }), 150);
      expect(await failureOf(acquireLock(options(folder)))).toMatchObject({ code: 'locked' });
    }));

  it('that cannot be read is an error, and can be removed', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'lock'), '{"pid": 0}');
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'lock-corrupt', exitCode: 1 });
      expect(failure.message).toContain(join(folder, 'lock'));
      forceUnlock(folder, null);
      expect(readLock(folder)).toBeNull();
    }));

  it('is removed only from the one who was seen to hold it', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: 1, host: 'another.example' });
      const seen = readLock(folder)?.holder ?? null;
      lockOf(folder, { pid: 2, host: 'another.example', id: ID.replace('4', '5') });
      forceUnlock(folder, seen);
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

/** The lock as a module that a process can load. */
function bundle(folder: string): void {
  buildSync({
    entryPoints: [LOCK],
    outfile: join(folder, 'lock.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
}

/** Real processes that want the same lock, from what is dead already on; some die while they hold it. */
async function struggle(folder: string, count: number, rounds: number): Promise<string[]> {
  bundle(folder);
  writeFileSync(join(folder, 'child.mjs'), CHILD);
  const state = join(folder, 'state');
  mkdirSync(state);
  lockOf(state, { pid: await deadPid() });
  const children = Array.from({ length: count }, (_, index) =>
    spawn(process.execPath, [
      join(folder, 'child.mjs'),
      state,
      String(rounds),
      index % 2 === 0 ? 'yes' : 'no',
    ]),
  );
  await Promise.all(children.map(ended));
  return readFileSync(join(state, 'log'), 'utf8').trim().split('\n');
}

describe('processes that want the lock at the same time', () => {
  it('get it one after the other, also after one that died with it', { timeout: 60_000 }, () =>
    withFolder(async (folder) => {
      const [count, rounds] = [6, 8];
      const log = await struggle(folder, count, rounds);
      const dead = new Set<string>();
      let inside: string | null = null;
      for (const line of log) {
        const [what, pid = ''] = line.split(' ');
        // A process may enter while another is inside only if that one was killed inside.
        if (what === 'enter' && inside !== null) dead.add(inside);
        inside = what === 'enter' ? pid : null;
        if (what === 'leave') expect(dead.has(pid), `${pid} was alive when another entered`).toBe(false);
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
try {
  await acquireLock({ folder, who: 'x', timeout: 0, waiting() {}, signal: new AbortController().signal });
  console.log(JSON.stringify({ pid: process.pid }));
  if (does === 'hold') setInterval(() => {}, 1000);
} catch ({ code, hint }) {
  console.log(JSON.stringify({ code, hint }));
}
`;

/** Two containers with one folder: neither sees the processes of the other. */
describe.skipIf(!NAMESPACES)(`the lock of a process in another PID namespace${WHY_NOT}`, () => {
  /** A process in a namespace of its own, and what it says. */
  const within = (folder: string, mount: string[], does: string) => {
    const child = spawn('unshare', [
      ...IN_NAMESPACE,
      ...mount,
      ...[process.execPath, join(folder, 'actor.mjs'), join(folder, 'state'), does],
    ]);
    const said = new Promise<object>((resolve, reject) => {
      let text = '';
      child.stdout.on('data', (more) => {
        text += more;
        if (text.endsWith('\n')) resolve(JSON.parse(text));
      });
      child.on('exit', (code) => reject(new Error(`it ended with ${code} and said ${text}`)));
    });
    return { child, said };
  };

  // Without its own /proc, a process sees the numbers of the namespace above, where they mean others.
  it.each([
    ['with its own /proc', ['--mount-proc']],
    ['with the /proc of the machine', []],
  ])('is never taken over while it runs (%s)', (_, mount) =>
    withFolder(async (folder) => {
      bundle(folder);
      writeFileSync(join(folder, 'actor.mjs'), ACTOR);
      const state = join(folder, 'state');
      const first = within(folder, mount, 'hold');
      try {
        expect(await first.said).toEqual({ pid: 1 });
        const second = await within(folder, mount, 'try').said;
        expect(second).toEqual({ code: 'locked', hint: expect.stringContaining('campaignctl unlock') });
        expect(await failureOf(acquireLock(options(state)))).toMatchObject({ code: 'locked' });
        expect(readLock(state)).toMatchObject({ alive: null, holder: { pid: 1 } });
      } finally {
        first.child.kill('SIGKILL');
        await ended(first.child);
      }
      // This system cannot tell what has ended there either.
      expect(readLock(state)?.alive).toBeNull();
    }),
  );

  it.each([
    ['its own /proc', ['--mount-proc'], true, 'Wait for it to end'],
    ['the /proc of the machine', [], null, 'campaignctl unlock'],
  ])(
    'is taken over by the next one in the same namespace once it has ended, with %s',
    (_, mount, alive, hint) =>
      withFolder(async (folder) => {
        bundle(folder);
        writeFileSync(join(folder, 'actor.mjs'), ACTOR);
        const actor = `'${process.execPath}' '${folder}/actor.mjs' '${folder}/state'`;
        const holding = `${actor} hold >'${folder}/held' & while [ ! -s '${folder}/held' ]; do sleep 0.1; done`;
        const script = `${actor} try; ${actor} look; ${holding}; ${actor} look; ${actor} try`;
        const { stdout } = spawnSync('unshare', [...IN_NAMESPACE, ...mount, 'sh', '-c', script], {
          encoding: 'utf8',
        });
        const said = stdout.trim().split('\n');
        expect(said.map((line) => JSON.parse(line))).toEqual([
          { pid: expect.any(Number) },
          { alive: false },
          { alive },
          { code: 'locked', hint: expect.stringContaining(hint) },
        ]);
      }),
  );
});
