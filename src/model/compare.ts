import type { Change } from './outputs.js';

/** `only_from`, `only_to`: the other environment lacks the campaign. */
export const COMPARISON_STATUSES = ['differs', 'only_from', 'only_to', 'same'] as const;

export interface CampaignComparison {
  /** The manifest, relative to the project. */
  manifest: string;
  /** Its name in the first environment that has it. */
  name: string;
  status: (typeof COMPARISON_STATUSES)[number];
  /** From the first to the second. */
  changes: Change[];
}

/** Differences between the manifests of two environments. */
export interface Comparison {
  /** Name of the first environment. */
  from: string;
  /** Name of the second. */
  to: string;
  /** Counts of campaigns. */
  summary: { campaigns: number } & Record<(typeof COMPARISON_STATUSES)[number], number>;
  /** Those that differ first. */
  campaigns: CampaignComparison[];
}
