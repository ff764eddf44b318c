/**
 * Real processes that are killed at any request, between which older versions of the state's entries come back, as after `git stash`
 * or a restored backup. `TRUST_CASES` sets the number of cases, `TRUST_SEED` where they begin.
 */
import { cp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { writeFiles } from '../../support/command.js';
import { withFolder } from '../../support/folder.js';
import { startService, type TestService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { fastClock, start } from './processes.js';

const CASES = Number(process.env.TRUST_CASES ?? 2);
const SEED = Number(process.env.TRUST_SEED ?? 20261124);
const NAMES = ['Spring', 'Summer'];
const STATE = '.campaignctl/state/production';

/** A run attaches these leads, is killed at a request or not, and then entries of an earlier run come back. */
const applied = fc.record({
  lists: fc.tuple(fc.subarray([1, 2, 3, 4]), fc.subarray([1, 2, 3, 4])),
  ids: fc.subarray([11, 12, 13]),
  killed: fc.option(fc.record({ request: fc.integer({ min: 3, max: 14 }), effect: fc.boolean() }), {
    freq: 3,
  }),
  back: fc.array(fc.nat({ max: 4 }), { minLength: 2, maxLength: 2 }),
});
type Applied = typeof applied extends fc.Arbitrary<infer Value> ? Value : never;

/** A whole first run, so that leads are attached wherever the signals hit. */
const FIRST: Applied = { lists: [[1, 2], [3]], ids: [11], killed: null, back: [0, 0] };

const counts = { attached: 0, killed: 0 };

async function survives(runs: readonly Applied[]): Promise<void> {
  const service = await startService(shaped({ totals: 'hidden' }), { campaigns: [], templates: [] });
  const clock = fastClock({ lag: 0 });
  try {
    await withFolder(async (folder) => {
      for (const [at, run] of runs.entries()) {
        await writeProject(folder, service, run);
        await applyOnce(folder, service, { run, clock });
        await cp(join(folder, STATE), join(folder, 'versions', `${at}`), { recursive: true });
        await restoreEntries(folder, at, run.back);
        clock.jump(120_000);
      }
    });
    for (const { lists, leads } of service.store.campaigns) {
      expect(lists).toEqual([...new Set(lists)]);
      expect(leads).toEqual([...new Set(leads)]);
      counts.attached += lists.length;
    }
    expect(new Set(service.store.campaigns.map(({ name }) => name)).size).toBe(
      service.store.campaigns.length,
    );
  } finally {
    await service.close();
  }
}

async function writeProject(folder: string, service: TestService, { lists, ids }: Applied) {
  const manifests = NAMES.map((name, at) => [
    `campaigns/${name}.yaml`,
    `name: ${name}\nleads: { lists: [${lists[at]}], ids: [${at === 0 ? ids : ''}] }\n`,
  ]);
  await writeFiles(folder, {
    'campaignctl.yaml': `version: 1
manifests: ["campaigns/*.yaml"]
lint: { shared-lead-list: off }
environments: { production: { base_url: "${service.url}", token_env: CAMPAIGNS_TOKEN, allow: [shared-leads] } }
`,
    ...Object.fromEntries(manifests),
  });
}

async function applyOnce(
  folder: string,
  service: TestService,
  { run: { killed }, clock }: { run: Applied; clock: ReturnType<typeof fastClock> },
) {
  const child = start(folder, ['apply', '--yes'], clock.now());
  if (killed !== null) {
    const number = service.requests.length + killed.request;
    service.actAt(number, () => {
      counts.killed++;
      child.kill('SIGKILL');
    });
    if (!killed.effect) service.answerAt(number, { reset: true, effect: false });
  }
  const { code, out, err } = await child.ended;
  service.calm();
  await service.left();
  expect([0, 3, 4, -1], `${out}${err}`).toContain(code);
}

/** Replaces each entry by the version it had some runs ago; journals stay as they are. */
async function restoreEntries(folder: string, at: number, back: readonly number[]) {
  const entries = (await readdir(join(folder, STATE))).filter((name) => /^\d+\.json$/.test(name)).sort();
  for (const [index, name] of entries.entries()) {
    const version = join(folder, 'versions', `${Math.max(0, at - (back[index] ?? 0))}`, name);
    await rm(join(folder, STATE, name));
    await cp(version, join(folder, STATE, name)).catch(() => undefined);
  }
}

it(`${CASES} histories from seed ${SEED}`, { timeout: 60_000 + CASES * 20_000 }, async () => {
  const histories = fc.array(applied, { minLength: 2, maxLength: 5 }).map((runs) => [FIRST, ...runs]);
  await fc.assert(fc.asyncProperty(histories, survives), { numRuns: CASES, seed: SEED, endOnFailure: true });
  expect(counts.attached).toBeGreaterThan(0);
  if (process.env.TRUST_CASES !== undefined) console.log(counts);
});
