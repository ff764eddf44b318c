import { setMaxListeners } from 'node:events';
import { EXIT, Failure, usage } from '../model/failure.js';
import type { Clock, Wire } from '../service/index.js';
import type { Store } from '../state/index.js';

/** The machine as an operation sees it. The shell of the command line is one; `openProject` makes one for a program. */
export interface World {
  /** The folder that relative paths start from. */
  cwd: string;
  /** Tokens are read from here, and who runs this. */
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, for forecasts. */
  now(): number;
  /** Variables that hold tokens of other projects. Git does not get them. */
  tokens?: readonly string[];
  /** The clock of waits, retries and journals; default: that of the machine. */
  clock?: Clock;
  /** The store, made from the one in files; default: that one. */
  store?(files: Store, environment: string): Store;
  /** The transport of requests; default: HTTP. */
  wire?: Wire;
  /** The commit of a folder; left out: git is asked. */
  commit?(folder: string): Promise<string | null>;
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

/** The environment that is asked for: by name, or else by $CAMPAIGNCTL_ENV. */
export function askedEnvironment({ env }: { env: string | null }, world: Pick<World, 'env'>): string | null {
  const { CAMPAIGNCTL_ENV = null } = world.env;
  if (env === null && CAMPAIGNCTL_ENV === '')
    throw usage(
      'The variable CAMPAIGNCTL_ENV is set and empty: it names no environment.',
      'Most likely, another variable is not set. Name an environment, or unset it for the default one.',
    );
  return env ?? CAMPAIGNCTL_ENV;
}
