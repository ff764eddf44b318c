import type { Json, JsonObject } from '../model/json.js';
import { valueAt } from '../model/json.js';
import { SETTINGS, type SettingType } from '../model/settings.js';
import { type CampaignRule, policyKind, reversed } from './rule.js';

/** Without a text there is no link to click, as far as anybody knows. */
const unsubscribeWithoutText: CampaignRule = {
  code: 'unsubscribe-without-text',
  severity: 'warning',
  summary: 'Recipients can unsubscribe, but the link has no text.',
  check({ spec, at }) {
    const { can_unsubscribe, unsubscribe_text } = spec.settings ?? {};
    if (can_unsubscribe !== true || hasText(unsubscribe_text)) return [];
    const written = unsubscribe_text !== undefined;
    return [
      {
        message: `can_unsubscribe is true, but unsubscribe_text is ${written ? 'empty' : 'not written'}: the link may have no words to click on.`,
        hint: 'Write unsubscribe_text, for example "Unsubscribe here".',
        place: at(['settings', written ? 'unsubscribe_text' : 'can_unsubscribe']),
      },
    ];
  },
};

const unsubscribeTextUnused: CampaignRule = {
  code: 'unsubscribe-text-unused',
  severity: 'warning',
  summary: 'A text for the unsubscribe link, but no link.',
  check({ spec, at }) {
    const { can_unsubscribe, unsubscribe_text } = spec.settings ?? {};
    if (can_unsubscribe === true || !hasText(unsubscribe_text)) return [];
    const state = can_unsubscribe === undefined ? 'not written' : String(can_unsubscribe);
    return [
      {
        message: `unsubscribe_text is given, but can_unsubscribe is ${state}: there may be no link that shows it.`,
        hint: 'Set can_unsubscribe to true, or remove unsubscribe_text.',
        place: at(['settings', 'unsubscribe_text']),
      },
    ];
  },
};

/** Only what is written is compared: a limit that is left out keeps its live value, whatever that is. */
const newLeadsAboveEmails: CampaignRule = {
  code: 'new-leads-above-emails',
  severity: 'warning',
  summary: 'More new leads than emails a day.',
  check({ spec, at }) {
    const { max_emails_per_day: emails, max_new_leads_per_day: leads } = spec.settings ?? {};
    if (typeof emails !== 'number' || typeof leads !== 'number' || leads <= emails) return [];
    return [
      {
        message: `max_new_leads_per_day is ${leads}, more than max_emails_per_day, ${emails}: each new lead needs an email, and some installations refuse it.`,
        hint: `Write ${emails} or less, or raise max_emails_per_day.`,
        place: at(['settings', 'max_new_leads_per_day']),
      },
    ];
  },
};

function hasText(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

/** The rules of this file, in the order of `docs/rules.md`. */
export const SETTINGS_RULES = [unsubscribeWithoutText, unsubscribeTextUnused, newLeadsAboveEmails];

const VALUES: Record<SettingType, JsonObject> = {
  integer: { type: ['integer', 'string'], minimum: 0, pattern: '^any$' },
  boolean: { enum: [true, false, 'any'] },
  text: { type: 'string', minLength: 1 },
};

const section = { type: 'string', enum: ['any'], examples: ['any'] };

/** Values that have to be written. What is not written is not managed: it cannot be said to hold. */
export const requirePolicy = policyKind({
  key: 'require',
  schema: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    description: 'What a manifest has to write, each with the value that it must have, or any.',
    examples: [{ 'settings.can_unsubscribe': true, 'settings.unsubscribe_text': 'any' }],
    properties: {
      ...Object.fromEntries(
        SETTINGS.map(({ name, type, description, examples: [example] }) => [
          `settings.${name}`,
          { ...VALUES[type], description, examples: [example, 'any'] },
        ]),
      ),
      schedule: { ...section, description: 'Days and times, or a template.' },
      sequence: { ...section, description: 'Emails.' },
      leads: { ...section, description: 'Lead lists or ids.' },
      status: {
        type: 'string',
        enum: ['running', 'paused', 'any'],
        description: 'Whether the campaign runs.',
        examples: ['paused'],
      },
    },
  },
  check: (wanted, { spec, at }, { missing }) =>
    Object.entries(wanted).flatMap(([key, value]) => {
      const path = key.split('.');
      const found = valueAt(spec as unknown as Json, path);
      const words = value === 'any' ? null : JSON.stringify(value);
      const hint = words === null ? `Write ${key}.` : `Set ${key} to ${words}.`;
      if (found === undefined) return missing(path, hint);
      const isEmpty = found === null || (typeof found === 'string' && found.trim() === '');
      if (words === null ? !isEmpty : found === value) return [];
      const is = isEmpty ? 'empty' : `${JSON.stringify(found)}, where ${words} is asked for`;
      return [{ message: `${key} is ${is}.`, hint, place: at(path) }];
    }),
});

interface Bounds {
  min?: number;
  max?: number;
}

const NUMBERS = SETTINGS.filter((setting) => setting.type === 'integer');

/** Numbers within bounds. One that is not written has its live value, whatever that is; null is no number. */
export const rangePolicy = policyKind({
  key: 'range',
  schema: {
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    description: 'Caps and floors of numbers.',
    examples: [{ 'settings.max_emails_per_day': { min: 10, max: 500 } }],
    properties: Object.fromEntries(
      NUMBERS.map(({ name, description }) => [`settings.${name}`, boundsSchema(description)]),
    ),
  },
  faults: (ranges) =>
    Object.entries(ranges).flatMap(([key, { min, max }]) => reversed(min, max, ['range', key])),
  check: (ranges, { spec, at }, { missing }) =>
    NUMBERS.flatMap(({ name }) => {
      const bounds = ranges[`settings.${name}`];
      if (bounds === undefined) return [];
      const path = ['settings', name];
      const hint = `Write ${boundsInWords(bounds)}.`;
      const found = spec.settings?.[name];
      if (found === undefined) return missing(path, hint);
      const wrong = outside(found, bounds);
      return wrong === null ? [] : [{ message: `settings.${name} is ${wrong}.`, hint, place: at(path) }];
    }),
});

function boundsSchema(description: string): JsonObject {
  return {
    title: 'Bounds',
    type: 'object',
    additionalProperties: false,
    minProperties: 1,
    properties: {
      min: { type: 'integer', minimum: 0, description: 'The smallest number that is fine.', examples: [10] },
      max: { type: 'integer', minimum: 0, description: 'The largest number that is fine.', examples: [500] },
    },
    description,
    examples: [{ max: 500 }, { min: 10, max: 500 }],
  };
}

function outside(found: number | null, { min, max }: Bounds): string | null {
  if (found === null) return 'null, which is no limit that could be checked';
  if (max !== undefined && found > max) return `${found}, more than ${max}`;
  return min !== undefined && found < min ? `${found}, less than ${min}` : null;
}

function boundsInWords({ min, max }: Bounds): string {
  if (min === undefined) return `${max} or less`;
  return max === undefined ? `${min} or more` : `a number from ${min} to ${max}`;
}
