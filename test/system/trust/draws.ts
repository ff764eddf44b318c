import fc from 'fast-check';
import { HAZARD_NAMES } from '../../../src/model/approvals.js';
import { anyShape, fault } from '../../support/service/faults.js';
import type { Shape } from '../../support/service/shape.js';

export interface Written {
  file: string;
  name: string;
  /** The pinned campaign; `null` if the manifest identifies it by name. */
  id: number | null;
  cap: number;
  lists: number[];
  /** The value of `refill` of all lists; `null` for none. */
  refill: number | null;
  ids: number[];
  status: 'running' | 'paused' | null;
  /** Name of the replaced campaign; `null` for none. */
  replaces: string | null;
}

const DAY = 24 * 3_600_000;
const which = fc.nat({ max: 2 });
const oneOf = <const Kind extends string>(...kinds: Kind[]) => fc.record({ do: fc.constantFrom(...kinds) });
const only = <const Kind extends string>(kind: Kind) => fc.constant(kind);
const to = <const Kind extends string>(...kinds: Kind[]) =>
  fc.record({ do: fc.constantFrom(...kinds), which });
const jump = fc.record({ do: only('clock'), by: fc.constantFrom(DAY, -DAY) });
const mostly = <T, Others>(usual: T, times: number, others: fc.Arbitrary<Others>) =>
  fc.oneof({ weight: times, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: others });

const BY_HAND = ['launch-by-hand', 'pause-by-hand', 'attach-by-hand'] as const;

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
const hand = fc.record({
  at: fc.integer({ min: 1, max: 30 }),
  does: fc.oneof({ weight: 4, arbitrary: to(...BY_HAND) }, { weight: 1, arbitrary: jump }),
});
const run = fc.record({
  do: only('apply'),
  checkout: fc.constantFrom('a', 'a', 'a', 'a', 'b'),
  /** Everything, everything but one, or some. */
  allow: fc.oneof(
    { weight: 3, arbitrary: fc.constant([...HAZARD_NAMES]) },
    {
      weight: 3,
      arbitrary: fc.constantFrom(...HAZARD_NAMES).map((but) => HAZARD_NAMES.filter((name) => name !== but)),
    },
    { weight: 2, arbitrary: fc.subarray([...HAZARD_NAMES]) },
  ),
  hold: fc.constantFrom(false, false, false, true),
  refresh: fc.constantFrom('all' as const, 'changed' as const),
  /** A single manifest, by name or file; `null` for all. */
  only: mostly(null, 4, fc.record({ by: fc.constantFrom('target', 'file'), which })),
  faults: fc.oneof(
    fc.constant([]),
    fc.array(fc.tuple(fc.integer({ min: 1, max: 30 }), fault), { maxLength: 3 }),
  ),
  crash: fc.option(crash, { freq: 3 }),
  hands: fc.array(hand, { maxLength: 2 }),
});
const slip = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: only('list'), which, list: fc.integer({ min: 1, max: 4 }) }) },
      {
        weight: 4,
        arbitrary: fc.record({ do: only('lead'), which, lead: fc.integer({ min: 11, max: 13 }) }),
      },
      {
        weight: 4,
        arbitrary: fc.record({
          do: only('refill'),
          which,
          value: fc.oneof({ weight: 4, arbitrary: fc.integer({ min: 1, max: 2 }) }, fc.constant(null)),
        }),
      },
      { weight: 1, arbitrary: to('many') },
      {
        weight: 4,
        arbitrary: fc.record({
          do: only('status'),
          which,
          status: fc.constantFrom('running', 'running', 'paused', null),
        }),
      },
      { weight: 4, arbitrary: fc.record({ do: only('cap'), which, cap: fc.integer({ min: 1, max: 900 }) }) },
    ),
  },
  {
    weight: 3,
    arbitrary: fc.oneof(
      { weight: 8, arbitrary: to('remove', 'move', 'rename', 'return') },
      { weight: 4, arbitrary: to('succeed') },
      { weight: 1, arbitrary: to('twin') },
      {
        weight: 2,
        arbitrary: fc.record({ do: only('pin'), which, campaign: fc.nat({ max: 3 }) }),
      },
      { weight: 8, arbitrary: oneOf('keep-state', 'old-state', 'lose-state') },
      { weight: 7, arbitrary: to(...BY_HAND, 'settings-by-hand', 'archive-by-hand') },
      { weight: 2, arbitrary: jump },
    ),
  },
  { weight: 5, arbitrary: run },
);
type Drawn<A> = A extends fc.Arbitrary<infer Value> ? Value : never;
export type Slip = Drawn<typeof slip>;
export type RunSlip = Drawn<typeof run>;
/** An undisturbed run of everything, with all hazards approved. */
export const WHOLE_RUN: RunSlip = {
  ...{ do: 'apply', checkout: 'a', hold: false, faults: [], crash: null, only: null, hands: [] },
  refresh: 'all',
  allow: [...HAZARD_NAMES],
};
export type Hand = Extract<Slip, { do: 'clock' | `${string}-by-hand` }>;

/** Any service on which campaigns can be completed. Most launches succeed. */
export const shape = fc
  .tuple(
    anyShape,
    fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom('immediate' as const, 'queued' as const) },
      { weight: 1, arbitrary: fc.constant('failed' as const) },
    ),
  )
  .map(
    ([drawn, resume]): Shape => ({
      ...drawn,
      resume,
      variants: drawn.sequenceRepost === 'append' ? drawn.variants : 'order',
    }),
  );

export const WORDS = {
  usual: {},
  own: { draft: 'new', active: 'live', queued: 'lined up', launching: 'warming', paused: 'on hold' },
  'none at first': { draft: '' },
} as const;
export const STATUSES = { running: ['live'], starting: ['lined up', 'warming'], stopped: ['new', 'on hold'] };

const habits = {
  campaigns: fc.constantFrom(1, 2, 2, 3),
  shape,
  lag: fc.constantFrom(0, 0, 2_000, 7_000),
  /** Milliseconds of latency per request. */
  latency: mostly(0, 2, fc.constantFrom(400, 2_000, 2_000)),
  /** Milliseconds until leads of an active campaign are counted. */
  sync: mostly(0, 2, fc.constantFrom(20_000, 290_000)),
  createdAs: mostly('draft', 8, fc.constant('active')),
  words: mostly('usual' as const, 3, fc.constantFrom('own' as const, 'none at first' as const)),
  told: fc.constantFrom(true, true, false),
  /** A running campaign of another team, called `two`. */
  stranger: mostly(false, 5, fc.constant(true)),
  onRemoval: fc.constantFrom('warn' as const, 'pause' as const),
  /**
   * Where the project file sets `on_removal`: for all environments, or in the environment, overriding a different value.
   */
  removalOf: fc.constantFrom('project' as const, 'environment' as const),
  repeat: fc.constantFrom('unknown' as const, 'unknown' as const, 'safe' as const),
  parallelism: fc.constant<number>(8),
};
export const scenarioOf = (most: number) =>
  fc.record({ ...habits, slips: fc.array(slip, { minLength: 3, maxLength: most }) });
export const scenario = scenarioOf(10);
export type Scenario = Drawn<typeof scenario>;
