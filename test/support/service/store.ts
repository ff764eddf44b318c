import type { Shape } from './shape.js';

/** What the service holds, as plain data: what a person would see in its web page. */
export interface Store {
  campaigns: StoredCampaign[];
  templates: StoredTemplate[];
}

/**
 * One campaign. `lists` and `leads` hold every id as often as it was attached. `pending` are the statuses still to
 * come: one is taken at each look.
 */
export interface StoredCampaign {
  id: number;
  name: string;
  status: string;
  pending: string[];
  settings: Settings;
  schedule: Schedule | null;
  title: string | null;
  steps: StoredStep[];
  lists: number[];
  leads: number[];
}

export interface Settings {
  max_emails_per_day: number | null;
  max_new_leads_per_day: number | null;
  plain_text: boolean | null;
  open_tracking: boolean | null;
  reputation_building: boolean | null;
  can_unsubscribe: boolean | null;
  unsubscribe_text: string | null;
}

/** Times as `HH:MM`. */
export interface Schedule {
  monday: boolean;
  tuesday: boolean;
  wednesday: boolean;
  thursday: boolean;
  friday: boolean;
  saturday: boolean;
  sunday: boolean;
  start_time: string;
  end_time: string;
  timezone: string;
}

export interface StoredTemplate extends Schedule {
  id: number;
}

/** `variant_from_step` is the parent's id; `order` is null on variants. */
export interface StoredStep {
  id: number;
  order: number | null;
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  variant: boolean;
  variant_from_step: number | null;
  thread_reply: boolean;
}

export const DEFAULT_SETTINGS: Settings = {
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  reputation_building: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
};

/** A campaign as it is made: a draft with the documented defaults. */
export function draft(id: number, name: string): StoredCampaign {
  return {
    id,
    name,
    status: 'draft',
    pending: [],
    settings: { ...DEFAULT_SETTINGS },
    schedule: null,
    title: null,
    steps: [],
    lists: [],
    leads: [],
  };
}

/** What the service keeps of a text: trimmed, an empty one as null, where it does so. */
export function keptText(text: string | null, { texts }: Shape): string | null {
  if (text === null || texts === 'as-sent') return text;
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}
