import { expect, it, test } from 'vitest';
import { nearest } from '../../src/manifest/errors.js';
import { check, seen } from './check.js';

/** A manifest and its findings: `line:column+length code`. The golden file has their sentences. */
type Row = [title: string, manifest: string, findings: string];

/** Four lines. */
const STEPS = 'name: Spring\nsequence:\n  title: Spring\n  steps:\n';

const syntax: Row[] = [
  ['a file without a document', '# nothing yet\n', '1:1+1 empty-manifest'],
  ['two colons on a line', 'name: Spring: installers\n', '1:7+1 yaml-syntax'],
  ['a tab as indentation', 'name: Spring\nsettings:\n\tplain_text: true\n', '3:1+1 yaml-syntax'],
  ['a quote that is not closed', 'name: "Spring\nid: 1\n', '1:7+7 yaml-syntax'],
  ['a key that is there twice', 'name: Spring\nname: Summer\n', '2:1+4 duplicate-key'],
  [
    'a bracket that is not closed',
    'name: Spring\nleads:\n  ids: [1, 2\nstatus: paused\n',
    '4:1+1 yaml-syntax',
  ],
  ['an alias without an anchor', 'name: *spring\n', '1:7+7 yaml-alias'],
  [
    'an alias inside of its own anchor',
    'name: Spring\nleads: &leads\n  lists: [*leads]\n',
    '3:11+6 yaml-alias',
  ],
  ['a tag', 'name: !!binary Spring\n', '1:7+8 yaml-tag'],
  ['a tag of YAML 1.1', '%YAML 1.1\n---\nname: Spring\nid: !!timestamp 2026-01-01\n', '4:5+11 yaml-tag'],
  [
    'a subject that begins with a variable',
    `${STEPS}    - email_subject: {FIRST_NAME}, hello
      email_body: <p>Hi</p>
      wait_in_days: 3
`,
    '5:34+7 yaml-syntax',
  ],
  [
    'lines of a body that are not indented',
    `${STEPS}    - email_subject: Hello
      email_body: |
<p>Hi</p>
      wait_in_days: 3
`,
    '7:1+9 yaml-syntax',
  ],
  ['a NUL character', 'name: Spr\u0000ing\n', '1:10+1 control-character'],
  ['a control character written as an escape', 'name: "Spr\\u0007ing"\n', '1:7+14 control-character'],
];

const shape: Row[] = [
  ['a list instead of a manifest', '- name: Spring\n', '1:1+14 wrong-type'],
  ['a manifest without a name', 'status: paused\n', '1:1+14 missing-key'],
  ['a name without a value', 'name:\n', '1:6+1 wrong-type'],
  ['a name that is a number', 'name: 2026\n', '1:7+4 wrong-type'],
  ['a name with white space around it', 'name: " Spring"\n', '1:7+9 wrong-value'],
  ['a name over two lines', 'name: |\n  Spring\n  installers\n', '1:7+1 wrong-value'],
  ['a misspelt section', 'name: Spring\nsetings:\n  plain_text: true\n', '2:1+7 unknown-key'],
  ['a key at the wrong level', 'name: Spring\ntimezone: Europe/Paris\n', '2:1+8 unknown-key'],
  ['an unknown key', 'name: Spring\ncolour: red\n', '2:1+6 unknown-key'],
  ['a token', 'name: Spring\napi_token: 12|abcdefgh\n', '2:1+9 secret-in-file'],
  ['a number with a fraction', 'name: Spring\nid: 1.5\n', '2:5+3 wrong-type'],
  ['a number that is too small', 'name: Spring\nid: 0\n', '2:5+1 wrong-value'],
  ['a number that is too large', 'name: Spring\nid: 12345678901234567890\n', '2:5+20 wrong-value'],
  [
    'settings of the wrong types',
    `name: Spring
settings:
  max_emails_per_day: 1,000
  max_new_leads_per_day: "100"
  plain_text: yes
  open_tracking: "false"
  can_unsubscribe: 1
  unsubscribe_text: false
`,
    '3:23+5 wrong-type, 4:26+5 wrong-type, 5:15+3 wrong-type, 6:18+7 wrong-type, 7:20+1 wrong-type, 8:21+5 wrong-type',
  ],
  ['a misspelt setting', 'name: Spring\nsettings:\n  max_email_per_day: 200\n', '3:3+17 unknown-key'],
  ['an empty section', 'name: Spring\nsettings:\n', '2:10+1 wrong-type'],
  ['a misspelt status', 'name: Spring\nstatus: runing\n', '2:9+6 wrong-value'],
  ['a status that is a switch', 'name: Spring\nstatus: on\n', '2:9+2 wrong-value'],
  [
    'a schedule with bad values',
    `name: Spring
schedule:
  days: [monday, thusday, monday]
  start_time: 9:00
  end_time: 1700
  timezone: Europe/Pairs
`,
    '3:18+7 wrong-value, 3:27+6 wrong-value, 4:15+4 wrong-value, 5:13+4 wrong-type, 6:13+12 wrong-value',
  ],
  [
    'a schedule with seconds',
    `name: Spring
schedule:
  days: [monday]
  start_time: 09:00:00
  end_time: "24:00"
  timezone: Paris
`,
    '4:15+8 wrong-value, 5:13+7 wrong-value, 6:13+5 wrong-value',
  ],
  [
    'a zone that the API does not list',
    `name: Spring
schedule:
  days: monday
  start_time: "09:00"
  end_time: "17:00"
  timezone: Australia/Lord_Howe
`,
    '3:9+6 wrong-type, 6:13+19 wrong-value',
  ],
  [
    'a schedule with a key left out',
    `name: Spring
schedule:
  days: [monday]
  start_time: "09:00"
  timezone: Europe/Paris
`,
    '2:1+8 missing-key',
  ],
  [
    'a schedule of both forms',
    `name: Spring
schedule:
  template: 3
  days: [monday]
  timezone: Europe/Paris
`,
    '3:3+8 conflicting-keys',
  ],
  ['a schedule of neither form', 'name: Spring\nschedule: {}\n', '2:1+8 missing-key'],
  ['a misspelt template key', 'name: Spring\nschedule:\n  tempalte: office-hours\n', '3:3+8 unknown-key'],
  ['a schedule that is a text', 'name: Spring\nschedule: office-hours\n', '2:11+12 wrong-type'],
  [
    'a step without a body',
    `${STEPS}    - email_subject: Hello
      wait_in_days: 3
`,
    '5:7+20 missing-key',
  ],
  [
    'a step with two bodies',
    `${STEPS}    - email_subject: Hello
      email_body: <p>Hi</p>
      email_body_file: hi.html
      wait_in_days: 3
`,
    '7:7+15 conflicting-keys',
  ],
  [
    'a misspelt body',
    `${STEPS}    - email_subject: Hello
      email_bdy: <p>Hi</p>
      wait_in_days: 3
`,
    '6:7+9 unknown-key',
  ],
  [
    'a blank body',
    `${STEPS}    - email_subject: Hello
      email_body: "  "
      wait_in_days: 3
`,
    '6:19+4 wrong-value',
  ],
  [
    'a subject that is only a variable',
    `${STEPS}    - email_subject: {FIRST_NAME}
      email_body: <p>Hi</p>
      wait_in_days: 3
`,
    '5:22+12 wrong-type',
  ],
  [
    'a variant without a subject',
    `${STEPS}    - email_subject: Hello
      email_body: <p>Hi</p>
      wait_in_days: 3
      variants:
        - email_body: <p>Hello</p>
`,
    '9:11+24 missing-key',
  ],
  [
    'a sequence without steps',
    'name: Spring\nsequence:\n  title: Spring\n  steps: []\n',
    '4:10+2 wrong-value',
  ],
  [
    'leads of the wrong kind',
    'name: Spring\nleads:\n  ids: [1001, "1002", x]\n  lists: 42\n',
    '3:15+6 wrong-type, 3:23+1 wrong-type, 4:10+2 wrong-type',
  ],
];

const references: Row[] = [
  [
    'a lead list that the environment does not have',
    'name: Spring\nleads:\n  lists: [42, installer-fr, gardeners]\n',
    '3:15+12 unknown-lead-list, 3:29+9 unknown-lead-list',
  ],
  [
    'a template that the environment does not have',
    'name: Spring\nschedule:\n  template: ofice-hours\n',
    '3:13+11 unknown-schedule-template',
  ],
  ['an id in quotes', 'name: Spring\nschedule:\n  template: "3"\n', '3:13+3 unknown-schedule-template'],
  [
    'names of the language itself',
    'name: Spring\nleads:\n  lists: [constructor, __proto__]\n',
    '3:11+11 unknown-lead-list, 3:24+9 unknown-lead-list',
  ],
  [
    'an overlay for an unknown environment',
    'name: Spring\nenvironments:\n  prodution: {}\n',
    '3:3+9 unknown-environment',
  ],
  [
    'a file that does not exist',
    'name: Spring\nleads:\n  ids_file: leads/fr.txt\n',
    '3:13+12 file-not-found',
  ],
  [
    'a file outside of the project',
    'name: Spring\nleads:\n  ids_file: ../../leads.txt\n',
    '3:13+15 file-outside-project',
  ],
  [
    'a file with an absolute path',
    'name: Spring\nleads:\n  ids_file: /etc/hostname\n',
    '3:13+13 file-outside-project',
  ],
  [
    'references of a manifest that is wrong elsewhere',
    `name: Spring
staus: paused
leads:
  lists: [installer-fr]
  ids_file: fr.txt
`,
    '2:1+5 unknown-key, 4:11+12 unknown-lead-list, 5:13+6 file-not-found',
  ],
  [
    'an overlay with a bad value',
    'name: Spring\nenvironments:\n  production:\n    settings: { max_emails_per_day: many }\n',
    '4:37+4 wrong-type',
  ],
  [
    'an overlay that leaves a schedule unfinished',
    'name: Spring\nenvironments:\n  production:\n    schedule: { days: [monday], start_time: "09:00", timezone: Europe/Paris }\n',
    '4:5+8 missing-key',
  ],
];

const ROWS = [...syntax, ...shape, ...references];

test.each(ROWS)('%s', (_, manifest, findings) => {
  expect(seen(manifest).map(([place]) => place)).toEqual(findings.split(', '));
});

test('each finding says what is wrong and what to write', async () => {
  const lines = ROWS.flatMap(([title, manifest]) => [`# ${title}`, ...seen(manifest).flat(), '']);
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/findings.txt');
});

test('sections that are right are linted although others are wrong, so that everything is said at once', () => {
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

test('a manifest whose only key is a misspelt name is an error like any other', () => {
  expect(seen('naame: Spring\n').map(([first]) => first)).toEqual(['1:1+5 unknown-key']);
});

test.each([
  ['a comment with a line separator', 'name: Spring # for the\u2028fair\n', 'Spring'],
  ['a comment with a paragraph separator', 'name: Spring # for the\u2029fair\n', 'Spring'],
])('%s is no part of the value', (_, text, name) => {
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
