import { expect, it } from 'vitest';
import { shareLists } from '../../src/apply/run.js';
import { type LiveParts, NOT_READ } from '../../src/model/live.js';
import { emptyPlan } from '../../src/model/outputs.js';
import { PAUSE_STEP } from '../../src/model/reports.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { moment } from '../../src/state/moment.js';
import type { Store as State } from '../../src/state/store.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import { step } from '../support/plans.js';
import type { Service } from '../support/service/service.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { SPEC } from '../system/trust/full-campaign.js';
import { dies, killer } from '../system/trust/killer.js';
import {
  applying,
  becomes,
  entry42,
  KNOWN,
  LIVE_SCHEDULE,
  LIVE_STEP,
  NAME,
  SCHEDULE,
  SEQUENCE,
  statusOf,
  unsent,
  unsentAgain,
} from './spring.js';

const LAUNCH: Partial<CampaignSpec> = { schedule: SCHEDULE, sequence: SEQUENCE, status: 'running' };

interface Given {
  spec: Partial<CampaignSpec>;
  others?: string[];
  planned?: 'known' | 'unknown' | 'new';
  before?: (service: Service) => void;
  /** Acts on the service during waits of more than five seconds. */
  meanwhile?: (service: Service) => void;
  begun?: (service: Service) => void;
  /** Campaign 41 is a draft in the state with list 5. It has no manifest, or one that also launches it. */
  holder?: 'removed' | 'launched';
  /** Only the list shows statuses. */
  recordHides?: boolean;
  /** List rows show only ids and names. */
  bareRows?: boolean;
  /** Records show lead counts. */
  totals?: 'hidden' | 'shown';
  /** What a campaign needs before the service launches it. */
  resume?: 'complete' | 'anything';
  service?: Partial<ReturnType<typeof environment>['service']>;
}

/** Applies one manifest. Returns its step outcomes and each request after the first write. */
async function apply({
  spec,
  others = [],
  planned = 'known',
  before,
  meanwhile,
  begun,
  holder,
  recordHides = false,
  bareRows = false,
  totals = 'hidden',
  resume = 'complete',
  service: habits,
}: Given) {
  const campaigns = planned === 'new' ? [] : [draft(42, NAME)];
  if (holder !== undefined) campaigns.push({ ...draft(41, 'Winter'), lists: [5] });
  const shape = { rows: bareRows ? 'id-name' : 'whole', totals, launch: resume } as const;
  return applying({ shape, campaigns }, async (at) => {
    const { service, state } = at;
    before?.(service);
    if (planned === 'known') await state.save({ ...entry42(), manifest: '0.yaml' });
    const recorded = { ...KNOWN, attached: { lists: [5], ids: [] } };
    if (holder !== undefined) await state.save({ id: 41, manifest: 'winter.yaml', name: 'Winter', recorded });
    const names = [NAME, ...others, ...(holder === 'launched' ? ['Winter'] : [])];
    const clock = fakeClock();
    const { campaigns: outcomes, result } = await at.apply(spec, {
      environment: environment(habits),
      campaigns: names.map((name, at) => campaign(`${at}.yaml`, { name, ...spec })),
      clock: {
        ...clock,
        sleep(ms, signal) {
          if (ms > 5_000) meanwhile?.(service);
          return clock.sleep(ms, signal);
        },
      },
      emit: () => service.writes().length === 0 && begun?.(service),
      service: (real) => ({
        ...real,
        async read(name, id) {
          const part = await real.read(name, id);
          if (name === 'campaign' && recordHides) hideStatus(part as LiveParts['campaign']);
          return part;
        },
      }),
    });
    const steps = outcomes[0]?.steps.map(({ id, result, detail }) => [id, result, detail]);
    const first = service.requests.findIndex(({ method }) => method !== 'GET');
    const requests = service.requests
      .slice(first)
      .map(({ method, path, status }) => `${method} ${path} ${status}`);
    const last = steps?.filter(([, result]) => result !== 'not_run').at(-1);
    return { result, last, steps, requests };
  });
}

const busy =
  (method: string, path: string, times = 1) =>
  (service: Service) => {
    for (let time = 0; time < times; time++)
      service.answerThen(method, `/api/campaigns/${path}`.replace(/\/$/, ''), {
        ...{ status: 429, body: { message: 'slow down', retry_after: 45 }, effect: false },
      });
  };
const addNamesake =
  (name: string) =>
  ({ store }: Service) =>
    void store.campaigns.push(draft(900, name));
const UPDATE = { settings: { plain_text: true }, schedule: SCHEDULE, sequence: SEQUENCE };
const SENDING = unsentAgain('sending', { status: statusOf('active'), isCreated: false });
const FOREIGN = unsentAgain('not-in-state', { status: statusOf('active') });
const status = (word: string) =>
  unsentAgain('status-changed', { now: statusOf(word), before: 'draft', isCreated: false });
const CAP = { settings: { max_emails_per_day: 1200 } };
const unsubscribable = ({ store }: Service) => {
  for (const { settings } of store.campaigns)
    Object.assign(settings, { can_unsubscribe: true, unsubscribe_text: 'Stop' });
};
const scheduled =
  (more: object) =>
  ({ store }: Service) => {
    for (const campaign of store.campaigns) campaign.schedule = { ...LIVE_SCHEDULE, ...more };
  };
const rewritten = ({ store }: Service) => {
  for (const { steps } of store.campaigns) for (const step of steps) step.email_subject = 'Another offer';
};
const written = ({ store }: Service) => {
  for (const campaign of store.campaigns)
    Object.assign(campaign, { schedule: LIVE_SCHEDULE, steps: [{ ...LIVE_STEP }], title: 'Spring' });
};
const switchedOff = ({ store }: Service) => {
  for (const { steps } of store.campaigns) for (const step of steps) step.active = false;
};
const deleted = ({ store }: Service) => {
  store.campaigns.splice(0, 1);
};
const MANY = Array.from({ length: 501 }, (_, at) => 1001 + at);

const ATTACH: Given = {
  spec: { leads: { ids: [1001] } },
  before: busy('POST', '42/leads/attach-leads'),
  meanwhile: becomes('active'),
};
const RESUME: Given = { spec: LAUNCH, before: busy('PATCH', '42/resume') };
/** The service gives the new campaign a schedule. */
const LAUNCH_NEW: Given = {
  spec: { sequence: SEQUENCE, status: 'running' },
  planned: 'new',
  before(service) {
    service.behave({ schedule: LIVE_SCHEDULE }, () => 0);
    busy('PATCH', '101/resume')(service);
  },
};
const UNSUBSCRIBE = {
  fields: ['settings.can_unsubscribe', 'settings.unsubscribe_text'],
  isCreated: false,
};
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

it('a new campaign is launched at the hours that the service gave it, also if the service shows them only later', async () => {
  expect((await apply(LAUNCH_NEW)).last).toEqual(['launch', 'done', null]);
  const { last } = await apply({
    ...LAUNCH_NEW,
    before: busy('PATCH', '101/resume'),
    meanwhile: scheduled({}),
    resume: 'anything',
  });
  expect(last).toEqual(['launch', 'done', null]);
});

it('a launch depends on the status in the list if the record shows none', async () => {
  const situation: Given = { spec: LAUNCH, recordHides: true };
  const sent = await apply(situation);
  expect([sent.result, sent.last]).toEqual(['done', ['launch', 'done', null]]);
  const { last } = await apply({ ...situation, begun: becomes('active') });
  expect(last?.[2]).toBe(unsent('sending', { status: statusOf('active'), isCreated: false }));
});

it('leads and a launch are not sent after another campaign with the same leads was launched by hand, but are if that campaign is in the same plan', async () => {
  const situation: Given = { spec: { ...LAUNCH, leads: { lists: [5] } }, holder: 'removed' };
  const byHand =
    (word: string) =>
    ({ store }: Service) => {
      for (const campaign of store.campaigns) if (campaign.id === 41) campaign.status = word;
    };
  expect((await apply(situation)).last).toEqual(['launch', 'done', null]);
  expect((await apply({ ...situation, bareRows: true })).last).toEqual(['launch', 'done', null]);
  const way = { method: 'POST', word: 'active', bareRows: false, step: 'leads/list-5' };
  const emails = { ...way, waits: '42/sequence-steps', spec: situation.spec, was: 'draft' };
  const attach = {
    ...way,
    waits: '42/leads/attach-lead-list',
    spec: { leads: { lists: [5] } },
    was: 'active',
  };
  const ways = [
    emails,
    { ...emails, word: 'flying' },
    { ...emails, bareRows: true },
    { ...emails, method: 'PATCH', waits: '42/resume', step: 'launch' },
    // Leads for campaigns that this plan launches, that were running, and that are idle.
    { ...attach, spec: situation.spec, was: 'draft' },
    attach,
    { ...attach, bareRows: true },
    { ...attach, was: 'draft' },
  ];
  for (const { method, waits, word, bareRows, step, spec, was } of ways) {
    const before = (service: Service) => {
      busy(method, waits)(service);
      for (const other of service.store.campaigns) if (other.id === 42) other.status = was;
    };
    const hand = { before, meanwhile: byHand(word), bareRows, spec };
    const held = await apply({ ...situation, ...hand });
    expect(held.last).toEqual([
      step,
      'failed',
      (waits === emails.waits ? unsent : unsentAgain)('draft-started', { id: 41, name: 'Winter', word }),
    ]);
  }
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

it.each([
  [100, '42/sequence-steps', 'POST', 'sequence'],
  [100, '42/resume', 'PATCH', 'launch'],
  [0, '42/resume', 'PATCH', 'launch'],
])(
  'a launch with %s leads is not sent once more were attached while %s waited',
  async (planned, path, method, step) => {
    const leads = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
    const launchWith = (meanwhile: Given['meanwhile']): Given => ({
      spec: LAUNCH,
      totals: 'shown',
      before(service) {
        busy(method, path)(service);
        service.store.campaigns[0]?.leads.push(...leads(0, planned));
      },
      ...(meanwhile && { meanwhile }),
    });
    const more = ({ store }: Service) => void store.campaigns[0]?.leads.push(...leads(1000, 1500));
    const now = unsentAgain('more-leads', { approved: planned, total: planned + 500 });
    expect((await apply(launchWith(more))).last).toEqual([step, 'failed', now]);
    expect((await apply(launchWith(undefined))).last).toEqual(['launch', 'done', null]);
  },
);

it('an update is not sent if something changed after the plan', async () => {
  const { last, requests } = await apply({ spec: CAP, begun: unsubscribable });
  expect(last).toEqual(['settings', 'failed', unsent('overwrites-change', UNSUBSCRIBE)]);
  expect(requests.filter((line) => line.startsWith('PATCH'))).toEqual([]);
});

it.each<[string, Partial<CampaignSpec>, [method: string, path: string]]>([
  ['an update', CAP, ['PATCH', '42/update']],
  ['leads', { leads: { ids: [1001] } }, ['POST', '42/leads/attach-leads']],
  ['a schedule', { schedule: SCHEDULE }, ['POST', '42/schedule']],
  ['a pause', { status: 'paused' }, ['PATCH', '42/pause']],
  ['a launch', LAUNCH, ['PATCH', '42/resume']],
  ['a creation', {}, ['POST', '']],
  ['a sequence', { sequence: SEQUENCE }, ['POST', '42/sequence-steps']],
])(
  '%s without an answer and without an effect is not sent again by the same run',
  async (_, spec, [method, path]) => {
    const at = `/api/campaigns/${path}`.replace(/\/$/, '');
    const { last, requests } = await apply({
      spec,
      planned: path === '' ? 'new' : 'known',
      service: { attach_repeat: 'safe' },
      before(service) {
        if (path === '42/pause') becomes('active')(service);
        service.answerThen(method, at, { reset: true, effect: false });
      },
    });
    expect(last?.[1]).toBe('in_doubt');
    expect(requests.filter((line) => line.startsWith(`${method} ${at} `))).toHaveLength(1);
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

it('an unknown campaign that starts sending after the first request gets no further requests', async () => {
  // After four reads for the plan, a check and the update.
  const before = (service: Service) => service.actAt(7, () => becomes('active')(service));
  const { steps, requests } = await apply({ spec: UPDATE, planned: 'unknown', before });
  expect(steps?.slice(0, 3)).toEqual([
    ['settings', 'done', null],
    ['schedule', 'failed', unsent('not-in-state', { status: statusOf('active') })],
    ['sequence', 'not_run', null],
  ]);
  expect(requests).toEqual([
    'PATCH /api/campaigns/42/update 200',
    'GET /api/campaigns/42 200',
    'GET /api/campaigns/42/schedule 200',
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

const EMAIL = { wait_in_days: 1, thread_reply: false, email_body: 'Hello' };
const email = (email_subject: string) => ({ ...EMAIL, email_subject });
const shownEmail = (id: number, email_subject: string, parent: number | null = null) => ({
  ...email(email_subject),
  ...{ id, order: parent === null ? id : null, variant: parent !== null, variant_from_step: parent },
});
const emailed =
  (...more: ReturnType<typeof shownEmail>[]) =>
  ({ store }: Service) => {
    for (const campaign of store.campaigns)
      Object.assign(campaign, { title: 'Spring', steps: structuredClone(more) });
  };

it.each<[string, NonNullable<CampaignSpec['sequence']>['steps'], ReturnType<typeof shownEmail>, string]>([
  ['an email', [email('One'), email('Two')], shownEmail(2, 'Two'), 'sequence'],
  ['another email', [email('One'), email('Two')], shownEmail(2, 'By hand'), 'sequence'],
  ['a variant', [{ ...email('One'), variants: [email('Uno')] }], shownEmail(2, 'Uno', 1), 'variants'],
])(
  '%s that a person adds while apply waits is not doubled, whatever the status',
  async (_, steps, added, id) => {
    for (const status of ['active', 'draft', 'paused']) {
      const { steps: outcomes, requests } = await apply({
        spec: { sequence: { title: 'Spring', steps } },
        service: { sequence_repost: 'append' },
        before(service) {
          becomes(status)(service);
          emailed(shownEmail(1, 'One'))(service);
        },
        begun: emailed(shownEmail(1, 'One'), added),
      });
      expect(outcomes?.[0]).toEqual([id, 'failed', unsent('section-changed', { section: 'sequence' })]);
      expect(requests.filter((line) => !line.startsWith('GET'))).toEqual([]);
    }
  },
);

it.each<[string, Given]>([
  ['creation', { spec: UPDATE, planned: 'new', holder: 'removed' }],
  ['attachment', { spec: { leads: { lists: [7] } } }],
  ['sequence', { spec: { sequence: { title: 'Spring', steps: [email('One')] } } }],
  ['launch', { spec: { status: 'running' } }],
])('no %s goes to a workspace that the token did not show for the plan', async (_, situation) => {
  const moves = ({ store }: Service) => {
    // An id may belong to a different campaign in a different workspace.
    const others = store.campaigns.map(({ id }) => draft(id + 500, 'Of another client'));
    store.campaigns.splice(0, store.campaigns.length, ...others);
  };
  const { last, requests } = await apply({ ...situation, begun: moves });
  expect(last?.slice(1)).toEqual([
    'failed',
    expect.stringMatching(/wrong workspace|does not show campaign 42/),
  ]);
  expect(requests.filter((line) => !line.startsWith('GET'))).toEqual([]);
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

it('a changed setting takes seven requests: the list, three reads, a check, the update and a read-back', () =>
  applying({}, async ({ service, apply }) => {
    const { status: _status, leads: _leads, settings, ...spec } = SPEC;
    expect((await apply({ ...spec, settings: settings ?? {} })).result).toBe('done');
    service.requests.splice(0);
    expect((await apply({ ...spec, settings: { ...settings, max_emails_per_day: 300 } })).result).toBe(
      'done',
    );
    const sent = service.requests.map(
      ({ method, path }) => `${method} ${path.replace('/api/campaigns', '')}`,
    );
    expect([...sent].sort()).toEqual([
      ...['GET ', 'GET /101', 'GET /101', 'GET /101'],
      ...['GET /101/schedule', 'GET /101/sequence-steps', 'PATCH /101/update'],
    ]);
  }));

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

const launched41 = ({ store }: Service) => {
  for (const campaign of store.campaigns) if (campaign.id === 41) campaign.status = 'active';
};

it.each<[string, Partial<Given>, step: string, request: string, refused: typeof unsent]>([
  ['a creation', { begun: launched41 }, 'create', 'POST /api/campaigns', unsent],
  [
    'a launch',
    { before: busy('PATCH', '101/resume'), meanwhile: launched41 },
    ...(['launch', 'PATCH /api/campaigns/101/resume', unsentAgain] as const),
  ],
])(
  '%s does not leave after the predecessor was launched by hand',
  async (_, events, step, request, refused) => {
    const replaces: Given = { spec: { ...LAUNCH, replaces: 41 }, planned: 'new', holder: 'removed' };
    expect((await apply(replaces)).last).toEqual(['launch', 'done', null]);
    const { last, requests } = await apply({ ...events, ...replaces });
    const winter = { id: 41, name: 'Winter', status: statusOf('active') };
    expect(last).toEqual([step, 'failed', refused('predecessor-sends', winter)]);
    expect(requests.filter((line) => line === `${request} 200`)).toEqual([]);
  },
);

/** Records what `campaignctl pause` records: a request to pause campaign 101 in a run that began later. */
async function recordPause(state: State): Promise<void> {
  const about = { manifest: 'spring.yaml', name: NAME, id: 101 };
  const head = { run: 'run-999999', at: '2026-03-02T00:00:00Z', who: 'bob@phone', command: 'pause' };
  const { name, base_url } = environment();
  const start = { ...head, commit: null, tool: '0', environment: name, plan: emptyPlan(name, base_url) };
  const journal = await state.begin({ ...start, specs: {} }, () => head.at);
  const pause = step('status', { id: PAUSE_STEP, stage: 'pause', path: '/api/campaigns/101/pause' });
  await journal.intend({ ...about, step: pause, total_leads: null });
  await journal.conclude({ ...about, step: PAUSE_STEP, result: 'done', detail: null, visible_in: null });
}

it('a launch that waited is not sent over a pause that only the state shows', () =>
  applying({ shape: { status: 'hidden' } }, async (at) => {
    busy('PATCH', '101/resume')(at.service);
    const clock = fakeClock();
    const { campaigns } = await at.apply(LAUNCH, {
      clock: {
        ...clock,
        async sleep(ms, signal) {
          if (ms > 5_000) await recordPause(at.state);
          return clock.sleep(ms, signal);
        },
      },
    });
    const launch = campaigns[0]?.steps.find(({ id }) => id === 'launch');
    expect(launch).toMatchObject({ result: 'failed', detail: unsentAgain('paused-meanwhile', {}) });
    expect(at.service.writes().filter(({ path }) => path.endsWith('/resume'))).toHaveLength(1);
  }));

function hideStatus(record: LiveParts['campaign']): void {
  if (record.is === 'shown') Object.assign(record.value, { status: NOT_READ });
}

const since = (word: string) =>
  unsent('status-changed', { now: statusOf(word), before: null, isCreated: false });

it.each([
  ['active', 'failed', since('active')],
  ['flying', 'failed', since('flying')],
  ['draft', 'done', 'launched; the service shows no status'],
])(
  'a launch planned without a status is sent only to a campaign that is then shown as stopped: %s',
  (word, result, detail) =>
    applying(
      { shape: { status: 'hidden' }, campaigns: [draft(42, NAME)] },
      async ({ service, state, apply }) => {
        await state.save(entry42({ ...KNOWN, status: 'paused' }));
        const shown = { status: 200, body: { data: { id: 42, name: NAME, status: word } }, effect: false };
        const { campaigns } = await apply(LAUNCH, {
          emit: (event) => {
            if (event.type === 'step-started' && event.step === 'launch')
              service.answerThen('GET', '/api/campaigns/42', shown);
          },
        });
        expect(campaigns[0]?.steps.find(({ id }) => id === 'launch')).toMatchObject({ result, detail });
      },
    ),
);

it('a launch does not wait for the service to count leads that were attached less than ten minutes ago', () =>
  applying({ shape: { totals: 'shown' }, campaigns: [draft(42, NAME)] }, async ({ state, apply }) => {
    const attached = { lists: [5], ids: [] };
    await state.save(entry42({ ...KNOWN, attached, attached_at: moment() }));
    const { campaigns } = await apply({ ...LAUNCH, leads: { lists: [5] } });
    expect(campaigns[0]?.steps.find(({ id }) => id === 'launch')).toMatchObject({ result: 'done' });
  }));

it.each<[string, (service: Service) => unknown, boolean]>([
  ['is still there', () => {}, true],
  [
    'has another name',
    ({ store }) => store.campaigns.map((each) => Object.assign(each, { name: `${each.name}!` })),
    false,
  ],
  ['is gone', ({ store }) => store.campaigns.pop(), false],
])('leads go to the workspace only if the campaign that the project file names %s', (_, change, isSent) =>
  applying({ campaigns: [draft(42, NAME), draft(41, 'Winter')] }, async ({ service, state, apply }) => {
    await state.save(entry42());
    const workspace = { campaign_id: 41, name: 'Winter' };
    const { campaigns } = await apply(ATTACH.spec, {
      environment: { ...environment(), workspace },
      emit: ({ type }) => type === 'step-started' && change(service),
    });
    const attached = campaigns[0]?.steps.find(({ id }) => id === 'leads/batch-1');
    const refused = { result: 'failed', detail: unsent('wrong-workspace/pin', workspace) };
    expect(attached).toMatchObject(isSent ? { result: 'done' } : refused);
  }),
);

it('leads are not sent if another campaign with them, a draft until then, shows no status any more', async () => {
  const shown = { status: 200, body: { data: { id: 41, name: 'Winter' } }, effect: false };
  const { last } = await apply({
    ...{ spec: { leads: { lists: [5] } }, holder: 'removed', bareRows: true },
    begun: (service) => service.answerThen('GET', '/api/campaigns/41', shown),
  });
  const draft = { id: 41, name: 'Winter', word: null };
  expect(last).toEqual(['leads/list-5', 'failed', unsent('draft-started', draft)]);
});

it('a launch is sent where the service shows every email of a draft as switched off, from the first', () =>
  applying({ campaigns: [draft(42, NAME)] }, async ({ service, state, apply }) => {
    await state.save(entry42());
    const { campaigns } = await apply(LAUNCH, { emit: () => switchedOff(service) });
    expect(campaigns[0]?.steps.at(-1)).toMatchObject({ id: 'launch', result: 'done' });
  }));

it('a launch is sent without the emails that were switched off when it was planned', async () => {
  const { last } = await apply({
    spec: { ...LAUNCH, sequence: { title: 'Spring', steps: [email('One'), email('Two')] } },
    service: { sequence_repost: 'append' },
    before(service) {
      emailed(shownEmail(1, 'One'))(service);
      switchedOff(service);
    },
  });
  expect(last).toEqual(['launch', 'done', null]);
});

it('an approved update goes to a sending campaign that is not in the state', async () => {
  const { result, requests } = await apply({ spec: CAP, planned: 'unknown', before: becomes('active') });
  expect([result, requests[0]]).toEqual(['done', 'PATCH /api/campaigns/42/update 200']);
});

it.each<[string, StoredCampaign[], NonNullable<CampaignSpec['leads']>, RegExp]>([
  ['a new campaign', [], { ids: [1001] }, /; total_leads is now 0 \(0 before\)$/],
  [
    'a campaign with three leads',
    [{ ...draft(42, NAME), leads: [1, 2, 3] }],
    { ids: [1001] },
    /; total_leads is now 3 \(3 before\)$/,
  ],
  [
    'a campaign that just got a list',
    [draft(42, NAME)],
    { lists: [5], ids: [1001] },
    /; total_leads is now \d+$/,
  ],
])(
  'an attachment in doubt tells the number of leads before it, if that is known: %s',
  (_, live, leads, detail) =>
    applying({ shape: { totals: 'shown' }, campaigns: live }, async ({ service, state, apply }) => {
      if (live.length > 0) await state.save(entry42());
      const path = `/api/campaigns/${live.length > 0 ? 42 : 101}/leads/attach-leads`;
      service.answerThen('POST', path, { reset: true, effect: false });
      const { campaigns } = await apply({ leads });
      const attached = campaigns[0]?.steps.find(({ id }) => id === 'leads/batch-1');
      expect(attached).toMatchObject({ result: 'in_doubt', detail: expect.stringMatching(detail) });
    }),
);

it.each<[string, StoredCampaign[], approved: number]>([
  ['a new campaign', [], 500],
  ['a campaign with three leads', [{ ...draft(42, NAME), leads: [1, 2, 3] }], 503],
])('the second batch of leads does not leave once a person attached more to %s', (_, live, approved) =>
  applying({ shape: { totals: 'shown' }, campaigns: live }, async ({ service, state, apply }) => {
    if (live.length > 0) await state.save(entry42());
    const { campaigns } = await apply(
      { leads: { ids: MANY } },
      {
        emit: (event) => {
          if (event.type === 'step-started' && event.step === 'leads/batch-2')
            service.store.campaigns[0]?.leads.push(7001, 7002);
        },
      },
    );
    const detail = unsent('more-leads', { approved, total: approved + 2 });
    const batch = campaigns[0]?.steps.find(({ id }) => id === 'leads/batch-2');
    expect(batch).toMatchObject({ result: 'failed', detail });
  }),
);

it('leads are sent although the service counts more, if some were attached less than ten minutes ago', () =>
  applying(
    { shape: { totals: 'shown' }, campaigns: [draft(42, NAME)] },
    async ({ service, state, apply }) => {
      await state.save(entry42({ ...KNOWN, attached: { lists: [5], ids: [] }, attached_at: moment() }));
      const { campaigns } = await apply(
        { leads: { lists: [5], ids: [1001] } },
        { emit: ({ type }) => type === 'step-started' && service.store.campaigns[0]?.leads.push(7001) },
      );
      const batch = campaigns[0]?.steps.find(({ id }) => id === 'leads/batch-1');
      expect(batch).toMatchObject({ result: 'done' });
    },
  ));

it('no campaign is created in a workspace that shows only campaigns that are not in the state', () =>
  applying({ campaigns: [draft(42, 'Autumn'), draft(41, 'Winter')] }, async ({ service, state, apply }) => {
    await state.save({ ...entry42(), manifest: 'autumn.yaml', name: 'Autumn' });
    const { campaigns } = await apply(
      {},
      {
        campaigns: [campaign('spring.yaml', { name: NAME }), campaign('autumn.yaml', { name: 'Autumn' })],
        emit: ({ type }) => type === 'step-started' && service.store.campaigns.splice(0, 1),
      },
    );
    const create = campaigns[0]?.steps.find(({ id }) => id === 'create');
    expect(create).toMatchObject({ result: 'failed', detail: unsent('wrong-workspace', { expected: 1 }) });
  }));

it('a launch is not sent while the list does not show the campaign', async () => {
  const empty = { status: 200, body: { data: [] }, effect: false };
  const { last } = await apply({
    spec: LAUNCH,
    before: busy('PATCH', '42/resume'),
    meanwhile(service) {
      for (let time = 0; time < 30; time++) service.answerThen('GET', '/api/campaigns', empty);
    },
  });
  expect(last).toEqual(['launch', 'failed', unsentAgain('not-listed', { id: 42, name: NAME })]);
});

it('leads are sent although a campaign of another name was created since the plan', async () => {
  const { result, last } = await apply({ spec: ATTACH.spec, begun: addNamesake('Another') });
  expect([result, last?.[1]]).toEqual(['done', 'done']);
});

it.each([
  ['hidden', []],
  ['shown', ['unfinished-run']],
] as const)(
  'an accepted launch whose run dies before the read-back is known where no status is shown: %s',
  (status, problems) =>
    applying({ shape: { status } }, async ({ apply }) => {
      await dies(apply(LAUNCH, killer('once its outcome is noted', 4)));
      const { plan } = await apply(LAUNCH);
      expect(plan.campaigns[0]?.problems.map(({ code }) => code)).toEqual(problems);
      expect(plan.summary.requests).toBe(0);
    }),
);
