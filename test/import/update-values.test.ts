import { describe, expect, test } from 'vitest';
import { environment } from '../support/environment.js';
import { email, FILE, HOURS, inSyncAfter, type LiveCampaign, left, STAGING, update } from './updating.js';

describe('settings, schedule and status', () => {
  test.each<[what: string, text: string, live: LiveCampaign, after: string]>([
    [
      'numbers, flags and texts keep the comments, the order and the quotes around them',
      `# ours
name:   Spring   # the name
status: running  # go
settings:   # of the year
    unsubscribe_text: 'No more'   # short
    max_emails_per_day:    200 # per day

    plain_text: true
    can_unsubscribe: yes_not # never
`.replace('    can_unsubscribe: yes_not # never\n', '    can_unsubscribe: true\n'),
      {
        status: 'paused',
        settings: {
          max_emails_per_day: 150,
          plain_text: false,
          can_unsubscribe: true,
          unsubscribe_text: "It's enough",
        },
      },
      `# ours
name:   Spring   # the name
status: paused  # go
settings:   # of the year
    unsubscribe_text: 'It''s enough'   # short
    max_emails_per_day:    150 # per day

    plain_text: false
    can_unsubscribe: true
`,
    ],
    [
      'null in every spelling, in a flow section',
      'name: Spring\nsettings: { max_emails_per_day: null, unsubscribe_text: ~, max_new_leads_per_day: null } # all\n',
      { settings: { max_emails_per_day: 5, unsubscribe_text: 'a: b', max_new_leads_per_day: 5 } },
      'name: Spring\nsettings: { max_emails_per_day: 5, unsubscribe_text: "a: b", max_new_leads_per_day: 5 } # all\n',
    ],
    [
      'times of a schedule, and Windows line ends',
      'name: Spring\r\nschedule:\r\n  # at first\r\n  days: [monday, tuesday, wednesday, thursday, friday]\r\n  start_time: "09:00"\r\n  end_time: \'17:00\'\r\n  timezone: Europe/Paris # here\r\n',
      { schedule: { ...HOURS, start_time: '08:30', end_time: '18:00', timezone: 'Europe/Rome' } },
      'name: Spring\r\nschedule:\r\n  # at first\r\n  days: [monday, tuesday, wednesday, thursday, friday]\r\n  start_time: "08:30"\r\n  end_time: \'18:00\'\r\n  timezone: Europe/Rome # here\r\n',
    ],
  ])('%s', (_, text, live, after) => {
    expect(inSyncAfter(text, live)).toBe(after);
  });

  test('only the document that is meant', () => {
    const text =
      'name: One\nsettings: { max_emails_per_day: 1 }\n---\n# second\nname: Two\nsettings:\n  max_emails_per_day: 1\n';
    const { files } = update({ [FILE]: text }, { settings: { max_emails_per_day: 9 } }, { document: 1 });
    expect(files[FILE]).toBe(text.replace('  max_emails_per_day: 1', '  max_emails_per_day: 9'));
  });
});

test('the comment behind the sign of a block stays where the block goes', () => {
  const text =
    'name: Spring\nsettings:\n  unsubscribe_text: >- # in words\n    no\n    more\n\nstatus: paused\n';
  const live = { settings: { unsubscribe_text: null }, status: 'paused' };
  expect(inSyncAfter(text, live)).toBe(
    'name: Spring\nsettings:\n  unsubscribe_text: null # in words\n\nstatus: paused\n',
  );
});

describe('environments', () => {
  const text = `name: Spring
settings:
  max_emails_per_day: 100 # base
  max_new_leads_per_day: 10
sequence:
  title: T
  steps:
    - email_subject: S # base
      email_body: B
      wait_in_days: 3
environments:
  production: # the real one
    settings: { max_new_leads_per_day: 20 }
`;
  const live = {
    settings: { max_emails_per_day: 150, max_new_leads_per_day: 25 },
    emails: [email('New', 'B')],
  };

  test('a value is written where it stands', () => {
    const { files, update: made } = update({ [FILE]: text }, live);
    expect(files[FILE]).toBe(
      text.replace('day: 100', 'day: 150').replace('day: 20', 'day: 25').replace(': S #', ': New #'),
    );
    expect(made.in_sync).toBe(true);
  });

  test('a new name is written where it stands', () => {
    const named = (name: string) => `name: Spring\nenvironments:\n  production:\n    name: ${name} # here\n`;
    const seen = update({ [FILE]: named('Here') }, {}, { newName: 'Away: now' });
    expect(seen.files[FILE]).toBe(named('"Away: now"'));
    expect(seen.update.in_sync).toBe(true);
  });

  test('an error in another environment takes the edit back', () => {
    const poor = { ...STAGING, custom_variables: ['COMPANY'] };
    const seen = left(
      text,
      { ...live, emails: [email('S', 'Hi {FIRST_NAME}')] },
      { environments: [environment(), poor] },
    );
    expect(seen.left).toEqual([expect.stringContaining('steps[0].email_body: ')]);
    expect(seen.files[FILE]).toContain('max_emails_per_day: 150');
    expect(seen.files[FILE]).toContain('email_body: B\n');
  });
});
