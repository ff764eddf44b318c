import { expect, test } from 'vitest';
import type { CampaignUpdate, UpdateResult } from '../../src/model/reports.js';
import { renderUpdateText } from '../../src/view/import.js';
import { plain } from '../../src/view/terminal.js';

const TEXT = { paint: plain, width: 100 };
const file = 'campaigns/spring.yaml';
const CAMPAIGN: CampaignUpdate = {
  ...{ manifest: file, name: 'Spring installers', id: 7, updated: [], by_hand: [], local_changes: [] },
  in_sync: true,
};
const LEADS = { section: 'leads', path: '', file, line: 9, reason: 'lists', text: null } as const;
const RESULT: UpdateResult = {
  environment: 'production',
  variables: { names: [], file: null, key: null, copied_from: null },
  files: [file],
  campaigns: [
    {
      ...CAMPAIGN,
      updated: [
        { section: 'settings', path: 'max_emails_per_day', file, line: 3, from: 100, to: 200 },
        {
          ...{ section: 'sequence', path: 'steps[0].email_body', file, line: 12 },
          ...{ from: 'Hi,\n\nour stand is in hall 4.\n', to: 'Hi,\n\nour stand is in hall 5.\n' },
        },
      ],
      by_hand: [
        {
          ...{ section: 'schedule', path: 'days', file, line: 5, reason: 'it is no single value \u202e' },
          text: 'days: [monday, friday]\n',
        },
        {
          ...{ section: 'sequence', path: 'steps[1].email_body', file: 'emails/b.html', line: 1 },
          ...{ reason: 'it is in emails/b.html', text: '<p>Hi</p>\n\n<p>Bye\u202e</p>' },
        },
        {
          section: 'status',
          path: '',
          file,
          line: 8,
          reason: '"odd" is not a known status',
          text: null,
        },
      ],
      local_changes: [{ section: 'schedule', path: 'start_time', file, line: 6 }],
      in_sync: false,
    },
    { ...CAMPAIGN, name: 'Leads', id: null, by_hand: [LEADS] },
    { ...CAMPAIGN, name: 'Quiet' },
  ],
};

test('an update shows what was set, what a person must set, and local changes', async () => {
  await expect(renderUpdateText(RESULT, TEXT)).toMatchFileSnapshot('golden/update.txt');
});

test.each([
  [[], 'Nothing to update. The manifests match the service.\n'],
  [
    [{ ...CAMPAIGN, local_changes: [{ section: 'schedule' as const, path: 'days', file, line: 5 }] }],
    'Nothing to update. The differences are local changes: campaignctl apply sends them.\n',
  ],
  [[{ ...CAMPAIGN, by_hand: [LEADS] }], 'Nothing was written. 1 difference to set by hand.\n'],
])('if no file changes, the last line says why', (campaigns, closing) => {
  const text = renderUpdateText({ ...RESULT, files: [], campaigns }, TEXT);
  expect(text.endsWith(closing)).toBe(true);
});
