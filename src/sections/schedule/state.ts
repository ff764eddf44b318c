import type { Answer } from '../../model/answer.js';
import { Failure, UnreadableAnswer } from '../../model/failure.js';
import { isObject, type Json } from '../../model/json.js';
import type { CampaignSpec } from '../../model/spec.js';
import { boolean, type Fields, integer, needed, record, seen, text, unreadable } from '../decode.js';
import type { CampaignContext, SectionContext } from '../section.js';
import { WEEKDAYS } from './schema.js';

export interface Window {
  days: string[];
  start_time: string;
  end_time: string;
  timezone: string;
}

/** The live schedule; null where there is none. */
export type Live = Window | null;

/** `window` is null where a template's content is not shown; `template` is null for own fields. */
export interface Desired {
  window: Window | null;
  template: number | null;
  save_as_template: boolean;
}

export function normalize(spec: CampaignSpec, context: SectionContext): Desired | null {
  const { schedule } = spec;
  if (schedule === undefined) return null;
  if ('template' in schedule) {
    const template = templateId(schedule.template, context);
    return { window: templateWindow(template, context), template, save_as_template: false };
  }
  const { days, start_time, end_time, timezone, save_as_template } = schedule;
  const window = { days: WEEKDAYS.filter((day) => days.includes(day)), start_time, end_time, timezone };
  return { window, template: null, save_as_template: save_as_template ?? false };
}

export function decode(context: CampaignContext): Live {
  const answer = context.answers?.schedule ?? null;
  if (answer === null || answer.none) return null;
  return window({ endpoint: answer.endpoint, record: record(answer), at: '' });
}

function window(fields: Fields): Window {
  return {
    days: WEEKDAYS.filter((day) => {
      if (fields.record[day] === undefined) throw unreadable(fields, day, 'it is missing');
      return boolean(fields, day) ?? false;
    }),
    start_time: time(fields, 'start_time'),
    end_time: time(fields, 'end_time'),
    timezone: needed(text(fields, 'timezone'), fields, 'timezone').trim(),
  };
}

/** `09:00`, `9:00` and `09:00:00` are one time. */
function time(fields: Fields, name: string): string {
  const value = needed(text(fields, name), fields, name);
  const match = /^\s*(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*$/.exec(value);
  if (!match) throw unreadable(fields, name, 'a time as HH:MM was expected');
  return `${(match[1] ?? '').padStart(2, '0')}:${match[2]}`;
}

function templateId(template: number | string, context: SectionContext): number {
  if (typeof template === 'number') return template;
  const id = context.environment.schedule_templates[template];
  if (id !== undefined) return id;
  throw new Failure({
    code: 'unknown-schedule-template',
    message: `The environment ${context.environment.name} names no schedule template "${template}".`,
    hint: 'Add it under schedule_templates of the environment, with its id in this workspace.',
  });
}

function listOf({ endpoint, none, body }: Answer): Json[] {
  if (none) return [];
  if (Array.isArray(body)) return body;
  throw new UnreadableAnswer(endpoint, 'a list of templates was expected', seen(body));
}

/** What the template holds, or null where the list shows ids only. A template that is not listed is an error. */
function templateWindow(id: number, context: SectionContext): Window | null {
  const { templates } = context;
  if (templates === null) return null;
  const listed = listOf(templates).map((entry: Json) => {
    if (!isObject(entry))
      throw new UnreadableAnswer(templates.endpoint, 'a template was expected', seen(entry));
    return { endpoint: templates.endpoint, record: entry, at: `template ${seen(entry.id)}, ` };
  });
  const found = listed.find((fields) => integer(fields, 'id') === id);
  if (found !== undefined) return WEEKDAYS.some((day) => day in found.record) ? window(found) : null;
  const ids = listed.map((fields) => integer(fields, 'id')).join(', ');
  throw new Failure({
    code: 'template-not-found',
    message: `The workspace has no schedule template ${id}; it has ${ids || 'none'}.`,
    hint: `Template ids differ between workspaces: check the id for environment ${context.environment.name}.`,
  });
}
