import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { withProject, withService } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';

const manifest = 'name: Spring\nleads: { lists: [77] }\n';
const projectWith = (environments: string, patterns = 'clients/**/*.yaml') => `version: 1
manifests: [${patterns}]
environments:
${environments}`;

it('a client is planned, applied and listed without a word of another, and never gets its campaigns', () =>
  withService({}, (globex) =>
    withProject(
      {
        variables: { ACME_TOKEN_CAMPAIGNS: TOKEN },
        files: {
          'campaignctl.yaml': projectWith(`
  acme: { base_url: "{url}", token_env: ACME_TOKEN_CAMPAIGNS, manifests: [clients/acme/*.yaml] }
  globex: { base_url: "${globex.url}", token_env: GLOBEX_TOKEN_CAMPAIGNS, manifests: [clients/globex/*.yaml] }
`),
          'clients/acme/spring.yaml': manifest,
          'clients/globex/spring.yaml': manifest,
          'clients/globex/broken.yaml': 'name: Broken\nstatus: runing\n',
        },
      },
      async ({ exits, run, sent, statuses }) => {
        for (const line of ['list', 'plan', 'apply --yes', 'plan --detailed-exitcode', 'list', 'validate']) {
          const { out, err } = await exits(0, `${line} --env acme`);
          expect(err).toBe('');
          expect(out).not.toMatch(/globex|Broken/);
        }
        const stranger = await exits(1, 'apply clients/globex/spring.yaml --env acme --yes');
        expect(stranger.err).toContain('"clients/globex/spring.yaml" is not among the manifests of acme.');
        await exits(0, 'import --all --env acme');
        expect((await run('validate')).out).toContain('clients/globex/broken.yaml');
        expect(sent()).toEqual(['POST /api/campaigns', expect.stringContaining('lead')]);
        expect(statuses()).toEqual({ Spring: 'draft' });
        expect(globex.requests).toEqual([]);
      },
    ),
  ));

it('what moves to another client is removed from the first, and one that both take stays', () => {
  const files = {
    'campaignctl.yaml': projectWith(
      '  acme: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, manifests: [clients/**/*.yaml] }\n',
    ),
    'clients/acme/spring.yaml': 'name: Spring\n',
    'clients/globex/spring.yaml': 'name: Autumn\n',
  };
  return withProject({ files }, async ({ edit, exits, plan }) => {
    await exits(0, 'apply --yes');
    await exits(0, 'plan --out saved.json');
    await edit('campaignctl.yaml', 'TOKEN, manifests: [clients/**', 'TOKEN, manifests: [clients/acme/');
    const { campaigns, removed } = await plan();
    expect([campaigns, removed]).toMatchObject([[{ name: 'Spring' }], [{ name: 'Autumn', outside: true }]]);
    await exits(3, 'apply --plan saved.json --yes');
  });
});

it('an import writes into the folder of its client, and overwrites no manifest of another one there', () => {
  const campaigns = [draft(1, 'Spring'), draft(2, 'Autumn')];
  const at = 'base_url: "{url}", token_env: CAMPAIGNS_TOKEN';
  const files = {
    'campaignctl.yaml': projectWith(`
  acme: { ${at}, manifests: [clients/*.yaml, "!clients/spring.yaml"] }
  globex: { ${at}, manifests: [clients/spring.yaml] }
`),
    'clients/spring.yaml': 'name: Spring of Globex\n',
  };
  return withProject({ campaigns, files }, async ({ exits, folder, read }) => {
    await exits(0, 'import --all --env acme');
    const names = await readdir(join(folder, 'clients'));
    expect(names.sort()).toEqual(['autumn.yaml', 'spring-2.yaml', 'spring.yaml']);
    expect(await read('clients/spring.yaml')).toBe('name: Spring of Globex\n');
    await exits(0, 'plan --detailed-exitcode --env acme');
  });
});
