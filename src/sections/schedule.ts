import equal from 'fast-deep-equal';
import type { Answer } from '../model/answer.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject, objectOf, property } from '../model/json.js';
import { type ContentSchedule, NOT_KNOWN, type Problem, type SendingHours } from '../model/outputs.js';
import { TIME, TIMEZONES, WEEKDAYS } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';
import { boolean, type Fields, fieldsOf, integer, needed, seen, text, unreadable } from './decode.js';
import {
  added,
  defineSection,
  NOT_SHOWN,
  namedId,
  notReadable,
  probeCommand,
  rememberApplied,
  type SectionChange,
  type SectionContext,
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
  start_time: property(TIME, 'Start of the sending window, HH:MM, 24 hours, in its time zone.', '09:00'),
  end_time: property(TIME, 'End of the sending window, HH:MM, 24 hours, in its time zone.', '17:00'),
  timezone: property(
    { type: 'string', enum: [...TIMEZONES] },
    'Time zone of the schedule: one of the identifiers that the API lists.',
    'Europe/Paris',
    'America/New_York',
  ),
  save_as_template: property(
    { type: 'boolean', default: false },
    'Whether to save it as a template, too. The service does not show this again.',
    false,
  ),
};

const template = property(
  { type: ['integer', 'string'], minimum: 1, minLength: 1 },
  'A schedule template: its id, or its name under schedule_templates of the environment.',
  3,
  'office-hours',
);

/** Own fields, or a template of the workspace. */
export const scheduleSchema: JsonObject = {
  title: 'ScheduleSpec',
  description:
    'When emails may go out: either days, times and time zone, or a schedule template of the workspace.',
  examples: [
    { days: ['monday', 'friday'], start_time: '09:00', end_time: '17:00', timezone: 'Europe/Paris' },
    { template: 'office-hours' },
  ],
  oneOf: [
    objectOf('ScheduleFields', fields, [...FIELDS]),
    objectOf('ScheduleTemplate', { template }, ['template']),
  ],
};

/** Sending hours, of the manifest or of a template. Live: `null` if there are none. */
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
  /** Neither the template nor whether one was saved is ever shown. */
  record(recorded, step, effect) {
    const saved = step.body?.save_as_template === true || hasSaved(recorded) ? { saved: true } : {};
    const schedule = { template: step.body?.schedule_id ?? null, ...saved };
    const schedule_seen = effect === 'done' || recorded.schedule_seen;
    return { ...rememberApplied(recorded, { schedule }, effect), schedule_seen };
  },
  recordShown: (recorded, live) => (live === null ? recorded : { ...recorded, schedule_seen: true }),
  setsBack(planned, now, { window }) {
    // A hidden template replaces the whole schedule, as the plan says.
    if (planned === null || now === null || window === null) return [];
    return FIELDS.filter((field) => !equal(planned[field], now[field]));
  },
  toView: (window) => window && { window, template: null, save_as_template: false },
  toManifest: (live) => ({ section: live && { ...live }, remarks: [] }),
});

function normalize({ schedule: spec }: CampaignSpec, context: SectionContext): ContentSchedule | null {
  if (spec === undefined) return null;
  if ('template' in spec) {
    const template = namedId(spec.template, context, TEMPLATE);
    return { window: templateHours(template, context), template, save_as_template: false };
  }
  const { days, start_time, end_time, timezone, save_as_template = false } = spec;
  const window = { days: WEEKDAYS.filter((day) => days.includes(day)), start_time, end_time, timezone };
  return { window, template: null, save_as_template };
}

const TEMPLATE = {
  code: 'unknown-schedule-template',
  table: 'schedule_templates',
  noun: 'schedule template',
} as const;

/** `null` if only ids are listed. An error if the template is not listed. */
function templateHours(id: number, { templates, environment }: SectionContext): SendingHours | null {
  if (templates === null) return null;
  const listed = templatesIn(templates);
  const found = listed.find((fields) => integer(fields, 'id') === id);
  if (found !== undefined) return WEEKDAYS.some((day) => day in found.record) ? hoursIn(found) : null;
  const known = listed.map((fields) => {
    const hours = WEEKDAYS.some((day) => day in fields.record) ? hoursIn(fields) : null;
    return `${integer(fields, 'id')}${hours === null ? '' : ` (${hoursText(hours)})`}`;
  });
  throw new Failure({
    code: 'template-not-found',
    message: `The workspace has no schedule template ${id}; it has ${known.join(', ') || 'none'}.`,
    hint: `Template ids differ between workspaces: write the id with the hours you mean under schedule_templates of ${environment.name}, or into the manifest.`,
  });
}

/** "mon tue fri 09:00–17:00 Europe/Paris" */
function hoursText({ days, start_time, end_time, timezone }: SendingHours): string {
  return `${days.map((day) => day.slice(0, 3)).join(' ') || 'no day'} ${start_time}–${end_time} ${timezone}`;
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

/** `09:00`, `9:00` and `09:00:00` are equal. */
function timeIn(fields: Fields, name: string): string {
  const value = needed(text(fields, name), fields, name);
  const match = /^\s*(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*$/.exec(value);
  if (!match) throw unreadable(fields, name, 'a time as HH:MM was expected');
  return `${(match[1] ?? '').padStart(2, '0')}:${match[2]}`;
}

function diff(
  live: SendingHours | null,
  desired: ContentSchedule,
  context: SectionContext,
): SectionDifference {
  const { window, template, save_as_template } = desired;
  if (live === null) {
    const whole = template === null ? { ...window, save_as_template } : { template, ...window };
    return { changes: [added('', whole)], problems: [] };
  }
  const changes =
    window === null
      ? unseenTemplate(template, context)
      : FIELDS.filter((field) => !equal(live[field], window[field])).map((field) =>
          updated(field, live[field], window[field]),
        );
  const problems = window === null ? [templateNotShown(template)] : [];
  const isSaving = savesTemplate(live, desired, context);
  if (changes.length === 0 && isSaving) problems.push(NOT_SAVED);
  if (changes.length > 0 && isSaving)
    changes.push(
      updated(
        'save_as_template',
        false,
        true,
        'saves one more template of the workspace, which the API cannot delete',
      ),
    );
  return { changes, problems: changes.length > 0 ? [...problems, ...repost(context)] : problems };
}

/** Each post with it would create another template, so a change saves one only if the manifest newly asks for it. */
function savesTemplate(
  live: SendingHours | null,
  { save_as_template }: ContentSchedule,
  { recorded }: SectionContext,
): boolean {
  const asked = recorded.last?.spec.schedule;
  const isNew = asked !== undefined && !('save_as_template' in asked && asked.save_as_template);
  return save_as_template && (live === null || isNew || !hasSaved(recorded));
}

function hasSaved({ applied: { schedule } }: RecordedState): boolean {
  return isObject(schedule) && schedule.saved === true;
}

const NOT_SAVED: Problem = {
  code: 'template-not-saved',
  severity: 'warning',
  message:
    'The manifest says save_as_template: true, but the schedule does not change, so apply does not post it and saves no template: the API saves one only with a schedule that is posted.',
  hint: "Save the schedule as a template in the service's web app and take save_as_template out of the manifest, or leave it there for the next change of the schedule.",
};

/** A hidden template is compared with the one last applied. */
function unseenTemplate(template: number | null, { recorded }: SectionContext): SectionChange[] {
  const applied = recorded.applied.schedule;
  const from = isObject(applied) ? (applied.template ?? null) : null;
  const unseen = isObject(applied) ? NOT_SHOWN : NOT_KNOWN;
  return from === template ? [] : [updated('template', from, template, unseen)];
}

function templateNotShown(template: number | null): Problem {
  return notReadable(
    `The service does not show what schedule template ${template} holds: it was compared with what was last applied.`,
    ' Own fields (days, times, timezone) can be compared.',
  );
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
            'The campaign has a schedule. Whether posting another one replaces it is not documented: apply posts it, reads the schedule back, and reports success only if it matches.',
          hint: `${probeCommand({ environment })} finds out on a scratch campaign what this service does.`,
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

/** A saved template cannot be deleted. */
function steps(live: SendingHours | null, desired: ContentSchedule, context: SectionContext): SectionStep[] {
  const { window, template } = desired;
  const save_as_template = savesTemplate(live, desired, context);
  const what = `${live === null ? 'set' : 'replace'} the schedule`;
  const { days = [], ...rest } = window ?? {};
  const weekdays = Object.fromEntries(WEEKDAYS.map((day) => [day, days.includes(day)]));
  const own = {
    title: save_as_template ? `${what} and save it as a template` : what,
    path: '/api/campaigns/{campaign_id}/schedule',
    body: { ...weekdays, ...rest, save_as_template },
  };
  const fromTemplate = {
    title: `${what} from template ${template}`,
    path: '/api/campaigns/{campaign_id}/create-schedule-from-template',
    body: { schedule_id: template },
  };
  const request = template === null ? own : fromTemplate;
  return [{ id: 'schedule', method: 'POST', ...request, irreversible: save_as_template }];
}
