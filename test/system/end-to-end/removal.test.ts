/** A manifest that is taken away deletes nothing and is never silent; it pauses what runs where the project asks for it. */
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ApplyResult, Inventory, Plan } from '../../../src/model/outputs.js';
import { openStore } from '../../../src/state/store.js';
import { command, type Ended, writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { planOf, step } from '../../support/plans.js';
import { startService, type TestService } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';

const manifest = (name: string, status: string) => `name: ${name}
settings: { max_emails_per_day: 200, max_new_leads_per_day: 50, reputation_building: false }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: Spring
  steps: [{ email_subject: A question, email_body: "Hi {FIRST_NAME}", wait_in_days: 3 }]
status: ${status}
`;

const AT = '2026-03-02T08:00:00.000Z';
/** The service counts its campaigns from here. */
const [AUTUMN, SPRING] = [101, 102];

interface Scene {
  folder: string;
  service: TestService;
  /** How it answers, from now on. */
  shape: Shape;
  run(...argv: string[]): Promise<Ended>;
  plan(...argv: string[]): Promise<Plan>;
  project(more: string): Promise<void>;
  /** What was sent since the last look. */
  sent(): string[];
}

/** Two campaigns that were applied: Spring runs, Autumn is paused. */
async function scene(
  shape: Partial<Shape>,
  use: (scene: Scene) => Promise<void>,
  service = '',
): Promise<void> {
  const answers = shaped(shape);
  const fake = await startService(answers, { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const project = (more: string) =>
        writeFiles(folder, {
          'campaignctl.yaml': `version: 1\nmanifests: [campaigns/**/*.yaml]\nenvironments:\n  production:\n    base_url: ${fake.url}\n    token_env: CAMPAIGNS_TOKEN\n${service}${more}`,
        });
      await project('');
      await writeFiles(folder, {
        'campaigns/spring.yaml': manifest('Spring', 'running'),
        'campaigns/autumn.yaml': manifest('Autumn', 'paused'),
      });
      const run = (...argv: string[]) => command(folder, argv);
      // One after the other, so that it is certain whose id is whose.
      for (const name of ['Autumn', 'Spring']) {
        const { code, out, err } = await run(
          'apply',
          '--yes',
          '--allow',
          'launch',
          '--allow',
          'no-leads',
          '--target',
          name,
        );
        expect(code, out + err).toBe(0);
      }
      let seen = fake.writes().length;
      await use({
        ...{ folder, service: fake, shape: answers, run, project },
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
      });
    });
    expect(fake.violations).toEqual([]);
  } finally {
    await fake.close();
  }
}

/** Without the line breaks of a terminal. */
const inOneLine = (text: string) => text.replace(/\s+/g, ' ');
const away = ({ folder }: Scene, name: string) => rm(join(folder, 'campaigns', `${name}.yaml`));

/** Services differ in what shows the status, and in the form of numbers. */
const SHAPES: [string, Partial<Shape>][] = [
  ['the list and the record show the status', {}],
  ['only the record shows it', { rows: 'id-name' }],
  [
    'numbers are texts, words are shouted, pages are small',
    { numbers: 'text', statusCase: 'UPPER', pageSize: 1 },
  ],
];

describe.each(SHAPES)('a manifest was removed where %s', (_, shape) => {
  it('and every view says which campaign runs on', () =>
    scene(shape, async (at) => {
      await away(at, 'spring');
      const { removed, summary, campaigns } = await at.plan();
      expect(removed).toEqual([
        {
          ...{
            role: 'removed',
            id: SPRING,
            name: 'Spring',
            manifest: 'campaigns/spring.yaml',
            running: true,
          },
          ...{ basis: 'shown', outside: false },
          ...{ status: expect.stringMatching(/^active$/i), max_emails_per_day: 200, step: null },
        },
      ]);
      expect([summary.removed, summary.requests, campaigns.length]).toEqual([1, 0, 1]);
      for (const format of ['text', 'markdown', 'html']) {
        const { out, code } = await at.run('plan', '--detailed-exitcode', '--format', format);
        expect(code).toBe(0);
        expect(out).toMatch(/Without a manifest: 1 campaign in the state \(1 running\)/);
        for (const part of [
          'Spring',
          `id ${SPRING}`,
          'campaigns/spring.yaml',
          '200 emails a day',
          `forget ${SPRING} --env production`,
        ])
          expect(out).toContain(part);
      }
      const drift = await at.run('plan', '--drift', '--detailed-exitcode');
      expect(drift.code).toBe(2);
      expect(drift.out).toContain(
        'Nothing was changed outside campaignctl. 1 campaign without a manifest runs.',
      );
      const listed = await at.run('list', '--format', 'json');
      const entry = (JSON.parse(listed.out) as Inventory).campaigns.find(({ id }) => id === SPRING);
      expect(entry).toMatchObject({ status: 'removed', manifest: 'campaigns/spring.yaml', problems: [] });
      expect((await at.run('list')).out).toContain(`campaignctl forget ${SPRING} --env production`);
      const applied = await at.run('apply', '--yes');
      expect(applied.code, applied.err).toBe(0);
      expect(at.sent()).toEqual([]);
    }));

  it('and on_removal: pause pauses what runs, once, and nothing else', () =>
    scene(shape, async (at) => {
      await at.project('defaults: { on_removal: pause }\n');
      await away(at, 'spring');
      await away(at, 'autumn');
      await writeFiles(at.folder, { 'campaigns/other.yaml': 'name: Other\n' });
      const pause = `PATCH /api/campaigns/${SPRING}/pause`;
      const planned = await at.plan();
      expect(planned.removed.map(({ id, step }) => [id, step?.title ?? null])).toEqual([
        [AUTUMN, null],
        [SPRING, 'pause the campaign'],
      ]);
      expect(planned.summary).toMatchObject({ pause: 1, removed: 2, create: 1, requests: 2 });
      const rehearsed = await at.run('apply', '--dry-run');
      expect(rehearsed.out).toContain(`# Spring\n${pause}\n`);
      expect((await at.run('apply', '--yes', '--target', 'Other')).code).toBe(0);
      expect(at.sent()).toEqual(['POST /api/campaigns']);
      const { code, out } = await at.run('apply', '--yes', '--format', 'json');
      expect(code).toBe(0);
      expect(at.sent()).toEqual([pause]);
      const result = JSON.parse(out) as ApplyResult;
      expect(
        result.campaigns.map(({ id, steps, result: end }) => [id, end, steps.map((one) => one.id)]),
      ).toEqual([[SPRING, 'done', ['pause', 'read-back']]]);
      const again = await at.plan('--detailed-exitcode');
      expect(again.removed.map(({ id, running, step }) => [id, running, step])).toEqual([
        [AUTUMN, false, null],
        [SPRING, false, null],
      ]);
      expect((await at.run('plan', '--drift', '--detailed-exitcode')).code).toBe(0);
      expect((await at.run('plan')).out).toContain('Apply sends nothing to them. To manage');
      const shown = await at.run('history');
      expect(shown.out).not.toContain('pending');
    }));
});

it('the last manifest may go, too: a pattern without a match is an error only where nothing was applied', () =>
  scene({}, async (at) => {
    await at.project('defaults: { on_removal: pause }\n');
    await away(at, 'spring');
    await away(at, 'autumn');
    const { removed, campaigns } = await at.plan();
    expect([campaigns, removed.map(({ id }) => id)]).toEqual([[], [AUTUMN, SPRING]]);
    const { code, err } = await at.run('apply', '--yes');
    expect([code, err]).toEqual([0, expect.stringContaining('No file matches the pattern')]);
    expect(at.sent()).toEqual([`PATCH /api/campaigns/${SPRING}/pause`]);
    for (const id of [AUTUMN, SPRING]) expect((await at.run('forget', String(id), '--yes')).code).toBe(0);
    expect((await at.run('plan')).code).toBe(1);
  }));

it('what an interrupted run left open of it is reconciled by the next apply, which says so', () =>
  scene({}, async (at) => {
    await away(at, 'spring');
    const state = openStore(join(at.folder, '.campaignctl/state/production'), at.service.url);
    const head = { run: 'run-1', environment: 'production', at: AT, who: 'ada', commit: null, tool: '0' };
    const journal = await state.begin(
      { ...head, plan: planOf([], { base_url: at.service.url }), specs: {} },
      () => AT,
    );
    const attach = step('leads', {
      id: 'leads/list/7',
      title: 'attach lead list 7',
      body: { lead_list_id: 7 },
    });
    const of = { id: SPRING, name: 'Spring', manifest: 'campaigns/spring.yaml', total_leads: null };
    await journal.intend({ ...of, step: attach });
    await journal.end('incomplete');
    const { problems } = await at.plan();
    expect(problems.map(({ code, message }) => [code, message.slice(0, 10)])).toEqual([
      ['unfinished-run', '"Spring": '],
    ]);
    expect((await at.run('apply', '--yes')).code).toBe(0);
    expect([await state.pending(), at.sent()]).toEqual([[], []]);
    const entry = (await state.readAll()).find(({ id }) => id === SPRING);
    expect(entry?.recorded.doubtful).toEqual({ lists: [7], ids: [] });
  }));

it('a manifest that the environment no longer takes is no removal: every view tells its campaign, and nothing pauses it', () =>
  scene({}, async (at) => {
    await at.project('    on_removal: pause\n    manifests: ["campaigns/a*.yaml"]\n');
    const { removed, summary } = await at.plan();
    expect(removed).toMatchObject([{ id: SPRING, outside: true, running: true, step: null }]);
    expect(summary).toMatchObject({ removed: 1, pause: 0, requests: 0 });
    for (const format of ['text', 'markdown', 'html']) {
      const { out } = await at.run('plan', '--format', format);
      for (const part of [
        'Not among the manifests of production: 1 campaign in the state (1 running)',
        'Its file is in the project, but not among the manifests of production.',
        'campaigns/spring.yaml',
        `forget ${SPRING} --env production`,
      ])
        expect(out).toContain(part);
      expect(out).not.toMatch(/without a manifest|bring its manifest back/i);
    }
    const drift = await at.run('plan', '--drift', '--detailed-exitcode');
    expect([drift.code, drift.out]).toEqual([
      2,
      expect.stringContaining('1 campaign outside the manifests of the environment runs.'),
    ]);
    const listed = JSON.parse((await at.run('list', '--format', 'json')).out) as Inventory;
    expect(listed.campaigns.find(({ id }) => id === SPRING)).toMatchObject({
      status: 'outside',
      manifest: 'campaigns/spring.yaml',
    });
    expect((await at.run('list')).out).toContain(`campaignctl forget ${SPRING} --env production`);
    expect((await at.run('apply', '--yes')).code).toBe(0);
    expect(at.sent()).toEqual([]);
    await away(at, 'spring');
    expect((await at.plan()).removed).toMatchObject([{ outside: false, step: { id: 'pause' } }]);
    expect((await at.run('forget', String(SPRING), '--yes')).code).toBe(0);
    expect((await at.plan()).removed).toEqual([]);
  }));

it('a file that the environment no longer takes and that describes another campaign is that of none of it', () =>
  scene({}, async (at) => {
    const staging = '  staging: { base_url: "http://127.0.0.1:9", token_env: CAMPAIGNS_TOKEN }\n';
    await at.project(`    on_removal: pause\n    manifests: ["campaigns/a*.yaml"]\n${staging}`);
    const production = ['--env', 'production'];
    const write = (text: string) => writeFiles(at.folder, { 'campaigns/spring.yaml': text });
    const status = async () => {
      const { campaigns } = JSON.parse(
        (await at.run('list', '--format', 'json', ...production)).out,
      ) as Inventory;
      return campaigns.find(({ id }) => id === SPRING)?.status;
    };
    const other = manifest('Winter', 'running');
    const kept = [
      manifest('Spring', 'paused'),
      `${other}---\n${manifest('Spring', 'paused')}`,
      `${other}id: ${SPRING}\n`,
      `${other}environments: { production: { id: ${SPRING} } }\n`,
      `for_each: [Spring, Summer]\n${manifest('${{ value }}', 'running')}`,
      'name: [',
      `${other}sequence: nowhere.yaml\n`,
    ];
    for (const text of kept) {
      await write(text);
      expect([text, (await at.plan(...production)).removed]).toMatchObject([
        text,
        [{ outside: true, step: null }],
      ]);
      expect(await status()).toBe('outside');
    }
    for (const text of [`for_each: [Summer]\n${manifest('${{ value }}', 'running')}`, other]) {
      await write(text);
      expect([text, (await at.plan(...production)).removed]).toMatchObject([
        text,
        [{ outside: false, step: { id: 'pause' } }],
      ]);
      expect(await status()).toBe('removed');
    }
    expect((await at.run('apply', '--yes', ...production)).code).toBe(0);
    expect(at.sent()).toEqual([`PATCH /api/campaigns/${SPRING}/pause`]);
  }));

it('a campaign that is gone as well is not told', () =>
  scene({}, async (at) => {
    await away(at, 'spring');
    const spring = at.service.store.campaigns.find(({ id }) => id === SPRING);
    Object.assign(spring ?? {}, { status: 'archived' });
    expect((await at.plan()).removed).toEqual([]);
    at.service.store.campaigns = at.service.store.campaigns.filter(({ id }) => id !== SPRING);
    expect((await at.plan()).removed).toEqual([]);
  }));

it('a service that shows no status is believed to have what was last done', () =>
  scene(
    { status: 'hidden' },
    async (at) => {
      await at.project('defaults: { on_removal: pause }\n');
      await away(at, 'spring');
      expect((await at.plan()).removed).toMatchObject([{ id: SPRING, status: null, running: true }]);
      const { out } = await at.run('plan');
      expect(out).toContain('(1 believed to be running)');
      expect(out).toContain('status not shown, believed to be running');
      expect((await at.run('apply', '--yes')).code).toBe(0);
      expect(at.sent()).toEqual([`PATCH /api/campaigns/${SPRING}/pause`]);
      expect((await at.plan()).removed).toMatchObject([{ id: SPRING, running: false, step: null }]);
    },
    '    service: { status: hidden }\n',
  ));

describe.each<[string, Partial<Shape>, string]>([
  ['a word that is not known', {}, 'live, may be running'],
  ['no status', { status: 'hidden' }, 'status not shown, may be running'],
])('a campaign that shows %s may be running, although it was never launched from here', (_, shape, told) => {
  /** Autumn is launched by hand, which the service calls by its own word. */
  const launched = (use: (at: Scene) => Promise<void>) =>
    scene({}, async (at) => {
      Object.assign(at.shape, shape);
      const autumn = at.service.store.campaigns.find(({ id }) => id === AUTUMN);
      Object.assign(autumn ?? {}, { status: 'live' });
      await use(at);
    });
  const removed = { id: AUTUMN, running: true, basis: 'unknown' };

  it('and every view says so, once its manifest was removed', () =>
    launched(async (at) => {
      await away(at, 'autumn');
      await away(at, 'spring');
      const plan = await at.plan();
      expect(plan.removed[0]).toMatchObject({ ...removed, step: null });
      expect(plan.problems[0]).toMatchObject({
        code: 'unknown-status',
        severity: 'warning',
        message: expect.stringMatching(/^"Autumn": The .*: the campaign may be sending\.$/),
      });
      for (const format of ['text', 'markdown', 'html']) {
        const { out } = await at.run('plan', '--format', format);
        for (const part of [told, 'may be running)', 'unknown-status', 'the campaign may be sending'])
          expect(out).toContain(part);
      }
      const drift = await at.run('plan', '--drift', '--detailed-exitcode');
      expect(drift.code).toBe(2);
      const said = inOneLine(drift.out);
      for (const part of [told, 'unknown-status', 'may be running.']) expect(said).toContain(part);
      expect((await at.run('apply', '--yes')).code).toBe(0);
      expect(at.sent()).toEqual([]);
    }));

  it('and is drift, while its manifest says that it is paused', () =>
    launched(async (at) => {
      const { code, out } = await at.run('plan', '--drift', '--detailed-exitcode', '--target', 'Autumn');
      expect([code, out]).toEqual([2, expect.stringContaining('the campaign may be sending')]);
    }));

  it('and on_removal: pause pauses it until the service shows something else than before', () =>
    launched(async (at) => {
      await at.project('defaults: { on_removal: pause }\n');
      await away(at, 'autumn');
      const path = `/api/campaigns/${AUTUMN}/pause`;
      at.service.answerThen('PATCH', path, { status: 200, body: {}, effect: false });
      const { code, out } = await at.run('apply', '--yes');
      expect([code, out]).toEqual([4, expect.stringContaining('the service accepted the pause and')]);
      const again = await at.plan();
      expect(again.removed).toMatchObject([{ ...removed, step: { id: 'pause' } }]);
      expect(again.problems).toMatchObject([{ code: 'unknown-status' }]);
      const drift = await at.run('plan', '--drift', '--detailed-exitcode');
      expect([drift.code, inOneLine(drift.out)]).toEqual([2, expect.stringContaining('may be running.')]);
      // Spring is to run, and no status shows that it does; nor does one show the pause.
      expect((await at.run('apply', '--yes')).code).toBe(shape.status === 'hidden' ? 4 : 0);
      expect(at.sent()).toEqual([`PATCH ${path}`, `PATCH ${path}`]);
    }));
});

describe('a status in words that are not known', () => {
  const path = `/api/campaigns/${SPRING}/pause`;
  const paused = (use: (at: Scene, becomes: (word: string) => void) => Promise<void>) =>
    scene({}, async (at) => {
      const becomes = (status: string) => {
        for (const one of at.service.store.campaigns) if (one.id === SPRING) one.status = status;
      };
      becomes('live');
      await writeFiles(at.folder, { 'campaigns/spring.yaml': manifest('Spring', 'paused') });
      at.service.answerThen('PATCH', path, { status: 200, body: {}, effect: false });
      await use(at, becomes);
    });

  it('shows nothing of a pause that leaves it as it was, which is sent again until it shows', () =>
    paused(async (at, becomes) => {
      expect(await at.run('apply', '--yes')).toMatchObject({
        code: 4,
        out: expect.stringContaining('still shows "live", which is not a known status'),
      });
      const isAsked = async () => (await at.plan()).campaigns[1]?.steps.map(({ id }) => id);
      expect(await isAsked()).toEqual(['pause']);
      becomes('resting');
      expect(await isAsked()).toEqual([]);
      expect((await at.run('apply', '--yes')).code).toBe(0);
      expect(at.sent()).toEqual([`PATCH ${path}`]);
      becomes('live');
      expect(await isAsked()).toEqual(['pause']);
      becomes('resting');
      await away(at, 'spring');
      expect((await at.plan()).removed).toMatchObject([{ id: SPRING, running: false, basis: 'believed' }]);
    }));

  it('is compared with the one from before a pause of which a run that died had not read what came of it', () =>
    paused(async (at) => {
      at.service.answerThen('GET', `/api/campaigns/${SPRING}`, { status: 500, body: {}, effect: false });
      expect((await at.run('apply', '--yes')).code).toBe(4);
      expect((await at.plan()).campaigns[1]?.steps).toMatchObject([{ id: 'pause' }]);
    }));
});

it('nothing is said of others where campaigns are selected', () =>
  scene({}, async (at) => {
    await at.project('defaults: { on_removal: pause }\n');
    await away(at, 'spring');
    for (const selected of [['--target', 'Autumn'], ['campaigns/autumn.yaml']]) {
      const { removed, summary } = await at.plan(...selected);
      expect([removed, summary.removed, summary.requests]).toEqual([[], 0, 0]);
    }
  }));

it('what is pinned is told too, although the list need not be read for it', () =>
  scene({}, async (at) => {
    await away(at, 'spring');
    await writeFiles(at.folder, { 'campaigns/autumn.yaml': `name: Autumn\nid: ${AUTUMN}\n` });
    expect((await at.plan()).removed.map(({ id }) => id)).toEqual([SPRING]);
  }));

it.each([
  ['campaigns', ['--target', 'Zeta', '--target', 'Spring']],
  ['elsewhere', ['elsewhere/zeta.yaml', 'campaigns/spring.yaml']],
])('a campaign that a manifest has is not taken over by the pin of another one in %s', (where, selected) =>
  scene({}, async (at) => {
    await writeFiles(at.folder, {
      'campaigns/spring.yaml': `id: ${SPRING}\n${manifest('Spring', 'running')}`,
      [`${where}/zeta.yaml`]: `id: ${AUTUMN}\n${manifest('Zeta', 'running')}`,
    });
    const { code, err } = await at.run(
      'apply',
      '--yes',
      '--allow',
      'launch',
      '--allow',
      'no-leads',
      ...selected,
    );
    expect([code, at.sent()]).toEqual([1, []]);
    expect(err).toContain(`Several manifests claim campaign ${AUTUMN}`);
  }),
);

it('a moved manifest is no removal; with a new name it is one, beside the creation', () =>
  scene({}, async (at) => {
    await mkdir(join(at.folder, 'campaigns/old'));
    const [from, to] = ['campaigns/spring.yaml', 'campaigns/old/s.yaml'].map((file) => join(at.folder, file));
    await rename(from ?? '', to ?? '');
    expect((await at.plan()).removed).toEqual([]);
    await writeFile(to ?? '', manifest('Summer', 'running'));
    const { removed, summary } = await at.plan();
    expect(removed).toMatchObject([{ id: SPRING, running: true }]);
    expect([summary.create, summary.removed]).toEqual([1, 1]);
  }));

it('a moved manifest that was applied is known by its new file: a new name in it is a rename', () =>
  scene({}, async ({ folder, run, plan, sent }) => {
    // From now on, an apply has nothing to keep but the file.
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    await mkdir(join(folder, 'campaigns/old'));
    const moved = join(folder, 'campaigns/old/s.yaml');
    await rename(join(folder, 'campaigns/spring.yaml'), moved);
    expect(await run('apply', '--yes')).toMatchObject({ code: 0 });
    expect(sent()).toEqual([]);
    await writeFile(moved, manifest('Summer', 'running'));
    const { problems } = (await plan()).campaigns.find(({ name }) => name === 'Summer') ?? {};
    expect(problems).toMatchObject([{ code: 'rename' }, { code: 'launch' }, { code: 'no-leads' }]);
  }));

it('a file that was moved and renamed, and is planned alone, is no mere creation; of others nothing is said', () =>
  scene({}, async (at) => {
    await away(at, 'spring');
    await writeFiles(at.folder, {
      'campaigns/s.yaml': manifest('Summer', 'running'),
      'campaigns/other.yaml': manifest('Other', 'paused').replace('A question', 'An offer'),
    });
    for (const selected of [['campaigns/s.yaml'], ['--target', 'Summer']]) {
      const { campaigns } = await at.plan(...selected);
      expect(campaigns[0]?.problems).toContainEqual({
        code: 'perhaps-moved',
        severity: 'warning',
        message: `Campaign ${SPRING} ("Spring", applied from campaigns/spring.yaml) has no manifest any more, and the same emails or leads. If this manifest is its own, moved and renamed, apply creates a second campaign beside it.`,
        hint: `Then write id: ${SPRING} into the manifest. campaignctl plan without files and targets shows every campaign without a manifest.`,
      });
      expect((await at.run('plan', ...selected)).out).toContain('perhaps-moved');
    }
    const codes = async (...argv: string[]) =>
      (await at.plan(...argv)).campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
    expect(await codes('campaigns/other.yaml')).not.toContain('perhaps-moved');
    expect(await codes()).toContain('perhaps-moved');
  }));

it('a manifest with a new name leaves its running campaign without one: told, drift, and paused before the new one is launched', () =>
  scene({}, async (at) => {
    await at.project('defaults: { on_removal: pause }\n');
    await writeFiles(at.folder, { 'campaigns/spring.yaml': manifest('Summer', 'running') });
    const { removed, summary, campaigns } = await at.plan();
    expect(removed).toMatchObject([{ id: SPRING, name: 'Spring', running: true, step: { id: 'pause' } }]);
    expect([summary.create, summary.removed, summary.pause]).toEqual([1, 1, 1]);
    expect(campaigns.flatMap(({ problems }) => problems.map(({ code }) => code))).toContain('rename');
    const drift = await at.run('plan', '--drift', '--detailed-exitcode');
    expect([drift.code, drift.out]).toEqual([
      2,
      expect.stringContaining('1 campaign without a manifest runs'),
    ]);
    expect((await at.run('apply', '--yes', '--allow', 'launch', '--allow', 'no-leads')).code).toBe(3);
    expect(at.sent()).toEqual([]);
    const { code, err } = await at.run(
      'apply',
      '--yes',
      '--allow',
      'launch',
      '--allow',
      'no-leads',
      '--allow',
      'rename',
    );
    expect(code, err).toBe(0);
    const sent = at.sent();
    const [pause, launch] = ['pause', 'resume'].map((verb) => sent.findIndex((one) => one.endsWith(verb)));
    expect(sent[pause ?? -1]).toBe(`PATCH /api/campaigns/${SPRING}/pause`);
    expect(pause).toBeLessThan(launch ?? -1);
    expect(await at.plan()).toMatchObject({
      removed: [{ id: SPRING, running: false }],
      summary: { requests: 0 },
    });
  }));

it('documents that move up in their file take no name and no place of the one that was removed', () =>
  scene({}, async (at) => {
    const file = (...all: string[]) =>
      writeFiles(at.folder, { 'campaigns/c.yaml': all.map((one) => manifest(one, 'paused')).join('---\n') });
    await file('M1', 'M2', 'M3');
    expect((await at.run('apply', '--yes')).code).toBe(0);
    at.sent();
    const ids = Object.fromEntries(at.service.store.campaigns.map(({ name, id }) => [name, id]));
    const first = at.service.store.campaigns.find(({ name }) => name === 'M1');
    Object.assign(first ?? {}, { status: 'active' });
    await at.project('defaults: { on_removal: pause }\n');
    await file('N2', 'M3');
    const { removed, campaigns } = await at.plan();
    expect(removed.map(({ id, step }) => [id, step?.id ?? null]).sort()).toEqual(
      [
        [ids.M1, 'pause'],
        [ids.M2, null],
      ].sort(),
    );
    const renamed = campaigns.find(({ name }) => name === 'N2');
    expect(renamed?.problems.find(({ code }) => code === 'rename')?.message).toMatch(/"M1".*"M2"/);
  }));

it('a saved plan of another file does not hold once the file that was gone is back with an error', () =>
  scene({}, async (at) => {
    await away(at, 'spring');
    await writeFiles(at.folder, { 'campaigns/z.yaml': manifest('Spring', 'paused') });
    const made = await at.run('plan', '--out', 'plan.json', 'campaigns/z.yaml');
    expect(made.code, made.err).toBe(0);
    await writeFiles(at.folder, {
      'campaigns/spring.yaml': `<<<<<<< ours\n${manifest('Spring', 'running')}`,
    });
    const { code, err } = await at.run('apply', '--yes', '--plan', 'plan.json');
    expect([code, at.sent()]).toEqual([1, []]);
    expect(err).toContain('campaigns/spring.yaml:1:1');
    await away(at, 'spring');
    expect((await at.run('apply', '--yes', '--plan', 'plan.json')).code).toBe(0);
    expect(at.sent()).toEqual([`PATCH /api/campaigns/${SPRING}/pause`]);
  }));

describe('forget', () => {
  it('takes a campaign out of the state, sends nothing, and is the end of it', () =>
    scene({}, async (at) => {
      await away(at, 'spring');
      const refused = await at.run('forget', 'Spring');
      expect([refused.code, refused.out, (await at.plan()).removed.length]).toEqual([3, '', 1]);
      expect(refused.err).toContain('No terminal to ask on, so campaign 102, "Spring", was not forgotten.');
      const { code, out } = await at.run('forget', 'Spring', '--yes');
      expect(code).toBe(0);
      expect(out).toBe(
        'The state of production knows campaign 102, "Spring" (campaigns/spring.yaml): in sync on 2026-11-22.\nForgot campaign 102, "Spring". Nothing was sent.\n'.replace(
          /2026-11-22/,
          /\d{4}-\d\d-\d\d/.exec(out)?.[0] ?? '',
        ),
      );
      expect((await at.plan()).removed).toEqual([]);
      const list = JSON.parse((await at.run('list', '--format', 'json')).out) as Inventory;
      expect(list.campaigns.find(({ id }) => id === SPRING)).toMatchObject({ status: 'unmanaged' });
      expect(at.sent()).toEqual([]);
      const { requests } = at.service;
      expect(requests.every(({ method, path }) => method === 'GET' || !path.endsWith('pause'))).toBe(true);
    }));

  it.each([
    ['Sprin', 'The state of production knows no campaign "Sprin".', 'Did you mean "Spring"?'],
    ['7', 'The state of production knows no campaign 7.', 'campaignctl list shows'],
  ])('refuses %s, which the state does not know', (wanted, message, hint) =>
    scene({}, async ({ run, plan }) => {
      const { code, err } = await run('forget', wanted, '--yes');
      expect([code, err]).toEqual([1, expect.stringContaining(message)]);
      expect(err).toContain(hint);
      expect((await plan()).summary.unchanged).toBe(2);
    }),
  );

  it('says that a manifest still manages the campaign, which then is found by its name', () =>
    scene({}, async ({ run, plan }) => {
      const { out } = await run('forget', String(SPRING), '--yes');
      expect(out).toContain('! campaigns/spring.yaml still manages it');
      expect((await plan()).campaigns.map(({ id }) => id)).toEqual([AUTUMN, SPRING]);
    }));

  it('wants an id where the state knows several of the name', () =>
    scene({}, async ({ folder, run, service }) => {
      const state = openStore(join(folder, '.campaignctl/state/production'), service.url);
      const [autumn] = await state.readAll();
      if (autumn === undefined) throw new Error('two entries were expected');
      await state.save({ ...autumn, name: 'Spring', manifest: 'campaigns/copy.yaml' });
      const { code, err } = await run('forget', 'Spring', '--yes');
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(/knows 2 campaigns called "Spring": 101, 102.*forget 102 --env production/s),
      ]);
      expect((await run('forget', '101', '--yes')).code).toBe(0);
      expect((await state.readAll()).map(({ id }) => id)).toEqual([SPRING]);
    }));

  it('ends what a run left open of a campaign without a manifest, and of no other', () =>
    scene({}, async ({ folder, run, service }) => {
      const state = openStore(join(folder, '.campaignctl/state/production'), service.url);
      const plan = planOf([], { base_url: service.url });
      const head = { run: 'run-1', environment: 'production', at: AT, who: 'ada', commit: null, tool: '0' };
      const journal = await state.begin({ ...head, plan, specs: {} }, () => AT);
      const attach = step('leads', { id: 'leads/list/7', title: 'attach lead list 7' });
      const intent = { id: SPRING, name: 'Spring', manifest: 'campaigns/spring.yaml', total_leads: null };
      await journal.intend({ ...intent, step: attach });
      await journal.intend({
        ...intent,
        id: AUTUMN,
        name: 'Autumn',
        manifest: 'campaigns/autumn.yaml',
        step: attach,
      });
      await journal.end('incomplete');
      const open = await run('forget', 'Spring', '--yes');
      expect([open.code, open.err]).toEqual([1, expect.stringContaining('[pending-operations]')]);
      await rm(join(folder, 'campaigns/spring.yaml'));
      const { code, out } = await run('forget', 'Spring', '--yes');
      expect([code, out]).toEqual([0, expect.stringContaining('1 request of an earlier run')]);
      expect((await state.pending()).map(({ name }) => name)).toEqual(['Autumn']);
      expect((await state.readAll()).map(({ id }) => id)).toEqual([AUTUMN]);
    }));
});
