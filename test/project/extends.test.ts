import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { stringify } from 'yaml';
import type { JsonObject } from '../../src/model/json.js';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { openManifests } from '../../src/project/open-manifests.js';
import { readProject } from '../../src/project/project.js';
import { readCases } from '../support/cases.js';
import { failureOf } from '../support/failure.js';
import { folder } from '../support/folder.js';

const PROJECT = 'version: 1\nmanifests: [campaigns/*.yaml]\nenvironments: { sandbox: { sandbox: {} } }\n';
const CLIENT = `${PROJECT}extends: ../../agency.yaml\n`;

/** A repository with an agency file and one client, whose folder is returned. */
function client(files: Record<string, string | Uint8Array>, own = CLIENT): string {
  const root = folder({ '.git/HEAD': '', 'clients/acme/campaignctl.yaml': own, ...files });
  return join(root, 'clients/acme');
}

const refusal = (cwd: string) => failureOf(readProject({ cwd, config: null }));

async function findings(cwd: string) {
  const project = await readProject({ cwd, config: null });
  const environments = Object.values(project.environments);
  const loaded = await loadCampaigns(openManifests(project), { environments, files: [], cwd, env: {} });
  return loaded.findings;
}

test('errors have their position in the file that has the value', async () => {
  const lines: string[] = [];
  for (const [title, { own = '', agency }] of readCases<{ own?: string; agency: string }>(
    import.meta.dirname,
    'extends',
  )) {
    lines.push(`# ${title}`);
    const base = own.includes('environments:') ? CLIENT.replace(/environments.*\n/, '') : CLIENT;
    const cwd = client({ 'agency.yaml': agency }, `${base}${own}`);
    const failed = await readProject({ cwd, config: null }).then(
      () => null,
      (error) => error,
    );
    lines.push(failed === null ? 'valid' : failed.message);
    for (const { file, line, column, code, message, hint } of failed?.findings ?? [])
      lines.push(`${file}:${line}:${column} ${code}`, message, hint ?? '');
    expect(JSON.stringify([failed, failed?.findings])).not.toContain('s3cr3t');
    lines.push('');
  }
  await expect(lines.join('\n')).toMatchFileSnapshot('golden/extends.txt');
});

test('objects merge, and everything else is replaced by the project file', async () => {
  const agency = `version: 1
shared: [shared, ../outside]
defaults:
  custom_variables: [FIRST_NAME, COMPANY]
  limits: { parallelism: 4, requests_per_minute: 600 }
  service: { attach_repeat: safe, statuses: { running: [active] } }
  capacity: 500
lint: { liquid: off, variable-case: error }
policies:
  recommended: true
  caps: { reason: Agreed., range: { settings.max_emails_per_day: { max: 300 } } }
`;
  const own = `version: 1
extends: ../../agency.yaml
manifests: [a.yaml]
defaults: { custom_variables: [CITY], limits: { requests_per_minute: null } }
environments:
  sandbox: { sandbox: {}, service: { statuses: { stopped: [idle] } } }
  other: { sandbox: {}, capacity: 7, limits: { parallelism: 1 } }
lint: { liquid: warning }
policies: { recommended: { follow-up: off }, caps: { severity: warning } }
`;
  const project = await readProject({ cwd: client({ 'agency.yaml': agency }, own), config: null });
  const { sandbox, other } = project.environments;
  expect([sandbox?.custom_variables, sandbox?.limits, sandbox?.capacity]).toEqual([
    ['CITY'],
    { parallelism: 4, requests_per_minute: null },
    500,
  ]);
  expect(sandbox?.service).toMatchObject({
    attach_repeat: 'safe',
    statuses: { running: ['active'], stopped: ['idle'] },
  });
  expect([other?.capacity, other?.limits]).toEqual([7, { parallelism: 1, requests_per_minute: null }]);
  expect(project.lint).toEqual({ liquid: 'warning', 'variable-case': 'error' });
  expect(project.shared).toEqual(['../../shared', '../../../outside']);
  const caps = project.policies.find(({ name }) => name === 'caps');
  expect(caps).toMatchObject({ severity: 'warning', reason: 'Agreed.' });
  expect(project.policies.map(({ name }) => name)).not.toContain('recommended/follow-up');
  expect(project.extended).toMatchObject({ file: '../../agency.yaml', text: agency });
});

it.each([
  [
    'the extended file',
    'defaults:\n  allow: [adopt, launch]\n',
    '',
    ['../../agency.yaml:2', '../../agency.yaml:2'],
  ],
  [
    'the project file',
    'defaults: { allow: [adopt] }\n',
    'defaults:\n  allow:\n    - launch\n',
    ['campaignctl.yaml:7'],
  ],
  [
    'an environment',
    'defaults: { allow: [adopt] }\n',
    'environments: { a: { sandbox: {}, allow: [launch] } }\n',
    ['campaignctl.yaml:4'],
  ],
])('an approval names the place of %s', async (_, agency, own, places) => {
  const text = own.startsWith('environments') ? CLIENT.replace(/environments.*\n/, '') : CLIENT;
  const project = await readProject({
    cwd: client({ 'agency.yaml': agency }, `${text}${own}`),
    config: null,
  });
  const [environment] = Object.values(project.environments);
  expect(environment?.allow.map(({ by }) => by)).toEqual(places);
});

const at = 'campaignctl.yaml:4:10';
it.each<[string, string, (root: string) => void, string]>([
  ['a missing file', '../../agency.yaml', () => {}, 'file-not-found'],
  ['a folder', '../../agency', (root) => mkdirSync(join(root, 'agency')), 'file-unreadable'],
  [
    'a FIFO',
    '../../agency.yaml',
    (root) => execFileSync('mkfifo', [join(root, 'agency.yaml')]),
    'file-unreadable',
  ],
  ['a file outside the repository', '../../../agency.yaml', () => {}, 'extends-outside-repository'],
  [
    'a link out of the repository',
    '../../agency.yaml',
    (root) => symlinkSync('/etc/hostname', join(root, 'agency.yaml')),
    'extends-outside-repository',
  ],
  ['a hidden file', '../../.git/HEAD', () => {}, 'file-hidden'],
  [
    'a link to a hidden file',
    '../../agency.yaml',
    (root) => symlinkSync('.git/HEAD', join(root, 'agency.yaml')),
    'file-hidden',
  ],
])('%s cannot be extended', async (_, name, make, code) => {
  const root = client({}, PROJECT.replace('environments', `extends: ${name}\nenvironments`));
  make(join(root, '../..'));
  const { message, findings: found } = await refusal(root);
  expect(message).toBe('The project file campaignctl.yaml has an error.');
  expect(found.map(({ file, line, column, code }) => [`${file}:${line}:${column}`, code])).toEqual([
    [at.replace(':4', ':3'), code],
  ]);
});

test('an extended file has the size limit and the encoding of every other file', async () => {
  const codes = async (agency: string | Uint8Array) =>
    (await refusal(client({ 'agency.yaml': agency }))).findings.map(({ code, hint }) => [code, hint !== '']);
  expect(await codes(`# ${'x'.repeat(2 ** 20)}\n`)).toEqual([['file-too-large', true]]);
  expect(await codes(new Uint8Array([0x61, 0xe9]))).toEqual([['file-not-utf8', true]]);
});

test('an absolute path cannot be extended', async () => {
  const { findings: found } = await refusal(client({}, `${PROJECT}extends: /etc/agency.yaml\n`));
  expect(found.map(({ code, hint }) => [code, hint])).toEqual([
    ['wrong-value', expect.stringContaining('relative')],
  ]);
});

test('without a repository, the extended file must be in the project', async () => {
  const own = `${PROJECT}extends: rules/agency.yaml\n`;
  const inside = folder({ 'campaignctl.yaml': own, 'rules/agency.yaml': 'lint: { liquid: off }\n' });
  expect((await readProject({ cwd: inside, config: null })).lint).toEqual({ liquid: 'off' });
  const outside = folder({ 'agency.yaml': '', 'a/campaignctl.yaml': `${PROJECT}extends: ../agency.yaml\n` });
  const { findings: found } = await refusal(join(outside, 'a'));
  expect(found.map(({ code }) => code)).toEqual(['extends-outside-repository']);
});

test('a value that contains a token is an error in either file, and is not shown', async () => {
  const service = '{ base_url: https://send.example.com, token_env: ACME_TOKEN }';
  const own = `${CLIENT.replace('{ sandbox: {} }', service)}lint: {}\npolicies:\n  b: { reason: is s3cr3tValue }\n`;
  const agency = 'policies:\n  a:\n    reason: or s3cr3tValue\n    name: { pattern: A }\n';
  const cwd = client({ 'agency.yaml': agency }, own);
  const failed = await failureOf(readProject({ cwd, config: null, env: { ACME_TOKEN: 's3cr3tValue' } }));
  expect(failed.findings.map(({ file, line, column, code }) => [`${file}:${line}:${column}`, code])).toEqual([
    ['../../agency.yaml:3:16', 'secret-in-file'],
    ['campaignctl.yaml:7:19', 'secret-in-file'],
  ]);
  expect(JSON.stringify([failed, failed.message, failed.findings])).not.toContain('s3cr3t');
});

test('a shared folder outside the repository is an error of the file that names it', async () => {
  const agency = 'lint: {}\nshared:\n  - shared\n  - ../elsewhere\n';
  const cwd = client({ 'agency.yaml': agency, 'shared/a.yaml': '' });
  expect((await findings(cwd)).filter(({ severity }) => severity === 'error')).toMatchObject([
    {
      file: '../../agency.yaml',
      line: 4,
      column: 5,
      code: 'shared-outside-repository',
      message: expect.stringContaining('"../elsewhere"'),
      excerpt: '  - ../elsewhere',
    },
  ]);
});

const SHARED = { 'shared/week/a.yaml': 'start_time: "09:00"\n' };
const USES = { 'clients/acme/campaigns/a.yaml': 'name: A\nschedule: { use: ../../../shared/week/a.yaml }\n' };

test.each([
  ['shaared', 'Did you mean "shared"?'],
  ['./shared/weak', 'Did you mean "shared/week"?'],
  ['shaared/week', 'Did you mean "shared/week"?'],
  ['agency.yaml/shared', null],
  ['pieces', null],
])('a shared folder that does not exist is one error of the file that names it: %s', async (name, hint) => {
  const other = 'Paths are relative to the file that contains them, and git keeps no empty folders.';
  const error = {
    ...{ severity: 'error', code: 'shared-not-found', line: 1, length: name.length },
    message: `The shared folder "${name}" does not exist.`,
    hint: hint ?? `${other} Correct the path, or remove it.`,
  };
  const agency = { ...SHARED, ...USES, 'agency.yaml': `shared: [${name}]\n` };
  expect(await findings(client(agency))).toMatchObject([{ ...error, file: '../../agency.yaml' }]);
  const own = client({ ...SHARED, ...USES }, `${PROJECT}shared: [../../${name}]\n`);
  expect(await findings(own)).toMatchObject([
    { code: 'shared-not-found', file: 'campaignctl.yaml', line: 4 },
  ]);
});

test.each([
  ['shared: [shared/none]\n', CLIENT, 'agency.yaml, which campaignctl.yaml extends'],
  ['shared: [shared/none]\n', `${CLIENT}shared: [../../shared/none]\n`, 'campaignctl.yaml'],
  ['lint: {}\n', CLIENT, 'campaignctl.yaml'],
])(
  'the hint for a file outside the project names the file that has the shared folders: %s%s',
  async (agency, own, file) => {
    const found = await findings(
      client({ ...SHARED, ...USES, 'shared/none/a.yaml': '', 'agency.yaml': agency }, own),
    );
    expect(found).toMatchObject([
      {
        code: 'file-outside-project',
        hint: `Move the file into the folder that contains campaignctl.yaml, or list its folder under shared: in ${file}.`,
      },
    ]);
  },
);

test('the extended file is neither a manifest nor nearly one', async () => {
  const own = PROJECT.replace('campaigns/*.yaml', '"*.yaml"').concat('extends: agency.yaml\n');
  const cwd = folder({
    'campaignctl.yaml': own,
    'agency.yaml': 'lint: { liquid: off }\n',
    'spring.yaml': 'name: Spring\n',
  });
  expect(await findings(cwd)).toEqual([]);
  const near = folder({
    'campaignctl.yaml': own.replace('*.yaml', '*.yml'),
    'agency.yaml': 'lint: { liquid: off }\n',
    'spring.yml': 'name: Spring\n',
  });
  expect((await findings(near)).map(({ message }) => message)).toEqual([]);
});

const shareable = fc.record(
  {
    defaults: fc.record(
      {
        custom_variables: fc.subarray(['FIRST_NAME', 'COMPANY']),
        lead_lists: fc.dictionary(fc.constantFrom('a', 'b'), fc.integer({ min: 1, max: 9 })),
        on_removal: fc.constantFrom('warn', 'pause'),
        capacity: fc.integer({ min: 1, max: 900 }),
        limits: fc.record(
          {
            parallelism: fc.integer({ min: 1, max: 8 }),
            requests_per_minute: fc.option(fc.integer({ min: 1, max: 900 })),
          },
          { requiredKeys: [] },
        ),
        service: fc.record(
          { statuses: fc.record({ running: fc.constant(['active']) }) },
          { requiredKeys: [] },
        ),
      },
      { requiredKeys: [] },
    ),
    lint: fc.dictionary(
      fc.constantFrom('liquid', 'undeclared-variable'),
      fc.constantFrom('off', 'warning', 'error'),
    ),
    policies: fc.record(
      {
        recommended: fc.oneof(fc.boolean(), fc.constant({ 'follow-up': 'off' })),
        caps: fc.record({
          severity: fc.constantFrom('error', 'warning'),
          range: fc.record(
            {
              'settings.max_emails_per_day': fc.record({ max: fc.integer({ min: 1, max: 900 }) }),
              'settings.max_new_leads_per_day': fc.record({ max: fc.integer({ min: 1, max: 900 }) }),
            },
            { requiredKeys: ['settings.max_emails_per_day'] },
          ),
        }),
      },
      { requiredKeys: [] },
    ),
    shared: fc.subarray(['x', 'y']),
  },
  { requiredKeys: [] },
);

/** Merges by hand: written anew, so that it does not share a mistake with the code. */
function inlined(agency: JsonObject, own: JsonObject): JsonObject {
  const result = structuredClone(agency);
  for (const [key, value] of Object.entries(own)) {
    const below = result[key];
    const areObjects = [below, value].every(
      (each) => Object.prototype.toString.call(each) === '[object Object]',
    );
    result[key] = areObjects ? inlined(below as JsonObject, value as JsonObject) : value;
  }
  return result;
}

test('a project that extends a file is the project with its content', async () => {
  await fc.assert(
    fc.asyncProperty(shareable, shareable, async (agency, own) => {
      const base = {
        version: 1,
        manifests: ['campaigns/*.yaml'],
        environments: { sandbox: { sandbox: {} } },
      };
      const { shared, ...rest } = agency as JsonObject;
      const folders = Array.isArray(shared) ? { shared: shared.map((name) => `../../${name}`) } : {};
      const spring = {
        ...{ 'x/a.md': '', 'y/a.md': '', 'clients/acme/x/a.md': '', 'clients/acme/y/a.md': '' },
        'clients/acme/campaigns/spring.yaml':
          'name: Spring\nsettings: { max_emails_per_day: 500 }\nsequence: { title: A, steps: [{ email_subject: "{CITY} {{ x }}", email_body: Hi, wait_in_days: 1 }] }\n',
      };
      const both = await Promise.all(
        [
          { ...base, extends: '../../agency.yaml', ...own },
          inlined({ ...rest, ...folders }, { ...base, ...(own as JsonObject) }),
        ].map(async (config) => {
          const cwd = client({ 'agency.yaml': stringify(agency), ...spring }, stringify(config));
          const { environments, lint, shared: used, policies } = await readProject({ cwd, config: null });
          const named = policies.map(({ name, severity }) => [name, severity]);
          const seen = (await findings(cwd)).map(({ code, file, severity, message }) => [
            code,
            file,
            severity,
            message,
          ]);
          return { environments, lint, used, named, seen };
        }),
      );
      expect(both[0]).toEqual(both[1]);
    }),
    { numRuns: 50 },
  );
});
