/** How long `pause` waits for the state, the lock and git, with a clock that only the test moves. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunStart } from '../../src/model/state.js';
import { openPauseRecord } from '../../src/operations/pause-record.js';
import { openPlace, type ProjectPlace } from '../../src/operations/place.js';
import { preparePause } from '../../src/operations/prepare-pause.js';
import { NOTHING_KNOWN } from '../../src/operations/suspects.js';
import { toInterrupt } from '../../src/operations/world.js';
import { memoryRemote } from '../support/branch.js';
import { entryOf } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { withProject } from '../support/project.js';
import { TOKEN } from '../support/service/service.js';
import { draft } from '../support/service/store.js';
import { wireTo } from '../support/service/wire.js';
import { type BackendName, stateKeys } from '../support/state.js';
import { recordWaits } from '../support/waits.js';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

const later = <T>(value: T, milliseconds: number) =>
  new Promise<T>((resolve) => setTimeout(resolve, milliseconds, value));
const advance = () => vi.advanceTimersByTimeAsync(10_000);

/** A place of campaign 1, and the starts of the runs that it records. */
const withPlace = (backend: BackendName, use: (place: ProjectPlace, starts: RunStart[]) => Promise<void>) =>
  withProject(
    { campaigns: [draft(1, 'Spring')], environment: stateKeys(backend) },
    async ({ folder, service }) => {
      const starts: RunStart[] = [];
      const clock = fakeClock();
      const world: ProjectPlace['world'] = {
        ...{ cwd: folder, env: { CAMPAIGNS_TOKEN: TOKEN }, clock, now: clock.now, err() {} },
        wire: wireTo(service, service.url),
        openBranch: memoryRemote().open,
        store: (files) => ({
          ...files,
          begin(start, now) {
            starts.push(start);
            return files.begin(start, now);
          },
        }),
      };
      await use(await openPlace({ config: null, env: null, debug: false }, world), starts);
    },
  );

test.each([
  ['a question', 5_000, { isUrgent: false }],
  ['the first request', 800, { isUrgent: true }],
] as const)('%s waits for the state and the lock for %i ms', (_, most, { isUrgent }) =>
  withPlace('in a folder', async (place) => {
    const at = '2026-11-02T09:00:00Z';
    const holder = { id: '1', who: 'ada', host: 'other', pid: 7, space: null, started: null, at };
    const preparedAfter = async (milliseconds: number) => {
      const { waits, of } = recordWaits();
      const store = {
        ...place.store,
        readAll: () => later([entryOf(1, 'spring.yaml')], milliseconds),
        pending: async () => [],
      };
      const held = () => later({ holder, alive: true, isOwn: false, lease: null }, milliseconds);
      const preparing = preparePause(
        { ...place, store, waits, backend: { ...place.backend, held } },
        { selection: { names: ['Spring'], all: false, unmanaged: false }, isUrgent, idsMeanRows: true },
        toInterrupt(new AbortController().signal),
      );
      await advance();
      const { known, plan } = await preparing;
      const announced = of('pause').flatMap(({ wait, length }) =>
        wait.kind === 'pause' && wait.phase === 'state' ? length.most : [],
      );
      return { ids: [...known.entries.keys()], apply: plan.apply, announced };
    };
    const apply = expect.stringMatching(/^ada, process 7 on other/);
    expect(await preparedAfter(most - 1)).toEqual({ ids: [1], apply, announced: [most] });
    expect(await preparedAfter(most + 1)).toEqual({ ids: [], apply: null, announced: [most] });
  }),
);

test.each([
  ['on a branch, which is written last,', 5_000, 'on a branch'],
  ['in a folder, which is written first,', 500, 'in a folder'],
] as const)('the record %s waits %i ms for git to say what is checked out', (_, most, backend) =>
  withPlace(backend, async (place, starts) => {
    const row = { id: 1, name: 'Spring', status: 'active', manifest: null, declares: null };
    for (const milliseconds of [most - 1, most + 1]) {
      const checkout = later({ commit: 'c0ffee', isClean: true }, milliseconds);
      const record = openPauseRecord(place, { known: NOTHING_KNOWN, checkout });
      await advance();
      await record.begin();
      expect(await record.end([{ ...row, result: 'paused', detail: null }])).toBeNull();
    }
    expect(starts.map(({ commit }) => commit)).toEqual(['c0ffee', null]);
  }),
);
