import { expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { Environment } from '../../src/model/environment.js';
import { liveCampaign } from '../../src/model/live.js';
import type { PlanProblem } from '../../src/model/outputs.js';
import type { Campaign, CampaignSpec } from '../../src/model/spec.js';
import {
  CREATED_STATE,
  type PendingOperations,
  type RecordedState,
  type StateEntry,
} from '../../src/model/state.js';
import { matchCampaigns } from '../../src/plan/match.js';
import type { Planned } from '../../src/plan/planned.js';
import { reconcile, recordSent } from '../../src/plan/reconcile.js';
import { seenNow, unreadTargets } from '../../src/plan/seen.js';
import { withPredecessors } from '../../src/plan/succession.js';
import { newTarget, withFacts } from '../../src/sections/target.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';
import { plannedOf } from '../support/works.js';

const SPEC: CampaignSpec = {
  name: 'Spring',
  settings: { max_emails_per_day: 100, plain_text: true },
  schedule: { template: 'office-hours' },
  leads: { lists: ['installers-fr', 5] },
};
const ROW: ListedCampaign = {
  ...{ id: 42, name: 'Spring', status: 'active', total_leads: 300, updated_at: '2026-03-01T06:00:00Z' },
};
const CAMPAIGN: Campaign = {
  ...{ manifest: 'spring.yaml', file: 'spring.yaml', document: 0, spec: SPEC, remarks: [] },
};
const RECORDED: RecordedState = { ...CREATED_STATE, at_defaults: false };

/** A campaign that was read, and to which nothing is sent. */
function work(
  more: { problems?: PlanProblem[]; action?: Planned['plan']['action']; row?: ListedCampaign } = {},
) {
  const { problems = [], action = 'none', row = ROW } = more;
  const live = liveCampaign(null, { row: ROW, othersShowStatus: false });
  const target = withFacts(newTarget(CAMPAIGN, environment()), { id: 42, live, recorded: RECORDED });
  const planned = plannedOf(target);
  return deepFreeze({
    ...planned,
    target: { ...target, row },
    plan: { ...planned.plan, action, problems },
  });
}

const READ = { tool: '1.0.0', at: Date.parse('2026-03-01T06:01:01Z') };
const SEEN = seenNow(work(), READ);
const ENTRY: StateEntry = {
  ...{ id: 42, manifest: 'spring.yaml', name: 'Spring', recorded: { ...RECORDED, seen: SEEN } },
};

it('is seen regardless of results in the list, which change with every email', () => {
  const numbers = {
    results: { sent: 10, replies: 0, bounced: 0, leads: 300, leads_contacted: 10 },
    cap: 100,
  };
  expect(seenNow(work({ row: { ...ROW, numbers } }), READ)).toEqual(SEEN);
});

interface Now {
  spec: CampaignSpec;
  manifest: string;
  rows: ListedCampaign[];
  others: Campaign[];
  environment: Environment;
  tool: string;
  entries: StateEntry[];
  pending: PendingOperations[];
  again: ReadonlySet<string>;
}

function isRead(more: Partial<Now> = {}): boolean {
  const { spec = SPEC, manifest = 'spring.yaml', rows = [ROW], others = [], ...rest } = more;
  const known = { tool: '1.0.0', entries: [ENTRY], pending: [], again: new Set<string>() };
  const campaign = { ...CAMPAIGN, manifest, file: manifest, spec };
  const about = { environment: environment(), listed: rows, ...known, ...rest };
  const context = { listed: rows, entries: about.entries, environment: environment() };
  const all = withPredecessors(matchCampaigns([campaign, ...others], context), context);
  const planned = all.filter((work) => work.campaign === campaign);
  return unreadTargets(planned, all, deepFreeze(about)).size === 0;
}

const remembered = (more: Partial<RecordedState>) => ({
  entries: [{ ...ENTRY, recorded: { ...ENTRY.recorded, ...more } }],
});
const env = (more: Partial<Environment>) => ({ environment: { ...environment(), ...more } });
const remaining: PendingOperations = {
  ...{ run: 'r', at: '2026-03-01T06:00:00Z', who: 'ada@desk', manifest: 'else.yaml', name: 'Else', id: null },
  ...{ spec: '', changes: [], sent: [] },
};
/** It was seen with a different replaced campaign. */
function succeeded({
  by = 42,
  isGone = false,
  rested = 'paused',
  ran = false,
  ...now
}: Partial<ListedCampaign> & {
  by?: number | null;
  isGone?: boolean;
  rested?: string | null;
  ran?: boolean;
} = {}): Partial<Now> {
  const spec = { ...SPEC, replaces: 'Winter' };
  const row = { ...ROW, id: 41, name: 'Winter', status: rested, updated_at: '2026-03-01T00:00:00Z' };
  const planned = work();
  const predecessor = { id: 41, name: 'Winter', row, entry: null };
  const seen = seenNow({ ...planned, target: { ...planned.target, spec, predecessor } }, READ);
  const launched = ran ? { status: 'running', has_run: true } : {};
  const recorded = { ...RECORDED, ...launched, ...(by === null ? {} : { superseded_by: by }) };
  const entries = [
    { ...ENTRY, recorded: { ...RECORDED, seen } },
    { ...ENTRY, id: 41, name: 'Winter', manifest: 'winter.yaml', recorded },
  ];
  return { spec, entries, rows: isGone ? [ROW] : [ROW, { ...row, ...now }] };
}
const moment = { boot: null, uptime: 0 };

it.each<[what: string, now: Partial<Now>]>([
  ['nothing has changed', {}],
  [
    'the keys of the manifest are in a different order',
    { spec: Object.fromEntries(Object.entries(SPEC).reverse()) as CampaignSpec & object },
  ],
  ['its file was moved', { manifest: 'moved.yaml' }],
  [
    'an id that only other campaigns use has changed',
    env({ lead_lists: { ...environment().lead_lists, others: 9 } }),
  ],
  [
    'a key that affects no campaign has changed',
    env({ limits: { parallelism: 1, requests_per_minute: 9 }, allow: [] }),
  ],
  ['a different campaign has pending requests', { pending: [remaining] }],
  ['the replaced campaign is still idle', succeeded()],
])('a campaign is not read if %s', (_, now) => {
  expect(isRead(now)).toBe(false);
});

it.each<[what: string, now: Partial<Now>]>([
  [
    'its manifest has changed',
    { spec: { ...SPEC, settings: { max_emails_per_day: 101, plain_text: true } } },
  ],
  ['it has been pinned since', { spec: { ...SPEC, id: 42 } }],
  ['the list shows a different status', { rows: [{ ...ROW, status: 'paused' }] }],
  ['the list shows a later change', { rows: [{ ...ROW, updated_at: '2026-03-01T06:00:01Z' }] }],
  ['the list shows a different number of leads', { rows: [{ ...ROW, total_leads: 301 }] }],
  ['the list no longer shows its status', { rows: [{ ...ROW, status: null }] }],
  ['the list shows a different name', { spec: { ...SPEC, id: 42 }, rows: [{ ...ROW, name: 'spring' }] }],
  ['two campaigns have its name', { rows: [ROW, { ...ROW, id: 43 }] }],
  ['it is missing', { rows: [] }],
  ['it has pending requests by its id', { pending: [{ ...remaining, id: 42 }] }],
  ['it has pending requests by its name', { pending: [{ ...remaining, name: 'Spring' }] }],
  ['its file has pending requests', { pending: [{ ...remaining, manifest: 'spring.yaml' }] }],
  ['leads are in doubt', remembered({ doubtful: { lists: [], ids: [7] } })],
  ['leads were attached less than ten minutes ago', remembered({ attached_at: moment })],
  ['the run that created it has not ended', remembered({ at_defaults: true })],
  ['nothing was seen', remembered({ seen: null })],
  ['the state records different leads', remembered({ attached: { lists: [5], ids: [] } })],
  ['its leads are no longer known', remembered({ known: false })],
  ['it is not in the state', { entries: [] }],
  ['the record of what was seen is invalid', remembered({ seen: { spec: 1 } as never })],
  [
    'the service behaves differently',
    env({ service: { ...environment().service, schedule_repost: 'refuse' } }),
  ],
  ['the address has changed', env({ base_url: 'https://other.example.com' })],
  ['the variable of the token has changed', env({ token_env: 'OTHER_TOKEN' })],
  ['the workspace is pinned', env({ workspace: { campaign_id: 1, name: 'Home' } })],
  [
    'the id of its lead list has changed',
    env({ lead_lists: { ...environment().lead_lists, 'installers-fr': 79 } }),
  ],
  ['the id of its template has changed', env({ schedule_templates: { 'office-hours': 4 } })],
  ['the program has a different version', { tool: '1.0.1' }],
  [
    'a different campaign replaces it',
    {
      others: [
        { ...CAMPAIGN, manifest: 'new.yaml', file: 'new.yaml', spec: { name: 'New', replaces: 'Spring' } },
      ],
    },
  ],
  ['a different campaign has replaced it', remembered({ superseded_by: 43 })],
  ['nothing records that it has replaced the other', succeeded({ by: null })],
  ['a different campaign has replaced the other', succeeded({ by: 43 })],
  ['the replaced campaign is running', succeeded({ status: 'active' })],
  ['the replaced campaign has an unknown status', succeeded({ status: 'flying' })],
  ['the replaced campaign no longer shows a status', succeeded({ status: null })],
  ['the replaced campaign is running, as last set', succeeded({ rested: null, ran: true })],
  ['the replaced campaign has been updated', succeeded({ updated_at: '2026-03-01T00:00:09Z' })],
  ['the replaced campaign is gone', succeeded({ isGone: true })],
  ['the replaced campaign has pending requests', { ...succeeded(), pending: [{ ...remaining, id: 41 }] }],
  ['a saved plan has read it', { again: new Set(['spring.yaml']) }],
  [
    'it may belong to a different manifest',
    {
      entries: [{ ...ENTRY, name: 'Summer' }],
      others: [{ ...CAMPAIGN, manifest: 'other.yaml', file: 'other.yaml', spec: { name: 'Summer' } }],
    },
  ],
])('a campaign is read if %s', (_, now) => {
  expect(isRead(now)).toBe(true);
});

const warning = (code: PlanProblem['code']): PlanProblem => ({
  code,
  severity: 'warning',
  message: '',
  hint: '',
});

it('is seen if it is in sync and the plan reports nothing else', () => {
  expect(SEEN).toMatchObject({ listed: { name: 'Spring', status: 'active', total_leads: 300 } });
  expect(seenNow(work({ problems: [warning('not-readable')] }), READ)).toEqual(SEEN);
  for (const code of ['cannot-detach', 'same-name', 'unknown-status'] as const)
    expect(seenNow(work({ problems: [warning(code)] }), READ)).toBeNull();
  const task = {
    campaign: 'Spring',
    id: 42,
    manifest: 'spring.yaml',
    does: 'remove',
    section: 'leads',
  } as const;
  const byHand = [{ ...task, path: 'lists', place: 'leads: lists', from: [5], to: null }];
  expect(seenNow({ ...work(), byHand }, READ)).toBeNull();
  for (const action of ['create', 'change', 'blocked', 'not_read'] as const)
    expect(seenNow(work({ action }), READ)).toBeNull();
});

it('is seen with findings that depend only on its manifest', () => {
  const [remark, match] = [warning('policy/x'), warning('shared-leads')];
  const planned = work({ problems: [remark, match] });
  const campaign = { ...CAMPAIGN, remarks: [remark, match] };
  expect(seenNow({ ...planned, target: { ...planned.target, campaign } }, READ)).toEqual(SEEN);
});

it.each([
  ['2026-03-01T06:01:00Z', null],
  ['2026-03-01T06:00:00Z', SEEN],
  ['2026-03-01 06:00:01', null],
  ['2026-03-01 06:00:00', SEEN],
  ['yesterday', SEEN],
])('is seen with a row of %s once a further change must produce a different row', (updated_at, seen) => {
  const row = { ...ROW, updated_at };
  const expected = seen && { ...seen, listed: { ...seen.listed, updated_at } };
  expect(seenNow(work({ row }), READ)).toEqual(expected);
});

it('is no longer seen after a run left requests pending, whatever their outcome', () => {
  const { target } = work();
  const recorded = { ...RECORDED, seen: SEEN };
  const after = (pending: PendingOperations[]) =>
    reconcile(pending, withFacts(target, { recorded })).target.recorded;
  expect(after([]).seen).toEqual(SEEN);
  expect(after([{ ...remaining, id: 42 }]).seen).toBeNull();
});

it('is no longer seen once something is sent to it', () => {
  const sent = {
    step: step('settings', { body: { max_emails_per_day: 1 } }),
    total_leads: null,
    at: '2026-03-02T09:00:00.000Z',
  };
  for (const result of ['done', 'in_doubt'] as const)
    expect(recordSent({ ...RECORDED, seen: SEEN }, sent, result).seen).toBeNull();
});
