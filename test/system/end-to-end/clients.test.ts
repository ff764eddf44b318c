import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft } from '../../support/service/store.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const manifest = 'name: Spring\nleads: { lists: [77] }\n';

it('a client is planned, applied and listed without a word of another, and never gets its campaigns', async () => {
  for (const _ of 'ab') services.push(await startService(shaped({}), { campaigns: [], templates: [] }));
  const [acme, globex] = services;
  const env = { ACME_TOKEN_CAMPAIGNS: 'test-token-83b1f2' };
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [clients/**/*.yaml]
environments:
  acme: { base_url: "${acme?.url}", token_env: ACME_TOKEN_CAMPAIGNS, manifests: [clients/acme/*.yaml] }
  globex: { base_url: "${globex?.url}", token_env: GLOBEX_TOKEN_CAMPAIGNS, manifests: [clients/globex/*.yaml] }
`,
      'clients/acme/spring.yaml': manifest,
      'clients/globex/spring.yaml': manifest,
      'clients/globex/broken.yaml': 'name: Broken\nstatus: runing\n',
    });
    const run = (...argv: string[]) => command(folder, argv, env);
    const own = ['list', 'plan', 'apply --yes', 'plan --detailed-exitcode', 'list', 'validate'];
    for (const line of own) {
      const ended = await run(...line.split(' '), '--env', 'acme');
      expect(ended, line).toMatchObject({ code: 0, err: '' });
      expect(ended.out).not.toMatch(/globex|Broken/);
    }
    const stranger = await run('apply', 'clients/globex/spring.yaml', '--env', 'acme', '--yes');
    expect(stranger.code).toBe(1);
    expect(stranger.err).toContain('"clients/globex/spring.yaml" is not among the manifests of acme.');
    const imported = await run('import', '--all', '--env', 'acme', '--dry-run');
    expect(imported).toMatchObject({ code: 0 });
    expect((await run('validate')).out).toContain('clients/globex/broken.yaml');
    expect(acme?.writes().map(({ path }) => path)).toEqual([
      '/api/campaigns',
      expect.stringContaining('lead'),
    ]);
    expect(acme?.store.campaigns.map(({ name }) => name)).toEqual(['Spring']);
    expect(globex?.requests).toEqual([]);
  });
});

it('what moves to another client is removed from the first, and one that both take stays', async () => {
  services.push(await startService(shaped({}), { campaigns: [], templates: [] }));
  const project = (part: string) => `version: 1
manifests: [clients/**/*.yaml]
environments:
  acme: { base_url: "${services[0]?.url}", token_env: CAMPAIGNS_TOKEN, manifests: ${part} }
`;
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': project('[clients/**/*.yaml]'),
      'clients/acme/spring.yaml': 'name: Spring\n',
      'clients/globex/spring.yaml': 'name: Autumn\n',
    });
    expect(await command(folder, ['apply', '--yes'])).toMatchObject({ code: 0 });
    expect(await command(folder, ['plan', '--out', 'saved.json'])).toMatchObject({ code: 0 });
    await writeFiles(folder, { 'campaignctl.yaml': project('[clients/acme/*.yaml]') });
    const planned = await command(folder, ['plan']);
    expect(planned).toMatchObject({ code: 0, out: expect.stringContaining('Autumn') });
    expect(await command(folder, ['apply', '--plan', 'saved.json', '--yes'])).toMatchObject({ code: 3 });
  });
});

it('an import writes into the folder of its client, and overwrites no manifest of another one there', async () => {
  const store = { campaigns: [draft(1, 'Spring'), draft(2, 'Autumn')], templates: [] };
  services.push(await startService(shaped({}), store));
  const at = `base_url: "${services[0]?.url}", token_env: CAMPAIGNS_TOKEN`;
  await withFolder(async (folder) => {
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml, clients/**/*.yaml]
environments:
  acme: { ${at}, manifests: [clients/*.yaml, "!clients/spring.yaml"] }
  globex: { ${at}, manifests: [clients/spring.yaml] }
`,
      'clients/spring.yaml': 'name: Spring of Globex\n',
    });
    const imported = await command(folder, ['import', '--all', '--env', 'acme']);
    expect(imported).toMatchObject({ code: 0 });
    expect((await readdir(join(folder, 'clients'))).sort()).toEqual([
      'autumn.yaml',
      'spring-2.yaml',
      'spring.yaml',
    ]);
    expect(await readFile(join(folder, 'clients/spring.yaml'), 'utf8')).toBe('name: Spring of Globex\n');
    expect(await command(folder, ['plan', '--detailed-exitcode', '--env', 'acme'])).toMatchObject({
      code: 0,
    });
  });
});
