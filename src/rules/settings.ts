import type { WrittenCampaign } from '../manifest/resolve.js';
import { isObject, type Json, type JsonObject, property, valueAt } from '../model/json.js';
import { newLeadsAboveEmails, OPTIONAL_SECTIONS, SETTINGS, type SettingType } from '../model/sections.js';
import { capWords, decodeCap, isOverCapacity, sumVolume } from '../model/volume.js';
import { thousands } from '../model/words.js';
import { breach, inWords, reversed } from './bounds.js';
import type { PolicyKind, Rule } from './rule.js';

/** The rules check only declared settings, because omitted ones keep their live values. */
export const SETTINGS_RULES: readonly Rule[] = [
  {
    code: 'unsubscribe-text',
    severity: 'warning',
    summary: 'An unsubscribe link without text, or an unsubscribe text without a link.',
    *check({ spec }) {
      const { can_unsubscribe, unsubscribe_text } = spec.settings ?? {};
      const hasText = typeof unsubscribe_text === 'string' && unsubscribe_text.trim() !== '';
      if ((can_unsubscribe === true) === hasText) return;
      const text = hasText ? unsubscribe_text : 'Unsubscribe here';
      const shown = (value: Json | undefined) => (value === undefined ? 'not set' : JSON.stringify(value));
      yield {
        path: ['settings', unsubscribe_text === undefined ? 'can_unsubscribe' : 'unsubscribe_text'],
        message: `can_unsubscribe is ${shown(can_unsubscribe)}, but unsubscribe_text is ${shown(unsubscribe_text)}: an unsubscribe link needs both.`,
        hint: `To include a link, set can_unsubscribe: true and unsubscribe_text: ${JSON.stringify(text)}. To omit it, set can_unsubscribe: false and remove unsubscribe_text.`,
      };
    },
  },
  {
    code: 'new-leads-above-emails',
    severity: 'warning',
    summary: 'More new leads than emails per day.',
    // If one of the two is omitted, the plan compares the other with the live, last applied or default value of the omitted one.
    *check({ spec }) {
      const { max_new_leads_per_day: leads, max_emails_per_day: emails } = spec.settings ?? {};
      if (typeof emails !== 'number' || typeof leads !== 'number' || leads <= emails) return;
      const path = ['settings', 'max_new_leads_per_day'];
      yield { path, ...newLeadsAboveEmails({ leads, emails }, ['', '']) };
    },
  },
  {
    code: 'caps-above-capacity',
    severity: 'warning',
    summary: 'Running campaigns whose daily caps exceed the capacity of their workspace.',
    *compare(campaigns, { name, capacity }) {
      const capped = campaigns.filter(
        ({ spec }) => spec.status === 'running' && spec.settings?.max_emails_per_day !== undefined,
      );
      const capOf = ({ spec }: WrittenCampaign) => decodeCap(spec.settings?.max_emails_per_day);
      const amountOf = (campaign: WrittenCampaign) =>
        capOf(campaign) === 'unlimited' ? Number.POSITIVE_INFINITY : Number(capOf(campaign));
      const volume = sumVolume(capped.map(capOf), capacity);
      const [largest] = capped.toSorted((a, b) => amountOf(b) - amountOf(a));
      if (largest === undefined || !isOverCapacity(volume)) return;
      const flaw = {
        path: ['settings', 'max_emails_per_day'],
        message: `The campaigns with status: running may send ${capWords(volume)} in ${name}, more than its capacity of ${thousands(capacity ?? 0)}. This campaign has the largest cap.`,
        hint: 'Lower max_emails_per_day in some campaigns, or correct capacity in the project file.',
      };
      yield [largest, flaw];
    },
  },
];

const VALUES: Record<SettingType, JsonObject> = {
  integer: { type: ['integer', 'string'], minimum: 0, pattern: '^any$' },
  boolean: { enum: [true, false, 'any'] },
  text: { type: 'string', minLength: 1 },
};

export const requirePolicy: PolicyKind<'require'> = {
  key: 'require',
  schema: {
    description:
      'Settings that a manifest must have, each with its required value; `any` accepts every value that is not empty.',
    examples: [{ 'settings.can_unsubscribe': true, 'settings.unsubscribe_text': 'any' }],
    properties: {
      ...Object.fromEntries(
        SETTINGS.map(({ name, type, description, examples: [example] }) => [
          `settings.${name}`,
          property(VALUES[type], description, example, 'any'),
        ]),
      ),
      ...Object.fromEntries(
        OPTIONAL_SECTIONS.filter((name) => name !== 'settings').map((name) => [
          name,
          property({ type: 'string', enum: ['any'] }, `Requires the ${name} section.`, 'any'),
        ]),
      ),
      status: property(
        { type: 'string', enum: ['running', 'paused', 'any'] },
        'The required status; any: running or paused.',
        'paused',
      ),
    },
  },
  *check(wanted, { spec }, missing) {
    for (const [key, value] of Object.entries(wanted)) {
      const path = key.split('.');
      const written = valueAt(spec as unknown as Json, path);
      const words = value === 'any' ? null : JSON.stringify(value);
      const hint = words === null ? `Write ${key}.` : `Set ${key} to ${words}.`;
      if (written === undefined) yield* missing(path, hint);
      if (written === undefined || (words === null ? !isEmpty(written) : written === value)) continue;
      const is = isEmpty(written) ? 'empty' : `${JSON.stringify(written)}, but must be ${words}`;
      yield { path, message: `${key} is ${is}.`, hint };
    }
  },
};

/** `leads: { lists: [] }` is empty as well. */
function isEmpty(value: Json): boolean {
  if (isObject(value)) return Object.values(value).every((part) => Array.isArray(part) && part.length === 0);
  return value === null || (typeof value === 'string' && value.trim() === '');
}

const NUMBERS = SETTINGS.filter((setting) => setting.type === 'integer');

const bounds = {
  title: 'Bounds',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    min: property({ type: 'integer', minimum: 0 }, 'Minimum value of the setting.', 10),
    max: property({ type: 'integer', minimum: 0 }, 'Maximum value of the setting.', 500),
  },
  examples: [{ max: 500 }, { min: 10, max: 500 }],
};

export const rangePolicy: PolicyKind<'range'> = {
  key: 'range',
  schema: {
    description: 'Minimum and maximum values of numeric settings.',
    examples: [{ 'settings.max_emails_per_day': { min: 10, max: 500 } }],
    properties: Object.fromEntries(
      NUMBERS.map(({ name, description }) => [`settings.${name}`, { ...bounds, description }]),
    ),
  },
  faults: (ranges) => Object.entries(ranges).flatMap(([key, range]) => reversed(range, ['range', key])),
  *check(ranges, { spec }, missing) {
    for (const { name } of NUMBERS) {
      const range = ranges[`settings.${name}`];
      if (range === undefined) continue;
      const path = ['settings', name];
      const hint = `Write ${inWords(range)}.`;
      const written = spec.settings?.[name];
      if (written === undefined) yield* missing(path, hint);
      const wrong = typeof written === 'number' ? breach(written, range) : 'which is not a limit';
      if (written !== undefined && wrong !== null)
        yield { path, message: `settings.${name} is ${written}, ${wrong}.`, hint };
    }
  },
};
