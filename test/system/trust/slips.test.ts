/**
 * Slips of people and pipelines, in any order: manifests that are edited, removed, moved and renamed, an old state put back or
 * lost, a second checkout, a hand in the web app, flags that are set or forgotten. Nothing here asks the planner what is right:
 * what reaches the service is held against what was allowed, and against what the plan before it showed. `TRUST_CASES` sets the
 * number of cases, `TRUST_SEED` where they begin.
 */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Hazard } from '../../../src/model/environment.js';
import { Failure } from '../../../src/model/failure.js';
import type { Plan } from '../../../src/model/outputs.js';
import { openProject } from '../../../src/operations/project.js';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { type Recorded, startService, type TestService, TOKEN } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';

const CASES = Number(process.env.TRUST_CASES ?? 40);
const SEED = Number(process.env.TRUST_SEED ?? 20261122);

/** What the manifests of a project say: three campaigns at most, each in a file. */
interface Written {
  file: string;
  name: string;
  cap: number;
  lists: number[];
  status: 'running' | 'paused' | null;
}

const which = fc.nat({ max: 2 });
const hazard = fc.constantFrom<Hazard>('launch', 'attach-running', 'repeat-attach', 'rename', 'missing');
const edit = fc.oneof(
  fc.record({ do: fc.constant('list' as const), which, list: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    do: fc.constant('status' as const),
    which,
    status: fc.constantFrom('running', 'paused', null),
  }),
  fc.record({ do: fc.constant('cap' as const), which, cap: fc.integer({ min: 1, max: 900 }) }),
);
const accident = fc.oneof(
  fc.record({ do: fc.constantFrom('remove' as const, 'move' as const, 'rename' as const), which }),
  fc.record({ do: fc.constant('twin' as const), which }),
  fc.record({ do: fc.constantFrom('keep-state' as const, 'old-state' as const, 'lose-state' as const) }),
  fc.record({ do: fc.constantFrom('pause-by-hand' as const, 'launch-by-hand' as const), which }),
);
const apply = fc.record({
  do: fc.constant('apply' as const),
  checkout: fc.constantFrom('a', 'a', 'a', 'b'),
  allow: fc.uniqueArray(hazard, { maxLength: 3 }),
  hold: fc.boolean(),
});
const slip = fc.oneof(
  { weight: 3, arbitrary: edit },
  { weight: 3, arbitrary: accident },
  { weight: 4, arbitrary: apply },
);
type Slip = typeof slip extends fc.Arbitrary<infer Value> ? Value : never;

const scenario = fc.record({
  slips: fc.array(slip, { minLength: 4, maxLength: 20 }),
  totals: fc.constantFrom<Shape['totals']>('shown', 'hidden'),
  status: fc.constantFrom<Shape['status']>('shown', 'shown', 'hidden'),
});

const manifest = ({ name, cap, lists, status }: Written) => `name: ${name}
settings: { max_emails_per_day: ${cap}, max_new_leads_per_day: 1, reputation_building: true }
schedule: { days: [monday], start_time: "09:00", end_time: "17:00", timezone: Europe/Paris }
sequence:
  title: ${name}
  steps: [{ email_subject: A question, email_body: Hi, wait_in_days: 3 }]
${lists.length > 0 ? `leads: { lists: [${lists.join(', ')}] }\n` : ''}${status === null ? '' : `status: ${status}\n`}`;

const project = (url: string, { status }: Shape) => `version: 1
manifests: [campaigns/*.yaml]
lint: { shared-lead-list: off }
environments:
  production:
    base_url: ${url}
    token_env: CAMPAIGNS_TOKEN
    service: { sequence_repost: refuse, status: ${status} }
`;

/** A project in two checkouts, which share the manifests and not the state, and the service that both apply to. */
interface Scene {
  folder: string;
  shape: Shape;
  service: TestService;
  written: Written[];
  names: number;
}

async function survives({
  slips,
  totals,
  status,
}: typeof scenario extends fc.Arbitrary<infer V> ? V : never) {
  const shape = shaped({ totals, status, scheduleRepost: 'replace', sequenceRepost: 'refuse' });
  const service = await startService(shape, { campaigns: [], templates: [] });
  try {
    await withFolder(async (folder) => {
      const written = ['one', 'two', 'three'].map(
        (name): Written => ({ file: `${name}.yaml`, name, cap: 100, lists: [], status: null }),
      );
      const scene: Scene = { folder, shape, service, written, names: 0 };
      for (const one of slips) await take(one, scene);
    });
    expect(service.violations).toEqual([]);
  } finally {
    await service.close();
  }
}

async function take(one: Slip, scene: Scene): Promise<void> {
  const { folder, service, written } = scene;
  const meant = 'which' in one ? written[one.which % Math.max(1, written.length)] : undefined;
  const state = (name: string) => join(folder, name, '.campaignctl', 'state');
  switch (one.do) {
    case 'cap':
      if (meant) meant.cap = one.cap;
      return;
    case 'list':
      if (meant && !meant.lists.includes(one.list)) meant.lists.push(one.list);
      return;
    case 'status':
      if (meant) meant.status = one.status;
      return;
    case 'remove':
      if (meant) written.splice(written.indexOf(meant), 1);
      return;
    case 'move':
      if (meant) meant.file = `moved-${scene.names++}.yaml`;
      return;
    case 'rename':
      if (meant) meant.name = `named-${scene.names++}`;
      return;
    case 'twin':
      if (meant && written.length < 4) written.push({ ...meant, file: `twin-${scene.names++}.yaml` });
      return;
    case 'keep-state':
      await rm(join(folder, 'kept'), { recursive: true, force: true });
      await cp(state('a'), join(folder, 'kept'), { recursive: true }).catch(() => undefined);
      return;
    case 'old-state':
      await rm(state('a'), { recursive: true, force: true });
      await cp(join(folder, 'kept'), state('a'), { recursive: true }).catch(() => undefined);
      return;
    case 'lose-state':
      await rm(state('a'), { recursive: true, force: true });
      return;
    case 'pause-by-hand':
    case 'launch-by-hand': {
      const live = service.store.campaigns[one.which];
      if (live) live.status = one.do === 'pause-by-hand' ? 'paused' : 'active';
      return;
    }
    case 'apply':
      await applied(one, scene);
  }
}

/** Plans, applies, and holds what reached the service against what was shown and allowed. */
async function applied(
  { checkout, allow, hold: held }: Extract<Slip, { do: 'apply' }>,
  { folder, shape, service, written }: Scene,
): Promise<void> {
  const cwd = join(folder, checkout);
  await rm(join(cwd, 'campaigns'), { recursive: true, force: true });
  await writeFiles(cwd, {
    'campaignctl.yaml': project(service.url, shape),
    ...Object.fromEntries(written.map((one) => [`campaigns/${one.file}`, manifest(one)])),
  });
  const before = service.writes().length;
  const names = new Set(service.store.campaigns.map(({ name }) => name));
  const hold: 'launch'[] = held ? ['launch'] : [];
  const opened = await openProject({ cwd, variables: { CAMPAIGNS_TOKEN: TOKEN } });
  const plan = await refusedOr(opened.plan({ hold }));
  expect(service.writes()).toHaveLength(before);
  const result = await refusedOr(opened.apply({ allow, hold }));
  const sent = service.writes().slice(before);
  const story = JSON.stringify({
    allow,
    held,
    sent,
    plan: plan instanceof Failure ? plan.message : plan.summary,
  });
  if (plan instanceof Failure || result instanceof Failure) return expect(sent, story).toEqual([]);
  // What was shown is what was sent, and no more.
  expect(requestsOf(sent).sort(), story).toEqual(shownBy(plan, sent));
  const allowed = (name: Hazard) => allow.includes(name);
  for (const { path, body, found } of sent) {
    const what = path.split('/').at(-1);
    if (what === 'resume') expect(allowed('launch') && !held, story).toBe(true);
    if (what === 'attach-lead-list') {
      const list = Number((body as { lead_list_id: number }).lead_list_id);
      // Where no status is shown, a launch in the web app cannot be seen.
      if (shape.status === 'shown' && /active|queued/.test(found?.status ?? ''))
        expect(allowed('attach-running'), story).toBe(true);
      const isThere = found?.lists.includes(list) ?? false;
      // An older state cannot be told from the present one where the service shows no number of leads.
      if (isThere && shape.totals === 'shown') expect(allowed('repeat-attach'), story).toBe(true);
    }
    const asked = written.find(({ name }) => name === found?.name);
    if (what === 'pause') expect(asked?.status, story).toBe('paused');
    if (what === 'resume') expect(asked?.status, story).toBe('running');
    if (what === 'sequence-steps') expect(found?.status, story).toBe('draft');
    if (what === 'campaigns') expect(names.has((body as { name: string }).name), story).toBe(false);
  }
  // Nothing is said to be done that is not.
  if (result.result === 'done' && !held) {
    for (const { name, cap, lists, status } of written) {
      const live = service.store.campaigns.filter((one) => one.name === name);
      expect(live, story).toHaveLength(1);
      expect(live[0]?.settings.max_emails_per_day, story).toBe(cap);
      expect(live[0]?.lists, story).toEqual(expect.arrayContaining(lists));
      if (status !== null && shape.status === 'shown')
        expect(live[0]?.status, story).toMatch(status === 'paused' ? /draft|paused/ : /active/);
    }
  }
}

async function refusedOr<T>(work: Promise<T>): Promise<T | Failure> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Requests with the ids of campaigns that were made meanwhile as the plan writes them. */
function requestsOf(sent: readonly Recorded[]): string[] {
  const made = new Set(sent.flatMap(({ effect }) => /^created (\d+)$/.exec(effect ?? '')?.[1] ?? []));
  return sent.map(({ method, path, body }) => {
    const id = path.split('/')[3] ?? '';
    return `${method} ${made.has(id) ? path.replace(`/${id}/`, '/{campaign_id}/') : path} ${JSON.stringify(body)}`;
  });
}

/** The requests that the plan showed, as far as they were sent: a campaign stops at its first failure. */
function shownBy({ campaigns }: Plan, sent: readonly Recorded[]): string[] {
  const shown = campaigns.flatMap(({ steps }) =>
    steps.map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`),
  );
  const wanted = requestsOf(sent);
  return shown.filter((line) => wanted.includes(line)).sort();
}

it(`${CASES} cases from seed ${SEED}`, { timeout: 60_000 + CASES * 2_000 }, () =>
  fc.assert(fc.asyncProperty(scenario, survives), { numRuns: CASES, seed: SEED }),
);
