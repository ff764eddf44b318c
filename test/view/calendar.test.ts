import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderCalendarText } from '../../src/view/calendar.js';
import { coloured, plain } from '../../src/view/terminal.js';
import { calendarWith, rules } from './calendars.js';

const shown = (part: Parameters<typeof calendarWith>[0], width = 80) =>
  renderCalendarText([calendarWith(part)], { paint: plain, width });

describe('the calendar in a terminal', () => {
  it('shows each first send, the forecast by week, and what is left out', async () => {
    await expect(shown({})).toMatchFileSnapshot('golden/calendar-weeks.txt');
  });

  it('shows the days where they are few', async () => {
    await expect(shown({ leads: 150 })).toMatchFileSnapshot('golden/calendar-days.txt');
  });

  it('shows the first sends alone where the number of leads is not known', async () => {
    await expect(shown({ leads: null, rules: { ...rules, max_emails_per_day: null } })).toMatchFileSnapshot(
      'golden/calendar-no-leads.txt',
    );
  });

  it('shows local times, on a day on which the clock jumps too', () => {
    const schedule = { ...rules.schedule, days: ['sunday'], start_time: '02:15', end_time: '05:00' };
    const lines = shown({ rules: { ...rules, schedule, waits: [28, 7, 1] }, leads: null }).split('\n');
    expect(lines.slice(4, 7).map((line) => line.slice(0, 36))).toEqual([
      '  1  Sun 1 Mar 2026   02:15–05:00  {',
      '  2  Sun 29 Mar 2026  03:00–05:00  R',
      '  3  Sun 5 Apr 2026   02:15–05:00  O',
    ]);
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
      'the schedule has no sending window',
    );
  });

  it('says what does not go out within ten years', () => {
    const text = shown({ rules: { ...rules, max_emails_per_day: 1, waits: [3, 9000] }, leads: 50_000 });
    expect(text).toContain('50,000 leads: 100,000 emails on 2,610 days');
    expect(text).toContain('emails not within 10 years.');
    expect(shown({ rules: { ...rules, waits: [3, 9000, 1, 1] }, leads: null })).toContain(
      '2 steps cannot be sent within 10 years.',
    );
  });

  it('keeps to the width, and lets no text of others move the terminal or add a line', () => {
    const pieces = fc.constantFrom('\u001b[2J', '\r', '\n', '\u202e', 'Wort', ' ', '::', '|', 'é');
    const lines = (name: string, subject: string) =>
      shown({ name, subjects: [subject, subject, subject] }).split('\n');
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
