import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { command, type Ended, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { faultsOf } from '../support/schema.js';
import { TOKEN } from '../support/service/service.js';
import { commandsIn } from './runner.js';
import { parseXml } from './xml.js';

const PROJECT = 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments: { sandbox: { sandbox: {} } }\n';
const GOOD = 'name: Autumn\nstatus: paused\n';
const BAD = `name: Spring
sequence:
  title: Spring
  steps:
    - email_subject: "::error::A question, {first_name}"
      email_body_file: ../emails/spring.html
      wait_in_days: 3
`;
const FILES = {
  'shop/campaignctl.yaml': PROJECT,
  'shop/campaigns/autumn.yaml': GOOD,
  'shop/campaigns/spring.yaml': BAD,
  'shop/emails/spring.html': '<p>Hi {First Name},</p>\n::stop-commands::x\n',
};

/** Runs validate in `shop`, a folder of a repository. */
async function inShop(format: string, files: Record<string, string>): Promise<Ended> {
  return withFolder(async (folder) => {
    await mkdir(join(folder, '.git'));
    await writeFiles(folder, files);
    return command(join(folder, 'shop'), ['validate', '--format', format]);
  });
}

test('annotations name files relative to the repository, and the text that follows contains no command', async () => {
  const { code, out } = await inShop('github', FILES);
  expect(code).toBe(1);
  expect(commandsIn(out).map(({ name, properties }) => ({ name, ...properties }))).toEqual([
    {
      name: 'error',
      file: 'shop/campaigns/spring.yaml',
      line: '5',
      endLine: '5',
      col: '44',
      endColumn: '55',
      title: 'variable-case',
    },
    {
      name: 'error',
      file: 'shop/emails/spring.html',
      line: '1',
      endLine: '1',
      col: '7',
      endColumn: '18',
      title: 'variable-case',
    },
  ]);
  expect(out).toContain('\ncampaigns/spring.yaml:5:44  error  ');
  expect(out).toContain('\n2 errors in 2 manifests.\n');
});

test('without findings, only the text is printed', async () => {
  const { 'shop/campaigns/spring.yaml': _bad, ...good } = FILES;
  expect(await inShop('github', good)).toEqual({ code: 0, out: '1 manifest valid.\n', err: '' });
});

test('a test report contains every file that was read, even without findings', async () => {
  const { code, out } = await inShop('junit', FILES);
  const suites = parseXml(out).children.map(({ attributes }) => [attributes.name, attributes.failures]);
  expect(code).toBe(1);
  expect(suites).toEqual([
    ['shop/campaigns/autumn.yaml', '0'],
    ['shop/campaigns/spring.yaml', '1'],
    ['shop/emails/spring.html', '1'],
  ]);
});

test('a log for code scanning has all rules and errors', async () => {
  const { code, out } = await inShop('sarif', FILES);
  const [{ tool, results }] = JSON.parse(out).runs;
  expect(code).toBe(1);
  expect(tool.driver.rules.map(({ id }: { id: string }) => id)).toEqual(
    expect.arrayContaining([
      'undeclared-variable',
      'invisible-characters',
      'yaml-syntax',
      'environment-required',
    ]),
  );
  const helpOf = (code: string) => tool.driver.rules.find(({ id }: { id: string }) => id === code).help.text;
  expect(helpOf('undeclared-variable')).toContain('lint: { undeclared-variable: off }');
  expect(helpOf('yaml-syntax')).not.toContain('lint:');
  for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex].id).toBe(ruleId);
  expect(results).toHaveLength(2);
});

test('one mistake at several places is marked at each of them', async () => {
  const steps = ['email_body: "Hi {first_name}"', 'email_body_file: ../emails/spring.html'].map(
    (body) => `    - email_subject: A question\n      ${body}\n      wait_in_days: 3\n`,
  );
  const files = {
    'shop/campaignctl.yaml': PROJECT,
    'shop/campaigns/spring.yaml': `name: Spring\nsequence:\n  title: Spring\n  steps:\n${steps.join('')}`,
    'shop/emails/spring.html': '<p>Hi {first_name},</p>\n',
  };
  const { findings } = JSON.parse((await inShop('json', files)).out);
  const second = { file: 'emails/spring.html', line: 1, column: 7, length: 12 };
  expect(findings).toMatchObject([{ code: 'variable-case', line: 6, also: [second] }]);
  expect(faultsOf('findings', (await inShop('json', files)).out)).toEqual([]);
  const [{ results }] = JSON.parse((await inShop('sarif', files)).out).runs;
  expect(results).toMatchObject([
    {
      locations: [{ physicalLocation: { region: { startLine: 6 } } }],
      relatedLocations: [
        {
          physicalLocation: {
            artifactLocation: { uri: 'shop/emails/spring.html' },
            region: { startLine: 1 },
          },
        },
      ],
    },
  ]);
  const annotations = commandsIn((await inShop('github', files)).out);
  expect(annotations.map(({ properties: { file, line } }) => `${file}:${line}`)).toEqual([
    'shop/campaigns/spring.yaml:6',
    'shop/emails/spring.html:1',
  ]);
});

test('errors in the project file are shown with their lines before they stop the command', async () => {
  const broken = { ...FILES, 'shop/campaignctl.yaml': `${PROJECT}bad: 1\n` };
  const annotated = await inShop('github', broken);
  expect(annotated).toMatchObject({ code: 1, err: expect.stringContaining('[invalid-project]') });
  expect(commandsIn(annotated.out)).toMatchObject([
    { name: 'error', properties: { file: 'shop/campaignctl.yaml', line: '4', title: 'unknown-key' } },
    { name: 'error', properties: { file: 'shop/campaigns/spring.yaml', line: '5', title: 'variable-case' } },
    { name: 'error', properties: { file: 'shop/emails/spring.html', line: '1', title: 'variable-case' } },
  ]);
  const [suite] = parseXml((await inShop('junit', broken)).out).children;
  expect(suite?.attributes).toMatchObject({ name: 'shop/campaignctl.yaml', failures: '1' });
  expect(await inShop('text', broken)).toEqual({
    ...{ code: 1, out: '' },
    err: expect.stringContaining('[invalid-project]'),
  });
});

const FLAWED = `version: 1
manifests: [campaigns/*.yaml]
lint: { liquid: off, liquids: off }
environments:
  production:
    base_url: http://send.example.com
    token_env: $CAMPAIGNS_TOKEN
    custom_variable: [FIRST_NAME]
    lead_list: { fair: 7 }
  staging: {}
`;

test('an error in the project file hides no mistakes of manifests that do not depend on it', async () => {
  const step = `{ email_subject: "{FRIST_NAME} {{ x }}", email_body: "Hi {first_name} ${TOKEN}", wait_in_days: 1 }`;
  const files = {
    'shop/campaignctl.yaml': FLAWED,
    'shop/campaigns/spring.yaml': `name: A\nleads: { lists: [fair] }\nsequence: { title: A, steps: [${step}] }\nenvironments: { stagging: {} }\n`,
    'shop/campaigns/summer.yaml': 'name: B\nstatuz: paused\n',
  };
  const { code, out, err } = await inShop('sarif', files);
  expect([code, err]).toEqual([1, expect.stringContaining('[invalid-project]')]);
  expect(out + err).not.toContain(TOKEN);
  const placesIn = (log: string) =>
    JSON.parse(log).runs[0].results.map(({ ruleId, locations: [{ physicalLocation: at }] }: SarifResult) =>
      `${at.artifactLocation.uri}:${at.region.startLine} ${ruleId}`.replace('shop/', ''),
    );
  expect(placesIn(out).filter((place: string) => place.startsWith('campaigns/'))).toEqual([
    'campaigns/spring.yaml:3 variable-case',
    'campaigns/spring.yaml:3 secret-in-file',
    'campaigns/summer.yaml:2 unknown-key',
  ]);
  const unreadable = await inShop('sarif', {
    ...files,
    'shop/campaignctl.yaml': 'version: 1\nmanifests: {\n',
  });
  expect(placesIn(unreadable.out)).toEqual(['campaignctl.yaml:2 yaml-syntax']);
});

interface SarifResult {
  ruleId: string;
  locations: [{ physicalLocation: { artifactLocation: { uri: string }; region: { startLine: number } } }];
}

const NOTE = (sections: string) =>
  `Variables are not checked, because campaignctl.yaml lists none under ${sections}. To check them, list those of the workspace there, for example custom_variables: [CITY, COMPANY WEBSITE].\n`;

test.each([
  ['no environment lists them', ['', ''], 'defaults'],
  ['one environment lists none', ['', 'custom_variables: [CITY, COMPANY WEBSITE]'], 'environments.one'],
  ['an environment declares that it has none', ['custom_variables: []', ''], null],
])('says in one line that variables are not checked: %s', async (_, [one, two], sections) => {
  const uses = 'email_subject: "A question, {CITY}", email_body: "{Hi|Hello {CITY}} {COMPANY WEBSITE}"';
  const files = {
    'shop/campaignctl.yaml': `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  one: { sandbox: {}, ${one} }\n  two: { sandbox: {}, ${two} }\n`,
    'shop/campaigns/a.yaml': `name: A\nsequence: { title: A, steps: [{ ${uses}, wait_in_days: 1 }] }\n`,
    'shop/campaigns/b.yaml': 'name: B\nstatus: paused\n',
  };
  const { code, err } = await inShop('text', files);
  expect([code, err]).toEqual(sections === null ? [1, ''] : [0, NOTE(sections)]);
  expect((await inShop('json', files)).err).toBe('');
});

test('two environments with the same workspace and manifests are a warning', async () => {
  const at = (url: string, token: string, more = '') => `{ base_url: "${url}", token_env: ${token}${more} }`;
  const project = (second: string) =>
    `version: 1\nmanifests: [campaigns/*.yaml]\nenvironments:\n  production: ${at('https://send.example.com', 'SEND_TOKEN')}\n  staging: ${second}\n`;
  const told = async (second: string) => {
    const { code, out } = await inShop('json', {
      'shop/campaignctl.yaml': project(second),
      'shop/campaigns/autumn.yaml': GOOD,
    });
    expect(code).toBe(0);
    expect(faultsOf('findings', out)).toEqual([]);
    return JSON.parse(out).findings;
  };
  expect(await told(at('https://send.example.com:443/', 'SEND_TOKEN'))).toMatchObject([
    {
      code: 'shared-workspace',
      severity: 'warning',
      message: expect.stringMatching(/^staging and production .*SEND_TOKEN/),
      file: 'campaignctl.yaml',
      line: 5,
    },
  ]);
  expect(await told(at('https://send.example.com', 'STAGING_TOKEN'))).toEqual([]);
  expect(await told(at('https://staging.example.com', 'SEND_TOKEN'))).toEqual([]);
  expect(await told('{ sandbox: {} }')).toEqual([]);
});
