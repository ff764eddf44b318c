import type { LintSubject } from '../../manifest/resolve.js';
import { listed } from '../../manifest/words.js';
import type { JsonObject } from '../../model/json.js';
import type { ScheduleFields } from '../../model/manifest.generated.js';
import { TIMEZONES } from '../../model/timezones.js';
import { WEEKDAYS, type Weekday } from '../../model/weekdays.js';
import type { Remark } from '../lint/rule.js';
import { type Check, notWritten } from './check.js';
import type { PolicyConfig } from './config.generated.js';

type Allowed = NonNullable<PolicyConfig['sending']>;

const time = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' };

const schema: JsonObject = {
  title: 'SendingPolicy',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  description: 'When emails may go out. Times are those of the time zone of the schedule.',
  examples: [{ days: ['monday', 'tuesday'], from_time: '08:00', until_time: '18:00' }],
  properties: {
    days: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...WEEKDAYS] },
      description: 'Weekdays that are allowed.',
      examples: [WEEKDAYS.slice(0, 5)],
    },
    from_time: { ...time, description: 'No schedule starts before this time.', examples: ['08:00'] },
    until_time: { ...time, description: 'No schedule ends after this time.', examples: ['18:00'] },
    timezones: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: [...TIMEZONES] },
      description: 'Time zones that are allowed.',
      examples: [['Europe/Paris', 'Europe/London']],
    },
    templates: {
      type: 'array',
      uniqueItems: true,
      items: { type: ['string', 'integer'], minLength: 1, minimum: 1 },
      description:
        'Schedule templates that are allowed, as manifests name them. The times of any other are not known.',
      examples: [['office-hours']],
    },
  },
};

/** Sending days, hours and time zones. Times are `HH:MM` with leading zeros, so they compare as text. */
export const sending: Check = {
  key: 'sending',
  schema,
  faults({ sending: { from_time: from, until_time: until } = {} }) {
    if (from === undefined || until === undefined || from < until) return [];
    const message = `sending: there is no time from ${from} until ${until}.`;
    return [
      { path: ['sending', 'until_time'], message, hint: 'Write an until_time that is later than from_time.' },
    ];
  },
  breaches({ sending: allowed, optional = false }, { subject }) {
    if (allowed === undefined) return [];
    const { schedule } = subject.spec;
    if (schedule === undefined)
      return optional ? [] : [notWritten(subject, ['schedule'], 'Write schedule, with days and times.')];
    return 'template' in schedule
      ? templateBreach(subject, schedule.template, allowed)
      : [...dayBreaches(subject, schedule.days, allowed), ...timeBreaches(subject, schedule, allowed)];
  },
};

function templateBreach(
  subject: LintSubject,
  template: number | string,
  { templates = [] }: Allowed,
): Remark[] {
  if (templates.includes(template)) return [];
  const others = templates.length > 0 ? `, or use ${listed(templates.map(String))}` : '';
  const message = `when the template ${JSON.stringify(template)} sends is not known.`;
  const place = subject.at(['schedule', 'template']);
  return [{ message, hint: `Write days and times${others}.`, place }];
}

function dayBreaches(subject: LintSubject, written: readonly Weekday[], { days }: Allowed): Remark[] {
  if (days === undefined) return [];
  return [...written.entries()]
    .filter(([, day]) => !days.includes(day))
    .map(([index, day]) => ({
      message: `schedule.days has ${day}.`,
      hint: `Allowed: ${listed(days)}.`,
      place: subject.at(['schedule', 'days', index]),
    }));
}

function timeBreaches(
  subject: LintSubject,
  { start_time: start, end_time: end, timezone: zone }: ScheduleFields,
  { from_time: from, until_time: until, timezones }: Allowed,
): Remark[] {
  const remark = (key: keyof ScheduleFields, found: string, hint: string): Remark => ({
    message: `schedule.${key} is ${found}.`,
    hint,
    place: subject.at(['schedule', key]),
  });
  const remarks: Remark[] = [];
  // A window over midnight begins or ends outside, whatever its own times are.
  if (until !== undefined && start >= until)
    remarks.push(remark('start_time', `${start}, not before ${until}`, `Start before ${until}.`));
  if (from !== undefined && end <= from)
    remarks.push(remark('end_time', `${end}, not after ${from}`, `End after ${from}.`));
  if (from !== undefined && start < from)
    remarks.push(remark('start_time', `${start}, before ${from}`, `Start at ${from} or later.`));
  if (until !== undefined && end > until)
    remarks.push(remark('end_time', `${end}, after ${until}`, `End at ${until} or earlier.`));
  if (timezones !== undefined && !timezones.includes(zone))
    remarks.push(remark('timezone', zone, `Allowed: ${listed(timezones)}.`));
  return remarks;
}
