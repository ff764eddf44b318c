import { describe, expect, it } from 'vitest';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { leads, withAttachment, withTotalLeads } from '../../src/sections/leads.js';
import { coded, codes, IN_SYNC, liveContext, NOT_MANAGED, newContext } from '../support/context.js';
import { step } from '../support/plans.js';
import { planSection } from '../support/works.js';

const plan = (
  written: NonNullable<CampaignSpec['leads']>,
  recorded: Partial<RecordedState>,
  service: Partial<ServiceBehaviour> = {},
) => coded(planSection(leads, liveContext({ leads: written }, {}, { recorded, service })));
const change = (path: string, to: number[]) => ({
  section: 'leads',
  path,
  kind: 'add',
  from: null,
  to,
  // The name of list 77 in the project file.
  note:
    path === 'lists' && to.includes(77)
      ? to.map((id) => (id === 77 ? 'installers-fr (id 77)' : id)).join(', ')
      : null,
});
const attach = (name: string, what: string, title: string, body: JsonObject) =>
  step('leads', {
    ...{ id: `leads/${name}`, title, path: `/api/campaigns/42/leads/attach-${what}`, body },
    irreversible: true,
  });
const list = (id: number) =>
  attach(`list-${id}`, 'lead-list', `attach lead list ${id}`, { lead_list_id: id });
const batch = (number: number, title: string, lead_ids: number[]) =>
  attach(`batch-${number}`, 'leads', title, { lead_ids });
const span = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const NOTHING_ATTACHED = {
  attached: { lists: [], ids: [] },
  doubtful: { lists: [], ids: [] },
  isKnown: true,
  hasMore: false,
  before: null,
  now: null,
};

const known = (
  attached: Partial<RecordedState['attached']>,
  doubtful: Partial<RecordedState['doubtful']> = {},
) => ({
  known: true,
  attached: { lists: [], ids: [], ...attached },
  doubtful: { lists: [], ids: [], ...doubtful },
});

describe('leads', () => {
  it('are attached list by list, then by id, sorted and without duplicates', () => {
    const written = { lists: [99, 'installers-fr', 42, 77], ids: [1010, 9, 1002, 9] };
    expect(plan(written, known({}))).toEqual({
      changes: [change('lists', [42, 77, 99]), change('ids', [9, 1002, 1010])],
      problems: [],
      steps: [list(42), list(77), list(99), batch(1, 'attach 3 leads', [9, 1002, 1010])],
      live: NOTHING_ATTACHED,
    });
  });

  it('are sent in batches of at most 500', () => {
    const { changes, steps } = plan({ ids: span(1, 1001).reverse() }, known({}));
    expect(changes).toEqual([change('ids', span(1, 1001))]);
    expect(steps).toEqual([
      batch(1, 'attach 500 leads (batch 1 of 3)', span(1, 500)),
      batch(2, 'attach 500 leads (batch 2 of 3)', span(501, 1000)),
      batch(3, 'attach 1 lead (batch 3 of 3)', [1001]),
    ]);
    expect(plan({ ids: span(1, 500) }, known({})).steps).toHaveLength(1);
  });

  it('are attached to a new campaign without any hazard', () => {
    expect(planSection(leads, newContext({ leads: { lists: ['installers-fr'] } }))).toEqual({
      changes: [change('lists', [77])],
      problems: [],
      steps: [{ ...list(77), path: '/api/campaigns/{campaign_id}/leads/attach-lead-list' }],
      live: NOTHING_ATTACHED,
    });
  });

  it('that are recorded as attached are skipped, and the others are sent', () => {
    expect(plan({ lists: [42, 77], ids: [1, 2] }, known({ lists: [42, 77], ids: [1, 2] }))).toMatchObject(
      IN_SYNC,
    );
    expect(plan({ lists: [42, 77], ids: [1, 2, 3] }, known({ lists: [42], ids: [2] }))).toMatchObject({
      changes: [change('lists', [77]), change('ids', [1, 3])],
      problems: [],
      steps: [list(77), batch(1, 'attach 2 leads', [1, 3])],
    });
  });

  it('that are none change nothing', () => {
    expect(plan({}, {})).toMatchObject(IN_SYNC);
    expect(plan({ lists: [], ids: [] }, {})).toMatchObject(IN_SYNC);
  });

  it('are not managed if they are not declared, whatever is attached', () => {
    expect(planSection(leads, liveContext({}, {}, { recorded: known({ lists: [42] }) }))).toEqual(
      NOT_MANAGED,
    );
  });

  it('need the record of the campaign, for its lead count', () => {
    expect(leads.reads({ name: 'Spring installers', leads: { lists: [42] } })).toEqual(['campaign']);
  });

  it('of a list that the environment does not name are an error', () => {
    expect(() => plan({ lists: ['installers-it'] }, {})).toThrow('"installers-it"');
  });

  it('that are no longer declared stay, and the plan says so', () => {
    expect(plan({ lists: [42] }, known({ lists: [42, 77], ids: [1, 2, 3, 4, 5, 6, 7] }))).toMatchObject({
      changes: [],
      problems: ['warning cannot-detach'],
      steps: [],
    });
  });
});

describe('attaching leads that may already be attached', () => {
  it('is a hazard if the campaign has no record in the state', () => {
    expect(plan({ lists: [42], ids: [7] }, UNKNOWN_STATE)).toMatchObject({
      changes: [change('lists', [42]), change('ids', [7])],
      problems: ['hazard repeat-attach'],
      steps: [list(42), batch(1, 'attach 1 lead', [7])],
    });
  });

  it('is a hazard only for leads that an earlier run left in doubt', () => {
    const recorded = known({}, { lists: [77], ids: [9] });
    const [problem] = planSection(
      leads,
      liveContext({ leads: { lists: [42, 77], ids: [7] } }, {}, { recorded }),
    ).problems;
    expect([problem?.code, problem?.message]).toEqual([
      'repeat-attach',
      expect.stringMatching(/^[^.]* lead list 77\./),
    ]);
  });

  it('is not a hazard if the doubtful leads are no longer declared', () => {
    expect(plan({ lists: [42] }, known({}, { lists: [77] })).problems).toEqual([]);
  });

  it('is not a hazard if the service skips attached leads', () => {
    const safe = { attach_repeat: 'safe' } as const;
    expect(plan({ lists: [42] }, UNKNOWN_STATE, safe)).toMatchObject({ problems: [], steps: [list(42)] });
    expect(plan({ lists: [42] }, known({}, { lists: [42] }), safe).problems).toEqual([]);
  });
});

describe('a list with a value of refill', () => {
  const safe = { attach_repeat: 'safe' } as const;
  const at = (refill: string | number, list: number | string = 77) => ({ lists: [{ list, refill }] });
  const had = (...values: string[]) => ({
    lists: [77],
    ids: [],
    refills: values.map((refill) => ({ list: 77, refill })),
  });
  const again = (refill: string) => ({ ...list(77), title: 'attach lead list 77 again', refill });
  const refillChange = (refill: string) => ({
    ...change('refill', []),
    to: [{ list: 77, refill }],
    note: 'installers-fr (id 77)',
  });

  it('is attached once if the campaign does not have it', () => {
    expect(plan(at('2026-11-27', 'installers-fr'), known({}))).toMatchObject({
      changes: [change('lists', [77])],
      problems: [],
      steps: [{ ...list(77), refill: '2026-11-27' }],
    });
  });

  it('is attached again for a value that the campaign never had', () => {
    const planned = { changes: [refillChange('2026-11-27')], steps: [again('2026-11-27')] };
    for (const attached of [had(), had('2026-11-20'), { lists: [77], ids: [] }]) {
      expect(plan(at('2026-11-27'), known(attached), safe)).toMatchObject({ ...planned, problems: [] });
      expect(plan(at('2026-11-27'), known(attached))).toMatchObject({
        ...planned,
        problems: ['hazard repeat-attach'],
      });
    }
  });

  it('is not attached for a value that comes back, or without one', () => {
    const recorded = known(had('2026-11-20', '2026-11-27', '7'));
    for (const refill of ['2026-11-27', '2026-11-20', ' 2026-11-20 ', 7, '7'])
      expect(plan(at(refill), recorded, safe)).toMatchObject(IN_SYNC);
    expect(plan({ lists: [77] }, recorded, safe)).toMatchObject(IN_SYNC);
    expect(plan({}, recorded, safe).problems).toEqual(['warning cannot-detach']);
  });

  it('is a different one for each list', () => {
    expect(plan(at('a', 42), known({ ...had('a'), lists: [42, 77] }), safe).steps).toEqual([
      { ...list(42), title: 'attach lead list 42 again', refill: 'a' },
    ]);
  });

  const [first, second] = [{ ...list(77), refill: 'a' }, again('b')];
  const record = (recorded: RecordedState, ...outcomes: [typeof first, 'done' | 'in_doubt'][]) =>
    outcomes.reduce((now, [sent, outcome]) => leads.recordStep(now, sent, outcome), recorded);

  it('is recorded with each value', () => {
    const { attached, doubtful } = record(CREATED_STATE, [first, 'done'], [second, 'done']);
    expect([attached, doubtful]).toEqual([had('a', 'b'), { lists: [], ids: [] }]);
  });

  it('needs approval once an outcome is unknown, and only the value is in doubt', () => {
    const recorded = record(CREATED_STATE, [first, 'done'], [second, 'in_doubt']);
    expect([recorded.attached, recorded.doubtful]).toEqual([
      had('a'),
      { lists: [], ids: [], refills: [{ list: 77, refill: 'b' }] },
    ]);
    const shows = { ...recorded, total_leads: null };
    expect(plan(at('b'), shows)).toMatchObject({ problems: ['hazard repeat-attach'], steps: [again('b')] });
    expect(plan(at('b'), shows, safe)).toMatchObject({ problems: [], steps: [again('b')] });
    expect(record(recorded, [again('b'), 'done']).doubtful).toEqual({ lists: [], ids: [] });
  });

  it('that is in doubt is settled by a later attachment of the list', () => {
    const recorded = record(CREATED_STATE, [first, 'in_doubt'], [second, 'in_doubt'], [again('c'), 'done']);
    expect([recorded.attached, recorded.doubtful]).toEqual([had('a', 'b', 'c'), { lists: [], ids: [] }]);
  });
});

describe('attaching if the service shows more leads than after the last attachment', () => {
  const shows = (total_leads: Json, recorded: Partial<RecordedState>) =>
    planSection(
      leads,
      liveContext({ leads: { lists: [42], ids: [7] } }, { campaign: { id: 42, total_leads } }, { recorded }),
    );

  it('is a hazard for everything, with both numbers', () => {
    const problem = shows(398, { ...known({ lists: [77] }), total_leads: 100 }).problems.at(-1);
    expect([problem?.code, problem?.message]).toEqual([
      'repeat-attach',
      expect.stringMatching(/list 42 and 1 .* \(7\).* 100 leads .* 398 leads\./),
    ]);
  });

  it('is also a hazard for the rest if some leads are in doubt', () => {
    const recorded = { ...known({}, { lists: [42] }), total_leads: 0 };
    const [problem] = shows(200, recorded).problems;
    expect(problem?.message).toMatch(/list 42 and 1 .*\(7\)\. .*list 42 .*unknown/);
  });

  it('is a hazard if campaignctl attached nothing', () => {
    expect(codes(shows(1, CREATED_STATE).problems)).toEqual(['hazard repeat-attach']);
  });

  it.each([
    ['as many', 100, 100],
    ['fewer', 12, 100],
    ['no number', null, 100],
  ])('is not a hazard if the service shows %s', (_name, now, then) => {
    expect(shows(now, { ...known({}), total_leads: then }).problems).toEqual([]);
  });

  it('is a hazard if no number is recorded and more leads are shown than were attached', () => {
    const unknown = (attached: Partial<RecordedState['attached']>, now: number) =>
      codes(shows(now, { ...known(attached), total_leads: null }).problems).filter(
        (code) => code !== 'warning cannot-detach',
      );
    expect(unknown({ lists: [77] }, 100)).toEqual(['hazard repeat-attach']);
    expect(unknown({ ids: [1, 2] }, 3)).toEqual(['hazard repeat-attach']);
    expect(unknown({ ids: [1, 2] }, 2)).toEqual([]);
    expect(unknown({}, 0)).toEqual([]);
  });

  it.each([['398'], [' 398 '], [398]])('reads %j as a number', (now) => {
    expect(codes(shows(now, { ...known({}), total_leads: 100 }).problems)).toEqual(['hazard repeat-attach']);
  });

  it.each([[''], [' '], [[]], [[398]], [true], [{}], ['1e3'], ['0x10'], [-1], [0.5]])(
    'does not read %j as a number',
    (now) => {
      const doubtful = { ...known({}, { lists: [42] }), total_leads: 100 };
      expect(shows(now, doubtful).live).toMatchObject({ hasMore: false, now: null });
      expect(shows(now, CREATED_STATE).problems).toEqual([]);
    },
  );

  it('is not a hazard if nothing is to be attached, or if the service skips attached leads', () => {
    const all = { ...known({ lists: [42], ids: [7] }), total_leads: 1 };
    expect(shows(398, all)).toMatchObject({
      changes: [],
      problems: [],
      live: { hasMore: false, now: null },
    });
    const safe = { recorded: { ...known({}), total_leads: 1 }, service: { attach_repeat: 'safe' } } as const;
    const shown = { campaign: { id: 42, total_leads: 398 } };
    expect(planSection(leads, liveContext({ leads: { lists: [42] } }, shown, safe)).problems).toEqual([]);
  });
});

describe('the recorded state of leads', () => {
  const [first, second] = plan({ lists: [77], ids: [5, 1] }, UNKNOWN_STATE).steps;
  if (first === undefined || second === undefined) throw new Error('two steps were expected');

  it('adds accepted leads', () => {
    const after = leads.recordStep(leads.recordStep(UNKNOWN_STATE, first, 'done'), second, 'done');
    expect(after).toEqual({ ...UNKNOWN_STATE, known: true, attached: { lists: [77], ids: [1, 5] } });
    expect(leads.recordStep(after, second, 'done')).toEqual(after);
  });

  it('keeps doubtful leads until they are accepted', () => {
    const doubt = leads.recordStep(CREATED_STATE, first, 'in_doubt');
    expect(doubt).toEqual({ ...CREATED_STATE, doubtful: { lists: [77], ids: [] } });
    expect(leads.recordStep(doubt, first, 'done')).toEqual({
      ...CREATED_STATE,
      attached: { lists: [77], ids: [] },
    });
  });

  it('does not become known through a doubtful attachment', () => {
    expect(leads.recordStep(UNKNOWN_STATE, second, 'in_doubt')).toEqual({
      ...UNKNOWN_STATE,
      doubtful: { lists: [], ids: [1, 5] },
    });
  });
});

describe('the recorded number of leads', () => {
  const AT = { boot: 'this one', uptime: 7 };
  const had = (total_leads: number | null, more: Partial<RecordedState> = {}): RecordedState => ({
    ...CREATED_STATE,
    attached: { lists: [42], ids: [] },
    total_leads,
    ...more,
  });
  const numbers = ({ total_leads, attached_at }: RecordedState) => [total_leads, attached_at];
  const sent = { lists: [], ids: [1, 2] };

  it.each<[string, RecordedState, number | null, ReturnType<typeof numbers>]>([
    ['the one that is shown, if it shows them all', had(100), 105, [105, AT]],
    ['the one before and each individual lead, if it shows none', had(100), 100, [102, AT]],
    ['the one before and each individual lead, if it shows some', had(100), 101, [102, AT]],
    ['that, if none is shown', had(100), null, [102, AT]],
    ['none, if none was ever shown', had(null), null, [null, AT]],
  ])('after individual leads were attached is %s', (_, before, total, wanted) => {
    expect(numbers(withAttachment(before, { sent, at: AT, total, isIdle: false }))).toEqual(wanted);
  });

  it.each([
    [100, 100],
    [101, 101],
  ])('after an attachment of a list with %d leads shown is %d', (total, wanted) => {
    const list = { sent: { lists: [77], ids: [] }, at: AT, total, isIdle: false };
    expect(numbers(withAttachment(had(100), list))).toEqual([wanted, AT]);
  });

  it.each([100, null])('after an attachment to an idle campaign is the one shown: %s', (total) => {
    expect(numbers(withAttachment(had(100), { sent, at: AT, total, isIdle: true }))).toEqual([100, null]);
  });

  it('does not change after an attachment in doubt', () => {
    const none = { sent: { lists: [], ids: [] }, at: AT, total: 200, isIdle: false };
    expect(numbers(withAttachment(had(100), none))).toEqual([100, null]);
  });

  it.each<[string, RecordedState, number | null, ReturnType<typeof numbers>]>([
    ['does not rise by leads that this state does not explain', had(100), 200, [100, null]],
    ['falls if leads were removed', had(100), 60, [60, null]],
    ['rises within ten minutes of an attachment', had(100, { attached_at: AT }), 150, [150, AT]],
    ['does not fall within ten minutes of an attachment', had(102, { attached_at: AT }), 100, [102, AT]],
    ['stays if none is shown', had(100, { attached_at: AT }), null, [100, AT]],
    ['is not recorded if none was known and a list was attached', had(null), 100, [0, null]],
    ['is zero if nothing explains it', { ...CREATED_STATE, total_leads: null }, 9, [0, null]],
    ['is unknown for an unknown campaign', UNKNOWN_STATE, 9, [null, null]],
  ])('%s, if nothing was attached', (_, recorded, total, wanted) => {
    expect(numbers(withTotalLeads(recorded, total))).toEqual(wanted);
  });
});
