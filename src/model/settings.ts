import type { Json } from './json.js';

/**
 * The table of campaign settings: the only place that lists them. Schemas, types, validators, canonical form, update body, import,
 * policies, views and the sandbox read it. To add a setting, add a row and run `npm run generate`.
 *
 * The order is that of every list of settings. `default` is what the API documents for a setting that was never sent; `label` is
 * for readers who do not see the name. `perEnvironment`: it is what environments are for, so a comparison of two does not call it a
 * difference in content. `mayBeHidden`: some services never show it.
 */
export interface SettingDefinition {
  name: string;
  type: 'integer' | 'boolean' | 'text';
  nullable: boolean;
  default: Json;
  label: string;
  description: string;
  examples: readonly Json[];
  perEnvironment?: boolean;
  mayBeHidden?: boolean;
}

export const SETTINGS = [
  {
    name: 'max_emails_per_day',
    type: 'integer',
    nullable: true,
    default: 1000,
    label: 'Emails a day, at most',
    description: 'Maximum number of emails sent per day.',
    examples: [200, 1000],
    perEnvironment: true,
  },
  {
    name: 'max_new_leads_per_day',
    type: 'integer',
    nullable: true,
    default: 1000,
    label: 'New leads a day, at most',
    description: 'Maximum number of new leads added per day. Should not exceed max_emails_per_day.',
    examples: [100, 1000],
    perEnvironment: true,
  },
  {
    name: 'plain_text',
    type: 'boolean',
    nullable: true,
    default: false,
    label: 'Plain text',
    description: 'Email content is plain text. When false, bodies are HTML and paragraphs need <p> or <br>.',
    examples: [true, false],
  },
  {
    name: 'open_tracking',
    type: 'boolean',
    nullable: true,
    default: false,
    label: 'Open tracking',
    description: 'Open tracking enabled.',
    examples: [true, false],
  },
  {
    name: 'reputation_building',
    type: 'boolean',
    nullable: true,
    default: false,
    label: 'Reputation building',
    description:
      'Spam protection. Some services never show it: write it down, or a later change of another setting would reset it.',
    examples: [true, false],
    mayBeHidden: true,
  },
  {
    name: 'can_unsubscribe',
    type: 'boolean',
    nullable: true,
    default: false,
    label: 'Unsubscribe link',
    description: 'Recipients can unsubscribe with a one-click link. Goes with unsubscribe_text.',
    examples: [true, false],
  },
  {
    name: 'unsubscribe_text',
    type: 'text',
    nullable: true,
    default: null,
    label: 'Text of the unsubscribe link',
    description: 'Text shown in the unsubscribe link. An empty text is the same as null.',
    examples: ['Unsubscribe here', null],
  },
] as const satisfies readonly SettingDefinition[];

type SettingRow = (typeof SETTINGS)[number];
type SettingValues = { integer: number; boolean: boolean; text: string };

export type SettingName = SettingRow['name'];
export type SettingType = SettingRow['type'];

/** All settings as a service stores them. */
export type StoredSettings = { [R in SettingRow as R['name']]: SettingValues[R['type']] | null };

/** All settings in their canonical form: a null boolean is false, an empty text is null. */
export type Settings = {
  [R in SettingRow as R['name']]: R['type'] extends 'boolean' ? boolean : SettingValues[R['type']] | null;
};

export const SETTING_NAMES: readonly SettingName[] = SETTINGS.map(({ name }) => name);

/** The settings that recipients read, as they are written. */
export const TEXT_SETTINGS = SETTINGS.filter(
  (row): row is Extract<SettingRow, { type: 'text' }> => row.type === 'text',
).map(({ name }) => name);

/** What speaks against these two caps; `by`: where each has its value from, where that is not the manifest. */
export function newLeadsAboveEmails(
  { leads, emails }: { leads: number; emails: number },
  by: [string, string],
) {
  return {
    message: `max_new_leads_per_day is ${leads}${by[0]}, more than max_emails_per_day, ${emails}${by[1]}. Each new lead needs an email, and some services refuse such settings.`,
    hint: `Write max_new_leads_per_day: ${emails} or less, or raise max_emails_per_day.`,
  };
}

export const DEFAULT_SETTINGS = Object.fromEntries(
  SETTINGS.map((setting) => [setting.name, setting.default]),
) as Settings;
