import { isObject, type Json } from '../model/json.js';
import { SETTINGS, type SettingDefinition, WEEKDAYS } from '../model/sections.js';
import { asYaml } from './as-yaml.js';
import { zoneMeant } from './zones.js';

/** Other words for keys, as people and other tools write them. They count only where the key is known. */
const KEYS: { readonly [key: string]: string } = {
  ...Object.fromEntries(SETTINGS.map(({ name, words = '' }: SettingDefinition) => [name, words])),
  name: 'campaign campaign_name title',
  settings: 'setting options config',
  schedule: 'schedules sending_schedule sending_window',
  sequence: 'sequences emails',
  leads: 'lead contacts recipients audience',
  status: 'state enabled active launch',
  replaces: 'replace successor_of supersedes',
  for_each: 'foreach each matrix',
  environments: 'environment env envs overlays',
  waive: 'waivers waives',
  days: 'day weekdays week_days send_days sending_days days_of_week',
  start_time: 'start start_hour from starts starts_at start_at begin',
  end_time: 'end end_hour to until ends ends_at end_at stop',
  timezone: 'time_zone tz zone',
  template: 'schedule_template template_id',
  steps: 'step emails messages',
  title: 'name',
  email_subject: 'subject subject_line title',
  email_body: 'body text html content message email copy',
  email_body_file: 'body_file file html_file',
  wait_in_days:
    'send_after send_in send_after_days wait delay delay_in_days delay_days wait_days days interval wait_time after day send_day on_day',
  thread_reply: 'reply in_thread same_thread thread reply_to_thread is_reply',
  variants: 'variant variations ab_test alternatives',
  lists: 'list lead_lists lead_list lead_list_ids',
  ids: 'id lead_ids leads',
  ids_file: 'file csv leads_file lead_ids_file ids_csv',
  file: 'path name',
  with: 'values params parameters variables vars',
  version: 'v api_version',
  manifests: 'manifest files campaigns',
  base_url: 'url baseurl api_url host endpoint address server',
  token_env: 'token token_variable token_var token_name api_key api_token',
  default_environment: 'default_env default',
  custom_variables: 'variables vars custom_vars',
  lead_lists: 'lists leads',
  schedule_templates: 'templates schedules',
  require_applied: 'requires promote_from requires_applied',
  insecure_http: 'insecure allow_http',
  requests_per_minute: 'rate_limit rpm requests',
  parallelism: 'concurrency parallel workers',
  limits: 'limit rate_limits',
};

/** `Max-Emails-Per-Day`, `maxEmailsPerDay` and `max emails per day` → `max_emails_per_day`. */
function snakeCase(key: string): string {
  return key
    .trim()
    .replaceAll(/([a-z\d])([A-Z])/g, '$1_$2')
    .replaceAll(/[\s-]+/g, '_')
    .toLowerCase();
}

/** The known key that another spelling or word stands for; `null` if there is none. */
export function keyMeant(key: string, known: readonly string[]): string | null {
  const word = snakeCase(key);
  if (known.includes(word)) return word;
  if (WEEKDAYS.some((day) => day === word) && known.includes('days')) return 'days';
  return known.find((name) => KEYS[name]?.split(' ').includes(word)) ?? null;
}

/** All keys that a word can stand for, wherever they belong. */
export function keysMeant(key: string): string[] {
  const word = snakeCase(key);
  const others = Object.keys(KEYS).filter((name) => KEYS[name]?.split(' ').includes(word));
  return [word, ...others];
}

/** Other words for values, by key. */
const VALUES: { readonly [key: string]: { readonly [value: string]: string } } = {
  status: {
    running:
      'active activated run live start started launch launched enabled on true yes resumed sending scheduled',
    paused: 'pause stop stopped inactive draft off false no disabled halted',
  },
  on_removal: { pause: 'paused stop', warn: 'warning ignore keep' },
  backend: { file: 'local folder disk filesystem', git: 'branch remote github gitlab' },
};

const PLAIN_TEXT = new Map([
  ...['plain', 'text', 'txt', 'plain text', 'plain_text', 'text/plain'].map((word) => [word, true] as const),
  ...['html', 'rich', 'rich text', 'text/html'].map((word) => [word, false] as const),
]);

const SWITCHES = new Map([
  ...['yes', 'on', 'y', 'true', 'enabled', '1'].map((word) => [word, true] as const),
  ...['no', 'off', 'n', 'false', 'disabled', '0'].map((word) => [word, false] as const),
]);

/** `no` and `Off`, which are texts in YAML 1.2 → false; `undefined` if the text is no such word. */
export function switchMeant(text: string): boolean | undefined {
  return SWITCHES.get(text.trim().toLowerCase());
}

/** Longer values are none of these, and matching them could take long. */
const MAX_WORD = 300;

/** The value that was meant; `undefined` if that is not known. `key`: the key of the value or of its list. */
export function valueMeant(key: string, value: Json): Json | undefined {
  const word = String(typeof value === 'object' ? JSON.stringify(value) : value)
    .trim()
    .toLowerCase();
  if (word.length > MAX_WORD) return undefined;
  if (key === 'days') return daysMeant(value);
  if (key.endsWith('_time')) return wordForTime(key, word) ?? timeMeant(value);
  if (key === 'timezone') return zoneMeant(offsetIn(value)) ?? undefined;
  if (key === 'plain_text') return PLAIN_TEXT.get(word);
  const [meant] =
    Object.entries(VALUES[key] ?? {}).find(([name, words]) => [name, ...words.split(' ')].includes(word)) ??
    [];
  return meant;
}

/** YAML reads the offset +1 as a number. */
export function offsetIn(value: Json): string {
  if (typeof value === 'number') return value < 0 ? String(value) : `+${value}`;
  return typeof value === 'string' ? value : '';
}

/** `Mon`, `mon-fri`, `weekdays`, `Montag bis Freitag`, 1 or `{ monday: true }` → the days; `undefined` if any part is no day. */
function daysMeant(value: Json): Json | undefined {
  if (isObject(value)) return daysMeant(Object.keys(value).filter((day) => value[day] !== false));
  const parts = (Array.isArray(value) ? value : [value]).flatMap((part) =>
    withoutMarks(String(part))
      .replaceAll('-feira', '')
      .replaceAll(/\b(?:every|each|all) ?days?\b/g, 'daily')
      .replaceAll(/\b(?:business|work|working|week)[ -]days?\b/g, 'weekdays')
      .replaceAll(/\s*(?:-|–|\.\.)\s*|\s+(?:to|through|thru|until|bis|a|al|au|tot|ate)\s+/g, '-')
      .split(/\s+(?:and|und|et|y|e|en)\s+|[\s,;/&+]+/)
      .filter((word) => word !== ''),
  );
  const days = parts.map(daysIn);
  const all = new Set(days.flat());
  return days.length > 0 && days.every((some) => some.length > 0)
    ? WEEKDAYS.filter((day) => all.has(day))
    : undefined;
}

function daysIn(part: string): readonly string[] {
  const word = part.replace(/\.$/, '');
  if (/^(?:weekdays?|workdays?|business|working-days?)$/.test(word)) return WEEKDAYS.slice(0, 5);
  if (/^weekends?$/.test(word)) return WEEKDAYS.slice(5);
  if (/^(?:daily|everyday|every|all|always|\*)$/.test(word)) return WEEKDAYS;
  const [first = -1, last = first] = word.split('-').map(dayIndex);
  if (first < 0 || last < 0) return [];
  if (first <= last) return WEEKDAYS.slice(first, last + 1);
  return [...WEEKDAYS.slice(first), ...WEEKDAYS.slice(0, last + 1)];
}

/** Of German, French, Spanish, Italian, Dutch and Portuguese, from Monday on. */
const DAYS_ELSEWHERE = [
  'montag lundi lunes lunedi maandag segunda',
  'dienstag mardi martes martedi dinsdag terca',
  'mittwoch mercredi miercoles mercoledi woensdag quarta',
  'donnerstag jeudi jueves giovedi donderdag quinta',
  'freitag vendredi viernes venerdi vrijdag sexta',
  'samstag samedi sabado sabato zaterdag',
  'sonntag dimanche domingo domenica zondag',
].map((names) => names.split(' '));

/** 1 is Monday. `Mo`, `Tues` and `mondays` are the beginnings of days, apart from an s. Those of other languages need three letters. */
function dayIndex(word: string): number {
  if (/^[0-7]$/.test(word)) return (Number(word) + 6) % 7;
  const start = word.replace(/s$/, '');
  if (start.length < 2) return -1;
  const index = WEEKDAYS.findIndex((day) => day.startsWith(start));
  if (index >= 0 || start.length < 3) return index;
  return DAYS_ELSEWHERE.findIndex((names) => names.some((name) => name.startsWith(start)));
}

function withoutMarks(text: string): string {
  return text.toLowerCase().normalize('NFD').replaceAll(/\p{M}/gu, '');
}

function wordForTime(key: string, word: string): string | undefined {
  if (/^(?:12 ?)?(?:noon|midday)$/.test(word)) return '12:00';
  if (!/^(?:12 ?)?midnight$/.test(word)) return undefined;
  return key === 'end_time' ? '23:59' : '00:00';
}

/** `9-17`, `9am to 5pm` or `[9, 17]` → the lines of both times; `null` if it is not that. */
export function hoursMeant(value: Json): string | null {
  if (String(value).length > MAX_WORD) return null;
  const parts = Array.isArray(value)
    ? value
    : String(value).split(/\s*(?:-|–|\.\.)\s*|\s+(?:to|until|till|bis)\s+/i);
  const [start, end] = [valueMeant('start_time', parts[0] ?? null), valueMeant('end_time', parts[1] ?? null)];
  if (parts.length !== 2 || typeof start !== 'string' || typeof end !== 'string') return null;
  return `\`start_time: ${asYaml(start)}\` and \`end_time: ${asYaml(end)}\``;
}

/** `9:00`, `9am`, `9`, `0900` and `09:00:00` → `09:00`. YAML reads 9.30 as 9.3; 9.5 is half past nine. */
function timeMeant(value: Json): string | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined;
  const text = String(value)
    .trim()
    .toLowerCase()
    .replace(/^(\d{1,2})\.5$/, '$1.30')
    .replace(/^(\d{1,2})\.(\d)$/, '$1.$20');
  const [, hour, short, long, half] =
    /^(\d{1,2})(?:[:.h]?(\d{2})(?!:)|:(\d{2}):\d{2})?(?:\s*h| uhr| o'clock)?\s*([ap])?\.?(?:m\.?)?$/.exec(
      text,
    ) ?? [];
  if (hour === undefined) return undefined;
  const minute = short ?? long ?? '00';
  const hours = (Number(hour) % (half === undefined ? 100 : 12)) + (half === 'p' ? 12 : 0);
  if (hours === 24 && minute === '00') return '23:59';
  return hours < 24 && Number(minute) < 60 ? `${String(hours).padStart(2, '0')}:${minute}` : undefined;
}

/** `1,000`, `"200"`, `200 a day`, `3 days` and `1 semaine` → the number; `undefined` if there is none. */
export function numberMeant(key: string, value: Json): number | undefined {
  if (typeof value !== 'string' || value.length > MAX_WORD) return undefined;
  const [, digits = '', unit = ''] =
    /^\s*([-+]?\d{1,3}(?:[ _.,'\u00a0\u202f]\d{3})+|[-+]?\d+)\s*(.*?)\s*$/.exec(value) ?? [];
  if (digits === '') return undefined;
  const number = Number(digits.replaceAll(/[^\d-]/g, ''));
  if (!Number.isSafeInteger(number)) return undefined;
  if (key === 'wait_in_days') return waitMeant(number, withoutMarks(unit));
  if (/^k$/i.test(unit)) return number * 1000;
  return /^(?:$|[a-z/ ]+$)/i.test(unit) ? number : undefined;
}

/** Units in English, French, German, Spanish, Italian, Dutch and Portuguese. */
const DAYS = /^(?:|d|days?|jours?|j|tag(?:e|en)?|dias?|giorn[oi]|dag(?:en)?)$/;
const WEEKS = /^(?:w|weeks?|semaines?|wochen?|semanas?|settiman[ae]|week|weken)$/;
const HOURS = /^(?:h|hours?|heures?|stunden?|horas?|or[ae]|uur|uren)$/;

function waitMeant(number: number, unit: string): number | undefined {
  if (DAYS.test(unit)) return number;
  if (WEEKS.test(unit)) return number * 7;
  return HOURS.test(unit) && number % 24 === 0 ? number / 24 : undefined;
}

/** `$NAME`, `${NAME}`, `${{ env.NAME }}` and `%NAME%` → NAME; `null` if the text refers to no environment variable. */
export function environmentVariableIn(text: string): string | null {
  const [, name = null] =
    /^(?:\$|%|\$\{|\$\{\{\s*(?:(?:env|secrets|vars)\.)?)([A-Z_][A-Z\d_]{0,63})(?:\s*\}\}|\}|%)?$/.exec(
      text.trim(),
    ) ?? [];
  return name;
}
