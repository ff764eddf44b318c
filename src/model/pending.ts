import type { Change } from './change.js';
import type { Step } from './step.js';

/** One write that an earlier run sent, or was about to send, as its journal tells it. */
export interface SentStep {
  /** When it was about to be sent; in ISO 8601, UTC. */
  at: string;
  /** By when the service shows its effect, if it has one; null while nothing was noted of its answer. */
  visible: string | null;
  step: Step;
  /** `unknown`: the run ended before it noted what became of it. */
  result: 'done' | 'failed' | 'in_doubt' | 'unknown';
  /** `total_leads` as the service showed it before; null where it was not read or not shown. */
  total_leads: number | null;
}

/**
 * What an earlier run sent for one campaign and did not bring to an end: the next run settles it by reading the
 * service. `at` in ISO 8601, UTC. `id` is null while it is not known whether the campaign was made. `spec` is the
 * fingerprint of what the manifest said then, `changes` what the plan showed.
 */
export interface PendingOperations {
  run: string;
  at: string;
  who: string;
  manifest: string;
  name: string;
  id: number | null;
  spec: string;
  changes: Change[];
  sent: SentStep[];
}
