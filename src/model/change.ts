import type { Json } from './json.js';

/** The six parts of a campaign that a manifest can manage. */
export type SectionName = 'campaign' | 'settings' | 'schedule' | 'sequence' | 'leads' | 'status';

/**
 * One difference between live and desired. `path` is written as in the manifest below the section
 * (`max_emails_per_day`, `steps[0].email_body`); it is empty when the section is one value (`status`).
 * `from` is null where there is nothing (`add`) or where the live value cannot be read: `note` then says so.
 */
export interface Change {
  section: SectionName;
  path: string;
  kind: 'add' | 'update' | 'remove';
  from: Json;
  to: Json;
  note: string | null;
}
