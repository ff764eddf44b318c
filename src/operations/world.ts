import { setMaxListeners } from 'node:events';
import manifest from '../../package.json' with { type: 'json' };
import { EXIT, Failure, usage } from '../model/failure.js';
import type { ReportProgress } from '../model/progress.js';
import type { Clock } from '../service/index.js';
import type { Wire } from '../service/wire.js';
import type { Branch, BranchOptions } from '../state/git.js';
import type { Store } from '../state/store.js';

export { systemClock } from '../service/clock.js';

export interface World {
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970, from which plans forecast; may be fixed. */
  now(): number;
  /** The times of runs and of what the state records, and all waits. */
  clock: Clock;
  store?(files: Store, environment: string): Store;
  wire?: Wire;
  /** Default: with git. */
  openBranch?(options: BranchOptions): Branch;
  /** Receives warnings, notices of waits and --debug output, as complete lines. */
  err(text: string): void;
  /** Receives how far reading and sending are; absent if nobody watches. */
  report?: ReportProgress;
}

/** Before the first request, an interrupt ends the operation; afterwards, it only requests a stop. */
export interface Interrupt {
  signal: AbortSignal;
  /** Throws a Failure with exit code 130 once the signal is aborted. */
  guard<T>(work: Promise<T>): Promise<T>;
}

export function toInterrupt(signal: AbortSignal): Interrupt {
  setMaxListeners(0, signal);
  const stopped = new Promise<never>((_, reject) => {
    const stop = () =>
      reject(
        new Failure(
          { code: 'interrupted', message: 'Interrupted. Nothing was sent.', hint: '' },
          { exitCode: EXIT.interrupted },
        ),
      );
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
  // While no work runs, nothing else handles the rejection.
  stopped.catch(() => undefined);
  return { signal, guard: (work) => Promise.race([work, stopped]) };
}

/** In ISO 8601. */
export function timeOf({ clock }: Pick<World, 'clock'>): string {
  return new Date(clock.now()).toISOString();
}

export function askedEnvironment({ env }: { env: string | null }, world: Pick<World, 'env'>): string | null {
  const { CAMPAIGNCTL_ENV = null } = world.env;
  if (env === null && CAMPAIGNCTL_ENV === '')
    throw usage(
      'The variable CAMPAIGNCTL_ENV is empty.',
      'Its value probably comes from a different variable that is unset. Set CAMPAIGNCTL_ENV to an environment, or unset it to use the default environment.',
    );
  return env ?? CAMPAIGNCTL_ENV;
}

/** Node reads the variable from the environment of the process, so `env` is that one. */
export function warnOfTls(env: World['env'], err: World['err']): void {
  if (env.NODE_TLS_REJECT_UNAUTHORIZED !== '0') return;
  err(
    '! NODE_TLS_REJECT_UNAUTHORIZED=0 has no effect: campaignctl sends a token only to a service whose certificate it can verify. Unset it. To trust your own certificate authority, set NODE_EXTRA_CA_CERTS to its file.\n',
  );
}

/** The build inlines this value. */
export const { version } = manifest;
