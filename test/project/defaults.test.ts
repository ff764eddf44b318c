import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadCampaigns } from '../../src/project/campaigns.js';
import { readProject } from '../../src/project/project.js';
import { failure, folder } from './folder.js';

const project = (text: string) =>
  readProject({
    cwd: folder({ 'campaignctl.yaml': `version: 1\nmanifests: ["*.yaml"]\n${text}` }),
    config: null,
  });

test('defaults hold for every environment: objects merge, everything else replaces', async () => {
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

test('a preset stands below every value that is written, also in defaults', async () => {
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
  const refused = await failure(() => project(`${text}\nenvironments: { sandbox: { sandbox: {} } }\n`));
  expect(refused.findings.map((finding) => finding.code)).toEqual([code]);
});

const SEQUENCE = `title: Shared
steps: [{ email_subject: A, email_body_file: body.html, wait_in_days: 3 }]
`;
const FILES = {
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

async function load(root: string) {
  const opened = await readProject({ cwd: join(root, 'clients/acme'), config: null });
  const environments = Object.values(opened.environments);
  return loadCampaigns(opened, { environments, files: [], cwd: opened.root });
}

test('a manifest uses a piece of a shared folder outside the project, with its bodies', async () => {
  const { campaigns, findings, files } = await load(folder(FILES));
  expect(findings).toEqual([]);
  expect(campaigns.sandbox?.[0]?.spec.sequence?.steps[0]?.email_body).toBe('<p>A</p>');
  expect(files).toContain('../../shared/sequence.yaml');
});

test('nothing else outside the project is read, through no link either', async () => {
  const codes = async (use: string, prepare: (root: string) => void = () => {}) => {
    const root = folder({
      ...FILES,
      'clients/acme/campaigns/a.yaml': `name: A\nsequence: { use: ${use} }\n`,
    });
    prepare(root);
    return (await load(root)).findings.map(({ code }) => code);
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
