import { DEFAULT_SETTINGS, isRecord } from './store.js';

/** `body`: `undefined` if there was none. */
export interface Arrived {
  method: string;
  url: URL;
  authorization: string | undefined;
  contentType: string | undefined;
  body: unknown;
}

/** An endpoint of the API. `check` returns all faults of a body. */
export interface Endpoint {
  name: string;
  list: boolean;
  method: 'GET' | 'POST' | 'PATCH';
  pattern: RegExp;
  check(body: Record<string, unknown>): string[];
  body: boolean;
}

const integer = (value: unknown) => Number.isSafeInteger(value);
const boolean = (value: unknown) => typeof value === 'boolean';
const text = (value: unknown) => typeof value === 'string';
const filled = (value: unknown) => typeof value === 'string' && value.trim() !== '';
const time = (value: unknown) => typeof value === 'string' && /^([01]\d|2[0-3]):[0-5]\d$/.test(value);
const orNull = (test: (value: unknown) => boolean) => (value: unknown) => value === null || test(value);

type Fields = Record<string, { test(value: unknown): boolean; required: boolean }>;
const required = (test: (value: unknown) => boolean) => ({ test, required: true });
const optional = (test: (value: unknown) => boolean) => ({ test, required: false });

/** The allowed time zones, which must match exactly. */
const ZONES: ReadonlySet<string> = new Set(
  `
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
    .split(/\s+/),
);

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];

const SETTINGS: Fields = Object.fromEntries(
  Object.entries(DEFAULT_SETTINGS).map(([name, value]) => {
    const test = typeof value === 'number' ? integer : typeof value === 'boolean' ? boolean : text;
    return [name, optional(orNull(test))];
  }),
);

const SCHEDULE: Fields = {
  ...Object.fromEntries(DAYS.map((day) => [day, required(boolean)])),
  start_time: required(time),
  end_time: required(time),
  timezone: required((value) => typeof value === 'string' && ZONES.has(value)),
  save_as_template: required(boolean),
};

const SEQUENCE: Fields = {
  title: required(filled),
  sequence_steps: required((value) => Array.isArray(value) && value.length > 0),
};

const STEP: Fields = {
  title: required(filled),
  email_subject: required(filled),
  email_body: required(filled),
  wait_in_days: required((value) => Number.isSafeInteger(value) && Number(value) >= 1),
  variant: optional(orNull(boolean)),
  variant_from_step: optional(orNull(integer)),
  thread_reply: required(boolean),
  order: optional((value) => Number.isSafeInteger(value) && Number(value) >= 1),
};

function checkFields(body: Record<string, unknown>, fields: Fields, at = ''): string[] {
  const unknown = Object.keys(body).filter((name) => fields[name] === undefined);
  const wrong = Object.entries(fields).filter(([name, { test, required }]) =>
    body[name] === undefined ? required : !test(body[name]),
  );
  return [
    ...unknown.map((name) => `${at}${name} is not in the API`),
    ...wrong.map(([name]) => `${at}${name} is missing or wrong: ${JSON.stringify(body[name])}`),
  ];
}

function checkSequence(body: Record<string, unknown>): string[] {
  const steps = Array.isArray(body.sequence_steps) ? body.sequence_steps : [];
  const ofSteps = steps.flatMap((step: unknown, index) => {
    const at = `sequence_steps.${index}.`;
    if (!isRecord(step)) return [`${at.slice(0, -1)} is no object`];
    const parent = step.variant === true && !integer(step.variant_from_step);
    return [
      ...checkFields(step, STEP, at),
      ...(parent ? [`${at}variant_from_step is required for a variant`] : []),
    ];
  });
  return [...checkFields(body, SEQUENCE), ...ofSteps];
}

const id = '/api/campaigns/([1-9]\\d*)';
const read = (name: string, path: string, list = false): Endpoint => ({
  name,
  list,
  method: 'GET',
  pattern: new RegExp(`^${path}$`),
  body: false,
  check: () => [],
});
const write = (
  name: string,
  [method, path]: ['POST' | 'PATCH', string],
  check: Endpoint['check'] | null,
): Endpoint => ({
  name,
  list: false,
  method,
  pattern: new RegExp(`^${path}$`),
  body: check !== null,
  check: check ?? (() => []),
});
const only = (fields: Fields) => (body: Record<string, unknown>) => checkFields(body, fields);

/** All endpoints, in the order of the API document. */
const ENDPOINTS: readonly Endpoint[] = [
  write('create', ['POST', '/api/campaigns'], only({ name: required(filled) })),
  read('campaigns', '/api/campaigns', true),
  read('campaign', id),
  write('update', ['PATCH', `${id}/update`], only(SETTINGS)),
  read('templates', '/api/campaigns/schedule/templates', true),
  write(
    'schedule-from-template',
    ['POST', `${id}/create-schedule-from-template`],
    only({ schedule_id: required(integer) }),
  ),
  write('create-schedule', ['POST', `${id}/schedule`], only(SCHEDULE)),
  read('schedule', `${id}/schedule`),
  write('create-sequence', ['POST', `${id}/sequence-steps`], checkSequence),
  read('sequence', `${id}/sequence-steps`),
  write('attach-list', ['POST', `${id}/leads/attach-lead-list`], only({ lead_list_id: required(integer) })),
  write(
    'attach-leads',
    ['POST', `${id}/leads/attach-leads`],
    only({ lead_ids: required((value) => Array.isArray(value) && value.length > 0 && value.every(integer)) }),
  ),
  write('resume', ['PATCH', `${id}/resume`], null),
  write('pause', ['PATCH', `${id}/pause`], null),
];

const QUERIES = ['page', 'per_page', 'cursor'];

/** Returns the request's endpoint, and everything in the request that the API document does not allow. */
export function judge(arrived: Arrived): { endpoint: Endpoint | null; id: number; violations: string[] } {
  const { method, url, body, contentType } = arrived;
  const { pathname: path, searchParams: query } = url;
  const endpoint = ENDPOINTS.find((each) => each.method === method && each.pattern.test(path)) ?? null;
  if (endpoint === null) return { endpoint, id: 0, violations: ['no such endpoint'] };
  const id = Number(endpoint.pattern.exec(path)?.[1] ?? 0);
  const queries = [...query.keys()].filter((name) => !endpoint.list || !QUERIES.includes(name));
  const violations = queries.map((name) => `query ${name} is not in the API`);
  if (!endpoint.body && body !== undefined) violations.push('a body where none is taken');
  if (!endpoint.body) return { endpoint, id, violations };
  if (contentType !== 'application/json') violations.push(`content type ${contentType}`);
  if (!isRecord(body)) return { endpoint, id, violations: [...violations, 'the body is no object'] };
  return { endpoint, id, violations: [...violations, ...endpoint.check(body)] };
}
