/** A campaign that takes the place of another one: the old one rests before the new one is made, and never runs beside it. */
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApplyResult, CampaignPlan, Plan } from '../../../src/model/outputs.js';
import { openStore } from '../../../src/state/store.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import type { StoredCampaign } from '../../support/service/store.js';

interface Said {
  replaces?: string | number;
  body?: string;
  status?: string | null;
  leads?: string;
  id?: number;
}

const manifest = (
  name: string,
  {
    replaces,
    body = 'Hi {FIRST_NAME}, worth a look?',
    status = 'running',
    leads = 'lists: [77]',
    id,
  }: Said = {},
) => `name: ${name}
${id === undefined ? '' : `id: ${id}\n`}${replaces === undefined ? '' : `replaces: ${replaces}\n`}settings: { max_emails_per_day: 200, max_new_leads_per_day: 50, reputation_building: false }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps:
    - { email_subject: A question, email_body: "${body}", wait_in_days: 3 }
    - { email_subject: Once more, email_body: "Still there, {FIRST_NAME}?", wait_in_days: 2 }
leads: { ${leads} }
${status === null ? '' : `status: ${status}\n`}`;

interface Scene {
  folder: string;
  service: TestService;
  shape: Shape;
  write(files: Record<string, string | null>): Promise<void>;
  /** Writes the project file, with more of the environment. */
  project(more: string): Promise<void>;
  run(...argv: string[]): Promise<Ended>;
  plan(...argv: string[]): Promise<Plan>;
  /** What was sent since the last look. */
  sent(): string[];
  statuses(): Record<string, string>;
}

async function scene(
  use: (scene: Scene) => Promise<void>,
  shape: Partial<Shape> = {},
  more = '',
): Promise<void> {
  const answers = shaped(shape);
  const fake = await startService(answers, { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const project = (own: string) =>
        writeFiles(folder, {
          'campaignctl.yaml': `version: 1\nmanifests: [campaigns/**/*.yaml]\nenvironments:\n  production:\n    base_url: ${fake.url}\n    token_env: CAMPAIGNS_TOKEN\n${own}`,
        });
      await project(more);
      const run = (...argv: string[]) => command(folder, argv);
      let seen = 0;
      await use({
        ...{ folder, service: fake, shape: answers, run, project },
        async write(files) {
          for (const [file, text] of Object.entries(files))
            if (text === null) await rm(join(folder, 'campaigns', file));
            else await writeFiles(folder, { [`campaigns/${file}`]: text });
        },
        async plan(...argv) {
          const { out, err } = await run('plan', '--format', 'json', ...argv);
          expect(out, err).not.toBe('');
          return JSON.parse(out) as Plan;
        },
        sent() {
          const all = fake.writes().map(({ method, path }) => `${method} ${path}`);
          const since = all.slice(seen);
          seen = all.length;
          return since;
        },
        statuses: () => Object.fromEntries(fake.store.campaigns.map(({ name, status }) => [name, status])),
      });
    });
    expect(fake.violations).toEqual([]);
  } finally {
    await fake.close();
  }
}

const ALLOW = ['--yes', '--allow', 'launch', '--allow', 'shared-leads'] as const;

/** Spring runs, and its manifest has new copy and the name of one that replaces it. */
const begun = (use: (scene: Scene) => Promise<void>, shape: Partial<Shape> = {}, more = '') =>
  scene(
    async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring') });
      const { code, out, err } = await own.run('apply', ...ALLOW);
      expect(code, out + err).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'active' });
      own.sent();
      await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 'Spring', body: NEW }) });
      await use(own);
    },
    shape,
    more,
  );
const NEW = 'Hello {FIRST_NAME}, worth a look?';

const only = ({ campaigns }: Plan): CampaignPlan => campaigns[0] ?? expect.fail('no campaign');
const codes = ({ problems }: Pick<CampaignPlan, 'problems'>) =>
  problems
    .filter(({ at, code }) => at === undefined && code !== 'not-readable')
    .map(({ code, severity }) => `${severity} ${code}`);
const entry = async ({ folder, service }: Scene, id: number) =>
  (await openStore(join(folder, '.campaignctl/state/production'), service.url).readAll()).find(
    (one) => one.id === id,
  );

describe('new copy for a campaign that runs', () => {
  it('is planned as a pause, a new campaign and a launch, its emails compared with the old ones', () =>
    begun(async (own) => {
      const plan = await own.plan();
      const { name, id, action, steps, replaces, problems } = only(plan);
      expect({ name, id, action }).toEqual({ name: 'Spring 2', id: null, action: 'create' });
      expect(steps.map((step) => step.id)).toEqual([
        'create',
        'settings',
        'schedule',
        'sequence',
        'leads/list-77',
        'launch',
      ]);
      const pause = { id: 'pause', method: 'PATCH', path: '/api/campaigns/101/pause', irreversible: false };
      expect(replaces).toEqual({
        ...{ id: 101, name: 'Spring', status: 'active', running: true },
        copy: [
          {
            ...{ section: 'sequence', path: 'steps[0].email_body', kind: 'update', note: null },
            ...{ from: 'Hi {FIRST_NAME}, worth a look?', to: NEW },
          },
        ],
      });
      expect(codes({ problems })).toEqual(['hazard launch', 'hazard shared-leads']);
      expect(plan).toMatchObject({
        removed: [{ role: 'replaced', id: 101, name: 'Spring', running: true, step: pause }],
        problems: [],
        summary: { create: 1, launch: 1, pause: 1, requests: 7 },
      });
      expect(problems.find(({ code }) => code === 'shared-leads')?.message).toBe(
        'Apply attaches lead list 77, which campaign 101 "Spring" has already. That campaign is the one that this one replaces, and it is sending: these leads would be mailed again, from the first email on.',
      );
    }));

  it.each([
    ['text', []],
    ['markdown', []],
    ['text', ['--full']],
  ] as const)('reads as %s', (format, more) =>
    begun(async ({ run, service }) => {
      const { out } = await run('plan', '--format', format, ...more);
      const shown = out.replaceAll(service.url, 'https://send.example.com').replace(/`[0-9a-f]{12}`/, '`…`');
      await expect(shown).toMatchFileSnapshot(
        `golden/succession${more.length > 0 ? '-full' : ''}.${format === 'text' ? 'txt' : 'md'}`,
      );
    }),
  );

  it('is not compared against nothing on the page', () =>
    begun(async ({ run }) => {
      const { out } = await run('plan', '--format', 'html');
      expect(out).toContain('<h6>What changes in the text</h6>');
      expect(out).toContain('2 emails, compared with those of the campaign that it replaces.');
      expect(out).toContain('<figcaption>In the replaced campaign</figcaption>');
      expect(out).not.toContain('<figcaption>Current</figcaption>');
    }));

  it('is applied in this order, and is done then', () =>
    begun(async (own) => {
      const { code, out, err } = await own.run('apply', ...ALLOW);
      expect(code, out + err).toBe(0);
      expect(own.sent()).toEqual([
        'PATCH /api/campaigns/101/pause',
        'POST /api/campaigns',
        'PATCH /api/campaigns/102/update',
        'POST /api/campaigns/102/schedule',
        'POST /api/campaigns/102/sequence-steps',
        'POST /api/campaigns/102/leads/attach-lead-list',
        'PATCH /api/campaigns/102/resume',
      ]);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
      expect((await entry(own, 101))?.recorded).toMatchObject({
        superseded_by: 102,
        has_run: true,
        status: 'paused',
      });
      const again = await own.plan();
      expect(only(again)).toMatchObject({ action: 'none', steps: [], changes: [] });
      expect(codes(only(again))).toEqual([]);
      expect(again).toMatchObject({ removed: [], problems: [] });
      expect((await own.run('plan', '--drift', '--detailed-exitcode')).code).toBe(0);
    }));

  it('is refused unless its hazards are accepted', () =>
    begun(async (own) => {
      expect((await own.run('apply', '--yes', '--allow', 'launch')).code).toBe(3);
      expect(own.sent()).toEqual([]);
    }));

  it('pauses the old one with --target of the new one, too', () =>
    begun(async (own) => {
      const { code } = await own.run('apply', ...ALLOW, '--target', 'Spring 2');
      expect(code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
    }));

  it('goes no further where the pause fails', () =>
    begun(async (own) => {
      own.service.answerThen('PATCH', '/api/campaigns/101/pause', {
        status: 403,
        body: { message: 'No' },
        effect: false,
      });
      const { code, out } = await own.run('apply', ...ALLOW, '--format', 'json');
      expect(code).toBe(4);
      expect(own.statuses()).toEqual({ Spring: 'active' });
      const [successor, old] = (JSON.parse(out) as ApplyResult).campaigns;
      expect(old?.steps[0]).toMatchObject({ id: 'pause', result: 'failed' });
      expect(new Set(successor?.steps.map(({ result }) => result))).toEqual(new Set(['not_run']));
    }));

  it('goes no further where the pause is accepted and has no effect', () =>
    begun(async (own) => {
      own.service.answerThen('PATCH', '/api/campaigns/101/pause', {
        status: 200,
        body: { data: {} },
        effect: false,
      });
      const { code, out } = await own.run('apply', ...ALLOW);
      expect(code, out).toBe(4);
      expect(own.statuses()).toEqual({ Spring: 'active' });
    }));

  it('is not launched where the old one runs again before that', () =>
    begun(async (own) => {
      const [old] = own.service.store.campaigns;
      // The attachment is the last write before the launch.
      const last = own.service.writes().length + 6;
      own.service.actAt(last, () => old && Object.assign(old, { status: 'active' }), 'writes');
      const { code, out } = await own.run('apply', ...ALLOW);
      expect(code).toBe(4);
      expect(out.replace(/\s+/g, ' ')).toContain(
        'campaign 101 "Spring", which this one replaces, is a campaign that is sending',
      );
      expect(own.statuses()).toEqual({ Spring: 'active', 'Spring 2': 'draft' });
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
    }));

  it('goes no further where the word for a pause is not known, until the project file tells it', () =>
    begun(async (own) => {
      own.service.behave({ words: { paused: 'ruht' } }, () => 0);
      const { code, out } = await own.run('apply', ...ALLOW);
      expect(code, out).toBe(4);
      expect(own.statuses()).toEqual({ Spring: 'paused' });
      const { problems } = only(await own.plan());
      expect(codes({ problems })).toContain('blocked replaced-not-at-rest');
      expect((await own.run('apply', ...ALLOW)).code).toBe(4);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'draft' });
      await own.project('    service: { statuses: { stopped: [ruht] } }\n');
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
    }));

  it('is held back with --hold launch, the old one paused', () =>
    begun(async (own) => {
      const { code } = await own.run('apply', ...ALLOW, '--hold', 'launch');
      expect(code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'draft' });
      // A person starts the old one again meanwhile: the next run pauses it first.
      const [old] = own.service.store.campaigns;
      if (old !== undefined) old.status = 'active';
      expect((await own.run('apply', ...ALLOW, '--target', 'Spring 2')).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
    }));
});

describe('a campaign that was replaced', () => {
  const done = (use: (scene: Scene) => Promise<void>) =>
    begun(async (own) => {
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      own.sent();
      await use(own);
    });
  const set = ({ service }: Scene, status: string) => {
    const [old] = service.store.campaigns;
    if (old !== undefined) old.status = status;
  };

  it('is drift where it runs again, and is paused by the next apply', () =>
    done(async (own) => {
      set(own, 'active');
      const drift = await own.run('plan', '--drift', '--detailed-exitcode');
      expect(drift.code).toBe(2);
      expect(drift.out).toContain('Spring: id 101 · replaced by 102 · active');
      expect((await own.run('apply', '--yes')).code).toBe(0);
      expect(own.sent()).toEqual(['PATCH /api/campaigns/101/pause']);
      expect((await own.plan()).summary).toMatchObject({ requests: 0, unchanged: 1 });
    }));

  it('is so once the key is gone from the manifest, too', () =>
    done(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring 2', { body: NEW }) });
      expect(await own.plan()).toMatchObject({ removed: [], summary: { requests: 0 } });
      set(own, 'active');
      expect((await own.run('plan', '--drift', '--detailed-exitcode')).code).toBe(2);
      const plan = await own.plan();
      expect(plan.removed).toMatchObject([
        { id: 101, superseded_by: 102, running: true, step: { id: 'pause' } },
      ]);
      expect(plan.summary).toMatchObject({ removed: 0, pause: 1, requests: 1 });
      expect((await own.run('apply', '--yes')).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
    }));

  it.each(['archived', 'deleted', 'draft', 'completed'])('is not spoken of where it is %s', (status) =>
    done(async (own) => {
      set(own, status);
      expect(await own.plan()).toMatchObject({
        removed: [],
        problems: [],
        summary: { requests: 0, unchanged: 1 },
      });
      expect((await own.run('plan', '--drift', '--detailed-exitcode')).code).toBe(0);
    }),
  );

  it('is not spoken of where it was deleted for good', () =>
    done(async (own) => {
      own.service.store.campaigns.shift();
      expect(await own.plan()).toMatchObject({
        removed: [],
        problems: [],
        summary: { requests: 0, unchanged: 1 },
      });
      const { out } = await own.run('forget', '101', '--yes');
      expect(out).toContain('Forgot');
      expect(await own.plan()).toMatchObject({
        removed: [],
        problems: [],
        summary: { requests: 0, unchanged: 1 },
      });
    }));

  const LEFT = {
    ...{ campaign: 'Spring', id: 101, manifest: 'campaigns/spring.yaml', does: 'delete', section: null },
    ...{ path: '', place: '', from: 'paused', to: null, superseded_by: 102 },
  };

  it.each(['archived', 'deleted', null])('is to be deleted by hand until it is %s', (status) =>
    done(async (own) => {
      for (const argv of [[], ['--target', 'Spring 2'], ['--refresh', 'changed']])
        expect((await own.plan(...argv)).by_hand, argv.join(' ')).toEqual([LEFT]);
      const { out } = await own.run('plan');
      expect(out.replace(/\s+/g, ' ')).toContain(
        "To do by hand in the service's web app: 1 Spring (id 101) [ ] delete or archive it: another campaign has replaced it, and it was at rest when this was planned",
      );
      await own.write({ 'spring.yaml': manifest('Spring 2', { body: NEW }) });
      expect((await own.plan()).by_hand).toEqual([LEFT]);
      if (status === null) own.service.store.campaigns.shift();
      else set(own, status);
      expect((await own.plan()).by_hand).toEqual([]);
      await own.write({ 'spring.yaml': manifest('Spring 2', { body: NEW, replaces: 'Spring' }) });
      expect((await own.plan()).by_hand).toEqual([]);
      expect(own.sent()).toEqual([]);
    }),
  );

  it.each([true, false])('is not to be deleted where it may be another one, or sends: replaces %s', (keeps) =>
    done(async (own) => {
      if (!keeps) await own.write({ 'spring.yaml': manifest('Spring 2', { body: NEW }) });
      set(own, 'active');
      expect((await own.plan()).by_hand).toEqual([]);
      set(own, 'resting');
      expect((await own.plan()).by_hand).toEqual([]);
      set(own, 'paused');
      const [old] = own.service.store.campaigns;
      if (old !== undefined) old.name = 'Of another team';
      if (keeps) await own.write({ 'spring.yaml': manifest('Spring 2', { body: NEW, replaces: 101 }) });
      expect((await own.plan()).by_hand).toEqual([]);
    }),
  );

  it('is not to be deleted while a manifest has it', () =>
    done(async (own) => {
      await own.write({ 'old.yaml': manifest('Spring', { status: 'paused' }) });
      for (const argv of [[], ['--target', 'Spring 2']])
        expect((await own.plan(...argv)).by_hand, argv.join(' ')).toEqual([]);
    }));

  it('stays named in the manifest of its successor when that one is updated from the service', () =>
    done(async (own) => {
      const [, now] = own.service.store.campaigns;
      if (now !== undefined) now.settings = { ...now.settings, max_emails_per_day: 150 };
      expect((await own.run('import', 'Spring 2', '--update')).code).toBe(0);
      const text = await readFile(join(own.folder, 'campaigns/spring.yaml'), 'utf8');
      expect(text).toMatch(/replaces: Spring\n[\s\S]*max_emails_per_day: 150/);
    }));

  it('is listed as one that was replaced', () =>
    done(async ({ run }) => {
      const { out } = await run('list', '--format', 'json');
      expect(JSON.parse(out).campaigns).toMatchObject([
        { status: 'superseded', name: 'Spring', id: 101 },
        { status: 'managed', name: 'Spring 2', id: 102 },
      ]);
    }));

  it('cannot be wanted running by a manifest of its own', () =>
    done(async (own) => {
      await own.write({ 'old.yaml': manifest('Spring') });
      const beside = await own.run('plan');
      expect(beside.code).toBe(1);
      expect(beside.err).toContain('[superseded-running]');
      await own.write({ 'spring.yaml': null });
      const alone = await own.run('apply', ...ALLOW);
      expect(alone.code).toBe(1);
      expect(alone.err).toContain('[superseded-running]');
      await own.write({ 'old.yaml': manifest('Spring', { status: 'paused' }) });
      expect((await own.run('plan')).code).toBe(0);
      expect(own.sent()).toEqual([]);
    }));

  it('takes its place back where its manifest replaces the new one', () =>
    done(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring', { replaces: 'Spring 2' }) });
      const { code, err } = await own.run('apply', ...ALLOW);
      expect(code, err).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'active', 'Spring 2': 'paused' });
      expect((await entry(own, 101))?.recorded.superseded_by).toBeUndefined();
      expect((await entry(own, 102))?.recorded.superseded_by).toBe(101);
      expect((await own.plan()).summary).toMatchObject({ requests: 0 });
    }));

  it('stays replaced where its successor is replaced in its turn', () =>
    done(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring 3', { replaces: 'Spring 2' }) });
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'paused', 'Spring 3': 'active' });
      expect((await own.plan()).by_hand.map(({ id, superseded_by }) => [id, superseded_by])).toEqual([
        [102, 103],
        [101, 102],
      ]);
      set(own, 'active');
      expect((await own.run('apply', '--yes')).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'paused', 'Spring 3': 'active' });
      // The first one cannot be replaced a second time while its successor is there.
      await own.write({ 'other.yaml': manifest('Other', { replaces: 'Spring' }) });
      expect((await own.run('plan')).err).toContain('[replaced-twice]');
    }));
});

describe('which campaign is replaced', () => {
  it('is told by a name that is there once', () =>
    begun(async (own) => {
      const [first] = own.service.store.campaigns;
      if (first !== undefined) own.service.store.campaigns.push({ ...first, id: 900 });
      const { code, err } = await own.run('plan');
      expect(code).toBe(1);
      expect(err).toContain('replaces: "Spring" may mean 2 campaigns: 101 (active), 900 (active).');
      await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 900 }) });
      const plan = await own.plan();
      expect(only(plan).replaces).toMatchObject({ id: 900 });
    }));

  it('is none where an environment never had it, which the plan says', () =>
    scene(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 'Spring' }) });
      const plan = await own.plan();
      expect(codes(only(plan))).toEqual(['warning nothing-to-replace', 'hazard launch']);
      expect(only(plan).replaces).toBeUndefined();
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      expect(codes(only(await own.plan()))).toEqual([]);
    }));

  it.each([
    ['an id that is not there', 900],
    ['a name in another spelling', 'spring '.trim().toUpperCase()],
  ])('is an error with %s', (what, replaces) =>
    begun(async (own) => {
      await own.write({
        'spring.yaml': manifest('Spring 2', {
          replaces: typeof replaces === 'number' ? replaces : '"Spring\\u200b"',
        }),
      });
      const { code, err } = await own.run('plan');
      expect(code, what).toBe(1);
      expect(err).toContain('[replaces-not-found]');
    }),
  );

  it('is no other campaign than one of the manifests only where these do not contradict each other', () =>
    begun(async (own) => {
      await own.write({ 'old.yaml': manifest('Spring') });
      const { code, err } = await own.run('plan');
      expect(code).toBe(1);
      expect(err).toContain('superseded-running');
      await own.write({ 'old.yaml': manifest('Spring', { status: 'paused' }) });
      const { code: done, out } = await own.run('apply', ...ALLOW);
      expect(done, out).toBe(0);
      expect(own.sent().slice(0, 2)).toEqual(['PATCH /api/campaigns/101/pause', 'POST /api/campaigns']);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
      expect((await entry(own, 101))?.recorded.superseded_by).toBe(102);
      expect((await own.plan()).summary).toMatchObject({ requests: 0, unchanged: 2 });
    }));

  it('is wanted running by no manifest, whichever way the other one names it', () =>
    begun(async (own) => {
      await own.write({
        'old.yaml': manifest('Spring'),
        'spring.yaml': manifest('Spring 2', { replaces: 101 }),
      });
      const { code, err } = await own.run('plan');
      expect(code).toBe(1);
      expect(err).toContain('[superseded-running]');
      await own.write({ 'old.yaml': null, 'other.yaml': manifest('Spring 3', { replaces: 'Spring' }) });
      expect((await own.run('plan')).err).toContain('[replaced-twice]');
    }));

  it('needs no approval where it is a draft that never ran', () =>
    scene(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring', { status: null }) });
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      own.sent();
      await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 'Spring', status: null }) });
      expect(codes(only(await own.plan()))).toEqual([]);
      expect((await own.run('apply', '--yes')).code).toBe(0);
      expect(own.sent()[0]).toBe('POST /api/campaigns');
      expect(await own.plan()).toMatchObject({ removed: [], summary: { requests: 0 } });
    }));

  it('is paused and remembered also where the state did not know it', () =>
    begun(async (own) => {
      await rename(join(own.folder, '.campaignctl/state'), join(own.folder, '.campaignctl/old'));
      const plan = await own.plan();
      expect(codes(plan)).toEqual([]);
      expect(codes(only(plan))).toEqual(['hazard launch', 'hazard shared-leads']);
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
      expect((await entry(own, 101))?.recorded.superseded_by).toBe(102);
    }));
});

const TOTALS: Partial<Shape> = { totals: 'shown' };

describe('leads of the old campaign that were attached in the web app', () => {
  it.each<[string, Said, Partial<StoredCampaign>, Said, string]>([
    [
      'where the state knows none',
      { leads: 'lists: []', status: null },
      { lists: [77], status: 'active' },
      { leads: 'lists: [77]' },
      'Apply attaches lead list 77, and the state does not know all leads that campaign 101 "Spring" has, which this one replaces and which is sending. The service shows 100 leads on it, and the state accounts for none of them.',
    ],
    [
      'beside those that the state knows',
      { leads: 'ids: [11, 12]' },
      { leads: [11, 12, 50, 51] },
      { leads: 'ids: [12, 50, 51]' },
      'Apply attaches 1 individual lead (12), which campaign 101 "Spring" has already. That campaign is the one that this one replaces, and it is sending: these leads would be mailed again, from the first email on. The service shows 4 leads on it, and the state accounts for 2 of them: other leads of this campaign may be among the rest.',
    ],
  ])('need approval %s', (_, first, byHand, next, message) =>
    scene(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring', first) });
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      const [old] = own.service.store.campaigns;
      if (old !== undefined) Object.assign(old, byHand);
      await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 'Spring', body: NEW, ...next }) });
      const { problems } = only(await own.plan());
      const told = problems.filter(({ code }) => code === 'shared-leads');
      expect(told.map((one) => one.message)).toContainEqual(expect.stringContaining(message));
      expect((await own.run('apply', '--yes', '--allow', 'launch')).code).toBe(3);
      // Attached with approval, and still with a hand's leads beside them at the launch, which is another run.
      expect((await own.run('apply', ...ALLOW, '--hold', 'launch')).code).toBe(0);
      expect(codes(only(await own.plan()))).toContain('hazard shared-leads');
    }, TOTALS),
  );

  it('are none where the service shows what the state knows', () =>
    scene(async (own) => {
      await own.write({ 'spring.yaml': manifest('Spring', { leads: 'ids: [11, 12]' }) });
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      await own.write({
        'spring.yaml': manifest('Spring 2', { replaces: 'Spring', body: NEW, leads: 'ids: [50, 51]' }),
      });
      expect(codes(only(await own.plan()))).toEqual(['hazard launch']);
    }, TOTALS));
});

describe('a chain of campaigns, each of which replaces the one before', () => {
  const chain = {
    'a.yaml': manifest('A', { status: 'paused' }),
    'b.yaml': manifest('B', { replaces: 'A', status: 'paused' }),
    'c.yaml': manifest('C', { replaces: 'B', body: NEW }),
  };

  it('goes one link at a time', () =>
    scene(async (own) => {
      await own.write({ 'a.yaml': manifest('A') });
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      own.sent();
      await own.write(chain);
      const refused = await own.run('apply', ...ALLOW);
      expect(refused.code).toBe(1);
      expect(refused.err).toContain('[replaces-not-ready]');
      expect(refused.err).toContain('campaignctl apply campaigns/b.yaml');
      expect(own.sent()).toEqual([]);
      expect((await own.run('apply', ...ALLOW, 'campaigns/b.yaml')).code).toBe(0);
      expect(own.statuses()).toEqual({ A: 'paused', B: 'draft' });
      const [first] = own.service.store.campaigns;
      if (first !== undefined) first.status = 'active';
      expect((await own.run('apply', ...ALLOW)).err).toContain('has not taken its place');
      if (first !== undefined) first.status = 'paused';
      expect((await own.run('apply', ...ALLOW)).code).toBe(0);
      expect(own.statuses()).toEqual({ A: 'paused', B: 'draft', C: 'active' });
      expect(await own.plan()).toMatchObject({ summary: { requests: 0 } });
    }));

  it('is made at once where none of it is there', () =>
    scene(async (own) => {
      await own.write(chain);
      const { campaigns } = await own.plan();
      expect(campaigns.flatMap(codes)).not.toContain('warning nothing-to-replace');
    }));
});

describe('a saved plan', () => {
  it('holds as long as the old campaign stays as it was', () =>
    begun(async (own) => {
      expect((await own.run('plan', '--out', 'now.plan')).code).toBe(0);
      const [old] = own.service.store.campaigns;
      if (old !== undefined) old.status = 'paused';
      const stale = await own.run('apply', '--plan', 'now.plan', ...ALLOW);
      expect(stale.code).toBe(3);
      expect(own.sent()).toEqual([]);
      if (old !== undefined) old.status = 'active';
      expect((await own.run('apply', '--plan', 'now.plan', ...ALLOW)).code).toBe(0);
      expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
    }));
});

it('each campaign of a manifest with for_each replaces its own', () =>
  scene(async (own) => {
    const each = (name: string, more = '') =>
      `for_each:\n  - { region: France, list: 33 }\n  - { region: Spain, list: 34 }\n${manifest(`Spring \${{ region }}${name}`)}${more}`.replace(
        'lists: [77]',
        'lists: ["${{ list }}"]',
      );
    await own.write({ 'spring.yaml': each('') });
    const { code, out, err } = await own.run('apply', ...ALLOW);
    expect(code, out + err).toBe(0);
    await own.write({ 'spring.yaml': each(' 2', 'replaces: Spring ${{ region }}\n') });
    const plan = await own.plan();
    expect(plan.campaigns.map(({ replaces }) => replaces?.name)).toEqual(['Spring France', 'Spring Spain']);
    expect((await own.run('apply', ...ALLOW)).code).toBe(0);
    expect(own.statuses()).toEqual({
      ...{ 'Spring France': 'paused', 'Spring Spain': 'paused' },
      ...{ 'Spring France 2': 'active', 'Spring Spain 2': 'active' },
    });
  }));

it('an overlay names the old campaign of its environment', () =>
  begun(async (own) => {
    const overlay = 'environments: { production: { replaces: 101 } }\n';
    await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 'Another' }) + overlay });
    expect(only(await own.plan()).replaces).toMatchObject({ id: 101, name: 'Spring' });
  }));

it('changed campaigns alone are read, and one that runs again is seen', () =>
  begun(async (own) => {
    expect((await own.run('apply', ...ALLOW)).code).toBe(0);
    expect((await own.plan('--refresh', 'changed')).summary.requests).toBe(0);
    const [old] = own.service.store.campaigns;
    if (old !== undefined) old.status = 'active';
    expect((await own.plan('--refresh', 'changed')).summary).toMatchObject({ pause: 1, requests: 1 });
  }));

const HIDDEN: [Partial<Shape>, string] = [{ status: 'hidden' }, '    service: { status: hidden }\n'];

describe('where the service shows no status', () => {
  it('the pause is believed once it was accepted, and sent once', () =>
    begun(
      async (own) => {
        expect((await own.run('apply', ...ALLOW)).code).toBe(0);
        expect(own.sent().filter((line) => line.endsWith('/pause'))).toHaveLength(1);
        expect(await own.plan()).toMatchObject({ removed: [], by_hand: [], summary: { requests: 0 } });
      },
      ...HIDDEN,
    ));

  it.each([
    ['a draft that was launched by hand', null],
    ['one that was paused from here and launched by hand', 'paused'],
  ])('what rests by belief alone is paused first, and said so: %s', (_, status) =>
    scene(
      async (own) => {
        await own.write({ 'spring.yaml': manifest('Spring', { status }) });
        expect((await own.run('apply', ...ALLOW)).code).toBe(0);
        const [old] = own.service.store.campaigns;
        if (old !== undefined) old.status = 'active';
        await own.write({ 'spring.yaml': manifest('Spring 2', { replaces: 'Spring', body: NEW }) });
        const plan = await own.plan();
        const { replaces } = only(plan);
        expect(plan.removed).toMatchObject([{ id: 101, role: 'replaced', step: { id: 'pause' } }]);
        expect(replaces).toMatchObject({ status: null, running: true });
        expect(codes(plan)).toContain('warning status-believed');
        own.sent();
        expect((await own.run('apply', ...ALLOW, '--hold', 'launch')).code).toBe(0);
        expect(own.sent()[0]).toBe('PATCH /api/campaigns/101/pause');
        expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'draft' });
        // Between this run and the one that launches, a person may launch it once more.
        if (old !== undefined) old.status = 'active';
        expect((await own.run('apply', ...ALLOW)).code).toBe(0);
        expect(own.sent()).toEqual(['PATCH /api/campaigns/101/pause', 'PATCH /api/campaigns/102/resume']);
        expect(own.statuses()).toEqual({ Spring: 'paused', 'Spring 2': 'active' });
        expect(await own.plan()).toMatchObject({ summary: { requests: 0 } });
      },
      ...HIDDEN,
    ),
  );
});

it('blocked copy says which lines to write', () =>
  begun(async (own) => {
    await own.write({ 'spring.yaml': manifest('Spring', { body: NEW }) });
    const { out } = await own.run('plan');
    expect(out).toContain('    name: Spring 2\n');
    expect(out).toContain('    replaces: Spring\n');
  }));
