/** Runs of `apply` in this process, and what an observer sees of a run. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../../../src/model/failure.js';
import type { Plan } from '../../../src/model/outputs.js';
import type { ApplyResult } from '../../../src/model/reports.js';
import { applyProject } from '../../../src/operations/apply.js';
import { openSession, type Session } from '../../../src/operations/session.js';
import { toInterrupt, type World } from '../../../src/operations/world.js';
import { fakeClock } from '../../support/clock.js';
import { writeFiles } from '../../support/command.js';
import { type Recorded, TOKEN } from '../../support/service/service.js';
import type { StoredCampaign } from '../../support/service/store.js';
import type { RunSlip, Scenario, Written } from './draws.js';
import { Death, killer } from './killer.js';
import { byHand, filesOf, LONG, noteMailed, onlyOf, openScene, type Scene } from './slips.js';

export interface Ran {
  slip: RunSlip;
  /** The manifests of the run. */
  asked: Written[];
  /** The service's campaigns at the start, and what each had mailed. */
  before: StoredCampaign[];
  mailed: Scene['mailed'];
  /** The last plan before anything was sent; `null` if there was none. */
  shown: Plan | null;
  /** Output of a process. */
  printed?: string;
  requests: Recorded[];
  /** Number of requests before the run announced a write or wrote. */
  from: number;
  /** Campaigns that a person launched or paused during the run, each before a request. */
  hands: { id: number; before: number }[];
  faults: number;
  ended: Ended;
}

/** `refused`: the run says that it sent nothing. `said`: its code, if any. */
export interface Ended {
  result: 'done' | 'incomplete' | 'refused' | 'died';
  said: string;
}

export const writesOf = ({ requests }: Pick<Ran, 'requests'>) =>
  requests.filter(({ method }) => method !== 'GET');

/** A scene whose runs are in this process. */
export interface InProcess extends Scene {
  clock: ReturnType<typeof fakeClock>;
  url: string;
  connect(): Pick<World, 'wire'>;
  last: { checkout: string; files: string; session: Promise<Session> } | null;
}

export function openRuns(
  input: Pick<InProcess, 'folder' | 'service' | 'url' | 'connect'> & { drawn: Scenario },
): InProcess {
  const clock = fakeClock();
  const { url, connect } = input;
  return { ...openScene({ ...input, clock }), clock, url, connect, last: null };
}

export function beside({
  slip,
  scene,
}: {
  slip: RunSlip;
  scene: Scene;
}): () => Pick<Ran, 'slip' | 'asked' | 'before' | 'mailed' | 'requests' | 'hands' | 'faults'> {
  const { service } = scene;
  const only = onlyOf(slip, scene);
  const first = service.requests.length;
  const hands: Ran['hands'] = [];
  for (const [number, what] of slip.faults) service.answerAt(first + number, what);
  for (const { at, does } of slip.hands)
    service.actAt(first + at, () => {
      const live = byHand(does, scene);
      // Before the first read, it is equivalent to a change before the run, if it is visible immediately.
      if (service.requests.length === first && scene.drawn.lag === 0) stand();
      else if (live !== null) hands.push({ id: live.id, before: service.requests.length - first });
    });
  let before: Ran['before'] = [];
  let mailed: Ran['mailed'] = new Map();
  const stand = () => {
    noteMailed(scene);
    mailed = new Map([...scene.mailed].map(([id, keys]) => [id, new Set(keys)]));
    before = structuredClone(service.store.campaigns);
  };
  stand();
  const asked = only === null ? structuredClone(scene.written) : [{ ...only }];
  // Without manifests, none can be named.
  const meant = { ...slip, only: only === null ? null : slip.only };
  return () => {
    const faults = service.calm();
    noteMailed(scene);
    return { slip: meant, asked, before, mailed, requests: service.requests.slice(first), hands, faults };
  };
}

/** Runs `apply` in a checkout, with the files as they are written now. */
export async function runApply(slip: RunSlip, scene: InProcess): Promise<Ran> {
  const { folder, service, clock } = scene;
  const cwd = join(folder, slip.checkout);
  // Two people do not see each other's work immediately.
  await clock.sleep(slip.checkout === scene.last?.checkout ? 1_000 : LONG);
  const first = service.requests.length;
  const seen = beside({ slip, scene });
  let shown: Plan | null = null;
  let from = Number.POSITIVE_INFINITY;
  const struck = slip.crash && killer(slip.crash.point, slip.crash.nth);
  const world: World = {
    ...scene.connect(),
    cwd,
    env: { CAMPAIGNS_TOKEN: TOKEN },
    clock,
    now: clock.now,
    err() {},
  };
  const work = async (): Promise<ApplyResult> => {
    const session = await sessionOf(slip, world, scene);
    const mortal = { ...world, ...(struck && { store: struck.store }) };
    const opened = { ...session, place: { ...session.place, world: mortal } };
    const request = { session: opened, saved: null, allow: slip.allow };
    const listener = {
      review(plan: Plan) {
        shown = plan;
      },
      confirm: null,
      sending() {
        from = service.requests.length - first;
      },
      emit() {},
    };
    const interrupt = toInterrupt(new AbortController().signal);
    return (await applyProject({ ...request, lockTimeout: 0 }, listener, interrupt)).result;
  };
  const ended = await work().then(
    ({ result }): Ended => ({ result, said: result }),
    (error: unknown): Ended => {
      if (error instanceof Failure) return { result: 'refused', said: error.code };
      if (error instanceof Death) return { result: 'died', said: 'died' };
      throw error;
    },
  );
  for (let turn = 0; ended.result === 'died' && turn < 20; turn += 1) await clock.sleep(0);
  return { ...seen(), shown, from, ended };
}

async function sessionOf(slip: RunSlip, world: World, scene: InProcess): Promise<Session> {
  const { checkout, hold, refresh } = slip;
  const only = onlyOf(slip, scene);
  const files = filesOf(scene, scene.url);
  const flags = {
    files: slip.only?.by === 'file' && only !== null ? [`campaigns/${only.file}`] : [],
    target: slip.only?.by === 'target' && only !== null ? [only.name] : [],
  };
  const text = JSON.stringify([files, flags]);
  if (scene.last?.checkout !== checkout || scene.last.files !== text) {
    await rm(join(world.cwd, 'campaigns'), { recursive: true, force: true });
    await writeFiles(world.cwd, files);
    const session = openSession({ config: null, env: null, debug: false, ...flags }, world);
    scene.last = { checkout, files: text, session };
  }
  const session = await scene.last.session;
  const selection = { ...session.selection, hold: hold ? ['launch' as const] : [] };
  return { ...session, place: { ...session.place, world }, selection, refresh };
}

/** A wire with latency. */
export function slowly(wire: NonNullable<World['wire']>, ms: number, clock: InProcess['clock']): typeof wire {
  if (ms === 0) return wire;
  return {
    ...wire,
    async exchange(request, timeout) {
      await clock.sleep(ms);
      return wire.exchange(request, timeout);
    },
  };
}
