import { expect, it } from 'vitest';
import { nearest } from '../../src/manifest/errors.js';

it.each<[string, string[], string | null]>([
  ['CTIY', ['COMPANY', 'CITY'], 'CITY'],
  ['first_name', ['LAST_NAME', 'FIRST_NAME'], 'FIRST_NAME'],
  ['COMPANY WEBSTE', ['COMPANY', 'COMPANY WEBSITE'], 'COMPANY WEBSITE'],
  ['TITLE', ['FIRST_NAME', 'COMPANY'], null],
  ['A', [], null],
])('the nearest to %s among %j is %s', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});
