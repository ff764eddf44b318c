import { describe, expect, it } from 'vitest';
import { isZone } from '../../src/email/local-time.js';
import type { SendingHours } from '../../src/model/outputs.js';
import { readCases } from '../support/cases.js';
import { firstWindows } from './reference.js';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const at = (text: string) => Date.parse(text);
const office: SendingHours = {
  days: WEEK.slice(0, 5),
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/Paris',
};

/** One window of a schedule on every day, as text: date, start and end in UTC. */
function windowOf(timezone: string, hours: string, date: string): string {
  const [start_time = '', end_time = ''] = hours.split('–');
  const from = at(`${date}T00:00:00Z`) - 86_400_000;
  const match = firstWindows({ days: WEEK, start_time, end_time, timezone }, from, 5).find(
    (window) => window.date === date,
  );
  if (match === undefined) return 'none';
  const utc = (instant: number) => new Date(instant).toISOString().slice(5, 16);
  return `${utc(match.start)} ${utc(match.end)}`;
}

describe('the windows of a schedule', () => {
  it('are those of its days, from the one that is open or comes next', () => {
    const windows = [
      { date: '2026-02-27', start: at('2026-02-27T08:00:00Z'), end: at('2026-02-27T16:00:00Z') },
      { date: '2026-03-02', start: at('2026-03-02T08:00:00Z'), end: at('2026-03-02T16:00:00Z') },
    ];
    expect(firstWindows(office, at('2026-02-26T20:00:00Z'), 2)).toEqual(windows);
    expect(firstWindows(office, at('2026-02-27T15:59:59Z'), 2)).toEqual(windows);
    expect(firstWindows(office, at('2026-02-27T16:00:00Z'), 1)).toEqual(windows.slice(1));
    expect(firstWindows(office, at('2026-02-27T16:00:00Z'), 0)).toEqual([]);
  });

  it('include the previous day, if the clock goes back past midnight into its window', () => {
    const night = { days: WEEK, start_time: '23:00', end_time: '23:30', timezone: 'America/St_Johns' };
    const [window] = firstWindows(night, at('2010-11-07T02:30:30Z'), 1);
    expect([window?.date, window?.end]).toEqual(['2010-11-06', at('2010-11-07T03:00:00Z')]);
  });

  it.each<[string, Partial<SendingHours>]>([
    ['without days', { days: [] }],
    ['with days that do not exist', { days: ['someday'] }],
    ['that ends when it starts', { end_time: '09:00' }],
    ['that ends before it starts', { start_time: '22:00', end_time: '06:00' }],
    ['with times that are none', { start_time: 'early' }],
    ['beyond midnight', { end_time: '25:00' }],
  ])('are none for a schedule %s', (_, part) => {
    expect(firstWindows({ ...office, ...part }, at('2026-02-27T00:00:00Z'), 3)).toEqual([]);
  });

  it('are correct around clock changes', async () => {
    const matches = readCases(import.meta.dirname, 'windows').map(([title, text]) => {
      const [zone = '', hours = '', date = ''] = text.split(' ');
      return `${title}: ${windowOf(zone, hours, date)}\n`;
    });
    await expect(matches.join('')).toMatchFileSnapshot('golden/windows.txt');
  });
});

describe('a time zone', () => {
  it('is known or unknown, whatever its name contains', () => {
    expect(['Europe/Paris', 'UTC', 'Mars/Base', '', '\u001b[2J'].map(isZone)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(() => firstWindows({ ...office, timezone: 'Mars/Base' }, 0, 1)).toThrow(RangeError);
  });
});
