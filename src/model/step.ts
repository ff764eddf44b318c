import type { SectionName } from './change.js';
import type { JsonObject } from './json.js';

/**
 * One request to be sent, as plain data: it can be printed, hashed, saved and resumed.
 *
 * `id` is unique in its campaign and starts with its stage (`settings`, `leads/list-42`): see `plan/order.ts`.
 * `path` holds the literal `{campaign_id}` while the campaign does not exist, and `variant_from_step` in `body`
 * holds `{step N}` while the id of the Nth base step is not known; both are filled in from what the service
 * answers. `irreversible`: no request of this interface can undo it.
 */
export interface Step {
  id: string;
  section: SectionName;
  title: string;
  method: 'POST' | 'PATCH';
  path: string;
  body: JsonObject | null;
  irreversible: boolean;
}
