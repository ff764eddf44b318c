import { type Fields, integer, invalid, listOf, required } from '../fields.js';
import { accepted, answered, type CampaignCall, refused, some, type Verdict } from '../rule.js';
import { SEEDS } from '../state.js';

export const leadList: Fields = { lead_list_id: required(integer) };
export const leads: Fields = { lead_ids: required(listOf(integer)) };

/** Attaches a list. A list that is attached already is skipped, and the answer is the same. */
export function attachLeadList({ campaign, body, terms }: CampaignCall): Verdict {
  const { lead_list_id: list } = body as { lead_list_id: number };
  if (!exists(list, SEEDS.lastListId)) return refused([invalid('lead_list_id')]);
  if (campaign.lists.includes(list)) return answered(terms.profile.attached(campaign));
  return accepted(
    { type: 'list-attached', campaign: campaign.id, list },
    campaign.id,
    terms.profile.attached,
  );
}

/** Attaches those leads that are not attached yet. One unknown id refuses the whole request. */
export function attachLeads({ campaign, body, terms }: CampaignCall): Verdict {
  const { lead_ids: sent } = body as { lead_ids: number[] };
  const faults = sent.flatMap((id, index) =>
    exists(id, SEEDS.lastLeadId) ? [] : [invalid(`lead_ids.${index}`)],
  );
  if (some(faults)) return refused(faults);
  const attached = new Set(campaign.leads);
  const fresh = [...new Set(sent)].filter((id) => !attached.has(id));
  if (fresh.length === 0) return answered(terms.profile.attached(campaign));
  const event = { type: 'leads-attached', campaign: campaign.id, leads: fresh } as const;
  return accepted(event, campaign.id, terms.profile.attached);
}

function exists(id: number, last: number): boolean {
  return id >= 1 && id <= last;
}
