import { describe, expect, test } from 'vitest';
import { environment } from '../support/environment.js';
import { email, FILE, HOURS, type LiveCampaign, left, steps } from './updating.js';

describe('what cannot be written', () => {
  const OTHER = 'it is not a single value in the manifest, or an anchor or alias shares it';
  const show = (body: string): LiveCampaign => ({ emails: [email('S', body)] });

  test.each<[what: string, text: string, live: LiveCampaign, reason: string]>([
    [
      'an anchor that others use',
      'name: Spring\nsettings: { max_emails_per_day: &most 5, max_new_leads_per_day: *most }\n',
      { settings: { max_emails_per_day: 9, max_new_leads_per_day: 5 } },
      `settings max_emails_per_day: ${OTHER}`,
    ],
    [
      'an alias',
      'name: Spring\nsettings: { max_emails_per_day: &most 5, max_new_leads_per_day: *most }\n',
      { settings: { max_emails_per_day: 5, max_new_leads_per_day: 9 } },
      `settings max_new_leads_per_day: ${OTHER}`,
    ],
    [
      'a value of a section that others use',
      'name: Spring\nsettings: &most { max_emails_per_day: 5 }\nenvironments: { staging: { settings: *most } }\n',
      { settings: { max_emails_per_day: 9 } },
      `settings max_emails_per_day: ${OTHER}`,
    ],
    [
      'a control character',
      steps('B'),
      show('a\u0085b'),
      'sequence steps[0].email_body: the live text contains the control character U+0085',
    ],
    ['an empty text', steps('B'), show(''), 'sequence.steps[0].email_body is empty'],
    ['only blanks', steps('B'), show(' \n '), 'is blank'],
    [
      'what would be an error',
      steps('B'),
      show('Hi {first_name}'),
      'sequence steps[0].email_body: {first_name} is not a variable',
    ],
    [
      'what makes the file too large to be read again',
      steps('B'),
      show('x'.repeat(1024 * 1024)),
      'sequence steps[0].email_body: campaigns/spring.yaml would be too large',
    ],
    [
      'one of several campaigns that a manifest makes',
      steps('B').replace('name: Spring\n', 'for_each: [Spring]\nname: ${{ value }}\n'),
      { emails: [email('S', 'New')] },
      'sequence steps[0].email_body: the manifest describes several campaigns (for_each)',
    ],
    ['no sequence', steps('B'), {}, 'sequence : the service has no sequence'],
    [
      'no schedule',
      'name: Spring\nschedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n',
      {},
      'schedule : the service has no schedule',
    ],
    [
      'no day',
      'name: Spring\nschedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n',
      {
        schedule: {
          ...HOURS,
          monday: false,
          tuesday: false,
          wednesday: false,
          thursday: false,
          friday: false,
        },
      },
      `schedule days: ${OTHER}`,
    ],
    [
      'a zone that the API does not list',
      'name: Spring\nschedule: { days: [monday, tuesday, wednesday, thursday, friday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n',
      { schedule: { ...HOURS, timezone: 'Mars/Base' } },
      'schedule timezone: ',
    ],
    [
      'an unknown status',
      'name: Spring\nstatus: paused\n',
      { status: 'odd' },
      'status : "odd" is not a known status',
    ],
    [
      'leads',
      'name: Spring\nleads: { ids: [5] }\n',
      {},
      'leads ids: the service does not show which leads are attached',
    ],
    [
      'what the service does not show',
      'name: Spring\nsettings: { reputation_building: true }\n',
      { settings: {} },
      'settings reputation_building: the service does not show it',
    ],
  ])('%s', (_, text, live, reason) => {
    const seen = left(text, live);
    expect(seen).toEqual({ files: { [FILE]: text }, left: [expect.stringContaining(reason)] });
  });

  test('a status that is believed, not shown', () => {
    const here = environment({ status: 'hidden' });
    const text = 'name: Spring\nstatus: running\n';
    const seen = left(text, {}, { environments: [here], status: 'paused' });
    expect(seen).toEqual({
      files: { [FILE]: text },
      left: ['status : the service shows no status'],
    });
  });

  test.each([' Spring', 'Spring\nsecond line', ''])(
    'the new name %j, which no manifest can hold',
    (newName) => {
      const text = 'name: Spring # now\nstatus: paused\n';
      const seen = left(text, { status: 'active' }, { newName });
      expect(seen).toEqual({
        files: { [FILE]: text.replace('paused', 'running') },
        left: [expect.stringMatching(/^campaign name: ./)],
      });
    },
  );

  test('the rest is written all the same', () => {
    const text = steps('B', 'status: paused\n');
    const seen = left(text, { ...show('{'), status: 'active', emails: [email('New', 'Hi {unlisted}')] });
    expect(seen.files[FILE]).toBe(
      text.replace('email_subject: S', 'email_subject: New').replace('paused', 'running'),
    );
    expect(seen.left).toEqual([expect.stringContaining('steps[0].email_body: {unlisted} is not a variable')]);
  });
});
