import { Failure } from '../model/failure.js';
import { acquireLock, type Lock, type LockHolder } from '../state/index.js';
import { visibleLine } from '../view/index.js';
import { whoIs } from './run-head.js';
import type { Session } from './session.js';
import type { Shell } from './shell.js';

/** Does work while nobody else changes the state of the environment. `timeout`: milliseconds to wait for somebody who does. */
export async function withLock<T>(
  { folder, environment }: Session,
  { timeout, signal }: { timeout: number; signal: AbortSignal },
  shell: Shell,
  work: () => Promise<T>,
): Promise<T> {
  const lock = await acquireLock({
    folder,
    who: whoIs(shell.env),
    timeout,
    waiting: (holder) => shell.err(waitingFor(holder, environment.name, timeout)),
    signal,
  });
  try {
    return await work();
  } finally {
    release(lock, shell);
  }
}

/** What was done is done: a lock that cannot be removed is only said. */
function release(lock: Lock, shell: Shell): void {
  try {
    lock.release();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    shell.err(`! The lock could not be removed. ${error.message} ${error.hint}\n`);
  }
}

function waitingFor({ who, pid, host, at }: LockHolder, environment: string, timeout: number): string {
  const holder = visibleLine(`${who}, process ${pid} on ${host}, since ${at}`);
  return `Waiting up to ${timeout / 1000} s for another apply to ${environment} (${holder}).\n`;
}
