import type { JsonObject } from '../../model/json.js';
import { TIMEZONES } from '../../model/timezones.js';

export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

const time = { type: 'string', pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$' };

/** Manifest section `schedule`: either own fields or a template of the workspace. */
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
          examples: [['monday', 'tuesday', 'wednesday', 'thursday', 'friday']],
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
          description: 'Time zone of the schedule: one of the identifiers that the interface lists.',
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
