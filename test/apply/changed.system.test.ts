/**
 * For every campaign that it reads, `--refresh changed` finds what a full plan finds. It reads every campaign whose
 * manifest has changed.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { HAZARD_NAMES } from '../../src/model/approvals.js';
import type { CampaignPlan, Plan } from '../../src/model/outputs.js';
import { command, writeFiles } from '../support/command.js';
import { withFolder } from '../support/folder.js';
import { openService, type Service } from '../support/service/service.js';
import { type Shape, shaped } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';

interface Files {
  /** Caps of the single manifests that exist. */
  caps: Map<string, number>;
  /** The file of each manifest. */
  places: Map<string, string>;
  /** Lead lists of each campaign of `for_each`. */
  segments: Map<string, number>;
  overlay: number;
  piece: number;
  body: number;
  list: number;
  repost: 'unknown' | 'replace';
}

const written = (): Files => ({
  caps: new Map(['one', 'two', 'three'].map((name) => [name, 100])),
  places: new Map(),
  segments: new Map([
    ['France', 21],
    ['Spain', 22],
  ]),
  ...{ overlay: 10, piece: 9, body: 1, list: 77, repost: 'replace' },
});

const of = (value: string) => ['$', `{{ ${value} }}`].join('');

function filesOf(files: Files): Record<string, string> {
  const { caps, places, segments, overlay, piece, body, list, repost } = files;
  const single = ([name, cap]: [string, number]) => ({
    name,
    settings: { max_emails_per_day: cap, max_new_leads_per_day: 1 },
    schedule: { use: '../pieces/office.yaml' },
    sequence: {
      title: name,
      steps: [{ email_subject: 'Hi', email_body_file: '../emails/hi.html', wait_in_days: 3 }],
    },
    ...(name === 'one' ? { leads: { lists: ['installers'] } } : {}),
    ...(name === 'two'
      ? { environments: { production: { settings: { max_emails_per_day: overlay } } } }
      : {}),
    status: name === 'three' ? 'running' : 'paused',
  });
  const each = {
    for_each: [...segments].map(([segment, id]) => ({ segment, id })),
    name: `Segment ${of('segment')}`,
    schedule: { use: '../pieces/office.yaml' },
    leads: { lists: [of('id')] },
  };
  const production = {
    base_url: 'https://send.example.com',
    token_env: 'CAMPAIGNS_TOKEN',
    lead_lists: { installers: list, others: 5 },
  };
  return {
    'campaignctl.yaml': JSON.stringify({
      version: 1,
      manifests: ['campaigns/*.yaml'],
      environments: { production: { ...production, service: { schedule_repost: repost } } },
    }),
    'pieces/office.yaml': JSON.stringify({
      days: ['monday'],
      start_time: `0${piece}:00`,
      end_time: '17:00',
      timezone: 'Europe/Paris',
    }),
    'emails/hi.html': `<p>Hi ${body}</p>`,
    'campaigns/each.yaml': JSON.stringify(each),
    ...Object.fromEntries(
      [...caps].map((pair) => [
        `campaigns/${places.get(pair[0]) ?? pair[0]}.yaml`,
        JSON.stringify(single(pair)),
      ]),
    ),
  };
}

interface Scene {
  folder: string;
  service: Service;
  files: Files;
  edits: number;
}

const EDITS: Record<string, (files: Files, n: number, at: number) => unknown> = {
  cap: ({ caps }, n, at) => caps.size > 0 && caps.set(nameAt(caps, at), 100 + n),
  overlay: (files, n) => Object.assign(files, { overlay: 10 + n }),
  piece: (files) => Object.assign(files, { piece: 5 + (files.piece % 5) }),
  body: (files) => Object.assign(files, { body: files.body + 1 }),
  segment({ segments }, n, at) {
    if (at > 2) segments.set(`Land ${n}`, 30 + n);
    else if (at > 1) segments.delete('Spain');
    else segments.set('France', 50 + n);
  },
  list: (files) => Object.assign(files, { list: files.list + 1 }),
  repost: (files) => Object.assign(files, { repost: files.repost === 'unknown' ? 'replace' : 'unknown' }),
  remove: ({ caps }, _, at) => caps.delete(nameAt(caps, at)),
  move: ({ caps, places }, n, at) => places.set(nameAt(caps, at), `moved-${n}`),
};
const nameAt = (caps: Files['caps'], at: number) => [...caps.keys()][at % Math.max(1, caps.size)] ?? '';

const HANDS: Record<string, (live: StoredCampaign, n: number) => unknown> = {
  pause: (live) => Object.assign(live, { status: 'paused' }),
  launch: (live) => live.steps.length > 0 && Object.assign(live, { status: 'active' }),
  set: (live, n) => Object.assign(live.settings, { max_emails_per_day: 700 + n }),
  attach: (live) => live.lists.push(9),
  archive: (live, n) => n % 3 === 0 && Object.assign(live, { status: 'archived' }),
  rename: (live) => Object.assign(live, { name: `${live.name}!` }),
  reschedule: (live) =>
    live.schedule && Object.assign(live, { schedule: { ...live.schedule, end_time: '15:00' } }),
};

const which = fc.nat({ max: 4 });
const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ does: fc.constantFrom(...Object.keys(EDITS)), which }) },
  { weight: 4, arbitrary: fc.record({ does: fc.constantFrom(...Object.keys(HANDS)), which }) },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('apply' as const),
      which,
      flags: fc.subarray(['--hold launch', '--target one', '--refresh changed']),
      fault: fc.option(fc.integer({ min: 8, max: 30 }), { freq: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('forget' as const), which }) },
);
type Action = typeof action extends fc.Arbitrary<infer One> ? One : never;

const APPLY = ['apply', '--yes', ...HAZARD_NAMES.map((name) => `--allow=${name}`)];
const run = ({ folder, service }: Scene, ...argv: string[]) =>
  command(folder, argv, undefined, undefined, { wire: wireTo(service) });

async function act(each: Action, scene: Scene): Promise<void> {
  const { folder, service, files } = scene;
  const { campaigns } = service.store;
  const live = campaigns[each.which % Math.max(1, campaigns.length)];
  scene.edits += 1;
  if ('flags' in each) {
    const message = { status: 422, body: { message: 'No.' }, effect: false };
    if (each.fault !== null) service.answerAt(service.requests.length + each.fault, message);
    await run(scene, ...APPLY, ...each.flags.flatMap((flag) => flag.split(' ')));
    service.calm();
  } else if (each.does === 'forget') {
    if (live !== undefined) await run(scene, 'forget', String(live.id), '--yes');
  } else {
    EDITS[each.does]?.(files, scene.edits, each.which);
    if (live !== undefined) HANDS[each.does]?.(live, scene.edits);
    await rm(join(folder, 'campaigns'), { recursive: true, force: true });
    await writeFiles(folder, filesOf(files));
  }
}

const SECTIONS_READ = /^\/api\/campaigns\/(\d+)\/(?:schedule|sequence-steps)$/;

/** Both plans of this moment, if there is one: held against each other. */
async function holds(scene: Scene, { updated, rows }: Shape): Promise<void> {
  const { service } = scene;
  const whole = await run(scene, 'plan', '--format', 'json');
  const first = service.requests.length;
  const part = await run(scene, 'plan', '--refresh', 'changed', '--format', 'json');
  const asked = service.requests.slice(first);
  if (whole.code !== 0) return;
  expect(part).toMatchObject({ code: 0 });
  const [all, changed] = [JSON.parse(whole.out) as Plan, JSON.parse(part.out) as Plan];
  expect(changed.mode).toBe('changed');
  const { create, change: changes, blocked, unchanged, not_read } = changed.summary;
  expect(create + changes + blocked + unchanged + not_read).toBe(all.campaigns.length);
  const read = (other: CampaignPlan) => other.action !== 'not_read';
  const remaining = new Set(
    changed.campaigns.filter((candidate) => !read(candidate)).map(({ manifest }) => manifest),
  );
  const isRead = ({ manifest }: CampaignPlan) => !remaining.has(manifest);
  expect(changed.campaigns.filter(read)).toEqual(all.campaigns.filter(isRead));
  expect(changed.removed).toEqual(all.removed);
  for (const item of all.campaigns.filter((campaign) => !isRead(campaign))) {
    expect(item.changes.filter(({ origin }) => origin !== 'service')).toEqual([]);
    if (updated === 'shown' && rows === 'whole') expect(item).toMatchObject({ action: 'none', problems: [] });
  }
  const ids = new Set(changed.campaigns.filter(read).map(({ id }) => String(id)));
  const parts = asked.flatMap(({ path }) => SECTIONS_READ.exec(path)?.[1] ?? []);
  expect(parts.filter((id) => !ids.has(id))).toEqual([]);
}

const CASES = Number(process.env.TRUST_CASES ?? 4);
const SEED = Number(process.env.TRUST_SEED ?? 20261122);

it(`${CASES} generated projects from seed ${SEED}`, { timeout: 60_000 + CASES * 15_000 }, () =>
  fc.assert(
    fc.asyncProperty(
      fc.array(action, { minLength: 4, maxLength: 12 }),
      fc.constantFrom<Partial<Shape>>(
        { updated: 'shown' },
        { updated: 'shown', totals: 'listed' },
        { status: 'listed' },
        { rows: 'id-name' },
        { totals: 'hidden' },
        {},
      ),
      async (drawn, more) => {
        const shape = shaped({ reputation: 'shown', title: 'shown', totals: 'shown', ...more });
        const service = openService(shape, { campaigns: [draft(11, 'of others')], templates: [] });
        await withFolder(async (folder) => {
          const scene: Scene = { folder, service, files: written(), edits: 0 };
          await writeFiles(folder, filesOf(scene.files));
          await run(scene, ...APPLY);
          await run(scene, ...APPLY);
          await holds(scene, shape);
          for (const each of drawn) {
            await act(each, scene);
            await holds(scene, shape);
          }
        });
      },
    ),
    { numRuns: CASES, seed: SEED },
  ),
);
