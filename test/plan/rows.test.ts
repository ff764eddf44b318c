import { describe, expect, it } from 'vitest';
import type { ListedCampaign } from '../../src/model/answer.js';
import type { ByHandTask, PlanProblem } from '../../src/model/outputs.js';
import { CREATED_STATE, type PendingOperations, type RecordedState } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { problem } from '../../src/plan/messages.js';
import type { Planned } from '../../src/plan/planned.js';
import { isUnremarkable, standingRows } from '../../src/plan/rows.js';
import { campaign, entryOf, listedCampaign } from '../support/campaigns.js';
import { environment } from '../support/environment.js';
import { deepFreeze } from '../support/freeze.js';
import { step } from '../support/plans.js';
import { plannedOf, targetOf } from '../support/works.js';

const NAME = 'Spring installers';
const SHOWN = { id: 42, name: NAME, status: 'paused', max_emails_per_day: 200 };
const ROW: ListedCampaign = {
  ...listedCampaign(42, NAME, 'paused'),
  record: SHOWN,
};
const RECORDED: RecordedState = { ...CREATED_STATE, at_defaults: false, status: 'paused', has_run: true };
const OTHER = targetOf({ campaign: campaign('other.yaml', { name: 'Other' }), id: 43, answers: null });
const AT = '2026-05-12T08:00:00Z';
const OPERATIONS: PendingOperations = {
  ...{ run: 'r', at: AT, who: 'ada', manifest: 'other.yaml', name: 'Other', id: 43 },
  ...{ spec: 'sha256:', changes: [], sent: [] },
};

interface Facts {
  target?: Partial<Target>;
  recorded?: Partial<RecordedState>;
  row?: Partial<ListedCampaign>;
  other?: Partial<Target>;
  pending?: Partial<PendingOperations>;
  doubted?: number[];
}

/** The ids of campaigns whose rows stand for their records, of one that is settled but for these facts. */
function standing({ target = {}, recorded = {}, row = {}, other = {}, pending = {}, doubted = [] }: Facts) {
  const manifest = campaign('spring.yaml', { settings: { max_emails_per_day: 200 } });
  const shown = { ...ROW, ...row };
  const entry = { ...entryOf(42, 'spring.yaml'), recorded: { ...RECORDED, ...recorded } };
  const spring: Target = {
    ...targetOf({ campaign: manifest, id: 42, listed: shown, answers: null }),
    ...{ entry, reads: ['campaign'], ...target },
  };
  const targets = deepFreeze([spring]);
  const matched = { entries: [entry], manifests: [spring, { ...OTHER, ...other }], targets };
  const rows = standingRows(matched, {
    environment: environment(),
    pending: [{ ...OPERATIONS, ...pending }],
    doubted: new Set(doubted),
  });
  return [...rows].map(([id, record]) => [id, record.is]);
}

it('a row stands for the record of a settled campaign', () => {
  expect(standing({})).toEqual([[42, 'shown']]);
  expect(standing({ recorded: { attached_at: null } })).toEqual([[42, 'shown']]);
});

const predecessor = { id: 41, name: 'Old', row: null, entry: null };
it.each<[string, Facts]>([
  ['its record is asked for', { doubted: [42] }],
  ['a request of an earlier run is open', { pending: { id: 42 } }],
  ['a request for a campaign of its name is open', { pending: { name: NAME } }],
  ['a request of its manifest is open', { pending: { manifest: 'spring.yaml' } }],
  ['the row shows no status', { row: { status: null } }],
  ['the row shows another status', { row: { status: 'active' } }],
  ['the row is not whole', { target: { row: listedCampaign(42, NAME, 'paused') } }],
  ['the row is of another type', { row: { type: 'sequence' } }],
  ['the row lacks a setting of the manifest', { row: { record: { id: 42, name: NAME, status: 'paused' } } }],
  ['the row cannot be read', { row: { record: { ...SHOWN, plain_text: 'maybe' } } }],
  ['the state does not contain it', { target: { entry: null } }],
  ['it has a problem', { target: { problems: [problem('launch-withheld')] } }],
  ['it may be another campaign', { target: { candidates: [ROW] } }],
  ['another manifest may mean it', { other: { candidates: [ROW] } }],
  ['it replaces another', { target: { predecessor } }],
  ['it is replaced', { other: { predecessor: { ...predecessor, id: 42 } } }],
  ['its manifest is gone', { target: { role: 'removed' } }],
  ['nothing of it is read', { target: { reads: null } }],
  ['its record is not read', { target: { reads: ['schedule'] } }],
  ['leads may be attached', { recorded: { doubtful: { lists: [7], ids: [] } } }],
  ['leads were just attached', { recorded: { attached_at: { uptime: 0, boot: null } } }],
  ['its settings may be the defaults', { recorded: { at_defaults: true } }],
  ['a value was not kept', { recorded: { not_kept: { plain_text: { sent: true, shown: false } } } }],
  ['its launch was held', { recorded: { launch_held: { status: 'paused', at: AT } } }],
  ['a pause stopped it', { recorded: { paused: AT } }],
  ['it was replaced', { recorded: { superseded_by: 44 } }],
])('no row stands for the record if %s', (_, facts) => {
  expect(standing(facts)).toEqual([]);
});

describe('a plan from a row', () => {
  const remark: PlanProblem = { code: 'near-match', severity: 'warning', message: '', hint: '' };
  const work = plannedOf(OTHER);
  const remarked = { ...work.target, campaign: { ...work.target.campaign, remarks: [remark] } };
  const task: ByHandTask = {
    ...{ campaign: NAME, id: 42, manifest: 'spring.yaml', does: 'update', section: 'settings' },
    ...{ path: '', place: '', from: null, to: null },
  };

  it.each<[string, Partial<Planned>]>([
    ['without changes', {}],
    ['with a remark about its file', { target: remarked, plan: { ...work.plan, problems: [remark] } }],
  ])('stands if it is one %s', (_, more) => {
    expect(isUnremarkable({ ...work, ...more })).toBe(true);
  });

  it.each<[string, Partial<Planned>]>([
    ['changes something', { plan: { ...work.plan, action: 'change' } }],
    ['has a step', { plan: { ...work.plan, steps: [step('status')] } }],
    ['has a task by hand', { byHand: [task] }],
    ['has a problem', { plan: { ...work.plan, problems: [remark] } }],
    [
      'has a problem beside a remark',
      { target: remarked, plan: { ...work.plan, problems: [remark, { ...remark }] } },
    ],
  ])('is made again if it %s', (_, more) => {
    expect(isUnremarkable({ ...work, ...more })).toBe(false);
  });
});
