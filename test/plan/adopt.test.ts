import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Json } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { PendingOperations, StateEntry } from '../../src/model/state.js';
import { buildPlan } from '../../src/plan/build.js';
import type { PlanInput } from '../../src/plan/campaign.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { answer } from '../support/context.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';
import { removedWork, workOf } from '../support/works.js';

const NAME = 'Spring installers';
const SCHEDULE: CampaignSpec['schedule'] = {
  ...{ days: ['monday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
};

interface Given {
  spec?: Partial<CampaignSpec>;
  /** The record of the campaign; null: it was not read. */
  shown?: { [field: string]: Json } | null;
  listed?: ListedCampaign;
  /** Its emails; undefined: they were not read, null: it has none. */
  sequence?: Json;
  entries?: StateEntry[];
  more?: Partial<PlanInput>;
}

/** The plan of a manifest for campaign 42, which the state does not know. */
function planned({ spec = {}, shown = {}, listed, sequence, entries = [], more = {} }: Given) {
  const at = 'GET /api/campaigns/42';
  const record = shown === null ? null : answer(at, { id: 42, name: NAME, ...shown });
  const one = {
    campaign: campaign('spring.yaml', { name: NAME, ...spec }),
    ...{ id: 42, listed: listed ?? listedCampaign(42, NAME, null) },
    answers: {
      ...{ campaign: record, schedule: answer(`${at}/schedule`, null) },
      sequence: sequence === undefined ? null : answer(`${at}/sequence-steps`, sequence),
    },
  };
  const rest = { templates: null, listed: [one.listed], pending: [], now: 0 };
  const works = [workOf(one, more.pending)];
  return buildPlan(deepFreeze({ environment: environment(), works, entries, ...rest, ...more }));
}

const adopt = (given: Given) =>
  planned(given).plan.campaigns.flatMap(({ problems }) => problems.filter(({ code }) => code === 'adopt'));

const WORD = expect.objectContaining({ severity: 'hazard', code: 'adopt', accepted_by: null });
const SETTING = { settings: { max_emails_per_day: 100 } };

describe('a campaign that sends and that the state does not know', () => {
  it('needs approval before anything is sent to it, which tells its status and the requests', () => {
    expect(adopt({ spec: { ...SETTING, status: 'paused' }, shown: { status: 'Active' } })).toEqual([
      {
        code: 'adopt',
        severity: 'hazard',
        message:
          'This is a campaign that is sending ("Active"). It is not in the state, so it may be someone else\'s. Apply would make these changes: pause the campaign, update the settings.',
        hint: 'If it is yours, pass --allow adopt; later runs then recognise it. If it is not, give the manifest a different name.',
        accepted_by: null,
      },
    ]);
  });

  it.each<[string, Partial<CampaignSpec>]>([
    ['settings', SETTING],
    ['a schedule', { schedule: SCHEDULE }],
    ['leads', { leads: { lists: [77] } }],
    ['a pin to its id', { ...SETTING, id: 42 }],
  ])('needs it for %s', (_, spec) => {
    expect(adopt({ spec, shown: { status: 'active' } })).toEqual([WORD]);
    expect(adopt({ spec, shown: { status: 'draft' } })).toEqual([]);
    expect(adopt({ spec, shown: { status: 'active' }, entries: [entryOf(42, 'spring.yaml')] })).toEqual([]);
  });

  it.each(['active', 'queued', 'completed', 'weird'])('needs it where the service says %s', (status) => {
    expect(adopt({ spec: SETTING, shown: { status } })).toEqual([WORD]);
    // A schedule is compared without the record: then the list tells.
    const listed = listedCampaign(42, NAME, status);
    expect(adopt({ spec: { schedule: SCHEDULE }, shown: null, listed })).toEqual([WORD]);
  });

  it('needs it where nothing shows a status, and none where the list says that it does not send', () => {
    expect(adopt({ spec: SETTING })).toEqual([WORD]);
    expect(adopt({ spec: { schedule: SCHEDULE }, shown: null })).toEqual([WORD]);
    for (const shown of [null, {}]) {
      const listed = listedCampaign(42, NAME, 'paused');
      expect(adopt({ spec: { schedule: SCHEDULE }, shown, listed })).toEqual([]);
    }
  });

  it('needs none where nothing is sent, and stays unknown unless it is accepted', () => {
    const same = { spec: { status: 'running' } as const, shown: { status: 'active' } };
    expect(adopt(same)).toEqual([]);
    expect(planned(same).works[0]?.isKnown).toBe(false);
    const approvals = [{ hazard: 'adopt', by: '--allow adopt' } as const];
    expect(planned({ ...same, more: { approvals } }).works[0]?.isKnown).toBe(true);
  });

  const create = step('campaign', { id: 'create', title: 'create the campaign', path: '/api/campaigns' });
  const open = (id: number | null): PendingOperations => ({
    ...{ run: 'r', at: '2026-03-02T06:00:00Z', who: 'ada@desk', manifest: 'spring.yaml', name: NAME, id },
    ...{ spec: '', changes: [] },
    sent: [
      {
        at: '2026-03-02T06:00:00Z',
        age: 0,
        visible_in: null,
        step: create,
        result: 'unknown',
        total_leads: null,
      },
    ],
  });

  it('needs none where an earlier run of ours made it', () => {
    const shown = { status: 'active', total_leads: 0 };
    expect(adopt({ spec: SETTING, shown, more: { pending: [open(42)] } })).toEqual([]);
  });

  it('needs none for a pause alone', () => {
    expect(adopt({ spec: { status: 'paused' }, shown: { status: 'active' } })).toEqual([]);
  });

  it("needs one where an earlier run asked for it and had no answer: it may be someone else's", () => {
    const pending = [open(null)];
    for (const shown of [{ status: 'active' }, { status: 'active', total_leads: 0 }, {}])
      expect(adopt({ spec: { ...SETTING, status: 'paused' }, shown, more: { pending } })).toEqual([WORD]);
    // The record may show no status.
    const listed = listedCampaign(42, NAME, 'active');
    expect(adopt({ spec: SETTING, shown: { total_leads: 0 }, listed, more: { pending } })).toEqual([WORD]);
    const codes = (total: Json) =>
      planned({
        spec: { leads: { ids: [1] } },
        shown: { status: 'draft', total_leads: total },
        more: { pending },
      }).plan.campaigns.flatMap(({ problems }) => problems.map(({ code }) => code));
    expect(codes(0)).toEqual(['unfinished-run']);
    expect(codes(null)).toEqual(['unfinished-run', 'repeat-attach']);
  });

  it('needs one where it shows more than the run that asked for it can have sent, and no status', () => {
    const hidden = environment();
    const asked = (sequence: Json) =>
      adopt({
        spec: { leads: { lists: [77] } },
        ...{ shown: { total_leads: 0 }, sequence },
        more: {
          pending: [open(null)],
          environment: { ...hidden, service: { ...hidden.service, status: 'hidden' } },
        },
      });
    expect(asked(null)).toEqual([]);
    expect(asked([{ id: 5, order: 1, email_subject: 'A', email_body: 'B', wait_in_days: 1 }])).toEqual([
      WORD,
    ]);
  });

  it('needs none before a pause, whatever its name', () => {
    const asked = (name: string) => {
      const listed = listedCampaign(42, name, 'active');
      const answer = { endpoint: 'GET', none: false, body: { id: 42, name, status: 'active' } };
      const entry = entryOf(42, 'spring.yaml', NAME);
      const on_removal = { ...environment(), on_removal: 'pause' } as const;
      const works = [
        removedWork({ entry, listed, answers: { campaign: answer, schedule: null, sequence: null } }),
      ];
      return planned({
        more: { environment: on_removal, works, entries: [entry] },
      }).plan.problems.filter(({ code }) => code === 'adopt');
    };
    expect(asked(NAME)).toEqual([]);
    expect(asked('Other')).toEqual([]);
  });
});
