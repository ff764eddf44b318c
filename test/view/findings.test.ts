import { describe, expect, test } from 'vitest';
import { findingList } from '../../src/view/preview-problems.js';
import { findingsSummary, renderFindingsText } from '../../src/view/problems.js';
import { renderFindingsGithub, renderFindingsJunit } from '../../src/view/reports.js';
import { cells, plain } from '../../src/view/terminal.js';
import { finding } from './findings.js';
import { commandsIn } from './runner.js';
import { parseXml } from './xml.js';

const WARNING = finding({ severity: 'warning', code: 'liquid', message: '{{ x }} is Liquid.', hint: '' });

test('findings in text have a position, the line with a caret, and a fix', async () => {
  const long = `${'word '.repeat(40)}{first_name}${' word'.repeat(40)}`;
  const findings = [
    finding(),
    WARNING,
    finding({
      line: 1200,
      excerpt: long,
      column: 201,
      message: 'a \u001b[2J\u202e',
      hint: 'See. '.repeat(30).trim(),
    }),
    finding({ file: 'emails/a\n.html', line: 3, column: 1, length: 0, excerpt: '\t<p>\u200b' }),
  ];
  const text = renderFindingsText(findings, { paint: plain, width: 100 });
  await expect(text).toMatchFileSnapshot('golden/findings.txt');
});

const SPOT = '{FRIST_NAME}';

test.each([
  ['emoji', '😀'.repeat(180)],
  ['letters of two columns', '東京の'.repeat(180)],
  ['characters that are shown as marks', '\u200b'.repeat(180)],
])('a line of %s is cut between them, in a terminal to its width', (_, around) => {
  const long = finding({
    excerpt: `-${around}${SPOT}${around}-`,
    column: around.length + 2,
    length: SPOT.length,
  });
  const [, line = '', carets = ''] = renderFindingsText([long], { paint: plain, width: 80 }).split('\n');
  expect(line).toMatch(/^ {2}7 │ …(?:😀|[東京の]|<U\+200B>)+\{FRIST_NAME\}(?:😀|[東京の]|<U\+200B>)+…$/u);
  expect(cells(line)).toBeLessThanOrEqual(80);
  expect(cells(carets.slice(0, carets.indexOf('^')))).toBe(cells(line.slice(0, line.indexOf(SPOT))));
  const page = findingList([long])
    .map(({ markup }) => markup)
    .join('');
  expect(page).toMatch(
    /<pre [^>]*>…(?:😀|[東京の]|&#60;U\+200B&#62;)+<mark class="spot">\{FRIST_NAME\}<\/mark>(?:😀|[東京の]|&#60;U\+200B&#62;)+…<\/pre>/u,
  );
});

test('a text that is longer than the terminal is wide is marked as far as it is shown', () => {
  const long = finding({ excerpt: `key: ${'word '.repeat(60)}`, column: 6, length: 299 });
  const [, line = '', carets = ''] = renderFindingsText([long], { paint: plain, width: 80 }).split('\n');
  expect([cells(line), cells(carets)]).toEqual([80, 80]);
  expect(line).toMatch(/^ {2}7 │ key: word .* wor…$/);
});

test('a summary counts errors, warnings and manifests', () => {
  expect(findingsSummary([], 1)).toBe('1 manifest valid.');
  expect(findingsSummary([finding(), finding(), WARNING], 3)).toBe('2 errors and 1 warning in 3 manifests.');
  expect(findingsSummary([finding()], 0)).toBe('1 error.');
  expect(findingsSummary([WARNING], 1)).toBe('1 warning in 1 manifest.');
});

describe('annotations of GitHub', () => {
  test('an annotation has a position, a code, a message and a hint, with separators escaped, more of them in properties', async () => {
    const odd = finding({ file: 'a, b: 50%.yaml', message: '100%, really: %0A', hint: '' });
    const annotations = [finding(), finding({ severity: 'warning', hint: '' }), odd];
    await expect(renderFindingsGithub(annotations)).toMatchFileSnapshot('golden/findings-github.txt');
    expect(renderFindingsGithub([])).toBe('');
  });

  test('no more annotations than GitHub shows are sent, and a last line counts the rest', () => {
    const warnings = Array.from({ length: 11 }, (_, index) =>
      finding({ severity: 'warning', line: index + 1 }),
    );
    const errors = Array.from({ length: 1_210 }, (_, index) => finding({ line: index + 1 }));
    const commands = commandsIn(renderFindingsGithub([...warnings, ...errors]));
    expect(commands.filter(({ name }) => name === 'error')).toHaveLength(10);
    expect(commands.filter(({ name }) => name === 'warning')).toHaveLength(10);
    expect(commands.slice(20)).toEqual([
      {
        name: 'notice',
        properties: { title: expect.stringMatching(/^1,200 .* 1 /) },
        text: expect.stringMatching(/ 10 errors and 10 warnings .* 1,200 .* 1 more/),
      },
    ]);
    expect(renderFindingsGithub(errors.slice(0, 10))).not.toContain('::notice');
  });
});

describe('a JUnit report', () => {
  test('a file has a suite with a case for each kind of problem, and warnings pass', async () => {
    const findings = [
      finding(),
      finding({ line: 9, message: 'Another.', hint: '' }),
      finding({
        code: 'liquid',
        severity: 'warning',
        message: '{{ x }} is Liquid.',
        hint: '',
        column: 1,
        length: 2,
      }),
    ];
    const report = renderFindingsJunit(findings, ['emails/a.html', 'campaigns/spring.yaml']);
    await expect(report).toMatchFileSnapshot('golden/findings-junit.xml');
  });

  test('an empty report is valid', () => {
    expect(parseXml(renderFindingsJunit([], []))).toMatchObject({
      name: 'testsuites',
      attributes: { tests: '0', failures: '0', errors: '0' },
      children: [],
    });
  });

  test('an unreadable file is in the report only with its finding', () => {
    const report = parseXml(
      renderFindingsJunit([finding({ file: 'campaigns/gone.yaml' })], ['campaigns/a.yaml']),
    );
    expect(report.children.map(({ attributes }) => [attributes.name, attributes.failures])).toEqual([
      ['campaigns/a.yaml', '0'],
      ['campaigns/gone.yaml', '1'],
    ]);
  });

  test('markup, quotes, line breaks and characters that XML forbids stay readable', () => {
    const odd = finding({
      message: '<b a="1">&amp;\'\n]]>\u0000\ud800\uffff',
      hint: '',
      file: 'a<"&\n.yaml',
    });
    const [suite] = parseXml(renderFindingsJunit([odd], [])).children;
    expect(suite?.attributes.name).toBe('a<"&⏎.yaml');
    const failure = suite?.children[0]?.children[0];
    expect(failure?.attributes.message).toBe('line 7: <b a="1">&amp;\'⏎]]><U+0000><U+D800><U+FFFF>');
  });
});
