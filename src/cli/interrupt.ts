import { setMaxListeners } from 'node:events';
import { EXIT, Failure } from '../model/failure.js';
import type { Shell } from './shell.js';

/**
 * Ctrl-C and SIGTERM for a command that writes. Until something is sent, the first one ends the command at once; from then
 * on it only asks to stop.
 */
export interface Interrupt {
  signal: AbortSignal;
  /** The work, or a Failure with exit code 130 as soon as somebody interrupts it. */
  guard<T>(work: Promise<T>): Promise<T>;
}

export function watchInterrupts(shell: Shell): Interrupt {
  const controller = new AbortController();
  const { signal } = controller;
  // Every request that waits listens to it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, signal);
  shell.onInterrupt(() => controller.abort());
  const stopped = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(interrupted()), { once: true });
  });
  // Nobody may be waiting for it.
  stopped.catch(() => undefined);
  return { signal, guard: (work) => Promise.race([work, stopped]) };
}

function interrupted(): Failure {
  return new Failure(
    { code: 'interrupted', message: 'Interrupted. Nothing was sent.', hint: '' },
    { exitCode: EXIT.interrupted },
  );
}
