import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseAnyYaml, parseYaml } from '../../src/manifest/parse.js';
import { plainYaml } from '../../src/manifest/plain.js';

const MANIFEST = `# yaml-language-server: $schema=../schemas/campaign.schema.json
name: Spring installers
settings:
  max_emails_per_day: 200   # a limit
  can_unsubscribe: true
schedule:
  days: [monday, tuesday]
  start_time: "09:00"
sequence:
  title: 'Q1: hello'
  steps:
    - email_subject: "{FIRST_NAME}, a question"
      email_body: |
        <p>Hi {FIRST_NAME},</p>

          # no comment
        <p>See you</p>
      wait_in_days: 2
      variants:
      - email_subject: Again
        email_body: |-
            <p>Hi</p>
    # the last
    -   email_body: <p>Bye.</p>
leads:
  list_ids:
    - 12
    - 13
`;

const EXAMPLES = new URL('../../examples', import.meta.url).pathname;
const texts = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.ya?ml$/.test(file))
  .map((file) => readFileSync(join(EXAMPLES, file), 'utf8'));

const pieces = fc.constantFrom(
  ...[
    '',
    '\n',
    '  ',
    '    ',
    '- ',
    ': ',
    ':',
    '#',
    ' #',
    '"',
    "'",
    '|',
    '|-',
    '|+',
    '|2',
    '>',
    '[',
    ']',
    '{',
    '\t',
    '\\',
  ],
  ...[
    '[a, b]',
    '[a, ]',
    '[ ]',
    '[a b, 3, true, x*]',
    '? ',
    '- - a',
    'key:',
    '"q": 1',
    'e: "x" # c',
    'a: b: c',
    '"a" b',
  ],
  ...[
    'null',
    'true',
    'True',
    'NULL',
    'no',
    '~',
    '0x1f',
    '1e3',
    '09:00',
    '2026-01-01',
    '12',
    '007',
    '-1',
    '.5',
    '1.',
    '1_0',
    '12abc',
  ],
  ...[
    '&a',
    '*a',
    '!x',
    '---\n',
    '...',
    '%',
    '@z',
    '`q',
    '\n\n',
    '   \n',
    '#c\n',
    ' #c\n',
    '        #c\n',
    '- a\n',
    '-\n',
    "it's",
  ],
  ...[
    '__proto__: 1',
    'constructor: 1',
    '\u00a0',
    '\u2028',
    'é',
    'x',
    'title: again',
    '  title: again\n',
    '      x\n',
    '          x\n',
  ],
);

const line = fc
  .tuple(
    fc.constantFrom('', '', '  ', '    ', ' '),
    fc.constantFrom('', '- ', '-  '),
    fc.constantFrom('', 'a:', 'b:', 'c:', 'd:'),
    fc.constantFrom(' ', '', '  '),
    pieces,
  )
  .map((parts) => parts.join(''));

/** A manifest with some characters replaced, some lines of it, or lines that were thrown together. */
const edited = fc
  .tuple(
    fc.constantFrom(MANIFEST, ...texts.filter((text) => text.length < 2000)),
    fc.array(fc.tuple(fc.nat(2000), fc.nat(12), pieces), { maxLength: 3 }),
  )
  .map(([text, edits]) =>
    edits.reduce((now, [place, cut, piece]) => {
      const at = place % now.length;
      return `${now.slice(0, at)}${piece}${now.slice(at + cut)}`;
    }, text),
  );
const thrown = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => `${lines.join('\n')}\n`);

test('what the plain form is read as, and what the library reads, is the same to the order of keys', () => {
  fc.assert(
    fc.property(fc.oneof(edited, thrown), (text) => {
      fc.pre(plainYaml(text) !== null);
      expect(JSON.stringify(parseYaml('a.yaml', text))).toBe(JSON.stringify(parseAnyYaml('a.yaml', text)));
    }),
    { numRuns: 300, maxSkipsPerRun: 1000 },
  );
});

test('a manifest as they are written in practice is of the plain form', () => {
  expect(plainYaml(MANIFEST)).toEqual(parseAnyYaml('a.yaml', MANIFEST).documents[0]?.value);
  expect(texts.filter((text) => plainYaml(text) !== null).length).toBeGreaterThan(10);
});

test.each([
  ['a key that is there twice', 'a: 1\na: 2\n'],
  ['a text that goes on in the next line', 'a: b\n  c\nd: 1\n'],
  ['a list entry that goes on in the next line', 'a:\n  - b\n    c\n'],
  ['escapes', 'a: "b\\nc"\n'],
  ['numbers that are not written as whole ones', 'a: 007\n'],
  ['no value', 'a:\nb: 1\n'],
  ['an alias', 'a: &b c\nd: *b\n'],
  ['several documents', 'a: 1\n---\na: 2\n'],
  ['a prototype', '__proto__:\n  a: 1\n'],
  ['lines of spaces that are part of a text', 'a: |\n  b\n     \n'],
  [
    'deep nesting',
    `${Array.from({ length: 30 }, (_, at) => `${' '.repeat(at)}a:\n`).join('')}${' '.repeat(30)}a: 1\n`,
  ],
  ['nothing', '# a\n'],
])('left to the library: %s', (_, text) => {
  expect(plainYaml(text)).toBeNull();
});
