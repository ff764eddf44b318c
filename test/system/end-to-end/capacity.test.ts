import { expect, test } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';

const manifest = (name: string, cap: number, status: string) => `name: ${name}
settings: { max_emails_per_day: ${cap}, max_new_leads_per_day: 10 }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/London }
sequence: { title: A, steps: [{ email_subject: A, email_body: B, wait_in_days: 1 }] }
leads: { lists: [1] }
status: ${status}
`;

test('a plan that raises the daily caps above the capacity needs approval', () =>
  withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml':
        'version: 1\nmanifests: ["*.yaml", "!campaignctl.yaml"]\nlint: { shared-lead-list: off }\nenvironments: { sandbox: { sandbox: {}, capacity: 500 } }\n',
      'a.yaml': manifest('A', 300, 'running'),
    });
    const allow = ['--allow', 'launch', '--allow', 'shared-leads'];
    const first = await command(folder, ['apply', '--yes', ...allow]);
    expect(first.code, first.err).toBe(0);
    expect(first.out).toContain(
      'After this plan: 1 campaign running, together up to 300 emails a day; capacity 500.',
    );
    await writeFiles(folder, { 'b.yaml': manifest('B', 250, 'running') });
    const second = await command(folder, ['apply', '--yes', ...allow]);
    expect(second.code).toBe(3);
    expect(second.err).toContain('over-capacity');
    const { code, out } = await command(folder, ['validate']);
    expect([code, out.includes('[caps-above-capacity]')]).toEqual([0, true]);
    const third = await command(folder, ['apply', '--yes', ...allow, '--allow', 'over-capacity']);
    expect(third.code, third.err).toBe(0);
    const { summary, volume } = JSON.parse((await command(folder, ['plan', '--json'])).out);
    expect([summary.unchanged, volume]).toEqual([
      2,
      { running: 2, cap: 550, unlimited: 0, not_shown: 0, capacity: 500 },
    ]);
    expect((await command(folder, ['list', '--check'])).code).toBe(2);
  }));
