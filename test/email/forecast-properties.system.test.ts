import fc from 'fast-check';
import { expect, it } from 'vitest';
import { forecast, parseDay, type SendingRules } from '../../src/email/forecast.js';
import { firstWindows } from './reference.js';

const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

/** Dates and emails by step, briefly. */
const told = (outlook: ReturnType<typeof forecast>) =>
  outlook?.per_day.map(({ date, by_step }) => `${date} ${by_step.join(' ')}`);

/** Every lead by itself, day by day: what the forecast should come to. */
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

it('a forecast comes to the same as following every lead by itself', () => {
  fc.assert(
    fc.property(anyRules, anyTime, fc.integer({ min: 1, max: 40 }), (any, from, leads) => {
      const expected = oneByOne(any, from, leads);
      expect(told(forecast(any, from, leads))).toEqual(expected.rows);
      for (const sent of expected.sent) expect(sent.length).toBe(any.waits.length);
    }),
    { numRuns: 60 },
  );
});

it('a forecast gives every lead every step once, and keeps caps, waits and days', () => {
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
