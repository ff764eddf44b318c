import fc from 'fast-check';
import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, it } from 'vitest';
import { renderCalendarMarkdown } from '../../src/view/calendar.js';
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

describe('the calendar in Markdown, as a platform shows it', () => {
  it('is of these tags and no others', () => {
    expect(tags(html(renderCalendarMarkdown([calendarWith({})])))).toEqual(OURS);
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
