import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { addItems } from '../../src/manifest/edit.js';
import { memoryRemote } from '../support/branch.js';
import { withProject } from '../support/project.js';
import { draft, type StoredCampaign, type StoredStep } from '../support/service/store.js';
import { oneLine } from '../support/texts.js';

const step = (id: number, email_body: string): StoredStep => ({
  id,
  order: id,
  email_subject: 'A question, {FIRST_NAME}',
  email_body,
  wait_in_days: 3,
  variant: false,
  variant_from_step: null,
  thread_reply: false,
});

/** Its emails use FIRST_NAME, COMPANY, ICEBREAKER and, in a variant, JOB TITLE. */
const campaigns = (): StoredCampaign[] => [
  {
    ...draft(7, 'Spring'),
    steps: [
      step(1, 'Hi {FIRST_NAME}, {how is|how are} {COMPANY}? {{ICEBREAKER}|Hello} {ICEBREAKER}'),
      { ...step(2, 'Your work as {JOB TITLE}'), variant: true, variant_from_step: 1, order: null },
    ],
  },
];

const project = (environment: string, defaults = '') => `# Ours.
version: 1   # fixed
manifests: [campaigns/**/*.yaml]
${defaults}environments:
  production:   # real
    base_url: "{url}"
    token_env: CAMPAIGNS_TOKEN
${environment}
  staging: { sandbox: {} }
`;

const ALL = ['COMPANY', 'FIRST_NAME', 'ICEBREAKER', 'JOB TITLE'];

interface Parsed {
  state?: object;
  defaults?: { custom_variables?: string[] };
  environments: { production: { custom_variables?: string[] }; staging: { custom_variables?: string[] } };
}

test.each<[name: string, text: string, production: string[] | undefined, defaults?: string[]]>([
  ['no list', project(''), ALL],
  [
    'a list on one line',
    project('    custom_variables: [FIRST_NAME, SIGNED]  # ours'),
    ['FIRST_NAME', 'SIGNED', 'COMPANY', 'ICEBREAKER', 'JOB TITLE'],
  ],
  ['an empty list', project('    custom_variables: []'), ALL],
  [
    'a list of several lines',
    project('    custom_variables:\n      - first_name   # the lead\n      - COMPANY\n    capacity: 10'),
    ['first_name', 'COMPANY', 'ICEBREAKER', 'JOB TITLE'],
  ],
  [
    'a list over several lines in brackets',
    project('    custom_variables: [\n      FIRST_NAME,\n      COMPANY,\n    ]'),
    ['FIRST_NAME', 'COMPANY', 'ICEBREAKER', 'JOB TITLE'],
  ],
  [
    'a list of all environments',
    project('', 'defaults: { custom_variables: [FIRST_NAME, COMPANY] }\n'),
    undefined,
    ['FIRST_NAME', 'COMPANY', 'ICEBREAKER', 'JOB TITLE'],
  ],
  ['a complete list', project(`    custom_variables: [${ALL.join(', ')}]`), ALL],
])(
  'import adds the variables of live emails to %s, and changes nothing else',
  (_, text, production, defaults) =>
    withProject(
      { campaigns: campaigns(), files: { 'campaignctl.yaml': text } },
      async ({ run, read, service }) => {
        const imported = await run('import --all --env production');
        expect(imported.code).toBe(0);
        const before = text.replace('{url}', service.url);
        const after = await read('campaignctl.yaml');
        const { environments, defaults: shared } = parse(after) as Parsed;
        expect(environments.production.custom_variables).toEqual(production);
        expect(shared?.custom_variables).toEqual(defaults);
        expect(environments.staging.custom_variables).toBe(undefined);
        for (const line of before.split('\n').filter((each) => !/custom_variables|COMPANY/.test(each)))
          expect(after.split('\n')).toContain(line);
        const key = defaults === undefined ? 'environments.production' : 'defaults';
        expect(imported.out.includes(`added to ${key}.custom_variables: `)).toBe(after !== before);
        expect(await read('campaigns/spring.yaml')).not.toContain('lint:');
        expect((await run('validate --env production')).out).not.toMatch(/-variable/);
        expect(await run('plan --env production --detailed-exitcode')).toMatchObject({ code: 0 });
      },
    ),
);

test('without a list, the variables of other manifests are added, too', () =>
  withProject(
    {
      campaigns: campaigns(),
      files: {
        'campaignctl.yaml': project(''),
        'campaigns/own.yaml': `name: Own
sequence:
  title: Own
  steps: [{ email_subject: "For {CITY}", email_body: Hi, wait_in_days: 1 }]
`,
      },
    },
    async ({ run, read }) => {
      await run('import Spring --env production');
      const { environments } = parse(await read('campaignctl.yaml')) as Parsed;
      expect(environments.production.custom_variables).toEqual(['CITY', ...ALL]);
      expect((await run('validate --env production')).out).not.toMatch(/-variable/);
    },
  ));

test('a list of the extended file is copied to the defaults, so that all environments know the variables', () =>
  withProject(
    {
      campaigns: campaigns(),
      files: {
        'campaignctl.yaml': project('').replace('manifests:', 'extends: agency.yaml\nmanifests:'),
        'agency.yaml': 'defaults: { custom_variables: [FIRST_NAME, COMPANY] }\n',
      },
    },
    async ({ run, read }) => {
      const { code, out } = await run('import --all --env production');
      const added = 'added to defaults.custom_variables: ICEBREAKER, JOB TITLE.';
      expect([code, oneLine(out)]).toEqual([
        0,
        expect.stringContaining(`${added} The list of agency.yaml was copied, because this one replaces it.`),
      ]);
      const { defaults, environments } = parse(await read('campaignctl.yaml')) as Parsed;
      expect(defaults).toEqual({ custom_variables: ['FIRST_NAME', 'COMPANY', 'ICEBREAKER', 'JOB TITLE'] });
      expect(environments.production.custom_variables).toBe(undefined);
      expect(await run('validate')).toMatchObject({ code: 0 });
    },
  ));

test('the first import on a state branch writes the id of the project, and then the variables', () => {
  const text = project('').replace('environments:', 'state: { backend: git }\nenvironments:');
  return withProject(
    { campaigns: campaigns(), files: { 'campaignctl.yaml': text }, remote: memoryRemote() },
    async ({ exits, read }) => {
      await exits(0, 'import --all --env production');
      const { state, environments } = parse(await read('campaignctl.yaml')) as Parsed;
      expect(state).toEqual({ backend: 'git', id: expect.any(String) });
      expect(environments.production.custom_variables).toEqual(ALL);
      await exits(0, 'plan --env production --detailed-exitcode');
    },
  );
});

test('a list that another environment shares is left to a person', () => {
  const shared = project('    custom_variables: &list [FIRST_NAME]');
  const text = shared.replace('sandbox: {}', 'sandbox: {}, custom_variables: *list');
  return withProject(
    { campaigns: campaigns(), files: { 'campaignctl.yaml': text } },
    async ({ run, read }) => {
      const before = await read('campaignctl.yaml');
      const { code, out } = await run('import --all --env production');
      const advice = expect.stringMatching(
        /! Add these variables to environments\.production\.custom_variables/,
      );
      expect([code, out]).toEqual([0, advice]);
      expect(await read('campaignctl.yaml')).toBe(before);
    },
  );
});

test.each([
  ['a: [x]\n', 'a: [x, "y: z", "no"]\n'],
  ['a: [ x ] # c\nb: 1\n', 'a: [ x, "y: z", "no" ] # c\nb: 1\n'],
  ['a:\r\n- x\r\n', 'a:\r\n- x\r\n- "y: z"\r\n- "no"\r\n'],
  ['a:\n  - x', 'a:\n  - x\n  - "y: z"\n  - "no"'],
  ['a: x\n', null],
  ['b: []\n', null],
  ['a: &a [x]\nb: *a\n', null],
])('items are added to %j', (text, expected) => {
  expect(addItems(text, { document: 0, path: ['a'] }, ['y: z', 'no'])).toBe(expected);
});

describe('import --update', () => {
  const updated = (environment: string, defaults: string, use: (out: string, file: string) => void) =>
    withProject(
      { campaigns: campaigns(), files: { 'campaignctl.yaml': project(environment, defaults) } },
      async ({ run, read, live, plan }) => {
        await run('import --all --env production');
        const [first] = live(7).steps;
        if (first !== undefined) first.email_body = 'Hi {FIRST_NAME}, how is {CITY}?';
        const { code, out } = await run('import --update Spring --env production');
        use(out, await read('campaignctl.yaml'));
        expect(code).toBe(0);
        expect(await read('campaigns/spring.yaml')).toContain('{CITY}');
        expect((await plan('--env production')).summary).toMatchObject({ unchanged: 1 });
      },
    );

  test.each([
    ['of the environment', '    custom_variables: [FIRST_NAME]', ''],
    ['of all environments', '', 'defaults: { custom_variables: [FIRST_NAME] }\n'],
  ])('adds the variables of live emails to the list %s', (_, environment, defaults) =>
    updated(environment, defaults, (out, file) => {
      const key = defaults === '' ? 'environments.production' : 'defaults';
      expect(out).toContain(`campaignctl.yaml: added to ${key}.custom_variables: CITY.`);
      expect(file).toContain('JOB TITLE, CITY]');
    }),
  );
});

test('import leaves out the variables that the service has built in', () =>
  withProject(
    {
      campaigns: campaigns(),
      files: {
        'campaignctl.yaml': project(
          '    service: { preset: emailbison }\n    custom_variables: [ICEBREAKER]',
        ),
      },
    },
    async ({ run, read }) => {
      await run('import --all --env production');
      expect(await read('campaignctl.yaml')).toContain('custom_variables: [ICEBREAKER, JOB TITLE]');
    },
  ));
