import type { Change } from './outputs.js';

export interface CampaignComparison {
  manifest: string;
  name: string;
  /** In display order. `only_from`, `only_to`: the campaign exists in one environment only. */
  status: 'differs' | 'only_from' | 'only_to' | 'same';
  changes: Change[];
}

export interface Comparison {
  from: string;
  to: string;
  campaigns: CampaignComparison[];
}
