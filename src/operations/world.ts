import { setMaxListeners } from 'node:events';
import { EXIT, Failure } from '../model/failure.js';

/** The machine as an operation sees it. The shell of the command line is one; `openProject` makes one for a program. */
export interface World {
  /** The folder that relative paths start from. */
  cwd: string;
  /** Tokens are read from here, and who runs this. */
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, for forecasts. */
  now(): number;
  /** Takes what is not a result: warnings, waits, requests under --debug. One line or several, each ended. */
  err(text: string): void;
}

/** Until the first request is sent, an interrupt ends an operation at once; from then on, it only asks it to stop. */
export interface Interrupt {
  signal: AbortSignal;
  /** The work, or a Failure with exit code 130 as soon as the signal is aborted. */
  guard<T>(work: Promise<T>): Promise<T>;
}

export function interruptOf(signal: AbortSignal): Interrupt {
  // Every request that waits listens to it; Node would warn of a leak from the eleventh on.
  setMaxListeners(0, signal);
  const stopped = new Promise<never>((_, reject) => {
    const failure = new Failure(
      { code: 'interrupted', message: 'Interrupted. Nothing was sent.', hint: '' },
      { exitCode: EXIT.interrupted },
    );
    const stop = () => reject(failure);
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // Without work to guard, the rejection has no listener.
  stopped.catch(() => undefined);
  return { signal, guard: (work) => Promise.race([work, stopped]) };
}

/** Waits milliseconds; ends early when the signal is aborted. */
export function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const wake = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', wake);
      resolve();
    };
    const timer = setTimeout(wake, milliseconds);
    signal.addEventListener('abort', wake);
  });
}
