import { expect } from 'vitest';
import type { CampaignSpec } from '../../../src/model/spec.js';
import { type Sandbox, startSandbox } from '../../../src/sandbox/index.js';
import { PROFILES } from '../../../src/sandbox/profiles.js';
import { handle } from '../../../src/sandbox/requests.js';
import { NEW_STATE } from '../../../src/sandbox/state.js';
import type { Wire } from '../../../src/service/wire.js';
import { withFolder } from '../../support/folder.js';
import { wireTo } from '../../support/service/wire.js';

/** A campaign that needs every kind of write, including a variant and a launch. */
export const SPEC: Partial<CampaignSpec> = {
  settings: { max_emails_per_day: 200, max_new_leads_per_day: 100, reputation_building: true },
  schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
  sequence: {
    title: 'Spring',
    steps: [
      {
        email_subject: 'A question',
        email_body: '<p>Hi</p>',
        wait_in_days: 2,
        variants: [{ email_subject: 'Another question', email_body: '<p>Hello</p>' }],
      },
      { email_subject: 'A question', email_body: '<p>Still there?</p>', wait_in_days: 3, thread_reply: true },
    ],
  },
  leads: { lists: [5], ids: [1, 2, 3] },
  status: 'running',
};

/** Create, settings, schedule, sequence, variants, list, leads, launch. */
export const WRITES = [1, 2, 3, 4, 5, 6, 7, 8];
export const ATTACHMENTS = [6, 7];

/** Checks that everything exists once, as expected. */
export function expectOnce(sandbox: Pick<Sandbox, 'state'>): void {
  const [only, ...others] = sandbox.state().campaigns;
  expect(others).toEqual([]);
  expect(only).toMatchObject({
    name: 'Spring installers',
    status: expect.stringMatching(/^(active|queued)$/),
    resumes: 1,
    lists: [5],
    leads: [1, 2, 3],
    settings: { max_emails_per_day: 200, max_new_leads_per_day: 100, reputation_building: true },
    schedule: { monday: true, tuesday: false, start_time: '09:00' },
  });
  const emails = only?.steps.map(({ email_subject, variant }) => [
    email_subject.replace('Re: ', ''),
    variant,
  ]);
  expect(emails).toEqual([
    ['A question', false],
    ['A question', false],
    ['Another question', true],
  ]);
}

/** A sandbox without a port. */
export interface QuietSandbox extends Pick<Sandbox, 'state'> {
  wire(): Wire;
  effects(): number;
}

export function openSandbox(profile: 'documented' | 'reported' = 'reported'): QuietSandbox {
  let [state, effects] = [NEW_STATE, 0];
  const wire = () =>
    wireTo({
      answer({ method, url, authorization, contentType = null, body }) {
        const request = { origin: url.origin, method, target: `${url.pathname}${url.search}`, contentType };
        const text = body === undefined ? null : JSON.stringify(body);
        const ruling = handle(
          state,
          { ...request, authorization: authorization ?? null, body: text },
          PROFILES[profile],
          false,
        );
        if (ruling.after !== null) state = ruling.after;
        if (ruling.effect) effects += 1;
        return ruling.reply;
      },
    });
  return { wire, state: () => structuredClone(state), effects: () => effects };
}

/** Runs a test with a sandbox and an empty folder. */
export async function withSandbox(use: (sandbox: Sandbox, folder: string) => Promise<void>): Promise<void> {
  const sandbox = await startSandbox({ profile: 'reported', file: null });
  try {
    await withFolder((folder) => use(sandbox, folder));
  } finally {
    await sandbox.close();
  }
}
