import { type Json, type JsonObject, property, valueAt } from '../model/json.js';
import {
  DEFAULT_SETTINGS,
  newLeadsAboveEmails,
  OPTIONAL_SECTIONS,
  SECTION_CONTENTS,
  SETTINGS,
  type SettingName,
  type SettingType,
} from '../model/sections.js';
import { capWords, decodeCap, isOverCapacity, sumVolume } from '../model/volume.js';
import { thousands } from '../model/words.js';
import { breach, inWords, type PolicyKind, type Rule, reversed } from './rule.js';

/** Settings that are left out keep their live values. In the order of `docs/rules.md`. */
export const SETTINGS_RULES: readonly Rule[] = [
  {
    code: 'unsubscribe-without-text',
    severity: 'warning',
    summary: 'Recipients can unsubscribe, but the link has no text.',
    *check({ spec }) {
      const { can_unsubscribe, unsubscribe_text } = spec.settings ?? {};
      if (can_unsubscribe !== true || hasText(unsubscribe_text)) return;
      const written = unsubscribe_text !== undefined;
      yield {
        path: ['settings', written ? 'unsubscribe_text' : 'can_unsubscribe'],
        message: `can_unsubscribe is true, but unsubscribe_text is ${written ? 'empty' : 'not set'}: the link may have no text.`,
        hint: 'Write unsubscribe_text, for example "Unsubscribe here".',
      };
    },
  },
  {
    code: 'unsubscribe-text-unused',
    severity: 'warning',
    summary: 'A text for the unsubscribe link, but no link.',
    *check({ spec }) {
      const { can_unsubscribe, unsubscribe_text } = spec.settings ?? {};
      if (can_unsubscribe === true || !hasText(unsubscribe_text)) return;
      const is = can_unsubscribe === undefined ? 'not set' : can_unsubscribe;
      yield {
        path: ['settings', 'unsubscribe_text'],
        message: `unsubscribe_text is set, but can_unsubscribe is ${is}: the email may have no link that shows it.`,
        hint: 'Set can_unsubscribe to true, or remove unsubscribe_text.',
      };
    },
  },
  {
    code: 'new-leads-above-emails',
    severity: 'warning',
    summary: 'More new leads than emails a day.',
    *check({ spec }) {
      const written = spec.settings ?? {};
      const isWritten = (name: SettingName) => written[name] !== undefined;
      const pair = ['max_new_leads_per_day', 'max_emails_per_day'] as const;
      // A missing setting keeps its live value, which only the plan knows.
      if (!pair.some(isWritten) || (spec.id !== undefined && !pair.every(isWritten))) return;
      const { max_emails_per_day: emails, max_new_leads_per_day: leads } = {
        ...DEFAULT_SETTINGS,
        ...written,
      };
      if (typeof emails !== 'number' || typeof leads !== 'number' || leads <= emails) return;
      const missing = pair.find((name) => !isWritten(name)) ?? null;
      const from = (name: string) => (name === missing ? ' (the default of a new campaign)' : '');
      yield {
        path: ['settings', missing === pair[0] ? pair[1] : pair[0]],
        ...newLeadsAboveEmails({ leads, emails }, [from(pair[0]), from(pair[1])]),
        ...(missing === null ? {} : { inPlan: false }),
      };
    },
  },
  {
    code: 'caps-above-capacity',
    severity: 'warning',
    summary: 'Running campaigns with daily caps above the capacity of their workspace.',
    *compare(campaigns, { name, capacity }) {
      const capped = campaigns.filter(
        ({ spec }) => spec.status === 'running' && spec.settings?.max_emails_per_day !== undefined,
      );
      const caps = capped.map(({ spec }) => decodeCap(spec.settings?.max_emails_per_day));
      const volume = sumVolume(caps, capacity);
      const [first] = capped;
      if (first === undefined || !isOverCapacity(volume)) return;
      const amount = (at: number) => (caps[at] === 'unlimited' ? Number.POSITIVE_INFINITY : Number(caps[at]));
      const largest = capped.reduce(
        (best, campaign, at) => (amount(at) > amount(capped.indexOf(best)) ? campaign : best),
        first,
      );
      const flaw = {
        path: ['settings', 'max_emails_per_day'],
        message: `The campaigns with status: running may send ${capWords(volume)} a day in ${name}, more than its capacity of ${thousands(capacity ?? 0)}. This one has the largest cap.`,
        hint: 'Lower max_emails_per_day of some campaigns, or correct capacity in the project file.',
        // The plan checks this with live values.
        inPlan: false as const,
      };
      yield [largest, flaw];
    },
  },
];

function hasText(text: string | null | undefined): boolean {
  return typeof text === 'string' && text.trim() !== '';
}

const VALUES: Record<SettingType, JsonObject> = {
  integer: { type: ['integer', 'string'], minimum: 0, pattern: '^any$' },
  boolean: { enum: [true, false, 'any'] },
  text: { type: 'string', minLength: 1 },
};

export const requirePolicy: PolicyKind<'require'> = {
  key: 'require',
  schema: {
    description: 'What a manifest has to set, each with the value that it must have, or any.',
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
          property({ type: 'string', enum: ['any'] }, SECTION_CONTENTS[name], 'any'),
        ]),
      ),
      status: property(
        { type: 'string', enum: ['running', 'paused', 'any'] },
        SECTION_CONTENTS.status,
        'paused',
      ),
    },
  },
  *check(wanted, { spec }, { missing }) {
    for (const [key, value] of Object.entries(wanted)) {
      const path = key.split('.');
      const found = valueAt(spec as unknown as Json, path);
      const words = value === 'any' ? null : JSON.stringify(value);
      const hint = words === null ? `Write ${key}.` : `Set ${key} to ${words}.`;
      if (found === undefined) yield* missing(path, hint);
      const isEmpty = found === null || (typeof found === 'string' && found.trim() === '');
      if (found === undefined || (words === null ? !isEmpty : found === value)) continue;
      const is = isEmpty ? 'empty' : `${JSON.stringify(found)}, but must be ${words}`;
      yield { path, message: `${key} is ${is}.`, hint };
    }
  },
};

const NUMBERS = SETTINGS.filter((setting) => setting.type === 'integer');

const bounds = {
  title: 'Bounds',
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  properties: {
    min: property({ type: 'integer', minimum: 0 }, 'The smallest number allowed.', 10),
    max: property({ type: 'integer', minimum: 0 }, 'The largest number allowed.', 500),
  },
  examples: [{ max: 500 }, { min: 10, max: 500 }],
};

/** Bounds of numbers; `null` and missing values are ignored. */
export const rangePolicy: PolicyKind<'range'> = {
  key: 'range',
  schema: {
    description: 'Caps and floors of numbers.',
    examples: [{ 'settings.max_emails_per_day': { min: 10, max: 500 } }],
    properties: Object.fromEntries(
      NUMBERS.map(({ name, description }) => [`settings.${name}`, { ...bounds, description }]),
    ),
  },
  faults: (ranges) => Object.entries(ranges).flatMap(([key, range]) => reversed(range, ['range', key])),
  *check(ranges, { spec }, { missing }) {
    for (const { name } of NUMBERS) {
      const range = ranges[`settings.${name}`];
      if (range === undefined) continue;
      const path = ['settings', name];
      const hint = `Write ${inWords(range)}.`;
      const found = spec.settings?.[name];
      if (found === undefined) yield* missing(path, hint);
      const wrong = typeof found === 'number' ? breach(found, range) : 'which is not a limit';
      if (found !== undefined && wrong !== null)
        yield { path, message: `settings.${name} is ${found}, ${wrong}.`, hint };
    }
  },
};
