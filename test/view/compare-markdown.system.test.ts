import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareEnvironments } from '../../src/plan/compare.js';
import { renderCompareMarkdown } from '../../src/view/compare.js';
import { campaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';

const step = (email_body: string) => ({ email_subject: 'Hi', email_body, wait_in_days: 3 });
const manifests = (body: (at: number) => string, many: number) =>
  Array.from({ length: many }, (_, at) =>
    campaign(`${at}.yaml`, { name: `Campaign ${at}`, sequence: { title: 'A', steps: [step(body(at))] } }),
  );
const comparison = (many: number, length: number) =>
  compareEnvironments(
    {
      environment: { ...environment(), name: 'staging' },
      campaigns: manifests((at) => `${at} ${'old '.repeat(length)}`, many),
    },
    { environment: environment(), campaigns: manifests((at) => `${at} ${'new '.repeat(length)}`, many) },
  );

test('a comparison as Markdown fits, closes what it opens, and counts what it does not show', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 800, max: 12_000 }),
      (many, length, limit) => {
        const text = renderCompareMarkdown(comparison(many, length), limit);
        expect(text.length).toBeLessThanOrEqual(limit);
        expect(text.split('<details').length).toBe(text.split('</details>').length);
        expect(text).toContain(`${many} ${many === 1 ? 'differs' : 'differ'}`);
        const named = (text.match(/Campaign \d+/g) ?? []).length;
        expect([0, many]).toContain(named);
      },
    ),
    { numRuns: 50 },
  );
});
