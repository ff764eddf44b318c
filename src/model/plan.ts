import type { Change } from './change.js';
import type { Sides } from './portrait.js';
import type { Problem } from './problem.js';
import type { Reach } from './reach.js';
import type { Step } from './step.js';

/** What a plan does about one campaign. `blocked`: it differs, and nothing can be sent. */
export type Action = 'create' | 'change' | 'none' | 'blocked';

/**
 * One campaign of a plan. `manifest` is `file` or, in a file of several documents, `file#2` (from 1). `sides`: the whole of
 * both, null where nothing differs. `reach`: of a launch, as of the moment of planning; null where none is sent.
 */
export interface CampaignPlan {
  manifest: string;
  name: string;
  id: number | null;
  action: Action;
  changes: Change[];
  steps: Step[];
  problems: Problem[];
  sides: Sides | null;
  reach: Reach | null;
}

/** Counts of campaigns, except `requests`: the number of writes. `blocked` counts every campaign with a blocked change. */
export interface Summary {
  create: number;
  change: number;
  unchanged: number;
  blocked: number;
  launch: number;
  pause: number;
  requests: number;
}

/** The plan: the one value that every view shows and that apply sends. Its JSON schema is `schemas/plan.schema.json`. */
export interface Plan {
  version: 1;
  environment: string;
  base_url: string;
  fingerprint: string;
  summary: Summary;
  problems: Problem[];
  campaigns: CampaignPlan[];
}
