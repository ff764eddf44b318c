import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';

const services: TestService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});

const MANIFEST = `name: Spring installers
settings: { max_emails_per_day: 200, reputation_building: true }
sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: Worth a look?, wait_in_days: 3 }
leads: { lists: [installers] }
environments:
  production:
    settings: { max_emails_per_day: 1000 }
`;

interface Scene {
  folder: string;
  staging: TestService;
  production: TestService;
  run(...argv: string[]): ReturnType<typeof command>;
  edit(from: string, to: string): Promise<void>;
}

/** Two empty workspaces and one manifest for both. */
async function between(use: (scene: Scene) => Promise<void>, more = ''): Promise<void> {
  const start = () => startService(shaped({}), { campaigns: [], templates: [] });
  const [staging, production] = await Promise.all([start(), start()]);
  services.push(staging, production);
  const environment = (url: string, list: number) =>
    `{ base_url: "${url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { installers: ${list} }${list === 77 ? more : ''} }`;
  await withFolder(async (folder) => {
    const file = join(folder, 'campaigns/spring.yaml');
    await writeFiles(folder, {
      'campaignctl.yaml': `version: 1
manifests: [campaigns/*.yaml]
environments:
  staging: ${environment(staging.url, 12)}
  production: ${environment(production.url, 77)}
`,
      'campaigns/spring.yaml': MANIFEST,
    });
    await use({
      folder,
      staging,
      production,
      run: (...argv) => command(folder, argv),
      edit: async (from, to) => writeFile(file, (await readFile(file, 'utf8')).replace(from, to)),
    });
  });
  expect([...staging.violations, ...production.violations]).toEqual([]);
}

const PROMOTE = ['apply', '--env', 'production', '--require-applied', 'staging', '--yes'];
const STAGE = ['apply', '--env', 'staging', '--yes'];

describe('what has to be applied to staging before', () => {
  it('goes to production once staging has it', () =>
    between(async ({ run, production }) => {
      const early = await run(...PROMOTE);
      expect(early).toMatchObject({ code: 3 });
      expect(early.err).toContain('it was never applied to staging from here.');
      expect(production.writes()).toEqual([]);
      expect(await run(...STAGE)).toMatchObject({ code: 0 });
      expect(await run(...PROMOTE)).toMatchObject({ code: 0 });
      expect(production.store.campaigns).toMatchObject([
        { name: 'Spring installers', settings: { max_emails_per_day: 1000 }, lists: [77] },
      ]);
    }));

  it('is refused again once the manifest has changed, until staging has that too', () =>
    between(async ({ run, edit, production }) => {
      await run(...STAGE);
      await run(...PROMOTE);
      const before = production.writes().length;
      await edit('reputation_building: true', 'reputation_building: false');
      const refused = await run(...PROMOTE);
      expect(refused).toMatchObject({ code: 3 });
      expect(refused.err).toContain('campaigns/spring.yaml is not as it was applied to staging');
      expect(refused.err).toContain('campaignctl apply --env staging');
      expect(production.writes()).toHaveLength(before);
      expect(await run(...STAGE)).toMatchObject({ code: 0 });
      expect(await run(...PROMOTE)).toMatchObject({ code: 0 });
      expect(production.writes()).toHaveLength(before + 1);
    }));

  it('may have caps of its own, and no emails of its own', () =>
    between(async ({ run, edit, production }) => {
      await run(...STAGE);
      await edit('max_emails_per_day: 1000', 'max_emails_per_day: 1200');
      expect(await run(...PROMOTE)).toMatchObject({ code: 0 });
      const before = production.writes().length;
      await edit(
        'max_emails_per_day: 1200 }\n',
        'max_emails_per_day: 1300 }\n    sequence: { title: Spring, steps: [{ email_subject: A question, email_body: Buy, wait_in_days: 3 }] }\n',
      );
      const refused = await run(...PROMOTE);
      expect(refused).toMatchObject({ code: 3 });
      expect(refused.err).toContain('sequence.steps[0].email_body');
      expect(production.writes()).toHaveLength(before);
    }));

  it('counts only where everything was read back', () =>
    between(async ({ run, staging, production }) => {
      staging.answerThen('POST', '/api/campaigns/101/sequence-steps', {
        status: 422,
        body: { message: 'no' },
        effect: false,
      });
      expect(await run(...STAGE)).toMatchObject({ code: 4 });
      expect(await run(...PROMOTE)).toMatchObject({ code: 3 });
      expect(production.writes()).toEqual([]);
      expect(await run(...STAGE)).toMatchObject({ code: 0 });
      expect(await run(...PROMOTE)).toMatchObject({ code: 0 });
    }));

  it('is required by the project file without the flag, and told by a dry run', () =>
    between(async ({ run, production }) => {
      const rehearsed = await run('apply', '--env', 'production', '--dry-run');
      expect(rehearsed).toMatchObject({ code: 0 });
      expect(rehearsed.err).toContain('apply would refuse this:\n✗ error: "Spring installers"');
      expect(await run('apply', '--env', 'production', '--yes')).toMatchObject({ code: 3 });
      expect(production.writes()).toEqual([]);
      await run(...STAGE);
      expect(await run('apply', '--env', 'production', '--yes')).toMatchObject({ code: 0 });
    }, ', require_applied: staging'));

  it('cannot be the environment itself, or one that does not exist', () =>
    between(async ({ run }) => {
      const same = await run('apply', '--env', 'staging', '--require-applied', 'staging', '--yes');
      expect([same.code, same.err]).toEqual([1, expect.stringContaining('--require-applied names staging')]);
      const unknown = await run('apply', '--env', 'production', '--require-applied', 'stagng', '--yes');
      expect([unknown.code, unknown.err]).toEqual([1, expect.stringContaining('Did you mean "staging"?')]);
    }));
});

const ALLOWED = ['launch', 'shared-leads'].flatMap((hazard) => ['--allow', hazard]);

it('a campaign that replaces another one takes its place in staging, from a saved plan, and then in production', () =>
  between(async ({ run, edit, staging, production }) => {
    const schedule = '{ days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }';
    await edit('leads:', `schedule: ${schedule}\nstatus: running\nleads:`);
    for (const env of ['staging', 'production'])
      expect(await run('apply', '--env', env, '--yes', '--allow', 'launch')).toMatchObject({ code: 0 });
    await edit('name: Spring installers', 'name: Spring again\nreplaces: Spring installers');
    await edit('Worth a look?', 'Worth another look?');
    expect((await run('compare', 'staging', 'production')).out).toContain('Spring again');
    const early = await run(...PROMOTE, ...ALLOWED);
    expect(early).toMatchObject({ code: 3, err: expect.stringContaining('[not-promoted]') });

    expect(await run('plan', '--env', 'staging', '--out', 'p.json')).toMatchObject({ code: 0 });
    expect((await run('show', 'p.json')).out).toContain('email_body  Worth a look? → Worth another look?');
    const apply = ['apply', '--plan', 'p.json', '--yes', ...ALLOWED];
    const [old] = staging.store.campaigns;
    if (old !== undefined) old.status = 'paused';
    const stale = await run(...apply);
    expect(stale).toMatchObject({ code: 3, err: expect.stringContaining('[plan-stale]') });
    if (old !== undefined) old.status = 'active';
    const sent = ({ writes }: TestService) => writes().map(({ path }) => path.replace('/api/campaigns', ''));
    const first = sent(staging);
    expect(sent(production)).toEqual(first);
    expect(await run(...apply)).toMatchObject({ code: 0 });
    const later = sent(staging).slice(first.length);
    expect([later[0], later[1], later.at(-1)]).toEqual(['/101/pause', '', '/102/resume']);

    expect(await run(...PROMOTE, ...ALLOWED)).toMatchObject({ code: 0 });
    expect(sent(production)).toEqual([...first, ...later]);
    for (const env of ['staging', 'production']) {
      const plan = JSON.parse((await run('plan', '--env', env, '--json')).out);
      expect(plan).toMatchObject({
        summary: { unchanged: 1, requests: 0 },
        by_hand: [{ does: 'delete', id: 101, superseded_by: 102 }],
      });
    }
  }));
