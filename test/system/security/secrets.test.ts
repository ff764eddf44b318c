import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService, TOKEN } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const MANIFEST = 'name: Spring\nsettings: { max_emails_per_day: 5, reputation_building: true }\n';

/** A project for a service of its own. `more`: keys of the environment. */
async function scene(use: (folder: string, service: TestService) => Promise<void>, more = ''): Promise<void> {
  const service = await startService(shaped({}), { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const environment = `{ base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN${more} }`;
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [spring.yaml]\nenvironments:\n  production: ${environment}\n`,
        'spring.yaml': MANIFEST,
      });
      await use(folder, service);
    });
  } finally {
    await service.close();
  }
}

describe('the origins that a pipeline allows', () => {
  const commands = [['plan'], ['apply', '--yes'], ['list'], ['import', '--all'], ['plan', '--drift']];
  it.each(commands)('get the token, and no other does: %s %s', (...argv) =>
    scene(async (folder, service) => {
      for (const allowed of [
        '',
        '  ',
        'https://send.example.com',
        'http://127.0.0.1',
        service.url.replace('http', 'https'),
      ]) {
        const ended = await command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: allowed });
        expect([ended.code, ended.out]).toEqual([1, '']);
        expect(ended.err).toMatch(/which the variable\s+CAMPAIGNCTL_ORIGINS does not allow/);
      }
      expect(service.requests).toEqual([]);
      const both = `https://send.example.com  ${service.url}/`;
      const ended = await command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: both });
      expect(ended.code, ended.err).toBe(0);
      expect(service.requests.length).toBeGreaterThan(0);
    }),
  );

  it('have to be addresses, and are not repeated where they are none', () =>
    scene(async (folder, service) => {
      const env = {
        CAMPAIGNS_TOKEN: TOKEN,
        CAMPAIGNCTL_ORIGINS: `${service.url} https://ada:s3cr3t@send.example.com`,
      };
      const { code, err } = await command(folder, ['plan'], env);
      expect([code, err.includes('s3cr3t')]).toEqual([1, false]);
      expect(err).toContain('CAMPAIGNCTL_ORIGINS holds a user name or password');
      expect(service.requests).toEqual([]);
    }));
});

describe('the variable of a token', () => {
  const foreign = [
    ...[
      'PATH',
      'home',
      'GITHUB_TOKEN',
      'GH_TOKEN',
      'ACTIONS_RUNTIME_TOKEN',
      'ACTIONS_ID_TOKEN_REQUEST_TOKEN',
      'CI_JOB_TOKEN',
    ],
    ...[
      'GITLAB_TOKEN',
      'STATE_TOKEN',
      'AWS_SECRET_ACCESS_KEY',
      'NPM_TOKEN',
      'npm_config__auth',
      'NODE_AUTH_TOKEN',
      'VAULT_TOKEN',
    ],
    ...[
      'SSH_AUTH_SOCK',
      'DATABASE_URL',
      'PGPASSWORD',
      'KUBECONFIG',
      'GOOGLE_APPLICATION_CREDENTIALS',
      'SYSTEM_ACCESSTOKEN',
    ],
    ...[
      'CAMPAIGNCTL_ORIGINS',
      'CAMPAIGNCTL_ENV',
      'INPUT_SERVICE_TOKEN',
      'PROD_DB_PASSWORD',
      'MYSQL_PASSWD',
      'DEPLOY_PRIVATE_KEY',
      'SIGNING_PRIVATEKEY_PEM',
    ],
    ...[
      'PROD_AWS_SESSION_TOKEN',
      'MY_AZURE_SECRET',
      'TEAM_GCP_KEY',
      'ORG_GITHUB_PAT',
      'MY_GITLAB_TOKEN',
      'CORP_NPM_AUTH',
      'OUR_DOCKERHUB_TOKEN',
      'LIVE_STRIPE_KEY',
      'HTTPS_PROXY',
      'all_proxy',
      'BOT_SLACK_TOKEN',
      'DEPLOY_SSH_KEY',
      'STAGING_KUBE_TOKEN',
    ],
    ...[
      'GITEA_TOKEN',
      'FORGEJO_TOKEN',
      'RENOVATE_TOKEN',
      'PULUMI_ACCESS_TOKEN',
      'DOPPLER_TOKEN',
      'JWT_SECRET',
      'DB_PASS',
      'SHOP_DB_PASS',
      'DB_URL',
      'WEBHOOK_SECRET',
      'SUDO_USER',
      'PS1',
    ],
    ...['SENDGRID_API_KEY', 'MAILGUN_API_KEY', 'POSTMARK_SERVER_TOKEN', 'SMTP_PASS', 'MAILCHIMP_KEY'],
    ...['JIRA_TOKEN', 'LINEAR_API_KEY', 'ACME_SLACK_BOT_TOKEN', 'TWILIO_AUTH_TOKEN', 'HUBSPOT_ACCESS_TOKEN'],
    ...['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'DD_API_KEY', 'SENTRY_AUTH_TOKEN', 'NEW_RELIC_LICENSE_KEY'],
    ...[
      'CLOUDFLARE_API_TOKEN',
      'HEROKU_API_KEY',
      'DIGITALOCEAN_TOKEN',
      'CARGO_REGISTRY_TOKEN',
      'GEM_HOST_KEY',
    ],
    ...[
      'SIGNING_KEY',
      'APP_ENCRYPTION_KEY',
      'RAILS_MASTER_KEY',
      'SECRET_KEY_BASE',
      'SHOP_REDIS_TLS',
      'BROKER_URI',
    ],
  ];
  it.each(foreign)('is not %s, which belongs to something else', (name) =>
    scene(async (folder, service) => {
      const file = join(folder, 'campaignctl.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('CAMPAIGNS_TOKEN', name));
      const { code, err } = await command(folder, ['plan'], { [name]: 'another-secret-of-this-machine' });
      expect(code).toBe(1);
      expect(err).toContain('token_env names a variable that belongs to something else');
      expect(service.requests).toEqual([]);
    }),
  );

  it.each([
    'CAMPAIGNS_TOKEN',
    'SEND_TOKEN',
    'OUTREACH_API_KEY',
    'CAMPAIGNCTL_TOKEN',
    'CAMPAIGNCTL_TOKEN_STAGING',
    'STAGING_SEND_TOKEN',
    'ACME_CONSULTING_TOKEN',
    'COLLINEAR_TOKEN',
    'PAWS_TOKEN',
    'PINSTRIPE_TOKEN',
    'PASSPORT_TOKEN',
  ])('may be %s', (name) =>
    scene(async (folder) => {
      const file = join(folder, 'campaignctl.yaml');
      writeFileSync(file, readFileSync(file, 'utf8').replace('CAMPAIGNS_TOKEN', name));
      expect((await command(folder, ['plan'], { [name]: TOKEN })).code).toBe(0);
    }),
  );
});

describe('the folder of the state', () => {
  it.each([
    '../state',
    '/tmp/state',
    'a/../../state',
    '.git',
    '.GIT/hooks',
    '.campaignctl/.git',
    'C:/state',
    '..\\\\state',
  ])('is not %s', (path) =>
    scene(async (folder, service) => {
      const { code, err } = await command(folder, ['apply', '--yes']);
      expect([code, service.requests]).toEqual([1, []]);
      expect(err).toMatch(/The folder ".*" of the state (leads out of the project|lies in \.git)/);
    }, `, state: { path: "${path}" }`),
  );

  it.each([
    ['.campaignctl', '../outside'],
    ['.campaignctl', '.git'],
    ['.campaignctl/state', '../../outside'],
    ['.campaignctl/sandbox', '../../outside'],
  ])('is not elsewhere by a link either: %s → %s', (link, target) =>
    scene(async (root, service) => {
      const folder = join(root, 'project');
      for (const made of ['outside', 'project/.git', 'project/.campaignctl'])
        mkdirSync(join(root, made), { recursive: true });
      for (const file of ['campaignctl.yaml', 'spring.yaml'])
        writeFileSync(join(folder, file), readFileSync(join(root, file)));
      if (link === '.campaignctl') rmSync(join(folder, '.campaignctl'), { recursive: true });
      symlinkSync(target, join(folder, link));
      const { code, err } = await command(folder, ['apply', '--yes']);
      expect([code, service.requests]).toEqual([1, []]);
      expect(err).toContain('a link leads there');
      expect([readdirSync(join(root, 'outside')), readdirSync(join(folder, '.git'))]).toEqual([[], []]);
    }),
  );
});
