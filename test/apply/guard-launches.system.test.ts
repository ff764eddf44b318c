import { expect, it } from 'vitest';
import { emptyPlan } from '../../src/model/outputs.js';
import { PAUSE_STEP } from '../../src/model/reports.js';
import { moment } from '../../src/state/moment.js';
import type { Store as State } from '../../src/state/store.js';
import { fakeClock } from '../support/clock.js';
import { environment } from '../support/environment.js';
import { step } from '../support/plans.js';
import type { Service } from '../support/service/service.js';
import { draft } from '../support/service/store.js';
import { dies, killer } from '../system/trust/killer.js';
import {
  apply,
  busy,
  email,
  emailed,
  type Given,
  LAUNCH,
  LAUNCH_NEW,
  scheduled,
  shownEmail,
  switchedOff,
} from './guard.js';
import { applying, becomes, entry42, KNOWN, NAME, statusOf, unsent, unsentAgain } from './spring.js';

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

it.each<[number, string, string, string, NonNullable<Given['planned']>]>([
  [100, '42/sequence-steps', 'POST', 'sequence', 'known'],
  [100, '42/resume', 'PATCH', 'launch', 'known'],
  [0, '42/resume', 'PATCH', 'launch', 'known'],
  [0, '101/resume', 'PATCH', 'launch', 'new'],
])(
  'a launch with %s leads is not sent once more were attached while %s waited',
  async (approved, path, method, step, planned) => {
    const leads = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at);
    const launchWith = (meanwhile: Given['meanwhile']): Given => ({
      spec: LAUNCH,
      planned,
      totals: 'shown',
      before(service) {
        busy(method, path)(service);
        service.store.campaigns[0]?.leads.push(...leads(0, approved));
      },
      ...(meanwhile && { meanwhile }),
    });
    const more = ({ store }: Service) => void store.campaigns[0]?.leads.push(...leads(1000, 1500));
    const now = unsentAgain('more-leads', { approved, total: approved + 500 });
    expect((await apply(launchWith(more))).last).toEqual([step, 'failed', now]);
    expect((await apply(launchWith(undefined))).last).toEqual(['launch', 'done', null]);
  },
);

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

const WINTER = { id: 41, name: 'Winter', status: statusOf('active') };

it.each<[string, (service: Service) => void, outcome: object]>([
  [
    'was deleted since the plan: sent',
    ({ store }) => {
      store.campaigns = store.campaigns.filter(({ id }) => id !== 41);
    },
    { result: 'done' },
  ],
  [
    'is not found, but listed as sending: not sent',
    (service) => {
      launched41(service);
      const missing = { status: 404, body: { message: 'not found' }, effect: false };
      service.answerThen('GET', '/api/campaigns/41', missing);
    },
    { result: 'failed', detail: unsent('predecessor-sends', WINTER) },
  ],
  [
    'is sending, but not listed: not sent',
    (service) => {
      launched41(service);
      const data = [draft(40, 'Autumn'), draft(101, NAME)].map(({ id, name, status }) => ({
        id,
        name,
        status,
      }));
      for (let time = 0; time < 9; time++)
        service.answerThen('GET', '/api/campaigns', { status: 200, body: { data }, effect: false });
    },
    { result: 'failed', detail: unsent('predecessor-sends', WINTER) },
  ],
])('a launch whose predecessor %s', (_, meanwhile, outcome) =>
  applying({ campaigns: [draft(40, 'Autumn'), draft(41, 'Winter')] }, async ({ service, state, apply }) => {
    for (const [id, name] of [[40, 'Autumn'] as const, [41, 'Winter'] as const])
      await state.save({ id, manifest: `${name}.yaml`, name, recorded: KNOWN });
    const { campaigns } = await apply(
      { ...LAUNCH, replaces: 41 },
      { emit: (event) => event.type === 'step-started' && event.step === 'sequence' && meanwhile(service) },
    );
    expect(campaigns[0]?.steps.find(({ id }) => id === 'launch')).toMatchObject(outcome);
  }),
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

it.each([
  ['nothing', []],
  ['another campaign', [{ id: 7, name: 'Autumn', status: 'draft' }]],
  ['another campaign under its name', [{ id: 7, name: NAME, status: 'draft' }]],
  ['it under another name', [{ id: 42, name: 'Autumn', status: 'draft' }]],
])('a launch is not sent while the list shows %s', async (_, data) => {
  const list = { status: 200, body: { data }, effect: false };
  const { last } = await apply({
    spec: LAUNCH,
    before: busy('PATCH', '42/resume'),
    meanwhile(service) {
      for (let time = 0; time < 30; time++) service.answerThen('GET', '/api/campaigns', list);
    },
  });
  expect(last).toEqual(['launch', 'failed', unsentAgain('not-listed', { id: 42, name: NAME })]);
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
