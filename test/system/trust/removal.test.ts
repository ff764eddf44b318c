/** A campaign whose manifest was removed is paused by a run that dies, or whose answer is lost, at any point of it; the next run goes on. */
import { describe, expect, it } from 'vitest';
import { HAZARD_NAMES } from '../../../src/model/environment.js';
import { withFolder } from '../../support/folder.js';
import { type Fault, openService } from '../../support/service/service.js';
import { shaped } from '../../support/service/shape.js';
import { wireTo } from '../../support/service/wire.js';
import type { RunSlip, Scenario } from './draws.js';
import { observe } from './observer.js';
import { type InProcess, openRuns, runApply, writesOf } from './runs.js';
import { slipUp } from './slips.js';

const RUN: RunSlip = {
  ...{ do: 'apply', checkout: 'a', hold: false, faults: [], crash: null, only: null, hands: [] },
  allow: [...HAZARD_NAMES],
};

/** A campaign that was launched from here, and is to be paused since its manifest was removed. */
async function removed(lag: Scenario['lag'], use: (scene: InProcess) => Promise<void>): Promise<void> {
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
      made: 'draft',
      words: 'usual',
      told: true,
    },
    ...{ stranger: false, onRemoval: 'pause', removalOf: 'project', repeat: 'unknown' },
  };
  await withFolder(async (folder) => {
    const connect = () => ({ wire: wireTo(service) });
    const url = 'https://send.example.com';
    const scene = openRuns({ folder, drawn, service, url, connect });
    await runApply(RUN, scene);
    expect(service.store.campaigns.map(({ status }) => status)).toEqual(['active', 'active']);
    await slipUp({ do: 'remove', which: 0 }, scene);
    await use(scene);
    expect(service.violations).toEqual([]);
  });
}

/** Runs until one sends nothing: the campaign is paused then, and was read before each further pause. */
async function converges(first: Partial<RunSlip>, scene: InProcess): Promise<void> {
  const { service } = scene;
  const from = service.requests.length;
  const struck = await runApply({ ...RUN, ...first }, scene);
  if (first.crash) expect(struck.ended.result).toBe('died');
  observe(struck, scene);
  for (let times = 0; ; times += 1) {
    const ran = await runApply(RUN, scene);
    observe(ran, scene);
    if (writesOf(ran).length === 0) break;
    expect(times).toBeLessThan(3);
  }
  expect(service.store.campaigns.map(({ status }) => status)).toEqual(['paused', 'active']);
  const log = service.requests.slice(from).map(({ method, path }) => `${method} ${path}`);
  const pauses = log.flatMap((line, at) => (line.endsWith('/pause') ? [at] : []));
  expect(pauses.length).toBeGreaterThan(0);
  for (const [index, at] of pauses.entries()) {
    const between = log.slice((pauses[index - 1] ?? -1) + 1, at);
    expect(between).toContain('GET /api/campaigns/101');
  }
}

describe.each([0, 7_000] as const)('on a service that shows what it did %d ms later', (lag) => {
  it.each([
    'before it is noted',
    'once it is noted',
    'before its outcome is noted',
    'once its outcome is noted',
    'before the record',
    'once the record is there',
  ] as const)('a run that dies %s', (point) =>
    removed(lag, (scene) => converges({ crash: { point, nth: 1 } }, scene)),
  );

  const faults: [string, Fault][] = [false, true].flatMap((effect): [string, Fault][] => [
    [`reset, effect: ${effect}`, { reset: true, effect }],
    [`500, effect: ${effect}`, { status: 500, body: { message: 'Server Error' }, effect }],
    [`408, effect: ${effect}`, { status: 408, body: { message: 'Timeout' }, effect }],
    [`HTML, effect: ${effect}`, { status: 200, body: '<html></html>', effect }],
  ]);
  it.each(faults)('whose answer is lost (%s)', (_, fault) =>
    removed(lag, async (scene) => {
      scene.service.answerThen('PATCH', '/api/campaigns/101/pause', fault);
      await converges({}, scene);
    }),
  );

  it.each(faults)('whose answer is lost (%s), by a run that dies then', (_, fault) =>
    removed(lag, async (scene) => {
      scene.service.answerThen('PATCH', '/api/campaigns/101/pause', fault);
      await converges({ crash: { point: 'once its outcome is noted', nth: 1 } }, scene);
    }),
  );
});
