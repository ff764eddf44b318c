import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSync } from 'esbuild';
import { describe, expect, it } from 'vitest';
import { Failure } from '../../src/model/failure.js';
import { acquireLock, readLock, removeLock } from '../../src/state/index.js';
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

/** A process number that nobody has: of a child that has ended. */
async function deadPid(): Promise<number> {
  const child = spawn(process.execPath, ['-e', '']);
  await ended(child);
  return child.pid ?? 0;
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve) => child.on('exit', resolve));
}

function lockOf(folder: string, holder: Partial<{ pid: number; host: string; mark: string | null }>): void {
  const whole = {
    who: 'bob',
    host: hostname(),
    pid: 1,
    mark: null,
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

  it('is not waited for any more after an interrupt', () =>
    withFolder(async (folder) => {
      const lock = await acquireLock(options(folder));
      const interrupt = new AbortController();
      const second = acquireLock({ ...options(folder, 60_000), signal: interrupt.signal });
      interrupt.abort();
      expect(await failureOf(second)).toMatchObject({ code: 'interrupted', exitCode: 130 });
      lock.release();
    }));

  it('of a process that has died is taken over', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: await deadPid() });
      expect(readLock(folder)?.alive).toBe(false);
      const lock = await acquireLock(options(folder));
      expect(readLock(folder)?.holder.pid).toBe(process.pid);
      lock.release();
    }));

  it('of a process whose number another one has now is taken over', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: process.pid, mark: 'another-boot:1' });
      if (process.platform === 'linux') (await acquireLock(options(folder))).release();
      else expect(readLock(folder)?.alive).toBe(true);
    }));

  it('of another machine is never taken over', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: await deadPid(), host: 'another.example' });
      expect(readLock(folder)?.alive).toBeNull();
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure.message).toContain('bob, process');
      expect(failure.hint).toContain('campaignctl unlock');
    }));

  it('that cannot be read is an error, and can be removed', () =>
    withFolder(async (folder) => {
      writeFileSync(join(folder, 'lock'), '{"pid": 0}');
      const failure = await failureOf(acquireLock(options(folder)));
      expect(failure).toMatchObject({ code: 'lock-corrupt', exitCode: 1 });
      expect(failure.message).toContain(join(folder, 'lock'));
      removeLock(folder, null);
      expect(readLock(folder)).toBeNull();
    }));

  it('is removed only from the one who was seen to hold it', () =>
    withFolder(async (folder) => {
      lockOf(folder, { pid: 1, host: 'another.example' });
      const seen = readLock(folder)?.holder ?? null;
      lockOf(folder, { pid: 2, host: 'another.example' });
      removeLock(folder, seen);
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

/** Real processes that want the same lock, from what is dead already on; some die while they hold it. */
async function struggle(folder: string, count: number, rounds: number): Promise<string[]> {
  buildSync({
    entryPoints: [LOCK],
    outfile: join(folder, 'lock.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'error',
  });
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
        // Whoever enters while another is inside may do so only if that one was killed inside.
        if (what === 'enter' && inside !== null) dead.add(inside);
        inside = what === 'enter' ? pid : null;
        if (what === 'leave') expect(dead.has(pid), `${pid} was alive when another entered`).toBe(false);
      }
      expect(dead.size).toBeLessThanOrEqual(count / 2);
      expect(log.filter((line) => line.startsWith('enter'))).toHaveLength(count * rounds);
    }),
  );
});
