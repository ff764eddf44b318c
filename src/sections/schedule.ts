import equal from 'fast-deep-equal';
import { Failure } from '../model/failure.js';
import { isObject, type Json, type JsonObject, objectAt, objectSchema, property } from '../model/json.js';
import { shownValue } from '../model/live.js';
import {
  type ContentSchedule,
  NOT_KNOWN,
  type PlanProblem,
  type SendingHours,
  type Step,
} from '../model/outputs.js';
import { TIME, TIMEZONES, WEEKDAYS } from '../model/sections.js';
import type { RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import {
  added,
  defineSection,
  NOT_SHOWN,
  namedId,
  notReadable,
  notShown,
  rememberApplied,
  type SectionChange,
  type SectionDifference,
  type SectionStep,
  updated,
} from './section.js';

const FIELDS = ['days', 'start_time', 'end_time', 'timezone'] as const;

const fields = {
  days: property(
    { type: 'array', uniqueItems: true, items: { type: 'string', enum: [...WEEKDAYS] } },
    'Weekdays on which emails may go out.',
    WEEKDAYS.slice(0, 5),
  ),
  start_time: property(
    TIME,
    'Start of the sending window: 24-hour HH:MM, in the time zone of the schedule.',
    '09:00',
  ),
  end_time: property(
    TIME,
    'End of the sending window: 24-hour HH:MM, in the time zone of the schedule.',
    '17:00',
  ),
  timezone: property(
    { type: 'string', enum: [...TIMEZONES] },
    'Time zone of the schedule: one of the identifiers that the API lists.',
    'Europe/Paris',
    'America/New_York',
  ),
  save_as_template: property(
    { type: 'boolean', default: false },
    'Also save the schedule as a template. The service does not return this value.',
    false,
  ),
};

const template = property(
  { type: ['integer', 'string'], minimum: 1, minLength: 1 },
  'A schedule template: its id, or its name under schedule_templates of the environment.',
  3,
  'office-hours',
);

export const scheduleSchema: JsonObject = {
  title: 'ScheduleSpec',
  description: 'When emails may go out: days, times and time zone, or a schedule template of the workspace.',
  examples: [
    { days: ['monday', 'friday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    { template: 'office-hours' },
  ],
  oneOf: [
    objectSchema('ScheduleFields', fields, [...FIELDS]),
    objectSchema('ScheduleTemplate', { template }, ['template']),
  ],
};

/** The live value is `null` if the campaign has no schedule. */
export const schedule = defineSection<SendingHours | null, ContentSchedule>({
  name: 'schedule',
  properties: { schedule: scheduleSchema },
  reads: ['schedule'],
  normalize,
  decode: liveSchedule,
  diff,
  /** The service never shows which template was used, or whether one was saved. */
  recordStep(recorded, { body }, effect) {
    const saved = body?.save_as_template === true || hasSaved(recorded) ? { saved: true } : {};
    const schedule = { template: body?.schedule_id ?? null, ...saved };
    const schedule_seen = effect === 'done' || recorded.schedule_seen;
    return { ...rememberApplied(recorded, { schedule }, effect), schedule_seen };
  },
  recordShown: (recorded, live) => (live === null ? recorded : { ...recorded, schedule_seen: true }),
  toView: (window) => window && { window, template: null, save_as_template: false },
  toManifest: (hours, { live }) => ({
    section: hours && { ...hours },
    remarks: notShown(live?.schedule),
  }),
});

/** `null` if the campaign has no schedule, or if it was not read. */
export function liveSchedule({ live }: Target): SendingHours | null {
  return live && shownValue(live.schedule);
}

/** `null` if the hours are those of a template. */
export function sentSchedule({ body }: Step): SendingHours | null {
  if (body === null || body.schedule_id !== undefined) return null;
  const [start_time, end_time, timezone] = [body.start_time, body.end_time, body.timezone].map(String);
  const days = WEEKDAYS.filter((day) => body[day] === true);
  return { days, start_time, end_time, timezone } as SendingHours;
}

function normalize(target: Target): ContentSchedule | null {
  const { schedule: spec } = target.spec;
  if (spec === undefined) return null;
  if ('template' in spec) {
    const template = namedId(spec.template, 'schedule_templates', target);
    return { window: templateHours(template, target), template, save_as_template: false };
  }
  const { days, start_time, end_time, timezone, save_as_template = false } = spec;
  const window = { days: WEEKDAYS.filter((day) => days.includes(day)), start_time, end_time, timezone };
  return { window, template: null, save_as_template };
}

/** Returns `null` if the templates were not read, or if the template is listed without hours. Fails if it is not listed. */
function templateHours(id: number, { templates, environment }: Target): SendingHours | null {
  if (templates === null) return null;
  const template = templates.find((other) => other.id === id);
  if (template !== undefined) return shownValue(template.hours);
  const known = templates.map((other) => {
    const hours = shownValue(other.hours);
    return `${other.id}${hours === null ? '' : ` (${hoursText(hours)})`}`;
  });
  throw new Failure({
    code: 'template-not-found',
    message: `The workspace has no schedule template ${id}; it has ${known.join(', ') || 'no templates'}.`,
    hint: `Template ids differ between workspaces: write the id of the right template under schedule_templates of ${environment.name}, or in the manifest.`,
  });
}

/** "mon tue fri 09:00–17:00 Europe/Paris" */
function hoursText({ days, start_time, end_time, timezone }: SendingHours): string {
  return `${days.map((day) => day.slice(0, 3)).join(' ') || 'no day'} ${start_time}–${end_time} ${timezone}`;
}

function diff(live: SendingHours | null, desired: ContentSchedule, target: Target): SectionDifference {
  const { window, template } = desired;
  // Each post with `save_as_template` creates a template, which the API cannot delete.
  const save_as_template = desired.save_as_template && (live === null || !hasSaved(target.recorded));
  const step = request({ ...desired, save_as_template }, live === null ? 'set' : 'replace');
  if (live === null) {
    const whole =
      template === null ? { ...window, save_as_template: desired.save_as_template } : { template, ...window };
    return { changes: [added('', whole)], problems: [], steps: [step] };
  }
  const { changes, problems } =
    window === null ? diffTemplate(template, target) : { changes: hoursChanges(live, window), problems: [] };
  if (changes.length === 0)
    return { changes, problems: save_as_template ? [...problems, NOT_SAVED] : problems, steps: [] };
  return {
    changes: save_as_template ? [...changes, SAVING] : changes,
    problems: [...problems, ...repost(target)],
    steps: [step],
  };
}

function hoursChanges(live: SendingHours, desired: SendingHours): SectionChange[] {
  return FIELDS.filter((field) => !equal(live[field], desired[field])).map((field) =>
    updated(field, live[field], desired[field]),
  );
}

/** Compares with the last applied template, because the service does not show the current one. */
function diffTemplate(template: number | null, { recorded }: Target) {
  const { schedule: applied } = recorded.applied;
  const from = appliedTemplate(recorded);
  const problem = notReadable(
    `The service does not show the hours of schedule template ${template}, so only its id was compared with the last applied id.`,
    ' To compare hours, write days, times and timezone instead.',
  );
  const change = updated('template', from, template, isObject(applied) ? NOT_SHOWN : NOT_KNOWN);
  return { changes: from === template ? [] : [change], problems: [problem] };
}

/** The id of the template that was last applied; `null` if none was, or if that is unknown. */
export function appliedTemplate({ applied }: RecordedState): Json {
  return objectAt(applied, 'schedule').template ?? null;
}

function hasSaved({ applied }: RecordedState): boolean {
  return objectAt(applied, 'schedule').saved === true;
}

const SAVING = updated(
  'save_as_template',
  false,
  true,
  'saves a new template in the workspace; the API cannot delete it',
);

const NOT_SAVED: PlanProblem = {
  code: 'template-not-saved',
  severity: 'warning',
  message:
    'The manifest has save_as_template: true, but the schedule does not change. The API saves a template only when a schedule is posted, so apply does not save one.',
  hint: "Save the schedule as a template in the service's web app and remove save_as_template from the manifest, or leave save_as_template there until the schedule next changes.",
};

function repost(target: Target): PlanProblem[] {
  switch (target.environment.service.schedule_repost) {
    case 'replace':
      return [];
    case 'unknown':
      return [
        {
          code: 'schedule-repost',
          severity: 'warning',
          message:
            'The campaign already has a schedule, and the API documentation does not say whether a second one replaces it. Apply posts the new schedule, reads it back, and reports success only if the two match.',
          hint: 'Apply shows what this service does. Then write schedule_repost: replace or schedule_repost: refuse under service in the project file.',
        },
      ];
    case 'refuse':
      return [
        {
          code: 'schedule-exists',
          severity: 'blocked',
          message:
            'The campaign already has a schedule, and this service refuses a second one (schedule_repost: refuse).',
          hint: "Change the schedule in the service's web app, then plan again.",
        },
      ];
  }
}

function request(
  { window, template, save_as_template }: ContentSchedule,
  verb: 'set' | 'replace',
): SectionStep {
  const title = `${verb} the schedule`;
  if (template !== null) {
    return {
      id: 'schedule',
      stage: 'schedule',
      title: `${title} from template ${template}`,
      method: 'POST',
      path: '/api/campaigns/{campaign_id}/create-schedule-from-template',
      body: { schedule_id: template },
      irreversible: false,
    };
  }
  const { days = [], ...times } = window ?? {};
  const weekdays = Object.fromEntries(WEEKDAYS.map((day) => [day, days.includes(day)]));
  return {
    id: 'schedule',
    stage: 'schedule',
    title: save_as_template ? `${title} and save it as a template` : title,
    method: 'POST',
    path: '/api/campaigns/{campaign_id}/schedule',
    body: { ...weekdays, ...times, save_as_template },
    irreversible: save_as_template,
  };
}
