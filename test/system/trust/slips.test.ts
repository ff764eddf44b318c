/**
 * Slips of people and pipelines, in any order and among faults and crashes: manifests that are edited, removed, moved and renamed, an
 * old state put back or lost, a second checkout, a hand in the web app, flags that are set or forgotten; answers that are lost, cut,
 * wrong or late; runs that die at any write, and runs that go on afterwards. Nothing here asks the planner what is right: see
 * `observer.ts`. `TRUST_CASES` sets the number of cases, `TRUST_SEED` where they begin.
 */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import { withFolder } from '../../support/folder.js';
import { openService, startService } from '../../support/service/service.js';
import { wireTo } from '../../support/service/wire.js';
import { observe } from './observer.js';
import {
  HAZARDS,
  openScene,
  type Ran,
  type RunSlip,
  runApply,
  type Scenario,
  type Scene,
  scenario,
  slipUp,
} from './slips.js';

const CASES = Number(process.env.TRUST_CASES ?? 50);
const SEED = Number(process.env.TRUST_SEED ?? 20261122);

const counts: Record<string, number> = {};
const count = (what: string, times = 1) => {
  counts[what] = (counts[what] ?? 0) + times;
};
afterAll(() => {
  if (process.env.TRUST_CASES === undefined) return;
  const lines = Object.entries(counts).sort(([a], [b]) => a.localeCompare(b));
  console.log(lines.map(([what, times]) => `${String(times).padStart(8)}  ${what}`).join('\n'));
});

/** In this process, without a network. */
async function survives(drawn: Scenario): Promise<void> {
  const service = openService(drawn.shape, { campaigns: [], templates: [] });
  const connect = () => ({ wire: wireTo(service) });
  await withFolder((folder) =>
    live(openScene({ folder, drawn, service, url: 'https://send.example.com', connect })),
  );
}

async function survivesOverHttp(drawn: Scenario): Promise<void> {
  const service = await startService(drawn.shape, { campaigns: [], templates: [] });
  const { url } = service;
  try {
    await withFolder((folder) => live(openScene({ folder, drawn, service, url, connect: () => ({}) })));
  } finally {
    await service.close();
  }
}

async function live(scene: Scene): Promise<void> {
  count('cases');
  for (const one of scene.drawn.slips) {
    if (one.do !== 'apply') {
      count(`slip: ${one.do}`);
      await slipUp(one, scene);
    } else await seen(one, scene);
  }
  await goOn(scene);
  expect(scene.service.violations).toEqual([]);
}

async function seen(slip: RunSlip, scene: Scene): Promise<Ran> {
  const ran = await runApply(slip, scene);
  observe(ran, scene);
  const { ended, sent } = ran;
  count(`runs in checkout ${slip.checkout}`);
  count('requests that changed something', sent.filter(({ effect }) => effect !== null).length);
  count('launches', sent.filter(({ effect }) => effect === 'resumed').length);
  count('faults', ran.faults);
  if (ended === 'died') count('crashes');
  else count(ended instanceof Failure ? `refused: ${ended.code}` : `ended: ${ended.result}`);
  return ran;
}

/** In the end, with everything allowed and no faults any more, runs come to rest. */
async function goOn(scene: Scene): Promise<void> {
  const { drawn, service } = scene;
  const slip = {
    ...({ do: 'apply', checkout: 'a', hold: false, faults: [], crash: null } as const),
    allow: [...HAZARDS],
  };
  for (let times = 1; ; times += 1) {
    const { sent, ended } = await seen(slip, scene);
    if (sent.length === 0) {
      const rest = ended instanceof Failure ? ended.code : ended === 'died' ? ended : ended.result;
      return count(`at rest: ${rest}`);
    }
    if (times === 5 && drawn.shape.resume === 'failed') return count('at rest: every launch fails');
    expect(times, JSON.stringify(service.writes().slice(-6))).toBeLessThan(5);
  }
}

it(`${CASES} cases from seed ${SEED}`, { timeout: 60_000 + CASES * 2_000 }, () =>
  fc.assert(fc.asyncProperty(scenario, survives), { numRuns: CASES, seed: SEED }),
);

it('5 cases over HTTP', { timeout: 60_000 }, () =>
  fc.assert(fc.asyncProperty(scenario, survivesOverHttp), { numRuns: 5, seed: SEED }),
);
