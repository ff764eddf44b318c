import type { BEHAVIOURS } from './environment.js';
import type { Problem } from './outputs.js';
import type { PendingOperations } from './state.js';

/** The keys of `service:` that a probe determines, in the order in which they are tried. */
export const PROBE_KEYS = ['status', 'schedule_repost', 'sequence_repost', 'variant_reference'] as const;

/** A value for one key of `service:`, with the exchanges that prove it. `value`: `null` if they leave it open. */
export interface ProbeFinding {
  key: (typeof PROBE_KEYS)[number] & keyof typeof BEHAVIOURS;
  value: string | null;
  conclusion: string;
  evidence: ProbeExchange[];
}

/** A request of a probe and its answer, shortened for people. */
export interface ProbeExchange {
  request: string;
  answer: string;
}

export interface ProbeResult {
  environment: string;
  base_url: string;
  run: string;
  /** `false` if something stopped the probe. */
  complete: boolean;
  /** Requests sent that change something. */
  requests: number;
  /** `perhaps`: the creation was not answered and the list does not show the campaign. */
  campaigns: { id: number | null; name: string; made: 'yes' | 'perhaps' }[];
  findings: ProbeFinding[];
  /** `null` if nothing was to be written, or the file cannot take it. */
  written: { file: string; changes: { key: string; from: string | null; to: string }[] } | null;
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
