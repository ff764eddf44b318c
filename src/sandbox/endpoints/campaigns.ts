import { type Fields, boolean as flag, integer, nullable, required, says, text } from '../fields.js';
import type { Page } from '../profile.js';
import { accepted, answered, type Call, type CampaignCall, refused, type Verdict } from '../rule.js';
import { type Campaign, DEFAULT_SETTINGS, type Settings } from '../state.js';

export const creation: Fields = { name: required(text) };

export const settings: Fields = {
  max_emails_per_day: nullable(integer),
  max_new_leads_per_day: nullable(integer),
  plain_text: nullable(flag),
  open_tracking: nullable(flag),
  reputation_building: nullable(flag),
  can_unsubscribe: nullable(flag),
  unsubscribe_text: nullable(text),
};

/** Makes a campaign. Names are not unique: the same call twice makes two. */
export function createCampaign({ body, state, terms }: Call): Verdict {
  const { name } = body as { name: string };
  return accepted({ type: 'campaign-created', name }, state.campaigns.length + 1, terms.profile.created);
}

export function listCampaigns({ state, terms, page: number, origin }: Call): Verdict {
  const page: Page = { number, size: terms.pageSize, url: `${origin}/api/campaigns` };
  const rows = terms.profile.rows(state.campaigns, page);
  return answered(terms.profile.list(rows, page, state.campaigns.length));
}

/** Each read of a queued campaign brings its launch nearer. */
export function readCampaign({ campaign, terms }: CampaignCall): Verdict {
  if (campaign.status !== 'queued') return answered(terms.profile.record(campaign));
  return accepted({ type: 'polled', campaign: campaign.id }, campaign.id, terms.profile.record);
}

export function updateSettings({ campaign, body, terms }: CampaignCall): Verdict {
  const next: Settings = { ...notSent(campaign, terms.profile.keepsNumbers), ...body };
  if (
    terms.profile.boundsNewLeads &&
    (next.max_emails_per_day ?? Infinity) < (next.max_new_leads_per_day ?? 0)
  ) {
    return refused([says('max_emails_per_day', 'must be at least max new leads per day')]);
  }
  const event = { type: 'settings-updated', campaign: campaign.id, settings: next } as const;
  return accepted(event, campaign.id, terms.profile.record);
}

/** The values that fields take which an update does not send: booleans become false, as documented. */
function notSent({ settings }: Campaign, keepsNumbers: boolean): Settings {
  const { max_emails_per_day, max_new_leads_per_day } = keepsNumbers ? settings : DEFAULT_SETTINGS;
  return {
    ...DEFAULT_SETTINGS,
    max_emails_per_day,
    max_new_leads_per_day,
    unsubscribe_text: settings.unsubscribe_text,
  };
}
