/**
 * Any manifests, on a service of any shape, with any faults and crashes. After a few runs, the service matches the
 * manifests, nothing exists twice, and plans are empty. `TRUST_CASES` sets the number of cases, `TRUST_SEED` the first one.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { Failure } from '../../../src/model/failure.js';
import { listOf } from '../../../src/model/leads.js';
import type { Campaign, CampaignSpec } from '../../../src/model/spec.js';
import { openReader } from '../../../src/service/index.js';
import { type RunOptions, run } from '../../support/apply.js';
import { campaign } from '../../support/campaigns.js';
import { fakeClock } from '../../support/clock.js';
import { environment } from '../../support/environment.js';
import { withFolder } from '../../support/folder.js';
import { anyShape, fault, HTML } from '../../support/service/faults.js';
import { openService, type Service, TOKEN } from '../../support/service/service.js';
import { type Shape, shaped } from '../../support/service/shape.js';
import { draft, type Store, WORKDAYS } from '../../support/service/store.js';
import { wireTo } from '../../support/service/wire.js';
import { spec } from '../../support/specs.js';
import { openStore } from '../../support/state.js';
import { readPlan } from '../../support/works.js';
import { Death, killer, POINTS } from './killer.js';

const CASES = Number(process.env.TRUST_CASES ?? 30);
const SEED = Number(process.env.TRUST_SEED ?? 20261121);

/** A service on which campaigns can be completed: it appends sequences, or accepts variants with their steps. */
const shape = anyShape.map(
  (drawn): Shape => ({
    ...drawn,
    resume: drawn.resume === 'failed' ? 'queued' : drawn.resume,
    variants: drawn.sequenceRepost === 'append' ? drawn.variants : 'order',
  }),
);

const crash = fc.record({ point: fc.constantFrom(...POINTS), nth: fc.integer({ min: 1, max: 12 }) });

/** A launch needs a schedule and a sequence. A schedule by name needs a template that the service shows. */
function launchable(drawn: CampaignSpec, name: string): CampaignSpec {
  const { status, ...rest } = drawn;
  const whole = rest.schedule !== undefined && rest.sequence !== undefined;
  return { ...rest, name, ...(status === undefined || (status === 'running' && !whole) ? {} : { status }) };
}

const scenario = fc.record({
  specs: fc
    .array(spec, { minLength: 1, maxLength: 2 })
    .map((drawn) => drawn.map((each, index) => launchable(each, `Campaign ${index + 1}`))),
  shape,
  faults: fc.array(fc.tuple(fc.integer({ min: 1, max: 40 }), fault), { maxLength: 3 }),
  crashes: fc.array(crash, { maxLength: 2 }),
});
type Scenario = typeof scenario extends fc.Arbitrary<infer Value> ? Value : never;

function workspace(): Store {
  const hours = { ...WORKDAYS, end_time: '17:00', timezone: 'Europe/Paris' };
  return {
    campaigns: [draft(11, 'Another team')],
    templates: [3, 4].map((id) => ({ ...hours, id, start_time: `0${id + 5}:00` })),
  };
}

/** Runs until a run completes undisturbed, then compares the service with the manifests. */
async function converges({ specs, shape: drawn, faults, crashes }: Scenario): Promise<void> {
  const service = openService(drawn, workspace());
  for (const [number, what] of faults) service.answerAt(number, what);
  const campaigns = specs.map((each, index) => campaign(`${index}.yaml`, each));
  const { variants } = drawn;
  const where = environment({ variant_reference: variants, attach_repeat: 'safe' });
  await withFolder(async (folder) => {
    const options = {
      ...{ url: 'https://send.example.com', token: TOKEN, folder, environment: where, campaigns },
      wire: () => wireTo(service),
    };
    const story: string[] = [];
    for (let attempt = 0; ; attempt += 1) {
      const struck = crashes[attempt];
      const ended = await outcome({ ...options, ...(struck && killer(struck.point, struck.nth)) });
      story.push(ended);
      await dry(service, options);
      if (ended === 'done') break;
      expect(attempt, story.join('\n')).toBeLessThan(2 * (crashes.length + faults.length) + 1);
      // Only a declared pause resolves this doubt.
      if (ended === DOUBT) await outcome({ ...options, campaigns: campaigns.map(resting) });
    }
    const last = await runAgain(options);
    expect(last.plan.summary.requests, JSON.stringify(last.plan.campaigns)).toBe(0);
    holds(service.store, specs);
    expect(service.violations).toEqual([]);
  });
}

/** Repeats a run that a web page in response to a read has ended: such a response is not retried. */
async function runAgain(options: RunOptions): ReturnType<typeof run> {
  const ran = await run(options).catch((error: unknown) => {
    if (error instanceof Failure && error.code === 'web-page') return null;
    throw error;
  });
  return ran ?? runAgain(options);
}

/**
 * On a service that shows no status, it is unknown whether a launch without a response took effect, and whether a campaign
 * from a creation without a response was launched since.
 */
const DOUBT = 'status in doubt';

function resting({ spec, ...rest }: Campaign): Campaign {
  return { ...rest, spec: spec.status === 'running' ? { ...spec, status: 'paused' } : spec };
}

const DOUBTFUL = ['launch-in-doubt', 'unknown-status'];

async function outcome(options: RunOptions): Promise<string> {
  try {
    const { plan, result, campaigns } = await run(options);
    const problems = plan.campaigns.flatMap((campaign) => campaign.problems);
    if (problems.some(({ code }) => DOUBTFUL.includes(code))) return DOUBT;
    return result === 'done' ? 'done' : `incomplete: ${JSON.stringify(campaigns.map(({ steps }) => steps))}`;
  } catch (error) {
    if (error instanceof Death) return 'died';
    if (error instanceof Failure) return `failure: ${error.message}`;
    throw error;
  }
}

/** A plan in between sends no write. */
async function dry(
  service: Service,
  { url: baseUrl, folder, environment: where, campaigns }: RunOptions,
): Promise<void> {
  const before = service.writes().length;
  const limits = { parallelism: 2, requestsPerMinute: null, trace: null };
  const wire = wireTo(service);
  const names = { environment: where.name, tokenVariable: 'CAMPAIGNS_TOKEN' };
  const reader = openReader({ ...limits, baseUrl, names, token: TOKEN, clock: fakeClock(), wire });
  const store = openStore(folder, where.base_url);
  try {
    const state = { entries: await store.readAll(), pending: await store.pending() };
    await readPlan(reader, { environment: where, campaigns, ...state }).catch((error: unknown) => {
      if (!(error instanceof Failure)) throw error;
    });
  } finally {
    await reader.close();
  }
  expect(service.writes()).toHaveLength(before);
}

/** Counted without the planner: each campaign, email, variant and launch exists once. */
function holds({ campaigns, templates }: Store, specs: readonly CampaignSpec[]): void {
  expect(campaigns.map(({ name }) => name).sort()).toEqual(
    [...specs.map(({ name }) => name), 'Another team'].sort(),
  );
  expect(campaigns[0]).toEqual(draft(11, 'Another team'));
  const saved = specs.filter(
    ({ schedule }) => schedule && 'save_as_template' in schedule && schedule.save_as_template,
  );
  expect(templates).toHaveLength(2 + saved.length);
  for (const wanted of specs) {
    const live = campaigns.find(({ name }) => name === wanted.name);
    const steps = wanted.sequence?.steps ?? [];
    const bases = live?.steps.filter(({ variant }) => !variant) ?? [];
    const variants = live?.steps.filter(({ variant }) => variant) ?? [];
    expect(bases.map(({ order }) => order).sort()).toEqual(steps.map((_, index) => index + 1));
    expect(variants).toHaveLength(steps.reduce((sum, step) => sum + (step.variants?.length ?? 0), 0));
    for (const base of bases) {
      const text = steps[Number(base.order) - 1]?.variants?.length ?? 0;
      expect(variants.filter(({ variant_from_step }) => variant_from_step === base.id)).toHaveLength(text);
    }
    if (wanted.status === 'running') expect(live?.status).toMatch(/^(active|queued|launching)$/);
    else expect(live?.status).toMatch(/^(draft|paused)$/);
    const lists = (wanted.leads?.lists ?? [])
      .map(listOf)
      .map((list) => (typeof list === 'number' ? list : { 'installers-fr': 77, 'installers-de': 78 }[list]));
    expect(new Set(live?.lists)).toEqual(new Set(lists));
    expect(new Set(live?.leads)).toEqual(new Set(wanted.leads?.ids ?? []));
    for (const [name, value] of Object.entries(wanted.settings ?? {})) {
      const stored = live?.settings[name as keyof typeof live.settings];
      if (typeof value === 'number' || typeof value === 'boolean') expect(stored, name).toBe(value);
    }
  }
}

const KEPT: [fact: string, scenario: Partial<Scenario>][] = [
  [
    'a setting that is not shown and has its default is not asked for again',
    { specs: [{ name: 'Campaign 1', settings: { reputation_building: false } }] },
  ],
  [
    'a schedule from a template that is not shown, whose answer is lost, is there',
    {
      specs: [{ name: 'Campaign 1', schedule: { template: 3 } }],
      shape: shaped({ templates: 'ids-only', scheduleRepost: 'refuse' }),
      faults: [[4, { status: 500, body: HTML, effect: true }]],
    },
  ],
  [
    'variants that only Re: tells apart are found in whatever order they come',
    {
      specs: [
        {
          name: 'Campaign 1',
          sequence: {
            title: 'Spring',
            steps: [
              {
                email_subject: 'A question',
                email_body: 'Hi',
                wait_in_days: 1,
                variants: [
                  { email_subject: 'Any news?', email_body: 'Hi', thread_reply: true },
                  { email_subject: 'Re: Any news?', email_body: 'Hi', thread_reply: true },
                ],
              },
            ],
          },
        },
      ],
      shape: shaped({ stepIds: 'falling' }),
    },
  ],
  [
    'an update of a setting that is not shown, which is lost, is sent again',
    {
      specs: [{ name: 'Campaign 1', settings: { reputation_building: true } }],
      faults: [[4, { reset: true, effect: false }]],
    },
  ],
];

it.each(KEPT)('%s', (_, kept) =>
  converges({ specs: [], shape: shaped({}), faults: [], crashes: [], ...kept }),
);

it(`${CASES} cases from seed ${SEED}`, { timeout: 60_000 + CASES * 1_000 }, () =>
  fc.assert(fc.asyncProperty(scenario, converges), { numRuns: CASES, seed: SEED }),
);
