import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { renderCalendarMarkdown, renderCalendarText } from '../../src/view/calendar.js';
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
      'the schedule has no window',
    );
  });

  it('says what does not go out within ten years', () => {
    const text = shown({ rules: { ...rules, max_emails_per_day: 1, waits: [3, 9000] }, leads: 50_000 });
    expect(text).toContain('50,000 leads: 100,000 emails on 2,610 days');
    expect(text).toContain('emails not within 10 years.');
    expect(shown({ rules: { ...rules, waits: [3, 9000, 1, 1] }, leads: null })).toContain(
      '2 steps cannot go out within 10 years.',
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

const html = (markdown: string) =>
  micromark(markdown, { extensions: [gfm()], htmlExtensions: [gfmHtml()], allowDangerousHtml: true });
/** What stands in the code spans of a page, as a reader sees it. */
const codes = (page: string) =>
  [...page.matchAll(/<code>(.*?)<\/code>/gs)].map(([, text = '']) =>
    text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&'),
  );
const tags = (page: string) => [...new Set([...page.matchAll(/<(\w+)/g)].map(([, tag]) => tag))].sort();
const OURS = [
  'code',
  'details',
  'h4',
  'li',
  'p',
  'summary',
  'table',
  'tbody',
  'td',
  'th',
  'thead',
  'tr',
  'ul',
];

describe('the calendar in Markdown', () => {
  it('is a table of first sends, a folded one of the forecast, and a list of notes', async () => {
    const markdown = renderCalendarMarkdown([calendarWith({})]);
    await expect(markdown).toMatchFileSnapshot('golden/calendar.md');
    expect(tags(html(markdown))).toEqual(OURS);
  });

  it('says why nothing is sent', () => {
    const markdown = renderCalendarMarkdown([calendarWith({ rules: { ...rules, max_emails_per_day: 0 } })]);
    expect(html(markdown)).toContain('<strong>Nothing is sent while max_emails_per_day is 0.</strong>');
  });

  it('shows any name and subject as it is, and nothing in them works', () => {
    const pieces = [
      '`',
      '``',
      '|',
      '\\',
      '@name',
      '#1',
      '<b>',
      '</details>',
      '[a](http://example.com)',
      '*',
      '_',
      '~~',
      '&lt;',
      'www.example.com',
      ' ',
      'é',
      '::',
      '\n',
      '<!--',
      '$x$',
    ];
    const hostile = fc.string({ unit: fc.constantFrom(...pieces), maxLength: 12 }).map((text) => `a${text}z`);
    fc.assert(
      fc.property(hostile, hostile, (name, subject) => {
        const page = html(
          renderCalendarMarkdown([calendarWith({ name, subjects: [subject, 'Two', `${subject}\\`] })]),
        );
        const line = (text: string) => text.replaceAll('\n', '⏎');
        const cell = (text: string) =>
          line(text).replace(/\\+(?=\|)/g, (found) => '<U+005C>'.repeat(found.length));
        expect(tags(page)).toEqual(OURS);
        const [heading, , first, second, third] = codes(page);
        expect([heading, first, second, third]).toEqual([
          line(name),
          cell(subject),
          'Two',
          cell(`${subject}\\`),
        ]);
      }),
      { numRuns: 150 },
    );
  });

  it('spells a backslash out where it would be taken for the escape of a bar', () => {
    const page = html(renderCalendarMarkdown([calendarWith({ subjects: ['a\\|b', 'C:\\d\\', '\\\\|'] })]));
    expect(codes(page).slice(2)).toEqual(['a<U+005C>|b', 'C:\\d\\', '<U+005C><U+005C>|']);
  });

  it('shows a text of nothing but blanks or backticks', () => {
    const page = html(renderCalendarMarkdown([calendarWith({ name: '``', subjects: ['', '` `', '|'] })]));
    expect(codes(page).filter((_, index) => index !== 1)).toEqual(['``', '` `', '|']);
    expect(page).toContain('<td><em>empty</em></td>');
  });
});
