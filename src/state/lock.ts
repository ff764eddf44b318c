import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { hasCode, makeFolder, writeAtomic } from '../files/atomic.js';
import { EXIT, Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import { missing, refused, stateUnusable } from './failure.js';
import type { LockHolder } from './files.generated.js';
import { isLockHolder } from './validators.generated.js';

/**
 * A lock that is held. `alive` is null if that cannot be known: see `isRunning`. `own`: by this process. `lease`: how it is held where
 * machines share it, `renewed` in ISO 8601 by the clock of its machine; null for a lock of this machine alone.
 */
export interface Held {
  holder: LockHolder;
  alive: boolean | null;
  own: boolean;
  lease: { seconds: number; renewed: string } | null;
}

export interface LockOptions {
  /** The state folder of the environment, created if it is missing. */
  folder: string;
  who: string;
  /** This process as the holder, if it holds more under the same id. */
  holder?: LockHolder;
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
/** Who may remove the lock of a dead process holds this file, which has the id of that lock: no other lock is meant by it. */
const guardOf = ({ id }: LockHolder) => `${FILE}.${id}.takeover`;
const GUARD = /^lock\..+\.takeover$/;
const POLL = 100;
/** A take-over, and the writing of a lock where there are no hard links, last milliseconds. What lasts longer has died in it. */
const MOST_POLLS = 20;

/** Ids of the locks that this process has placed. */
const own = new Set<string>();

/**
 * Takes the lock of an environment: waits while another process holds it, and takes over only that of a process that is
 * known to be dead. Failure `locked` once the time is up, `interrupted` when the signal is aborted.
 */
export async function acquireLock(options: LockOptions): Promise<Lock> {
  const { folder, who, timeout, waiting, signal, holder = ownHolder(who) } = options;
  const deadline = performance.now() + timeout;
  let told = false;
  for (let broken = 0; ; ) {
    const held = await place(folder, holder, broken >= MOST_POLLS);
    if (held === 'mine') return { release: () => removeLock(folder, holder) };
    if (held === 'incomplete') broken += 1;
    else if (held.alive === false) {
      if (takeOver(folder, held.holder)) continue;
      broken += 1;
      if (broken > MOST_POLLS) throw lockedFailure(held, timeout);
    } else {
      if (performance.now() >= deadline) throw lockedFailure(held, timeout);
      if (!told) waiting(held.holder);
      told = true;
    }
    await wait(POLL * (1 + Math.random()), undefined, { signal }).catch(interrupted);
  }
}

/** This process as the holder of a lock or lease of its own. */
export function ownHolder(who: string): LockHolder {
  const at = new Date().toISOString();
  const holder = { id: crypto.randomUUID(), who, host: hostname(), pid: process.pid, ...ownPlace(), at };
  own.add(holder.id);
  return holder;
}

/** For `catch`, while the lock of another apply is waited for. */
export function interrupted(): never {
  const message = 'Interrupted while waiting for another apply. Nothing was sent.';
  throw new Failure({ code: 'interrupted', message, hint: '' }, { exitCode: EXIT.interrupted });
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
  return heldBy(holder);
}

export function heldBy(holder: LockHolder, lease: Held['lease'] = null): Held {
  return { holder, alive: isRunning(holder), own: own.has(holder.id), lease };
}

/** Removes the lock if it is still this holder's; `null` removes one that cannot be read. */
function removeLock(folder: string, holder: LockHolder | null): void {
  const file = join(folder, FILE);
  const text = readText(file);
  if (text === null) return;
  if (decode(text, isLockHolder).value?.id !== holder?.id) return;
  try {
    rmSync(file, { force: true });
  } catch (error) {
    throw stateUnusable(file, error);
  }
}

/** The same on the word of a person, with what a take-over that died has left. */
export function forceUnlock(folder: string, holder: LockHolder | null): void {
  removeLock(folder, holder);
  for (const file of readdirSync(folder).filter((name) => GUARD.test(name)))
    rmSync(join(folder, file), { force: true });
}

/**
 * Creates the lock together with its content, or tells who holds it already. Where there are no hard links, its content comes a
 * moment later than the file: `incomplete`, or a Failure if `impatient`.
 */
async function place(
  folder: string,
  holder: LockHolder,
  impatient: boolean,
): Promise<Held | 'mine' | 'incomplete'> {
  const file = join(folder, FILE);
  try {
    const held = readLock(folder);
    if (held !== null) return held;
    await makeFolder(folder).catch(refused(folder));
    await writeAtomic(file, `${JSON.stringify(holder)}\n`, { mode: 0o600, exclusive: true }).catch(
      (error: unknown) => {
        if (!hasCode(error, 'EEXIST')) throw stateUnusable(file, error);
      },
    );
    const now = readLock(folder);
    if (now?.holder.id === holder.id) return 'mine';
    // Gone in between: the next round gets it.
    return now ?? 'incomplete';
  } catch (error) {
    const isCorrupt = error instanceof Failure && error.code === 'lock-corrupt';
    if (isCorrupt && !impatient) return 'incomplete';
    throw error;
  }
}

/**
 * Removes the lock of a dead process, and no other: of the processes that see the same dead lock one gets the guard, and it
 * checks again under it whose lock it is. False: another process holds the guard, or has died with it.
 */
function takeOver(folder: string, dead: LockHolder): boolean {
  const guard = join(folder, guardOf(dead));
  try {
    closeSync(openSync(guard, 'wx', 0o600));
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw stateUnusable(guard, error);
    return false;
  }
  try {
    removeLock(folder, dead);
    return true;
  } finally {
    rmSync(guard, { force: true });
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    return missing(file)(error);
  }
}

export function lockedFailure({ holder, alive, lease }: Held, timeout: number): Failure {
  const { who, host, pid, at } = holder;
  const waited = timeout === 0 ? '' : ` campaignctl waited ${timeout / 1000} s for it.`;
  const hint =
    lease !== null && alive !== true
      ? `It renewed its lease at ${lease.renewed}. If it has ended, run again with --lock-timeout ${lease.seconds + 30}: campaignctl takes over once it has seen no renewal for ${lease.seconds} s. If you know that it has ended, campaignctl unlock takes the lease away at once.`
      : HINTS[String(alive)];
  return new Failure({
    code: 'locked',
    message: `The state is locked by another apply: ${who}, process ${pid} on ${host}, since ${at}.${waited} Nothing was sent.`,
    hint: hint ?? '',
  });
}

const HINTS: { readonly [alive: string]: string } = {
  true: 'Wait for it to end, or wait longer with --lock-timeout.',
  null: 'This process cannot see whether that one still runs. Wait for it, or wait longer with --lock-timeout. If you know that it has ended, remove its lock with campaignctl unlock.',
  false:
    'It has ended, and so has the process that was about to take over its lock. Remove the lock with campaignctl unlock.',
};

/** What tells a process from every other one: null where the system does not show it. */
type ProcessPlace = Pick<LockHolder, 'space' | 'started'>;

function ownPlace(): ProcessPlace {
  return { space: ownSpace(), started: fieldsOf('self')?.[19] ?? null };
}

/** The boot of the machine, and the PID namespace in it: a process number means a process only there. */
export function ownSpace(): string | null {
  const boot = readOrNull('/proc/sys/kernel/random/boot_id');
  const namespace = linkOrNull('/proc/self/ns/pid');
  return boot === null || namespace === null ? null : `${boot.trim()} ${namespace}`;
}

/**
 * Whether the holder still runs. Null where that cannot be known: it has another host name, comes from another boot or PID namespace
 * (another container, another machine of the same name), or this system shows neither.
 */
function isRunning({ host, pid, space, started }: LockHolder): boolean | null {
  if (host !== hostname() || space === null || space !== ownSpace()) return null;
  try {
    process.kill(pid, 0);
  } catch (error) {
    // The process of another user is alive, too.
    if (!hasCode(error, 'EPERM')) return false;
  }
  // The numbers in /proc may be those of another namespace, and it may hide the processes of other users.
  const fields = linkOrNull('/proc/self') === String(process.pid) ? fieldsOf(pid) : null;
  if (fields === null || started === null) return null;
  // A process that has ended keeps its number until its parent asks for it; a later one may have it now.
  return fields[0] !== 'Z' && fields[19] === started;
}

/** The fields of /proc/<pid>/stat after the program's name, which stands in parentheses and may hold anything. */
function fieldsOf(pid: number | 'self'): string[] | null {
  const stat = readOrNull(`/proc/${pid}/stat`);
  return stat === null ? null : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
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
