import { expect, test } from 'vitest';
import type { CampaignUpdate, UpdateResult } from '../../src/model/outputs.js';
import { renderUpdateText } from '../../src/view/index.js';
import { plain } from '../../src/view/terminal.js';

const TEXT = { paint: plain, width: 100 };
const CAMPAIGN: CampaignUpdate = {
  manifest: 'campaigns/spring.yaml',
  name: 'Spring installers',
  id: 7,
  updated: [],
  skipped: [],
  local_changes: [],
  other_environments: [],
  in_sync: true,
};
const RESULT: UpdateResult = {
  version: 1,
  environment: 'production',
  written: true,
  files: [
    {
      file: 'campaigns/spring.yaml',
      diff: '--- campaigns/spring.yaml\n+++ campaigns/spring.yaml\n@@ -1,2 +1,2 @@\n name: Spring installers\r\n-settings: { max_emails_per_day: 100 }\n+settings: { max_emails_per_day: 200 } \u202e\n',
    },
  ],
  campaigns: [
    {
      ...CAMPAIGN,
      updated: [
        {
          section: 'settings',
          path: 'max_emails_per_day',
          kind: 'update',
          from: 100,
          to: 200,
          file: 'campaigns/spring.yaml',
        },
        {
          section: 'sequence',
          path: 'steps[0].email_body',
          kind: 'update',
          from: 'Hi,\n\nour stand is in hall 4.\n',
          to: 'Hi,\n\nour stand is in hall 5.\n',
          file: 'emails/spring.html',
        },
      ],
      skipped: [
        { section: 'sequence', path: 'steps[1].email_subject', reason: 'it holds an expression' },
        { section: 'status', path: '', reason: 'the service shows “archived”' },
      ],
      local_changes: [{ section: 'schedule', path: 'days' }],
      other_environments: ['staging', 'test'],
      in_sync: false,
    },
    { ...CAMPAIGN, name: 'Skipped', id: null, skipped: [{ section: 'leads', path: '', reason: 'lists' }] },
    { ...CAMPAIGN, name: 'Quiet' },
  ],
};

test('an update tells what was written, what was skipped and what is a local change', async () => {
  await expect(renderUpdateText(RESULT, TEXT)).toMatchFileSnapshot('golden/update.txt');
});

test('a dry run shows the differences of the files first', async () => {
  await expect(renderUpdateText({ ...RESULT, written: false }, TEXT)).toMatchFileSnapshot(
    'golden/update-dry-run.txt',
  );
});

test.each([
  [[], 'Nothing to update. The manifests say what the service shows.\n'],
  [
    [{ ...CAMPAIGN, local_changes: [{ section: 'schedule' as const, path: 'days' }] }],
    'Nothing to update. What differs are local changes: campaignctl apply sends them.\n',
  ],
  [
    [{ ...CAMPAIGN, skipped: [{ section: 'leads' as const, path: '', reason: 'lists' }] }],
    'Nothing was written. 1 difference skipped.\n',
  ],
])('where no file changes, the last line says why', (campaigns, closing) => {
  const text = renderUpdateText({ ...RESULT, written: false, files: [], campaigns }, TEXT);
  expect(text.endsWith(closing)).toBe(true);
});
