import type { BEHAVIOURS } from './environment.js';
import type { Problem } from './outputs.js';
import type { PendingOperations } from './state.js';

/** The keys of `service:` that a probe determines, in the order in which they are tried. */
export const PROBE_KEYS = ['status', 'schedule_repost', 'sequence_repost', 'variant_reference'] as const;

/** `value`: `null` if not known. `evidence`: requests and answers. */
export interface ProbeFinding {
  key: (typeof PROBE_KEYS)[number] & keyof typeof BEHAVIOURS;
  value: string | null;
  evidence: string[];
}

/** `complete`: nothing stopped the probe. `requests`: those that write. `written`: the file that got the values. */
export interface ProbeResult {
  environment: string;
  base_url: string;
  run: string;
  complete: boolean;
  requests: number;
  /** `id`: `null` if unknown. */
  campaigns: { id: number | null; name: string }[];
  findings: ProbeFinding[];
  written: string | null;
  problems: Problem[];
}

/** The manifest in the journal of a probe. */
export const PROBE = 'campaignctl probe';

const NAME = /^campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}$/;

/** `random`: eight hexadecimal digits. */
export function scratchName(now: number, random: string): string {
  return `${PROBE} ${new Date(now).toISOString().slice(0, 10)} ${random}`;
}

export function isScratch(name: string): boolean {
  return NAME.test(name);
}

/** Operations that a probe left open: no apply continues them. */
export function isOfProbe({ manifest, name }: Pick<PendingOperations, 'manifest' | 'name'>): boolean {
  return manifest === PROBE && isScratch(name);
}
