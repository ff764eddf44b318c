import { describe, expect, test } from 'vitest';
import { environment } from '../support/environment.js';
import { email, FILE, left, STAGING, update } from './updating.js';

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
