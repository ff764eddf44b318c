import type { Verdict } from './outputs.generated.js';

export type { CampaignComparison, Comparison, Verdict } from './outputs.generated.js';

/** What to look at first. */
export const VERDICTS: readonly Verdict[] = ['content', 'only_from', 'only_to', 'environment', 'same'];
