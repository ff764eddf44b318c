import { expect, test } from 'vitest';
import { check, seen } from './check.js';

const MAIN = 'campaigns/spring.yaml';

test('a thousand are fine, more are too many, and too much text is said before it is made', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index).join(', ');
  const of = (count: number) => `for_each: [${numbers(count)}]\nname: C \${{ value }}\n`;
  expect(check({ [MAIN]: of(1000) }).campaigns[0]).toHaveLength(1000);
  expect(seen(of(1001)).map(([place, message]) => [place, message])).toEqual([
    ['1:11+4896 wrong-value', 'for_each has more than 1000 entries.'],
  ]);
  const steps = '    - { email_subject: S, email_body: "${{ t }}!", wait_in_days: 1 }\n'.repeat(200);
  const bomb = `for_each: [{ a: 1, t: ${'x'.repeat(500_000)} }]\nname: C \${{ a }}\nsequence:\n  title: T\n  steps:\n${steps}`;
  expect(seen(bomb).map(([place]) => place)).toEqual(['14:39+11 wrong-value']);
});
