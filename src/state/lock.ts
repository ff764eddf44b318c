import {
  closeSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, makeFolder, placeFolder, removeEmpty, takeOverFile } from '../files/atomic.js';
import { EXIT, Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import { stateUnusable, throwUnusable } from './failure.js';
import type { LockHolder } from './files.js';
import { isLockHolder } from './validators.generated.js';

/**
 * The lock is the folder `lock` with one file, named after its holder's id. Renaming a prepared folder takes the lock;
 * renaming the file takes it over. Both are atomic. The holder touches the file six times per lease. The lock is stale if
 * its holder's process is dead, or if the file has not been touched for the length of a lease, by the clock of the waiting
 * process. A holder that could not touch the file for two thirds of a lease sends nothing more.
 */
const LOCK = 'lock';
/** In milliseconds. */
const LEASE = 120_000;
const POLL = 100;
const HOLDER = /^([0-9a-f-]{36})\.json$/;

/**
 * `alive`: `null` if unknown. `isOwn`: this process holds the lock. `lease`: `null` if `alive` alone decides; `renewed` in
 * ISO 8601.
 */
export interface Held {
  holder: LockHolder;
  alive: boolean | null;
  isOwn: boolean;
  lease: { seconds: number; renewed: string } | null;
}

export interface LockOptions {
  /** Created if it is missing. */
  folder: string;
  who: string;
  /** In milliseconds; 0 means no waiting. */
  timeout: number;
  /** Called once, when waiting begins. */
  waiting(holder: LockHolder): void;
  signal: AbortSignal;
}

export interface Lock {
  check(): void;
  release(): void;
}

const ownIds = new Set<string>();

export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { folder, timeout, waiting, signal, who } = options;
  const holder = ownHolder(who);
  const deadline = performance.now() + timeout;
  let last = { touched: '', since: 0 };
  let isWaiting = false;
  await makeFolder(folder).catch(throwUnusable(folder));
  const file = { name: nameOf(holder), text: `${JSON.stringify(holder)}\n` };
  for (;;) {
    if (inLock(folder, (path) => placeFolder(path, file))) return hold(folder, holder);
    const held = readLock(folder);
    if (held !== null) {
      const now = performance.now();
      const touched = `${held.holder.id} ${touchedAt(folder, held.holder)}`;
      if (touched !== last.touched) last = { touched, since: now };
      const isStale = held.alive === false || now - last.since >= LEASE;
      const isMine = isStale && inLock(folder, (path) => takeOverFile(path, nameOf(held.holder), file));
      if (isMine) return hold(folder, holder);
      if (!isStale && now >= deadline) throw lockedFailure(held, timeout);
      if (!isStale && !isWaiting) waiting(held.holder);
      isWaiting ||= !isStale;
    }
    await wait(POLL * (held === null ? 0.1 : 1 + Math.random()), undefined, { signal }).catch(interrupted);
  }
}

export function ownHolder(who: string): LockHolder {
  const at = new Date().toISOString();
  const { pid } = process;
  const place = { host: hostname(), pid, space: ownSpace(), started: startOf(pid) };
  const holder = { id: crypto.randomUUID(), who, ...place, at };
  ownIds.add(holder.id);
  return holder;
}

export function interrupted(): never {
  const message = 'Interrupted while waiting for another apply. Nothing was sent.';
  throw new Failure({ code: 'interrupted', message, hint: '' }, { exitCode: EXIT.interrupted });
}

const nameOf = ({ id }: Pick<LockHolder, 'id'>) => `${id}.json`;
const fileOf = (folder: string, holder: Pick<LockHolder, 'id'>) => join(folder, LOCK, nameOf(holder));

/** `null` if there is no lock. The holder of an unreadable lock is unknown. */
export function readLock(folder: string): Held | null {
  const path = join(folder, LOCK);
  const names = readdirOrNull(path) ?? [];
  const id = names.flatMap((name) => HOLDER.exec(name)?.[1] ?? [])[0];
  if (id === undefined) return null;
  const file = fileOf(folder, { id });
  const known = decode(readOrNull(file) ?? '', isLockHolder).value;
  // Between renaming and writing, the file still names the previous holder.
  const holder = known?.id === id ? known : { ...UNKNOWN, id };
  const touched = touchedAt(folder, holder);
  if (touched === null) return null;
  const held = heldBy(holder, { seconds: LEASE / 1000, renewed: new Date(touched).toISOString() });
  return held.alive === null ? held : { ...held, lease: null };
}

const UNKNOWN = { who: 'unknown', host: 'unknown', pid: 1, space: null, at: 'unknown' };

export function heldBy(holder: LockHolder, lease: Held['lease']): Held {
  return { holder, alive: isRunning(holder), isOwn: ownIds.has(holder.id), lease };
}

/**
 * Milliseconds since 1970; `null` if the file is gone. Opening the file refreshes cached attributes on network file
 * systems.
 */
function touchedAt(folder: string, holder: LockHolder): number | null {
  try {
    const fd = openSync(fileOf(folder, holder), 'r');
    try {
      return fstatSync(fd).mtimeMs;
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw stateUnusable(join(folder, LOCK), error);
  }
}

function inLock<T>(folder: string, work: (path: string) => T): T {
  const path = join(folder, LOCK);
  try {
    return work(path);
  } catch (error) {
    throw stateUnusable(path, error);
  }
}

function hold(folder: string, holder: LockHolder): Lock {
  const file = fileOf(folder, holder);
  let touched = performance.now();
  let isLost = false;
  let timer: NodeJS.Timeout | null = null;
  const touch = () => {
    const now = performance.now();
    const at = new Date();
    try {
      isLost ||= now - touched > (2 / 3) * LEASE;
      if (isLost) return;
      utimesSync(file, at, at);
      touched = now;
    } catch (error) {
      isLost = hasCode(error, 'ENOENT');
    }
    next();
  };
  const next = () => {
    timer = setTimeout(touch, LEASE / 6).unref();
  };
  next();
  return {
    check() {
      isLost ||= performance.now() - touched > (2 / 3) * LEASE || touchedAt(folder, holder) === null;
      if (isLost) throw leaseLost();
    },
    release() {
      if (timer !== null) clearTimeout(timer);
      forceUnlock(folder, holder);
    },
  };
}

export function forceUnlock(folder: string, holder: LockHolder): void {
  inLock(folder, (path) => {
    rmSync(fileOf(folder, holder), { force: true });
    removeEmpty(path);
  });
}

export function leaseLost(): Failure {
  return new Failure(
    {
      code: 'lease-lost',
      message:
        'This run lost its lease on the state, so another run may have taken over. This run sends nothing more.',
      hint: 'Run apply again: it first reads back what was sent. If pushes are slow, increase state.lease in the project file.',
    },
    { exitCode: EXIT.incomplete },
  );
}

export function lockedFailure({ holder, alive, lease }: Held, timeout: number): Failure {
  const { who, host, pid, at } = holder;
  const waited = timeout === 0 ? '' : ` campaignctl waited ${timeout / 1000} s for the lock.`;
  const hint =
    lease !== null && alive === null
      ? `That apply last renewed its lease at ${lease.renewed}. If it may have ended, run again with --lock-timeout ${lease.seconds + 30}: campaignctl takes over after ${lease.seconds} s without renewal. If you know that it has ended, run campaignctl unlock.`
      : 'Run again once that apply has ended, or wait longer for it with --lock-timeout.';
  return new Failure({
    code: 'locked',
    message: `The state is locked by another apply: ${who}, process ${pid} on ${host}, since ${at}.${waited} Nothing was sent.`,
    hint,
  });
}

export function ownSpace(): string | null {
  const boot = readOrNull('/proc/sys/kernel/random/boot_id');
  const namespace = linkOrNull('/proc/self/ns/pid');
  return boot === null || namespace === null ? null : `${boot.trim()} ${namespace}`;
}

/** `null` if unknown, because the host, boot or PID namespace is different. */
function isRunning({ host, pid, space, started = null }: LockHolder): boolean | null {
  if (host !== hostname() || space === null || space !== ownSpace()) return null;
  // A later process may have the same id: a restarted container uses the same few ids, often in a namespace of the same
  // name.
  const now = startOf(pid);
  if (started !== null && now !== null && now !== started) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process is alive, but belongs to a different user.
    return hasCode(error, 'EPERM');
  }
}

/** Start of a running process in clock ticks since boot; `null` if the system does not show it. */
function startOf(pid: number): number | null {
  // `/proc` may show the ids of a different namespace, but `self` is always this process.
  const isOwn = pid === process.pid;
  if (!isOwn && linkOrNull('/proc/self') !== String(process.pid)) return null;
  const stat = readOrNull(`/proc/${isOwn ? 'self' : pid}/stat`);
  // The name of the program, in parentheses, may contain spaces and parentheses. The start is the 22nd field.
  const start = Number(stat?.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  return Number.isSafeInteger(start) ? start : null;
}

function readdirOrNull(path: string): string[] | null {
  try {
    return readdirSync(path);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return null;
    throw stateUnusable(path, error);
  }
}

function readOrNull(file: string): string | null {
  return orNull(() => readFileSync(file, 'utf8'));
}

function linkOrNull(file: string): string | null {
  return orNull(() => readlinkSync(file));
}

function orNull<T>(read: () => T): T | null {
  try {
    return read();
  } catch {
    return null;
  }
}
