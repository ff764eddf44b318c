import type { BEHAVIOURS } from './environment.js';
import type { Problem } from './outputs.js';
import type { PendingOperations } from './state.js';

/** Keys of `service:` that a probe determines, in the order of its tests. */
export const PROBE_KEYS = ['status', 'schedule_repost', 'sequence_repost', 'variant_reference'] as const;

/** `value`: `null` if unknown. `evidence`: requests and responses. */
export interface ProbeFinding {
  key: (typeof PROBE_KEYS)[number] & keyof typeof BEHAVIOURS;
  value: string | null;
  evidence: string[];
}

/** `complete`: the probe was not stopped early. `requests`: number of writes. `written`: the updated file. */
export interface ProbeResult {
  environment: string;
  base_url: string;
  run: string;
  complete: boolean;
  requests: number;
  campaigns: { id: number | null; name: string }[];
  findings: ProbeFinding[];
  written: string | null;
  problems: Problem[];
}

/** The manifest name in a probe's journal. */
export const PROBE = 'campaignctl probe';

const NAME = /^campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}$/;

/** `random`: eight hexadecimal digits. */
export function scratchName(now: number, random: string): string {
  return `${PROBE} ${new Date(now).toISOString().slice(0, 10)} ${random}`;
}

export function isScratch(name: string): boolean {
  return NAME.test(name);
}

/** Requests that a probe left open. No apply continues them. */
export function isOfProbe({ manifest, name }: Pick<PendingOperations, 'manifest' | 'name'>): boolean {
  return manifest === PROBE && isScratch(name);
}
