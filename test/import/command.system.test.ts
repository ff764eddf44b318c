import { existsSync } from 'node:fs';
import { mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { acquireLock } from '../../src/state/lock.js';
import { fakeClock } from '../support/clock.js';
import { command } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { type Project, projectFile, withProject, withService } from '../support/project.js';
import { draft, type StoredCampaign, type StoredStep, weekOf } from '../support/service/store.js';

const step = (id: number, rest: Partial<StoredStep>): StoredStep => ({
  id,
  order: null,
  email_subject: 'A question',
  email_body: 'Worth a look?',
  wait_in_days: 3,
  variant: false,
  variant_from_step: null,
  thread_reply: false,
  ...rest,
});

/** A campaign with most of what can be imported. */
const SPRING: StoredCampaign = {
  ...draft(42, 'Spring | Frühjahr'),
  status: 'active',
  schedule: {
    ...weekOf(['monday', 'tuesday', 'friday']),
    ...{ start_time: '09:00', end_time: '17:30', timezone: 'Europe/Paris' },
  },
  steps: [
    step(1, { order: 1, email_body: 'Hi {FIRST_NAME},\n\nworth a look?\n' }),
    step(2, { variant: true, variant_from_step: 1, email_body: '<p>Hi {FIRST_NAME}</p>\n' }),
    step(3, { variant: true, variant_from_step: 1, email_subject: 'Key: value', wait_in_days: 2 }),
    step(4, { order: 2, email_subject: 'Re: A question', email_body: 'a\r\nb', thread_reply: true }),
  ],
  lists: [7],
};

const PROJECT = `version: 1
manifests: [campaigns/**/*.yaml]
default_environment: production
environments:
  production: { base_url: "{url}", token_env: CAMPAIGNS_TOKEN, lead_lists: { fr: 7, uk: 8 } }
  staging: { sandbox: {}, lead_lists: { fr: 70 } }
`;

interface Scene extends Project {
  has(file: string): boolean;
  /** The manifests of as many campaigns are as the service shows them. */
  plansEmpty(count: number): Promise<void>;
}

const scene = (campaigns: StoredCampaign[], use: (scene: Scene) => Promise<void>) =>
  withProject(
    {
      shape: { totals: 'shown' },
      campaigns: structuredClone(campaigns),
      files: { 'campaignctl.yaml': PROJECT },
    },
    async (project) => {
      const has = (file: string) => existsSync(join(project.folder, file));
      const plansEmpty = async (count: number) => {
        const { summary } = await project.plan();
        expect(summary).toMatchObject({ unchanged: count, requests: 0, blocked: 0 });
      };
      await use({ ...project, has, plansEmpty });
      expect(project.service.writes()).toEqual([]);
    },
  );

test('a manifest names the schema of the project for editors, if the project has one', async () => {
  await scene([draft(42, 'Spring'), draft(43, 'Autumn')], async (at) => {
    await at.write({ '.campaignctl/schemas/campaign.schema.json': '{}' });
    await at.run('import 42');
    const line = '# yaml-language-server: $schema=../.campaignctl/schemas/campaign.schema.json\n';
    expect(await at.read('campaigns/spring.yaml')).toMatch(`${line}name: Spring\n`);
    await at.plansEmpty(1);
  });
});

test('a campaign becomes the manifest that a person would have written', async () => {
  await scene([SPRING], async (at) => {
    const { code, out, err } = await at.run('import', 'Spring | Frühjahr');
    expect([code, err]).toEqual([0, '']);
    await expect(out).toMatchFileSnapshot('../view/golden/import.txt');
    const text = await at.read('campaigns/spring-fruhjahr.yaml');
    await expect(text).toMatchFileSnapshot('golden/spring-fruhjahr.txt');
    await at.plansEmpty(1);
    const [record] = await at.state().readAll();
    expect(record).toMatchObject({
      id: 42,
      manifest: 'campaigns/spring-fruhjahr.yaml',
      name: 'Spring | Frühjahr',
      recorded: {
        known: false,
        last: { how: 'import', spec: { name: 'Spring | Frühjahr', status: 'running' } },
      },
    });
    expect((await at.run('validate')).code).toBe(0);
  });
});

test('live copy that breaks a lint rule is imported with a warning, so that other campaigns can be planned', async () => {
  const broken = { ...draft(1, 'Broken'), steps: [step(1, { order: 1, email_body: 'Hi {FIRST_NAME,' })] };
  await scene([broken], async (at) => {
    expect((await at.run('import --all')).code).toBe(0);
    expect(await at.read('campaigns/broken.yaml')).toMatch(/\nlint:\n {2}unbalanced-braces: warning\n$/);
    expect((await at.run('validate')).code).toBe(0);
    await at.plansEmpty(1);
  });
});

test('campaigns with the same name are skipped, and the others are imported', async () => {
  await scene([draft(1, 'Twin'), draft(2, 'Twin'), draft(3, 'twin')], async (at) => {
    const { code, out } = await at.run('import --all');
    expect([code, out.match(/(?<=^- \w+ {2}id )\d/gm)]).toEqual([0, ['1', '2']]);
    expect(out).toContain('+ campaigns/twin-3.yaml  twin  id 3');
    await at.plansEmpty(1);
  });
});

test('campaigns that are managed or gone are skipped', async () => {
  const campaigns = [draft(1, 'Mine'), { ...draft(2, 'Old'), status: 'archived' }, draft(3, 'New')];
  await scene(campaigns, async (at) => {
    await at.write({ 'campaigns/own.yaml': 'name: Mine\n' });
    const { out } = await at.run('import Mine Old New');
    expect(out).toContain('+ campaigns/new.yaml  New  id 3\n');
    expect(out).toMatch(/^- Mine {2}id 1: .* campaigns\/own\.yaml: .* --update$/m);
    expect(out).toMatch(/^- Old {2}id 2: .*"archived"/m);
    expect(out).toContain('1 campaign imported, 2 skipped.');
  });
});

test('an unknown name, a wrong line and a broken manifest stop it before anything is written', async () => {
  await scene([draft(1, 'Spring installers')], async ({ run, has, write }) => {
    const hint = async (...line: string[]) => (await run('import', ...line)).err.split('\n')[1]?.trim();
    expect(await hint('Sprin installers')).toMatch(/"Spring installers"\? \[unknown-campaign\]$/);
    expect(await hint('installers')).toMatch(/"Spring installers"\? \[unknown-campaign\]$/);
    expect((await run('import')).code).toBe(1);
    expect((await run('import --all 1')).code).toBe(1);
    expect(has('campaigns')).toBe(false);
    await write({ 'campaigns/broken.yaml': 'colour: red\n' });
    const broken = await run('import --all');
    expect([broken.code, broken.err.includes('[invalid-manifests]')]).toEqual([1, true]);
    expect(has('campaigns/spring-installers.yaml')).toBe(false);
  });
});

test('existing files are kept', async () => {
  await scene([draft(1, 'Spring'), draft(2, 'Autumn')], async (at) => {
    const project = await at.read('campaignctl.yaml');
    await at.write({
      'campaignctl.yaml': project.replace(/^manifests: .*$/m, 'manifests: [campaigns/*/*.yaml]'),
      'campaigns/Spring.yaml': 'other: file\n',
    });
    const { err } = await at.run('import --all');
    expect(err).toMatch(/ campaigns\/spring-2\.yaml and 1 more: /);
    expect([at.has('campaigns/spring-2.yaml'), at.has('campaigns/autumn.yaml')]).toEqual([true, true]);
    expect(await at.read('campaigns/Spring.yaml')).toBe('other: file\n');
  });
});

test('a folder that links outside the project is refused', async () => {
  await scene([draft(1, 'Spring')], async ({ run, folder }) => {
    await withFolder(async (outside) => {
      await symlink(outside, join(folder, 'campaigns'));
      const { code, err } = await run('import --all');
      expect([code, err.includes('[file-outside-project]')]).toEqual([1, true]);
    });
  });
});

test('while another run applies, nothing is written', async () => {
  await scene([draft(1, 'Spring')], async ({ run, folder, has }) => {
    const state = join(folder, '.campaignctl/state/production');
    await mkdir(state, { recursive: true });
    const { signal } = new AbortController();
    const lock = await acquireLock({ folder: state, who: 'a', timeout: 0, waiting: () => {}, signal });
    const { code, err } = await run('import --all --lock-timeout 0');
    lock.release();
    expect([code, err.includes('[locked]'), has('campaigns')]).toEqual([1, true, false]);
  });
});

test.each([
  ['campaigns/old/*.yaml, campaigns/**/*.yaml', 'campaigns/old/spring.yaml'],
  ['"!campaigns/old/**", campaigns/north/*.yml', 'campaigns/north/spring.yml'],
  ['"!campaigns/old/**"', 'campaigns/spring.yaml'],
])('with `manifests: [%s]` of the environment, the manifest is %s', async (patterns, file) => {
  await scene([draft(1, 'Spring')], async (at) => {
    await at.edit('campaignctl.yaml', 'token_env:', `manifests: [${patterns}], token_env:`);
    await at.exits(0, 'import --all');
    expect(at.has(file)).toBe(true);
  });
});

test('leads in the state are written: lists by name, only for their environment', async () => {
  const ids = Array.from({ length: 30 }, (_, index) => 500 + index);
  await scene([draft(1, 'Named'), draft(2, 'Singles')], async (at) => {
    const save = (id: number, name: string, attached: RecordedState['attached']) =>
      at
        .state()
        .save({ id, name, manifest: 'gone.yaml', recorded: { ...UNKNOWN_STATE, known: true, attached } });
    await save(1, 'Named', { lists: [7], ids: [] });
    await save(2, 'Singles', { lists: [8], ids });
    expect((await at.run('import --all')).code).toBe(0);
    expect(await at.read('campaigns/named.yaml')).toContain(
      '\nenvironments:\n  production:\n    leads:\n      lists: [fr]\n',
    );
    expect(await at.read('campaigns/singles.yaml')).toContain(
      `\nenvironments:\n  production:\n    leads:\n      lists: [uk]\n      ids: [${ids.join(', ')}]\n`,
    );
    await at.plansEmpty(2);
  });
});

test('what a manifest cannot express is omitted with the reason, and the rest is imported', async () => {
  const campaign: StoredCampaign = {
    ...draft(1, 'Spring'),
    status: 'odd\nstatus: running',
    schedule: { ...(SPRING.schedule as NonNullable<StoredCampaign['schedule']>), timezone: 'Mars/Olympus' },
    steps: [step(1, { order: 1, email_body: ' ' })],
  };
  await scene([campaign], async (at) => {
    const { out } = await at.run('import --all');
    const text = await at.read('campaigns/spring.yaml');
    expect(text).toContain('# sequence is left out: ');
    expect(text).toMatch(/^# schedule is left out: .*Mars\/Olympus/m);
    expect(text).toContain('# status: "odd\\nstatus: running" in');
    expect(out).toContain('    ! schedule is left out:');
    await at.plansEmpty(1);
  });
});

test('a text that no file may contain is omitted, and the rest is imported', async () => {
  const email_body = 'x'.repeat(1024 * 1024 + 1);
  await scene([{ ...draft(1, 'Spring'), steps: [step(1, { order: 1, email_body })] }], async (at) => {
    await at.run('import --all');
    expect(await at.read('campaigns/spring.yaml')).toContain('\n# sequence is left out: ');
    await at.plansEmpty(1);
  });
});

test('selects by pattern and by status, and leaves nothing for the next apply to record', async () => {
  const campaigns: StoredCampaign[] = [
    { ...SPRING, lists: [], steps: [], counters: { type: 'outbound', emails_sent: 10 } },
    { ...draft(50, 'Spring replies'), status: 'active', counters: { type: 'reply_followup' } },
    draft(51, 'Spring draft'),
    draft(52, 'Autumn'),
  ];
  const shape = { totals: 'shown', updated: 'shown' } as const;
  await withProject({ shape, campaigns }, async ({ exits, read }) => {
    const names = (out: string) => [...out.matchAll(/^\+ \S+ {2}(.*) {2}id/gm)].map(([, name]) => name);
    const done = await exits(0, 'import Spring* --status running');
    expect(names(done.out)).toEqual(['Spring | Frühjahr', 'Spring replies']);
    const again = await exits(0, 'import Spring*');
    expect(names(again.out)).toEqual(['Spring draft']);
    expect(again.out).toContain('managed by campaigns/spring-fruhjahr.yaml');
    await exits(1, 'import Winter*');
    const draftOnly = await exits(1, 'import Autumn --status running');
    expect(draftOnly.err).toContain('The service has no running campaign with the name or id "Autumn".');
    const entries = async () =>
      Promise.all([42, 50, 51].map((id) => read(`.campaignctl/state/production/${id}.json`)));
    const before = await entries();
    await exits(0, 'apply --yes');
    expect(await entries()).toEqual(before);
  });
});

test('the times that an import records are those of the clock, also if the time of forecasts is fixed', () => {
  const clock = fakeClock();
  const forecastsFrom = () => Date.UTC(2099, 0, 1);
  const counters = { updated_at: new Date(clock.now() - 30_000).toISOString() };
  const campaigns = [{ ...structuredClone(SPRING), lists: [], counters }];
  return withProject({ shape: { updated: 'shown' }, campaigns }, async ({ folder, live, state }) => {
    const recordedBy = async (...argv: string[]) => {
      const { code, err } = await command(folder, argv, undefined, forecastsFrom, { clock });
      expect(code, err).toBe(0);
      return (await state().readAll())[0]?.recorded;
    };
    const first = await recordedBy('import', '42');
    // Within a minute, the service may change the campaign once more and still show the same time.
    expect(first).toMatchObject({ seen: null, last: { at: '2026-11-02T09:00:00.000Z' } });
    await clock.sleep(3_600_000);
    live(42).name = 'Summer';
    const second = await recordedBy('import', '--update', '--all');
    expect(second?.last?.at).toMatch(/^2026-11-02T10:00:0/);
  });
});

test('a campaign that was renamed in the web app is not imported a second time', () =>
  withProject(
    { files: { 'campaigns/spring.yaml': 'name: Spring\n' } },
    async ({ exits, live, folder, read }) => {
      await exits(0, 'apply --yes');
      live(101).name = 'Late spring';
      const { out } = await exits(0, 'import --all');
      expect(out).toContain('managed by campaigns/spring.yaml');
      expect(existsSync(join(folder, 'campaigns/late-spring.yaml'))).toBe(false);
      await exits(0, 'import --update --all');
      expect(await read('campaigns/spring.yaml')).toBe('name: Late spring\n');
    },
  ));

const BODIES = [
  '<p>Hi {FIRST_NAME}</p>\n',
  'Hi {FIRST_NAME},\n\nworth a look?\n',
  'a: b # c\n---\n',
  '"quoted" \\n 👩‍👩‍👧\n\tand a tab',
  '  leading\nand only blanks\n   \nend',
  'one\u2028two',
];

function campaign(id: number, name: string): StoredCampaign {
  const steps = BODIES.map((email_body, index): StoredStep => {
    const isVariant = index % 3 === 2;
    return {
      id: 10 * id + index,
      order: isVariant ? null : index + 1,
      email_subject: index === 4 ? 'Re: A question' : 'A question',
      email_body,
      wait_in_days: 1 + index,
      variant: isVariant,
      variant_from_step: isVariant ? 10 * id + index - 1 : null,
      thread_reply: index === 4,
    };
  });
  return { ...draft(id, name), steps, title: 'Spring' };
}

const essence = ({ name, settings, schedule, steps }: StoredCampaign) => ({
  name,
  settings,
  schedule,
  steps: steps
    .map(({ id: _, variant_from_step: parent, ...step }) => ({
      ...step,
      order: step.variant ? null : 'base',
      parent: steps.find(({ id }) => id === parent)?.email_body ?? null,
    }))
    .sort((a, b) => a.wait_in_days - b.wait_in_days),
});

test('a campaign that is imported from one workspace and edited is created in another', () => {
  const campaigns = [campaign(1, 'Spring'), campaign(2, 'Autumn')];
  const shape = { title: 'shown', reputation: 'shown', replySubject: 'Re: ' } as const;
  return withService({ shape }, (staging) => {
    const text = projectFile(`  staging: { base_url: "${staging.url}", token_env: CAMPAIGNS_TOKEN }\n`);
    const files = { 'campaignctl.yaml': text };
    return withProject({ shape, campaigns, files }, async ({ edit, exits, sent }) => {
      await exits(0, 'import --all --env production');
      await exits(0, 'plan --env production --detailed-exitcode');

      await edit('campaigns/spring.yaml', 'max_emails_per_day: 1000', 'max_emails_per_day: 1500');
      const [first, ...others] = campaigns.map(essence);
      await exits(0, 'apply --env staging --yes');
      const changed = { ...first, settings: { ...first?.settings, max_emails_per_day: 1500 } };
      const created = staging.store.campaigns.map(essence).sort((a, b) => (a.name < b.name ? 1 : -1));
      expect(created).toEqual([changed, ...others]);

      await exits(0, 'apply --env production --yes');
      expect(sent()).toEqual(['PATCH /api/campaigns/1/update']);
      for (const env of ['production', 'staging']) await exits(0, `plan --env ${env} --detailed-exitcode`);
    });
  });
});

test('a campaign that an apply replaced is imported only by its id', () =>
  scene([{ ...SPRING, status: 'paused' }], async ({ run, state, has }) => {
    const replaced = { ...UNKNOWN_STATE, superseded_by: 43 };
    await state().save({ id: 42, manifest: 'campaigns/new.yaml', name: SPRING.name, recorded: replaced });
    const { out } = await run('import --all');
    expect(out.replace(/\s+/g, ' ')).toContain(
      'replaced by campaign 43: import it by its id, 42, to manage it again',
    );
    expect(has('campaigns/spring-fruhjahr.yaml')).toBe(false);
    expect((await run('import 42')).code).toBe(0);
    expect(has('campaigns/spring-fruhjahr.yaml')).toBe(true);
  }));
