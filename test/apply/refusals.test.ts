import { expect, test } from 'vitest';
import { REASONS, refusal } from '../../src/apply/messages.js';
import { readCases } from '../support/cases.js';

test('the page shows each reason for not sending a request', async () => {
  const calls = readCases<never[]>(import.meta.dirname, 'refusals') as [keyof typeof REASONS, never[]][];
  expect(calls.map(([key]) => key)).toEqual(Object.keys(REASONS));
  const text = calls.flatMap(([key, all]) => all.map((facts) => `${key}\n  ${refusal(key, facts)}\n`));
  await expect(text.join('')).toMatchFileSnapshot('golden/refusals.txt');
});
