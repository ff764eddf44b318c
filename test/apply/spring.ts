/** One campaign with a schedule and one email, as a manifest and as stored by the service, and functions that apply it. */
import { expect } from 'vitest';
import { refusal } from '../../src/apply/messages.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState } from '../../src/model/state.js';
import type { Status } from '../../src/model/target.js';
import { statusOfWord } from '../../src/sections/sending.js';
import type { Store as State } from '../../src/state/store.js';
import { type Ran, type RunOptions, run } from '../support/apply.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { withFolder } from '../support/folder.js';
import { openService, type Service, TOKEN } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { type StoredCampaign, weekOf } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';
import { openStore } from '../support/state.js';

export const NAME = 'Spring installers';
const HOURS = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' as const };
export const SCHEDULE = { days: ['monday' as const], ...HOURS, save_as_template: false };
const EMAIL = { email_subject: 'Hi', email_body: 'Hello', wait_in_days: 1, thread_reply: false };
export const SEQUENCE = { title: 'Spring', steps: [EMAIL] } satisfies CampaignSpec['sequence'];

export const LIVE_SCHEDULE = { ...weekOf(['monday']), ...HOURS };
export const LIVE_STEP = { ...EMAIL, id: 9001, order: 1, variant: false, variant_from_step: null };

/** Sets the status of every campaign. */
export const becomes =
  (status: string) =>
  ({ store }: Service) => {
    for (const campaign of store.campaigns) campaign.status = status;
  };

/** The detail of a step that was not sent, by its reason. `golden/refusals.txt` has the wording. */
export const unsent = (...reason: Parameters<typeof refusal>) => `it was not sent: ${refusal(...reason)}`;
/** The same after an earlier attempt was answered with 429. */
export const unsentAgain = (...reason: Parameters<typeof refusal>) =>
  `the service answered with status 429; it was not sent again: ${refusal(...reason)}`;
export const statusOf = (word: string | null): Status => statusOfWord(word, null, environment());

export const KNOWN: RecordedState = { ...CREATED_STATE, at_defaults: false };

export interface Applying {
  service: Service;
  folder: string;
  state: State;
  /** Plans and applies `spring.yaml` with all approvals. */
  apply(spec: Partial<CampaignSpec>, more?: Partial<RunOptions>): Promise<Ran>;
}

/** Provides a service in memory and an empty state. Fails if a request violates the API document. */
export async function applying<Result>(
  { shape = {}, campaigns = [] }: { shape?: Partial<Shape>; campaigns?: StoredCampaign[] },
  use: (at: Applying) => Promise<Result>,
): Promise<Result> {
  const service = openService(shaped(shape), { campaigns, templates: [] });
  const result = await withFolder((top) => {
    const folder = `${top}/state`;
    const apply: Applying['apply'] = (spec, more) =>
      run({
        ...{ url: 'https://send.example.com', token: TOKEN, folder, environment: environment() },
        wire: () => wireTo(service),
        campaigns: [campaign('spring.yaml', { name: NAME, ...spec })],
        ...more,
      });
    return use({ service, folder, state: openStore(folder, environment().base_url), apply });
  });
  expect(service.violations).toEqual([]);
  return result;
}

/** The entry of campaign 42, applied from `spring.yaml`. */
export const entry42 = (recorded = KNOWN) => ({ id: 42, manifest: 'spring.yaml', name: NAME, recorded });
