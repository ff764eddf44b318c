/** What people and pipelines do to a project in two checkouts, and to the service, between runs and in their middle. */
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Hazard } from '../../../src/model/environment.js';
import { Failure } from '../../../src/model/failure.js';
import type { ApplyResult, Plan } from '../../../src/model/outputs.js';
import { applyProject } from '../../../src/operations/apply.js';
import { openSession, type Session } from '../../../src/operations/session.js';
import { interruptOf, type World } from '../../../src/operations/world.js';
import { fakeClock } from '../../support/clock.js';
import { writeFiles } from '../../support/command.js';
import { fault } from '../../support/service/faults.js';
import { type Recorded, type Service, TOKEN } from '../../support/service/service.js';
import { CHOICES, type Shape } from '../../support/service/shape.js';
import type { StoredCampaign } from '../../support/service/store.js';
import { Death, killer } from './killer.js';

/** What a manifest says: a campaign in a file of its own. */
export interface Written {
  file: string;
  name: string;
  cap: number;
  lists: number[];
  ids: number[];
  status: 'running' | 'paused' | null;
}

export const HAZARDS: readonly Hazard[] = [
  'launch',
  'attach-running',
  'repeat-attach',
  'leads-elsewhere',
  'rename',
  'missing',
  'adopt',
];
const which = fc.nat({ max: 2 });
const oneOf = <const Kind extends string>(...kinds: Kind[]) => fc.record({ do: fc.constantFrom(...kinds) });
const to = <const Kind extends string>(...kinds: Kind[]) =>
  fc.record({ do: fc.constantFrom(...kinds), which });
const crash = fc.record({
  point: fc.constantFrom(
    'before it is noted',
    'once it is noted',
    'before its outcome is noted',
    'once its outcome is noted',
    'before the record',
    'once the record is there',
  ),
  nth: fc.integer({ min: 1, max: 9 }),
});
const run = fc.record({
  do: fc.constant('apply' as const),
  checkout: fc.constantFrom('a', 'a', 'a', 'a', 'b'),
  allow: fc.oneof(fc.subarray([...HAZARDS]), fc.constant([...HAZARDS]), fc.constant([...HAZARDS])),
  hold: fc.constantFrom(false, false, false, true),
  faults: fc.oneof(
    fc.constant([]),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fault), { maxLength: 3 }),
  ),
  crash: fc.option(crash, { freq: 3 }),
});
const slip = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.oneof(
      fc.record({ do: fc.constant('list' as const), which, list: fc.integer({ min: 1, max: 4 }) }),
      fc.record({ do: fc.constant('lead' as const), which, lead: fc.integer({ min: 11, max: 13 }) }),
      fc.record({
        do: fc.constant('status' as const),
        which,
        status: fc.constantFrom('running', 'running', 'paused', null),
      }),
      fc.record({ do: fc.constant('cap' as const), which, cap: fc.integer({ min: 1, max: 900 }) }),
    ),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      { weight: 8, arbitrary: to('remove', 'move', 'rename', 'return') },
      { weight: 1, arbitrary: to('twin') },
      { weight: 8, arbitrary: oneOf('keep-state', 'old-state', 'lose-state') },
      { weight: 6, arbitrary: to('pause-by-hand', 'launch-by-hand', 'attach-by-hand', 'settings-by-hand') },
    ),
  },
  { weight: 5, arbitrary: run },
);
type Drawn<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
export type Slip = Drawn<typeof slip>;
export type RunSlip = Drawn<typeof run>;

/** Any service on which a campaign can be made whole; most launches succeed. */
const shape = fc
  .tuple(
    fc.record(
      Object.fromEntries(
        Object.entries(CHOICES).map(([name, choices]) => [name, fc.constantFrom<unknown>(...choices)]),
      ),
    ) as fc.Arbitrary<Shape>,
    fc.constantFrom<Shape['resume'][]>(
      'immediate',
      'immediate',
      'immediate',
      'queued',
      'queued',
      'queued',
      'failed',
    ),
  )
  .map(
    ([drawn, resume]): Shape => ({
      ...drawn,
      resume,
      variants: drawn.sequenceRepost === 'append' ? drawn.variants : 'order',
    }),
  );

export const scenario = fc.record({
  campaigns: fc.constantFrom(1, 2, 2, 3),
  slips: fc.array(slip, { minLength: 3, maxLength: 10 }),
  shape,
  lag: fc.constantFrom(0, 0, 2_000, 7_000),
  onRemoval: fc.constantFrom('warn' as const, 'pause' as const),
  repeat: fc.constantFrom('unknown' as const, 'unknown' as const, 'safe' as const),
});
export type Scenario = Drawn<typeof scenario>;

export const EMAILS = [
  { email_subject: 'A question', email_body: 'Hi', wait_in_days: 3 },
  { email_subject: 'Any news?', email_body: 'Still there?', wait_in_days: 2, thread_reply: true },
];
export const VARIANT = { email_subject: 'Another question', email_body: 'Hello' };

function manifest({ name, cap, lists, ids, status }: Written): string {
  const [first, ...others] = EMAILS;
  return JSON.stringify({
    name,
    settings: { max_emails_per_day: cap, max_new_leads_per_day: 1, reputation_building: true },
    schedule: { days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    sequence: { title: name, steps: [{ ...first, variants: [VARIANT] }, ...others] },
    ...(lists.length + ids.length > 0 ? { leads: { lists, ids } } : {}),
    ...(status === null ? {} : { status }),
  });
}

function project({ shape: { status, variants }, onRemoval, repeat }: Scenario, url: string): string {
  const service = { sequence_repost: 'unknown', status, variant_reference: variants, attach_repeat: repeat };
  return JSON.stringify({
    version: 1,
    manifests: ['campaigns/*.yaml'],
    on_removal: onRemoval,
    lint: { 'shared-lead-list': 'off' },
    environments: { production: { base_url: url, token_env: 'CAMPAIGNS_TOKEN', service } },
  });
}

/** A project in two checkouts, which share the manifests and not the state, and the service that both apply to. */
export interface Scene {
  folder: string;
  drawn: Scenario;
  service: Service;
  url: string;
  /** How a run reaches the service. */
  connect(): Pick<World, 'wire'>;
  clock: ReturnType<typeof fakeClock>;
  written: Written[];
  removed: Written[];
  names: number;
  last: { checkout: string; files: string; session: Promise<Session> } | null;
  /** Checkouts whose state does not tell everything that was attached any more. */
  stale: Set<string>;
  /** Checkouts that have no state: none of their runs has applied, or it was lost. */
  empty: Set<string>;
  /** How many leads a checkout saw on a campaign when it had attached some, where that number cannot have been late. */
  looked: Map<string, number>;
  keptLooked: Map<string, number>;
  /** Campaigns that have been running, ever. */
  ran: Set<number>;
}

export function openScene(given: Pick<Scene, 'folder' | 'drawn' | 'service' | 'url' | 'connect'>): Scene {
  const clock = fakeClock();
  const written = ['one', 'two', 'three']
    .slice(0, given.drawn.campaigns)
    .map(
      (name): Written => ({ file: `${name}.yaml`, name, cap: 100, lists: [1], ids: [], status: 'running' }),
    );
  given.service.behave({ lag: given.drawn.lag }, clock.elapsed);
  return {
    ...given,
    clock,
    written,
    removed: [],
    names: 0,
    last: null,
    stale: new Set(),
    empty: new Set(['a', 'b']),
    looked: new Map(),
    keptLooked: new Map(),
    ran: new Set(),
  };
}

/** Longer than anything lags. */
const LONG = 10_000;

/** Everything but a run. */
export async function slipUp(one: Exclude<Slip, RunSlip>, scene: Scene): Promise<void> {
  const { folder, service, written, removed, stale, clock } = scene;
  const meant = 'which' in one ? written[one.which % Math.max(1, written.length)] : undefined;
  const live = 'which' in one ? service.store.campaigns[one.which] : undefined;
  const state = join(folder, 'a', '.campaignctl', 'state');
  await clock.sleep(LONG);
  switch (one.do) {
    case 'return':
      written.push(...removed.splice(0, 1));
      return;
    case 'keep-state':
      scene.keptLooked = new Map(scene.looked);
      await rm(join(folder, 'kept'), { recursive: true, force: true });
      await cp(state, join(folder, 'kept'), { recursive: true }).catch(() => undefined);
      return;
    case 'old-state':
    case 'lose-state':
      stale.add('a');
      for (const key of scene.looked.keys()) if (key.startsWith('a')) scene.looked.delete(key);
      await rm(state, { recursive: true, force: true });
      if (one.do === 'lose-state') return void scene.empty.add('a');
      scene.empty.delete('a');
      for (const [key, leads] of scene.keptLooked) if (key.startsWith('a')) scene.looked.set(key, leads);
      await cp(join(folder, 'kept'), state, { recursive: true }).catch(() => undefined);
      return;
    case 'pause-by-hand':
    case 'launch-by-hand':
      if (live === undefined || live.schedule === null || live.steps.length === 0) return;
      Object.assign(live, { status: one.do === 'pause-by-hand' ? 'paused' : 'active', pending: [] });
      if (live.status === 'active') scene.ran.add(live.id);
      break;
    case 'attach-by-hand':
      live?.lists.push(4);
      stale.add('a').add('b');
      break;
    case 'settings-by-hand':
      if (live) Object.assign(live.settings, { plain_text: true, unsubscribe_text: 'Leave' });
      break;
    default:
      if (meant !== undefined) edit(one, meant, scene);
  }
  await clock.sleep(LONG);
}

function edit(one: Exclude<Slip, RunSlip>, meant: Written, scene: Scene): void {
  const { written, removed } = scene;
  const added = (list: number[], id: number) => [...new Set([...list, id])];
  switch (one.do) {
    case 'cap':
      meant.cap = one.cap;
      return;
    case 'list':
      meant.lists = added(meant.lists, one.list);
      return;
    case 'lead':
      meant.ids = added(meant.ids, one.lead);
      return;
    case 'status':
      meant.status = one.status;
      return;
    case 'remove':
      removed.push(...written.splice(written.indexOf(meant), 1));
      return;
    case 'move':
      meant.file = `moved-${scene.names++}.yaml`;
      return;
    case 'rename':
      meant.name = `named-${scene.names++}`;
      return;
    case 'twin':
      if (written.length < 4) written.push({ ...meant, file: `twin-${scene.names++}.yaml` });
  }
}

/** What an observer saw of one run: what it was allowed, what it showed, what reached the service, and how it ended. */
export interface Ran {
  slip: RunSlip;
  /** The campaigns of the service when it began. */
  before: StoredCampaign[];
  /** What it showed last before it sent anything; null where it did not come so far. */
  shown: Plan | null;
  /** Writes before it said that it would send. */
  early: Recorded[];
  sent: Recorded[];
  /** How many answers were not the service's. */
  faults: number;
  ended: 'died' | Failure | ApplyResult;
}

/** Runs `apply` in a checkout, with the files as they are written now. */
export async function runApply(slip: RunSlip, scene: Scene): Promise<Ran> {
  const { folder, service, clock } = scene;
  const cwd = join(folder, slip.checkout);
  // Two people do not see each other's work at once.
  await clock.sleep(slip.checkout === scene.last?.checkout ? 1_000 : LONG);
  const first = service.requests.length;
  for (const [number, what] of slip.faults) service.answerAt(first + number, what);
  const before = structuredClone(service.store.campaigns);
  const writes = () => service.requests.slice(first).filter(({ method }) => method !== 'GET');
  let shown: Plan | null = null;
  let early = Number.POSITIVE_INFINITY;
  const struck = slip.crash && killer(slip.crash.point, slip.crash.nth);
  const world: World = {
    ...scene.connect(),
    cwd,
    env: { CAMPAIGNS_TOKEN: TOKEN },
    clock,
    now: clock.now,
    commit: async () => null,
    err() {},
  };
  const work = async (): Promise<ApplyResult> => {
    const session = await sessionOf(slip, world, scene);
    const store = struck ? struck.store(session.store) : session.store;
    const request = { session: { ...session, store }, saved: null, allow: slip.allow, requireApplied: null };
    const listener = {
      planned(plan: Plan) {
        shown = plan;
      },
      review() {},
      confirm: null,
      sending() {
        early = writes().length;
      },
      emit() {},
    };
    const interrupt = interruptOf(new AbortController().signal);
    return (await applyProject({ ...request, lockTimeout: 0 }, listener, interrupt)).result;
  };
  const ended = await work().catch((error: unknown) => {
    if (error instanceof Failure) return error;
    if (error instanceof Death) return 'died' as const;
    throw error;
  });
  // What others of its campaigns were about to do when it died.
  for (let turn = 0; ended === 'died' && turn < 20; turn += 1) await clock.sleep(0);
  const faults = service.calm();
  const sent = writes();
  return { slip, before, shown, early: sent.slice(0, early), sent, faults, ended };
}

/** What a run reads of its checkout. Nothing is read twice that is still as it was. */
async function sessionOf({ checkout, hold }: RunSlip, world: World, scene: Scene): Promise<Session> {
  const { drawn, url, written } = scene;
  const files = {
    'campaignctl.yaml': project(drawn, url),
    ...Object.fromEntries(written.map((one) => [`campaigns/${one.file}`, manifest(one)])),
  };
  const text = JSON.stringify(files);
  if (scene.last?.checkout !== checkout || scene.last.files !== text) {
    await rm(join(world.cwd, 'campaigns'), { recursive: true, force: true });
    await writeFiles(world.cwd, files);
    const session = openSession({ config: null, env: null, debug: false }, world);
    scene.last = { checkout, files: text, session };
  }
  const session = await scene.last.session;
  return { ...session, world, selection: { ...session.selection, hold: hold ? ['launch'] : [] } };
}
