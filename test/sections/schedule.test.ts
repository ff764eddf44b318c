import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../../src/model/json.js';
import type { ScheduleFields } from '../../src/model/manifest.generated.js';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { schedule } from '../../src/sections/schedule.js';
import { NOT_SHOWN } from '../../src/sections/section.js';
import { coded, IN_SYNC, liveContext, NOT_MANAGED, newContext } from '../support/context.js';
import { changeIn, step } from '../support/plans.js';
import { weekOf } from '../support/service/store.js';

const WRITTEN: ScheduleFields = {
  days: ['monday', 'tuesday', 'friday'],
  start_time: '09:00',
  end_time: '17:00',
  timezone: 'Europe/Paris',
};
const WINDOW = { ...WRITTEN };
const DAYS = weekOf(['monday', 'tuesday', 'friday']);
const TIMES = { start_time: '09:00:00', end_time: '17:00:00', timezone: 'Europe/Paris' };
const RECORD = { id: 57, type: 'Campaign Schedule', ...DAYS, ...TIMES };
const BODY = { ...DAYS, start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' };
const TEMPLATES = [
  { ...RECORD, id: '2', timezone: 'Europe/London' },
  { ...RECORD, id: 3, type: 'Schedule template' },
];

const change = changeIn('schedule');
const post = (title: string, body: JsonObject, irreversible = false) =>
  step('schedule', { title, path: '/api/campaigns/42/schedule', body, irreversible });
const fromTemplate = (title: string) => ({
  ...post(title, { schedule_id: 3 }),
  path: '/api/campaigns/42/create-schedule-from-template',
});
const REPOST = 'warning schedule-repost';
const plan = (context: Target) => coded(schedule.plan(context));

describe('a schedule with its own fields', () => {
  it('is created if there is none', () => {
    expect(plan(liveContext({ schedule: WRITTEN }, { schedule: null }))).toEqual({
      changes: [change('', 'add', null, { ...WINDOW, save_as_template: false })],
      problems: [],
      steps: [post('set the schedule', { ...BODY, save_as_template: false })],
      live: null,
    });
  });

  it('is created with a new campaign', () => {
    const { steps } = plan(newContext({ schedule: WRITTEN }));
    expect(steps.map(({ path }) => path)).toEqual(['/api/campaigns/{campaign_id}/schedule']);
  });

  it('is irreversible if it is saved as a template', () => {
    const saved = { ...WRITTEN, save_as_template: true };
    expect(plan(liveContext({ schedule: saved }, { schedule: null })).steps).toEqual([
      post(expect.stringContaining('template'), { ...BODY, save_as_template: true }, true),
    ]);
  });

  it('is not changed if it exists, and the plan says that no template is saved', () => {
    const saved = { ...WRITTEN, save_as_template: true };
    const alone = { changes: [], steps: [], live: WINDOW };
    const planned = (applied: JsonObject) =>
      plan(liveContext({ schedule: saved }, { schedule: RECORD }, { recorded: { applied } }));
    for (const applied of [{}, { schedule: { template: null } }])
      expect(planned(applied)).toEqual({
        ...alone,
        problems: ['warning template-not-saved'],
      });
    expect(planned({ schedule: { template: null, saved: true } })).toEqual({ ...alone, problems: [] });
  });

  it('records that a template was saved, even if a later schedule saves none', () => {
    const posted = (recorded: RecordedState, save_as_template: boolean) =>
      schedule.recordStep(recorded, post('set the schedule', { ...BODY, save_as_template }), 'done');
    const first = posted(UNKNOWN_STATE, false);
    const second = posted(first, true);
    const third = posted(second, false);
    expect([first, second, third].map(({ applied }) => applied.schedule)).toEqual([
      { template: null },
      { template: null, saved: true },
      { template: null, saved: true },
    ]);
  });

  it('accepts days in any order', () => {
    const days: ScheduleFields['days'] = ['friday', 'monday', 'tuesday', 'monday'];
    expect(plan(liveContext({ schedule: { ...WRITTEN, days } }, { schedule: RECORD })).changes).toEqual([]);
  });

  it('is neither managed nor read if it is not declared', () => {
    expect(plan(liveContext({}, {}))).toEqual(NOT_MANAGED);
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
  const replaced = post('replace the schedule', {
    ...BODY,
    tuesday: false,
    friday: false,
    saturday: true,
    end_time: '18:30',
    timezone: 'Europe/Berlin',
    save_as_template: false,
  });
  describe('saves a template', () => {
    const saved = { ...later, save_as_template: true } as ScheduleFields;
    const planned = (applied: JsonObject) =>
      plan(
        liveContext(
          { schedule: saved },
          { schedule: RECORD },
          { recorded: { applied: { schedule: applied } } },
        ),
      );

    it('once, not again with each change of the schedule', () => {
      const { changes: shown, steps } = planned({ template: null, saved: true });
      expect(shown).toEqual(changes);
      expect(steps).toEqual([replaced]);
    });

    it('and shows it if none was saved before', () => {
      const { changes: shown, steps } = planned({ template: null });
      const note = 'saves a new template in the workspace; the API cannot delete it';
      expect(shown).toEqual([...changes, { ...change('save_as_template', 'update', false, true), note }]);
      expect(steps).toEqual([
        {
          ...replaced,
          title: expect.stringMatching(/^replace .*template/),
          body: { ...replaced.body, save_as_template: true },
          irreversible: true,
        },
      ]);
    });
  });

  it.each([
    ['posted again where that replaces it', 'replace', [], [replaced]],
    ['posted again with a warning where the effect is not known', 'unknown', [REPOST], [replaced]],
    ['blocked where the service refuses a second one', 'refuse', ['blocked schedule-exists'], []],
  ] as const)('is %s', (_, schedule_repost, problems, steps) => {
    const context = liveContext(
      { schedule: later as ScheduleFields },
      { schedule: RECORD },
      { service: { schedule_repost } },
    );
    expect(plan(context)).toEqual({ changes, problems, steps, live: WINDOW });
  });

  it('is not blocked if the campaign has none yet', () => {
    const none = liveContext(
      { schedule: WRITTEN },
      { schedule: null },
      { service: { schedule_repost: 'refuse' } },
    );
    expect(plan(none)).toMatchObject({ problems: [], steps: [{ id: 'schedule' }] });
  });
});

describe('a schedule in any format of a service', () => {
  it.each<[string, JsonObject]>([
    ['times without seconds', { ...RECORD, start_time: '09:00', end_time: '17:00' }],
    ['times without a leading zero', { ...RECORD, start_time: '9:00' }],
    ['times with fractions', { ...RECORD, start_time: '09:00:00.000000' }],
    ['days as 0 and 1', { ...RECORD, monday: 1, tuesday: '1', wednesday: 0, saturday: '0' }],
    ['a day that is null', { ...RECORD, sunday: null }],
    ['a time zone with white space', { ...RECORD, timezone: ' Europe/Paris ' }],
  ])('is the same: %s', (_, record) => {
    expect(plan(liveContext({ schedule: WRITTEN }, { schedule: record }))).toEqual({
      ...IN_SYNC,
      live: WINDOW,
    });
  });

  it.each<[string, Json | undefined]>([
    ['monday', undefined],
    ['timezone', undefined],
    ['start_time', null],
    ['end_time', '5 pm'],
    ['friday', 'open'],
  ])('is an error when unreadable, never no schedule: %s as %j', (name, value) => {
    const { [name]: _, ...others } = RECORD as JsonObject;
    const record = value === undefined ? others : { ...others, [name]: value };
    expect(() => plan(liveContext({ schedule: WRITTEN }, { schedule: record }))).toThrow(`field ${name}: `);
  });
});

describe('a schedule from a template', () => {
  it.each<[string, number | string]>([
    ['by id', 3],
    ['by its name in the environment', 'office-hours'],
  ])('is applied by id, with what it holds: %s', (_, template) => {
    const subject = liveContext({ schedule: { template } }, { schedule: null, templates: TEMPLATES });
    expect(plan(subject)).toEqual({
      changes: [change('', 'add', null, { template: 3, ...WINDOW })],
      problems: [],
      steps: [fromTemplate('set the schedule from template 3')],
      live: null,
    });
  });

  it('is in sync if the live hours are equal', () => {
    const subject = liveContext(
      { schedule: { template: 3 } },
      { schedule: { ...RECORD, id: 9 }, templates: TEMPLATES },
    );
    expect(plan(subject)).toEqual({ ...IN_SYNC, live: WINDOW });
  });

  it('is applied again if the live hours differ', () => {
    const shown = { schedule: { ...RECORD, start_time: '08:00:00' }, templates: TEMPLATES };
    const subject = liveContext({ schedule: { template: 3 } }, shown);
    expect(plan(subject)).toEqual({
      changes: [change('start_time', 'update', '08:00', '09:00')],
      problems: [REPOST],
      steps: [fromTemplate('replace the schedule from template 3')],
      live: { ...WINDOW, start_time: '08:00' },
    });
  });

  const unseen = [{ id: 2 }, { id: 3 }];
  const applied = (template: number) => ({ recorded: { applied: { schedule: { template } } } });
  const NOT_READABLE = 'warning not-readable';

  it('without visible content is compared with the last applied one', () => {
    const shown = { schedule: RECORD, templates: unseen };
    expect(plan(liveContext({ schedule: { template: 3 } }, shown, applied(3)))).toEqual({
      changes: [],
      problems: [NOT_READABLE],
      steps: [],
      live: WINDOW,
    });
    expect(plan(liveContext({ schedule: { template: 3 } }, shown, applied(2)))).toEqual({
      changes: [change('template', 'update', 2, 3, NOT_SHOWN)],
      problems: [NOT_READABLE, REPOST],
      steps: [fromTemplate('replace the schedule from template 3')],
      live: WINDOW,
    });
  });

  it('that the workspace does not have is an error that lists the existing ones', () => {
    const planned = (templates: JsonObject[] | null) => () =>
      plan(liveContext({ schedule: { template: 9 } }, { schedule: null, templates }));
    expect(planned(TEMPLATES)).toThrow(
      /template 9; it has 2 \(.* Europe\/London\), 3 \(.* \d\d:\d\d–\d\d:\d\d /,
    );
    expect(planned(null)).toThrow('template 9; it has no templates');
  });

  it('with a name that the environment does not know is an error', () => {
    expect(() => plan(newContext({ schedule: { template: 'night-shift' } }))).toThrow('"night-shift"');
  });

  it('whose content cannot be read is an error that names the template', () => {
    const templates = [{ ...RECORD, id: 3, start_time: 'early' }];
    expect(() => plan(newContext({ schedule: { template: 3 } }, { templates }))).toThrow(
      'field template 3, start_time: ',
    );
  });

  it('is also blocked if the service refuses a second schedule', () => {
    const shown = { schedule: { ...RECORD, sunday: true }, templates: TEMPLATES };
    const subject = liveContext({ schedule: { template: 3 } }, shown, {
      service: { schedule_repost: 'refuse' },
    });
    const { problems, steps } = plan(subject);
    expect(problems).toEqual(['blocked schedule-exists']);
    expect(steps).toEqual([]);
  });
});

describe('the recorded state of a schedule', () => {
  const subject = newContext({ schedule: { template: 3 } }, { templates: TEMPLATES });
  const [applied] = plan(subject).steps;
  if (applied === undefined) throw new Error('a step was expected');

  it('keeps the applied template, and that a schedule with fields followed it', () => {
    const after = schedule.recordStep(UNKNOWN_STATE, applied, 'done');
    expect(after).toEqual({
      ...UNKNOWN_STATE,
      applied: { schedule: { template: 3 } },
      schedule_seen: true,
    });
    expect(schedule.recordStep(after, { ...applied, body: BODY }, 'done').applied).toEqual({
      schedule: { template: null },
    });
  });

  it('keeps nothing in doubt', () => {
    expect(schedule.recordStep(UNKNOWN_STATE, applied, 'in_doubt')).toEqual(UNKNOWN_STATE);
  });
});
