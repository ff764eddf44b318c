/** What is much too much stays within what the readers of a view take. */
import '../../src/model/html-library.js';
import { expect, test } from 'vitest';
import { htmlToText } from '../../src/email/mail.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { renderFindingsSarif } from '../../src/view/reports.js';
import { planOf } from '../support/plans.js';
import { finding } from './findings.js';
import { CHANGED, CREATED } from './plans.js';

test('26,000 findings with long messages stay within 25,000 results and 10 MB', () => {
  const tool = { rules: [], version: '1.2.3' };
  const long = Array.from({ length: 26_000 }, (_, index) =>
    finding({ line: index + 1, message: 'é'.repeat(300) }),
  );
  const log = renderFindingsSarif(long, tool);
  expect(Buffer.byteLength(log)).toBeGreaterThan(9_000_000);
  expect(Buffer.byteLength(log)).toBeLessThan(10_000_000);
  const short = long.map((one) => ({ ...one, message: '', hint: '', file: 'a' }));
  const results = JSON.parse(renderFindingsSarif(short, tool, { results: 25_000, bytes: 1e9 }));
  expect(results.runs[0].results).toHaveLength(25_000);
});

test('the page of a plan of 300 campaigns is readable: few unfolded, no more frames than a browser likes', () => {
  const many = Array.from({ length: 300 }, (_, at) => ({
    ...(at % 2 === 0 ? CREATED : CHANGED),
    name: `Campaign ${at}`,
  }));
  const page = renderPlanHtml(planOf(many));
  expect(page.match(/<details class="campaign" open>/g)).toHaveLength(3);
  expect(page.match(/<iframe /g)?.length).toBeLessThanOrEqual(200);
  expect(htmlToText(page).replace(/\s+/g, ' ')).toContain('This page holds many emails');
  expect(page.length / 300).toBeLessThan(16_000);
});
