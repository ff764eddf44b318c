/** A creation whose response is lost, with different campaigns that have the name by then. */
import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { fakeClock } from '../support/clock.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { dies, killer } from '../system/trust/killer.js';
import {
  applying,
  entry42,
  LIVE_SCHEDULE,
  LIVE_STEP,
  NAME,
  SCHEDULE,
  SEQUENCE,
  unsentAgain,
} from './spring.js';

const SPEC: Partial<CampaignSpec> = {
  name: NAME,
  settings: { plain_text: true, open_tracking: false },
  schedule: SCHEDULE,
  sequence: SEQUENCE,
};
const LOST = { reset: true, effect: false } as const;

interface Given {
  spec?: Partial<CampaignSpec>;
  live?: StoredCampaign[];
  isKnown?: boolean;
  shape?: Partial<Shape>;
  before?(service: Service): void;
  waits?(service: Service, ms: number): void;
}

/** Applies the manifest. Returns its step outcomes, and the writes except for the creation. */
async function apply({ spec = {}, live = [], isKnown = false, shape = {}, before, waits }: Given) {
  return applying({ shape: { totals: 'shown', ...shape }, campaigns: live }, async (at) => {
    const { service, state } = at;
    before?.(service);
    if (isKnown) await state.save(entry42());
    const clock = fakeClock();
    const sleep = async (ms: number) => {
      waits?.(service, ms);
      await clock.sleep(ms);
    };
    const { result, campaigns } = await at.apply({ ...SPEC, ...spec }, { clock: { ...clock, sleep } });
    const [outcome] = campaigns;
    const last = outcome?.steps.filter((step) => step.result !== 'not_run').at(-1);
    const writes = service.writes().map(({ method, path, status }) => `${method} ${path} ${status}`);
    return { result, id: outcome?.id, last: [last?.id, last?.result], detail: last?.detail, writes };
  });
}

const lose = (service: Service) => service.answerThen('POST', '/api/campaigns', LOST);
/** Another campaign gets the name while the creation is in flight, after the lists of the plan and the check. */
const meanwhile = (change: Partial<StoredCampaign>) => (service: Service) => {
  lose(service);
  service.actAt(3, () => void service.store.campaigns.push({ ...draft(900, NAME), ...change }));
};
/** Matches the detail of an unanswered creation that names a campaign, and why it is not the created one. */
const notTaken = (id: number, why: string) =>
  expect.stringMatching(new RegExp(`POST /api/campaigns: .*; campaign ${id} .* ${why}`));

it.each<[string, Partial<StoredCampaign>, string]>([
  ['leads', { leads: [7, 8] }, 'leads'],
  ['emails', { steps: [LIVE_STEP] }, 'sequence'],
  ['other emails', { steps: [{ ...LIVE_STEP, email_subject: 'Other' }] }, 'already has a sequence'],
  ['the schedule of the manifest', { schedule: LIVE_SCHEDULE }, 'schedule'],
  ['the settings of the manifest', { settings: { ...draft(1, '').settings, plain_text: true } }, 'settings'],
])('a campaign with the name that shows %s is not mistaken for the created one', async (_, change, seen) => {
  expect(await apply({ before: meanwhile(change) })).toEqual({
    ...{ result: 'incomplete', id: null, last: ['create', 'in_doubt'], detail: notTaken(900, seen) },
    writes: ['POST /api/campaigns reset'],
  });
});

it.each<[string, Partial<Shape>]>([
  ['the list shows', {}],
  ['only the record shows', { rows: 'id-name' }],
])('nor is one that %s running', async (_, shape) => {
  expect(await apply({ shape, before: meanwhile({ status: 'active' }) })).toMatchObject({
    detail: notTaken(900, '\\("active"\\)'),
    writes: ['POST /api/campaigns reset'],
  });
});

it('nor is one that another run continues with, nor one that existed under a different name', async () => {
  const goesOn = ({ store }: Service, ms: number) => {
    if (ms === 2_000) for (const campaign of store.campaigns) campaign.steps = [LIVE_STEP];
  };
  expect(await apply({ before: meanwhile({}), waits: goesOn })).toMatchObject({
    detail: notTaken(900, 'sequence'),
    writes: ['POST /api/campaigns reset'],
  });
  const renames = (service: Service) => {
    lose(service);
    service.actAt(3, () => {
      for (const other of service.store.campaigns) other.name = NAME;
    });
  };
  expect(await apply({ live: [draft(41, 'Autumn')], before: renames })).toMatchObject({
    detail: notTaken(41, 'had a different name'),
    writes: ['POST /api/campaigns reset'],
  });
});

it('nor is either of two', async () => {
  const before = (service: Service) => {
    meanwhile({})(service);
    service.actAt(4, () => void service.store.campaigns.push(draft(901, NAME)));
  };
  expect(await apply({ before })).toEqual({
    ...{ result: 'incomplete', id: null, last: ['create', 'in_doubt'] },
    detail: expect.stringMatching(/; the list shows 2 campaigns with that name \(900, 901\)$/),
    writes: ['POST /api/campaigns reset'],
  });
});

it('a new one is taken over and completed', async () => {
  const without = { ...SPEC, settings: { plain_text: false } };
  for (const spec of [SPEC, without])
    for (const live of [[], [draft(41, 'Autumn')]])
      expect(await apply({ spec, live, before: meanwhile({}) })).toMatchObject({ result: 'done', id: 900 });
});

it.each([
  ['another name', 'Spring installers (2)', false],
  ['another spelling of the name, in a lost response', 'Spring  installers', true],
])('one that the service creates under %s gets nothing more', async (_, name, isLost) => {
  const before = (service: Service) => {
    if (isLost) service.answerThen('POST', '/api/campaigns', { reset: true, effect: true });
    service.actAt(4, () => {
      for (const campaign of service.store.campaigns) if (campaign.id === 101) campaign.name = name;
    });
  };
  const shape = { createAnswer: 'only-id' } as const;
  const detail = `the service created campaign 101 under the name "${name}" instead of the name in the manifest; nothing more was sent to the campaign`;
  expect(await apply({ shape, live: [draft(41, 'Autumn')], before })).toEqual({
    ...{ result: 'incomplete', id: 101, last: ['create', 'failed'], detail: expect.stringContaining(detail) },
    writes: [`POST /api/campaigns ${isLost ? 'reset' : 201}`],
  });
});

it('one whose id is in the response is completed although its record shows no name', async () => {
  const before = (service: Service) => {
    const { answer } = service;
    service.answer = (arrived) => {
      const reply = answer(arrived);
      const isRecord = arrived.method === 'GET' && arrived.url.pathname === '/api/campaigns/101';
      const body = reply?.body as { data: object };
      return reply && isRecord ? { ...reply, body: { data: { ...body.data, name: undefined } } } : reply;
    };
  };
  const shape = { createAnswer: 'only-id' } as const;
  expect(await apply({ shape, before })).toMatchObject({ result: 'done', id: 101 });
});

it.each([true, false])('no sequence is sent if another run adds one; known: %s', async (isKnown) => {
  const others = ({ store }: Service, ms: number) => {
    if (ms > 15_000)
      for (const campaign of store.campaigns) campaign.steps = [{ ...LIVE_STEP, email_subject: 'Other' }];
  };
  const busy = (service: Service) =>
    service.answerThen('POST', `/api/campaigns/${isKnown ? 42 : 101}/sequence-steps`, {
      ...{ status: 429, body: { message: 'slow down', retry_after: 45 }, effect: false },
    });
  const live = isKnown ? [draft(42, NAME)] : [];
  const { last, detail, writes } = await apply({ live, isKnown, before: busy, waits: others });
  expect([last, detail]).toEqual([
    ['sequence', 'failed'],
    unsentAgain('section-changed', { section: 'sequence' }),
  ]);
  expect(writes.filter((line) => line.includes('sequence'))).toHaveLength(1);
});

it('a campaign with the name is not taken over if the response contains a different id that is not visible yet', async () => {
  const ended = await apply({
    before(service) {
      const body = { data: { id: 777 } };
      service.answerThen('POST', '/api/campaigns', { effect: false, status: 201, body });
      service.actAt(3, () => void service.store.campaigns.push(draft(900, NAME)));
    },
  });
  const detail = 'the response does not identify the new campaign; the service does not show campaign 777';
  expect(ended).toMatchObject({ result: 'incomplete', last: ['create', 'in_doubt'], detail });
  expect(ended.writes).toEqual(['POST /api/campaigns 201']);
});

it('a campaign that a killed run has created is known by its id, so no second one is created once it is renamed', () =>
  applying({}, async ({ service, apply }) => {
    await dies(apply(SPEC, killer('once its outcome is noted', 1)));
    for (const campaign of service.store.campaigns) campaign.name = 'Autumn';
    const { plan } = await apply(SPEC, { refuses: true });
    const message = expect.stringContaining('applied to campaign 101, which is now called "Autumn"');
    expect(plan.campaigns[0]?.problems).toMatchObject([{ code: 'rename', severity: 'hazard', message }]);
    expect(service.writes().map(({ method, path }) => `${method} ${path}`)).toEqual(['POST /api/campaigns']);
  }));
