import { closeSync, openSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { EXIT, Failure } from '../model/failure.js';
import { isObject, type Json } from '../model/json.js';
import { isRunning, processMark } from './process.js';

/**
 * Who holds a lock. `at` in ISO 8601, UTC; `mark` tells the process from a later one of the same number, null where the
 * system shows nothing for that.
 */
export interface Holder {
  who: string;
  host: string;
  pid: number;
  mark: string | null;
  at: string;
}

/** A lock that is there. `alive` is null where it cannot be known, on another machine. */
export interface Held {
  holder: Holder;
  alive: boolean | null;
}

export interface LockOptions {
  /** Of the state of the environment; made if it is missing. */
  folder: string;
  who: string;
  /** Milliseconds to wait for a lock that is held; 0: do not wait. */
  timeout: number;
  /** Told once, when the waiting begins. */
  waiting(holder: Holder): void;
  signal: AbortSignal;
}

export interface Lock {
  /** Removes the lock if it still is this one. */
  release(): void;
}

const FILE = 'lock';
const GUARD = 'lock.takeover';
const POLL = 100;
/** A take-over lasts milliseconds: a guard older than this was left by a process that died in it. */
const GUARD_LIFE = 5_000;

/**
 * Takes the lock of an environment, waiting for one that is held by a living process and taking over that of a dead one.
 * Failure `locked` once the time is up, `interrupted` when the signal is aborted.
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { folder, who, timeout, waiting, signal } = options;
  const at = new Date().toISOString();
  const holder = { who, host: hostname(), pid: process.pid, mark: processMark(process.pid), at };
  const deadline = Date.now() + timeout;
  let told = false;
  for (;;) {
    const held = await place(folder, holder);
    if (held === null) return { release: () => removeLock(folder, holder) };
    if (held.alive === false) {
      if (takeOver(folder, held.holder)) continue;
    } else {
      if (Date.now() >= deadline) throw locked(held, timeout);
      if (!told) waiting(held.holder);
      told = true;
    }
    await wait(POLL * (1 + Math.random()), undefined, { signal }).catch(() => {
      throw interrupted();
    });
  }
}

/** The lock of an environment; null where there is none. Failure `lock-corrupt` for one that cannot be read. */
export function readLock(folder: string): Held | null {
  const file = join(folder, FILE);
  const text = readText(file);
  if (text === null) return null;
  const holder = decodeHolder(text);
  if (holder === null) throw corrupt(file);
  const { host, pid, mark } = holder;
  return { holder, alive: host === hostname() ? isRunning(pid, mark) : null };
}

/** Removes the lock if it still is this holder's; `null` removes one that cannot be read. */
export function removeLock(folder: string, holder: Holder | null): void {
  const file = join(folder, FILE);
  const text = readText(file);
  if (text === null) return;
  const found = decodeHolder(text);
  if (JSON.stringify(found) !== JSON.stringify(holder)) return;
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Puts the lock in its place, at once with its content; gives who holds it if somebody does. */
async function place(folder: string, holder: Holder): Promise<Held | null> {
  const held = readLock(folder);
  if (held !== null) return held;
  const file = join(folder, FILE);
  await makeFolder(folder).catch((error: unknown) => {
    throw unusable(folder, error);
  });
  try {
    await writeAtomic(file, `${JSON.stringify(holder)}\n`, { mode: 0o600, exclusive: true });
    return null;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw unusable(file, error);
    // Gone in between: whoever asks gets it in the next round.
    return readLock(folder) ?? { holder, alive: true };
  }
}

/**
 * Removes the lock of a dead process, and no other: two that see the same dead lock take turns by a guard, and under it
 * each looks again whose lock it is. False: somebody else is at it.
 */
function takeOver(folder: string, dead: Holder): boolean {
  const guard = join(folder, GUARD);
  try {
    closeSync(openSync(guard, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw unusable(guard, error);
    dropStale(guard);
    return false;
  }
  try {
    removeLock(folder, dead);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

function dropStale(guard: string): void {
  try {
    if (Date.now() - statSync(guard).mtimeMs > GUARD_LIFE) unlinkSync(guard);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw unusable(guard, error);
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw unusable(file, error);
  }
}

function decodeHolder(text: string): Holder | null {
  const value = parse(text);
  if (!isObject(value)) return null;
  const { who, host, pid, mark, at } = value;
  if (typeof who !== 'string' || typeof host !== 'string' || typeof at !== 'string') return null;
  if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null;
  if (mark !== null && typeof mark !== 'string') return null;
  return { who, host, pid, mark, at };
}

function parse(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return null;
  }
}

function locked({ holder, alive }: Held, timeout: number): Failure {
  const { who, host, pid, at } = holder;
  const waited = timeout === 0 ? '' : ` It was waited for ${timeout / 1000} s.`;
  return new Failure({
    code: 'locked',
    message: `Another apply is at work on this environment: ${who}, process ${pid} on ${host}, since ${at}.${waited} Nothing was sent.`,
    hint:
      alive === null
        ? `Wait for it, or wait longer with --lock-timeout. If you know that it died on ${host}, remove its lock with campaignctl unlock.`
        : 'Wait for it to end, or wait longer with --lock-timeout.',
  });
}

function interrupted(): Failure {
  const message = 'Interrupted while waiting for another apply. Nothing was sent.';
  return new Failure({ code: 'interrupted', message, hint: '' }, { exitCode: EXIT.interrupted });
}

function corrupt(file: string): Failure {
  return new Failure({
    code: 'lock-corrupt',
    message: `The lock ${file} cannot be read, so it is not known who holds it.`,
    hint: 'Make sure that no apply is running on this environment, then remove it with campaignctl unlock.',
  });
}

function unusable(path: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(
    {
      code: 'state-unusable',
      message: `The state at ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Check that the folder exists, is writable and has room.',
    },
    { cause: error },
  );
}
