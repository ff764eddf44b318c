/** Situations in which a hint once led the wrong way: whoever follows the first way out gets a plan with nothing to do, and nobody is mailed twice. */
import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Plan, Problem } from '../../../src/model/outputs.js';
import { nextStep } from '../../../src/view/plan-view.js';
import { command, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { draft, type StoredCampaign, type StoredTemplate } from '../../support/service/store.js';

const sequence = (body: string) =>
  `sequence: { title: S, steps: [{ email_subject: A question, email_body: "${body}", wait_in_days: 3 }] }`;
const manifest = (name: string, more = '') =>
  `name: ${name}\nschedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }\n${sequence('Hi {FIRST_NAME}')}\nleads: { lists: [12] }\nstatus: running\n${more}`;

interface Scene {
  service: TestService;
  folder: string;
  run: (...argv: string[]) => ReturnType<typeof command>;
  planned: () => Promise<Plan>;
  problem: (code: string) => Promise<Problem>;
}

async function scene(
  store: { campaigns?: StoredCampaign[]; templates?: StoredTemplate[] },
  files: Record<string, string>,
  use: (scene: Scene) => Promise<void>,
): Promise<void> {
  const service = await startService(shaped({ title: 'shown' }), { campaigns: [], templates: [], ...store });
  try {
    await withFolder(async (folder) => {
      await writeFiles(folder, {
        'campaignctl.yaml': `version: 1\nmanifests: [campaigns/**/*.yaml]\nenvironments:\n  production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN }\n`,
        ...files,
      });
      const run = (...argv: string[]) => command(folder, argv);
      const planned = async () => JSON.parse((await run('plan', '--format', 'json')).out) as Plan;
      const problem = async (code: string) => {
        const plan = await planned();
        const all = [...plan.problems, ...plan.campaigns.flatMap(({ problems }) => problems)];
        const found = all.find((one) => one.code === code);
        if (found === undefined) throw new Error(`no ${code} in ${JSON.stringify(all)}`);
        return found;
      };
      await use({ service, folder, run, planned, problem });
    });
    expect(service.violations).toEqual([]);
  } finally {
    await service.close();
  }
}

const launched = (use: (scene: Scene) => Promise<void>) =>
  scene({}, { 'campaigns/spring.yaml': manifest('Spring') }, async (own) => {
    expect((await own.run('apply', '--yes', '--allow', 'launch')).code).toBe(0);
    await use(own);
  });

/** The ways out in the order in which a hint names them. */
const inOrder = (hint: string, ...ways: string[]) => {
  const places = ways.map((way) => hint.indexOf(way));
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((one, other) => one - other));
};

test('a campaign that was deleted on purpose is forgotten with its manifest, not made again', () =>
  launched(async ({ service, folder, run, problem, planned }) => {
    const [spring] = service.store.campaigns.splice(0);
    service.store.campaigns.push(draft(900, 'Other'));
    const writes = service.writes().length;
    inOrder((await problem('missing')).hint, `campaignctl forget ${spring?.id}`, '--allow missing');
    await rm(join(folder, 'campaigns/spring.yaml'));
    await writeFiles(folder, { 'campaigns/other.yaml': 'name: Other\n' });
    expect((await run('forget', String(spring?.id), '--yes')).code).toBe(0);
    expect(await planned()).toMatchObject({ problems: [], removed: [], summary: { requests: 0 } });
    expect(service.writes()).toHaveLength(writes);
  }));

test('a campaign that was renamed in the web app gets its new name in the manifest', () =>
  launched(async ({ service, folder, run, problem, planned }) => {
    const [spring] = service.store.campaigns;
    if (spring !== undefined) spring.name = 'Winter';
    const { hint } = await problem('rename');
    inOrder(hint, 'name: "Winter"', 'campaignctl import --update "Spring"', '--allow rename');
    expect(hint).not.toContain('old name');
    const writes = service.writes().length;
    expect((await run('import', '--update', 'Spring')).code).toBe(0);
    expect(await readFile(join(folder, 'campaigns/spring.yaml'), 'utf8')).toContain('name: Winter');
    expect(await planned()).toMatchObject({ problems: [], summary: { requests: 0 } });
    expect(service.writes()).toHaveLength(writes);
  }));

test('a manifest that was moved and renamed is pinned by id', () =>
  launched(async ({ service, folder, problem, planned }) => {
    const id = service.store.campaigns[0]?.id;
    await mkdir(join(folder, 'campaigns/acme'));
    await rename(join(folder, 'campaigns/spring.yaml'), join(folder, 'campaigns/acme/spring.yaml'));
    await writeFiles(folder, { 'campaigns/acme/spring.yaml': manifest('Acme spring') });
    inOrder((await problem('shared-leads')).hint, `id: ${id}`, '--allow shared-leads');
    const plan = await planned();
    expect(nextStep(plan, 'Merge.')).not.toContain('--allow shared-leads');
    await writeFiles(folder, { 'campaigns/acme/spring.yaml': manifest('Acme spring', `id: ${id}\n`) });
    expect(await planned()).toMatchObject({ removed: [], summary: { create: 0, requests: 0 } });
  }));

test('a launch is accepted by name, and no other one with it', () =>
  scene(
    {},
    {
      'campaigns/a.yaml': manifest('Acme A').replace('12', '1'),
      'campaigns/b.yaml': manifest('Beta').replace('12', '2'),
    },
    async ({ service, run, planned }) => {
      const next = nextStep(await planned(), 'Merge.') ?? '';
      expect(next).toContain('--allow launch="Acme A" --allow launch="Beta"');
      expect(next).not.toContain('project file');
      expect((await run('apply', '--yes', '--allow', 'launch=Acme *')).code).toBe(3);
      expect((await run('apply', '--yes', '--allow', 'launch=Acme *', '--hold', 'launch')).code).toBe(0);
      expect((await run('apply', '--yes', '--target', 'Acme A', '--allow', 'launch=Acme *')).code).toBe(0);
      expect(service.store.campaigns.map(({ name, status }) => `${name} ${status}`).sort()).toEqual([
        'Acme A active',
        'Beta draft',
      ]);
      expect((await run('apply', '--allow', 'lunch')).code).toBe(1);
      expect((await run('apply', '--allow', 'shared-lead')).err).toContain('Did you mean shared-leads?');
    },
  ));

test('a schedule template that is not there is told with days and hours of those that are', () => {
  const days = { monday: true, tuesday: true, wednesday: false, thursday: false, friday: false };
  const hours = { start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
  const template = { id: 3, ...days, saturday: false, sunday: false, ...hours };
  return scene(
    { templates: [template] },
    { 'campaigns/a.yaml': 'name: A\nschedule: { template: 9 }\n' },
    async ({ run }) => {
      const { code, err } = await run('plan');
      expect({ code, err: err.replace(/\s+/g, ' ') }).toMatchObject({
        code: 1,
        err: expect.stringContaining('3 (mon tue 09:00–17:00 Europe/Paris)'),
      });
    },
  );
});

test('a misspelt variable does not pass where the environment declares none, as after an import', () => {
  const campaign = { ...draft(1, 'Spring'), title: 'S' };
  return scene({ campaigns: [campaign] }, {}, async ({ run, folder }) => {
    await writeFiles(folder, { 'campaigns/a.yaml': `name: A\n${sequence('Hi {FRIST_NAME}')}\n` });
    expect((await run('validate')).out).toContain('misspelt-variable');
    await writeFiles(folder, { 'campaigns/a.yaml': `name: A\n${sequence('Hi {FIRST_NAME}')}\n` });
    expect((await run('validate')).out).not.toContain('misspelt-variable');
  });
});
