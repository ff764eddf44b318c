import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { chooseBasenames, slugOf } from '../../src/import/import-campaign.js';
import { blockYaml, commentLine, isBlock } from '../../src/manifest/edit.js';
import { parseYaml } from '../../src/manifest/parse.js';
import { nastyText } from '../support/live-campaigns.js';
import { anyText as anyCharacters } from '../support/texts.js';

const anyText = fc.oneof(nastyText, anyCharacters());

describe('a text in YAML', () => {
  test('is read back unchanged, next to others', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 4 }), (texts) => {
        const value = { list: texts, maps: texts.map((email_body) => ({ email_body, wait_in_days: 1 })) };
        const { documents, findings } = parseYaml('x.yaml', blockYaml({ sequence: value }));
        expect([findings, documents[0]?.value]).toEqual([[], { sequence: value }]);
      }),
      { seed: 20261121 },
    );
  });

  test.each([
    ['Hi {FIRST_NAME},\n\nbye\n', 'b: |\n  Hi {FIRST_NAME},\n\n  bye\n'],
    ['a\nb', 'b: |-\n  a\n  b\n'],
    ['plain words, here', 'b: plain words, here\n'],
    ['{FIRST_NAME}, hi', 'b: "{FIRST_NAME}, hi"\n'],
    ['09:00', 'b: "09:00"\n'],
    ['no', 'b: "no"\n'],
    ['say "hi"', 'b: say "hi"\n'],
    ['a\r\nb', 'b: "a\\r\\nb"\n'],
    ['\u0085\ufeff\ud800\u{e0001}', 'b: "\\u0085\\uFEFF\\ud800\\U000E0001"\n'],
    ['👩‍👩‍👧 family', 'b: 👩‍👩‍👧 family\n'],
    ['a\tb', 'b: "a\\tb"\n'],
  ])('%j is written as a person would', (text, yaml) => {
    expect(blockYaml({ b: text })).toBe(yaml);
  });

  test.each([
    ['short', false],
    ['two\nlines', true],
    ['<p>Hi {FIRST_NAME},</p>\n<p>bye</p>\n', true],
    [' indented\nlines', false],
    ['two\r\nlines', false],
    ['two\nends with two\n\n', false],
    ['   ', false],
  ])('%j: block %s', (text, block) => {
    expect(isBlock(text)).toBe(block);
  });
});

test.each([
  ['Prêt\u00a0?', '"Prêt\\u00a0?"'],
  ['Sale 5\u202f000', '"Sale 5\\u202f000"'],
  ['5\u2007000', '"5\\u2007000"'],
  ['東\u3000京', '"東\\u3000京"'],
  ['\u00a0Весна "a"', '"\\u00a0Весна \\"a\\""'],
  ['Весна', 'Весна'],
])('a name %j makes invisible characters visible, and keeps them', (name, written) => {
  for (const value of [{ name }, { sequence: { title: name } }]) {
    const text = blockYaml(value);
    expect(text.toLowerCase()).toContain(written.toLowerCase());
    expect(parseYaml('x.yaml', text).documents[0]?.value).toEqual(value);
  }
});

test('a comment is one line, whatever it quotes', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      const [comment = '', ...more] = commentLine(text).split('\n');
      expect([more, comment.startsWith('# ')]).toEqual([[''], true]);
      expect(comment).not.toMatch(/[\n\r\u0085\u2028\u2029\ufeff\u0000-\u0008]|\p{Surrogate}/u);
    }),
    { seed: 20261121 },
  );
});

describe('file names', () => {
  test.each([
    ['Spring installers', 'spring-installers'],
    ['Frühjahr | Straße', 'fruhjahr-strasse'],
    ['../../etc/passwd', 'etc-passwd'],
    ['🚀', ''],
    ['..', ''],
    ['Ünïcödé  ½', 'unicode-1-2'],
    ['n'.repeat(300), 'n'.repeat(60)],
    [`${'n'.repeat(59)} x`, 'n'.repeat(59)],
  ])('%j becomes %j', (name, slug) => {
    expect(slugOf(name)).toBe(slug);
  });

  test.each([
    ['CON', 'campaign-con'],
    ['aux', 'campaign-aux'],
    ['nul.', 'campaign-nul'],
    ['COM1', 'campaign-com1'],
    ['LPT¹', 'campaign-lpt1'],
    ['con ', 'campaign-con'],
    ['Con artists', 'con-artists'],
    ['com10', 'com10'],
    ['Spring: a/b?*<>|"', 'spring-a-b'],
    ['🚀', 'campaign-7'],
  ])('can be checked out on every system: %j becomes %j', (name, basename) => {
    expect(chooseBasenames([{ id: 7, name }], new Set())).toEqual([basename]);
  });

  test('differ in more than case and Unicode form', () => {
    const names = ['Acme', 'ACME', 'Café', 'Cafe\u0301', 'CAFÉ', 'con', 'CON'];
    expect(
      chooseBasenames(
        names.map((name, id) => ({ id, name })),
        new Set(),
      ),
    ).toEqual([...['acme', 'acme-2', 'cafe', 'cafe-2', 'cafe-3', 'campaign-con', 'campaign-con-2']]);
  });

  test('are unique regardless of case, and contain only letters, digits and hyphens', () => {
    const names = fc.array(fc.oneof(fc.constantFrom('A', 'a', 'A 2', '🚀', ''), anyCharacters()));
    fc.assert(
      fc.property(names, (all) => {
        const basenames = chooseBasenames(
          all.map((name, id) => ({ id, name })),
          new Set(['a', 'campaign-1']),
        );
        expect(new Set([...basenames, 'a', 'campaign-1']).size).toBe(all.length + 2);
        expect(basenames.filter((basename) => !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(basename))).toEqual([]);
      }),
      { seed: 20261121 },
    );
  });
});
