import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCalendarText } from '../../src/view/calendar-text.js';
import { coloured, plain } from '../../src/view/paint.js';
import { calendarWith, rules } from './calendars.js';

const shown = (part: Parameters<typeof calendarWith>[0], width = 80) =>
  renderCalendarText([calendarWith(part)], { paint: plain, width });

describe('the calendar in a terminal', () => {
  it('shows each first send in both zones, the forecast by week, and what is irregular', () => {
    expect(shown({ readerZone: 'America/New_York' })).toMatchInlineSnapshot(`
      "Spring installers
        Sends mon–fri 09:00–17:00 Europe/Paris, up to 200 emails and 100 new leads a
        day

        #  First goes out   Paris        New York     Subject
        1  Mon 2 Mar 2026   09:00–17:00  03:00–11:00  {FIRST_NAME}, a question about…
        2  Thu 5 Mar 2026   09:00–17:00  03:00–11:00  Re: a question
        3  Tue 10 Mar 2026  09:00–17:00  04:00–12:00  One last try

        1,200 leads: 3,600 emails on 24 days, the first from Mon 2 Mar 2026 09:00, the
        last by Mon 6 Apr 2026 17:00.

        Week                          Days  New leads  Emails  Step 1  Step 2  Step 3
        Mon 2 Mar – Fri 6 Mar 2026       5        500     700     500     200       0
        Mon 9 Mar – Fri 13 Mar 2026      5        200     900     200     300     400
        Mon 16 Mar – Fri 20 Mar 2026     5        300     800     300     300     200
        Mon 23 Mar – Fri 27 Mar 2026     5        200     700     200     200     300
        Mon 30 Mar – Fri 3 Apr 2026      3          0     400       0     200     200
        Mon 6 Apr 2026                   1          0     100       0       0     100

        No sending on Sat, Sun.
        * Sun 8 Mar 2026: the clock goes forward an hour (America/New_York).
        * Sun 29 Mar 2026: the clock goes forward an hour (Europe/Paris).
        Assumed: follow-ups go out before new leads, waits count whole days, and
          nobody replies, bounces or unsubscribes.
      "
    `);
  });

  it('shows one zone where the clocks agree, and the days where they are few', () => {
    expect(shown({ leads: 150, readerZone: 'Europe/Berlin' })).toMatchInlineSnapshot(`
      "Spring installers
        Sends mon–fri 09:00–17:00 Europe/Paris, up to 200 emails and 100 new leads a
        day

        #  First goes out  Paris        Subject
        1  Mon 2 Mar 2026  09:00–17:00  {FIRST_NAME}, a question about the installers…
        2  Thu 5 Mar 2026  09:00–17:00  Re: a question
        3  Mon 9 Mar 2026  09:00–17:00  One last try

        150 leads: 450 emails on 6 days, the first from Mon 2 Mar 2026 09:00, the last
        by Tue 10 Mar 2026 17:00.

        Day              New leads  Emails  Step 1  Step 2  Step 3
        Mon 2 Mar 2026         100     100     100       0       0
        Tue 3 Mar 2026          50      50      50       0       0
        Thu 5 Mar 2026           0     100       0     100       0
        Fri 6 Mar 2026           0      50       0      50       0
        Mon 9 Mar 2026           0     100       0       0     100
        Tue 10 Mar 2026          0      50       0       0      50

        No sending on Sat, Sun.
        Assumed: follow-ups go out before new leads, waits count whole days, and
          nobody replies, bounces or unsubscribes.
      "
    `);
  });

  it('shows the first sends alone where the number of leads is not known', () => {
    expect(shown({ leads: null, rules: { ...rules, max_emails_per_day: null } })).toMatchInlineSnapshot(`
      "Spring installers
        Sends mon–fri 09:00–17:00 Europe/Paris, up to 100 new leads a day

        #  First goes out  Paris        Subject
        1  Mon 2 Mar 2026  09:00–17:00  {FIRST_NAME}, a question about the installers…
        2  Thu 5 Mar 2026  09:00–17:00  Re: a question
        3  Mon 9 Mar 2026  09:00–17:00  One last try

        No sending on Sat, Sun.
        max_emails_per_day is not known, and taken as no limit.
        Assumed: follow-ups go out before new leads, waits count whole days, and
          nobody replies, bounces or unsubscribes.
      "
    `);
  });

  it('marks the other day of a reader far away, and a day on which the clock changes', () => {
    const west = {
      ...rules.schedule,
      timezone: 'America/Los_Angeles',
      days: ['sunday'],
      start_time: '15:00',
      end_time: '20:00',
    };
    const lines = shown({ rules: { ...rules, schedule: west }, leads: null, readerZone: 'Asia/Tokyo' }).split(
      '\n',
    );
    expect(lines.slice(3, 7)).toMatchInlineSnapshot(`
      [
        "",
        "  #  First goes out    Los Angeles  Tokyo               Subject",
        "  1  Sun 1 Mar 2026    15:00–20:00  08:00–13:00 +1 day  {FIRST_NAME}, a questio…",
        "  2  Sun 8 Mar 2026 *  15:00–20:00  07:00–12:00 +1 day  Re: a question",
      ]
    `);
    const late = { ...west, days: ['monday'], start_time: '05:00', end_time: '10:00' };
    const across = shown({ rules: { ...rules, schedule: late }, leads: null, readerZone: 'Asia/Tokyo' });
    expect(across).toContain('Mon 22:00–Tue 03:00');
  });

  it('says why nothing is sent', () => {
    const reason = (part: object) =>
      shown({ rules: { ...rules, ...part } })
        .split('\n')
        .at(-2);
    expect([
      reason({ max_emails_per_day: 0 }),
      reason({ max_new_leads_per_day: 0 }),
      reason({ waits: [] }),
    ]).toEqual([
      '  Nothing is sent while max_emails_per_day is 0.',
      '  Nothing is sent while max_new_leads_per_day is 0.',
      '  Nothing is sent: the sequence has no steps.',
    ]);
    expect(shown({ rules: { ...rules, schedule: { ...rules.schedule, days: [] } } })).toContain(
      'the schedule has no window',
    );
  });

  it('says what does not go out within ten years', () => {
    const text = shown({ rules: { ...rules, max_emails_per_day: 1, waits: [3, 9000] }, leads: 50_000 });
    expect(text).toContain('50,000 leads: 100,000 emails on 2,610 days');
    expect(text).toContain('emails not within 10 years.');
    expect(text).toContain('* And 16 later changes of the clock.');
    expect(shown({ rules: { ...rules, waits: [3, 9000, 1, 1] }, leads: null })).toContain(
      '2 steps cannot go out within 10 years.',
    );
  });

  it('keeps to the width, and lets no text of others move the terminal or add a line', () => {
    const pieces = fc.constantFrom('\u001b[2J', '\r', '\n', '\u202e', 'Wort', ' ', '::', '|', 'é');
    const lines = (name: string, subject: string) =>
      shown({ name, subjects: [subject, subject, subject], readerZone: 'Asia/Tokyo' }).split('\n');
    const ordinary = lines('Spring', 'One');
    fc.assert(
      fc.property(fc.string({ unit: pieces }), fc.string({ unit: pieces }), (name, subject) => {
        const found = lines(name, subject);
        expect(found.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
        expect(found.slice(1).filter((line) => line.length > 80)).toEqual([]);
        expect(found.length).toBe(ordinary.length);
      }),
      { numRuns: 60 },
    );
  });

  it('is the same in colour', () => {
    const text = renderCalendarText([calendarWith({})], { paint: coloured, width: 80 });
    expect(text.replace(/\u001b\[\d+m/g, '')).toBe(shown({}));
  });
});
