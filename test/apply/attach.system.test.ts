import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { RecordedState } from '../../src/model/state.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft } from '../support/service/store.js';
import { applying, becomes, entry42, KNOWN, NAME, SEQUENCE, statusOf, unsent } from './spring.js';

const ATTACH = 'POST /api/campaigns/42/leads/attach-lead-list';

interface Given {
  status: string;
  spec?: Partial<CampaignSpec>;
  shape?: Partial<Shape>;
  recorded?: RecordedState;
  lead_lists?: Record<string, number>;
  before?: (service: Service) => void;
  between?: (service: Service) => void;
  afterFirst?: (service: Service) => void;
}

/** Attaches list 77 to campaign 42. Returns the result and detail of each step, and the writes that arrived. */
async function attach({
  status,
  spec = {},
  shape = {},
  recorded = KNOWN,
  lead_lists = {},
  before,
  between,
  afterFirst,
}: Given) {
  const campaigns = [{ ...draft(42, NAME), status }];
  return applying({ shape: { totals: 'shown', ...shape }, campaigns }, async ({ service, state, apply }) => {
    before?.(service);
    await state.save(entry42(recorded));
    const { plan, campaigns, result } = await apply(
      { leads: { lists: [77] }, ...spec },
      {
        environment: { ...environment(), lead_lists },
        emit: ({ type }) => {
          if (type === 'step-ended' && service.writes().length === 1) afterFirst?.(service);
        },
        store: (real) => ({
          ...real,
          begin: (...asked) => {
            between?.(service);
            return real.begin(...asked);
          },
        }),
      },
    );
    const steps = campaigns[0]?.steps.map(({ id, result, detail }) => ({ id, result, detail }));
    const writes = service.writes().map(({ method, path }) => `${method} ${path}`);
    const hazards = plan.campaigns[0]?.problems.map(({ code }) => code);
    const { total_leads = null, has_run = null } = (await state.readAll())[0]?.recorded ?? {};
    return { steps, writes, hazards, result, remembered: { total_leads, has_run } };
  });
}

const running = becomes('active');
const SENDING = unsent('sending', { status: statusOf('active'), isCreated: false });
const IGNORED = { effect: false, status: 200, body: { data: { success: true } } };

const ids = Array.from({ length: 501 }, (_, index) => index + 1);
it.each<[string, NonNullable<CampaignSpec['leads']>, string, string]>([
  ['lists', { lists: [77, 78] }, 'leads/list-77', 'leads/list-78'],
  ['batches', { ids }, 'leads/batch-1', 'leads/batch-2'],
])(
  '%s that follow on others are not attached once a person has launched the campaign',
  async (_, leads, first, second) => {
    const situation: Given = { status: 'paused', spec: { leads }, afterFirst: running };
    const { steps, writes, result } = await attach(situation);
    expect({ steps, sent: writes.length, result }).toMatchObject({
      steps: [
        { id: first, result: 'done' },
        {
          id: second,
          result: 'failed',
          detail: SENDING,
        },
        { id: 'read-back' },
      ],
      sent: 1,
      result: 'incomplete',
    });
  },
);

/** The detail of the first step if the service refuses it. */
async function refusedWith(
  [status, message]: [status: number, message: string],
  given: Partial<Given> = {},
  path = 'lead-list',
): Promise<string | null | undefined> {
  const refusal = { effect: false, status, body: { message } };
  const { steps } = await attach({
    ...{ status: 'paused', ...given },
    before: (service) => service.answerThen('POST', `/api/campaigns/42/leads/attach-${path}`, refusal),
  });
  expect(steps?.[0]?.result).toBe('failed');
  return steps?.[0]?.detail;
}
const INVALID = 'The selected lead list id is invalid';
const settingsOf = (path: string) =>
  `(POST /api/campaigns/42/leads/attach-${path}, environment production, base_url https://send.example.com, token in CAMPAIGNS_TOKEN)`;

it.each<[Record<string, number>, string]>([
  [{}, 'it under leads in spring.yaml'],
  [
    { 'hamburg-roofers': 78, 'berlin-roofers': 77 },
    'the id of berlin-roofers under environments.production.lead_lists in the project file',
  ],
  [
    { 'old-roofers': 77, 'berlin-roofers': 77 },
    'the id of old-roofers, berlin-roofers under environments.production.lead_lists in the project file',
  ],
])('a list that the service refuses is named as it is written: %j', async (lead_lists, where) => {
  expect(await refusedWith([422, `${INVALID}.`], { lead_lists })).toBe(
    `the service refused it (HTTP 422): ${INVALID} ${settingsOf('lead-list')}. This workspace probably has no lead list 77. Correct ${where}`,
  );
});

it.each([
  ['of lists for another reason', 403, { lists: [77] }, 'lead-list'],
  ['of ids', 422, { ids: [1] }, 'leads'],
])('a refusal %s says nothing about a list', async (_, status, leads, path) => {
  expect(await refusedWith([status, 'No.'], { spec: { leads } }, path)).toBe(
    `the service refused it (HTTP ${status}): No ${settingsOf(path)}`,
  );
});

it('leads are not attached to a campaign whose status has since become an unknown word', async () => {
  const { steps, writes } = await attach({ status: 'paused', between: becomes('live') });
  expect(steps?.[0]?.detail).toBe(unsent('sending', { status: statusOf('live'), isCreated: false }));
  expect(writes).toEqual([]);
});

it('a sequence is not sent to a campaign that was launched since it was planned', async () => {
  const situation: Given = { status: 'paused', spec: { sequence: SEQUENCE }, between: running };
  const { steps: outcomes, writes } = await attach(situation);
  expect(outcomes?.[0]).toEqual({
    id: 'sequence',
    result: 'failed',
    detail: SENDING,
  });
  expect(writes).toEqual([]);
});

it('leads are not attached to a campaign that was launched since it was planned', async () => {
  expect(await attach({ status: 'paused', between: running })).toEqual({
    steps: [
      { id: 'leads/list-77', result: 'failed', detail: SENDING },
      { id: 'read-back', result: 'not_run', detail: null },
    ],
    writes: [],
    hazards: [],
    result: 'incomplete',
    remembered: { total_leads: 0, has_run: false },
  });
});

it.each(['active', 'live'])(
  'leads are not attached to a campaign whose pause had no effect: it is still %s',
  async (status) => {
    const situation: Given = {
      status,
      recorded: { ...KNOWN, status: 'running' },
      spec: { status: 'paused' },
      before: (service) => service.answerThen('PATCH', '/api/campaigns/42/pause', IGNORED),
    };
    expect(await attach(situation)).toMatchObject({
      steps: [
        { id: 'pause', result: 'done' },
        {
          id: 'leads/list-77',
          result: 'failed',
          detail: unsent('pause-not-shown', { status: statusOf(status) }),
        },
        { id: 'read-back', result: 'not_run' },
      ],
      writes: ['PATCH /api/campaigns/42/pause'],
      result: 'incomplete',
    });
  },
);

it('leads are attached to a campaign that is idle or is paused first', async () => {
  expect(await attach({ status: 'paused' })).toEqual({
    steps: [
      { id: 'leads/list-77', result: 'done', detail: null },
      { id: 'read-back', result: 'done', detail: 'the service shows 100 leads' },
    ],
    writes: [ATTACH],
    hazards: [],
    result: 'done',
    remembered: { total_leads: 100, has_run: false },
  });
  expect(await attach({ status: 'active', spec: { status: 'paused' } })).toMatchObject({
    writes: ['PATCH /api/campaigns/42/pause', ATTACH],
    result: 'done',
  });
});

it('leads are attached to a sending campaign once that is approved, and the result mentions the delay', async () => {
  expect(await attach({ status: 'active' })).toEqual({
    steps: [
      { id: 'leads/list-77', result: 'done', detail: null },
      {
        id: 'read-back',
        result: 'done',
        detail: expect.stringMatching(/shows 100 leads; .* within five minutes$/),
      },
    ],
    writes: [ATTACH],
    hazards: ['attach-running'],
    result: 'done',
    remembered: { total_leads: 100, has_run: true },
  });
});

it('a lead count that has not changed or is not shown leaves the expected minimum', async () => {
  const unmoved: Given = {
    status: 'paused',
    before: (service) => service.answerThen('POST', '/api/campaigns/42/leads/attach-lead-list', IGNORED),
  };
  expect((await attach(unmoved)).remembered.total_leads).toBe(0);
  expect((await attach({ status: 'paused', shape: { totals: 'hidden' } })).remembered.total_leads).toBe(0);
});

it('a campaign that is gone after an attachment has no lead count, and the run ends as incomplete', async () => {
  const paused = { status: 200, body: { data: { id: 42, name: NAME, status: 'paused' } } };
  const gone = { status: 404, body: { message: 'record_not_found' } };
  const situation: Given = {
    status: 'paused',
    between: (service) => {
      for (const answer of [paused, ...Array.from({ length: 20 }, () => gone)])
        service.answerThen('GET', '/api/campaigns/42', { ...answer, effect: false });
    },
  };
  expect(await attach(situation)).toMatchObject({
    steps: [
      { id: 'leads/list-77', result: 'done' },
      { id: 'read-back', result: 'failed' },
    ],
    result: 'incomplete',
    remembered: { total_leads: 0 },
  });
});

it('leads attached to an idle campaign that could not be counted are not mistaken for late ones', async () => {
  const answers = [
    { status: 500, body: { message: 'Server Error' } },
    { status: 404, body: { message: 'record_not_found' } },
  ];
  for (const answer of answers) {
    const afterFirst = (service: Service) => {
      for (let times = 0; times < 60; times += 1)
        service.answerThen('GET', '/api/campaigns/42', { ...answer, effect: false });
    };
    const situation: Given = { status: 'paused', spec: { leads: { ids: [1, 2, 3] } }, afterFirst };
    expect(await attach(situation)).toMatchObject({
      steps: [{ result: 'done' }, { id: 'read-back', result: 'failed' }],
      remembered: { total_leads: 0 },
    });
    expect((await attach({ ...situation, status: 'active' })).remembered.total_leads).toBe(3);
  }
});

it('the list decides if it shows the campaign as sending and the record shows it as idle', async () => {
  const before = (service: Service) => service.behave({ stale: 'paused' }, Date.now);
  expect(await attach({ status: 'active', before })).toMatchObject({
    hazards: ['status-contradicted', 'attach-running'],
    steps: [
      { id: 'leads/list-77', result: 'done' },
      { id: 'read-back', result: 'done', detail: expect.stringContaining('within five minutes') },
    ],
  });
  const paused = await attach({ status: 'active', before, spec: { status: 'paused', leads: { lists: [] } } });
  expect(paused).toMatchObject({
    hazards: ['status-contradicted'],
    writes: ['PATCH /api/campaigns/42/pause'],
    result: 'done',
  });
  const ignored = (service: Service) => {
    before(service);
    service.answerThen('PATCH', '/api/campaigns/42/pause', IGNORED);
  };
  const spec: Given['spec'] = { status: 'paused', leads: { lists: [] } };
  const still = await attach({ status: 'active', before: ignored, spec });
  expect(still.steps).toMatchObject([{ id: 'pause' }, { id: 'read-back', result: 'failed' }]);
});
