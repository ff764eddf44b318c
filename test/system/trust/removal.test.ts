/**
 * A campaign whose manifest was removed is paused by a run that crashes at any point, or whose response is lost. The next
 * run continues.
 */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { withFolder } from '../../support/folder.js';
import { LOST_ANSWERS } from '../../support/service/faults.js';
import { openService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { wireTo } from '../../support/service/wire.js';
import { openStore } from '../../support/state.js';
import { type RunSlip, type Scenario, WHOLE_RUN } from './draws.js';
import { observe } from './observer.js';
import { type InProcess, openRuns, runApply, writesOf } from './runs.js';
import { slipUp } from './slips.js';

/** Two manifests that were never applied, with `on_removal: pause`. */
async function opened(
  lag: Scenario['lag'],
  use: (scene: InProcess) => Promise<void>,
  parallelism = 8,
): Promise<void> {
  const shape = shaped({});
  const service = openService(shape, { campaigns: [], templates: [] });
  const drawn: Scenario = {
    ...{
      campaigns: 2,
      slips: [],
      shape,
      lag,
      latency: 0,
      sync: 0,
      createdAs: 'draft',
      words: 'usual',
      told: true,
    },
    ...{ stranger: false, onRemoval: 'pause', removalOf: 'project', repeat: 'unknown' },
    parallelism,
  };
  await withFolder(async (folder) => {
    const connect = () => ({ wire: wireTo(service) });
    const url = 'https://send.example.com';
    await use(openRuns({ folder, drawn, service, url, connect }));
    expect(service.violations).toEqual([]);
  });
}

const statuses = ({ service }: InProcess) => service.store.campaigns.map(({ status }) => status);

/** A launched campaign that must be paused because its manifest was removed. */
function removed(lag: Scenario['lag'], use: (scene: InProcess) => Promise<void>): Promise<void> {
  const work = async (scene: InProcess) => {
    await runApply(WHOLE_RUN, scene);
    expect(statuses(scene)).toEqual(['active', 'active']);
    await slipUp({ do: 'remove', which: 0 }, scene);
    await use(scene);
  };
  // Created in sequence, so that ids are predictable.
  return opened(lag, work, 1);
}

/** Runs until one sends nothing. */
async function rest(scene: InProcess): Promise<void> {
  for (let times = 0; ; times += 1) {
    const ran = await runApply(WHOLE_RUN, scene);
    observe(ran, scene);
    if (writesOf(ran).length === 0) return;
    expect(times).toBeLessThan(3);
  }
}

/** Runs until a run sends nothing. The campaign is then paused, and was read before each further pause. */
async function converges(first: Partial<RunSlip>, scene: InProcess): Promise<void> {
  const { service } = scene;
  const from = service.requests.length;
  const struck = await runApply({ ...WHOLE_RUN, ...first }, scene);
  if (first.crash) expect(struck.ended.result).toBe('died');
  observe(struck, scene);
  await rest(scene);
  expect(statuses(scene)).toEqual(['paused', 'active']);
  const log = service.requests.slice(from).map(({ method, path }) => `${method} ${path}`);
  const pauses = log.flatMap((line, at) => (line.endsWith('/pause') ? [at] : []));
  expect(pauses.length).toBeGreaterThan(0);
  for (const [index, at] of pauses.entries()) {
    const between = log.slice((pauses[index - 1] ?? -1) + 1, at);
    expect(between).toContain('GET /api/campaigns/101');
  }
}

describe.each([0, 7_000] as const)('on a service that lags by %d ms', (lag) => {
  it.each([
    'before it is noted',
    'once it is noted',
    'before its outcome is noted',
    'once its outcome is noted',
    'before the record',
    'once the record is there',
  ] as const)('a run that crashes %s', (point) =>
    removed(lag, (scene) => converges({ crash: { point, nth: 1 } }, scene)),
  );

  it.each(
    LOST_ANSWERS.flatMap(([name, fault]) =>
      [null, { point: 'once its outcome is noted', nth: 1 } as const].map((crash) => ({
        name,
        fault,
        crash,
      })),
    ),
  )('whose response is lost ($name), by a run that then crashes: $crash.point', ({ fault, crash }) =>
    removed(lag, async (scene) => {
      scene.service.answerThen('PATCH', '/api/campaigns/101/pause', fault);
      await converges({ crash }, scene);
    }),
  );
});

type Edit = Extract<Parameters<typeof slipUp>[0], { which: number }>;
const pin = (which: number, campaign: number): Edit => ({ do: 'pin', which, campaign });
const on = (what: 'remove' | 'move' | 'rename' | 'twin', which: number): Edit => ({ do: what, which });

/**
 * A run crashes, manifests are edited, and runs follow until one sends nothing. Each campaign is then known and has its
 * list once.
 */
async function edited(crash: RunSlip['crash'], edits: readonly Edit[], scene: InProcess): Promise<void> {
  const { ended } = await runApply({ ...WHOLE_RUN, crash }, scene);
  expect(ended.result).toBe('died');
  // Two creations run concurrently, so edits apply to the manifest of the first or second campaign created.
  const isSwapped = scene.service.store.campaigns[0]?.name !== scene.written[0]?.name;
  const swapped = (which: number) => (isSwapped && which < 2 ? 1 - which : which);
  for (const edit of edits) await slipUp({ ...edit, which: swapped(edit.which) }, scene);
  await rest(scene);
  const store = openStore(join(scene.folder, 'a/.campaignctl/state/production'), scene.url);
  const known = (await store.readAll()).map(({ id }) => id).sort();
  const { campaigns } = scene.service.store;
  expect([known, await store.pending()]).toEqual([campaigns.map(({ id }) => id), []]);
  for (const { lists, status } of campaigns) expect(lists).toEqual(status === 'draft' ? [] : [1]);
}

describe('a campaign created by a run that crashed before it wrote an entry is known, whatever happened to the manifests:', () => {
  it.each<[string, Edit[], made: string, launched: string]>([
    [
      'one is gone, and the other pins its campaign',
      [on('remove', 0), pin(0, 0)],
      'active draft',
      'active paused',
    ],
    [
      'one is gone, and the other pins its own',
      [pin(1, 1), on('remove', 0)],
      'draft active',
      'paused active',
    ],
    ['each pins that of the other', [pin(0, 1), pin(1, 0)], 'active active', 'active active'],
    [
      'both are gone, and a new one is there',
      [on('twin', 0), on('rename', 2), on('remove', 1), on('remove', 0)],
      'draft draft active',
      'paused paused active',
    ],
    [
      'one was moved, and the other is gone',
      [on('move', 0), on('remove', 1)],
      'active draft',
      'active paused',
    ],
    ['one was renamed', [on('rename', 0)], 'draft active active', 'paused active active'],
    [
      'one was moved and renamed',
      [on('rename', 0), on('move', 0)],
      'draft active active',
      'paused active active',
    ],
  ])('%s', async (_, edits, initial, launched) => {
    await opened(0, async (scene) => {
      await edited({ point: 'before its outcome is noted', nth: 1 }, edits, scene);
      expect(statuses(scene).join(' ')).toBe(initial);
    });
    await opened(0, async (scene) => {
      await edited({ point: 'before the record', nth: 1 }, edits, scene);
      expect(statuses(scene).join(' ')).toBe(launched);
    });
  });
});
