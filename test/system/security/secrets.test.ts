import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { command } from '../../support/command.js';
import { type Project, withProject } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';

/** `environment`: further keys of it. */
const scene = (use: (project: Project) => Promise<void>, environment = '') =>
  withProject(
    {
      environment,
      files: {
        'campaigns/spring.yaml':
          'name: Spring\nsettings: { max_emails_per_day: 5, reputation_building: true }\n',
      },
    },
    use,
  );

describe('the origins that a pipeline allows', () => {
  const lines = ['plan', 'apply --yes', 'list', 'import --all', 'plan --drift'];
  it.each(lines)('receive the token, and no others do: %s', (line) =>
    scene(async ({ folder, service }) => {
      const run = (origins: string) =>
        command(folder, line.split(' '), { CAMPAIGNS_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: origins });
      for (const allowed of [
        '',
        '  ',
        'https://send.example.com',
        'http://127.0.0.1',
        service.url.replace('http', 'https'),
      ]) {
        const ended = await run(allowed);
        expect([ended.code, ended.out]).toEqual([1, '']);
        expect(ended.err).toMatch(/which\s+CAMPAIGNCTL_ORIGINS\s+does\s+not\s+allow/);
      }
      expect(service.requests).toEqual([]);
      for (const between of ['  ', ',', ', ']) {
        const ended = await run(`https://send.example.com${between}${service.url}/`);
        expect(ended.code, ended.err).toBe(0);
        expect(service.requests.splice(0).length).toBeGreaterThan(0);
      }
    }),
  );

  it('must be addresses, and invalid ones are not repeated', () =>
    scene(async ({ folder, service }) => {
      const origins = `${service.url} https://ada:s3cr3t@send.example.com`;
      const env = { CAMPAIGNS_TOKEN: TOKEN, CAMPAIGNCTL_ORIGINS: origins };
      const { code, err } = await command(folder, ['plan'], env);
      expect([code, err.includes('s3cr3t')]).toEqual([1, false]);
      expect(err).toContain('CAMPAIGNCTL_ORIGINS contains a user name');
      expect(err).toContain('[invalid-base-url]');
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
    scene(async ({ exits, service }) => {
      const { err } = await exits(1, 'apply --yes');
      expect(err).toMatch(/state\.path: .*\[wrong-value\]/s);
      expect(service.requests).toEqual([]);
    }, `    state: { path: "${path}" }\n`),
  );

  it.each([
    ['.campaignctl', '../outside'],
    ['.campaignctl', '.git'],
    ['.campaignctl/state', '../../outside'],
    ['.campaignctl/sandbox', '../../outside'],
  ])('cannot be redirected by a link either: %s → %s', (link, target) =>
    scene(async ({ folder: root, service }) => {
      const folder = join(root, 'project');
      for (const initial of ['outside', 'project/.git', 'project/.campaignctl', 'project/campaigns'])
        mkdirSync(join(root, initial), { recursive: true });
      for (const file of ['campaignctl.yaml', 'campaigns/spring.yaml'])
        writeFileSync(join(folder, file), readFileSync(join(root, file)));
      if (link === '.campaignctl') rmSync(join(folder, '.campaignctl'), { recursive: true });
      symlinkSync(target, join(folder, link));
      const { code, err } = await command(folder, ['apply', '--yes']);
      expect([code, service.requests]).toEqual([1, []]);
      expect(err).toContain('[file-outside-project]');
      expect([readdirSync(join(root, 'outside')), readdirSync(join(folder, '.git'))]).toEqual([[], []]);
    }),
  );
});
