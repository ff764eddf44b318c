import { describe, expect, it, test } from 'vitest';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { readProject } from '../../src/project/project.js';
import { checkResults } from '../../src/rules/results.js';
import { failure, folder } from '../project/folder.js';
import { mail, policies, said } from './hold.js';

const SCHEDULE = `name: Spring
schedule:
  days: [monday, saturday]
  start_time: "07:30"
  end_time: "19:00"
  timezone: Europe/London
`;
const TWO_STEPS = `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: One
      email_body: <p>One</p>
      wait_in_days: 1
      variants: [{ email_subject: Or one, email_body: <p>One</p>, wait_in_days: 9 }]
    - { email_subject: Two, email_body: <p>Two</p>, wait_in_days: 1 }
`;

/** Policy, manifest, and the places of its findings. The golden file has their sentences. */
const CASES: Record<string, [policy: string, manifest: string, places: string][]> = {
  'required settings': [
    ['require: { settings.can_unsubscribe: true }', 'name: A\nsettings: { can_unsubscribe: true }\n', ''],
    [
      'require: { settings.can_unsubscribe: true }',
      'name: A\nsettings: { can_unsubscribe: false }\n',
      '2:30+5',
    ],
    [
      'require: { settings.unsubscribe_text: any }',
      'name: A\nsettings: { unsubscribe_text: " " }\n',
      '2:31+3',
    ],
    ['require: { settings.can_unsubscribe: any }', 'name: A\nsettings: { plain_text: true }\n', '2:1+8'],
    ['require: { schedule: any, status: paused }', 'name: A\nstatus: running\n', '1:7+1, 2:9+7'],
    ['optional: true, require: { schedule: any, status: paused }', 'name: A\n', ''],
  ],
  'caps and floors': [
    [
      'range: { settings.max_emails_per_day: { min: 10, max: 500 } }',
      'name: A\nsettings: { max_emails_per_day: 500 }\n',
      '',
    ],
    [
      'range: { settings.max_emails_per_day: { min: 10, max: 500 } }',
      'name: A\nsettings: { max_emails_per_day: 501 }\n',
      '2:33+3',
    ],
    [
      'range: { settings.max_new_leads_per_day: { min: 10 } }',
      'name: A\nsettings: { max_new_leads_per_day: 9 }\n',
      '2:36+1',
    ],
    [
      'range: { settings.max_emails_per_day: { max: 500 } }',
      'name: A\nsettings: { max_emails_per_day: null }\n',
      '2:33+4',
    ],
    ['range: { settings.max_emails_per_day: { max: 500 } }', 'name: A\n', '1:7+1'],
    ['optional: true, range: { settings.max_emails_per_day: { max: 500 } }', 'name: A\n', ''],
  ],
  'sending hours': [
    [
      'sending: { days: [monday, saturday], from_time: "07:30", until_time: "19:00", timezones: [Europe/London] }',
      SCHEDULE,
      '',
    ],
    [
      'sending: { days: [monday], from_time: "08:00", until_time: "18:00", timezones: [Europe/Paris] }',
      SCHEDULE,
      '3:18+8, 4:15+7, 5:13+7, 6:13+13',
    ],
    [
      'sending: { from_time: "08:00", until_time: "18:00" }',
      SCHEDULE.replace('07:30', '20:00').replace('19:00', '06:00'),
      '4:15+7, 5:13+7',
    ],
    [
      'sending: { from_time: "08:00", templates: [office-hours] }',
      'name: A\nschedule: { template: office-hours }\n',
      '',
    ],
    ['sending: { from_time: "08:00" }', 'name: A\nschedule: { template: 3 }\n', '2:23+1'],
    ['sending: { from_time: "08:00" }', 'name: A\n', '1:7+1'],
  ],
  steps: [
    ['steps: { least: 2, most: 2, longest_wait: 9 }', TWO_STEPS, ''],
    ['steps: { least: 3 }', TWO_STEPS, '4:3+5'],
    ['steps: { most: 1 }', TWO_STEPS, '9:7+63'],
    ['steps: { shortest_wait: 2, longest_wait: 8 }', TWO_STEPS, '7:21+1, 8:81+1'],
    ['steps: { least: 2 }', 'name: A\n', '1:7+1'],
  ],
  subjects: [
    ['subject: { longest: 10 }', mail('{Hi|Hello}', 'x'), ''],
    ['subject: { longest: 10 }', mail('{Hi|Hello} there', 'x'), '6:22+18'],
    ['subject: { longest: 10 }', 'name: A\n', ''],
  ],
  names: [
    ['name: { pattern: "^\\\\p{Lu}cole .(?!x)" }', 'name: École 😀!\n', ''],
    ['name: { pattern: "^(Spring|Autumn) · [A-Z]{2}$" }', 'name: Spring · UK\n', ''],
    ['name: { pattern: "^(Spring|Autumn) · [A-Z]{2}$" }', 'name: Spring · UKX\n', '1:7+12'],
  ],
  words: [
    ['words: { never: [free] }', mail('Freedom', '<p>carefree, free_trial</p>'), ''],
    [
      'words: { never: [free, "100 %"] }',
      mail('Really FREE', '<p>now <b>100</b>&nbsp;%</p>\n<p>for Free</p>'),
      '6:30+4, 7:19+1, 9:16+4',
    ],
    ['words: { never: ["no-brainer (really)"] }', mail('A no-brainer (really)?', 'x'), '6:25+19'],
    ['words: { never: [free], in: [body] }', mail('Free', '<p>x</p>'), ''],
    ['words: { never: [free], in: [subject] }', mail('Risk {fr|}{ee|}', 'x'), '6:22+17'],
    ['words: { always: ["{FIRST_NAME}"] }', mail('For {FIRST_NAME}', 'x'), ''],
    ['words: { always: ["{FIRST_NAME}"] }', mail('{Hi {FIRST_NAME}|Hello}', 'x'), '7:19+1'],
    ['words: { always: [reply], in: [body] }', mail('reply', '<p title="reply">x</p>'), '7:19+1'],
  ],
};

const findingsOf = async (policy: string, manifest: string) =>
  (await said(`p: { ${policy} }`, manifest)).map(([place = '', message = '']) => [
    place.replace(' policy/p', ''),
    message,
  ]);

describe.each(Object.entries(CASES))('%s', (_, cases) => {
  test.each(cases)('%s', async (policy, manifest, places) => {
    const found = await findingsOf(policy, manifest);
    expect(found.map(([place]) => place).join(', ')).toBe(places);
  });
});

test('each finding says what is wrong', async () => {
  const lines: string[] = [];
  for (const [policy, manifest] of Object.values(CASES).flat())
    lines.push(`# ${policy}`, ...(await findingsOf(policy, manifest)).map((found) => found.join(' ')), '');
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/policies.txt');
});

test('what an overlay writes is held against the policy where it stands', async () => {
  const manifest = `name: A
settings: { max_emails_per_day: 100 }
environments:
  production: { settings: { max_emails_per_day: 900 } }
`;
  expect(await said('p: { range: { settings.max_emails_per_day: { max: 500 } } }', manifest)).toEqual([
    ['4:49+3 policy/p', 'settings.max_emails_per_day is 900, more than 500.'],
  ]);
});

test('what stands in the file of a body is found there', async () => {
  const manifest = mail('One', 'x').replace(/email_body: \|\n.*\n/, 'email_body_file: a.html\n');
  const files = { 'campaigns/a.html': '<p>Hi</p>\n<p>Risk free</p>\n' };
  expect(await said('p: { words: { never: [risk free] } }', manifest, files)).toEqual([
    ['campaigns/a.html:2:4+9 policy/p', 'step 1, email_body: it must not contain "risk free".'],
  ]);
});

const results = { sent: 400, replies: 2, bounced: 16, leads: 350, leads_contacted: 300 };
const codes = (yaml: string, changes: Partial<Record<keyof typeof results, number | null>> = {}) =>
  checkResults(policies(yaml), { name: 'production' }, { results: { ...results, ...changes } }).map(
    ({ code, severity }) => `${severity} ${code}`,
  );
const BOUNCED = 'safe: { results: { bounced: { max: 3%, after: 200 } } }';
const REPLIES = 'safe: { results: { replies: { min: 1%, after: 200 } } }';
const LEFT = 'safe: { results: { leads_left: { min: 100 } } }';

describe('a policy on results', () => {
  it.each([BOUNCED, REPLIES, LEFT])('warns: %s', (policy) => {
    expect(codes(policy)).toEqual(['warning policy/safe']);
  });

  it('is kept within its limits', () => {
    expect(codes(BOUNCED, { bounced: 12 })).toEqual([]);
    expect(codes(REPLIES, { replies: 3 })).toEqual([]);
    expect(codes(LEFT, { leads: 400 })).toEqual([]);
  });

  it('waits for enough emails or contacted leads', () => {
    expect(codes(BOUNCED, { sent: 199 })).toEqual([]);
    expect(codes(REPLIES, { leads_contacted: 199 })).toEqual([]);
  });

  it('is not broken by a number that is not shown', () => {
    const none = { sent: null, replies: null, bounced: null, leads: null, leads_contacted: null };
    for (const policy of [BOUNCED, REPLIES, LEFT]) expect(codes(policy, none)).toEqual([]);
  });

  it('holds in its environments only', () => {
    expect(codes(`safe: { environments: [staging], results: { leads_left: { min: 100 } } }`)).toEqual([]);
  });
});

const HEAD = `version: 1
manifests: ['*.yaml', '!campaignctl.yaml']
environments:
  sandbox: { sandbox: {} }
  production: { sandbox: {} }
policies:
`;

async function wrong(policy: string): Promise<[place: string, message: string, hint: string][]> {
  const root = folder({ 'campaignctl.yaml': `${HEAD}  ${policy}\n` });
  const { code, findings } = await failure(() => readProject({ cwd: root, config: null }));
  expect(code).toBe('invalid-project');
  return findings.map(({ line, column, length, code: kind, message, hint }) => [
    `${line}:${column}+${length} ${kind}`,
    message,
    hint,
  ]);
}

/** The golden file has their sentences. */
const WRONG: [policy: string, place: string][] = [
  ['p: { reason: Because }', '7:3+1 bad-policy'],
  ['p: { environments: [prodction], name: { pattern: a } }', '7:23+9 unknown-environment'],
  ['p: { range: { settings.max_emails_per_day: { min: 9, max: 8 } } }', '7:46+18 bad-policy'],
  ['p: { steps: { least: 3, most: 2 } }', '7:33+1 bad-policy'],
  ['p: { steps: { shortest_wait: 3, longest_wait: 2 } }', '7:49+1 bad-policy'],
  ['p: { sending: { from_time: "18:00", until_time: "08:00" } }', '7:51+7 bad-policy'],
  ['p: { words: { never: [a, Risk  Free], always: [risk free] } }', '7:50+9 bad-policy'],
  ['p: { words: { always: ["\u200b"] } }', '7:26+3 bad-policy'],
  ['p: { links: { hosts: [example.com, "https://example.com"] } }', '7:38+21 bad-policy'],
  ['p: { name: { pattern: "(a" } }', '7:25+4 bad-policy'],
  ['p: { name: { pattern: "a**" } }', '7:25+5 bad-policy'],
  ['p: { rnage: {} }', '7:8+5 unknown-key'],
  ['p: { range: { settings.max_emails: { max: 1 } } }', '7:17+19 unknown-key'],
  ['p: { words: {} }', '7:15+2 wrong-value'],
  ['recommended: { folow-up: off }', '7:18+8 unknown-key'],
  ['recommended: yes', '7:16+3 wrong-type'],
  ['"a b": { name: { pattern: a } }', '7:3+5 wrong-value'],
];

test.each(WRONG)('%s is an error of the project file', async (policy, place) => {
  expect((await wrong(policy)).map(([at]) => at)).toEqual([place]);
});

test('each error says what is wrong and what to write', async () => {
  const lines: string[] = [];
  for (const [policy] of WRONG) lines.push(`# ${policy}`, ...(await wrong(policy)).flat(), '');
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/policies-of-a-project.txt');
});

const WAIVING = `name: Spring
settings: { max_emails_per_day: 10, max_new_leads_per_day: 1 }
waive: { caps: Because }
environments:
  production: { settings: { max_emails_per_day: 900 }, waive: { names: Old } }
`;

async function found(files: Record<string, string>) {
  const policies =
    '  caps: { range: { settings.max_emails_per_day: { max: 500 } } }\n  names: { name: { pattern: "^S" } }\n';
  const root = folder({ 'campaignctl.yaml': `${HEAD}${policies}`, ...files });
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments);
  const { findings } = await loadCampaigns(project, { environments, files: [], cwd: root });
  return findings.map(({ line, column, length, code, message }) => [
    `${line}:${column}+${length} ${code}`,
    message,
  ]);
}

test('of a manifest with errors nothing is said that could be wrong', async () => {
  expect(await found({ 'a.yaml': WAIVING.replace('900', 'many') })).toEqual([
    ['5:49+4 wrong-type', expect.stringContaining('max_emails_per_day')],
  ]);
});
