/** One campaign with a schedule and one email, as manifests write it and as the service shows it. */
import type { CampaignSpec } from '../../src/model/spec.js';
import type { TestService } from '../support/service/service.js';

export const NAME = 'Spring installers';
const HOURS = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' as const };
export const SCHEDULE = { days: ['monday' as const], ...HOURS, save_as_template: false };
const EMAIL = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false };
export const SEQUENCE = { title: 'Spring', steps: [EMAIL] } satisfies CampaignSpec['sequence'];

const [FREE, MONDAY] = [false, true];
const WEEKEND = { saturday: FREE, sunday: FREE };
const WEEK = { monday: MONDAY, tuesday: FREE, wednesday: FREE, thursday: FREE, friday: FREE, ...WEEKEND };
export const LIVE_SCHEDULE = { ...WEEK, ...HOURS };
export const LIVE_STEP = { ...EMAIL, id: 9001, order: 1, variant: false, variant_from_step: null };

/** Every campaign has that status from now on. */
export const becomes =
  (status: string) =>
  ({ store }: TestService) => {
    for (const campaign of store.campaigns) campaign.status = status;
  };
