import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast, type SendingRules } from '../../src/email/forecast.js';
import { dayAt, isZone, localAt, offsetAt, parseDay, toInstant } from '../../src/email/local-time.js';
import { TIMEZONES } from '../../src/model/sections.js';
import { dayLines } from '../support/days.js';
import { firstWindows, referenceOffset, referenceWindows, transitions } from './reference.js';

/** Compares windows over years, zones and clock changes with an independent time-zone library. */

const DAY = 86_400_000;
const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const [FROM, TO] = [Date.UTC(2020, 0, 5), Date.UTC(2037, 11, 20)];

/**
 * The instant from which Node and moment-timezone disagree about the zone, because one has newer rules; otherwise, the end.
 */
const AGREED = new Map(TIMEZONES.map((zone) => [zone, agreedUntil(zone)]));

function agreedUntil(zone: string): number {
  const weekly = Array.from({ length: Math.ceil((TO - FROM) / DAY / 7) }, (_, week) => FROM + week * 7 * DAY);
  const instants = [...weekly, ...transitions(zone).flatMap((at) => [at - 1000, at])].sort((a, b) => a - b);
  return instants.find((at) => offsetAt(zone, at) !== referenceOffset(zone, at)) ?? TO;
}

const everyDay = (start_time: string, end_time: string, timezone: string) => ({
  days: WEEK,
  start_time,
  end_time,
  timezone,
});

describe('the zones of the API', () => {
  it('are all known to Node, and all but a few have the same rules in both data sets up to 2037', () => {
    expect(TIMEZONES.filter((zone) => !isZone(zone))).toEqual([]);
    // In 2026, Morocco abolished clock changes, which older data lack.
    const disputed = [...AGREED].filter(([, until]) => until < TO).map(([zone]) => zone);
    expect(disputed.filter((zone) => zone !== 'Africa/Casablanca').length, disputed.join()).toBeLessThan(3);
  });

  it('give the same windows on every day around every change of the clock from 2020 to 2037', () => {
    const shapes = ['00:00–00:30', '01:30–02:30', '02:15–02:45', '23:30–23:59', '08:00–20:00'];
    let compared = 0;
    for (const zone of TIMEZONES) {
      const changes = transitions(zone).filter((at) => at > FROM && at < (AGREED.get(zone) ?? 0) - 8 * DAY);
      for (const shape of shapes) {
        const [start = '', end = ''] = shape.split('–');
        for (const change of changes) {
          const day = dayAt(zone, change);
          const schedule = everyDay(start, end, zone);
          const expected = referenceWindows(
            schedule,
            [-1, 0, 1, 2].map((offset) => day + offset),
          );
          const from = expected[0]?.start ?? 0;
          expect(firstWindows(schedule, from, expected.length), `${zone} ${shape}`).toEqual(expected);
          compared += expected.length;
        }
      }
    }
    expect(compared).toBeGreaterThan(20_000);
  });

  it('give the same windows for any schedule at any time', () => {
    const time = fc
      .integer({ min: 0, max: 1439 })
      .map((minute) => new Date(minute * 60_000).toISOString().slice(11, 16));
    const schedules = fc.record({
      days: fc.subarray(WEEK, { minLength: 1 }),
      start_time: time,
      end_time: time,
      timezone: fc.constantFrom(...TIMEZONES),
    });
    fc.assert(
      fc.property(schedules, fc.integer({ min: FROM, max: TO - 30 * DAY }), (schedule, from) => {
        fc.pre(from < (AGREED.get(schedule.timezone) ?? 0) - 60 * DAY);
        const days = Array.from({ length: 40 }, (_, index) => Math.floor(from / DAY) - 3 + index);
        const expected = referenceWindows(schedule, days).filter(({ end }) => end > from);
        expect(firstWindows(schedule, from, 3)).toEqual(expected.slice(0, 3));
      }),
    );
  });

  it('convert every instant to a local time and back', () => {
    fc.assert(
      fc.property(fc.constantFrom(...TIMEZONES), fc.integer({ min: FROM, max: TO }), (zone, instant) => {
        const local = localAt(zone, instant);
        const back = [toInstant(zone, local, 'first'), toInstant(zone, local, 'last')];
        expect(back).toContain(instant);
        expect(back.map((at) => localAt(zone, at))).toEqual([local, local]);
      }),
    );
  });
});

/** The expected forecast, computed lead by lead and day by day. */
function oneByOne({ schedule, waits, ...caps }: SendingRules, from: number, leads: number) {
  const people = Array.from({ length: leads }, () => ({ step: 0, due: 0, sent: [] as number[] }));
  const rows: string[] = [];
  for (const { date } of firstWindows(schedule, from, 400)) {
    const today = parseDay(date);
    const by_step = waits.map(() => 0);
    const started = people.filter(({ step, due }) => step > 0 && step < waits.length && due <= today);
    const follow = started
      .sort((a, b) => a.due - b.due || b.step - a.step)
      .slice(0, caps.max_emails_per_day ?? leads);
    const room = Math.min(
      (caps.max_emails_per_day ?? leads + follow.length) - follow.length,
      caps.max_new_leads_per_day ?? leads,
    );
    const fresh = people.filter(({ step }) => step === 0).slice(0, room);
    for (const person of [...follow, ...fresh]) {
      by_step[person.step] = (by_step[person.step] ?? 0) + 1;
      person.due = today + (waits[person.step] ?? 0);
      person.step += 1;
      person.sent.push(today);
    }
    if (follow.length + fresh.length > 0) rows.push(`${date} ${by_step.join(' ')}`);
  }
  return { rows, sent: people.map(({ sent }) => sent) };
}

const anyRules = fc.record({
  schedule: fc.record({
    days: fc.subarray(WEEK, { minLength: 1 }),
    start_time: fc.constant('09:00'),
    end_time: fc.constant('17:00'),
    timezone: fc.constantFrom('Europe/Paris', 'America/Santiago', 'Pacific/Auckland'),
  }),
  waits: fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 4 }),
  max_emails_per_day: fc.option(fc.integer({ min: 1, max: 12 })),
  max_new_leads_per_day: fc.option(fc.integer({ min: 1, max: 12 })),
});
const anyTime = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });

it('a forecast equals one that follows each lead separately', () => {
  fc.assert(
    fc.property(anyRules, anyTime, fc.integer({ min: 1, max: 40 }), (any, from, leads) => {
      const expected = oneByOne(any, from, leads);
      expect(dayLines(forecast(any, from, leads))).toEqual(expected.rows);
      for (const sent of expected.sent) expect(sent.length).toBe(any.waits.length);
    }),
  );
});

it('a forecast sends every lead every step once, and respects caps, waits and days', () => {
  fc.assert(
    fc.property(anyRules, anyTime, fc.integer({ min: 1, max: 1500 }), (any, from, leads) => {
      const outlook = forecast(any, from, leads);
      const days = (outlook?.per_day ?? []).map((day) => ({ ...day, day: parseDay(day.date) }));
      const upTo = (step: number, last: number) =>
        days.reduce((sum, { day, by_step }) => (day <= last ? sum + (by_step[step] ?? 0) : sum), 0);
      const sent = any.waits.map((_, step) => upTo(step, Number.POSITIVE_INFINITY));
      const emails = outlook === null ? 0 : leads * any.waits.length;
      expect(sent.reduce((sum, number) => sum + number, outlook?.unsent ?? 0)).toBe(emails);
      expect(Math.max(...sent)).toBe(outlook?.unsent === 0 ? leads : sent[0]);
      const { max_emails_per_day, max_new_leads_per_day } = any;
      const excessive = days.filter(
        ({ by_step }) =>
          by_step.reduce((sum, number) => sum + number, 0) >
            (max_emails_per_day ?? Number.POSITIVE_INFINITY) ||
          (by_step[0] ?? 0) > (max_new_leads_per_day ?? Number.POSITIVE_INFINITY),
      );
      expect(excessive).toEqual([]);
      const weekdays = new Set(days.map(({ date }) => WEEK[(new Date(date).getUTCDay() + 6) % 7]));
      expect([...weekdays].filter((weekday) => !any.schedule.days.includes(weekday ?? ''))).toEqual([]);
      const tooSoon = days
        .slice(0, 60)
        .filter(({ day }) =>
          any.waits.slice(0, -1).some((wait, step) => upTo(step + 1, day) > upTo(step, day - wait)),
        );
      expect(tooSoon).toEqual([]);
    }),
    { numRuns: 20 },
  );
});
