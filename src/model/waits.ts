/**
 * A wait that a person may notice. `request`: method and URL. `asked`: true if the service asks for the wait.
 * `requests`: how many are held back.
 */
export type Wait =
  | { kind: 'answer'; request: string; isLast: boolean }
  | { kind: 'limited'; asked: boolean }
  | { kind: 'pacing'; requests: number; perMinute: number }
  | { kind: 'retry'; request: string; fault: string; tries: number; maxTries: number }
  | { kind: 'effect'; campaign: string; what: string }
  | { kind: 'earlier-run'; who: string; at: string; requests: string[] }
  | { kind: 'lock'; environment: string; holder: string }
  /** `remote`: `null` if the command stays on this machine. */
  | { kind: 'git'; command: string; remote: string | null }
  | { kind: 'push'; fault: string }
  /** `question`: completes "git to say …". */
  | { kind: 'checkout'; question: string }
  | { kind: 'pause'; phase: PausePhase; environment: string };

/** `proof`: until the service shows the pauses. `apply`: until another apply has ended. */
export type PausePhase = 'list' | 'campaigns' | 'state' | 'proof' | 'lock' | 'apply' | 'record';

/**
 * In milliseconds. `most`: how long it takes at most or, if `isCertain`, how long it takes. `before`: for how long the same
 * thing was awaited before.
 */
export interface WaitLength {
  most: number;
  isCertain?: boolean;
  before?: number;
}

export interface Waits {
  /** Announces the wait once it is known to take more than two seconds. Returns a function that ends it. */
  begin(wait: Wait, length: WaitLength): () => void;
}

export const NO_WAITS: Waits = { begin: () => () => {} };

/** Awaits `work`, which is announced if it takes long. */
export function awaiting<T>(
  waits: Waits,
  wait: Wait,
  { work, ...length }: WaitLength & { work: Promise<T> },
): Promise<T> {
  return work.finally(waits.begin(wait, length));
}
