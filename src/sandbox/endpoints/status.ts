import { accepted, answered, type CampaignCall, type Verdict } from '../rule.js';

/** Launches a campaign that is set up. Settings always are: they have defaults. */
export function resume({ campaign, terms, launchFails }: CampaignCall): Verdict {
  const { character, launchDelayReads } = terms;
  if (campaign.schedule === null || campaign.steps.length === 0) return answered(character.incomplete());
  const launch =
    character.launch === 'at-once' && !launchFails
      ? ({ status: 'active', queuedReads: 0 } as const)
      : ({ status: 'queued', queuedReads: launchDelayReads } as const);
  const fails = launchFails ? ({ fails: true } as const) : {};
  return accepted(
    { type: 'resumed', campaign: campaign.id, ...launch, ...fails },
    campaign.id,
    character.record,
  );
}

export function pause({ campaign, terms }: CampaignCall): Verdict {
  return accepted({ type: 'paused', campaign: campaign.id }, campaign.id, terms.character.record);
}
