/** One manifest for several campaigns with shared pieces is planned and applied, and then has no changes. */

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { type Project, withProject, withService } from '../../support/project.js';
import { TOKEN } from '../../support/service/service.js';
import { draft } from '../../support/service/store.js';

const FILES = {
  'campaigns/installers.yaml': `for_each:
  - { segment: France, cap: 200, list: fr }
  - { segment: Spain, cap: 100, list: es }
name: Installers \${{ segment }}
settings: { max_emails_per_day: "\${{ cap }}", reputation_building: true }
sequence: { use: ../shared/sequence.yaml }
leads: { lists: ["\${{ list }}"] }
`,
  'shared/sequence.yaml': `title: Installers
steps:
  - { email_subject: "In \${{ segment }}", email_body_file: body.html, wait_in_days: 3 }
`,
  'shared/body.html': '<p>Hi {FIRST_NAME} in ${{ segment }}, $${{ that is all }}</p>\n',
};

const withInstallers = (use: (project: Project) => Promise<void>) =>
  withProject(
    {
      environment: `    lead_lists: { fr: 77, es: 78 }
lint: { liquid: off, new-leads-above-emails: off }
`,
      files: FILES,
    },
    use,
  );
const INSTALLERS = 'campaigns/installers.yaml';
const SEQUENCE = 'shared/sequence.yaml';

test('each campaign gets its values, and the second plan is empty, also in a different order', () =>
  withInstallers(async ({ edit, exits, plan, service }) => {
    await exits(0, 'apply --yes');
    const bodyOf = (segment: string, max_emails_per_day: number, lead_list_id: number) => [
      { name: `Installers ${segment}` },
      { max_emails_per_day },
      { lead_list_id },
      {
        title: 'Installers',
        sequence_steps: [
          expect.objectContaining({
            email_subject: `In ${segment}`,
            email_body: `<p>Hi {FIRST_NAME} in ${segment}, \${{ that is all }}</p>\n`,
          }),
        ],
      },
    ];
    const bodies = [...bodyOf('France', 200, 77), ...bodyOf('Spain', 100, 78)];
    expect(service.writes().map(({ body }) => body)).toEqual(
      expect.arrayContaining(bodies.map((body) => expect.objectContaining(body))),
    );
    await exits(0, 'plan --detailed-exitcode');
    const entry = '  - { segment: France, cap: 200, list: fr }\n';
    await edit(INSTALLERS, entry, '');
    await edit(INSTALLERS, 'name: ', `${entry}name: `);
    await exits(0, 'plan --detailed-exitcode');
    await edit(INSTALLERS, 'cap: 100', 'cap: 150');
    expect((await plan()).campaigns.map(({ manifest, action }) => [manifest, action])).toEqual([
      ['campaigns/installers.yaml[Spain]', 'change'],
      ['campaigns/installers.yaml[France]', 'none'],
    ]);
  }));

test('an error is shown once, where it is written', () =>
  withInstallers(async ({ edit, exits, write }) => {
    await edit(SEQUENCE, 'Installers', 'For ${{ segmnt }}');
    await edit(INSTALLERS, 'cap: 100', 'cap: many');
    await write({
      'campaigns/other.yaml':
        'for_each: [{ segment: x }]\nname: Other ${{ segment }}\nsequence: { use: ../shared/sequence.yaml }\n',
    });
    const { out } = await exits(1, 'validate');
    await expect(out).toMatchFileSnapshot('golden/wrong-values.txt');
  }));

test('a shared section that matches the patterns is reported as such', () =>
  withInstallers(async ({ edit, run }) => {
    await edit('campaignctl.yaml', 'campaigns/**/*.yaml', 'campaigns/*.yaml, shared/*.yaml');
    const { out } = await run('validate');
    await expect(out).toMatchFileSnapshot('golden/shared-piece.txt');
  }));

const SPRING = 'campaigns/spring.yaml';
const PROJECT = `version: 1
manifests: [campaigns/*.yaml]
default_environment: production
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, manifests: [campaigns/*.yaml, "!campaigns/other-*"] }
  other: { sandbox: {}, manifests: ["campaigns/other-*.yaml"] }
`;

/** A project with a valid manifest and these other files, beside an empty service. */
const beside = (others: Record<string, string>, use: (project: Project) => Promise<void>) =>
  withProject({ files: { 'campaignctl.yaml': PROJECT, [SPRING]: 'name: Spring\n', ...others } }, use);

const INVALID = { 'campaigns/winter.yaml': 'name: Winter\nstatus: runing\n' };
const SAME_NAME = { 'campaigns/winter.yaml': 'name: Spring\n' };

it.each([
  'plan --target Spring',
  `plan ${SPRING}`,
  `plan --refresh changed ${SPRING}`,
  `apply ${SPRING} --yes`,
  'apply --target Spring --yes',
  `apply --dry-run ${SPRING}`,
])('%s stops on an error in a manifest that is not selected, or on a duplicate name in one', async (line) => {
  await beside(INVALID, async ({ exits, service }) => {
    const { err } = await exits(1, line);
    expect(err).toContain('campaigns/winter.yaml:2:9');
    expect(err).toContain('[invalid-manifests]');
    expect(service.requests).toEqual([]);
  });
  await beside(SAME_NAME, async ({ exits, service }) => {
    expect((await exits(1, line)).err).toContain('[duplicate-name]');
    expect(service.requests).toEqual([]);
  });
});

it('validate and preview of one file check that file, and compare it with all others', () =>
  beside(INVALID, async ({ exits, write }) => {
    await exits(0, `validate ${SPRING} --env production`);
    await exits(0, `preview ${SPRING} --env production`);
    await exits(1, 'validate --env production');
    await write(SAME_NAME);
    expect((await exits(1, `validate ${SPRING} --env production`)).out).toContain('[duplicate-name]');
  }));

it('a contradiction between two manifests is found in each of them, with file and line', () =>
  withProject(
    {
      files: {
        'campaigns/old.yaml': 'name: Spring\nstatus: running\n',
        'campaigns/new.yaml': 'name: Spring 2\nreplaces: Spring\n',
      },
    },
    async ({ exits }) => {
      const words = '"Spring 2") replaces "Spring", but campaigns/old.yaml has status: running.';
      for (const [file, place] of [
        ['campaigns/old.yaml', 'campaigns/old.yaml:2:9'],
        ['campaigns/new.yaml', 'campaigns/new.yaml:2:11'],
      ] as const) {
        const { out } = await exits(1, `validate ${file}`);
        expect(out).toContain(place);
        expect(out.replaceAll(/\n +/g, ' ')).toContain(words);
      }
    },
  ));

it.each(['lint: { replaces-circle: off }', 'lint: { duplicate-name: warning }'])(
  'a contradiction is an error that the project file cannot change: %s',
  (lint) =>
    withProject(
      {
        environment: `${lint}\n`,
        files: {
          'campaigns/a.yaml': 'name: A\nreplaces: B\n',
          'campaigns/b.yaml': 'name: B\nreplaces: A\n---\nname: A\n',
        },
      },
      async ({ edit, exits, service }) => {
        const [, code = ''] = /\{ (\S+):/.exec(lint) ?? [];
        for (const line of ['validate', 'plan', 'apply --yes']) {
          const { out, err } = await exits(1, line);
          expect(out + err).toContain(`${code} is not a lint rule: it is always an error.  [unknown-key]`);
        }
        await edit('campaignctl.yaml', `${lint}\n`, '');
        for (const line of ['validate', 'plan', 'apply --yes']) {
          const { out, err } = await exits(1, line);
          for (const found of ['a.yaml:2:11', 'b.yaml:2:11', 'b.yaml:4:7'])
            expect(out + err).toContain(`campaigns/${found}  error`);
        }
        expect(service.requests).toEqual([]);
      },
    ),
);

const manifest = 'name: Spring\nleads: { lists: [77] }\n';
const projectWith = (environments: string, patterns = 'clients/**/*.yaml') => `version: 1
manifests: [${patterns}]
environments:
${environments}`;

it('a client is planned, applied and listed without mention of another, and never gets its campaigns', () =>
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
        expect(stranger.err).toContain('"clients/globex/spring.yaml" is not among');
        await exits(0, 'import --all --env acme');
        expect((await run('validate')).out).toContain('clients/globex/broken.yaml');
        expect(sent()).toEqual(['POST /api/campaigns', expect.stringContaining('lead')]);
        expect(statuses()).toEqual({ Spring: 'draft' });
        expect(globex.requests).toEqual([]);
      },
    ),
  ));

it('an import writes to the folder of its client, and overwrites no existing manifest', () => {
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
