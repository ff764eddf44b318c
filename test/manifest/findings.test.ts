import { expect, test } from 'vitest';
import { OPTIONAL_SECTIONS } from '../../src/model/sections.js';
import { seen } from './check.js';

/** A manifest and everything that is said of it: `line:column+length code`, message, hint. */
type Row = [title: string, manifest: string, findings: string[][]];

const syntax: Row[] = [
  [
    'a file without a document',
    `# nothing yet
`,
    [
      [
        '1:1+1 empty-manifest',
        'The file has no document: it is empty or holds only comments.',
        'Write a document, or delete the file.',
      ],
    ],
  ],
  [
    'two colons on a line',
    `name: Spring: installers
`,
    [
      [
        '1:7+1 yaml-syntax',
        'There is a second ": " on the line.',
        'Put the text in double quotes, or begin a new line for the inner key.',
      ],
    ],
  ],
  [
    'a tab as indentation',
    `name: Spring
settings:
\tplain_text: true
`,
    [['3:1+1 yaml-syntax', 'A tab is used for indentation.', 'Indent with spaces.']],
  ],
  [
    'a quote that is not closed',
    `name: "Spring
id: 1
`,
    [
      [
        '1:7+7 yaml-syntax',
        'A quoted text is not closed.',
        'Add the closing quote; inside double quotes write \\" for a quote.',
      ],
    ],
  ],
  [
    'a key that is there twice',
    `name: Spring
name: Summer
`,
    [['2:1+4 duplicate-key', 'The key "name" appears twice in the same section.', 'Keep one of the two.']],
  ],
  [
    'a bracket that is not closed',
    `name: Spring
leads:
  ids: [1, 2
status: paused
`,
    [
      [
        '4:1+1 yaml-syntax',
        'A list [ … ] or section { … } does not end before this line.',
        'Add the closing bracket on a line above.',
      ],
    ],
  ],
  [
    'an alias without an anchor',
    `name: *spring
`,
    [
      [
        '1:7+7 yaml-alias',
        '"*spring" refers to no anchor above it, or to itself.',
        'Put a text that begins with an asterisk in quotes; else write the values out.',
      ],
    ],
  ],
  [
    'an alias inside of its own anchor',
    `name: Spring
leads: &leads
  lists: [*leads]
`,
    [
      [
        '3:11+6 yaml-alias',
        '"*leads" refers to no anchor above it, or to itself.',
        'Put a text that begins with an asterisk in quotes; else write the values out.',
      ],
    ],
  ],
  [
    'a tag',
    `name: !!binary Spring
`,
    [
      [
        '1:7+8 yaml-tag',
        'A tag (!name) gives the value another type.',
        'Leave the tag out; put a text that begins with "!" in quotes.',
      ],
    ],
  ],
  [
    'a tag of YAML 1.1',
    `%YAML 1.1
---
name: Spring
id: !!timestamp 2026-01-01
`,
    [
      [
        '4:5+11 yaml-tag',
        'A tag (!name) gives the value another type.',
        'Leave the tag out; put a text that begins with "!" in quotes.',
      ],
    ],
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
    [
      [
        '5:34+7 yaml-syntax',
        'This does not fit what comes before it.',
        'Check the indentation, and put texts that begin with a brace, bracket or quote in double quotes as a whole.',
      ],
    ],
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
    [
      [
        '7:1+9 yaml-syntax',
        'A key spans several lines.',
        'A ":" is probably missing after a key, or quotes around a text.',
      ],
    ],
  ],
  [
    'a NUL character',
    `name: Spr\u0000ing
`,
    [
      [
        '1:10+1 control-character',
        'The file holds the control character U+0000.',
        'Delete the character; if the whole file looks like this, save it as plain text in UTF-8.',
      ],
    ],
  ],
  [
    'a control character written as an escape',
    `name: "Spr\\u0007ing"
`,
    [['1:7+14 control-character', 'name holds the control character U+0007.', 'Remove the escape sequence.']],
  ],
];

test.each(syntax)('what is not YAML is said at its place: %s', (_, manifest, findings) => {
  expect(seen(manifest)).toEqual(findings);
});

const shape: Row[] = [
  [
    'a list instead of a manifest',
    `- name: Spring
`,
    [
      [
        '1:1+14 wrong-type',
        'The document: expected a section of keys, found a list.',
        'Write keys with values, indented below it.',
      ],
    ],
  ],
  [
    'a manifest without a name',
    `status: paused
`,
    [['1:1+14 missing-key', 'name is missing.', 'Add name, for example name: "Spring installers".']],
  ],
  [
    'a name without a value',
    `name:
`,
    [
      [
        '1:6+1 wrong-type',
        'name: expected text, found nothing (null).',
        'Fill it in; an optional key can be left out, and is then not managed.',
      ],
    ],
  ],
  [
    'a name that is a number',
    `name: 2026
`,
    [['1:7+4 wrong-type', 'name: expected text, found the number 2026.', 'Put it in quotes: "2026".']],
  ],
  [
    'a name with white space around it',
    `name: " Spring"
`,
    [
      [
        '1:7+9 wrong-value',
        'name: text " Spring" has white space around it or a line end in it.',
        'Write the name on one line, without white space around it.',
      ],
    ],
  ],
  [
    'a name over two lines',
    `name: |
  Spring
  installers
`,
    [
      [
        '1:7+1 wrong-value',
        'name: text "Spring\\ninstallers\\n" has white space around it or a line end in it.',
        'Write the name on one line, without white space around it.',
      ],
    ],
  ],
  [
    'a misspelt section',
    `name: Spring
setings:
  plain_text: true
`,
    [['2:1+7 unknown-key', 'Unknown key "setings".', 'Did you mean "settings"?']],
  ],
  [
    'a key at the wrong level',
    `name: Spring
timezone: Europe/Paris
`,
    [['2:1+8 unknown-key', 'Unknown key "timezone".', 'It belongs under schedule.']],
  ],
  [
    'an unknown key',
    `name: Spring
colour: red
`,
    [
      [
        '2:1+6 unknown-key',
        'Unknown key "colour".',
        `Known here: name, id, replaces, ${OPTIONAL_SECTIONS.join(', ')}, waive, for_each, lint, environments.`,
      ],
    ],
  ],
  [
    'a token',
    `name: Spring
api_token: 12|abcdefgh
`,
    [
      [
        '2:1+9 secret-in-file',
        'api_token is not a known key, and its value looks like a secret.',
        'Put the token into an environment variable and its name under token_env. Replace the token: it was in a file.',
      ],
    ],
  ],
  [
    'a number with a fraction',
    `name: Spring
id: 1.5
`,
    [
      [
        '2:5+3 wrong-type',
        'id: expected a whole number, found the number 1.5.',
        'Write it without a fraction.',
      ],
    ],
  ],
  [
    'a number that is too small',
    `name: Spring
id: 0
`,
    [['2:5+1 wrong-value', 'id: the number 0 is too small.', 'The smallest number here is 1.']],
  ],
  [
    'a number that is too large',
    `name: Spring
id: 12345678901234567890
`,
    [['2:5+20 wrong-value', 'id is too large a number.', 'Numbers go up to 9007199254740991.']],
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
      [
        '3:23+5 wrong-type',
        'settings.max_emails_per_day: expected a whole number or null, found text "1,000".',
        'Write the digits only: 1000.',
      ],
      [
        '4:26+5 wrong-type',
        'settings.max_new_leads_per_day: expected a whole number or null, found text "100".',
        'Remove the quotes: 100.',
      ],
      [
        '5:15+3 wrong-type',
        'settings.plain_text: expected true, false or null, found text "yes".',
        'Write true, without quotes: yes is plain text in YAML 1.2.',
      ],
      [
        '6:18+7 wrong-type',
        'settings.open_tracking: expected true, false or null, found text "false".',
        'Remove the quotes: in quotes it is text.',
      ],
      [
        '7:20+1 wrong-type',
        'settings.can_unsubscribe: expected true, false or null, found the number 1.',
        'Write true, false or null.',
      ],
      [
        '8:21+5 wrong-type',
        'settings.unsubscribe_text: expected text or null, found false.',
        'Put it in quotes: "false".',
      ],
    ],
  ],
  [
    'a misspelt setting',
    `name: Spring
settings:
  max_email_per_day: 200
`,
    [
      [
        '3:3+17 unknown-key',
        'Unknown key "max_email_per_day" in settings.',
        'Did you mean "max_emails_per_day"?',
      ],
    ],
  ],
  [
    'an empty section',
    `name: Spring
settings:
`,
    [
      [
        '2:10+1 wrong-type',
        'settings: expected a section of keys, found nothing (null).',
        'Fill it in; an optional key can be left out, and is then not managed.',
      ],
    ],
  ],
  [
    'a misspelt status',
    `name: Spring
status: runing
`,
    [['2:9+6 wrong-value', 'status: text "runing" is not a known value.', 'Did you mean "running"?']],
  ],
  [
    'a status that is a switch',
    `name: Spring
status: on
`,
    [['2:9+2 wrong-value', 'status: text "on" is not a known value.', 'Known here: running, paused.']],
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
      [
        '3:18+7 wrong-value',
        'schedule.days[1]: text "thusday" is not a known value.',
        'Did you mean "thursday"?',
      ],
      ['3:27+6 wrong-value', 'schedule.days has text "monday" twice.', 'Keep it once.'],
      [
        '4:15+4 wrong-value',
        'schedule.start_time: text "9:00" is not a time.',
        'Write hours and minutes with two digits each, 00:00 to 23:59: "09:00".',
      ],
      [
        '5:13+4 wrong-type',
        'schedule.end_time: expected text, found the number 1700.',
        'Write hours and minutes in quotes: "09:00".',
      ],
      [
        '6:13+12 wrong-value',
        'schedule.timezone: text "Europe/Pairs" is not a known value.',
        'Did you mean "Europe/Paris"?',
      ],
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
    [
      [
        '4:15+8 wrong-value',
        'schedule.start_time: text "09:00:00" is not a time.',
        'Write hours and minutes with two digits each, 00:00 to 23:59: "09:00".',
      ],
      [
        '5:13+7 wrong-value',
        'schedule.end_time: text "24:00" is not a time.',
        'Write hours and minutes with two digits each, 00:00 to 23:59: "09:00".',
      ],
      [
        '6:13+5 wrong-value',
        'schedule.timezone: text "Paris" is not a known value.',
        'Did you mean "Europe/Paris"?',
      ],
    ],
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
    [
      [
        '3:9+6 wrong-type',
        'schedule.days: expected a list, found text "monday".',
        'Write a list: days: [monday].',
      ],
      [
        '6:13+19 wrong-value',
        'schedule.timezone: text "Australia/Lord_Howe" is not a known value.',
        'Known here: Australia/Perth, Australia/Adelaide, Australia/Darwin, Australia/Brisbane, Australia/Sydney, Australia/Hobart, Australia/Melbourne.',
      ],
    ],
  ],
  [
    'a schedule with a key left out',
    `name: Spring
schedule:
  days: [monday]
  start_time: "09:00"
  timezone: Europe/Paris
`,
    [
      [
        '2:1+8 missing-key',
        'end_time is missing in schedule.',
        'Add end_time, for example end_time: "17:00".',
      ],
    ],
  ],
  [
    'a schedule of both forms',
    `name: Spring
schedule:
  template: 3
  days: [monday]
  timezone: Europe/Paris
`,
    [
      [
        '3:3+8 conflicting-keys',
        'schedule has days and timezone together with template.',
        'Give either days and timezone, or template.',
      ],
    ],
  ],
  [
    'a schedule of neither form',
    `name: Spring
schedule: {}
`,
    [
      [
        '2:1+8 missing-key',
        'schedule has neither days, start_time, end_time and timezone nor template.',
        'Add days, start_time, end_time and timezone, or template.',
      ],
    ],
  ],
  [
    'a misspelt template key',
    `name: Spring
schedule:
  tempalte: office-hours
`,
    [['3:3+8 unknown-key', 'Unknown key "tempalte" in schedule.', 'Did you mean "template"?']],
  ],
  [
    'a schedule that is a text',
    `name: Spring
schedule: office-hours
`,
    [
      [
        '2:11+12 wrong-type',
        'schedule: expected a section of keys, found text "office-hours".',
        'Write keys with values, indented below it.',
      ],
    ],
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
    [
      [
        '5:7+20 missing-key',
        'sequence.steps[0] has neither email_body nor email_body_file.',
        'Add email_body, or email_body_file.',
      ],
    ],
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
    [
      [
        '7:7+15 conflicting-keys',
        'sequence.steps[0] has email_body together with email_body_file.',
        'Give either email_body, or email_body_file.',
      ],
    ],
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
    [['6:7+9 unknown-key', 'Unknown key "email_bdy" in sequence.steps[0].', 'Did you mean "email_body"?']],
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
    [
      [
        '6:19+4 wrong-value',
        'sequence.steps[0].email_body: text "  " is blank.',
        'Fill it in; an optional key can be left out.',
      ],
    ],
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
    [
      [
        '5:22+12 wrong-type',
        'sequence.steps[0].email_subject: expected text, found a section of keys.',
        'Put the text in double quotes: a text that begins with "{" or holds ": " needs them.',
      ],
    ],
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
    [
      [
        '9:11+24 missing-key',
        'email_subject is missing in sequence.steps[0].variants[0].',
        'Add email_subject, for example email_subject: "Installers at {COMPANY}".',
      ],
    ],
  ],
  [
    'a sequence without steps',
    `name: Spring
sequence:
  title: Spring
  steps: []
`,
    [['4:10+2 wrong-value', 'sequence.steps is empty.', 'At least one entry is needed.']],
  ],
  [
    'leads of the wrong kind',
    `name: Spring
leads:
  ids: [1001, "1002", x]
  lists: 42
`,
    [
      [
        '3:15+6 wrong-type',
        'leads.ids[1]: expected a whole number, found text "1002".',
        'Remove the quotes: 1002.',
      ],
      ['3:23+1 wrong-type', 'leads.ids[2]: expected a whole number, found text "x".', 'Write digits only.'],
      [
        '4:10+2 wrong-type',
        'leads.lists: expected a list, found the number 42.',
        'Write a list: lists: [42].',
      ],
    ],
  ],
];

test.each(shape)(
  'what the schema refuses is said in the words of the author: %s',
  (_, manifest, findings) => {
    expect(seen(manifest)).toEqual(findings);
  },
);

const references: Row[] = [
  [
    'a lead list that the environment does not have',
    `name: Spring
leads:
  lists: [42, installer-fr, gardeners]
`,
    [
      [
        '3:15+12 unknown-lead-list',
        'The environment production has no lead list named "installer-fr".',
        'Did you mean "installers-fr"?',
      ],
      [
        '3:29+9 unknown-lead-list',
        'The environment production has no lead list named "gardeners".',
        'Give it an id under lead_lists of the environment production in the project file. It has: installers-fr, installers-de.',
      ],
    ],
  ],
  [
    'a template that the environment does not have',
    `name: Spring
schedule:
  template: ofice-hours
`,
    [
      [
        '3:13+11 unknown-schedule-template',
        'The environment production has no schedule template named "ofice-hours".',
        'Did you mean "office-hours"?',
      ],
    ],
  ],
  [
    'an id in quotes',
    `name: Spring
schedule:
  template: "3"
`,
    [
      [
        '3:13+3 unknown-schedule-template',
        'The environment production has no schedule template named "3".',
        'For an id remove the quotes: 3.',
      ],
    ],
  ],
  [
    'names of the language itself',
    `name: Spring
leads:
  lists: [constructor, __proto__]
`,
    [
      [
        '3:11+11 unknown-lead-list',
        'The environment production has no lead list named "constructor".',
        'Give it an id under lead_lists of the environment production in the project file. It has: installers-fr, installers-de.',
      ],
      [
        '3:24+9 unknown-lead-list',
        'The environment production has no lead list named "__proto__".',
        'Give it an id under lead_lists of the environment production in the project file. It has: installers-fr, installers-de.',
      ],
    ],
  ],
  [
    'an overlay for an unknown environment',
    `name: Spring
environments:
  prodution: {}
`,
    [
      [
        '3:3+9 unknown-environment',
        'The project file has no environment named "prodution".',
        'Did you mean "production"?',
      ],
    ],
  ],
  [
    'a file that does not exist',
    `name: Spring
leads:
  ids_file: leads/fr.txt
`,
    [
      [
        '3:13+12 file-not-found',
        '"leads/fr.txt" does not exist.',
        'Check the spelling, letter case too; paths are relative to the file that names them.',
      ],
    ],
  ],
  [
    'a file outside of the project',
    `name: Spring
leads:
  ids_file: ../../leads.txt
`,
    [
      [
        '3:13+15 file-outside-project',
        '"../../leads.txt" lies outside the project.',
        'Move the file into the folder of campaignctl.yaml or below it, or name its folder under shared: in that file.',
      ],
    ],
  ],
  [
    'a file with an absolute path',
    `name: Spring
leads:
  ids_file: /etc/hostname
`,
    [
      [
        '3:13+13 file-outside-project',
        '"/etc/hostname" lies outside the project.',
        'Move the file into the folder of campaignctl.yaml or below it, or name its folder under shared: in that file.',
      ],
    ],
  ],
  [
    'references of a manifest that is wrong elsewhere',
    `name: Spring
staus: paused
leads:
  lists: [installer-fr]
  ids_file: fr.txt
`,
    [
      ['2:1+5 unknown-key', 'Unknown key "staus".', 'Did you mean "status"?'],
      [
        '4:11+12 unknown-lead-list',
        'The environment production has no lead list named "installer-fr".',
        'Did you mean "installers-fr"?',
      ],
      [
        '5:13+6 file-not-found',
        '"fr.txt" does not exist.',
        'Check the spelling, letter case too; paths are relative to the file that names them.',
      ],
    ],
  ],
  [
    'an overlay with a bad value',
    `name: Spring
environments:
  production:
    settings: { max_emails_per_day: many }
`,
    [
      [
        '4:37+4 wrong-type',
        'environments.production.settings.max_emails_per_day: expected a whole number or null, found text "many".',
        'Write digits only.',
      ],
    ],
  ],
  [
    'an overlay that leaves a schedule unfinished',
    `name: Spring
environments:
  production:
    schedule: { days: [monday], start_time: "09:00", timezone: Europe/Paris }
`,
    [
      [
        '4:5+8 missing-key',
        'end_time is missing in schedule.',
        'Add end_time, for example end_time: "17:00".',
      ],
    ],
  ],
];

test.each(references)('what a manifest refers to has to be there: %s', (_, manifest, findings) => {
  expect(seen(manifest)).toEqual(findings);
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
