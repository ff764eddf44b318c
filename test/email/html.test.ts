import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attributeValue, type HtmlTag, readHtml } from '../../src/email/html.js';
import { htmlToText } from '../../src/email/html-text.js';
import { readCases } from '../support/cases.js';

/** Each token as its kind and its source. */
function tokens(html: string): string[] {
  return readHtml(html).map((token) =>
    token.kind === 'text' ? token.source : `${token.kind} ${token.name} ${token.source}`,
  );
}

describe('HTML', () => {
  it('is read as a browser reads it', async () => {
    const read = readCases(import.meta.dirname, 'tags').map(([title, html]) => [
      `# ${title}`,
      ...tokens(html),
      '',
    ]);
    await expect(read.flat().join('\n')).toMatchFileSnapshot('golden/tags.txt');
  });

  it('has attributes as written, and their values as browsers read them', () => {
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

  it('reports all positions, whatever the text', () => {
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
      { numRuns: Number(process.env.TRUST_CASES ?? 150) },
    );
  });
});

describe('the text form of an HTML mail', () => {
  it('contains what the email shows', async () => {
    const read = readCases(import.meta.dirname, 'text').map(
      ([title, html]) => `# ${title}\n${htmlToText(html)}\n`,
    );
    await expect(read.join('\n')).toMatchFileSnapshot('golden/text.txt');
  });

  it('exists for any text: no tag remains, and nothing is thrown', () => {
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
