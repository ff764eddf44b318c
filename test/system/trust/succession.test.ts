/** A campaign replaces another in a run that crashes at any point. The two are never running at the same time. */
import { rm } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { serviceAddress } from '../../../src/model/environment.js';
import { type RunOptions, run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { LOST_ANSWERS } from '../../support/service/faults.js';
import { openService, type Service } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import { wireTo } from '../../support/service/wire.js';
import { openStore } from '../../support/state.js';
import { SPEC } from './full-campaign.js';
import { Death, dies, killer, POINTS } from './killer.js';

const OLD = campaign('spring.yaml', SPEC);
const NEW = campaign('spring.yaml', { ...SPEC, name: 'Spring 2', replaces: OLD.spec.name });
/** Pause, create, settings, schedule, sequence, variants, list, leads, launch. */
const WRITES = [1, 2, 3, 4, 5, 6, 7, 8, 9];

interface Scene {
  service: Service;
  usual: RunOptions;
}

/**
 * The old campaign is running, unless the run that launches it crashes. From here on, the two are never both running at any
 * request.
 */
const scene = (
  shape: Partial<Shape>,
  use: (scene: Scene) => Promise<void>,
  dying: Partial<RunOptions> | null = null,
) =>
  withFolder(async (folder) => {
    const service = openService(shaped(shape), { campaigns: [], templates: [] });
    const usual: RunOptions = {
      ...{ url: 'https://send.example.com', wire: () => wireTo(service), folder, campaigns: [NEW] },
      environment: environment({ attach_repeat: 'safe' }),
    };
    const draft = campaign('spring.yaml', { ...SPEC, status: 'paused' });
    const first = dying === null ? OLD : draft;
    expect((await run({ ...usual, campaigns: [first] })).result).toBe('done');
    if (dying !== null) await dies(run({ ...usual, ...dying, campaigns: [OLD] }));
    const running = () => service.store.campaigns.filter(({ status }) => /active|queued/.test(status));
    const from = service.requests.length;
    for (let nth = 1; nth < 400; nth += 1)
      service.actAt(from + nth, () => expect(running().length).toBeLessThan(2));
    await use({ service, usual });
    expect(service.violations).toEqual([]);
  });

/** Runs until a run sends nothing. The old campaign is then idle, the new one is running, and there are only two. */
async function converges({ service, usual }: Scene): Promise<void> {
  for (let times = 0; ; times += 1) {
    const { plan, result } = await run(usual);
    const codes = plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
    // Only a declared pause resolves this doubt.
    const isInDoubt = codes.includes('launch-in-doubt') || codes.includes('unknown-status');
    if (plan.summary.requests === 0 && !isInDoubt) {
      expect(plan).toMatchObject({ removed: [], replaced: [], summary: { unchanged: 1 } });
      break;
    }
    expect(times, JSON.stringify(result)).toBeLessThan(4);
    if (isInDoubt)
      await run({ ...usual, campaigns: [campaign('spring.yaml', { ...NEW.spec, status: 'paused' })] });
  }
  const seen = service.store.campaigns.map(({ name, status, lists, leads, steps }) => {
    // If repeating is declared safe, doubtful leads are attached again.
    return { name, status, lists: [...new Set(lists)], leads: [...new Set(leads)], emails: steps.length };
  });
  expect(seen).toEqual([
    { ...{ name: 'Spring installers', status: 'paused' }, lists: [5], leads: [1, 2, 3], emails: 3 },
    { ...{ name: 'Spring 2', status: 'active' }, lists: [5], leads: [1, 2, 3], emails: 3 },
  ]);
  const entries = await openStore(usual.folder, serviceAddress(usual.environment)).readAll();
  expect(entries.map(({ name, recorded }) => [name, recorded.superseded_by])).toEqual([
    ['Spring installers', service.store.campaigns[1]?.id],
    ['Spring 2', undefined],
  ]);
}

// Without statuses, the outcomes of pause, creation and launch may differ.
describe.each([
  ['shows its statuses', {}, WRITES],
  ['shows none', { status: 'hidden' }, [1, 2, 9]],
] as [string, Partial<Shape>, number[]][])('on a service that %s', (_, shape, writes) => {
  describe.each(POINTS)('a run that crashes %s', (point) => {
    it.each(writes)('is completed by the next ones: write %d', (nth) =>
      scene(shape, async (local) => {
        await dies(run({ ...local.usual, ...killer(point, nth) }));
        await converges(local);
      }),
    );
  });

  it.each([1, 2, 3])('a run that crashes at its end, before record %d', (nth) =>
    scene(shape, async (inner) => {
      let saved = 0;
      const store: RunOptions['store'] = (real) => ({
        ...real,
        async save(entry) {
          saved += 1;
          if (saved >= nth) throw new Death('killed');
          await real.save(entry);
        },
      });
      await run({ ...inner.usual, store }).catch((error) => expect(error).toBeInstanceOf(Death));
      await converges(inner);
    }),
  );

  it.each(LOST_ANSWERS)('the response to the pause is lost (%s)', (_fault, fault) =>
    scene(shape, async (current) => {
      current.service.answerThen('PATCH', '/api/campaigns/101/pause', fault);
      await run(current.usual);
      await converges(current);
    }),
  );
});

describe.each(['once it has its effect', 'before its outcome is noted'] as const)(
  'the run that launched the old one crashed %s',
  (point) => {
    it.each([{}, { status: 'hidden' as const }])('and it is paused first: %o', (shape) =>
      scene(shape, converges, killer(point, 1)),
    );
  },
);

it('a pause that an earlier run recorded is sent again if the service shows no status, because a person may have launched the old one since', () =>
  scene({ status: 'hidden' }, async (local) => {
    await dies(run({ ...local.usual, ...killer('once its outcome is noted', 1) }));
    const [old] = local.service.store.campaigns;
    if (old !== undefined) old.status = 'active';
    await converges(local);
    expect(local.service.writes().filter(({ path }) => path.endsWith('/pause'))).toHaveLength(2);
  }));

it('the state is lost with its disk', () =>
  scene({}, async (local) => {
    await dies(run({ ...local.usual, ...killer('once it has its effect', 4) }));
    await rm(local.usual.folder, { recursive: true });
    await converges(local);
  }));
