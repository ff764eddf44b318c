import fc from 'fast-check';
import ical from 'ical.js';
import { describe, expect, it } from 'vitest';
import { renderCalendarIcs } from '../../src/view/calendar-ics.js';
import { calendarWith, rules, SATURDAY } from './calendars.js';

/** The events as a calendar program reads them. */
function eventsOf(text: string) {
  const root = new ical.Component(ical.parse(text));
  return root.getAllSubcomponents('vevent').map((component) => {
    const event = new ical.Event(component);
    const [start, end] = [event.startDate, event.endDate].map((time) => time.toJSDate().toISOString());
    return { uid: event.uid, start, end, summary: event.summary, description: event.description };
  });
}

describe('the calendar for a calendar program', () => {
  it('has an event for the first send of each step and one for the last email', () => {
    expect(renderCalendarIcs([calendarWith({ leads: 150 })], SATURDAY)).toMatchInlineSnapshot(`
      "BEGIN:VCALENDAR
      VERSION:2.0
      PRODID:-//campaignctl//sending calendar//EN
      CALSCALE:GREGORIAN
      METHOD:PUBLISH
      BEGIN:VEVENT
      UID:92305247f284456a0e6d5a197b9e0a81-step-1@campaignctl
      DTSTAMP:20260228T120000Z
      DTSTART:20260302T080000Z
      DTEND:20260302T160000Z
      SUMMARY:Spring installers: email 1 of 3 first goes out
      DESCRIPTION:Subject: {FIRST_NAME}\\, a question about the installers of {COM
       PANY}\\nMon 2 Mar 2026\\, 09:00–17:00 (Europe/Paris)
      TRANSP:TRANSPARENT
      END:VEVENT
      BEGIN:VEVENT
      UID:92305247f284456a0e6d5a197b9e0a81-step-2@campaignctl
      DTSTAMP:20260228T120000Z
      DTSTART:20260305T080000Z
      DTEND:20260305T160000Z
      SUMMARY:Spring installers: email 2 of 3 first goes out
      DESCRIPTION:Subject: Re: a question\\nThu 5 Mar 2026\\, 09:00–17:00 (Europe
       /Paris)
      TRANSP:TRANSPARENT
      END:VEVENT
      BEGIN:VEVENT
      UID:92305247f284456a0e6d5a197b9e0a81-step-3@campaignctl
      DTSTAMP:20260228T120000Z
      DTSTART:20260309T080000Z
      DTEND:20260309T160000Z
      SUMMARY:Spring installers: email 3 of 3 first goes out
      DESCRIPTION:Subject: One last try\\nMon 9 Mar 2026\\, 09:00–17:00 (Europe/P
       aris)
      TRANSP:TRANSPARENT
      END:VEVENT
      BEGIN:VEVENT
      UID:92305247f284456a0e6d5a197b9e0a81-last@campaignctl
      DTSTAMP:20260228T120000Z
      DTSTART:20260310T080000Z
      DTEND:20260310T160000Z
      SUMMARY:Spring installers: last of about 450 emails
      DESCRIPTION:150 leads: 450 emails on 6 days\\, the first from Mon 2 Mar 2026
        09:00\\, the last by Tue 10 Mar 2026 17:00.\\nTue 10 Mar 2026\\, 09:00–17:
       00 (Europe/Paris)
      TRANSP:TRANSPARENT
      END:VEVENT
      END:VCALENDAR
      "
    `);
    const events = eventsOf(renderCalendarIcs([calendarWith({ leads: 150 })], SATURDAY));
    expect(events.map(({ start, end, summary }) => [start, end, summary])).toEqual([
      [
        '2026-03-02T08:00:00.000Z',
        '2026-03-02T16:00:00.000Z',
        'Spring installers: email 1 of 3 first goes out',
      ],
      [
        '2026-03-05T08:00:00.000Z',
        '2026-03-05T16:00:00.000Z',
        'Spring installers: email 2 of 3 first goes out',
      ],
      [
        '2026-03-09T08:00:00.000Z',
        '2026-03-09T16:00:00.000Z',
        'Spring installers: email 3 of 3 first goes out',
      ],
      ['2026-03-10T08:00:00.000Z', '2026-03-10T16:00:00.000Z', 'Spring installers: last of about 450 emails'],
    ]);
  });

  it('keeps the names of its events when dates move, so that importing again moves them', () => {
    const uids = (part: object) =>
      eventsOf(renderCalendarIcs([calendarWith(part)], SATURDAY)).map(({ uid }) => uid);
    const changed = { subjects: ['a', 'b', 'c'], rules: { ...rules, waits: [1, 1, 1] }, leads: 7 };
    expect(uids(changed)).toEqual(uids({}));
    const two = eventsOf(renderCalendarIcs([calendarWith({}), calendarWith({ name: 'Autumn' })], SATURDAY));
    expect(new Set(two.map(({ uid }) => uid)).size).toBe(8);
  });

  it('has no last email where none is known, and no events where nothing is sent', () => {
    const count = (part: object) => eventsOf(renderCalendarIcs([calendarWith(part)], SATURDAY)).length;
    expect(count({ leads: null })).toBe(3);
    expect(count({ leads: 100_000, rules: { ...rules, max_emails_per_day: 1 } })).toBe(3);
    expect(count({ rules: { ...rules, max_emails_per_day: 0 } })).toBe(0);
  });

  it('gives any text back as it was, in lines of at most 75 octets', () => {
    const pieces = fc.constantFrom(
      ',',
      ';',
      '\\',
      '\\n',
      ':',
      '"',
      ' ',
      'BEGIN:VEVENT',
      '\n',
      'é',
      '日本',
      '👩‍🚒',
      'plain words ',
    );
    const hostile = fc.string({ unit: pieces, maxLength: 40 }).map((text) => `a${text}z`);
    fc.assert(
      fc.property(hostile, hostile, (name, subject) => {
        const text = renderCalendarIcs(
          [calendarWith({ name, subjects: [subject, subject, subject] })],
          SATURDAY,
        );
        const lines = text.split('\r\n');
        expect(lines.pop()).toBe('');
        expect(lines.filter((line) => Buffer.byteLength(line) > 75 || /[\r\n\ufffd]/.test(line))).toEqual([]);
        // The joiner inside of the firefighter is invisible, and so written out.
        const line = (given: string) => given.replaceAll('\n', '⏎').replaceAll('\u200d', '<U+200D>');
        const [first] = eventsOf(text);
        expect(first?.summary).toBe(`${line(name)}: email 1 of 3 first goes out`);
        expect(first?.description.split('\n')[0]).toBe(`Subject: ${line(subject)}`);
      }),
      { numRuns: 200 },
    );
  });
});
