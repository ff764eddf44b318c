import type { ApplyEvent } from '../model/outputs.js';
import type { Reader, Writer } from '../service/index.js';
import type { Store } from '../state/index.js';

/** What an apply needs of the world. `sleep` waits milliseconds; `now` is a clock in milliseconds since 1970. */
export interface ApplyTools {
  service: Reader & Writer;
  store: Store;
  parallelism: number;
  now(): number;
  sleep(milliseconds: number): Promise<void>;
  emit(event: ApplyEvent): void;
  /** True once somebody asked to stop: what is in flight is finished, nothing further is sent. */
  stopping(): boolean;
  /** Aborted at the same moment: a write that still waits for its turn is not sent any more. */
  stop: AbortSignal;
}
