import type { Json } from './json.js';
import type { ListedNumbers } from './volume.js';

/** The bodies that can be read of one campaign, by name. */
export type AnswerName = 'campaign' | 'schedule' | 'sequence';

/**
 * What the service said to a GET, without its envelope. `none`: it said that there is nothing (404, null, {},
 * [], success:false); `body` is then null. `endpoint` is for messages: `GET /api/campaigns/42/schedule`.
 */
export interface Answer {
  endpoint: string;
  none: boolean;
  /** The form of an answer that there is nothing: `HTTP 404`, `null`, `success: false`. */
  empty?: string;
  body: Json;
}

/** What was read of one campaign; null: not read, since nothing of it is managed. */
export type Answers = { [name in AnswerName]: Answer | null };

/** A campaign as the list shows it. Values that the list does not show are `null`, or absent (`numbers`); `updated_at` is in the service's own form. */
export interface ListedCampaign {
  id: number;
  name: string;
  status: string | null;
  total_leads: number | null;
  updated_at: string | null;
  numbers?: ListedNumbers;
  /** A kind of campaign that the API cannot create; absent for the one that it creates. */
  type?: string;
}
