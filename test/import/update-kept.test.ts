import { describe, expect, test } from 'vitest';
import { email, FILE, HOURS, type LiveCampaign, update } from './updating.js';

const APPLIED = `name: Spring
settings: { max_emails_per_day: 100 }
sequence:
  title: T
  steps:
    - { email_subject: A question, email_body: First, wait_in_days: 3 }
    - { email_subject: A question, email_body: Second, wait_in_days: 3 }
`;
const LIVE: LiveCampaign = {
  settings: { max_emails_per_day: 100, max_new_leads_per_day: 10, plain_text: true },
  status: 'paused',
  schedule: HOURS,
  title: 'T',
  emails: [email('A question', 'First'), email('A question', 'Second')],
};
const HOURS_HERE =
  'schedule: { days: [monday], start_time: "08:00", end_time: "12:00", timezone: Europe/Rome }\n';
const MOVED = 'sequence steps: the live steps';

describe('after an apply', () => {
  test.each<
    [what: string, manifest: string, live: LiveCampaign, after: string, kept: string[], told: string[]]
  >([
    [
      'a setting, a section and a status that were added are for apply',
      `${APPLIED.replace('100 }', '100, max_new_leads_per_day: 5 }')}${HOURS_HERE}status: running\n`,
      { ...LIVE, settings: { ...LIVE.settings, max_emails_per_day: 50 } },
      `${APPLIED.replace('100 }', '50, max_new_leads_per_day: 5 }')}${HOURS_HERE}status: running\n`,
      [
        'settings max_new_leads_per_day',
        'schedule days',
        'schedule start_time',
        'schedule end_time',
        'schedule timezone',
        'status ',
      ],
      [],
    ],
    [
      'a value that both have changed stays and is told',
      APPLIED.replace('100', '200'),
      { ...LIVE, settings: { max_emails_per_day: 50 } },
      APPLIED.replace('100', '200'),
      [],
      ['settings max_emails_per_day: is kept'],
    ],
    [
      'steps that were changed here stay, with the live ones printed, where the service changed any',
      APPLIED.replace('Second', 'Own'),
      { ...LIVE, emails: [email('A question', 'Better'), email('A question', 'Second')] },
      APPLIED.replace('Second', 'Own'),
      ['sequence steps[1].email_body'],
      [MOVED],
    ],
    [
      'steps that the service has moved do not come twice',
      APPLIED.replace('Second, wait_in_days: 3', 'Second, wait_in_days: 9'),
      { ...LIVE, emails: [email('A question', 'Second'), email('A question', 'First')] },
      APPLIED.replace('Second, wait_in_days: 3', 'Second, wait_in_days: 9'),
      ['sequence steps[1].wait_in_days'],
      [MOVED],
    ],
  ])('%s', (_, manifest, live, after, kept, told) => {
    const { files, update: done } = update({ [FILE]: manifest }, live, { applied: APPLIED });
    expect(files[FILE]).toBe(after);
    expect(done.local_changes.map(({ section, path }) => `${section} ${path}`)).toEqual(kept);
    expect(
      done.by_hand.map(
        ({ section, path, reason }) =>
          `${section} ${path}: ${reason.replace(/^the manifest may .* and (is kept):.*|^steps were added, removed or moved,.* (the live steps)$/, '$1$2')}`,
      ),
    ).toEqual(told);
  });

  test('a campaign that was never applied from here takes every value', () => {
    const { files } = update({ [FILE]: `${APPLIED}status: running\n` }, LIVE);
    expect(files[FILE]).toBe(`${APPLIED}status: paused\n`);
  });
});
