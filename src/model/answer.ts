import type { JsonObject } from './json.js';
import type { Cap } from './outputs.js';
import type { Results } from './reports.js';

/** Responses about one campaign. */
export type AnswerName = 'campaign' | 'schedule' | 'sequence';

/**
 * A row of the campaign list. Values that the service does not show are `null` or absent. `updated_at` keeps the service's
 * format.
 */
export interface ListedCampaign {
  id: number;
  name: string;
  status: string | null;
  total_leads: number | null;
  updated_at: string | null;
  numbers?: ListedNumbers;
  /** Set only for kinds of campaigns that the API cannot create. */
  type?: string;
  /** The whole row, if it shows a status and the number of leads, and the token was not masked in the list. */
  record?: JsonObject;
}

export interface ListedNumbers {
  results: Results;
  cap: Cap;
}
