import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import { NOT_KNOWN } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { CREATED_STATE, UNKNOWN_STATE } from '../../src/model/state.js';
import { settings } from '../../src/sections/settings.js';
import { codes, liveContext, NOT_MANAGED, newContext } from '../support/context.js';
import { DEFAULT_SETTINGS } from '../support/service/store.js';

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
  settings.plan(liveContext(written === undefined ? {} : { settings: written }, { campaign }, { recorded }));

const change = (path: string, from: unknown, to: unknown, note: string | null = null) => ({
  section: 'settings',
  path,
  kind: 'update',
  from,
  to,
  note,
});

const update = (body: JsonObject) => ({
  id: 'settings',
  section: 'settings',
  title: 'update the settings',
  method: 'PATCH',
  path: '/api/campaigns/42/update',
  body,
  irreversible: false,
});

describe('settings that are written', () => {
  it('are sent with all the others as they are live', () => {
    expect(planned({ max_emails_per_day: 200, open_tracking: true }, RECORD)).toEqual({
      changes: [change('max_emails_per_day', 500, 200), change('open_tracking', false, true)],
      problems: [],
      steps: [update({ ...ALL, max_emails_per_day: 200, open_tracking: true })],
      live: ALL,
    });
  });

  it('are not sent when they are live already', () => {
    expect(planned({ ...ALL }, RECORD)).toEqual({ changes: [], problems: [], steps: [], live: ALL });
  });

  it('are not managed, nor read for, when there are none', () => {
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

describe('settings of a campaign that is to be made', () => {
  it('are the documented defaults, completed with what is written', () => {
    expect(settings.plan(newContext({ settings: { plain_text: true } }))).toEqual({
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

  it('are shown and sent when they say what is the documented default: a service may have another', () => {
    const { changes, steps } = settings.plan(newContext({ settings: { max_emails_per_day: 1000 } }));
    expect(changes).toEqual([{ ...change('max_emails_per_day', null, 1000), kind: 'add' }]);
    expect(steps.map(({ id }) => id)).toEqual(['settings']);
  });

  it('that was just made need no hazard, since nothing was ever set, and are told', () => {
    const { problems, steps } = planned({ plain_text: false }, RECORD_WITHOUT_REPUTATION, CREATED_STATE);
    expect(problems).toEqual([
      {
        code: 'not-readable',
        severity: 'warning',
        message:
          'The manifest leaves out settings that the service does not show: the update sends the documented defaults, reputation_building false.',
        hint: 'campaignctl does not notice a change made elsewhere.',
      },
    ]);
    expect(steps[0]?.body).toEqual({ ...ALL, plain_text: false, reputation_building: false });
  });
});

describe('settings in any form that a service sends', () => {
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
    expect(planned({ max_emails_per_day: 500 }, campaign)).toEqual({
      changes: [],
      problems: [],
      steps: [],
      live: ALL,
    });
  });

  it('read an empty text and an empty number as null', () => {
    const { live } = planned({}, { ...RECORD, unsubscribe_text: ' ', max_emails_per_day: '' });
    expect(live).toEqual({ ...ALL, unsubscribe_text: null, max_emails_per_day: null });
  });

  it.each<[string, JsonObject, string]>([
    [
      'a word for a number',
      { max_emails_per_day: 'many' },
      'field max_emails_per_day: a whole number was expected; seen: "many"',
    ],
    [
      'half a number',
      { max_new_leads_per_day: 1.5 },
      'field max_new_leads_per_day: a whole number was expected; seen: 1.5',
    ],
    [
      'a word for a boolean',
      { plain_text: 'perhaps' },
      'field plain_text: true or false was expected; seen: "perhaps"',
    ],
    ['a list of a boolean', { plain_text: [1] }, 'field plain_text: true or false was expected; seen: [1]'],
    ['a list for a boolean', { plain_text: [] }, 'field plain_text: true or false was expected; seen: []'],
    [
      'an object for a text',
      { unsubscribe_text: { html: 'x' } },
      'field unsubscribe_text: a text was expected; seen: {"html":"x"}',
    ],
  ])('are an error when unreadable: %s', (_, odd, said) => {
    expect(() => planned({ max_emails_per_day: 500 }, { ...RECORD, ...odd })).toThrow(
      `The answer to GET /api/campaigns/42 cannot be read: ${said}.`,
    );
  });

  it('are an error when there is no record of a campaign that was listed', () => {
    expect(() => settings.plan(liveContext({ settings: {} }, { campaign: null }))).toThrow(
      'The answer to GET /api/campaigns/42 cannot be read: a record was expected; seen: null.',
    );
  });
});

describe('a setting that the service does not show', () => {
  it('and that is not written needs a hazard before any update', () => {
    expect(planned({ max_emails_per_day: 200 }, RECORD_WITHOUT_REPUTATION)).toEqual({
      changes: [change('max_emails_per_day', 500, 200)],
      problems: [
        {
          code: 'reset-unreadable',
          severity: 'hazard',
          message:
            'An update always sets all settings, and the service does not show reputation_building (would become false).',
          hint: 'Write reputation_building under settings in the manifest, or accept it with --allow reset-unreadable.',
        },
      ],
      steps: [update({ ...ALL, max_emails_per_day: 200, reputation_building: false })],
      live: SHOWN,
    });
  });

  it('and that is not written is of no interest while nothing is sent', () => {
    expect(planned({ max_emails_per_day: 500 }, RECORD_WITHOUT_REPUTATION)).toEqual({
      changes: [],
      problems: [],
      steps: [],
      live: SHOWN,
    });
  });

  it('keeps what was last applied when another setting is sent', () => {
    const { steps } = planned({ max_emails_per_day: 200 }, RECORD_WITHOUT_REPUTATION, {
      applied: { settings: ALL },
    });
    expect(steps[0]?.body).toEqual({ ...ALL, max_emails_per_day: 200 });
  });

  const notReadable = (rest: string) => ({
    code: 'not-readable',
    severity: 'warning',
    message: `The service does not show settings.reputation_building: ${rest}.`,
    hint: 'campaignctl does not notice a change made elsewhere.',
  });

  it('is compared with what was last applied, and the plan says so', () => {
    expect(
      planned({ reputation_building: true }, RECORD_WITHOUT_REPUTATION, { applied: { settings: ALL } }),
    ).toEqual({
      changes: [],
      problems: [notReadable('it was compared with what was last applied')],
      steps: [],
      live: SHOWN,
    });
  });

  it('is changed when something else was last applied', () => {
    expect(
      planned({ reputation_building: false }, RECORD_WITHOUT_REPUTATION, { applied: { settings: ALL } }),
    ).toEqual({
      changes: [
        change(
          'reputation_building',
          true,
          false,
          'the service does not show it; compared with what was last applied',
        ),
      ],
      problems: [notReadable('it was compared with what was last applied')],
      steps: [update({ ...ALL, reputation_building: false })],
      live: SHOWN,
    });
  });

  it('is sent when nothing is known of it', () => {
    expect(planned({ reputation_building: false }, RECORD_WITHOUT_REPUTATION)).toEqual({
      changes: [
        change(
          'reputation_building',
          null,
          false,
          'the service does not show it, and what was last applied is not known',
        ),
      ],
      problems: [notReadable('what was last applied is not known, so it is sent')],
      steps: [update({ ...ALL, reputation_building: false })],
      live: SHOWN,
    });
  });

  it('takes any of them, numbers and texts too', () => {
    const { problems, steps } = planned({ plain_text: true }, { id: 42, plain_text: false });
    expect(codes(problems)).toEqual(['hazard reset-unreadable']);
    expect(problems[0]?.message).toContain('max_emails_per_day (would become 1000)');
    expect(problems[0]?.message).toContain('unsubscribe_text (would become null)');
    expect(steps[0]?.body).toEqual({ ...DEFAULT_SETTINGS, plain_text: true });
  });
});

describe('the recorded of settings', () => {
  const [step] = planned({ max_emails_per_day: 200 }, RECORD).steps;
  if (step === undefined) throw new Error('a step was expected');

  it('keeps the whole update once it is done', () => {
    const recorded = { ...CREATED_STATE, applied: { schedule: { template: 3 } } };
    expect(settings.record(recorded, step, 'done')).toEqual({
      ...CREATED_STATE,
      at_defaults: false,
      applied: { schedule: { template: 3 }, settings: { ...ALL, max_emails_per_day: 200 } },
    });
  });

  it('keeps of an update in doubt what it leaves as it was, until one is done', () => {
    const before = { ...UNKNOWN_STATE, applied: { settings: ALL } };
    const { max_emails_per_day: _, ...unchanged } = ALL;
    const doubt = settings.record(before, step, 'in_doubt');
    expect(doubt).toEqual({ ...UNKNOWN_STATE, applied: { settings: unchanged } });
    expect(settings.record(doubt, step, 'done').applied).toEqual({ settings: step.body });
  });

  it('keeps nothing of another step', () => {
    expect(settings.record(UNKNOWN_STATE, { ...step, section: 'schedule' }, 'done')).toEqual(UNKNOWN_STATE);
  });
});

it('a setting that was never sent and is not shown is sent where it is written, also as the documented default', () => {
  const create = { id: 'create', section: 'campaign', title: 'create', path: '/api/campaigns' } as const;
  const step = {
    ...create,
    method: 'POST',
    body: { name: 'Spring installers' },
    irreversible: true,
  } as const;
  const made = settings.record(CREATED_STATE, step, 'done');
  for (const at_defaults of [true, false])
    expect(
      planned({ reputation_building: false }, RECORD_WITHOUT_REPUTATION, { ...made, at_defaults }).changes,
    ).toEqual([change('reputation_building', null, false, NOT_KNOWN)]);
});
