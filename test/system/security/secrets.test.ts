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
      for (const between of ['  ', ',', ', ']) {
        const both = `https://send.example.com${between}${service.url}/`;
        const ended = await command(folder, argv, { CAMPAIGNS_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: both });
        expect(ended.code, ended.err).toBe(0);
        expect(service.requests.splice(0).length).toBeGreaterThan(0);
      }
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
