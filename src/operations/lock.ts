import { randomBytes } from 'node:crypto';
import { hostname, userInfo } from 'node:os';
import { visibleLine } from '../model/characters.js';
import { serviceAddress } from '../model/environment.js';
import { EXIT, Failure } from '../model/failure.js';
import { emptyPlan } from '../model/outputs.js';
import type { RunHead } from '../model/state.js';
import type { OtherApply } from '../plan/input.js';
import type { Backend, Lease } from '../state/backend.js';
import type { Held } from '../state/lock.js';
import { type Checkout, readCheckout } from './checkout.js';
import type { ProjectPlace } from './place.js';
import { timeOf, version, type World } from './world.js';

/** `checkout`: `null` if git cannot say which commit is checked out. */
export function describeRun(
  world: Pick<World, 'env' | 'clock'>,
  { command, checkout }: { command: string; checkout: Checkout | null },
): Omit<RunHead, 'environment'> {
  const { env } = world;
  const at = timeOf(world);
  const run = `${at.slice(0, 23).replace(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
  const here = checkout && `${checkout.commit}${checkout.isClean ? '' : '+'}`;
  const named = env.GITHUB_SHA || env.CI_COMMIT_SHA || null;
  // A pipeline may check out another commit than the one for which it runs.
  const other = named !== null && checkout?.commit !== named && here !== null ? { checkout: here } : {};
  return { run, at, who: whoIs(env), command, commit: named ?? here, ...other, tool: version };
}

/** Records a run that sends nothing but changes the state. Needs the lock. */
export async function recordRun(place: ProjectPlace, command: string): Promise<void> {
  const { environment, store, world } = place;
  const head = describeRun(world, { command, checkout: await readCheckout(place) });
  const plan = emptyPlan(environment.name, serviceAddress(environment));
  const start = { ...head, environment: environment.name, plan, specs: {} };
  const journal = await store.begin(start, () => timeOf(world));
  await journal.end('done');
}

function whoIs(env: World['env']): string {
  return `${personOf(env)}@${hostname()}`;
}

/** The person for whom a pipeline runs, otherwise the user of this machine. */
export function personOf(env: World['env']): string {
  return env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || userName();
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

export interface LockWait {
  seconds: number;
  signal: AbortSignal;
}

/** `unkept`: returns the result if the state cannot be saved; without it, a Failure is thrown. */
export async function withLock<T>(
  { backend, environment, world, waits }: ProjectPlace,
  { seconds, signal }: LockWait,
  work: (lease: Lease) => Promise<T>,
  unkept?: (done: T, failure: Failure) => T,
): Promise<T> {
  let stopWaiting = () => {};
  const acquiring = backend.acquire({
    who: whoIs(world.env),
    timeout: 1000 * seconds,
    waiting(holder) {
      const wait = { kind: 'lock', environment: environment.name, holder: holderWords(holder) } as const;
      stopWaiting = waits.begin(wait, { most: 1000 * seconds });
    },
    signal,
  });
  const lease = await acquiring.finally(() => stopWaiting());
  const store = world.store?.(lease.store, environment.name) ?? lease.store;
  const done = await work({ ...lease, store }).catch(async (error: unknown) => {
    await lease.end().catch((second: unknown) => warnOfLock(second, world));
    throw error;
  });
  return lease.end().then(
    () => done,
    (error: unknown) => {
      const isUnkept = error instanceof Failure && error.exitCode === EXIT.incomplete;
      if (isUnkept && unkept !== undefined) return unkept(done, error);
      if (isUnkept) throw error;
      warnOfLock(error, world);
      return done;
    },
  );
}

function warnOfLock(error: unknown, world: World): void {
  if (!(error instanceof Failure)) throw error;
  world.err(`! The lock could not be removed. ${error.message} ${error.hint}\n`);
}

/** The lock's holder if it is another run that may be alive; otherwise `null`. */
export async function applyAtWork(
  backend: Pick<Backend, 'held'>,
  { clock }: Pick<World, 'clock'>,
): Promise<OtherApply | null> {
  const held = await backend.held();
  if (held === null || held.isOwn || held.alive === false) return null;
  const { holder, alive, lease } = held;
  const renewed = lease === null ? '' : `, lease of ${lease.seconds} s renewed at ${lease.renewed}`;
  // Clocks may differ, so the age of a lease is an estimate; an apply watches the branch instead.
  const isLeased = lease !== null && Math.abs(clock.now() - Date.parse(lease.renewed)) < 1000 * lease.seconds;
  return { holder: `${holderWords(holder)}${renewed}`, certain: alive === true || isLeased };
}

function holderWords({ who, pid, host, at }: Held['holder']): string {
  return visibleLine(`${who}, process ${pid} on ${host}, since ${at}`);
}
