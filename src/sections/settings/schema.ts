import type { JsonObject } from '../../model/json.js';
import { SETTINGS, type SettingType } from '../../model/settings.js';

const TYPES: Record<SettingType, JsonObject & { type: string }> = {
  integer: { type: 'integer', minimum: 0 },
  boolean: { type: 'boolean' },
  text: { type: 'string' },
};

/** Manifest section `settings`: the fields of the update operation. What is left out is not managed. */
export const settingsSchema: JsonObject = {
  title: 'SettingsSpec',
  type: 'object',
  additionalProperties: false,
  description: 'Campaign settings. A setting that is left out is not managed: its live value is kept.',
  examples: [{ max_emails_per_day: 200, can_unsubscribe: true, unsubscribe_text: 'Unsubscribe here' }],
  properties: Object.fromEntries(
    SETTINGS.map(({ name, type, nullable, description, examples, default: standard }) => {
      const { type: word, ...limits } = TYPES[type];
      return [
        name,
        {
          type: nullable ? [word, 'null'] : word,
          ...limits,
          default: standard,
          description,
          examples: [...examples],
        },
      ];
    }),
  ),
};
