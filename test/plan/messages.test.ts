import { expect, test } from 'vitest';
import { MESSAGES, problem } from '../../src/plan/messages.js';
import { page, readCases } from '../support/cases.js';

test('the page shows each message of the planner', async () => {
  const calls = readCases<never[][]>(import.meta.dirname, 'messages') as [keyof typeof MESSAGES, never[][]][];
  expect(calls.map(([key]) => key)).toEqual(Object.keys(MESSAGES));
  const problems = calls.flatMap(([key, all]) => all.map((facts) => problem(key, ...(facts as never))));
  await expect(page(problems)).toMatchFileSnapshot('golden/messages.txt');
});
