import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/model/json.js';
import type { ScheduleFields } from '../../src/model/manifest.generated.js';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import { schedule } from '../../src/sections/schedule.js';
import { codes, liveContext, NOT_MANAGED, newContext } from '../support/context.js';

const WRITTEN: ScheduleFields = {
  days: ['monday', 'tuesday', 'friday'],
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/Paris',
};
const WINDOW = { ...WRITTEN };
const DAYS = {
  monday: true,
  tuesday: true,
  wednesday: false,
  thursday: false,
  friday: true,
  saturday: false,
  sunday: false,
};
const TIMES = { start_time: '09:00:00', end_time: '17:00:00', timezone: 'Europe/Paris' };
const RECORD = { id: 57, type: 'Campaign Schedule', ...DAYS, ...TIMES };
const BODY = { ...DAYS, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
const TEMPLATES = [
  { ...RECORD, id: '2', timezone: 'Europe/London' },
  { ...RECORD, id: 3, type: 'Schedule template' },
];

const change = (path: string, kind: string, from: unknown, to: unknown, note: string | null = null) => ({
  section: 'schedule',
  path,
  kind,
  from,
  to,
  note,
});
const post = (title: string, body: JsonObject, irreversible = false) => ({
  id: 'schedule',
  section: 'schedule',
  title,
  method: 'POST',
  path: '/api/campaigns/42/schedule',
  body,
  irreversible,
});
const fromTemplate = (title: string) => ({
  ...post(title, { schedule_id: 3 }),
  path: '/api/campaigns/42/create-schedule-from-template',
});
const REPOST = {
  code: 'schedule-repost',
  severity: 'warning',
  message:
    'The campaign has a schedule. Whether posting another one replaces it is not documented: apply posts it, reads the schedule back, and reports success only if it matches.',
  hint: 'campaignctl probe --env production --write finds out on a scratch campaign what this service does.',
};

describe('a schedule of own fields', () => {
  it('is created where there is none', () => {
    expect(schedule.plan(liveContext({ schedule: WRITTEN }, { schedule: null }))).toEqual({
      changes: [change('', 'add', null, { ...WINDOW, save_as_template: false })],
      problems: [],
      steps: [post('set the schedule', { ...BODY, save_as_template: false })],
      live: null,
    });
  });

  it('is created with a campaign that is to be made', () => {
    const { steps } = schedule.plan(newContext({ schedule: WRITTEN }));
    expect(steps.map(({ path }) => path)).toEqual(['/api/campaigns/{campaign_id}/schedule']);
  });

  it('is irreversible where it is saved as a template', () => {
    const saved = { ...WRITTEN, save_as_template: true };
    expect(schedule.plan(liveContext({ schedule: saved }, { schedule: null })).steps).toEqual([
      post('set the schedule and save it as a template', { ...BODY, save_as_template: true }, true),
    ]);
  });

  it('is left alone where it is there, and what is not saved as a template for that is told', () => {
    const saved = { ...WRITTEN, save_as_template: true };
    const alone = { changes: [], steps: [], live: WINDOW };
    const planned = (applied: JsonObject) =>
      schedule.plan(liveContext({ schedule: saved }, { schedule: RECORD }, { recorded: { applied } }));
    for (const applied of [{}, { schedule: { template: null } }])
      expect(planned(applied)).toEqual({
        ...alone,
        problems: [expect.objectContaining({ code: 'template-not-saved', severity: 'warning' })],
      });
    expect(planned({ schedule: { template: null, saved: true } })).toEqual({ ...alone, problems: [] });
  });

  it('remembers that a template was saved with it, also where a later one saves none', () => {
    const posted = (recorded: RecordedState, save_as_template: boolean) =>
      schedule.record(
        recorded,
        {
          ...post('set the schedule', { ...BODY, save_as_template }),
          ...({ section: 'schedule', method: 'POST' } as const),
        },
        'done',
      );
    const first = posted(UNKNOWN_STATE, false);
    const second = posted(first, true);
    const third = posted(second, false);
    expect([first, second, third].map(({ applied }) => applied.schedule)).toEqual([
      { template: null },
      { template: null, saved: true },
      { template: null, saved: true },
    ]);
  });

  it('takes days in any order, each once', () => {
    const days: ScheduleFields['days'] = ['friday', 'monday', 'tuesday', 'monday'];
    expect(
      schedule.plan(liveContext({ schedule: { ...WRITTEN, days } }, { schedule: RECORD })).changes,
    ).toEqual([]);
  });

  it('is not managed, nor read for, when it is not written', () => {
    expect(schedule.plan(liveContext({}, {}))).toEqual(NOT_MANAGED);
    expect(schedule.reads({ name: 'Spring installers' })).toEqual([]);
    expect(schedule.reads({ name: 'Spring installers', schedule: WRITTEN })).toEqual(['schedule']);
  });
});

describe('a schedule that differs', () => {
  const later = { ...WRITTEN, days: ['monday', 'saturday'], end_time: '18:30', timezone: 'Europe/Berlin' };
  const changes = [
    change('days', 'update', ['monday', 'tuesday', 'friday'], ['monday', 'saturday']),
    change('end_time', 'update', '17:00', '18:30'),
    change('timezone', 'update', 'Europe/Paris', 'Europe/Berlin'),
  ];
  const step = post('replace the schedule', {
    ...BODY,
    tuesday: false,
    friday: false,
    saturday: true,
    end_time: '18:30',
    timezone: 'Europe/Berlin',
    save_as_template: false,
  });
  const subject = (schedule_repost: 'unknown' | 'replace' | 'refuse') =>
    liveContext(
      { schedule: later as ScheduleFields },
      { schedule: RECORD },
      { service: { schedule_repost } },
    );

  describe('saves a template', () => {
    const saved = { ...later, save_as_template: true } as ScheduleFields;
    const planned = (applied: JsonObject) =>
      schedule.plan(
        liveContext(
          { schedule: saved },
          { schedule: RECORD },
          { recorded: { applied: { schedule: applied } } },
        ),
      );

    it('once: not again with each change of the schedule', () => {
      const { changes: shown, steps } = planned({ template: null, saved: true });
      expect(shown).toEqual(changes);
      expect(steps).toEqual([step]);
    });

    it('and shows it where none was saved before', () => {
      const { changes: shown, steps } = planned({ template: null });
      const note = 'saves one more template of the workspace, which the API cannot delete';
      expect(shown).toEqual([...changes, { ...change('save_as_template', 'update', false, true), note }]);
      expect(steps).toEqual([
        {
          ...step,
          title: 'replace the schedule and save it as a template',
          body: { ...step.body, save_as_template: true },
          irreversible: true,
        },
      ]);
    });
  });

  it('is posted again where that replaces it', () => {
    expect(schedule.plan(subject('replace'))).toEqual({ changes, problems: [], steps: [step], live: WINDOW });
  });

  it('is posted again with a warning where the effect is not known', () => {
    expect(schedule.plan(subject('unknown'))).toEqual({
      changes,
      problems: [REPOST],
      steps: [step],
      live: WINDOW,
    });
  });

  it('is blocked where the service refuses a second one', () => {
    expect(schedule.plan(subject('refuse'))).toEqual({
      changes,
      problems: [
        {
          code: 'schedule-exists',
          severity: 'blocked',
          message:
            'The campaign has a schedule, and this service refuses a second one (schedule_repost: refuse).',
          hint: "Change the schedule in the service's web app, then plan again.",
        },
      ],
      steps: [],
      live: WINDOW,
    });
  });

  it('is no reason to block a service that has none yet', () => {
    const none = liveContext(
      { schedule: WRITTEN },
      { schedule: null },
      { service: { schedule_repost: 'refuse' } },
    );
    expect(schedule.plan(none)).toMatchObject({ problems: [], steps: [{ id: 'schedule' }] });
  });
});

describe('a schedule in any form that a service sends', () => {
  it.each<[string, JsonObject]>([
    ['times without seconds', { ...RECORD, start_time: '09:00', end_time: '17:00' }],
    ['times without a leading zero', { ...RECORD, start_time: '9:00' }],
    ['times with fractions', { ...RECORD, start_time: '09:00:00.000000' }],
    ['days as 0 and 1', { ...RECORD, monday: 1, tuesday: '1', wednesday: 0, saturday: '0' }],
    ['a day that is null', { ...RECORD, sunday: null }],
    ['a time zone with white space', { ...RECORD, timezone: ' Europe/Paris ' }],
  ])('is the same: %s', (_, record) => {
    expect(schedule.plan(liveContext({ schedule: WRITTEN }, { schedule: record }))).toEqual({
      changes: [],
      problems: [],
      steps: [],
      live: WINDOW,
    });
  });

  const { monday: _monday, ...WITHOUT_MONDAY } = RECORD;
  const { timezone: _timezone, ...WITHOUT_TIMEZONE } = RECORD;
  it.each<[string, JsonObject, string]>([
    ['a missing day', WITHOUT_MONDAY, 'field monday: it is missing; seen: no such field'],
    ['a missing time zone', WITHOUT_TIMEZONE, 'field timezone: it is missing; seen: no such field'],
    ['a missing time', { ...RECORD, start_time: null }, 'field start_time: it is missing; seen: null'],
    [
      'a time in words',
      { ...RECORD, end_time: '5 pm' },
      'field end_time: a time as HH:MM was expected; seen: "5 pm"',
    ],
    [
      'a day in words',
      { ...RECORD, friday: 'open' },
      'field friday: true or false was expected; seen: "open"',
    ],
  ])('is an error when unreadable, never no schedule: %s', (_, record, said) => {
    expect(() => schedule.plan(liveContext({ schedule: WRITTEN }, { schedule: record }))).toThrow(
      `The answer to GET /api/campaigns/42/schedule cannot be read: ${said}.`,
    );
  });
});

describe('a schedule from a template', () => {
  it.each<[string, number | string]>([
    ['by id', 3],
    ['by its name in the environment', 'office-hours'],
  ])('is applied by id, with what it holds: %s', (_, template) => {
    const subject = liveContext({ schedule: { template } }, { schedule: null, templates: TEMPLATES });
    expect(schedule.plan(subject)).toEqual({
      changes: [change('', 'add', null, { template: 3, ...WINDOW })],
      problems: [],
      steps: [fromTemplate('set the schedule from template 3')],
      live: null,
    });
  });

  it('is there when live holds the same', () => {
    const subject = liveContext(
      { schedule: { template: 3 } },
      { schedule: { ...RECORD, id: 9 }, templates: TEMPLATES },
    );
    expect(schedule.plan(subject)).toEqual({ changes: [], problems: [], steps: [], live: WINDOW });
  });

  it('is applied again when live holds something else', () => {
    const shown = { schedule: { ...RECORD, start_time: '08:00:00' }, templates: TEMPLATES };
    const subject = liveContext({ schedule: { template: 3 } }, shown);
    expect(schedule.plan(subject)).toEqual({
      changes: [change('start_time', 'update', '08:00', '09:00')],
      problems: [REPOST],
      steps: [fromTemplate('replace the schedule from template 3')],
      live: { ...WINDOW, start_time: '08:00' },
    });
  });

  const unseen = [{ id: 2 }, { id: 3 }];
  const applied = (template: number) => ({ recorded: { applied: { schedule: { template } } } });
  const NOT_READABLE = {
    code: 'not-readable',
    severity: 'warning',
    message:
      'The service does not show what schedule template 3 holds: it was compared with what was last applied.',
    hint: 'campaignctl does not notice a change made elsewhere. Own fields (days, times, timezone) can be compared.',
  };

  it('whose content is not shown is compared with the one last applied', () => {
    const shown = { schedule: RECORD, templates: unseen };
    expect(schedule.plan(liveContext({ schedule: { template: 3 } }, shown, applied(3)))).toEqual({
      changes: [],
      problems: [NOT_READABLE],
      steps: [],
      live: WINDOW,
    });
    expect(schedule.plan(liveContext({ schedule: { template: 3 } }, shown, applied(2)))).toEqual({
      changes: [
        change(
          'template',
          'update',
          2,
          3,
          'the service does not show it; compared with what was last applied',
        ),
      ],
      problems: [NOT_READABLE, REPOST],
      steps: [fromTemplate('replace the schedule from template 3')],
      live: WINDOW,
    });
  });

  it('that the workspace does not have is an error that says which there are', () => {
    const plan = (templates: JsonObject[] | null) => () =>
      schedule.plan(liveContext({ schedule: { template: 9 } }, { schedule: null, templates }));
    expect(plan(TEMPLATES)).toThrow(
      /template 9; it has 2 \(.* Europe\/London\), 3 \(.* \d\d:\d\d–\d\d:\d\d /,
    );
    expect(plan(null)).toThrow('The workspace has no schedule template 9; it has none.');
  });

  it('under a name that the environment does not know is an error', () => {
    expect(() => schedule.plan(newContext({ schedule: { template: 'night-shift' } }))).toThrow(
      '"night-shift" is not under schedule_templates of the environment production.',
    );
  });

  it('whose content cannot be read is an error that names the template', () => {
    const templates = [{ ...RECORD, id: 3, start_time: 'early' }];
    expect(() => schedule.plan(newContext({ schedule: { template: 3 } }, { templates }))).toThrow(
      'The answer to GET /api/campaigns/schedule/templates cannot be read: field template 3, start_time: a time as HH:MM was expected; seen: "early".',
    );
  });

  it('is blocked like any other where the service refuses a second schedule', () => {
    const shown = { schedule: { ...RECORD, sunday: true }, templates: TEMPLATES };
    const subject = liveContext({ schedule: { template: 3 } }, shown, {
      service: { schedule_repost: 'refuse' },
    });
    const { problems, steps } = schedule.plan(subject);
    expect(codes(problems)).toEqual(['blocked schedule-exists']);
    expect(steps).toEqual([]);
  });
});

describe('the recorded of a schedule', () => {
  const subject = newContext({ schedule: { template: 3 } }, { templates: TEMPLATES });
  const [step] = schedule.plan(subject).steps;
  if (step === undefined) throw new Error('a step was expected');

  it('keeps the template that was applied, and that own fields came after it', () => {
    const after = schedule.record(UNKNOWN_STATE, step, 'done');
    expect(after).toEqual({
      ...UNKNOWN_STATE,
      applied: { schedule: { template: 3 } },
      schedule_seen: true,
    });
    expect(schedule.record(after, { ...step, body: BODY }, 'done').applied).toEqual({
      schedule: { template: null },
    });
  });

  it('keeps nothing of what is in doubt', () => {
    expect(schedule.record(UNKNOWN_STATE, step, 'in_doubt')).toEqual(UNKNOWN_STATE);
  });
});
