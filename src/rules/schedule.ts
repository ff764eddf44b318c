import { property } from '../model/json.js';
import { TIME, TIMEZONES, WEEKDAYS } from '../model/sections.js';
import { listed } from '../model/words.js';
import { type CampaignRule, NON_EMPTY_LIST, type PolicyKind } from './rule.js';

/** Times have the format `HH:MM`, so they are compared as text. */
export const SCHEDULE_RULES: readonly CampaignRule[] = [
  {
    code: 'empty-sending-window',
    severity: 'error',
    summary: 'A schedule in which no email can be sent.',
    *check({ spec: { schedule } }) {
      if (schedule === undefined || 'template' in schedule) return;
      const { days, start_time: start, end_time: end } = schedule;
      if (days.length === 0)
        yield {
          path: ['schedule', 'days'],
          message: 'schedule.days is empty: no emails would be sent.',
          hint: 'List the weekdays, or set status to paused if the campaign must not send.',
        };
      if (start >= end)
        yield {
          path: ['schedule', 'end_time'],
          message: `The sending window is empty: it ends at ${end}, ${start === end ? 'when it starts' : `before it starts at ${start}`}.`,
          hint: 'A window cannot span midnight. Write an end_time that is later than start_time, at most 23:59.',
        };
    },
  },
];

export const sendingPolicy: PolicyKind<'sending'> = {
  key: 'sending',
  schema: {
    title: 'SendingPolicy',
    description: 'When emails may be sent. Times are in the time zone of the schedule.',
    examples: [{ days: ['monday', 'tuesday'], from_time: '08:00', until_time: '18:00' }],
    properties: {
      days: property(
        { ...NON_EMPTY_LIST, items: { type: 'string', enum: [...WEEKDAYS] } },
        'Allowed weekdays.',
        WEEKDAYS.slice(0, 5),
      ),
      from_time: property(TIME, 'No schedule may start before this time.', '08:00'),
      until_time: property(TIME, 'No schedule may end after this time.', '18:00'),
      timezones: property(
        { ...NON_EMPTY_LIST, items: { type: 'string', enum: [...TIMEZONES] } },
        'Allowed time zones.',
        ['Europe/Paris', 'Europe/London'],
      ),
      templates: property(
        {
          type: 'array',
          uniqueItems: true,
          items: { type: ['string', 'integer'], minLength: 1, minimum: 1 },
        },
        'Allowed schedule templates, as manifests name them. Any other template breaks the policy, because its hours are unknown.',
        ['office-hours'],
      ),
    },
  },
  faults({ from_time: from, until_time: until }) {
    if (from === undefined || until === undefined || from < until) return [];
    const message = `sending: until_time ${until} is not later than from_time ${from}.`;
    const hint = 'Write an until_time that is later than from_time.';
    return [{ path: ['sending', 'until_time'], message, hint }];
  },
  *check(allowed, { spec: { schedule } }, missing) {
    if (schedule === undefined) return yield* missing(['schedule'], 'Write a schedule with days and times.');
    if ('template' in schedule) {
      const { templates = [] } = allowed;
      const { template } = schedule;
      if (templates.includes(template)) return;
      const others = templates.length > 0 ? `, or use ${listed(templates.map(String))}` : '';
      const message = `the sending hours of template ${JSON.stringify(template)} are unknown.`;
      yield { path: ['schedule', 'template'], message, hint: `Write days and times${others}.` };
      return;
    }
    const { days, start_time: start, end_time: end, timezone: zone } = schedule;
    const { from_time: from = '', until_time: until = '24:00', timezones = [zone] } = allowed;
    const wrong = (key: 'start_time' | 'end_time' | 'timezone', fact: string, hint: string) => ({
      path: ['schedule', key],
      message: `schedule.${key} is ${fact}.`,
      hint,
    });
    for (const [index, day] of days.entries())
      if (allowed.days?.includes(day) === false)
        yield {
          path: ['schedule', 'days', index],
          message: `schedule.days includes ${day}, which is not allowed.`,
          hint: `Allowed: ${listed(allowed.days)}.`,
        };
    // A window that extends past midnight starts or ends outside the bounds.
    if (start >= until) yield wrong('start_time', `${start}, not before ${until}`, `Start before ${until}.`);
    if (end <= from) yield wrong('end_time', `${end}, not after ${from}`, `End after ${from}.`);
    if (start < from) yield wrong('start_time', `${start}, before ${from}`, `Start at ${from} or later.`);
    if (end > until) yield wrong('end_time', `${end}, after ${until}`, `End at ${until} or earlier.`);
    if (!timezones.includes(zone))
      yield wrong('timezone', `${zone}, which is not allowed`, `Allowed: ${listed(timezones)}.`);
  },
};
