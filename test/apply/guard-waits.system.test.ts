import { expect, it } from 'vitest';
import { shareLists } from '../../src/apply/run.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { listedCampaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import type { Service } from '../support/service/service.js';
import {
  ATTACH,
  addNamesake,
  apply,
  busy,
  CAP,
  email,
  emailed,
  type Given,
  LAUNCH,
  LAUNCH_NEW,
  MANY,
  scheduled,
  shownEmail,
  switchedOff,
  UNSUBSCRIBE,
  UPDATE,
  unsubscribable,
} from './guard.js';
import {
  applying,
  becomes,
  LIVE_SCHEDULE,
  LIVE_STEP,
  NAME,
  SCHEDULE,
  statusOf,
  unsentAgain,
} from './spring.js';

const SENDING = unsentAgain('sending', { status: statusOf('active'), isCreated: false });
const FOREIGN = unsentAgain('not-in-state', { status: statusOf('active') });
const status = (word: string) =>
  unsentAgain('status-changed', { now: statusOf(word), before: 'draft', isCreated: false });

const rewritten = ({ store }: Service) => {
  for (const { steps } of store.campaigns) for (const step of steps) step.email_subject = 'Another offer';
};

const written = ({ store }: Service) => {
  for (const campaign of store.campaigns)
    Object.assign(campaign, { schedule: LIVE_SCHEDULE, steps: [{ ...LIVE_STEP }], title: 'Spring' });
};

const deleted = ({ store }: Service) => {
  store.campaigns.splice(0, 1);
};

const RESUME: Given = { spec: LAUNCH, before: busy('PATCH', '42/resume') };

const CHANGED_SETTINGS = [
  'settings.can_unsubscribe (false → true)',
  'settings.unsubscribe_text (null → Stop)',
];

const PATCHED: Given = { spec: CAP, before: busy('PATCH', '42/update'), meanwhile: unsubscribable };

it.each<[string, Given, [step: string, request: string, detail: string]]>([
  [
    'a launch over the pause of a person',
    { ...RESUME, meanwhile: becomes('paused') },
    ['launch', 'PATCH /42/resume', status('paused')],
  ],
  [
    'a launch that another run has sent',
    { ...RESUME, meanwhile: becomes('active') },
    ['launch', 'PATCH /42/resume', status('active')],
  ],
  [
    'a launch of emails that a person changed',
    { ...RESUME, meanwhile: rewritten },
    ['launch', 'PATCH /42/resume', unsentAgain('not-as-planned', { sections: ['sequence'] })],
  ],
  [
    'a launch at hours that a person changed',
    { ...RESUME, meanwhile: scheduled({ start_time: '06:00' }) },
    ['launch', 'PATCH /42/resume', unsentAgain('not-as-planned', { sections: ['schedule'] })],
  ],
  [
    'a launch with settings that a person changed and the manifest does not manage',
    { ...RESUME, meanwhile: unsubscribable },
    ['launch', 'PATCH /42/resume', unsentAgain('not-as-planned', { sections: CHANGED_SETTINGS })],
  ],
  [
    'a launch of emails at hours that a person changed and the manifest does not manage',
    {
      spec: { status: 'running' },
      before: (service) => {
        written(service);
        RESUME.before?.(service);
      },
      meanwhile: (service) => {
        rewritten(service);
        scheduled({ start_time: '06:00' })(service);
      },
    },
    ['launch', 'PATCH /42/resume', unsentAgain('not-as-planned', { sections: ['schedule', 'sequence'] })],
  ],
  [
    'the launch of a new campaign at hours that a person changed and the manifest does not manage',
    { ...LAUNCH_NEW, meanwhile: scheduled({ start_time: '06:00' }) },
    ['launch', 'PATCH /101/resume', unsentAgain('not-as-planned', { sections: ['schedule'] })],
  ],
  [
    'the launch of a new campaign with settings that a person changed and the manifest does not manage',
    { ...LAUNCH_NEW, meanwhile: unsubscribable },
    ['launch', 'PATCH /101/resume', unsentAgain('not-as-planned', { sections: CHANGED_SETTINGS })],
  ],
  [
    'the launch of a new campaign with emails of a person',
    {
      ...LAUNCH_NEW,
      spec: { schedule: SCHEDULE, status: 'running' },
      before: busy('PATCH', '101/resume'),
      meanwhile: written,
      resume: 'anything',
    },
    ['launch', 'PATCH /101/resume', unsentAgain('not-as-planned', { sections: ['sequence'] })],
  ],
  [
    'a launch without an email that a person switched off',
    { ...RESUME, meanwhile: switchedOff },
    ['launch', 'PATCH /42/resume', unsentAgain('not-as-planned', { sections: ['sequence'] })],
  ],
  [
    'a launch without an email that a person switched off in addition to that of the plan',
    {
      spec: { ...LAUNCH, sequence: { title: 'Spring', steps: [email('One'), email('Two')] } },
      service: { sequence_repost: 'append' },
      before(service) {
        emailed(shownEmail(1, 'One'))(service);
        switchedOff(service);
        RESUME.before?.(service);
      },
      meanwhile: switchedOff,
    },
    ['launch', 'PATCH /42/resume', unsentAgain('not-as-planned', { sections: ['sequence'] })],
  ],
  [
    'leads to a campaign that a person launches',
    ATTACH,
    ['leads/batch-1', 'POST /42/leads/attach-leads', SENDING],
  ],
  [
    'leads to a new campaign that a person launches',
    { ...ATTACH, planned: 'new', before: busy('POST', '101/leads/attach-leads') },
    [
      'leads/batch-1',
      'POST /101/leads/attach-leads',
      unsentAgain('sending', { status: statusOf('active'), isCreated: true }),
    ],
  ],
  ...['Spring installers', 'Spring\u00a0 installers'].map(
    (name): [string, Given, [string, string, string]] => [
      `the creation of a campaign that another run makes as "${name}"`,
      { spec: UPDATE, planned: 'new', before: busy('POST', '', 2), meanwhile: addNamesake(name) },
      ['create', 'POST ', unsentAgain('name-taken', listedCampaign(900, name))],
    ],
  ),
  [
    'the first request to an unknown campaign that begins to send',
    { ...PATCHED, spec: UPDATE, planned: 'unknown', meanwhile: becomes('active') },
    ['settings', 'PATCH /42/update', FOREIGN],
  ],
  [
    'an update over settings that a person changed and the manifest does not manage',
    PATCHED,
    ['settings', 'PATCH /42/update', unsentAgain('overwrites-change', UNSUBSCRIBE)],
  ],
  [
    'an update over a setting that was as the manifest says when it was planned',
    { ...PATCHED, spec: { settings: { ...CAP.settings, can_unsubscribe: false } } },
    ['settings', 'PATCH /42/update', unsentAgain('overwrites-change', UNSUBSCRIBE)],
  ],
  [
    'the settings of a new campaign over those that a person has set',
    { ...PATCHED, planned: 'new', before: busy('PATCH', '101/update') },
    ['settings', 'PATCH /101/update', unsentAgain('overwrites-change', { ...UNSUBSCRIBE, isCreated: true })],
  ],
  [
    'a schedule over times that a person changed and the plan does not show',
    {
      spec: { schedule: { ...SCHEDULE, timezone: 'Europe/Berlin' } },
      before(service) {
        scheduled({})(service);
        busy('POST', '42/schedule')(service);
      },
      meanwhile: scheduled({ end_time: '12:00', tuesday: true }),
    },
    ['schedule', 'POST /42/schedule', unsentAgain('section-changed', { section: 'schedule' })],
  ],
  [
    'an update of a campaign that a person deletes',
    { ...PATCHED, meanwhile: deleted },
    ['settings', 'PATCH /42/update', unsentAgain('gone', { id: 42 })],
  ],
  [
    'leads to a campaign that a person deletes',
    { ...ATTACH, holder: 'removed', meanwhile: deleted },
    ['leads/batch-1', 'POST /42/leads/attach-leads', unsentAgain('gone', { id: 42 })],
  ],
])('%s does not leave after a wait', async (_, situation, [step, request, detail]) => {
  const { result, last, requests } = await apply(situation);
  expect([result, last]).toEqual(['incomplete', [step, 'failed', detail]]);
  const at = requests.indexOf(`${request.replace(' ', ' /api/campaigns')} 429`);
  expect(at).toBeGreaterThan(-1);
  expect(requests.slice(at + 1).filter((line) => !line.startsWith('GET'))).toEqual([]);
});

it('leads that may have been attached are in doubt, also if a namesake was created meanwhile', async () => {
  const { result, last } = await apply({
    ...ATTACH,
    totals: 'shown',
    before: (service) =>
      service.answerThen('POST', '/api/campaigns/42/leads/attach-leads', {
        ...{ status: 429, body: { message: 'slow down', retry_after: 45 }, effect: true },
      }),
    meanwhile: addNamesake(NAME),
  });
  const detail = unsentAgain('leads-grew', { before: 0, total: 1 });
  expect([result, last]).toEqual([
    'incomplete',
    ['leads/batch-1', 'in_doubt', expect.stringContaining(detail)],
  ]);
});

it.each<[string, Partial<CampaignSpec>, [method: string, path: string], detail: string]>([
  ['leads', ATTACH.spec, ['POST', '42/leads/attach-leads'], SENDING],
  ['a launch', LAUNCH, ['PATCH', '42/resume'], status('active')],
])(
  '%s that waited is held back where only the list shows the launch of a person',
  async (_, spec, [method, path], detail) => {
    const late = { status: 200, body: { data: { id: 42, name: NAME, status: 'draft' } }, effect: false };
    const { last, requests } = await apply({
      spec,
      before: busy(method, path),
      meanwhile(service) {
        becomes('active')(service);
        service.answerThen('GET', '/api/campaigns/42', late);
      },
    });
    expect(last?.slice(1)).toEqual(['failed', detail]);
    expect(requests.filter((line) => line.startsWith(`${method} /api/campaigns/${path} 200`))).toEqual([]);
  },
);

it('a second batch of leads is not sent after a launch while it waited for a rate limit', async () => {
  let batches = 0;
  const { last, requests } = await apply({
    spec: { leads: { ids: MANY } },
    before(service) {
      const { answerThen } = service;
      answerThen('POST', '/api/campaigns/42/leads/attach-leads', { status: 200, body: {}, effect: true });
      busy('POST', '42/leads/attach-leads')(service);
    },
    meanwhile(service) {
      batches = service.writes().length;
      becomes('active')(service);
    },
  });
  expect(batches).toBe(2);
  expect(last?.slice(1)).toEqual(['failed', SENDING]);
  expect(requests.filter((line) => line.startsWith('POST'))).toEqual([
    'POST /api/campaigns/42/leads/attach-leads 200',
    'POST /api/campaigns/42/leads/attach-leads 429',
  ]);
});

it('a request that waited is sent if the list and the record, read again, are unchanged', async () => {
  const leads = { leads: { ids: [1001] } };
  expect(await apply({ spec: leads })).toMatchObject({
    result: 'done',
    requests: ['POST /api/campaigns/42/leads/attach-leads 200', 'GET /api/campaigns/42 200'],
  });
  expect(await apply({ spec: leads, before: busy('POST', '42/leads/attach-leads') })).toMatchObject({
    result: 'done',
    requests: [
      'POST /api/campaigns/42/leads/attach-leads 429',
      'GET /api/campaigns 200',
      'GET /api/campaigns/42 200',
      'POST /api/campaigns/42/leads/attach-leads 200',
      'GET /api/campaigns/42 200',
    ],
  });
});

it('creations that waited share one list; the others need none', async () => {
  const lists = ({ requests }: { requests: string[] }) =>
    requests.filter((line) => /^GET \/api\/campaigns[? ]/.test(line)).length;
  const others = Array.from({ length: 12 }, (_, at) => `${NAME} ${at}`);
  const situation: Given = { spec: {}, others, planned: 'new' };
  const [atOnce, waited] = [await apply(situation), await apply({ ...situation, before: busy('POST', '') })];
  expect([atOnce.result, lists(atOnce)]).toEqual(['done', 1]);
  expect([waited.result, lists(waited)]).toEqual(['done', 2]);
});

it('a check that is rate-limited itself is repeated after the pause', async () => {
  const { result, requests } = await apply({
    spec: { leads: { ids: [1001] } },
    before: busy('POST', '42/leads/attach-leads'),
    meanwhile(service) {
      if (service.requests.every(({ method, status }) => method !== 'GET' || status !== 429))
        busy('GET', '42')(service);
    },
  });
  expect(result).toBe('done');
  expect(requests.slice(0, 5)).toEqual([
    'POST /api/campaigns/42/leads/attach-leads 429',
    'GET /api/campaigns 200',
    'GET /api/campaigns/42 429',
    'GET /api/campaigns 200',
    'GET /api/campaigns/42 200',
  ]);
});

it('a request that cannot be checked is not sent', async () => {
  const { last, requests } = await apply({
    spec: { leads: { ids: [1001] } },
    before: busy('POST', '42/leads/attach-leads'),
    meanwhile(service) {
      const refused = { status: 403, body: { message: 'No.' }, effect: false };
      service.answerThen('GET', '/api/campaigns/42', refused);
    },
  });
  expect(last?.slice(1)).toEqual([
    'failed',
    expect.stringMatching(/GET https?:\S*\/api\/campaigns\/42 .*403/),
  ]);
  expect(requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
});

it('a list is shared only if its reading began after the given moment, because one from the same moment may be older than the request', async () => {
  let now = 0;
  let reads = 0;
  const service = {
    async campaigns() {
      reads += 1;
      return [{ id: reads, name: 'Spring', status: null, total_leads: null, updated_at: null }];
    },
  };
  const lists = shareLists(service, () => now, []);
  const readOf = async (since: number) => (await lists.read(since))[0]?.id;
  now = 10;
  expect([await readOf(5), await readOf(9)]).toEqual([1, 1]);
  expect(await readOf(10)).toBe(2);
  now = 11;
  expect(await readOf(9)).toBe(2);
});

it('what was read for a new campaign is read again after a 429, however short the wait', () =>
  applying({}, async (at) => {
    const limited = { status: 429, body: { message: 'slow down', retry_after: 2 }, effect: false };
    at.service.answerThen('PATCH', '/api/campaigns/101/update', limited);
    const clock = fakeClock();
    const { campaigns } = await at.apply(CAP, {
      clock: {
        ...clock,
        sleep(ms, signal) {
          if (ms >= 1_000) unsubscribable(at.service);
          return clock.sleep(ms, signal);
        },
      },
    });
    const settings = campaigns[0]?.steps.find(({ id }) => id === 'settings');
    const detail = unsentAgain('overwrites-change', { ...UNSUBSCRIBE, isCreated: true });
    expect(settings).toMatchObject({ result: 'failed', detail });
  }));
