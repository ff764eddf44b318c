import { expect, it } from 'vitest';
import type { CampaignSpec } from '../../src/model/spec.js';
import { moment } from '../../src/state/moment.js';
import { environment } from '../support/environment.js';
import type { Service } from '../support/service/service.js';
import type { Shape } from '../support/service/shape.js';
import { draft, type StoredCampaign } from '../support/service/store.js';
import { ATTACH, addNamesake, apply, busy, type Given, LAUNCH, MANY } from './guard.js';
import { applying, entry42, KNOWN, NAME, unsent, unsentAgain } from './spring.js';

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

it('leads are sent although a campaign of another name was created since the plan', async () => {
  const { result, last } = await apply({ spec: ATTACH.spec, begun: addNamesake('Another') });
  expect([result, last?.[1]]).toEqual(['done', 'done']);
});

it('leads are not sent if a campaign of the same name was created since the plan', async () => {
  const { last, requests } = await apply({ spec: ATTACH.spec, begun: addNamesake(NAME) });
  expect(last?.slice(1)).toEqual(['failed', expect.stringContaining(`2 campaigns called "${NAME}"`)]);
  expect(requests.filter((line) => line.startsWith('POST'))).toEqual([]);
});

it.each<[string, Partial<Shape>, (service: Service) => void]>([
  ['was deleted since', {}, ({ store }) => void store.campaigns.splice(1, 1)],
  ['never showed a status', { status: 'hidden' }, () => {}],
])('leads are sent if another campaign with them, a draft until then, %s', (_, shape, change) => {
  const campaigns = [draft(42, NAME), { ...draft(41, 'Winter'), lists: [5] }];
  return applying({ shape, campaigns }, async ({ service, state, apply }) => {
    await state.save(entry42());
    const recorded = { ...KNOWN, attached: { lists: [5], ids: [] } };
    await state.save({ id: 41, manifest: 'winter.yaml', name: 'Winter', recorded });
    let begun = false;
    const { campaigns: outcomes } = await apply(
      { leads: { lists: [5] } },
      {
        emit: () => {
          if (!begun) change(service);
          begun = true;
        },
      },
    );
    expect(outcomes[0]?.steps[0]).toMatchObject({ id: 'leads/list-5', result: 'done' });
  });
});

it('leads are sent if the service shows their number only after the plan', async () => {
  const hidden = { status: 200, body: { data: { id: 42, name: NAME, status: 'draft' } }, effect: false };
  const { steps } = await apply({
    ...{ spec: ATTACH.spec, totals: 'shown', bareRows: true },
    before(service) {
      service.store.campaigns[0]?.leads.push(1, 2, 3);
      service.answerThen('GET', '/api/campaigns/42', hidden);
    },
  });
  expect(steps?.[0]).toEqual(['leads/batch-1', 'done', null]);
});
