import { expect, test } from 'vitest';
import { manifestParser } from '../../src/manifest/documents.js';
import { check } from './check.js';

const manifest = `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello {FIRST_NAME}
      email_body_file: ../emails/hello.html
      wait_in_days: 3
      variants:
        - email_subject: Good day
          email_body_file: day.html
leads:
  ids: [1001]
  ids_file: fr.txt
`;

const files = {
  'campaigns/spring.yaml': manifest,
  'emails/hello.html': '<p>Hello {FIRST_NAME}</p>\n',
  'campaigns/day.html': '<p>Good day</p>\n',
  'campaigns/fr.txt': '# installers in France\n1002\n\n1003 # since May\r\n',
};

test('bodies and ids are read, and the keys that name the files are removed', () => {
  const { campaigns, findings } = check(files);
  expect(findings).toEqual([]);
  expect(campaigns[0]?.[0]?.spec).toEqual({
    name: 'Spring',
    sequence: {
      title: 'Spring',
      steps: [
        {
          email_subject: 'Hello {FIRST_NAME}',
          email_body: '<p>Hello {FIRST_NAME}</p>\n',
          wait_in_days: 3,
          variants: [{ email_subject: 'Good day', email_body: '<p>Good day</p>\n' }],
        },
      ],
    },
    leads: { ids: [1001, 1002, 1003] },
  });
});

test('lint findings in a body file have positions in that file', () => {
  const { findings } = check({ ...files, 'campaigns/day.html': '<p>Good day</p>\n<p>{first_name}</p>\n' });
  expect(
    findings.map(({ code, file, line, column, length, excerpt }) => [
      code,
      `${file}:${line}:${column}+${length}`,
      excerpt,
    ]),
  ).toEqual([['variable-case', 'campaigns/day.html:2:4+12', '<p>{first_name}</p>']]);
});

test('conflict markers in a body file are an error at the first of them', () => {
  const body = '<p>Good day</p>\n<<<<<<< HEAD\n<p>a</p>\n=======\n<p>b</p>\n>>>>>>> topic\n';
  const { findings } = check({ ...files, 'campaigns/day.html': body });
  expect(findings.map(({ file, line, code, message }) => [`${file}:${line}`, code, message])).toEqual([
    ['campaigns/day.html:2', 'yaml-syntax', 'The file contains conflict markers of git (lines 2, 4, 6).'],
  ]);
});

test('each line of an ids file that is not an id is a finding at that line', () => {
  const { campaigns, findings } = check({ ...files, 'campaigns/fr.txt': 'id\n1002\n 10,03\n0\n' });
  expect(campaigns).toEqual([[]]);
  expect(
    findings.map(({ code, file, line, column, message }) => [`${file}:${line}:${column}`, code, message]),
  ).toEqual([
    ['campaigns/fr.txt:1:1', 'bad-lead-id', '"id" is not a lead id.'],
    ['campaigns/fr.txt:3:2', 'bad-lead-id', '"10,03" is not a lead id.'],
    ['campaigns/fr.txt:4:1', 'bad-lead-id', '"0" is not a lead id.'],
  ]);
});

const rows = (count: number, row: (index: number) => string) =>
  `${Array.from({ length: count }, (_, index) => row(index)).join('\n')}\n`;

test.each<[string, string, string, string]>([
  [
    'a table',
    `email,lead_id,company,zip\n${rows(50, (index) => `a${index}@example.com,${1000 + index},Acme ${index},75001`)}`,
    'The file is a table with the columns email, lead_id, company, zip, but an ids file has one lead id per line.',
    'Keep only the values of the column "lead_id", which look like ids, one per line and without the header.',
  ],
  [
    'a table with quotes and semicolons',
    `"id";"name"\r\n${rows(50, (index) => `"${1000 + index}";"Acme"\r`)}`,
    'The file is a table with the columns id, name, but an ids file has one lead id per line.',
    'Keep only the values of the column "id", which look like ids, one per line and without the header.',
  ],
  [
    'a table without ids',
    `email\tcompany\n${rows(50, () => 'a@example.com\tAcme')}`,
    'The file is a table with the columns email, company, but an ids file has one lead id per line.',
    'No column has only whole numbers. Keep the column with the ids of the leads in the service, without its header.',
  ],
  [
    'ids on one line',
    '1001, 1002, 1003\n',
    'The line has several ids, but an ids file has one lead id per line.',
    'Write one integer per line; "#" starts a comment.',
  ],
  [
    'JSON',
    '[\n  1001,\n  1002\n]\n',
    'The file is JSON, but an ids file has one lead id per line.',
    'Write each id on a line of its own, without brackets, quotes and commas, or write ids: [1001, 1002] in the manifest.',
  ],
  [
    'a list of addresses',
    rows(50, (index) => `a${index}@example.com`),
    '"a0@example.com" is not a lead id, and neither are 49 more of the 50 lines.',
    'Write one integer per line; "#" starts a comment.',
  ],
  [
    'a spreadsheet',
    'PK\u0003\u0004\u0014\u0000xl/workbook.xml',
    'The file contains the control character U+0003.',
    'Write a text file with one lead id per line. From a spreadsheet, copy the column of the ids into it, without the header.',
  ],
])('an ids file that is %s is one finding, which says what is expected', (_, text, message, hint) => {
  const { findings } = check({ ...files, 'campaigns/fr.txt': text });
  expect(findings.map((finding) => [finding.file, finding.line, finding.message, finding.hint])).toEqual([
    ['campaigns/fr.txt', 1, message, hint],
  ]);
});

test('a body file that is empty or contains a control character is refused', () => {
  const { findings } = check({
    ...files,
    'emails/hello.html': ' \n',
    'campaigns/day.html': '<p>\n\u001b[31m</p>',
  });
  expect(findings.map(({ code, file, line, column }) => [code, `${file}:${line}:${column}`])).toEqual([
    ['control-character', 'campaigns/day.html:2:1'],
    ['empty-file', 'emails/hello.html:1:1'],
  ]);
});

test('the second document of a file has a separate name and positions; empty documents are skipped', () => {
  const text = '---\nname: Spring\n---\n# nothing\n---\nname: Summer\nstatus: runing\n---\nname: Autumn\n';
  const { campaigns, findings } = check({ 'campaigns/spring.yaml': text });
  expect(campaigns[0]?.map(({ manifest, document, spec }) => [manifest, document, spec.name])).toEqual([
    ['campaigns/spring.yaml', 0, 'Spring'],
    ['campaigns/spring.yaml#3', 3, 'Autumn'],
  ]);
  expect(findings.map(({ line, column, code }) => [line, column, code])).toEqual([[7, 9, 'wrong-value']]);
});

test('a project can switch lint rules off or change their severity', () => {
  const text = { 'campaigns/spring.yaml': 'name: Spring\nsettings: { can_unsubscribe: true }\n' };
  const severities = (rules: Parameters<typeof check>[1]) =>
    check(text, rules).findings.map(({ code, severity }) => [code, severity]);
  expect(severities({})).toEqual([['unsubscribe-text', 'warning']]);
  expect(severities({ rules: { 'unsubscribe-text': 'error' } })).toEqual([['unsubscribe-text', 'error']]);
  expect(severities({ rules: { 'unsubscribe-text': 'off' } })).toEqual([]);
});

test.each([
  ['name: Spring\napi_token: 12|abcdefghijklmnop\n', 'api_token…'],
  ['name: Spring\napi_token:12|abcdefghijklmnop\n', '…'],
  ['name: Spring\napi_token = 12|abcdefghijklmnop\n', '…'],
  ['api_token 12|abcdefghijklmnop\nname: Spring\n', '…'],
  ['{ name: Spring, api_token:12|abcdefghijklmnop }\n', '{ name: Spring, …'],
])('a line with a secret is cut before the secret: %j', (text, excerpt) => {
  const { findings } = check({ 'campaigns/spring.yaml': text });
  expect(findings.map((finding) => finding.excerpt)).toEqual([excerpt]);
  expect(JSON.stringify(findings)).not.toContain('abcdefgh');
});

test.each([
  ['under its key', 'leads: { ids_file: leads/fr.txt }', 'Write ../leads/fr.txt:'],
  ['under another key', 'leads: { csv: leads/fr.txt }', 'Write `ids_file: ../leads/fr.txt`.'],
  ['without a key', 'leads: leads/fr.txt', 'Write leads: { ids_file: ../leads/fr.txt }.'],
  ['that does not exist either', 'leads: { ids_file: leads/none.txt }', 'Check the spelling'],
])('a path from the project folder %s is corrected in the line to write', (_, leads, hint) => {
  const { findings } = check({
    'campaigns/spring.yaml': `name: Spring\n${leads}\n`,
    'leads/fr.txt': '1001\n',
  });
  expect(findings.map((finding) => finding.hint)).toEqual([expect.stringContaining(hint)]);
});

test.each([
  ['a quote that is not closed', 'name: Spring\nsequence: { title: "a }\n', 1],
  ['a broken document and a valid one', 'name: Spring: a\n---\nname: Summer\n', 2],
  ['an empty file', '', 0],
])('%s is counted among the manifests', (_, text, expected) => {
  const parser = manifestParser([], () => ({ problem: 'file-not-found' }));
  expect(parser.parse('campaigns/spring.yaml', text).count).toBe(expected);
});
