import { expect, test } from 'vitest';
import { readCases } from '../support/cases.js';
import { check, production, seen, staging } from './check.js';

const MAIN = 'campaigns/spring.yaml';

const MANIFEST = `for_each:
  - { segment: France, cap: 200, lists: [installers-fr, 5], hour: 9 }
  - { segment: Spain, cap: null, lists: [installers-de], hour: 10 }
name: Installers \${{ segment }}
settings: { max_emails_per_day: "\${{ cap }}", max_new_leads_per_day: 1 }
schedule:
  days: [monday]
  start_time: "0\${{ hour }}:00"
  end_time: "17:00"
  timezone: Europe/Paris
sequence:
  title: \${{ segment }}
  steps:
    - email_subject: "{FIRST_NAME}, installers in \${{ segment }}"
      email_body_file: ../emails/\${{ segment }}.html
      wait_in_days: 3
leads: { lists: "\${{ lists }}" }
environments:
  staging: { name: "Trial \${{ segment }}", leads: { lists: [7] } }
`;
const BODIES = {
  'emails/France.html': '<p>Bonjour, ${{ segment }} costs $${{ nothing }}</p>\n',
  'emails/Spain.html': '<p>Hola</p>\n',
};

/** The spec of one instance of the manifest. */
function spec(name: string, segment: string, body: string) {
  return {
    name,
    sequence: {
      title: segment,
      steps: [{ email_subject: `{FIRST_NAME}, installers in ${segment}`, email_body: body, wait_in_days: 3 }],
    },
  };
}

test('each entry defines a separate campaign, named by its first value, with overlays', () => {
  const text = MANIFEST.replace('0${{ hour }}', '${{ hour }}').replace('hour: 9', 'hour: "09"');
  const { campaigns, findings } = check(
    { [MAIN]: text, ...BODIES },
    { environments: [production, staging], rules: { liquid: 'off', 'shared-lead-list': 'off' } },
  );
  expect(findings).toEqual([]);
  const france = spec('Installers France', 'France', '<p>Bonjour, France costs ${{ nothing }}</p>\n');
  const spain = spec('Installers Spain', 'Spain', '<p>Hola</p>\n');
  const schedule = (hour: string) => ({
    days: ['monday'],
    start_time: `${hour}:00`,
    end_time: '17:00',
    timezone: 'Europe/Paris',
  });
  const campaign = (label: string) => ({
    manifest: `${MAIN}[${label}]`,
    file: MAIN,
    document: 0,
    remarks: [],
  });
  const [first, second] = [
    { ...france, settings: { max_emails_per_day: 200, max_new_leads_per_day: 1 }, schedule: schedule('09') },
    { ...spain, settings: { max_emails_per_day: null, max_new_leads_per_day: 1 }, schedule: schedule('10') },
  ];
  expect(campaigns).toEqual([
    [
      { ...campaign('France'), spec: { ...first, leads: { lists: ['installers-fr', 5] } } },
      { ...campaign('Spain'), spec: { ...second, leads: { lists: ['installers-de'] } } },
    ],
    [
      { ...campaign('France'), spec: { ...first, name: 'Trial France', leads: { lists: [7] } } },
      { ...campaign('Spain'), spec: { ...second, name: 'Trial Spain', leads: { lists: [7] } } },
    ],
  ]);
});

test('plain entries are named "value", and document numbers count', () => {
  const text = 'name: First\n---\nfor_each: [France, 7, true]\nname: In ${{ value }}\n';
  const { campaigns, findings } = check({ [MAIN]: text });
  expect(findings).toEqual([]);
  expect(campaigns[0]?.map(({ manifest, spec: { name } }) => [manifest, name])).toEqual([
    [MAIN, 'First'],
    [`${MAIN}#2[France]`, 'In France'],
    [`${MAIN}#2[7]`, 'In 7'],
    [`${MAIN}#2[true]`, 'In true'],
  ]);
});

test('an error in every campaign is reported once, and an error in some names them', async () => {
  const text = MANIFEST.replace('timezone: Europe/Paris', 'timezone: Europe/Pari').replace(
    'cap: 200',
    'cap: "200"',
  );
  const { findings } = check({ [MAIN]: text, 'emails/France.html': '{first_name}' });
  const lines = findings.flatMap(({ file, line, column, message, hint }) => [
    `${file}:${line}:${column}`,
    message,
    hint,
  ]);
  await expect(`${lines.join('\n')}\n`).toMatchFileSnapshot('golden/for-each-of-some.txt');
});

test('names that an environment does not know are reported at the expression, with their campaigns', () => {
  const { findings } = check(
    {
      [MAIN]:
        'for_each: [{ a: x, list: installers-fr }, { a: y, list: fr }]\nname: N ${{ a }}\nleads: { lists: ["${{ list }}"] }\n',
    },
    { environments: [production] },
  );
  expect(findings).toMatchObject([{ line: 3, column: 18, code: 'unknown-lead-list' }]);
  expect(findings[0]?.message).toContain('"fr" (for y)');
});

test('each finding has a position, a message and a fix', async () => {
  const lines = readCases(import.meta.dirname, 'for-each').flatMap(([title, manifest]) => [
    `# ${title}`,
    ...seen(manifest).flat(),
    '',
  ]);
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/for-each.txt');
});

test('an escape is ordinary text, also in for_each', () => {
  const { campaigns, findings } = check({
    [MAIN]: 'for_each: [{ a: "$${{ x" }]\nname: "$$${{ ${{ a }}"\n',
  });
  expect(findings).toEqual([]);
  expect(campaigns[0]?.map(({ spec: { name } }) => name)).toEqual(['$${{ ${{ x']);
});

test('the order and the number of entries do not affect names', () => {
  const named = (items: string) =>
    check({ [MAIN]: `for_each: [${items}]\nname: C \${{ value }}\n` }).campaigns[0]?.map(
      (campaign) => campaign.manifest,
    );
  expect(named('b, a')).toEqual(
    named('a, c, b')
      ?.filter((name) => !name.includes('c]'))
      .toReversed(),
  );
});

test('an error in a list from an expression is reported at the expression', () => {
  const manifest = 'for_each: [{ a: x, lists: [5, fr] }]\nname: N\nleads: { lists: "${{ lists }}" }\n';
  expect(seen(manifest).map(([place]) => place)).toEqual(['3:17+14 unknown-lead-list']);
});

test('a thousand campaigns are accepted, and more are an error', () => {
  const numbers = (count: number) => Array.from({ length: count }, (_, index) => index).join(', ');
  const manifest = (count: number) => `for_each: [${numbers(count)}]\nname: C \${{ value }}\n`;
  expect(check({ [MAIN]: manifest(1000) }).campaigns[0]).toHaveLength(1000);
  expect(seen(manifest(1001)).map(([place, message]) => [place, message])).toEqual([
    ['1:11+4896 wrong-value', 'for_each has more than 1000 entries.'],
  ]);
});

test.each<[written: string, inserted: string]>([
  ['1.10', '1.10'],
  ['01234', '01234'],
  ['0x10', '0x10'],
  ['1e6', '1e6'],
  ['+49', '+49'],
  ['12345678901234567890', '12345678901234567890'],
  ['200', '200'],
  ['-3.5', '-3.5'],
  ['"1.10"', '1.10'],
  ['2026-05-03', '2026-05-03'],
  ['true', 'true'],
  ['09:00', '09:00'],
])('the value %s is inserted as it is written, from for_each and with', (written, inserted) => {
  const files = {
    [MAIN]: `for_each: [{ segment: a, price: ${written} }]
name: "A \${{ segment }}"
sequence:
  use: { file: piece.yaml, with: { seats: ${written}, price: "\${{ price }}" } }
environments:
  production: { sequence: { use: { file: piece.yaml, with: { seats: ${written}, price: 2.50 } } } }
`,
    'campaigns/piece.yaml': `title: "\${{ price }} for \${{ seats }}"
steps: [{ email_subject: "Only \${{ price }}", email_body: "<p>\${{ seats }}</p>", wait_in_days: 3 }]
`,
  };
  const specs = [production, staging].map((environment) => {
    const { campaigns, findings } = check(files, { environments: [environment] });
    expect(findings).toEqual([]);
    return campaigns[0]?.[0]?.spec.sequence;
  });
  expect(specs.map((sequence) => sequence?.title)).toEqual([
    `2.50 for ${inserted}`,
    `${inserted} for ${inserted}`,
  ]);
  expect(specs.map((sequence) => sequence?.steps[0]?.email_subject)).toEqual([
    'Only 2.50',
    `Only ${inserted}`,
  ]);
});

test('a plain entry names its campaign as it is written', () => {
  const { campaigns, findings } = check({
    [MAIN]: `for_each: [01234, 5]
name: "In \${{ value }}"
`,
  });
  expect(findings).toEqual([]);
  expect(campaigns[0]?.map(({ manifest, spec }) => [manifest, spec.name])).toEqual([
    ['campaigns/spring.yaml[01234]', 'In 01234'],
    ['campaigns/spring.yaml[5]', 'In 5'],
  ]);
});
