import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import { NOT_KNOWN } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, UNKNOWN_STATE } from '../../src/model/state.js';
import { NOT_SHOWN } from '../../src/sections/section.js';
import { changedSettings, settings } from '../../src/sections/settings.js';
import { coded, IN_SYNC, liveContext, NOT_MANAGED, newContext } from '../support/context.js';
import { changeIn, step } from '../support/plans.js';
import { DEFAULT_SETTINGS } from '../support/service/store.js';
import { planSection } from '../support/works.js';

const ALL = {
  ...DEFAULT_SETTINGS,
  max_emails_per_day: 500,
  max_new_leads_per_day: 100,
  plain_text: true,
  reputation_building: true,
  can_unsubscribe: true,
  unsubscribe_text: 'Unsubscribe here',
};
const { reputation_building: _hidden, ...SHOWN } = ALL;
const RECORD = { id: 42, name: 'Spring installers', status: 'draft', tags: [], ...ALL };
const RECORD_WITHOUT_REPUTATION = { id: 42, name: 'Spring installers', status: 'draft', ...SHOWN };

const planned = (written: CampaignSpec['settings'], campaign: JsonObject, recorded = {}) =>
  coded(
    planSection(
      settings,
      liveContext(written === undefined ? {} : { settings: written }, { campaign }, { recorded }),
    ),
  );

const change = (path: string, from: unknown, to: unknown, note: string | null = null) =>
  changeIn('settings')(path, 'update', from, to, note);

const update = (body: JsonObject) =>
  step('settings', { title: 'update the settings', method: 'PATCH', path: '/api/campaigns/42/update', body });

describe('declared settings', () => {
  it('are sent with the live values of all others', () => {
    expect(planned({ max_emails_per_day: 200, open_tracking: true }, RECORD)).toEqual({
      changes: [change('max_emails_per_day', 500, 200), change('open_tracking', false, true)],
      problems: [],
      steps: [update({ ...ALL, max_emails_per_day: 200, open_tracking: true })],
      live: ALL,
    });
  });

  it('are not sent if they are in sync', () => {
    expect(planned({ ...ALL }, RECORD)).toEqual({ ...IN_SYNC, live: ALL });
  });

  it('are neither managed nor read if there are none', () => {
    expect(planned(undefined, RECORD)).toEqual(NOT_MANAGED);
    expect(settings.reads({ name: 'Spring installers' })).toEqual([]);
    expect(settings.reads({ name: 'Spring installers', settings: {} })).toEqual(['campaign']);
  });

  it.each<[string, CampaignSpec['settings'], unknown[]]>([
    ['a null boolean is false', { open_tracking: null }, []],
    ['a null boolean switches off', { plain_text: null }, [change('plain_text', true, false)]],
    ['a null number is a value', { max_emails_per_day: null }, [change('max_emails_per_day', 500, null)]],
    [
      'an empty text is null',
      { unsubscribe_text: '' },
      [change('unsubscribe_text', 'Unsubscribe here', null)],
    ],
    ['white space around a text is nothing', { unsubscribe_text: ' Unsubscribe here\n' }, []],
    [
      'line ends are one',
      { unsubscribe_text: 'Leave\r\nus' },
      [change('unsubscribe_text', 'Unsubscribe here', 'Leave\nus')],
    ],
    ['zero is a number', { max_new_leads_per_day: 0 }, [change('max_new_leads_per_day', 100, 0)]],
  ])('%s', (_, written, changes) => {
    expect(planned(written, RECORD).changes).toEqual(changes);
  });
});

describe('settings of a new campaign', () => {
  it('are the documented defaults, overridden by declared values', () => {
    expect(planSection(settings, newContext({ settings: { plain_text: true } }))).toEqual({
      changes: [change('plain_text', false, true)],
      problems: [],
      steps: [
        {
          ...update({ ...DEFAULT_SETTINGS, plain_text: true }),
          path: '/api/campaigns/{campaign_id}/update',
        },
      ],
      live: null,
    });
  });

  it('are shown and sent even if they equal the documented default, because a service may have a different one', () => {
    const { changes, steps } = planSection(settings, newContext({ settings: { max_emails_per_day: 1000 } }));
    expect(changes).toEqual([{ ...change('max_emails_per_day', null, 1000), kind: 'add' }]);
    expect(steps.map(({ id }) => id)).toEqual(['settings']);
  });

  it('that was just created have no hazard, because nothing was ever set, and are listed', () => {
    const { problems, steps } = planned({ plain_text: false }, RECORD_WITHOUT_REPUTATION, CREATED_STATE);
    expect(problems).toEqual(['warning not-readable']);
    expect(steps[0]?.body).toEqual({ ...ALL, plain_text: false, reputation_building: false });
  });
});

describe('settings in any format of a service', () => {
  const numbers = { max_emails_per_day: '500', max_new_leads_per_day: ' 100 ' };
  it.each<[string, JsonObject]>([
    ['numbers as texts', { ...RECORD, ...numbers }],
    [
      'booleans as 0 and 1',
      { ...RECORD, plain_text: 1, open_tracking: 0, reputation_building: 1, can_unsubscribe: 1 },
    ],
    [
      'booleans as texts',
      { ...RECORD, plain_text: '1', open_tracking: 'False', reputation_building: 'true' },
    ],
    ['a null boolean', { ...RECORD, open_tracking: null }],
    ['everything nested', { id: 42, name: 'Spring installers', settings: ALL }],
    ['nested before flat', { ...RECORD, plain_text: false, settings: ALL }],
    ['one nested, the rest flat', { ...RECORD, settings: { reputation_building: true } }],
    ['a text with white space', { ...RECORD, unsubscribe_text: 'Unsubscribe here ' }],
  ])('are the same: %s', (_, campaign) => {
    expect(planned({ max_emails_per_day: 500 }, campaign)).toEqual({ ...IN_SYNC, live: ALL });
  });

  it('read an empty text and an empty number as null', () => {
    const { live } = planned({}, { ...RECORD, unsubscribe_text: ' ', max_emails_per_day: '' });
    expect(live).toEqual({ ...ALL, unsubscribe_text: null, max_emails_per_day: null });
  });

  it.each<[keyof typeof ALL, Json]>([
    ['max_emails_per_day', 'many'],
    ['max_new_leads_per_day', 1.5],
    ['plain_text', 'perhaps'],
    ['plain_text', [1]],
    ['plain_text', []],
    ['unsubscribe_text', { html: 'x' }],
  ])('are an error when unreadable: %s as %j', (name, value) => {
    expect(() => planned({ max_emails_per_day: 500 }, { ...RECORD, [name]: value })).toThrow(
      new RegExp(
        `GET /api/campaigns/42 .*field ${name}: .*; got ${JSON.stringify(value).replaceAll(/[[{}\]]/g, '\\$&')}`,
      ),
    );
  });

  it('are an error if a listed campaign has no record', () => {
    expect(() => planSection(settings, liveContext({ settings: {} }, { campaign: null }))).toThrow(
      /GET \/api\/campaigns\/42 .*: .*object; got null/,
    );
  });
});

describe('a setting that the service does not show', () => {
  it('and that is not declared is a hazard before any update', () => {
    expect(planned({ max_emails_per_day: 200 }, RECORD_WITHOUT_REPUTATION)).toEqual({
      changes: [change('max_emails_per_day', 500, 200)],
      problems: ['hazard reset-unreadable'],
      steps: [update({ ...ALL, max_emails_per_day: 200, reputation_building: false })],
      live: SHOWN,
    });
  });

  it('and that is not declared does not matter while nothing is sent', () => {
    expect(planned({ max_emails_per_day: 500 }, RECORD_WITHOUT_REPUTATION)).toEqual({
      ...IN_SYNC,
      live: SHOWN,
    });
  });

  it('keeps its last applied value if another setting is sent', () => {
    const { steps } = planned({ max_emails_per_day: 200 }, RECORD_WITHOUT_REPUTATION, {
      applied: { settings: ALL },
    });
    expect(steps[0]?.body).toEqual({ ...ALL, max_emails_per_day: 200 });
  });

  const off = [update({ ...ALL, reputation_building: false })];
  it.each<[string, boolean, object, unknown[], unknown[]]>([
    ['is compared with what was last applied', true, { settings: ALL }, [], []],
    [
      'is changed when something else was last applied',
      false,
      { settings: ALL },
      [change('reputation_building', true, false, NOT_SHOWN)],
      off,
    ],
    [
      'is sent when nothing is known of it',
      false,
      {},
      [change('reputation_building', null, false, NOT_KNOWN)],
      off,
    ],
  ])('%s, and the plan says so', (_, reputation_building, applied, changes, steps) => {
    expect(planned({ reputation_building }, RECORD_WITHOUT_REPUTATION, { applied })).toEqual({
      changes,
      problems: ['warning not-readable'],
      steps,
      live: SHOWN,
    });
  });

  it('may have any type, also number or text', () => {
    const { problems, steps } = planned({ plain_text: true }, { id: 42, plain_text: false });
    expect(problems).toEqual(['hazard reset-unreadable']);
    expect(steps[0]?.body).toEqual({ ...DEFAULT_SETTINGS, plain_text: true });
  });
});

describe('the recorded state of settings', () => {
  const [sent] = planned({ max_emails_per_day: 200 }, RECORD).steps;
  if (sent === undefined) throw new Error('a step was expected');

  it('keeps the whole update once it is done', () => {
    const recorded = { ...CREATED_STATE, applied: { schedule: { template: 3 } } };
    expect(settings.recordStep(recorded, sent, 'done')).toEqual({
      ...CREATED_STATE,
      at_defaults: false,
      applied: { schedule: { template: 3 }, settings: { ...ALL, max_emails_per_day: 200 } },
    });
  });

  it('keeps only the values that an update in doubt does not change, until one succeeds', () => {
    const before = { ...UNKNOWN_STATE, applied: { settings: ALL } };
    const { max_emails_per_day: _, ...unchanged } = ALL;
    const doubt = settings.recordStep(before, sent, 'in_doubt');
    expect(doubt).toEqual({ ...UNKNOWN_STATE, applied: { settings: unchanged } });
    expect(settings.recordStep(doubt, sent, 'done').applied).toEqual({ settings: sent.body });
  });

  it('ignores other steps', () => {
    expect(settings.recordStep(UNKNOWN_STATE, { ...sent, section: 'schedule' }, 'done')).toEqual(
      UNKNOWN_STATE,
    );
  });
});

it('a setting that was never sent and is not shown is sent if it is declared, even with the documented default', () => {
  const create = step('campaign', { id: 'create', body: { name: 'Spring installers' }, irreversible: true });
  const created = settings.recordStep(CREATED_STATE, create, 'done');
  for (const at_defaults of [true, false])
    expect(
      planned({ reputation_building: false }, RECORD_WITHOUT_REPUTATION, { ...created, at_defaults }).changes,
    ).toEqual([change('reputation_building', null, false, NOT_KNOWN)]);
});

it('a cap is compared with the live value of the other only by a plan that changes the settings', () => {
  const live = { ...RECORD, max_emails_per_day: 10, max_new_leads_per_day: 50 };
  const problemsOf = (max_emails_per_day: number) => planned({ max_emails_per_day }, live).problems;
  expect([problemsOf(10), problemsOf(20)]).toEqual([[], ['warning new-leads-above-emails']]);
});

describe('a setting that the service accepted and did not show', () => {
  const NOTE = 'not kept by the service when it was last sent';
  const written = { max_emails_per_day: 500, unsubscribe_text: 'Leave' };
  const shown = { ...RECORD, unsubscribe_text: null };
  const not_kept = { unsubscribe_text: { sent: 'Leave', shown: null } };

  it('is a warning and a task by hand, not a change', () => {
    expect(planned(written, shown, { not_kept })).toMatchObject({
      ...{ changes: [], problems: ['warning not-kept'], steps: [] },
    });
    const context = liveContext({ settings: written }, { campaign: shown }, { recorded: { not_kept } });
    expect(settings.byHand(context)).toEqual([change('unsubscribe_text', null, 'Leave', NOTE)]);
  });

  it.each<[string, JsonObject, JsonObject]>([
    ['another value is written', { unsubscribe_text: 'Stop' }, {}],
    ['the service shows a third value', { unsubscribe_text: 'Leave' }, { unsubscribe_text: 'Bye' }],
  ])('is a change once %s', (_, other, now) => {
    const { changes, problems, steps } = planned(other, { ...shown, ...now }, { not_kept });
    expect([changes.length, problems, steps.length]).toEqual([1, [], 1]);
  });

  it('is shown with another change, because the update contains it', () => {
    const { changes, steps } = planned({ ...written, max_emails_per_day: 90 }, shown, { not_kept });
    expect(changes).toEqual([
      change('max_emails_per_day', 500, 90),
      change('unsubscribe_text', null, 'Leave', NOTE),
    ]);
    expect(steps[0]?.body).toMatchObject({ unsubscribe_text: 'Leave' });
  });

  it.each<[string, Json, boolean]>([
    ['the same value', 'Leave', true],
    ['another value', 'Stop', false],
  ])('stays known after an update with %s: %s', (_, unsubscribe_text, isKnown) => {
    const recorded = settings.recordStep(
      { ...UNKNOWN_STATE, not_kept },
      update({ unsubscribe_text }),
      'done',
    );
    expect(recorded.not_kept).toEqual(isKnown ? not_kept : undefined);
  });

  it.each<[string, Json, boolean]>([
    ['what it showed then', null, true],
    ['the value that was sent', 'Leave', false],
    ['a third value', 'Bye', false],
  ])('is known while the service shows %s', (_, unsubscribe_text, isKnown) => {
    const campaign = { ...RECORD, unsubscribe_text };
    const context = liveContext({ settings: written }, { campaign }, { recorded: { not_kept } });
    expect(settings.recordShown(context).not_kept).toEqual(isKnown ? not_kept : undefined);
  });
});

describe('the settings before a launch', () => {
  const showing = (settings: object) => liveContext({}, { campaign: { id: 42, ...settings } });
  it.each<[string, JsonObject, JsonObject, JsonObject, string[]]>([
    ['are as sent', {}, { open_tracking: false }, { open_tracking: false }, []],
    ['are as planned', { open_tracking: true }, {}, { open_tracking: true }, []],
    [
      'may have a lower limit than was sent',
      {},
      { max_new_leads_per_day: 1000 },
      { max_new_leads_per_day: 100 },
      [],
    ],
    ['may have a text where none was sent', {}, { unsubscribe_text: null }, { unsubscribe_text: 'Stop' }, []],
    [
      'may not have a higher limit',
      {},
      { max_new_leads_per_day: 100 },
      { max_new_leads_per_day: 1000 },
      ['settings.max_new_leads_per_day (100 → 1000)'],
    ],
    [
      'may not have a lower limit that nobody sent',
      { max_new_leads_per_day: 100 },
      {},
      { max_new_leads_per_day: 50 },
      ['settings.max_new_leads_per_day (100 → 50)'],
    ],
    [
      'may not track what was not to be tracked',
      { open_tracking: true },
      { open_tracking: false },
      { open_tracking: true },
      ['settings.open_tracking (false → true)'],
    ],
  ])('%s', (_, before, sent, now, changed) => {
    expect(changedSettings(showing(before), sent, showing(now))).toEqual(changed);
  });
});
