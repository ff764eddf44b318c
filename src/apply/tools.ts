import { Failure } from '../model/failure.js';
import type { ApplyEvent } from '../model/outputs.js';
import type { Reader, Writer } from '../service/index.js';
import type { Store } from '../state/index.js';

/** What an apply needs of the world. `sleep` waits milliseconds; `now` is a clock in milliseconds since 1970, `elapsed` one that only grows. */
export interface ApplyTools {
  service: Reader & Writer;
  store: Store;
  parallelism: number;
  now(): number;
  elapsed(): number;
  sleep(milliseconds: number): Promise<void>;
  emit(event: ApplyEvent): void;
  /** True once the user asked to stop: the request in flight is finished, and nothing more is sent. */
  stopping(): boolean;
  /** The list of campaigns shows statuses: it is read where a record shows none. */
  listsStatus?: boolean;
  /** Aborted at the same moment: a write that still waits for its turn is not sent any more. */
  stop: AbortSignal;
}

/** What a look at the service needs. */
export type LookTools = Pick<ApplyTools, 'elapsed' | 'sleep' | 'stopping' | 'listsStatus'> & {
  service: Pick<Reader, 'read' | 'campaigns'>;
};

/** A Failure as a value; any other error is a mistake in the program and goes on. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** Works on all of these, at most `limit` at a time. Where one throws, nothing more begins; it rejects once all have ended. */
export async function sideBySide<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator.
  const queue = items[Symbol.iterator]();
  const thrown: unknown[] = [];
  const worker = async () => {
    for (let next = queue.next(); !next.done && thrown.length === 0; next = queue.next())
      await work(next.value).catch((error: unknown) => thrown.push(error));
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (thrown.length > 0) throw thrown[0];
}
