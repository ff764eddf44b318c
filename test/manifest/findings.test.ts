import { expect, test } from 'vitest';
import { seen } from './check.js';

/** A manifest and its findings: `line:column+length code`. The golden file has their sentences. */
type Row = [title: string, manifest: string, findings: string[]];

const syntax: Row[] = [
  [
    'a file without a document',
    `# nothing yet
`,
    ['1:1+1 empty-manifest'],
  ],
  [
    'two colons on a line',
    `name: Spring: installers
`,
    ['1:7+1 yaml-syntax'],
  ],
  [
    'a tab as indentation',
    `name: Spring
settings:
\tplain_text: true
`,
    ['3:1+1 yaml-syntax'],
  ],
  [
    'a quote that is not closed',
    `name: "Spring
id: 1
`,
    ['1:7+7 yaml-syntax'],
  ],
  [
    'a key that is there twice',
    `name: Spring
name: Summer
`,
    ['2:1+4 duplicate-key'],
  ],
  [
    'a bracket that is not closed',
    `name: Spring
leads:
  ids: [1, 2
status: paused
`,
    ['4:1+1 yaml-syntax'],
  ],
  [
    'an alias without an anchor',
    `name: *spring
`,
    ['1:7+7 yaml-alias'],
  ],
  [
    'an alias inside of its own anchor',
    `name: Spring
leads: &leads
  lists: [*leads]
`,
    ['3:11+6 yaml-alias'],
  ],
  [
    'a tag',
    `name: !!binary Spring
`,
    ['1:7+8 yaml-tag'],
  ],
  [
    'a tag of YAML 1.1',
    `%YAML 1.1
---
name: Spring
id: !!timestamp 2026-01-01
`,
    ['4:5+11 yaml-tag'],
  ],
  [
    'a subject that begins with a variable',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: {FIRST_NAME}, hello
      email_body: <p>Hi</p>
      wait_in_days: 3
`,
    ['5:34+7 yaml-syntax'],
  ],
  [
    'lines of a body that are not indented',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      email_body: |
<p>Hi</p>
      wait_in_days: 3
`,
    ['7:1+9 yaml-syntax'],
  ],
  [
    'a NUL character',
    `name: Spr\u0000ing
`,
    ['1:10+1 control-character'],
  ],
  [
    'a control character written as an escape',
    `name: "Spr\\u0007ing"
`,
    ['1:7+14 control-character'],
  ],
];

const shape: Row[] = [
  [
    'a list instead of a manifest',
    `- name: Spring
`,
    ['1:1+14 wrong-type'],
  ],
  [
    'a manifest without a name',
    `status: paused
`,
    ['1:1+14 missing-key'],
  ],
  [
    'a name without a value',
    `name:
`,
    ['1:6+1 wrong-type'],
  ],
  [
    'a name that is a number',
    `name: 2026
`,
    ['1:7+4 wrong-type'],
  ],
  [
    'a name with white space around it',
    `name: " Spring"
`,
    ['1:7+9 wrong-value'],
  ],
  [
    'a name over two lines',
    `name: |
  Spring
  installers
`,
    ['1:7+1 wrong-value'],
  ],
  [
    'a misspelt section',
    `name: Spring
setings:
  plain_text: true
`,
    ['2:1+7 unknown-key'],
  ],
  [
    'a key at the wrong level',
    `name: Spring
timezone: Europe/Paris
`,
    ['2:1+8 unknown-key'],
  ],
  [
    'an unknown key',
    `name: Spring
colour: red
`,
    ['2:1+6 unknown-key'],
  ],
  [
    'a token',
    `name: Spring
api_token: 12|abcdefgh
`,
    ['2:1+9 secret-in-file'],
  ],
  [
    'a number with a fraction',
    `name: Spring
id: 1.5
`,
    ['2:5+3 wrong-type'],
  ],
  [
    'a number that is too small',
    `name: Spring
id: 0
`,
    ['2:5+1 wrong-value'],
  ],
  [
    'a number that is too large',
    `name: Spring
id: 12345678901234567890
`,
    ['2:5+20 wrong-value'],
  ],
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
    [
      '3:23+5 wrong-type',
      '4:26+5 wrong-type',
      '5:15+3 wrong-type',
      '6:18+7 wrong-type',
      '7:20+1 wrong-type',
      '8:21+5 wrong-type',
    ],
  ],
  [
    'a misspelt setting',
    `name: Spring
settings:
  max_email_per_day: 200
`,
    ['3:3+17 unknown-key'],
  ],
  [
    'an empty section',
    `name: Spring
settings:
`,
    ['2:10+1 wrong-type'],
  ],
  [
    'a misspelt status',
    `name: Spring
status: runing
`,
    ['2:9+6 wrong-value'],
  ],
  [
    'a status that is a switch',
    `name: Spring
status: on
`,
    ['2:9+2 wrong-value'],
  ],
  [
    'a schedule with bad values',
    `name: Spring
schedule:
  days: [monday, thusday, monday]
  start_time: 9:00
  end_time: 1700
  timezone: Europe/Pairs
`,
    [
      '3:18+7 wrong-value',
      '3:27+6 wrong-value',
      '4:15+4 wrong-value',
      '5:13+4 wrong-type',
      '6:13+12 wrong-value',
    ],
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
    ['4:15+8 wrong-value', '5:13+7 wrong-value', '6:13+5 wrong-value'],
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
    ['3:9+6 wrong-type', '6:13+19 wrong-value'],
  ],
  [
    'a schedule with a key left out',
    `name: Spring
schedule:
  days: [monday]
  start_time: "09:00"
  timezone: Europe/Paris
`,
    ['2:1+8 missing-key'],
  ],
  [
    'a schedule of both forms',
    `name: Spring
schedule:
  template: 3
  days: [monday]
  timezone: Europe/Paris
`,
    ['3:3+8 conflicting-keys'],
  ],
  [
    'a schedule of neither form',
    `name: Spring
schedule: {}
`,
    ['2:1+8 missing-key'],
  ],
  [
    'a misspelt template key',
    `name: Spring
schedule:
  tempalte: office-hours
`,
    ['3:3+8 unknown-key'],
  ],
  [
    'a schedule that is a text',
    `name: Spring
schedule: office-hours
`,
    ['2:11+12 wrong-type'],
  ],
  [
    'a step without a body',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      wait_in_days: 3
`,
    ['5:7+20 missing-key'],
  ],
  [
    'a step with two bodies',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      email_body: <p>Hi</p>
      email_body_file: hi.html
      wait_in_days: 3
`,
    ['7:7+15 conflicting-keys'],
  ],
  [
    'a misspelt body',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      email_bdy: <p>Hi</p>
      wait_in_days: 3
`,
    ['6:7+9 unknown-key'],
  ],
  [
    'a blank body',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      email_body: "  "
      wait_in_days: 3
`,
    ['6:19+4 wrong-value'],
  ],
  [
    'a subject that is only a variable',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: {FIRST_NAME}
      email_body: <p>Hi</p>
      wait_in_days: 3
`,
    ['5:22+12 wrong-type'],
  ],
  [
    'a variant without a subject',
    `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: Hello
      email_body: <p>Hi</p>
      wait_in_days: 3
      variants:
        - email_body: <p>Hello</p>
`,
    ['9:11+24 missing-key'],
  ],
  [
    'a sequence without steps',
    `name: Spring
sequence:
  title: Spring
  steps: []
`,
    ['4:10+2 wrong-value'],
  ],
  [
    'leads of the wrong kind',
    `name: Spring
leads:
  ids: [1001, "1002", x]
  lists: 42
`,
    ['3:15+6 wrong-type', '3:23+1 wrong-type', '4:10+2 wrong-type'],
  ],
];

const references: Row[] = [
  [
    'a lead list that the environment does not have',
    `name: Spring
leads:
  lists: [42, installer-fr, gardeners]
`,
    ['3:15+12 unknown-lead-list', '3:29+9 unknown-lead-list'],
  ],
  [
    'a template that the environment does not have',
    `name: Spring
schedule:
  template: ofice-hours
`,
    ['3:13+11 unknown-schedule-template'],
  ],
  [
    'an id in quotes',
    `name: Spring
schedule:
  template: "3"
`,
    ['3:13+3 unknown-schedule-template'],
  ],
  [
    'names of the language itself',
    `name: Spring
leads:
  lists: [constructor, __proto__]
`,
    ['3:11+11 unknown-lead-list', '3:24+9 unknown-lead-list'],
  ],
  [
    'an overlay for an unknown environment',
    `name: Spring
environments:
  prodution: {}
`,
    ['3:3+9 unknown-environment'],
  ],
  [
    'a file that does not exist',
    `name: Spring
leads:
  ids_file: leads/fr.txt
`,
    ['3:13+12 file-not-found'],
  ],
  [
    'a file outside of the project',
    `name: Spring
leads:
  ids_file: ../../leads.txt
`,
    ['3:13+15 file-outside-project'],
  ],
  [
    'a file with an absolute path',
    `name: Spring
leads:
  ids_file: /etc/hostname
`,
    ['3:13+13 file-outside-project'],
  ],
  [
    'references of a manifest that is wrong elsewhere',
    `name: Spring
staus: paused
leads:
  lists: [installer-fr]
  ids_file: fr.txt
`,
    ['2:1+5 unknown-key', '4:11+12 unknown-lead-list', '5:13+6 file-not-found'],
  ],
  [
    'an overlay with a bad value',
    `name: Spring
environments:
  production:
    settings: { max_emails_per_day: many }
`,
    ['4:37+4 wrong-type'],
  ],
  [
    'an overlay that leaves a schedule unfinished',
    `name: Spring
environments:
  production:
    schedule: { days: [monday], start_time: "09:00", timezone: Europe/Paris }
`,
    ['4:5+8 missing-key'],
  ],
];

const ROWS = [...syntax, ...shape, ...references];

test.each(ROWS)('%s', (_, manifest, findings) => {
  expect(seen(manifest).map(([place]) => place)).toEqual(findings);
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
