import type { Change } from './change.js';

/**
 * How the manifests of one campaign differ between two environments, what to look at first. `content`: in what recipients get,
 * or when. `only_from`, `only_to`: there is none in the other. `environment`: only in what environments are there for: id,
 * caps, leads, template, status.
 */
export const VERDICTS = ['content', 'only_from', 'only_to', 'environment', 'same'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** One manifest in both environments; its names may differ by an overlay. The changes lead from the first to the second. */
export interface CampaignComparison {
  manifest: string;
  name: string;
  verdict: Verdict;
  content: Change[];
  environment: Change[];
}

/** Two environments beside each other. Its JSON schema is `schemas/compare.schema.json`. */
export interface Comparison {
  version: 1;
  from: string;
  to: string;
  summary: Record<Verdict | 'campaigns', number>;
  campaigns: CampaignComparison[];
}
