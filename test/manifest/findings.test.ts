import { expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { blockYaml } from '../../src/manifest/edit.js';
import { nearest } from '../../src/manifest/nearest.js';
import { manifestSchema } from '../../src/manifest/schema.js';
import { validateManifest } from '../../src/manifest/validate.js';
import { type JsonObject, objectAt } from '../../src/model/json.js';
import { readCases } from '../support/cases.js';
import { check, seen } from './check.js';

test.each(['findings', 'spellings'])('each finding has a position, a message and a fix: %s', async (name) => {
  const lines = readCases(import.meta.dirname, name).flatMap(([title, manifest]) => [
    `# ${title}`,
    ...seen(manifest).flat(),
    '',
  ]);
  await expect(lines.join('\n')).toMatchFileSnapshot(`golden/${name}.txt`);
});

test('valid sections are linted even if others are invalid, so that everything is reported at once', () => {
  const manifest = `name: Spring
settings: { max_email_per_day: 10 }
schedule: { days: [], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring sequence
  steps:
    - { email_subject: "Hello {first_name}", email_body: <p>Hi</p>, wait_in_days: 0 }
leads: { lists: [absent] }
`;
  expect(seen(manifest).map(([first]) => first)).toEqual([
    '2:13+17 unknown-key',
    '3:19+2 empty-sending-window',
    '7:31+12 variable-case',
    '7:83+1 wait-too-short',
    '8:18+6 unknown-lead-list',
  ]);
});

const STEPS = `- email_subject: Hi {first_name}
      email_body_file: ../absent.html
      wait_in_dayz: 3
    - email_subject: Hello
      email_body: Hi
      wait_in_days: 1.000
`;

test.each([
  ['a list directly below sequence', 'sequence:\n    ', ['wrong-type']],
  ['another key below sequence', 'sequence:\n  title: T\n  emails:\n    ', ['unknown-key']],
  ['another key for sequence', 'emails:\n    ', ['unknown-key']],
  ['steps without sequence', 'steps:\n    ', ['unknown-key']],
  ['a list in an overlay', 'environments:\n  production:\n   sequence:\n    ', ['wrong-type']],
])('mistakes in steps show at once, although the steps are in %s', (_, head, codes) => {
  const codesOf = (text: string) =>
    seen(`name: Spring\n${text}${STEPS}`).map(([first = '']) => first.split(' ')[1]);
  const inSteps = ['variable-case', 'file-not-found', 'unknown-key', 'wrong-value'];
  expect(codesOf('sequence:\n  title: T\n  steps:\n    ')).toEqual(inSteps);
  expect(codesOf(head)).toEqual([...codes, ...inSteps]);
});

test('a list of sequences is not taken for steps', () => {
  const step = '{ email_subject: A, email_body: Hi, wait_in_days: 1 }';
  expect(seen(`name: Spring\nsequence:\n  - title: T\n    steps: [${step}]\n`)).toHaveLength(1);
});

test('a manifest whose only key is a misspelt name is an error like any other', () => {
  expect(seen('naame: Spring\n').map(([first]) => first)).toEqual(['1:1+5 unknown-key']);
});

test.each([
  ['a comment with a line separator', 'name: Spring # for the\u2028fair\n', 'Spring'],
  ['a comment with a paragraph separator', 'name: Spring # for the\u2029fair\n', 'Spring'],
])('%s is not part of the value', (_, text, name) => {
  const { campaigns } = check({ 'campaigns/spring.yaml': text });
  expect(campaigns[0]?.map(({ spec }) => spec.name)).toEqual([name]);
});

it.each<[string, string[], string | null]>([
  ['CTIY', ['COMPANY', 'CITY'], 'CITY'],
  ['first_name', ['LAST_NAME', 'FIRST_NAME'], 'FIRST_NAME'],
  ['COMPANY WEBSTE', ['COMPANY', 'COMPANY WEBSITE'], 'COMPANY WEBSITE'],
  ['TITLE', ['FIRST_NAME', 'COMPANY'], null],
  ['A', [], null],
])('the nearest to %s among %j is %s', (word, candidates, expected) => {
  expect(nearest(word, candidates)).toBe(expected);
});

test('an imported name in typographic quotes is written so that it can be read', () => {
  expect(seen(blockYaml({ name: '“Spring”' }))).toEqual([]);
});

test('an imported body with a line that looks like a key of a step is written so that it can be read', () => {
  const steps = [{ email_subject: 'Hello', email_body: '<p>Hi</p>\nthread_reply: true\n', wait_in_days: 3 }];
  expect(seen(blockYaml({ name: 'Spring', sequence: { title: 'Spring', steps } }))).toEqual([]);
});

test('a suggested line is accepted where it is suggested', () => {
  const sections = [
    ...['days', 'start_time', 'end_time', 'timezone'].map((key) => [key, 'schedule'] as const),
    ...['max_emails_per_day', 'max_new_leads_per_day', 'plain_text', 'open_tracking', 'can_unsubscribe'].map(
      (key) => [key, 'settings'] as const,
    ),
    ...['lists', 'ids', 'ids_file'].map((key) => [key, 'leads'] as const),
  ];
  const section = new Map<string, string>(sections);
  const lines = readCases(import.meta.dirname, 'spellings').flatMap(([, manifest]) =>
    seen(manifest).flatMap(
      ([, , hint = '']) =>
        /Write (?:a list: )?`?([a-z_]+: [^…`]*?[^.`])[`.](?=[\s.]|$)/.exec(hint)?.[1] ?? [],
    ),
  );
  expect(lines.length).toBeGreaterThan(35);
  const refused = lines
    .filter((line) => !line.includes('{ use: '))
    .filter((line) => {
      const [[key = '', value = null] = []] = Object.entries(parse(line) as JsonObject);
      const body = key === 'email_body_file' ? key : 'email_body';
      const step = { email_subject: 'a', [body]: 'b', wait_in_days: 1 };
      const home = section.get(key);
      const manifest = home === undefined ? { [key]: value } : { [home]: { [key]: value } };
      const whole = key in step ? { sequence: { title: 'a', steps: [{ ...step, [key]: value }] } } : manifest;
      return validateManifest({ name: 'Spring', ...whole }).some(
        ({ code, path }) => code !== 'missing-key' && path.includes(key),
      );
    });
  expect(refused).toEqual([]);
});

test('a suggested section is accepted at the top of the manifest', () => {
  const tops = Object.keys(objectAt(manifestSchema, 'properties'));
  const lines = readCases(import.meta.dirname, 'spellings').flatMap(([, manifest]) =>
    seen(manifest).flatMap(([, , hint = '']) => {
      const [, line = ''] = /(?:for example |: `)([a-z_]+: .+?)`?\.$/.exec(hint) ?? [];
      return tops.includes(line.split(':')[0] ?? '') && !line.includes(': …') ? [line] : [];
    }),
  );
  expect(lines.length).toBeGreaterThan(8);
  const whole = lines.filter((line) => !line.includes('{ use: '));
  const refused = whole.filter((line) =>
    validateManifest({ name: 'Spring', ...(parse(line) as JsonObject) }).some(
      ({ path, message }) => path.length > 0 && !message.includes('steps is empty'),
    ),
  );
  expect(refused).toEqual([]);
});

test('a name and the name it replaces are in Unicode form NFC, as names of the list are', () => {
  const manifest =
    'name: "Cafe\\u0301"\nreplaces: "Cafe\\u0301 2025"\nsettings: { unsubscribe_text: "Cafe\\u0301" }\n';
  const { campaigns } = check({ 'campaigns/spring.yaml': manifest });
  expect(campaigns[0]?.[0]?.spec).toMatchObject({
    name: 'Caf\u00e9',
    replaces: 'Caf\u00e9 2025',
    settings: { unsubscribe_text: 'Cafe\u0301' },
  });
});
