/**
 * The slips of `slips.test.ts` with real connections and real processes of the built program, which receive signals at any
 * moment. Their time runs faster, and their clocks are adjusted while they run. `TRUST_CASES` sets the number of cases,
 * `TRUST_SEED` the first one.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { startService } from '../../support/service/service.js';
import { counter, live } from './life.js';
import { killed, openProcesses, runProcess, SPEED } from './processes.js';

const CASES = Number(process.env.TRUST_CASES ?? 1);
const SEED = Number(process.env.TRUST_SEED ?? 20261122);
const count = counter();

type Drawn = typeof killed extends fc.Arbitrary<infer Value> ? Value : never;

async function survives({ drawn, signals }: Drawn): Promise<void> {
  const began = performance.now();
  const latency = drawn.latency / SPEED;
  const service = await startService(drawn.shape, { campaigns: [], templates: [] }, { latency });
  try {
    await withFolder((folder) => {
      const scene = openProcesses({ folder, drawn, service, signals });
      return live(scene, count, async (slip) => {
        const ran = await runProcess(slip, scene);
        if (ran.signalled) count('signals');
        return ran;
      });
    });
    expect(service.violations).toEqual([]);
  } finally {
    await service.close();
    count('milliseconds', Math.round(performance.now() - began));
  }
}

it(`${CASES} cases from seed ${SEED}`, { timeout: 60_000 + CASES * 20_000 }, () =>
  // Cases are not shrunk, because that would take hours.
  fc.assert(fc.asyncProperty(killed, survives), { numRuns: CASES, seed: SEED, endOnFailure: true }),
);
