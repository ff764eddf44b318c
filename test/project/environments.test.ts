import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCampaigns, selectCampaigns } from '../../src/project/campaigns.js';
import { openManifests } from '../../src/project/open-manifests.js';
import { readProject } from '../../src/project/project.js';
import { failureOf } from '../support/failure.js';
import { folder } from '../support/folder.js';

/** A project of two clients: globex has a broken manifest, a pattern without files, and a campaign with a name of acme's. */
const agency = {
  'campaignctl.yaml': `version: 1
manifests: [clients/**/*.yaml, archive/*.yaml]
environments:
  acme: { sandbox: {}, manifests: [clients/acme/**/*.yaml] }
  globex: { sandbox: {}, manifests: ["clients/globex/*.yaml", "clients/gone/*.yaml"] }
  rest: { sandbox: {}, manifests: ["!clients/acme/**", "!clients/globex/**"] }
`,
  'clients/acme/spring.yaml': 'name: Spring\n',
  'clients/globex/spring.yaml': 'name: Spring\n',
  'clients/globex/broken.yaml': 'name: [\n',
  'clients/initech/autumn.yaml': 'name: Autumn\n',
};

async function load(root: string, names: string[], files: string[] = []) {
  const project = await readProject({ cwd: root, config: null });
  const environments = Object.values(project.environments).filter(({ name }) => names.includes(name));
  const loaded = selectCampaigns(
    await loadCampaigns(openManifests(project), { environments, files, cwd: root, env: {} }),
  );
  const taken = Object.entries(loaded.campaigns).map(([name, declared]) => [
    name,
    declared.map((campaign) => campaign.manifest),
  ]);
  const lines = loaded.findings.map(
    ({ severity, code, file, line }) => `${severity} ${code} ${file}:${line}`,
  );
  return { taken: Object.fromEntries(taken), read: loaded.files, problems: lines, loaded };
}

test('an environment uses its part of the manifests, and nothing of others is read or reported', async () => {
  const { taken, read, problems: lines } = await load(folder(agency), ['acme']);
  expect({ taken, read, problems: lines }).toEqual({
    taken: { acme: ['clients/acme/spring.yaml'] },
    read: ['clients/acme/spring.yaml'],
    problems: [],
  });
});

test('patterns that only exclude keep all other manifests of the project', async () => {
  const { taken, problems: lines } = await load(folder(agency), ['rest']);
  expect({ taken, problems: lines }).toEqual({
    taken: { rest: ['clients/initech/autumn.yaml'] },
    problems: [],
  });
});

test('all environments are checked together, each with its part', async () => {
  const { taken, problems: lines } = await load(folder(agency), ['acme', 'globex', 'rest']);
  expect({ taken, problems: lines }).toEqual({
    taken: {
      acme: ['clients/acme/spring.yaml'],
      globex: ['clients/globex/spring.yaml'],
      rest: ['clients/initech/autumn.yaml'],
    },
    problems: [
      'warning no-match campaignctl.yaml:2',
      'warning no-match campaignctl.yaml:5',
      'error yaml-syntax clients/globex/broken.yaml:1',
    ],
  });
});

test('a manifest that no environment includes is a warning, and a duplicate name in one is an error', async () => {
  const root = folder({
    'campaignctl.yaml':
      'version: 1\nmanifests: ["**/*.yaml"]\nenvironments:\n  acme: { sandbox: {}, manifests: [acme/*.yaml] }\n',
    'acme/a.yaml': 'name: Spring\n',
    'acme/b.yaml': 'name: Spring\n',
    'other/a.yaml': 'name: Spring\n',
  });
  const { problems: lines } = await load(root, ['acme']);
  expect(lines).toEqual(['error duplicate-name acme/b.yaml:1', 'warning not-in-environment other/a.yaml:1']);
});

test('files on the command line must belong to the environment', async () => {
  const root = folder(agency);
  for (const file of ['clients/globex/spring.yaml', 'clients/globex']) {
    const { taken, loaded } = await load(root, ['acme'], [file]);
    expect({ taken, findings: loaded.findings }).toEqual({
      taken: { acme: [] },
      findings: [
        expect.objectContaining({
          code: 'not-in-environment',
          severity: 'error',
          message: expect.stringMatching(new RegExp(`^"${file}" .* acme\\.$`)),
          hint: expect.stringContaining('--env'),
          file: 'campaignctl.yaml',
          line: 4,
        }),
      ],
    });
  }
  const named = await load(root, ['acme', 'globex', 'rest'], ['clients/acme', 'clients/globex/spring.yaml']);
  expect({ taken: named.taken, problems: named.problems }).toEqual({
    taken: { acme: ['clients/acme/spring.yaml'], globex: ['clients/globex/spring.yaml'], rest: [] },
    problems: [],
  });
});

test('a part without manifests of the project is a warning, and one that leads out of the project is an error', async () => {
  const only = (patterns: string) =>
    folder({
      'campaignctl.yaml': `version: 1\nmanifests: [acme/*.yaml]\nenvironments:\n  acme: { sandbox: {}, manifests: ${patterns} }\n`,
      'acme/a.yaml': 'name: Spring\n',
      'other/a.yaml': 'name: Autumn\n',
    });
  expect((await load(only('[other/*.yaml]'), ['acme'])).problems).toEqual([
    'warning not-in-environment acme/a.yaml:1',
    'warning no-match campaignctl.yaml:4',
  ]);
  const { findings } = await failureOf(load(only('[../other/*.yaml]'), ['acme']));
  expect(findings.map(({ code, line }) => `${code}:${line}`)).toEqual(['wrong-value:4']);
});

const project = (text: string) =>
  readProject({
    cwd: folder({ 'campaignctl.yaml': `version: 1\nmanifests: ["*.yaml"]\n${text}` }),
    config: null,
  });

test('defaults apply to every environment: objects are merged, and everything else is replaced', async () => {
  const { environments } = await project(`defaults:
  custom_variables: [FIRST_NAME]
  lead_lists: { fr: 1, de: 2 }
  limits: { parallelism: 2 }
  service: { attach_repeat: safe, statuses: { running: [going] } }
  allow: [adopt]
  on_removal: pause
environments:
  sandbox: { sandbox: {}, lead_lists: { de: 3 }, allow: [] }
  production:
    base_url: https://send.example.com
    token_env: TOKEN
    custom_variables: [COMPANY]
    limits: { requests_per_minute: 60 }
    service: { sequence_repost: append }
`);
  expect(environments).toMatchObject({
    sandbox: {
      ...{ custom_variables: ['FIRST_NAME'], lead_lists: { fr: 1, de: 3 }, on_removal: 'pause', allow: [] },
      limits: { parallelism: 2, requests_per_minute: null },
    },
    production: {
      ...{ custom_variables: ['COMPANY'], lead_lists: { fr: 1, de: 2 } },
      limits: { parallelism: 2, requests_per_minute: 60 },
      service: { attach_repeat: 'safe', sequence_repost: 'append', statuses: { running: ['going'] } },
      allow: [{ hazard: 'adopt', by: 'campaignctl.yaml:8' }],
    },
  });
});

test('every declared value takes precedence over a preset, also in defaults', async () => {
  const { environments } =
    await project(`defaults: { service: { preset: emailbison, sequence_repost: unknown } }
environments:
  staging: { sandbox: {}, service: { schedule_repost: replace } }
  production: { base_url: "https://send.example.com", token_env: TOKEN }
`);
  expect(environments).toMatchObject({
    staging: { service: { sequence_repost: 'unknown', schedule_repost: 'replace' } },
    production: { service: { sequence_repost: 'unknown', schedule_repost: 'refuse' } },
  });
});

test.each([
  ['defaults: { base_url: "https://a.example" }', 'unknown-key'],
  ['on_removal: pause', 'unknown-key'],
  ['shared: [/shared]', 'wrong-value'],
])('is refused: %s', async (text, code) => {
  const refused = await failureOf(project(`${text}\nenvironments: { sandbox: { sandbox: {} } }\n`));
  expect(refused.findings.map((finding) => finding.code)).toEqual([code]);
});

const SEQUENCE = `title: Shared
steps: [{ email_subject: A, email_body_file: body.html, wait_in_days: 3 }]
`;
const FILES = {
  '.git/HEAD': 'ref: refs/heads/main\n',
  'shared/sequence.yaml': SEQUENCE,
  'shared/body.html': '<p>A</p>',
  'secrets/sequence.yaml': SEQUENCE,
  'clients/acme/campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
shared: [../../shared]
environments: { sandbox: { sandbox: {} } }
`,
  'clients/acme/campaigns/a.yaml': 'name: A\nsequence: { use: ../../../shared/sequence.yaml }\n',
};

async function loadAcme(root: string) {
  const opened = await readProject({ cwd: join(root, 'clients/acme'), config: null });
  const environments = Object.values(opened.environments);
  return loadCampaigns(openManifests(opened), { environments, files: [], cwd: opened.root, env: {} });
}

test('a manifest uses a piece of a shared folder outside the project, with its bodies', async () => {
  const { campaigns, findings, files } = await loadAcme(folder(FILES));
  expect(findings).toEqual([]);
  expect(campaigns.sandbox?.[0]?.spec.sequence?.steps[0]?.email_body).toBe('<p>A</p>');
  expect(files).toContain('../../shared/sequence.yaml');
});

test('nothing else outside the project is read, not even through a link', async () => {
  const codes = async (use: string, prepare: (root: string) => void = () => {}) => {
    const root = folder({
      ...FILES,
      'clients/acme/campaigns/a.yaml': `name: A\nsequence: { use: ${use} }\n`,
    });
    prepare(root);
    return (await loadAcme(root)).findings.map(({ code }) => code);
  };
  expect(await codes('../../../secrets/sequence.yaml')).toEqual(['file-outside-project']);
  expect(await codes('../../../secrets/none.yaml')).toEqual(['file-outside-project']);
  expect(await codes('../../../shared/none.yaml')).toEqual(['file-not-found']);
  expect(await codes('../../../shared/../secrets/sequence.yaml')).toEqual(['file-outside-project']);
  const linked = (root: string) =>
    symlinkSync(join(root, 'secrets/sequence.yaml'), join(root, 'shared/link.yaml'));
  expect(await codes('../../../shared/link.yaml', linked)).toEqual(['file-outside-project']);
  const hidden = (root: string) => {
    mkdirSync(join(root, 'shared/.env'));
    writeFileSync(join(root, 'shared/.env/a.yaml'), SEQUENCE);
  };
  expect(await codes('../../../shared/.env/a.yaml', hidden)).toEqual(['file-hidden']);
});

test('two names may stand for one list in an environment', async () => {
  const root = folder({
    'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  staging: { sandbox: {}, lead_lists: { fr: 5, uk: 5 } }
`,
    'campaigns/spring.yaml': 'name: Spring\nleads: { lists: [{ list: fr, refill: 1 }, uk] }\n',
  });
  expect((await load(root, ['staging'])).problems).toEqual([]);
});

test('lead lists, templates and files are found in another Unicode form of their names', async () => {
  const root = folder({
    'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  sandbox: { sandbox: {}, lead_lists: { "Cafe\\u0301": 3 }, schedule_templates: { "B\\u00fcro": 4 } }
`,
    'campaigns/spring.yaml': `name: Spring
schedule: { template: "Bu\\u0308ro" }
leads: { lists: ["Caf\\u00e9"] }
sequence: { use: "../caf\\u00e9.yaml" }
`,
    'cafe\u0301.yaml':
      'title: T\nsteps: [{ email_subject: Hi, email_body_file: "menu\\u0301.txt", wait_in_days: 3 }]\n',
    'men\u00fa.txt': 'Hello',
  });
  const { problems, loaded } = await load(root, ['sandbox']);
  expect(problems).toEqual([]);
  expect(loaded.campaigns.sandbox?.[0]?.spec).toMatchObject({
    schedule: { template: 'B\u00fcro' },
    leads: { lists: ['Caf\u00e9'] },
    sequence: { steps: [{ email_body: 'Hello' }] },
  });
});
