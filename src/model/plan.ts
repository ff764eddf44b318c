import type { PlannedChange } from './outputs.generated.js';

export type { Action, CampaignPlan, Origin, Plan, PlannedChange, Summary } from './outputs.generated.js';

/** Whether it was changed in the service, outside campaignctl. */
export function isDrift({ origin }: PlannedChange): boolean {
  return origin === 'service' || origin === 'both';
}
