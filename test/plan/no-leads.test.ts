import { describe, expect, it } from 'vitest';
import type { Json } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState, type StateEntry, UNKNOWN_STATE } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import { campaign, listedCampaign } from '../support/campaigns.js';
import { answer, codes } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { removedWork, workOf } from '../support/works.js';

interface Known {
  spec?: Partial<CampaignSpec>;
  shown?: { [field: string]: Json };
  recorded?: RecordedState;
  /** The state knows that campaign 42 has replaced campaign 7. */
  replaced?: boolean;
  hold?: 'launch'[];
}

const OLD: StateEntry = {
  ...{ id: 7, manifest: 'old.yaml', name: 'Spring 2025' },
  recorded: { ...UNKNOWN_STATE, has_run: true },
};

/** Plans campaign 42, or a new one if `id` is null. Campaign 7 is there, and runs unless campaign 42 has replaced it. */
function plan(id: number | null, { spec = {}, shown = {}, recorded, replaced = false, hold = [] }: Known) {
  const name = 'Spring 2026';
  const row = { id, name, status: 'draft', ...shown };
  const old = { ...OLD, recorded: { ...OLD.recorded, ...(replaced ? { superseded_by: 42 } : {}) } };
  const status = replaced ? 'paused' : 'active';
  const listed = listedCampaign(7, 'Spring 2025', status);
  const read = (of: number, body: Json) => ({
    ...{ campaign: answer(`GET /api/campaigns/${of}`, body), schedule: null, sequence: null },
  });
  const predecessor = { id: 7, name: 'Spring 2025', listed, entry: old };
  const own = workOf({
    ...{ campaign: campaign('spring.yaml', { name, ...spec }), id },
    listed: id === null ? null : listedCampaign(id, name, String(row.status)),
    answers: id === null ? null : read(id, row),
    predecessor: spec.replaces === undefined ? null : predecessor,
  });
  const replacing = removedWork({
    ...{ entry: old, listed },
    answers: read(7, { id: 7, name: 'Spring 2025', status, total_leads: 900 }),
  });
  return buildPlan(
    deepFreeze({
      environment: environment(),
      works: spec.replaces === undefined ? [own] : [own, { ...replacing, role: 'replaced' as const }],
      templates: null,
      entries: [
        old,
        ...(recorded === undefined || id === null ? [] : [{ id, manifest: 'spring.yaml', name, recorded }]),
      ],
      listed: [listed],
      pending: [],
      selection: { files: [], target: [], hold: [...hold] },
      now: Date.UTC(2026, 2, 2),
    }),
  ).plan;
}

const hazards = (id: number | null, known: Known) =>
  plan(id, known).campaigns.flatMap(({ problems }) => problems.filter(({ code }) => code === 'no-leads'));

describe('a campaign without any known lead', () => {
  it('needs approval before it is launched', () => {
    expect(hazards(null, { spec: { status: 'running' } })).toEqual([
      {
        code: 'no-leads',
        severity: 'hazard',
        message:
          'This campaign is launched, but neither its manifest nor the state nor the service shows any leads for it.',
        hint: "List its leads under leads: in the manifest. If they are attached in the service's web app, pass --allow no-leads.",
        accepted_by: null,
      },
    ]);
    expect(hazards(42, { spec: { status: 'running' }, shown: { total_leads: 0 } })).toHaveLength(1);
  });

  it('needs approval before it replaces another one, launched or not', () => {
    const [launched] = hazards(null, { spec: { replaces: 7, status: 'running' } });
    expect(launched?.message).toContain('This campaign is launched, but');
    expect(launched?.message).toContain('Campaign 7 "Spring 2025" would stop, and nobody');
    const [made] = hazards(null, { spec: { replaces: 7 } });
    expect(made?.message).toContain('This campaign replaces another one, but');
  });

  it.each<[string, number | null, Known]>([
    ['its manifest names leads', null, { spec: { status: 'running', leads: { ids: [1] } } }],
    ['the service shows some', 42, { spec: { status: 'running' }, shown: { total_leads: '3' } }],
    [
      'the state knows some',
      42,
      {
        spec: { status: 'running' },
        shown: { total_leads: 0 },
        recorded: { ...CREATED_STATE, attached: { lists: [12], ids: [] } },
      },
    ],
    [
      'some may be attached',
      42,
      {
        spec: { status: 'running' },
        recorded: { ...CREATED_STATE, doubtful: { lists: [12], ids: [] } },
      },
    ],
    ['it is not launched', null, { spec: { settings: { plain_text: true } } }],
    ['its launch is held back', 42, { spec: { status: 'running' }, hold: ['launch'] }],
    ['it replaced the other one before', 42, { spec: { replaces: 7 }, replaced: true }],
  ])('needs none where %s', (_, id, known) => {
    expect(hazards(id, known)).toEqual([]);
  });
});

describe('a replaced campaign is to be deleted', () => {
  const deleted = (shown: Known['shown'], recorded: Partial<RecordedState> = {}, spec = {}) =>
    plan(42, {
      spec: { replaces: 7, ...spec },
      ...{ shown: shown ?? {}, replaced: true, recorded: { ...CREATED_STATE, ...recorded } },
    })
      .by_hand.filter(({ does }) => does === 'delete')
      .map(({ id }) => id);

  it('once its successor runs with leads', () => {
    expect(deleted({ status: 'active', total_leads: 10 })).toEqual([7]);
    expect(deleted({ status: 'completed', total_leads: 10 })).toEqual([7]);
    expect(deleted({ status: 'active' }, { attached: { lists: [12], ids: [] } })).toEqual([7]);
  });

  it('not before', () => {
    expect(deleted({ status: 'draft', total_leads: 10 })).toEqual([]);
    expect(deleted({ status: 'active', total_leads: 0 })).toEqual([]);
    expect(deleted({ status: 'active' })).toEqual([]);
    expect(deleted({ status: 'dozing', total_leads: 10 })).toEqual([]);
  });
});

it('a campaign that ran before resumes, and the plan counts its leads that were not contacted', () => {
  const { campaigns } = plan(42, {
    spec: { status: 'running', settings: { max_emails_per_day: 80 } },
    shown: { status: 'paused', total_leads: 2450, total_leads_contacted: '2400' },
    recorded: { ...CREATED_STATE, has_run: true, attached: { lists: [12], ids: [] }, total_leads: 2450 },
  });
  expect(codes(campaigns[0]?.problems ?? [])).toContain('hazard launch');
  expect(campaigns[0]?.impact).toMatchObject({
    ...{ resumed: true, lists: [12], ids: [], leads: 2450, not_contacted: 50, emails: null, last: null },
    emails_per_day: 80,
  });
});
