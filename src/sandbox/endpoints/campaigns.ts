import { SETTINGS, type SettingType, type StoredSettings } from '../../model/settings.js';
import {
  boolean,
  type Check,
  type Fields,
  integer,
  nullable,
  optional,
  required,
  says,
  text,
} from '../fields.js';
import type { Page } from '../profile.js';
import { accepted, answered, type Call, type CampaignCall, refused, type Verdict } from '../rule.js';
import type { Campaign } from '../state.js';

export const creation: Fields = { name: required(text) };

const CHECKS: Record<SettingType, Check> = { integer, boolean, text };

export const settings: Fields = Object.fromEntries(
  SETTINGS.map(({ name, type, nullable: isNullable }) => [
    name,
    (isNullable ? nullable : optional)(CHECKS[type]),
  ]),
);

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
  const next: StoredSettings = { ...notSent(campaign, terms.profile.keepsNumbers), ...body };
  if (
    terms.profile.boundsNewLeads &&
    (next.max_emails_per_day ?? Infinity) < (next.max_new_leads_per_day ?? 0)
  ) {
    return refused([says('max_emails_per_day', 'must be at least max new leads per day')]);
  }
  const event = { type: 'settings-updated', campaign: campaign.id, settings: next } as const;
  return accepted(event, campaign.id, terms.profile.record);
}

/** The values that fields take which an update does not send: booleans become false, as documented, and texts stay. */
function notSent({ settings }: Campaign, keepsNumbers: boolean): StoredSettings {
  const values = SETTINGS.map(({ name, type, default: standard }) => {
    if (type === 'boolean') return [name, false];
    return [name, type === 'text' || keepsNumbers ? settings[name] : standard];
  });
  return Object.fromEntries(values);
}
