import { expect, test } from 'vitest';
import type { Comparison } from '../../src/model/reports.js';
import { compareDocument, comparesDocument } from '../../src/view/compare.js';
import { documentText } from '../../src/view/document-text.js';
import { plain } from '../../src/view/terminal.js';

function differing(number: number): Comparison {
  const [section, path] = ['settings', 'max_emails_per_day'] as const;
  const changes = [{ section, path, kind: 'update' as const, from: 20, to: 50, note: null }];
  return {
    ...{ version: 1, from: 'staging', to: 'production' },
    summary: { differs: number, only_from: 0, only_to: 0, same: 0 },
    campaigns: Array.from({ length: number }, (_, at) => {
      return { manifest: `campaigns/${at}.yaml`, name: `Campaign ${at}`, status: 'differs', changes };
    }),
  };
}

test('however many campaigns differ, each is shown with its changes', () => {
  const text = documentText(compareDocument(differing(30)), { paint: plain, width: 100 });
  expect(text.match(/~ max_emails_per_day {2}20 → 50/g)).toHaveLength(30);
  expect(text).not.toContain('in brief');
});

test('campaigns of several projects have their project and their paths from where the reader is', () => {
  const part = { environment: null, exit_code: 0 as const, failure: null };
  const parts = [
    { ...part, project: 'clients/acorn', result: differing(1) },
    { ...part, project: 'clients/birch', result: differing(0) },
  ];
  expect(documentText(comparesDocument(parts), { paint: plain, width: 100 })).toBe(`2 projects: 2 compared

  1 campaign: 1 differs

  ! clients/acorn: 1 campaign: 1 differs
  ✓ clients/birch: 0 campaigns

~ clients/acorn: Campaign 0  differs  clients/acorn/campaigns/0.yaml
    settings
      ~ max_emails_per_day  20 → 50
`);
});
