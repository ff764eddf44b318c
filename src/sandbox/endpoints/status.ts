import { accepted, answered, type CampaignCall, type Verdict } from '../rule.js';

/** Launches a campaign that is set up. Settings always are: they have defaults. */
export function resume({ campaign, terms, launchFails }: CampaignCall): Verdict {
  const { profile, launchDelayReads } = terms;
  if (campaign.schedule === null || campaign.steps.length === 0) return answered(profile.incomplete());
  const launch =
    profile.launch === 'at-once' && !launchFails
      ? ({ status: 'active', queuedReads: 0 } as const)
      : ({ status: 'queued', queuedReads: launchDelayReads } as const);
  const fails = launchFails ? ({ fails: true } as const) : {};
  return accepted(
    { type: 'resumed', campaign: campaign.id, ...launch, ...fails },
    campaign.id,
    profile.record,
  );
}

export function pause({ campaign, terms }: CampaignCall): Verdict {
  return accepted({ type: 'paused', campaign: campaign.id }, campaign.id, terms.profile.record);
}
