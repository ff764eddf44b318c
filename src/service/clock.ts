import { setTimeout as wait } from 'node:timers/promises';

export interface Clock {
  /** Milliseconds since 1970; the clock may be adjusted. */
  now(): number;
  elapsed(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  random(): number;
  /** Runs the task later, unless the returned function is called before. Does not keep the process alive. */
  after(ms: number, task: () => void): () => void;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  sleep: (ms, signal) => wait(ms, undefined, { signal }).catch(() => undefined),
  after(ms, task) {
    const timer = setTimeout(task, ms).unref();
    return () => clearTimeout(timer);
  },
};
