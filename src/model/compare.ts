import type { Change } from './outputs.js';

/** `only_from`, `only_to`: the campaign exists in one environment only. */
export const COMPARISON_STATUSES = ['differs', 'only_from', 'only_to', 'same'] as const;

export interface CampaignComparison {
  manifest: string;
  name: string;
  status: (typeof COMPARISON_STATUSES)[number];
  changes: Change[];
}

export interface Comparison {
  from: string;
  to: string;
  summary: { campaigns: number } & Record<(typeof COMPARISON_STATUSES)[number], number>;
  campaigns: CampaignComparison[];
}
