/**
 * Mistakes of people and pipelines in any order, with faults and crashes: manifests are edited, removed, moved, renamed and
 * pinned; the state is restored from an old copy or lost; a second checkout applies; people use the web app, even during a
 * run; flags are set or forgotten; clocks are adjusted. The service has unusual words and habits. Responses are lost, cut,
 * wrong or late. Runs die at any write, and later runs continue. The expected result does not come from the planner: see
 * `observer.ts`. `TRUST_CASES` sets the number of cases, `TRUST_SEED` the first one.
 */
import fc from 'fast-check';
import { it } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { openService, startService } from '../../support/service/service.js';
import { wireTo } from '../../support/service/wire.js';
import { type Scenario, scenario } from './draws.js';
import { counter, live } from './life.js';
import { type InProcess, openRuns, runApply, slowly } from './runs.js';

const CASES = Number(process.env.TRUST_CASES ?? 10);
const SEED = Number(process.env.TRUST_SEED ?? 20261122);

const count = counter();

/** In this process, without a network. */
async function survives(drawn: Scenario): Promise<void> {
  const service = openService(drawn.shape, { campaigns: [], templates: [] });
  const url = 'https://send.example.com';
  await withFolder((folder) => {
    const connect = () => ({ wire: slowly(wireTo(service), drawn.latency, scene.clock) });
    const scene: InProcess = openRuns({ folder, drawn, service, url, connect });
    return live(scene, count, (slip) => runApply(slip, scene));
  });
}

async function survivesOverHttp(drawn: Scenario): Promise<void> {
  const service = await startService(drawn.shape, { campaigns: [], templates: [] });
  const { url } = service;
  try {
    await withFolder((folder) => {
      const scene = openRuns({ folder, drawn, service, url, connect: () => ({}) });
      return live(scene, count, (slip) => runApply(slip, scene));
    });
  } finally {
    await service.close();
  }
}

it(`${CASES} cases from seed ${SEED}`, { timeout: 60_000 + CASES * 2_000 }, () =>
  fc.assert(fc.asyncProperty(scenario, survives), { numRuns: CASES, seed: SEED }),
);

it('two cases over HTTP', { timeout: 60_000 }, () =>
  fc.assert(fc.asyncProperty(scenario, survivesOverHttp), { numRuns: 2, seed: SEED }),
);
