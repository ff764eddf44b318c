import equal from 'fast-deep-equal';
import type { Answer } from '../model/answer.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Change, ContentSchedule, SendingHours, Step } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { TIMEZONES, WEEKDAYS } from '../model/schedule.js';
import type { CampaignSpec } from '../model/spec.js';
import { boolean, type Fields, fieldsOf, integer, needed, seen, text, unreadable } from './decode.js';
import { defineSection, rememberApplied, type SectionContext, type SectionDifference } from './section.js';

const time = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' };

/** Either own fields or a template of the workspace. */
export const scheduleSchema: JsonObject = {
  title: 'ScheduleSpec',
  description:
    'When emails may go out: either days, times and time zone, or a schedule template of the workspace.',
  examples: [
    { days: ['monday', 'friday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    { template: 'office-hours' },
  ],
  oneOf: [
    {
      title: 'ScheduleFields',
      type: 'object',
      additionalProperties: false,
      required: ['days', 'start_time', 'end_time', 'timezone'],
      properties: {
        days: {
          type: 'array',
          uniqueItems: true,
          items: { type: 'string', enum: [...WEEKDAYS] },
          description: 'Weekdays on which emails may go out.',
          examples: [WEEKDAYS.slice(0, 5)],
        },
        start_time: {
          ...time,
          description:
            'Start of the sending window, HH:MM in 24-hour form, in the time zone of the schedule.',
          examples: ['09:00'],
        },
        end_time: {
          ...time,
          description: 'End of the sending window, HH:MM in 24-hour form, in the time zone of the schedule.',
          examples: ['17:00'],
        },
        timezone: {
          type: 'string',
          enum: [...TIMEZONES],
          description: 'Time zone of the schedule: one of the identifiers that the API lists.',
          examples: ['Europe/Paris', 'America/New_York'],
        },
        save_as_template: {
          type: 'boolean',
          default: false,
          description:
            'Whether posting the schedule also saves it as a reusable template. The service does not show it again.',
          examples: [false],
        },
      },
    },
    {
      title: 'ScheduleTemplate',
      type: 'object',
      additionalProperties: false,
      required: ['template'],
      properties: {
        template: {
          type: ['integer', 'string'],
          minimum: 1,
          minLength: 1,
          description:
            'A schedule template of the workspace: its id, or a name given under schedule_templates of the environment.',
          examples: [3, 'office-hours'],
        },
      },
    },
  ],
};

/** When emails may go out: own fields, or a template of the workspace, whose content is what counts. Live is null where there is none. */
export const schedule = defineSection<SendingHours | null, ContentSchedule>({
  name: 'schedule',
  properties: { schedule: scheduleSchema },
  reads: ['schedule'],
  defaults: null,
  normalize,
  decode(context) {
    const answer = context.answers?.schedule ?? null;
    return answer === null || answer.none ? null : hoursIn(fieldsOf(answer));
  },
  diff,
  steps,
  /** The service does not show on the campaign which template its schedule was made from. */
  remember: (recorded, step, effect) =>
    step.id === 'schedule'
      ? rememberApplied(recorded, { schedule: { template: step.body?.schedule_id ?? null } }, effect)
      : recorded,
  toView: {
    live: (window) => window && { window, template: null, save_as_template: false },
    desired: (desired) => desired,
  },
  toManifest: (live) => ({ section: live && { ...live }, remarks: [] }),
});

function normalize({ schedule: spec }: CampaignSpec, context: SectionContext): ContentSchedule | null {
  if (spec === undefined) return null;
  if ('template' in spec) {
    const template = templateId(spec.template, context);
    return { window: templateHours(template, context), template, save_as_template: false };
  }
  const { days, start_time, end_time, timezone, save_as_template = false } = spec;
  const window = { days: WEEKDAYS.filter((day) => days.includes(day)), start_time, end_time, timezone };
  return { window, template: null, save_as_template };
}

function templateId(template: number | string, { environment }: SectionContext): number {
  const id = typeof template === 'number' ? template : environment.schedule_templates[template];
  if (id !== undefined) return id;
  throw new Failure({
    code: 'unknown-schedule-template',
    message: `The environment ${environment.name} names no schedule template "${template}".`,
    hint: 'Add it under schedule_templates of the environment, with its id in this workspace.',
  });
}

/** What the template holds, or null where the list shows ids only. A template that is not listed is an error. */
function templateHours(id: number, { templates, environment }: SectionContext): SendingHours | null {
  if (templates === null) return null;
  const listed = templatesIn(templates);
  const found = listed.find((fields) => integer(fields, 'id') === id);
  if (found !== undefined) return WEEKDAYS.some((day) => day in found.record) ? hoursIn(found) : null;
  const ids = listed.map((fields) => integer(fields, 'id')).join(', ');
  throw new Failure({
    code: 'template-not-found',
    message: `The workspace has no schedule template ${id}; it has ${ids || 'none'}.`,
    hint: `Template ids differ between workspaces: check the id for environment ${environment.name}.`,
  });
}

function templatesIn({ endpoint, none, body }: Answer): Fields[] {
  if (none) return [];
  if (!Array.isArray(body))
    throw new UnreadableAnswer(endpoint, 'a list of templates was expected', seen(body));
  return body.map((entry: Json) => {
    if (!isObject(entry)) throw new UnreadableAnswer(endpoint, 'a template was expected', seen(entry));
    return { endpoint, record: entry, at: `template ${seen(entry.id)}, ` };
  });
}

function hoursIn(fields: Fields): SendingHours {
  return {
    days: WEEKDAYS.filter((day) => {
      if (fields.record[day] === undefined) throw unreadable(fields, day, 'it is missing');
      return boolean(fields, day) ?? false;
    }),
    start_time: timeIn(fields, 'start_time'),
    end_time: timeIn(fields, 'end_time'),
    timezone: needed(text(fields, 'timezone'), fields, 'timezone').trim(),
  };
}

/** `09:00`, `9:00` and `09:00:00` are one time. */
function timeIn(fields: Fields, name: string): string {
  const value = needed(text(fields, name), fields, name);
  const match = /^\s*(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*$/.exec(value);
  if (!match) throw unreadable(fields, name, 'a time as HH:MM was expected');
  return `${(match[1] ?? '').padStart(2, '0')}:${match[2]}`;
}

const FIELDS = ['days', 'start_time', 'end_time', 'timezone'] as const;

function diff(
  live: SendingHours | null,
  desired: ContentSchedule,
  context: SectionContext,
): SectionDifference {
  const { window, template, save_as_template } = desired;
  if (live === null) {
    const to = { ...(template === null ? {} : { template }), ...window };
    const whole = template === null ? { ...to, save_as_template } : to;
    return { changes: [change('', 'add', null, whole)], problems: [] };
  }
  const changes =
    window === null
      ? unseenTemplate(template, context)
      : FIELDS.filter((field) => !equal(live[field], window[field])).map((field) =>
          change(field, 'update', live[field], window[field]),
        );
  const problems = window === null ? [templateNotShown(template)] : [];
  return { changes, problems: changes.length > 0 ? [...problems, ...repost(context)] : problems };
}

/** A template whose content is not shown can only be compared with the one that was last applied. */
function unseenTemplate(template: number | null, { recorded }: SectionContext): Change[] {
  const applied = recorded.applied.schedule;
  const from = isObject(applied) ? (applied.template ?? null) : null;
  const note = 'the service does not show what the template holds; compared with what was last applied';
  return from === template ? [] : [{ ...change('template', 'update', from, template), note }];
}

function change(path: string, kind: Change['kind'], from: Json, to: Json): Change {
  return { section: 'schedule', path, kind, from, to, note: null };
}

function templateNotShown(template: number | null): Problem {
  return {
    code: 'not-readable',
    severity: 'warning',
    message: `What schedule template ${template} holds is not shown by the service: it was compared with what was last applied.`,
    hint: 'A change made elsewhere would not be noticed. Own fields (days, times, timezone) can be compared.',
  };
}

function repost({ environment }: SectionContext): Problem[] {
  switch (environment.service.schedule_repost) {
    case 'replace':
      return [];
    case 'unknown':
      return [
        {
          code: 'schedule-repost',
          severity: 'warning',
          message:
            'The campaign has a schedule. Whether posting another one replaces it is not documented: it is sent, and only what is read back afterwards counts.',
          hint: 'Once you know, say so under service: schedule_repost: replace or refuse.',
        },
      ];
    case 'refuse':
      return [
        {
          code: 'schedule-exists',
          severity: 'blocked',
          message:
            'The campaign has a schedule, and this service refuses a second one (schedule_repost: refuse).',
          hint: "Change the schedule in the service's web app, then plan again.",
        },
      ];
  }
}

/** A template that is saved along the way cannot be deleted again. */
function steps(live: SendingHours | null, { window, template, save_as_template }: ContentSchedule): Step[] {
  const verb = live === null ? 'set' : 'replace';
  const step = { id: 'schedule', section: 'schedule', method: 'POST' } as const;
  if (template !== null)
    return [
      {
        ...step,
        title: `${verb} the schedule from template ${template}`,
        path: '/api/campaigns/{campaign_id}/create-schedule-from-template',
        body: { schedule_id: template },
        irreversible: false,
      },
    ];
  if (window === null) return [];
  const { days, ...rest } = window;
  const weekdays = Object.fromEntries(WEEKDAYS.map((day) => [day, days.includes(day)]));
  return [
    {
      ...step,
      title: save_as_template ? `${verb} the schedule and save it as a template` : `${verb} the schedule`,
      path: '/api/campaigns/{campaign_id}/schedule',
      body: { ...weekdays, ...rest, save_as_template },
      irreversible: save_as_template,
    },
  ];
}
