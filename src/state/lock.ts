import { closeSync, openSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { decode } from '../model/decode.js';
import { EXIT, Failure } from '../model/failure.js';
import { missing, refused, stateUnusable } from './failure.js';
import type { LockHolder } from './files.generated.js';
import { isLockHolder } from './validators.generated.js';

/** A lock that is held. `alive` is null if that cannot be known: the holder is on another machine. */
export interface Held {
  holder: LockHolder;
  alive: boolean | null;
}

export interface LockOptions {
  /** The state folder of the environment, created if it is missing. */
  folder: string;
  who: string;
  /** Milliseconds to wait for a lock that is held; 0: do not wait. */
  timeout: number;
  /** Called once, when the waiting begins. */
  waiting(holder: LockHolder): void;
  signal: AbortSignal;
}

export interface Lock {
  /** Removes the lock if it is still this one. */
  release(): void;
}

const FILE = 'lock';
const GUARD = 'lock.takeover';
const POLL = 100;
/** A take-over lasts milliseconds: a guard older than this was left by a process that died in it. */
const GUARD_LIFE = 5_000;

/**
 * Takes the lock of an environment: waits while a living process holds it, and takes over that of a dead one. Failure
 * `locked` once the time is up, `interrupted` when the signal is aborted.
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
      const message = 'Interrupted while waiting for another apply. Nothing was sent.';
      throw new Failure({ code: 'interrupted', message, hint: '' }, { exitCode: EXIT.interrupted });
    });
  }
}

/** The lock of an environment; null if there is none. Failure `lock-corrupt` for one that cannot be read. */
export function readLock(folder: string): Held | null {
  const file = join(folder, FILE);
  const text = readText(file);
  if (text === null) return null;
  const holder = decode(text, isLockHolder).value;
  if (holder === null)
    throw new Failure({
      code: 'lock-corrupt',
      message: `campaignctl cannot read the lock ${file}, so it does not know who holds it.`,
      hint: 'Make sure that no apply is running on this environment, then remove the lock with campaignctl unlock.',
    });
  const { host, pid, mark } = holder;
  return { holder, alive: host === hostname() ? isRunning(pid, mark) : null };
}

/** Removes the lock if it is still this holder's; `null` removes one that cannot be read. */
export function removeLock(folder: string, holder: LockHolder | null): void {
  const file = join(folder, FILE);
  const text = readText(file);
  if (text === null) return;
  const found = decode(text, isLockHolder).value;
  if (JSON.stringify(found) !== JSON.stringify(holder)) return;
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw stateUnusable(file, error);
  }
}

/** Creates the lock together with its content; null, or who holds it already. */
async function place(folder: string, holder: LockHolder): Promise<Held | null> {
  const held = readLock(folder);
  if (held !== null) return held;
  const file = join(folder, FILE);
  await makeFolder(folder).catch(refused(folder));
  try {
    await writeAtomic(file, `${JSON.stringify(holder)}\n`, { mode: 0o600, exclusive: true });
    return null;
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw stateUnusable(file, error);
    // Gone in between: the next round gets it.
    return readLock(folder) ?? { holder, alive: true };
  }
}

/**
 * Removes the lock of a dead process, and no other: processes that see the same dead lock take turns by a guard, and each
 * checks again under it whose lock it is. False: another process holds the guard.
 */
function takeOver(folder: string, dead: LockHolder): boolean {
  const guard = join(folder, GUARD);
  try {
    closeSync(openSync(guard, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw stateUnusable(guard, error);
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
    missing(guard)(error);
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return missing(file)(error);
  }
}

function locked({ holder, alive }: Held, timeout: number): Failure {
  const { who, host, pid, at } = holder;
  const waited = timeout === 0 ? '' : ` campaignctl waited ${timeout / 1000} s for it.`;
  return new Failure({
    code: 'locked',
    message: `The state is locked by another apply: ${who}, process ${pid} on ${host}, since ${at}.${waited} Nothing was sent.`,
    hint:
      alive === null
        ? `Wait for it, or wait longer with --lock-timeout. If you know that it died on ${host}, remove its lock with campaignctl unlock.`
        : 'Wait for it to end, or wait longer with --lock-timeout.',
  });
}

/** Tells a process from a later one with the same number: the boot, and when it started. Null if the system does not show it. */
function processMark(pid: number): string | null {
  const boot = readOrNull('/proc/sys/kernel/random/boot_id');
  const started = fieldsOf(pid)?.[19];
  return boot === null || started === undefined ? null : `${boot.trim()}:${started}`;
}

/** Whether the process that had this number and mark still runs on this machine. */
function isRunning(pid: number, mark: string | null): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user is alive, too.
    if (!hasCode(error, 'EPERM')) return false;
  }
  // A process that has ended keeps its number until its parent asks for it.
  if (fieldsOf(pid)?.[0] === 'Z') return false;
  const now = processMark(pid);
  return mark === null || now === null || now === mark;
}

/** The fields of /proc/<pid>/stat after the program's name, which stands in parentheses and may hold anything. */
function fieldsOf(pid: number): string[] | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function readOrNull(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
}
