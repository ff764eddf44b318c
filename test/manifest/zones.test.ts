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
  ['Europe/Kyiv', 'Europe/Kiev'],
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
  ['GMT', 'Africa/Monrovia'],
  ['UTC', 'Africa/Monrovia'],
  ['GMT+1', 'Africa/Lagos'],
  ['UTC+2', 'Africa/Johannesburg'],
  ['UTC-5', 'America/Bogota'],
  ['UTC-8', 'America/Los_Angeles'],
  ['Eastern Time (US & Canada)', 'America/New_York'],
  ['(GMT-05:00) Eastern Time (US & Canada)', 'America/New_York'],
  ['+05:30', 'Asia/Kolkata'],
  ['Etc/GMT-1', 'Africa/Lagos'],
  ['Europe/Pairs', 'Europe/Paris'],
  ['Europe/Stokholm', 'Europe/Stockholm'],
  ['America/Boston', 'America/New_York'],
  ['America/Miami', 'America/New_York'],
  ['America/Atlanta', 'America/New_York'],
  ['America/Washington', 'America/New_York'],
  ['America/Dallas', 'America/Chicago'],
  ['US/Seattle', 'America/Los_Angeles'],
  ['Las Vegas', 'America/Los_Angeles'],
  ['Europe/Munich', 'Europe/Berlin'],
  ['München', 'Europe/Berlin'],
  ['Europe/Milan', 'Europe/Rome'],
  ['Europe/Lyon', 'Europe/Paris'],
  ['Europe/Manchester', 'Europe/London'],
  ['America/Manchester', null],
  ['America/Nowhere', null],
  ['Europe/Lund', null],
  ['Asia/Mumbai', 'Asia/Kolkata'],
  ['Asia/Bangalore', 'Asia/Kolkata'],
  ['Asia/Osaka', 'Asia/Tokyo'],
  ['Asia/Beijing', 'Asia/Hong_Kong'],
  ['Africa/Capetown', 'Africa/Johannesburg'],
  ['Toronto', 'America/New_York'],
  ['Montreal', 'America/New_York'],
  ['Vancouver', 'America/Los_Angeles'],
  ['Dublin', 'Europe/London'],
  ['Zurich', 'Europe/Paris'],
  ['Dubai', 'Asia/Muscat'],
  ['Melbourne', 'Australia/Melbourne'],
  ['São Paulo', 'America/Sao_Paulo'],
  ['Eastern Time', 'America/New_York'],
  ['Pacific Standard Time', 'America/Los_Angeles'],
  ['NYC', 'America/New_York'],
  ['London', 'Europe/London'],
  ['Germany', 'Europe/Berlin'],
  ['USA', null],
  ['+1', 'Africa/Lagos'],
  ['my zone', null],
])('%s means %s', (text, zone) => {
  expect(zoneMeant(text)).toBe(zone);
});

it('is every allowed zone itself', () => {
  expect(TIMEZONES.filter((zone) => zoneMeant(zone) !== zone)).toEqual([]);
});

it('gives every city that Intl knows the clock it has', () => {
  const now = (zone: string) =>
    [0, 6].map((month) => new Date(Date.UTC(2026, month, 15)).toLocaleString('en-GB', { timeZone: zone }));
  const wrong = Intl.supportedValuesOf('timeZone').filter((zone) => {
    const meant = zoneMeant(zone);
    return meant !== null && now(meant).join() !== now(zone).join();
  });
  expect(wrong).toEqual([]);
});
