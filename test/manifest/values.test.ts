import { expect, test } from 'vitest';
import { check } from './check.js';

test.each([
  ['a comment with a line separator', 'name: Spring # for the\u2028fair\n', 'Spring'],
  ['a comment with a paragraph separator', 'name: Spring # for the\u2029fair\n', 'Spring'],
])('%s is no part of the value', (_, text, name) => {
  const { campaigns } = check({ 'campaigns/spring.yaml': text });
  expect(campaigns[0]?.map(({ spec }) => spec.name)).toEqual([name]);
});
