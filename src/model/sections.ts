import type { Json } from './json.js';

/** Sections in the order in which they are listed. `label`: for readers of plans. */
const TABLE = [
  { name: 'campaign', label: 'Campaign' },
  { name: 'settings', label: 'Settings' },
  { name: 'schedule', label: 'Schedule' },
  { name: 'sequence', label: 'Sequence' },
  { name: 'leads', label: 'Leads' },
  { name: 'status', label: 'Status' },
] as const;

export type SectionName = (typeof TABLE)[number]['name'];

export const SECTION_NAMES: readonly SectionName[] = TABLE.map(({ name }) => name);

export const OPTIONAL_SECTIONS = SECTION_NAMES.filter((name) => name !== 'campaign');

export const SECTION_LABELS = Object.fromEntries(TABLE.map(({ name, label }) => [name, label])) as Record<
  SectionName,
  string
>;

/** Kinds of requests in sending order. Apply reads a campaign back before its launch. */
export const STAGES = [
  'pause',
  'create',
  'settings',
  'schedule',
  'sequence',
  'variants',
  'leads',
  'launch',
] as const;

export type Stage = (typeof STAGES)[number];

/**
 * The only list of settings. To add one, add a row and run `npm run generate`. `default`: as documented.
 * `said`: the words for a value, which replaces `%`, and for false or `null`. `perEnvironment`: not compared between
 * environments. `mayBeHidden`: some services never show it. `words`: what people write instead of the name.
 */
export interface SettingDefinition {
  name: string;
  type: 'integer' | 'boolean' | 'text';
  default: Json;
  label: string;
  description: string;
  said: readonly [value: string, none: string];
  examples: readonly Json[];
  perEnvironment?: boolean;
  mayBeHidden?: boolean;
  words?: string;
}

export const SETTINGS = [
  {
    name: 'max_emails_per_day',
    words: 'daily_limit daily_cap cap limit max_emails max_per_day emails_per_day max_daily_emails',
    type: 'integer',
    default: 1000,
    label: 'Emails per day, at most',
    description: 'Maximum number of emails sent per day.',
    said: ['at most % emails a day', 'no daily cap'],
    examples: [200, 1000],
    perEnvironment: true,
  },
  {
    name: 'max_new_leads_per_day',
    words: 'new_leads_per_day max_new_leads max_leads_per_day max_leads',
    type: 'integer',
    default: 1000,
    label: 'Maximum new leads per day',
    description: 'Maximum number of new leads added per day. Should not exceed max_emails_per_day.',
    said: ['at most % new leads a day', 'any number of new leads a day'],
    examples: [100, 1000],
    perEnvironment: true,
  },
  {
    name: 'plain_text',
    words: 'plaintext text_only plain format email_format email_type content_type',
    type: 'boolean',
    default: false,
    label: 'Plain text',
    description: 'Email content is plain text. When false, bodies are HTML and paragraphs need <p> or <br>.',
    said: ['plain text', 'HTML'],
    examples: [true, false],
  },
  {
    name: 'open_tracking',
    words: 'track_opens track_open tracking opens',
    type: 'boolean',
    default: false,
    label: 'Open tracking',
    description: 'Track whether recipients open emails.',
    said: ['open tracking on', 'no open tracking'],
    examples: [true, false],
  },
  {
    name: 'reputation_building',
    words: 'reputation spam_protection warmup',
    type: 'boolean',
    default: false,
    label: 'Reputation building',
    description:
      'Spam protection. Some services never show it. Set it in the manifest; otherwise, a later change to another setting may reset it.',
    said: ['reputation building on', 'no reputation building'],
    examples: [true, false],
    mayBeHidden: true,
  },
  {
    name: 'can_unsubscribe',
    words: 'unsubscribe unsubscribe_link allow_unsubscribe',
    type: 'boolean',
    default: false,
    label: 'Unsubscribe link',
    description: 'Recipients can unsubscribe with a one-click link. Needs unsubscribe_text.',
    said: ['with an unsubscribe link', 'no unsubscribe link'],
    examples: [true, false],
  },
  {
    name: 'unsubscribe_text',
    words: 'unsubscribe_link_text unsubscribe_message',
    type: 'text',
    default: null,
    label: 'Text of the unsubscribe link',
    description: 'Text shown in the unsubscribe link. An empty string means the same as null.',
    said: ['unsubscribe text “%”', "the service's own unsubscribe text"],
    examples: ['Unsubscribe here', null],
  },
] as const satisfies readonly SettingDefinition[];

type SettingRow = (typeof SETTINGS)[number];
type SettingValues = { integer: number; boolean: boolean; text: string };

export type SettingName = SettingRow['name'];
export type SettingType = SettingRow['type'];

export type StoredSettings = { [R in SettingRow as R['name']]: SettingValues[R['type']] | null };

/** In canonical form: a `null` flag is false; an empty string is `null`. */
export type Settings = {
  [R in SettingRow as R['name']]: R['type'] extends 'boolean' ? boolean : SettingValues[R['type']] | null;
};

/** Settings that are shown, written or known. */
export type SomeSettings = Partial<Settings>;

export const SETTING_NAMES: readonly SettingName[] = SETTINGS.map(({ name }) => name);

export const TEXT_SETTINGS = SETTINGS.filter(
  (row): row is Extract<SettingRow, { type: 'text' }> => row.type === 'text',
).map(({ name }) => name);

/** `by`: the source of each of the two conflicting caps, unless it is the manifest. */
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

/** In display order. */
export const WEEKDAYS = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
] as const;

export type Weekday = (typeof WEEKDAYS)[number];

/** Editors show `patternErrorMessage` instead of the pattern. */
export const TIME = {
  type: 'string',
  pattern: '^([01][0-9]|2[0-3]):[0-5][0-9]$',
  patternErrorMessage: 'A time is HH:MM, 24 hours, with leading zeros: "09:00".',
};

/** The API's time zones, in the API's order; compared as text. */
export const TIMEZONES: readonly string[] = `
  Pacific/Kwajalein Pacific/Midway Pacific/Apia Pacific/Honolulu America/Anchorage America/Los_Angeles
  America/Tijuana America/Phoenix America/Denver America/Chihuahua America/Mazatlan America/Chicago
  America/Managua America/Mexico_City America/Monterrey America/Regina America/New_York
  America/Indiana/Indianapolis America/Bogota America/Lima America/Halifax America/Caracas America/La_Paz
  America/Santiago America/St_Johns America/Sao_Paulo America/Argentina/Buenos_Aires America/Godthab
  America/Noronha Atlantic/Azores Atlantic/Cape_Verde Africa/Casablanca Europe/London Europe/Lisbon
  Africa/Monrovia Europe/Amsterdam Europe/Belgrade Europe/Berlin Europe/Bratislava Europe/Brussels
  Europe/Budapest Europe/Copenhagen Europe/Ljubljana Europe/Madrid Europe/Paris Europe/Prague Europe/Rome
  Europe/Sarajevo Europe/Skopje Europe/Stockholm Europe/Vienna Europe/Warsaw Africa/Lagos Europe/Zagreb
  Europe/Athens Europe/Bucharest Africa/Cairo Africa/Harare Europe/Helsinki Europe/Istanbul Asia/Jerusalem
  Europe/Kiev Europe/Minsk Africa/Johannesburg Europe/Riga Europe/Sofia Europe/Tallinn Europe/Vilnius
  Asia/Baghdad Asia/Kuwait Europe/Moscow Africa/Nairobi Asia/Riyadh Europe/Volgograd Asia/Tehran Asia/Muscat
  Asia/Baku Asia/Tbilisi Asia/Yerevan Asia/Kabul Asia/Yekaterinburg Asia/Karachi Asia/Tashkent Asia/Kolkata
  Asia/Kathmandu Asia/Almaty Asia/Dhaka Asia/Novosibirsk Asia/Colombo Asia/Rangoon Asia/Bangkok Asia/Jakarta
  Asia/Krasnoyarsk Asia/Hong_Kong Asia/Chongqing Asia/Irkutsk Asia/Kuala_Lumpur Australia/Perth
  Asia/Singapore Asia/Taipei Asia/Urumqi Asia/Tokyo Asia/Seoul Asia/Yakutsk Australia/Adelaide
  Australia/Darwin Australia/Brisbane Australia/Sydney Pacific/Guam Australia/Hobart Australia/Melbourne
  Pacific/Port_Moresby Asia/Vladivostok Asia/Magadan Pacific/Auckland Pacific/Fiji Asia/Kamchatka
  Pacific/Tongatapu
`
  .trim()
  .split(/\s+/);
