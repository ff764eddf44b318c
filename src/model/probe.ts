import type { BEHAVIOURS } from './environment.js';
import type { Problem } from './outputs.js';
import type { PendingOperations } from './state.js';

/** The keys of `service:` that a probe determines, in the order in which they are tried. */
export const PROBE_KEYS = ['status', 'schedule_repost', 'sequence_repost', 'variant_reference'] as const;

/** The value for one key of `service:`, `null` if not known, and the requests and answers that prove it. */
export interface ProbeFinding {
  key: (typeof PROBE_KEYS)[number] & keyof typeof BEHAVIOURS;
  value: string | null;
  evidence: string[];
}

/** `requests`: those that change something. `written`: the file into which the values were written. */
export interface ProbeResult {
  environment: string;
  base_url: string;
  run: string;
  /** `false` if something stopped the probe. */
  complete: boolean;
  requests: number;
  /** `id`: `null` if the creation was not answered and the list does not show the campaign. */
  campaigns: { id: number | null; name: string }[];
  findings: ProbeFinding[];
  written: string | null;
  problems: Problem[];
}

/** Stands in the journal of a probe instead of a manifest. */
export const PROBE = 'campaignctl probe';

const NAME = /^campaignctl probe \d{4}-\d\d-\d\d [0-9a-f]{8}$/;

/** The name of a scratch campaign. `random`: eight hexadecimal digits that make the name unique. */
export function scratchName(now: number, random: string): string {
  return `${PROBE} ${new Date(now).toISOString().slice(0, 10)} ${random}`;
}

/** True of scratch campaigns of any checkout: they belong to no project. */
export function isScratch(name: string): boolean {
  return NAME.test(name);
}

/** True of operations that a probe left open: no manifest declares them and no apply continues them. */
export function isOfProbe({ manifest, name }: Pick<PendingOperations, 'manifest' | 'name'>): boolean {
  return manifest === PROBE && isScratch(name);
}
