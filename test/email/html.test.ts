import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeValue, type HtmlTag, readHtml } from '../../src/email/html.js';
import { htmlToText } from '../../src/email/mail.js';

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

describe('the text form of an HTML mail', () => {
  it.each([
    ['paragraphs', '<p>Hi Anna,</p>\n<p>one\n  two</p>', 'Hi Anna,\n\none two'],
    ['lines', 'Kind regards,<br>Jo<br/><br>Example Ltd', 'Kind regards,\nJo\n\nExample Ltd'],
    ['blocks without empty lines', '<div>one</div><div>two</div>', 'one\ntwo'],
    ['words across inline elements', '<p>a <b> bold </b>word, un<i>broken</i></p>', 'a bold word, unbroken'],
    [
      'lists',
      '<ul><li>one<li>two</ul><ol><li>first</li><li>second</li></ol>',
      '- one\n- two\n\n1. first\n2. second',
    ],
    ['lists in lists', '<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>', '- a\n  - b\n- c'],
    ['links', '<a href="https://example.com/kit">our kit</a>.', 'our kit (https://example.com/kit).'],
    ['links that say where they lead', '<a href="https://example.com/">example.com</a>', 'example.com'],
    ['links of an address', '<a href="mailto:jo@example.com">jo@example.com</a>', 'jo@example.com'],
    ['links without text', '<a href=https://example.com></a>', 'https://example.com'],
    ['images', '<p><img alt="Our clamp" src="x.png"> holds<img src="pixel.gif"></p>', '[Our clamp] holds'],
    [
      'tables',
      '<table><tr><td>Mon</td><td>9–17</td></tr><tr><td>Tue</td><td>closed</td></tr></table>',
      'Mon 9–17\nTue closed',
    ],
    ['kept white space', '<pre>a\n  b</pre>', 'a\n  b'],
    ['a line', '<p>a</p><hr><p>b</p>', 'a\n\n----------\n\nb'],
    [
      'references',
      'Fish &amp; chips &lt;3 &#8364;5 &#x20AC;5 &nbsp;&hellip; &unknown; &',
      'Fish & chips <3 €5 €5  … &unknown; &',
    ],
    ['references as browsers read them', 'h&ouml;&Eacute;l&rarr;&sum; &amp &#128; &#0;', 'höÉl→∑ & € \ufffd'],
    ['invisible characters', 'a&ensp;b&shy;c&zwnj;&nbsp;&zwnj;\u200bd&emsp;', 'a bc d'],
    ['a link whose query looks like a reference', '<a href="x?a=1&copy=2">y</a>', 'y (x?a=1&copy=2)'],
    [
      'a whole document',
      '<!doctype html><html><head><title>T</title><style>p{}</style></head><body>Hi<script>x()</script></body></html>',
      'Hi',
    ],
    ['comments', 'a<!-- <p> -->b<!---->c<!x>d<?x?>e', 'abcde'],
    ['signs that are no tags', '1 < 2, 3 > 2, <3, a<b', '1 < 2, 3 > 2, <3, a'],
    ['elements that are not shown', '<select><option>a</select><noframes>b</noframes>c', 'c'],
    ['signs in attributes', "<p title=\"a>b\">c</p><p title='>'>d</p><p title=it's>e</p>", 'c\n\nd\n\ne'],
    ['nothing', '', ''],
  ])('has %s', (_name, html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  it('holds for any text: no tag is left, nothing is thrown', () => {
    const part = fc.constantFrom(
      '<',
      '>',
      '<p',
      '</p>',
      '"',
      "'",
      '=',
      '<!--',
      '-->',
      '<a href=',
      '<li>',
      '</ul>',
      '<script>',
      '&amp;',
      'word',
      ' ',
      '\n',
    );
    fc.assert(
      fc.property(fc.array(part), (parts) => {
        const text = htmlToText(parts.join(''));
        expect(text).not.toMatch(/<(?:p|a|li|script)[\s>]/);
        expect(text).toBe(text.trimEnd());
      }),
    );
  });
});
