import { listed } from '../manifest/words.js';
import type { ScheduleFields } from '../model/manifest.generated.js';
import { TIMEZONES, WEEKDAYS } from '../model/schedule.js';
import type { PolicyConfig } from './policies.generated.js';
import { type CampaignRule, type Fault, policyKind, type Remark } from './rule.js';

/** Times are `HH:MM` with leading zeros, so they compare as text. */
const emptySendingWindow: CampaignRule = {
  code: 'empty-sending-window',
  severity: 'error',
  summary: 'A schedule in which no email can ever go out.',
  check({ spec: { schedule }, at }) {
    if (schedule === undefined || 'template' in schedule) return [];
    const remarks: Remark[] = [];
    if (schedule.days.length === 0) {
      remarks.push({
        message: 'schedule.days is empty: no email would ever go out.',
        hint: 'Name the weekdays, or set status to paused if nothing is to be sent.',
        place: at(['schedule', 'days']),
      });
    }
    if (schedule.start_time >= schedule.end_time) {
      remarks.push({
        message: `The sending window ends at ${schedule.end_time}, ${endsWhen(schedule)}: it is empty.`,
        hint: 'Write an end_time after start_time; a window cannot pass midnight, 23:59 is the latest end.',
        place: at(['schedule', 'end_time']),
      });
    }
    return remarks;
  },
};

function endsWhen({ start_time, end_time }: { start_time: string; end_time: string }): string {
  return start_time === end_time ? 'when it starts' : `before it starts at ${start_time}`;
}

/** The rules of this file, in the order of `docs/rules.md`. */
export const SCHEDULE_RULES = [emptySendingWindow];

const time = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' };

/** Sending days, hours and time zones. */
export const sendingPolicy = policyKind({
  key: 'sending',
  schema: {
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
  },
  faults({ from_time: from, until_time: until }) {
    if (from === undefined || until === undefined || from < until) return [];
    const message = `sending: there is no time from ${from} until ${until}.`;
    return [
      { path: ['sending', 'until_time'], message, hint: 'Write an until_time that is later than from_time.' },
    ];
  },
  check(allowed, { spec: { schedule }, at }, { missing }) {
    if (schedule === undefined) return missing(['schedule'], 'Write schedule, with days and times.');
    const wrong =
      'template' in schedule
        ? wrongTemplate(schedule.template, allowed)
        : [...wrongDays(schedule, allowed), ...wrongTimes(schedule, allowed)];
    return wrong.map(({ path, message, hint }) => ({ message, hint, place: at(['schedule', ...path]) }));
  },
});

type SendingPolicy = NonNullable<PolicyConfig['sending']>;

function wrongTemplate(template: number | string, { templates = [] }: SendingPolicy): Fault[] {
  if (templates.includes(template)) return [];
  const others = templates.length > 0 ? `, or use ${listed(templates.map(String))}` : '';
  const message = `when the template ${JSON.stringify(template)} sends is not known.`;
  return [{ path: ['template'], message, hint: `Write days and times${others}.` }];
}

function wrongDays({ days: written }: ScheduleFields, { days }: SendingPolicy): Fault[] {
  if (days === undefined) return [];
  return written.flatMap((day, index) => {
    if (days.includes(day)) return [];
    return [
      { path: ['days', index], message: `schedule.days has ${day}.`, hint: `Allowed: ${listed(days)}.` },
    ];
  });
}

/** Times are `HH:MM` with leading zeros, so they compare as text. */
function wrongTimes(
  { start_time: start, end_time: end, timezone: zone }: ScheduleFields,
  { from_time: from, until_time: until, timezones }: SendingPolicy,
): Fault[] {
  const wrong: Fault[] = [];
  const add = (key: keyof ScheduleFields, found: string, hint: string): unknown =>
    wrong.push({ path: [key], message: `schedule.${key} is ${found}.`, hint });
  // A window over midnight begins or ends outside, whatever its own times are.
  if (until !== undefined && start >= until)
    add('start_time', `${start}, not before ${until}`, `Start before ${until}.`);
  if (from !== undefined && end <= from) add('end_time', `${end}, not after ${from}`, `End after ${from}.`);
  if (from !== undefined && start < from)
    add('start_time', `${start}, before ${from}`, `Start at ${from} or later.`);
  if (until !== undefined && end > until)
    add('end_time', `${end}, after ${until}`, `End at ${until} or earlier.`);
  if (timezones !== undefined && !timezones.includes(zone))
    add('timezone', zone, `Allowed: ${listed(timezones)}.`);
  return wrong;
}
