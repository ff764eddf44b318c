import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { campaign } from '../support/campaigns.js';
import type { Service } from '../support/service/service.js';
import { draft } from '../support/service/store.js';
import { SPEC } from '../system/trust/full-campaign.js';
import {
  addNamesake,
  apply,
  busy,
  CAP,
  email,
  emailed,
  type Given,
  LAUNCH,
  scheduled,
  shownEmail,
  UNSUBSCRIBE,
  UPDATE,
  unsubscribable,
} from './guard.js';
import { applying, becomes, entry42, NAME, SCHEDULE, SEQUENCE, statusOf, unsent } from './spring.js';

it('an update is not sent if something changed after the plan', async () => {
  const { last, requests } = await apply({ spec: CAP, begun: unsubscribable });
  expect(last).toEqual(['settings', 'failed', unsent('overwrites-change', UNSUBSCRIBE)]);
  expect(requests.filter((line) => line.startsWith('PATCH'))).toEqual([]);
});

it('an update is not sent if the setting that it changes has got another value after the plan', async () => {
  const begun = ({ store }: Service) => {
    for (const { settings } of store.campaigns) Object.assign(settings, { max_emails_per_day: 700 });
  };
  const { last, requests } = await apply({ spec: CAP, begun });
  const facts = { fields: ['settings.max_emails_per_day'], isCreated: false };
  expect(last).toEqual(['settings', 'failed', unsent('overwrites-change', facts)]);
  expect(requests.filter((line) => line.startsWith('PATCH'))).toEqual([]);
});

it('an update changes a setting that was not shown for the plan, but overwrites no other one', async () => {
  const hidden = { status: 200, body: { data: { id: 42, name: NAME, status: 'draft' } }, effect: false };
  const situation: Given = {
    spec: CAP,
    bareRows: true,
    before: (service) => service.answerThen('GET', '/api/campaigns/42', hidden),
  };
  expect((await apply(situation)).steps?.[0]).toEqual(['settings', 'done', null]);
  const { last } = await apply({ ...situation, begun: unsubscribable });
  expect(last).toEqual(['settings', 'failed', unsent('overwrites-change', UNSUBSCRIBE)]);
});

it('a launch is sent if only the ids of emails that the manifest does not manage are other ones', async () => {
  const { last } = await apply({
    spec: { status: 'running' },
    before(service) {
      scheduled({})(service);
      emailed(shownEmail(1, 'One'))(service);
    },
    begun: emailed(shownEmail(7, 'One')),
  });
  expect(last).toEqual(['launch', 'done', null]);
});

it('a campaign is created beside known campaigns and new ones whose names are similar or another', async () => {
  const { steps } = await apply({
    spec: {},
    planned: 'new',
    others: ['SPRING installers'],
    before(service) {
      service.store.campaigns.push(draft(7, 'Spring  installers'));
      busy('POST', '')(service);
    },
    meanwhile: addNamesake('Autumn'),
  });
  expect(steps?.[0]).toEqual(['create', 'done', null]);
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

it.each<[string, Partial<CampaignSpec>]>([
  ['settings', CAP],
  ['sequence', { sequence: SEQUENCE }],
  ['leads/batch-1', { leads: { ids: [1001] } }],
])('nothing is sent to a campaign that a person has deleted since the plan: %s', async (step, spec) => {
  const begun = ({ store }: Service) => {
    store.campaigns = store.campaigns.filter(({ id }) => id !== 42);
  };
  const { last, requests } = await apply({ spec, holder: 'removed', begun });
  expect(last).toEqual([step, 'failed', unsent('gone', { id: 42 })]);
  expect(requests.filter((line) => !line.startsWith('GET'))).toEqual([]);
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

it('an approved update goes to a sending campaign that is not in the state', async () => {
  const { result, requests } = await apply({ spec: CAP, planned: 'unknown', before: becomes('active') });
  expect([result, requests[0]]).toEqual(['done', 'PATCH /api/campaigns/42/update 200']);
});

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
