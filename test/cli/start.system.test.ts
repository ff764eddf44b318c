/** What a command loads and parses. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { Composer } from 'yaml';
import { folder } from '../support/folder.js';
import { PROGRAM, startProgram } from '../support/program.js';
import { projectFile, SCHEDULE, withProject } from '../support/project.js';
import { draft } from '../support/service/store.js';

// Each has a warning, whose line is looked up.
const manifest = (name: string) => `name: ${name}
${SCHEDULE}sequence:
  title: One parse
  steps:
    - { email_subject: "{FIRST_NAME}, a question", email_body: "Hi {FIRST_NAME}\u200b", wait_in_days: 3 }
`;

test.each(['validate', 'plan', 'plan --require-applied staging'])('%s parses each file once', (line) =>
  withProject(
    {
      files: {
        'campaignctl.yaml': `${projectFile('    custom_variables: [FIRST_NAME]\n')}  staging:
    base_url: "{url}"
    token_env: CAMPAIGNS_TOKEN
    manifests: [campaigns/**/*.yaml]
# ${line}
`,
        'campaigns/spring.yaml': manifest(`Spring, ${line}`),
        'campaigns/summer.yaml': manifest(`Summer, ${line}`),
      },
    },
    async ({ run }) => {
      const compose = vi.spyOn(Composer.prototype, 'compose');
      try {
        const { err, out } = await run(`${line} --env production`);
        expect(`${out}${err}`).toMatch(/invisible-characters/);
        expect(compose).toHaveBeenCalledTimes(3);
      } finally {
        compose.mockRestore();
      }
    },
  ),
);

// Longer than the texts whose documents are kept for the lookup of lines.
const long = (name: string) => `${manifest(name).replace('\u200b', '')}# ${'x'.repeat(300_000)}\n`;

const twoEnvironments = (line: string) => `${projectFile('    custom_variables: [FIRST_NAME]\n')}  staging:
    base_url: "{url}"
    token_env: STAGING_TOKEN
    custom_variables: [FIRST_NAME]
# ${line}
`;

test.each([
  'validate --recursive',
  'plan --recursive --env production',
  'plan --recursive --env production --require-applied staging',
  'list --recursive --env production',
])('%s parses each file of several projects once', (line) =>
  withProject(
    {
      files: Object.fromEntries(
        ['a', 'b'].flatMap((project) => [
          [`${project}/campaignctl.yaml`, twoEnvironments(`${project}, ${line}`)],
          [`${project}/campaigns/spring.yaml`, long(`Spring, ${project}, ${line}`)],
          [`${project}/campaigns/summer.yaml`, long(`Summer, ${project}, ${line}`)],
        ]),
      ),
      campaigns: [draft(1, `Spring, a, ${line}`)],
    },
    async ({ run, write }) => {
      await write({ 'campaignctl.yaml': null });
      const compose = vi.spyOn(Composer.prototype, 'compose');
      try {
        const { err, out } = await run(line);
        expect(`${out}${err}`).toMatch(/2 projects/);
        expect(compose).toHaveBeenCalledTimes(6);
      } finally {
        compose.mockRestore();
      }
    },
  ),
);

test('plan parses each file once for several environments', () =>
  withProject(
    {
      files: {
        'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, manifests: ["campaigns/{spring,both}.yaml"] }
  staging: { base_url: "{url}", token_env: STAGING_TOKEN, manifests: ["campaigns/{autumn,both}.yaml"] }
`,
        ...Object.fromEntries(
          ['spring', 'autumn', 'both'].map((name) => [
            `campaigns/${name}.yaml`,
            long(name).replaceAll('{FIRST_NAME}', 'friend'),
          ]),
        ),
      },
    },
    async ({ run }) => {
      const compose = vi.spyOn(Composer.prototype, 'compose');
      try {
        const { err, out } = await run('plan', '--env', '*');
        expect(`${out}${err}`).toMatch(/STAGING_TOKEN/);
        expect(compose).toHaveBeenCalledTimes(4);
      } finally {
        compose.mockRestore();
      }
    },
  ));

test('no formatter is created at start', async () => {
  const at = folder({
    'campaignctl.yaml': projectFile('    custom_variables: [FIRST_NAME]\n').replace(
      '{url}',
      'https://example.com',
    ),
    'campaigns/spring.yaml': manifest('Spring'),
    'guard.cjs': `for (const name of Object.keys(Object.getOwnPropertyDescriptors(Intl)))
  if (typeof Intl[name] === 'function') Intl[name] = class { constructor() { throw new Error('created ' + name); } };`,
  });
  const env = { NODE_OPTIONS: `--require ${join(at, 'guard.cjs')}` };
  expect(await startProgram(at, ['validate', '--env', 'production'], env).ended).toMatchObject({ code: 0 });
});

test('the program contains only the files of undici that it uses', () => {
  const chunks = join(PROGRAM, '../chunks');
  const files = readdirSync(chunks, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.js'),
  );
  const texts = files.map((file) => readFileSync(join(chunks, file), 'utf8'));
  expect(texts.filter((text) => text.includes('EnvHttpProxyAgent')).length).toBeGreaterThan(0);
  for (const unused of ['MockAgent', 'SnapshotAgent', 'RetryAgent', 'EventSource'])
    expect(texts.filter((text) => text.includes(unused)).length, unused).toBe(0);
});
