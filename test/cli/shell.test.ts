import { afterEach, expect, test, vi } from 'vitest';
import { processShell } from '../../src/cli/shell.js';

afterEach(() => vi.unstubAllEnvs());

function nowWith(seconds: string): number {
  vi.stubEnv('SOURCE_DATE_EPOCH', seconds);
  return processShell({ color: 'never', quiet: true }).now();
}

test('SOURCE_DATE_EPOCH fixes the time', () => {
  expect(nowWith('0')).toBe(0);
  expect(nowWith('1772431200')).toBe(Date.UTC(2026, 2, 2, 6));
  expect(nowWith('99999999999')).toBe(99_999_999_999_000);
});

test('an empty SOURCE_DATE_EPOCH does not', () => {
  expect(Math.abs(nowWith('') - Date.now())).toBeLessThan(60_000);
});

test.each(['tomorrow', '-1', '1772431200.5', '1772431200000', '99999999999999999', ' '])(
  'a SOURCE_DATE_EPOCH of "%s" is an error',
  (seconds) => expect(() => nowWith(seconds)).toThrow('which is not a time in whole seconds since 1970'),
);
