import type { JsonObject } from '../../model/json.js';

const limit = { type: ['integer', 'null'], minimum: 0, default: 1000 };
const flag = { type: ['boolean', 'null'], default: false };

/** Manifest section `settings`: the seven fields of the update operation. What is left out is not managed. */
export const settingsSchema: JsonObject = {
  title: 'SettingsSpec',
  type: 'object',
  additionalProperties: false,
  description: 'Campaign settings. A setting that is left out is not managed: its live value is kept.',
  examples: [{ max_emails_per_day: 200, can_unsubscribe: true, unsubscribe_text: 'Unsubscribe here' }],
  properties: {
    max_emails_per_day: {
      ...limit,
      description: 'Maximum number of emails sent per day.',
      examples: [200, 1000],
    },
    max_new_leads_per_day: {
      ...limit,
      description: 'Maximum number of new leads added per day. Should not exceed max_emails_per_day.',
      examples: [100, 1000],
    },
    plain_text: {
      ...flag,
      description:
        'Email content is plain text. When false, bodies are HTML and paragraphs need <p> or <br>.',
      examples: [true, false],
    },
    open_tracking: { ...flag, description: 'Open tracking enabled.', examples: [true, false] },
    reputation_building: {
      ...flag,
      description:
        'Spam protection. Some services never show it: write it down, or a later change of another setting would reset it.',
      examples: [true, false],
    },
    can_unsubscribe: {
      ...flag,
      description: 'Recipients can unsubscribe with a one-click link. Goes with unsubscribe_text.',
      examples: [true, false],
    },
    unsubscribe_text: {
      type: ['string', 'null'],
      default: null,
      description: 'Text shown in the unsubscribe link. An empty text is the same as null.',
      examples: ['Unsubscribe here', null],
    },
  },
};
