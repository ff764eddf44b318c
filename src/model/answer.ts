import type { Json } from './json.js';
import type { ListedNumbers } from './volume.js';

export type AnswerName = 'campaign' | 'schedule' | 'sequence';

/** The response to a GET, without its envelope. `none`: nothing exists (404, null, {}, [], success:false), and `body` is `null`. */
export interface Answer {
  endpoint: string;
  none: boolean;
  /** `HTTP 404`, `null` or `success: false`. */
  empty?: string;
  body: Json;
}

/** `null` if not read. */
export type Answers = { [name in AnswerName]: Answer | null };

/** A row of the list. Values that it does not show are `null` or absent. `updated_at` keeps the service's format. */
export interface ListedCampaign {
  id: number;
  name: string;
  status: string | null;
  total_leads: number | null;
  updated_at: string | null;
  numbers?: ListedNumbers;
  /** A kind of campaign that the API cannot create; absent for others. */
  type?: string;
}
