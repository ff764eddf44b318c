import { expect, it } from 'vitest';
import { zoneMeant } from '../../src/manifest/zones.js';
import { TIMEZONES } from '../../src/model/sections.js';

it.each<[string, string | null]>([
  ['America/Toronto', 'America/New_York'],
  ['America/Vancouver', 'America/Los_Angeles'],
  ['US/Eastern', 'America/New_York'],
  ['US/Pacific', 'America/Los_Angeles'],
  ['Europe/Dublin', 'Europe/London'],
  ['Europe/Oslo', 'Europe/Paris'],
  ['Europe/Zurich', 'Europe/Paris'],
  ['Europe/Kyiv', 'Europe/Athens'],
  ['Asia/Calcutta', 'Asia/Kolkata'],
  ['Asia/Dubai', 'Asia/Muscat'],
  ['Asia/Shanghai', 'Asia/Hong_Kong'],
  ['Atlantic/Reykjavik', 'Africa/Monrovia'],
  ['Australia/Lord_Howe', null],
  ['Paris', 'Europe/Paris'],
  ['new york', 'America/New_York'],
  ['europe/paris', 'Europe/Paris'],
  ['America/New York', 'America/New_York'],
  ['EST', 'America/New_York'],
  ['EST5EDT', 'America/New_York'],
  ['cet', 'Europe/Paris'],
  ['GMT', 'Europe/London'],
  ['UTC', 'Africa/Monrovia'],
  ['GMT+1', 'Europe/Paris'],
  ['UTC+2', 'Europe/Athens'],
  ['UTC-5', 'America/New_York'],
  ['+05:30', 'Asia/Kolkata'],
  ['Etc/GMT-1', 'Europe/Paris'],
  ['Europe/Pairs', null],
  ['my zone', null],
])('%s means %s', (text, zone) => {
  expect(zoneMeant(text)).toBe(zone);
});

it('is every allowed zone itself', () => {
  expect(TIMEZONES.filter((zone) => zoneMeant(zone) !== zone)).toEqual([]);
});
