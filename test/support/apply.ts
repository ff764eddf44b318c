import { applyPlan } from '../../src/apply/apply.js';
import { type Environment, serviceAddress } from '../../src/model/environment.js';
import type { Plan } from '../../src/model/outputs.js';
import type { ApplyEvent, ApplyResult, ApplySummary } from '../../src/model/reports.js';
import type { Campaign } from '../../src/model/spec.js';
import { NO_WAITS } from '../../src/model/waits.js';
import { refusals } from '../../src/plan/hazards.js';
import type { OutstandingRequest } from '../../src/plan/outstanding.js';
import { type Clock, openWriter, type Reader, type Writer } from '../../src/service/index.js';
import type { Wire } from '../../src/service/wire.js';
import type { Store } from '../../src/state/store.js';
import { fakeClock } from './clock.js';
import { codes } from './context.js';
import { openStore } from './state.js';
import { readPlan } from './works.js';

/** Runs plan and apply in this process, with a clock that does not really wait. */
export interface RunOptions {
  url: string;
  token?: string;
  /** The environment's state folder. */
  folder: string;
  environment: Environment;
  campaigns: readonly Campaign[];
  /** Wraps the service, for faults and crashes. */
  service?: (real: Reader & Writer) => Reader & Writer;
  store?: (real: Store) => Store;
  emit?: (event: ApplyEvent) => void;
  stop?: AbortSignal;
  clock?: Clock;
  wire?: () => Wire;
  /** Called before the plan waits for requests of earlier runs. */
  wait?: (outstanding: readonly OutstandingRequest[]) => void;
  /** Sends nothing if a hazard needs approval, as the commands do. */
  refuses?: boolean;
  /** In milliseconds; default: the real timeouts. */
  timeouts?: { request: number; attach: number };
}

export type Ran = ApplyResult & { plan: Plan };

/** Severities and codes of the problems of the first campaign. */
export function problemsOf({ plan }: Pick<Ran, 'plan'>): string[] | undefined {
  const [campaign] = plan.campaigns;
  return campaign && codes(campaign.problems);
}

let runs = 0;

export const EMPTY_APPLY_SUMMARY: ApplySummary = {
  ...{ campaigns: 0, unchanged: 0, not_read: 0, done: 0, created: 0, changed: 0, incomplete: 0, blocked: 0 },
  ...{ launched: 0, resumed: 0, paused: 0, held: 0 },
};

const REFUSED: ApplyResult = {
  version: 1,
  environment: 'production',
  base_url: 'https://send.example.com',
  fingerprint: '',
  run: null,
  result: 'incomplete',
  summary: EMPTY_APPLY_SUMMARY,
  campaigns: [],
  by_hand: [],
  problems: [],
};

export async function run(options: RunOptions): Promise<Ran> {
  const { url, token = 'secret-token', folder, environment, campaigns, timeouts } = options;
  const { stop = new AbortController().signal, emit = () => {} } = options;
  runs += 1;
  const clock = options.clock ?? fakeClock(Date.UTC(2026, 2, 2) + runs * 60_000);
  const real = openWriter({
    ...{ baseUrl: url, token, parallelism: 2, requestsPerMinute: null, trace: null, clock },
    names: { environment: environment.name, tokenVariable: 'CAMPAIGNS_TOKEN' },
    ...(timeouts && { timeouts }),
    wire: options.wire?.(),
  });
  const service = options.service?.(real) ?? real;
  const opened = openStore(folder, serviceAddress(environment));
  const store = options.store?.(opened) ?? opened;
  try {
    const state = { entries: await store.readAll(), pending: await store.pending() };
    const wait = (outstanding: readonly OutstandingRequest[]) => {
      options.wait?.(outstanding);
      return clock.sleep(Math.max(...outstanding.map(({ wait: milliseconds }) => milliseconds)));
    };
    const created = await readPlan(service, { environment, campaigns, ...state }, { now: clock.now() }, wait);
    if (options.refuses && refusals(created.plan).length > 0) return { plan: created.plan, ...REFUSED };
    const at = new Date(clock.now()).toISOString();
    const head = {
      run: `run-${String(runs).padStart(6, '0')}`,
      at,
      who: 'ada@desk',
      commit: null,
      tool: '0',
    };
    const { now, elapsed, sleep } = clock;
    const stopping = () => stop.aborted;
    const tools = {
      service,
      store,
      parallelism: 2,
      now,
      elapsed,
      sleep,
      emit,
      stopping,
      stop,
      waits: NO_WAITS,
    };
    return { plan: created.plan, ...(await applyPlan(created, head, tools)) };
  } finally {
    await real.close();
  }
}
