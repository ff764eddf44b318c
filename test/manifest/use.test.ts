import { expect, test } from 'vitest';
import { readCases } from '../support/cases.js';
import { check, production, staging } from './check.js';

const MAIN = 'campaigns/spring.yaml';
const SEQUENCE = `title: Spring
steps:
  - email_subject: "{FIRST_NAME}, a question"
    email_body_file: bodies/first.html
    wait_in_days: 3
`;
const OFFICE = `days: [monday]
start_time: "09:00"
end_time: "17:00"
timezone: Europe/Paris
`;
const FILES = {
  [MAIN]: `name: Spring
sequence: { use: ../shared/sequence.yaml }
schedule: { use: ../shared/office.yaml }
environments:
  production: { schedule: { use: ../shared/template.yaml } }
  staging: { schedule: { timezone: Europe/Rome }, sequence: { title: Trial } }
`,
  'shared/sequence.yaml': SEQUENCE,
  'shared/office.yaml': OFFICE,
  'shared/template.yaml': 'template: office-hours\n',
  'shared/bodies/first.html': '<p>Hello</p>\n',
};

const office = { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };

function findingRows(files: Record<string, string>, environments = [production]): string[][] {
  return check({ ...FILES, ...files }, { environments }).findings.map(
    ({ file, line, column, length, code, message }) => [
      `${file}:${line}:${column}+${length} ${code}`,
      message,
    ],
  );
}

test('a section is read from its file and bodies relative to it, and overlays replace it or change parts', () => {
  const { campaigns, findings } = check(FILES, { environments: [production, staging] });
  expect(findings).toEqual([]);
  const steps = [
    { email_subject: '{FIRST_NAME}, a question', wait_in_days: 3, email_body: '<p>Hello</p>\n' },
  ];
  const campaign = { manifest: MAIN, file: MAIN, document: 0, remarks: [] };
  expect(campaigns).toEqual([
    [
      {
        ...campaign,
        spec: {
          name: 'Spring',
          sequence: { title: 'Spring', steps },
          schedule: { template: 'office-hours' },
        },
      },
    ],
    [
      {
        ...campaign,
        spec: {
          name: 'Spring',
          sequence: { title: 'Trial', steps },
          schedule: { ...office, timezone: 'Europe/Rome' },
        },
      },
    ],
  ]);
});

test('an overlay with a file replaces the base completely', () => {
  const { campaigns, findings } = check({
    [MAIN]: `name: Spring
schedule: { days: [friday], start_time: "08:00", end_time: "12:00", timezone: Europe/Rome, save_as_template: true }
environments: { production: { schedule: { use: ../shared/office.yaml } } }
`,
    'shared/office.yaml': OFFICE,
  });
  expect([campaigns[0]?.[0]?.spec.schedule, findings]).toEqual([office, []]);
});

test('expressions in a piece and in its name have the values of the campaign', () => {
  const { campaigns, findings } = check({
    [MAIN]: `for_each: [{ lang: en, who: you }, { lang: de, who: dich }]
name: For \${{ lang }}
sequence: { use: "../shared/\${{ lang }}.yaml" }
`,
    'shared/en.yaml': SEQUENCE.replace('bodies/first.html', 'body.html'),
    'shared/de.yaml': SEQUENCE.replace('Spring', 'Frühling für ${{ who }}').replace('bodies/first', 'body'),
    'shared/body.html': '<p>For ${{ who }}</p>',
  });
  expect(findings).toEqual([]);
  expect(
    campaigns[0]?.map(({ spec: { sequence } }) => [sequence?.title, sequence?.steps[0]?.email_body]),
  ).toEqual([
    ['Spring', '<p>For you</p>'],
    ['Frühling für dich', '<p>For dich</p>'],
  ]);
});

test('values of a piece, also in its bodies, take precedence over those of for_each', () => {
  const { campaigns, findings } = check({
    [MAIN]: `for_each: [{ country: France, offer: a sample }, { country: Spain, offer: a sample }]
name: For \${{ country }}
sequence: { use: { file: ../shared/sequence.yaml, with: { offer: "a kit for \${{ country }}", wait: 4 } } }
`,
    'shared/sequence.yaml': SEQUENCE.replace('Spring', '${{ offer }}').replace(': 3', ': ${{ wait }}'),
    'shared/bodies/first.html': '<p>Have ${{ offer }}</p>',
  });
  expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(campaigns[0]?.map(({ spec: { sequence } }) => sequence)).toEqual(
    ['France', 'Spain'].map((country) => ({
      title: `a kit for ${country}`,
      steps: [
        {
          email_subject: '{FIRST_NAME}, a question',
          wait_in_days: 4,
          email_body: `<p>Have a kit for ${country}</p>`,
        },
      ],
    })),
  );
});

test('an error in an inserted value names where it comes from: for_each, with, or both', () => {
  const hints = (written: string) =>
    check({
      ...FILES,
      [MAIN]: `for_each: [{ country: France, wait: two, unit: d }]
name: For \${{ country }}
sequence: { use: { file: ../shared/sequence.yaml, with: { days: two, number: 3 } } }
`,
      'shared/sequence.yaml': SEQUENCE.replace(': 3', `: "${written}"`),
    }).findings.map(({ hint }) => hint);
  expect(hints('${{ wait }}')).toEqual(['Write only digits. The value comes from for_each.']);
  expect(hints('${{ days }}')).toEqual(['Write only digits. The value comes from with.']);
  expect(hints('${{ number }} ${{ unit }}')).toEqual([
    'Write only the digits: 3. The value comes from with and for_each.',
  ]);
});

test('two manifests can use one piece with different values', () => {
  const manifest = (name: string, offer: string) =>
    `name: ${name}\nsequence: { use: { file: ../shared/sequence.yaml, with: { offer: ${offer} } } }\n`;
  const { campaigns } = check({
    ...FILES,
    [MAIN]: `${manifest('A', 'tea')}---\n${manifest('B', 'coffee')}`,
    'shared/sequence.yaml': SEQUENCE.replace('Spring', 'Have ${{ offer }}'),
  });
  expect(campaigns[0]?.map(({ spec }) => spec.sequence?.title)).toEqual(['Have tea', 'Have coffee']);
});

test('an error is reported where it is written', async () => {
  const cases = readCases<Record<string, string>>(import.meta.dirname, 'use');
  const lines = cases.flatMap(([title, files]) => [`# ${title}`, ...findingRows(files).flat(), '']);
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/use.txt');
});

test('an error in a piece that is used often is reported once', () => {
  const files = {
    ...FILES,
    [MAIN]: `name: A
schedule: { use: ../shared/office.yaml }
---
for_each: [a, b]
name: B \${{ value }}
schedule: { use: ../shared/office.yaml }
`,
  };
  expect(
    findingRows({ ...files, 'shared/office.yaml': OFFICE.replace('monday', 'mondy') }, [production, staging]),
  ).toEqual([
    ['shared/office.yaml:1:8+5 wrong-value', expect.stringMatching(/^schedule\.days, entry 1: "mondy"/)],
  ]);
  expect(findingRows({ ...files, 'shared/office.yaml': '\tx: 1\n' }, [production, staging])).toEqual([
    ['shared/office.yaml:1:1+1 yaml-syntax', 'Line 1 is indented with a tab.'],
  ]);
});

test('an error in a piece that the base and an overlay use is reported once', () => {
  const main = `name: A
schedule: { use: ../shared/office.yaml }
environments: { production: { schedule: { use: ../shared/office.yaml } } }
`;
  const office = OFFICE.replace('monday', 'mondy').replace('timezone', 'time_zone');
  const findings = findingRows({ [MAIN]: main, 'shared/office.yaml': office }, [production, staging]);
  expect(findings.map(([place]) => place)).toEqual([
    'shared/office.yaml:1:8+5 wrong-value',
    'shared/office.yaml:4:1+9 unknown-key',
  ]);
});
