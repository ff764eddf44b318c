/** How long `pause` waits for what it reads: it limits each wait itself, and announces the wait in its own words. */
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type { PausePhase, Wait, Waits } from '../model/waits.js';

/** Milliseconds after which a read counts as failed. */
export const READ_WITHIN = 5_000;

/**
 * Resolves with `instead` after `milliseconds`; never rejects with a Failure. The timer is a real one, because it limits real
 * work, such as that of git, and because no wait may keep a pause from being sent.
 */
export async function within<T>(
  work: Promise<T>,
  milliseconds: number,
  instead: (reason: string) => T,
): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(instead('it took too long')), milliseconds);
  });
  const done = work.catch((error: unknown) => {
    if (error instanceof Failure) return instead(reasonOf(error));
    throw error;
  });
  return Promise.race([done, late]).finally(() => clearTimeout(timer));
}

/** The message of an error about the state: a pause may have been sent all the same. */
export function reasonOf({ message }: Failure): string {
  return message.replace(/ Nothing was sent\.$/, '');
}

export function pauseWait({ name }: Environment, phase: PausePhase): Wait {
  return { kind: 'pause', phase, environment: name };
}

/** Leaves out the waits of reads, which `pause` limits and announces, and those in the background. */
export function waitsOfPause(waits: Waits): Waits {
  const isBackground = (wait: Wait) =>
    wait.kind === 'git' ||
    wait.kind === 'push' ||
    wait.kind === 'checkout' ||
    ((wait.kind === 'answer' || wait.kind === 'retry') && wait.request.startsWith('GET '));
  return { begin: (wait, length) => (isBackground(wait) ? () => {} : waits.begin(wait, length)) };
}
