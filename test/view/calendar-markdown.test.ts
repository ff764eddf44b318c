import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { renderCalendarMarkdown } from '../../src/view/calendar-markdown.js';
import { calendarWith, rules } from './calendars.js';

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
  it('is a table of first sends, a folded one of the forecast, and a list of notes', () => {
    const markdown = renderCalendarMarkdown([calendarWith({ readerZone: 'America/New_York' })]);
    expect(markdown).toMatchInlineSnapshot(`
      "#### Sending calendar: \`Spring installers\`

      Sends \`mon–fri 09:00–17:00 Europe/Paris, up to 200 emails and 100 new leads a day\`

      | # | First goes out | Paris | New York | Subject |
      | --: | --- | --- | --- | --- |
      | 1 | Mon 2 Mar 2026 | 09:00–17:00 | 03:00–11:00 | \`{FIRST_NAME}, a question about the installers of {COMPANY}\` |
      | 2 | Thu 5 Mar 2026 | 09:00–17:00 | 03:00–11:00 | \`Re: a question\` |
      | 3 | Tue 10 Mar 2026 | 09:00–17:00 | 04:00–12:00 | \`One last try\` |

      1,200 leads: 3,600 emails on 24 days, the first from Mon 2 Mar 2026 09:00, the last by Mon 6 Apr 2026 17:00.

      <details><summary>Emails per day</summary>

      | Week | Days | New leads | Emails | Step 1 | Step 2 | Step 3 |
      | --- | --: | --: | --: | --: | --: | --: |
      | Mon 2 Mar – Fri 6 Mar 2026 | 5 | 500 | 700 | 500 | 200 | 0 |
      | Mon 9 Mar – Fri 13 Mar 2026 | 5 | 200 | 900 | 200 | 300 | 400 |
      | Mon 16 Mar – Fri 20 Mar 2026 | 5 | 300 | 800 | 300 | 300 | 200 |
      | Mon 23 Mar – Fri 27 Mar 2026 | 5 | 200 | 700 | 200 | 200 | 300 |
      | Mon 30 Mar – Fri 3 Apr 2026 | 3 | 0 | 400 | 0 | 200 | 200 |
      | Mon 6 Apr 2026 | 1 | 0 | 100 | 0 | 0 | 100 |

      </details>

      - No sending on Sat, Sun.
      - \\* Sun 8 Mar 2026: the clock goes forward an hour (America/New\\_York).
      - \\* Sun 29 Mar 2026: the clock goes forward an hour (Europe/Paris).
      - Assumed: follow-ups go out before new leads, waits count whole days, and nobody replies, bounces or unsubscribes.
      "
    `);
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
