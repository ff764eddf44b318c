import type { Change } from './change.js';
import type { BeforeAfter } from './content.js';
import type { Impact } from './impact.js';
import type { Problem } from './problem.js';
import type { LastApplied } from './state-entry.js';
import type { Step } from './step.js';

/**
 * Who has made a difference since the campaign was last seen as its manifest said: the `manifest` was changed, or the
 * campaign in the `service`, or `both` were.
 */
export type Origin = 'manifest' | 'service' | 'both';

/** A change, and whose it is; null where that is not known: never applied from here, or not managed before. */
export interface PlannedChange extends Change {
  origin: Origin | null;
}

/** Whether somebody has changed it in the service. */
export function isDrift({ origin }: PlannedChange): boolean {
  return origin === 'service' || origin === 'both';
}

/**
 * What a plan does about one campaign. `blocked`: something of it cannot be done; its steps are the rest, which is sent.
 * `drift`: it was changed in the service, and only that is shown.
 */
export type Action = 'create' | 'change' | 'none' | 'blocked' | 'drift';

/**
 * One campaign of a plan. `manifest` is `file` or, in a file of several documents, `file#2` (from 1);
 * an instance of `for_each` has its label behind it, `file[France]`. `sides`: the whole of
 * both, null where nothing differs. `reach`: of a launch, as of the moment of planning; null where none is sent. `last`: when
 * it was last seen as its manifest said, and how; null where it never was.
 */
export interface CampaignPlan {
  manifest: string;
  name: string;
  id: number | null;
  action: Action;
  changes: PlannedChange[];
  steps: Step[];
  problems: Problem[];
  content: BeforeAfter | null;
  impact: Impact | null;
  last: Pick<LastApplied, 'at' | 'how'> | null;
}

/**
 * Counts of campaigns, except `requests`: the number of writes. Each campaign counts once in `create`, `change`, `unchanged`
 * and `blocked`, by its action.
 */
export interface Summary {
  create: number;
  change: number;
  unchanged: number;
  blocked: number;
  launch: number;
  pause: number;
  requests: number;
}

/**
 * The plan: the one value that every view shows and that apply sends. Its JSON schema is `schemas/plan.schema.json`. `shows`:
 * everything, or only what was changed in the service, of which nothing is sent.
 */
export interface Plan {
  version: 1;
  environment: string;
  base_url: string;
  fingerprint: string;
  mode: 'all' | 'drift';
  summary: Summary;
  problems: Problem[];
  campaigns: CampaignPlan[];
}
