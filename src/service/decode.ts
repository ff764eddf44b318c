/** Throws an UnreadableAnswer for an unreadable response, which is never treated as empty. */
import type { ListedCampaign, ListedNumbers } from '../model/answer.js';
import { UnreadableAnswer } from '../model/failure.js';
import { countIn, isObject, type Json, type JsonObject, leadsIn, objectAt } from '../model/json.js';
import { WEEKDAYS } from '../model/sections.js';
import { decodeCap } from '../model/volume.js';
import type { Connection } from './connection.js';
import type { Quote } from './mask.js';
import type { AnswerHeaders } from './wire.js';

/** `status` is 2xx or one that the caller accepts; `body` is `null` if the response has no body. */
export interface Received {
  endpoint: string;
  /** Method and full URL. */
  url: string;
  connection: Connection;
  quote: Quote;
  status: number;
  headers: AnswerHeaders;
  body: Json;
  /** The first field of content that contains the token; `null` if none does. */
  leak: string | null;
  bytes: number;
}

export function unreadable(reading: Received, field: string, seen: Json | undefined): UnreadableAnswer {
  return new UnreadableAnswer(reading.url, field, shownIn(reading, seen), reading.connection.sentence);
}

/** For JSON that is no list at all, which another program at a wrong address may send. */
export function otherJson(reading: Received, field: string, seen: Json): UnreadableAnswer {
  const hint =
    'Another program may answer at this address: check base_url. campaignctl does not treat an unreadable response as empty.';
  const { url, connection } = reading;
  return new UnreadableAnswer(url, field, shownIn(reading, seen), connection.sentence, hint);
}

function shownIn({ bytes, quote }: Received, seen: Json | undefined): string {
  if (bytes === 0) return 'an empty body';
  return seen === undefined ? 'nothing' : quote(JSON.stringify(seen));
}

type ContentName = 'campaign' | 'schedule' | 'sequence' | 'campaigns' | 'templates';

const ENVELOPES = ['data', 'result', 'results', 'items'];

/** `names`: envelope keys, in order of preference. `is` recognises the content itself. */
const CONTENTS: Record<ContentName, { names: readonly string[]; is(value: Json): boolean }> = {
  campaign: {
    names: ['campaign', 'campaigns', ...ENVELOPES],
    is: (value) => isObject(value) && campaignId(value) !== null,
  },
  schedule: {
    names: ['schedule', 'campaign_schedule', ...ENVELOPES, 'campaign'],
    is: (value) => isObject(value) && Object.hasOwn(value, 'monday'),
  },
  sequence: {
    names: ['sequence_steps', 'steps', 'sequence', 'campaign_sequence', ...ENVELOPES, 'campaign'],
    is: (value) => isObject(value) && Object.hasOwn(value, 'email_subject'),
  },
  campaigns: { names: ['campaigns', ...ENVELOPES], is: Array.isArray },
  templates: {
    names: ['templates', 'schedule_templates', 'schedules', ...ENVELOPES],
    is: (value) => Array.isArray(value) || (isObject(value) && Object.hasOwn(value, 'monday')),
  },
};

/** Removes every known envelope. `layers`: the removed objects, outermost first. */
export function unwrap(body: Json, content: ContentName): { inner: Json; layers: JsonObject[] } {
  const { names, is } = CONTENTS[content];
  const layers: JsonObject[] = [];
  /** The first name whose value is an object or a list; otherwise, the first whose value is null. */
  const wrapper = (value: JsonObject) => {
    const present = names.filter((name) => Object.hasOwn(value, name) && typeof value[name] === 'object');
    return present.find((name) => value[name] !== null) ?? present[0];
  };
  let inner = body;
  while (!is(inner)) {
    const only: Json | undefined = Array.isArray(inner) && inner.length === 1 ? inner[0] : undefined;
    if (isObject(only) && (is(only) ? content !== 'sequence' : wrapper(only) !== undefined)) {
      inner = only;
      continue;
    }
    const name = isObject(inner) ? wrapper(inner) : undefined;
    if (!isObject(inner) || name === undefined) break;
    layers.push(inner);
    inner = inner[name] ?? null;
  }
  return { inner, layers };
}

/** Returns `null` if the response says that none exists. */
export function decodeRecord(reading: Received, content: 'campaign' | 'schedule'): JsonObject | null {
  const { inner, layers } = unwrap(reading.body, content);
  const isNone = isNothing(inner) || (content === 'schedule' && isNoSchedule(reading.body, inner));
  const record = isNone ? null : inner;
  if (record !== null && !isObject(record))
    throw unreadable(reading, `an object with the ${content} is missing`, inner);
  if (isAbsent(reading, CONTENTS[content].is(inner)) || record === null) return null;
  const settings = layers.map((layer) => layer.settings).find(isObject);
  const isBeside = content === 'campaign' && settings !== undefined && !Object.hasOwn(record, 'settings');
  return isBeside ? { ...record, settings } : record;
}

/** `title` comes from the envelope. Returns `null` if there are no steps. */
export function decodeSequence(reading: Received): { title: string | null; steps: JsonObject[] } | null {
  const { inner, layers } = unwrap(reading.body, 'sequence');
  const steps = CONTENTS.sequence.is(inner) ? [inner] : inner;
  const isFound = Array.isArray(steps) && steps.length > 0;
  if (isAbsent(reading, isFound) || isNothing(steps)) return null;
  if (!isFound && isMessageOfNothing(reading.body)) return null;
  if (!Array.isArray(steps)) throw unreadable(reading, 'a list of sequence steps is missing', inner);
  const titles = layers.flatMap(({ sequence, title }) => [isObject(sequence) ? sequence.title : null, title]);
  return {
    title: titles.find((title) => typeof title === 'string') ?? null,
    steps: steps.map((step) => {
      if (!isObject(step)) throw unreadable(reading, 'a sequence step is not an object', step);
      return step;
    }),
  };
}

/** True if the response is a refusal, which means that nothing exists. Throws if it also has content. */
function isAbsent(reading: Received, isFound: boolean): boolean {
  const isRefused = findRefusal(reading.body) !== null;
  if (isRefused && isFound) throw unreadable(reading, 'it has both success: false and content', reading.body);
  return isRefused;
}

/** True for a message, and for a schedule whose fields are all null. */
function isNoSchedule(body: Json, inner: Json): boolean {
  const isEmpty = isObject(inner) && [...WEEKDAYS, 'start_time'].every((name) => inner[name] === null);
  return isEmpty || isMessageOfNothing(body);
}

const MESSAGE_FIELDS = ['message', 'error', 'detail', 'status', 'code', 'data', 'result'];

/** True for a body that contains only a message, which says that nothing exists: "No schedule." */
function isMessageOfNothing(body: Json): boolean {
  const layers = layersOf(body);
  const message = messageIn(layers);
  const fields = layers.flatMap((layer) => Object.keys(layer));
  return message !== '' && saysNothing(message) && fields.every((name) => MESSAGE_FIELDS.includes(name));
}

export function decodeListed(reading: Received, row: Json): ListedCampaign {
  const { inner } = unwrap(row, 'campaign');
  if (!isObject(inner)) throw unreadable(reading, 'a campaign in the list is not an object', row);
  const id = campaignId(inner);
  if (id === null)
    throw unreadable(reading, 'a campaign in the list has no usable id', inner.id ?? inner.campaign_id);
  const name = typeof inner.name === 'number' ? String(inner.name) : inner.name;
  if (typeof name !== 'string')
    throw unreadable(reading, `campaign ${id} in the list has no name`, inner.name);
  const status = typeof inner.status === 'string' && inner.status.trim() !== '' ? inner.status : null;
  const total_leads = leadsIn(inner);
  const { updated_at } = inner;
  const stamp = typeof updated_at === 'string' || typeof updated_at === 'number' ? String(updated_at) : null;
  return {
    id,
    name: name.normalize('NFC'),
    status,
    total_leads,
    updated_at: stamp,
    ...numbersIn({ ...inner, ...objectAt(inner, 'settings') }),
    ...(typeof inner.type === 'string' && inner.type.toLowerCase() !== 'outbound'
      ? { type: inner.type }
      : {}),
    ...(status !== null && total_leads !== null && reading.leak === null ? { record: inner } : {}),
  };
}

/** As in the record, `settings` has precedence over top-level fields. */
function numbersIn(row: JsonObject): { numbers?: ListedNumbers } {
  const results = {
    sent: countIn(row, 'emails_sent'),
    replies: countIn(row, 'unique_replies'),
    bounced: countIn(row, 'bounced'),
    leads: leadsIn(row),
    leads_contacted: countIn(row, 'total_leads_contacted'),
  };
  const limit = row.max_emails_per_day;
  const cap = decodeCap(limit === null ? null : (countIn(row, 'max_emails_per_day') ?? undefined));
  const isShown = cap !== null || Object.values(results).some((value) => value !== null);
  return isShown ? { numbers: { results, cap } } : {};
}

/** The new campaign in the response to a create request: the innermost record or a bare id. */
export function createdCampaign(body: Json): { id: number; name: string | null } | null {
  // The envelope's own id is not the campaign's id.
  const inside = isObject(body) ? [body.data, body.result, body.campaign].find(isObject) : undefined;
  const created = inside === undefined ? null : createdCampaign(inside);
  if (created !== null) return created;
  const { inner, layers } = unwrap(body, 'campaign');
  const record = isObject(inner) ? inner : {};
  // Finds bare ids, as in `{"data": 53}` and `{"campaign": "53"}`.
  const around = isObject(inner) ? [inner] : layers;
  const bare = around.flatMap(({ campaign, data, result }) => [campaign, data, result]);
  const id = campaignId(record) ?? [inner, ...bare].map(readId).find((bareId) => bareId !== null) ?? null;
  return id === null
    ? null
    : { id, name: typeof record.name === 'string' ? record.name.normalize('NFC').trim() : null };
}

export function campaignId(record: JsonObject): number | null {
  return readId(record.campaign_id) ?? readId(record.campaignId) ?? readId(record.id);
}

/** Accepts a positive safe integer, as a number or digits. */
export function readId(value: Json | undefined): number | null {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

export function isNothing(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

const NO = [false, 0, '0', 'false'];

/** The message (possibly empty) of a response with `success: false`, whatever its status; `null` if there is no refusal. */
export function findRefusal(body: Json | undefined): string | null {
  const layers = layersOf(body);
  const isRefused = layers.some(({ success }) => NO.some((no) => no === success));
  return isRefused ? messageIn(layers) : null;
}

/**
 * The message of an error in a response with status 200 and without `success: false`: `{"error": …}`, `{"errors": …}` or
 * `{"status": "error"}`; `null` if there is none. Records may have these fields, too, so layers with an id do not count.
 */
export function findError(body: Json | undefined): string | null {
  const isFilled = (value: Json = null) => Boolean(value) && !isNothing(value);
  const isError = layersOf(body).some(
    (layer) =>
      campaignId(layer) === null &&
      (layer.status === 'error' || isFilled(layer.error) || isFilled(layer.errors)),
  );
  return isError ? refusalMessage(body, 'an error without a message') : null;
}

/** "Schedule does not exist for Error hunters" means that none exists; "Too many requests for No Limits" does not. */
export function saysNothing(refusal: string): boolean {
  if (refusal === '') return true;
  // Quoted words, and words after "for", are the name of a campaign.
  const text = refusal.replace(QUOTED, '').split(/\bfor\s|:/i)[0] ?? '';
  return NEGATION.test(text) && !TROUBLE.test(text);
}

const QUOTED = /"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g;
const NEGATION = /\b(?:no|not|none|nothing|never|without|missing|empty|yet|\w+n['’]t)\b/i;
const TROUBLE =
  /\brates?\b|limit|too many|throttl|permi|author|authent|forbid|denied|allow|access|token|credential|expired|session|error|fail|exception|\bagain|\blater|temporar|unavailable|not available|time[d -]*out|maintenance|server|service|busy|connect|database|internal|subscription|payment|suspend|invalid|unable|could not|cannot/i;

export function refusalMessage(body: Json | undefined, fallback: string): string {
  const layers = layersOf(body);
  const message = messageIn(layers);
  const fields = layers.flatMap(({ errors }) => fieldMessages(errors));
  const more = fields.filter(({ text }) => !message.includes(text));
  const parts = [message, ...more.map(({ field, text }) => (field === '' ? text : `${field}: ${text}`))];
  return parts.filter((part) => part !== '').join('; ') || fallback;
}

function layersOf(body: Json | undefined): JsonObject[] {
  return isObject(body) ? [body, ...layersOf(body.data), ...layersOf(body.result)] : [];
}

function messageIn(layers: readonly JsonObject[]): string {
  const texts = layers.flatMap(({ message, error, detail }) => [
    message,
    isObject(error) ? error.message : error,
    detail,
  ]);
  return texts.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? '';
}

function fieldMessages(errors: Json | undefined): { field: string; text: string }[] {
  if (typeof errors === 'string') return [{ field: '', text: errors }];
  if (typeof errors !== 'object' || errors === null) return [];
  const list = Array.isArray(errors);
  return Object.entries(errors).flatMap(([field, messages]) =>
    (Array.isArray(messages) ? messages : [messages])
      .map((message) => (isObject(message) ? message.message : message))
      .filter((text) => typeof text === 'string')
      .map((text) => ({ field: list ? '' : field, text })),
  );
}
