import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeValue, type HtmlTag, readHtml } from '../../src/email/html.js';

/** Each token as its kind and its source. */
function told(html: string): string[] {
  return readHtml(html).map((token) =>
    token.kind === 'text' ? token.source : `${token.kind} ${token.name} ${token.source}`,
  );
}

describe('HTML', () => {
  it.each([
    ['<P>Hi &amp; <br/>you</P >', ['open p <P>', 'Hi &amp; ', 'open br <br/>', 'you', 'close p </P >']],
    ['1 < 2 <3', ['1 ', '< 2 ', '<3']],
    ['a<!-- <b> -->b<!doctype x>c<?d?>e<![CDATA[f]]>', ['a', 'b', 'c', 'e']],
    ['<p title="a>b">c', ['open p <p title="a>b">', 'c']],
    ['<style>p>a{}</style>b', ['open style <style>', 'close style </style>', 'b']],
    ['<script>"</p>"</script >b', ['open script <script>', 'close script </script >', 'b']],
    ['<select><option>a<select></select>b', ['open select <select>', 'close select </select>', 'b']],
    ['a<b and no end', ['a']],
    ['<https://example.com/a>', ['open https: <https://example.com/a>']],
  ])('%s is read as a browser reads it', (html, tokens) => {
    expect(told(html)).toEqual(tokens);
  });

  it('has attributes as they are written, and their values as browsers take them', () => {
    const html = `<a title=" href=x" HREF='a?b&amp;c' href=second download alt = "&quot;&copy=1">`;
    const [tag] = readHtml(html) as HtmlTag[];
    expect(tag?.attributes.map(({ name, source }) => [name, source])).toEqual([
      ['title', ' href=x'],
      ['href', 'a?b&amp;c'],
      ['href', 'second'],
      ['download', ''],
      ['alt', '&quot;&copy=1'],
    ]);
    expect(['href', 'alt', 'download', 'src'].map((name) => tag && attributeValue(tag, name))).toEqual([
      'a?b&c',
      '"&copy=1',
      '',
      null,
    ]);
  });

  it('says where everything stands, whatever the text is', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '<a ',
      '</a',
      '/',
      '"',
      "'",
      '=',
      'href',
      '<!--',
      '--',
      '<style>',
      'é',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
        const html = parts.join('');
        let end = 0;
        for (const token of readHtml(html)) {
          expect(token.start).toBeGreaterThanOrEqual(end);
          end = token.start + token.source.length;
          const pieces = token.kind === 'text' ? [token] : [token, ...token.attributes];
          for (const { start, source } of pieces)
            expect(html.slice(start, start + source.length)).toBe(source);
        }
      }),
      { numRuns: Number(process.env.TRUST_CASES ?? 300) },
    );
  });
});
