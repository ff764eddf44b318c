/**
 * Answers without what is around them: the content in any envelope, what a refusal says, records with an id. What cannot
 * be read is an UnreadableAnswer, never taken for nothing.
 */
import type { ListedCampaign } from '../model/answer.js';
import { UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject, leadsIn } from '../model/json.js';
import type { Quote } from './mask.js';
import type { AnswerHeaders } from './wire.js';

/** A body that was read. `status` is 2xx or one of those asked for; `body` is null where it is empty or says so. */
export interface Reading {
  /** For messages, with its method. */
  endpoint: string;
  quote: Quote;
  status: number;
  headers: AnswerHeaders;
  body: Json;
  /** Bytes of the body as it came. */
  bytes: number;
}

export function unreadable(reading: Reading, field: string, seen: Json | undefined): UnreadableAnswer {
  const shown = seen === undefined ? 'nothing' : reading.quote(JSON.stringify(seen));
  return new UnreadableAnswer(reading.endpoint, field, shown);
}

/** What an answer can be about; `campaigns` and `templates` are lists. */
type ContentName = 'campaign' | 'schedule' | 'sequence' | 'campaigns' | 'templates';

const ENVELOPES = ['data', 'result', 'results', 'items'];

/**
 * `names` under which the content may sit, in the order in which they are believed. `is`: whether this is the content
 * itself, whatever fields it has.
 */
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

/**
 * Takes off every envelope around the content; what is no known envelope is left as it is. `layers`: the objects that were
 * taken off, outermost first.
 */
export function unwrap(body: Json, content: ContentName): { inner: Json; layers: JsonObject[] } {
  const { names, is } = CONTENTS[content];
  const layers: JsonObject[] = [];
  /** The first name that holds an object or a list, else the first that holds null; scalars are fields, not content. */
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

/** A campaign, with settings that stood beside it, or a schedule; null where the answer says that there is none. */
export function decodeRecord(reading: Reading, content: 'campaign' | 'schedule'): JsonObject | null {
  const { inner, layers } = unwrap(reading.body, content);
  const record = isNothing(inner) ? null : inner;
  if (record !== null && !isObject(record))
    throw unreadable(reading, `an object with the ${content} is missing`, inner);
  if (isAbsent(reading, CONTENTS[content].is(inner)) || record === null) return null;
  const settings = layers.map((layer) => layer.settings).find(isObject);
  const isBeside = content === 'campaign' && settings !== undefined && !Object.hasOwn(record, 'settings');
  return isBeside ? { ...record, settings } : record;
}

/** Steps, and the title beside them or in `sequence` beside them, null where it is not shown; null: there are none. */
export function decodeSequence(reading: Reading): { title: string | null; steps: JsonObject[] } | null {
  const { inner, layers } = unwrap(reading.body, 'sequence');
  const steps = CONTENTS.sequence.is(inner) ? [inner] : inner;
  const isFound = Array.isArray(steps) && steps.length > 0;
  if (isAbsent(reading, isFound) || isNothing(steps)) return null;
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

/** A refusal that got here says that there is nothing; beside content it would be a contradiction. */
function isAbsent(reading: Reading, isFound: boolean): boolean {
  const isRefused = findRefusal(reading.body) !== null;
  if (isRefused && isFound)
    throw unreadable(reading, 'it says success: false and shows content', reading.body);
  return isRefused;
}

/** A row of the list of campaigns. UnreadableAnswer without id and name: one missed is one made twice. */
export function decodeListed(reading: Reading, row: Json): ListedCampaign {
  const { inner } = unwrap(row, 'campaign');
  if (!isObject(inner)) throw unreadable(reading, 'a campaign in the list is not an object', row);
  const id = campaignId(inner);
  if (id === null)
    throw unreadable(reading, 'a campaign in the list has no usable id', inner.id ?? inner.campaign_id);
  const name = typeof inner.name === 'number' ? String(inner.name) : inner.name;
  if (typeof name !== 'string')
    throw unreadable(reading, `campaign ${id} in the list has no name`, inner.name);
  // An empty word is none.
  const status = typeof inner.status === 'string' && inner.status.trim() !== '' ? inner.status : null;
  const { updated_at } = inner;
  const stamp = typeof updated_at === 'string' || typeof updated_at === 'number' ? String(updated_at) : null;
  return { id, name, status, total_leads: leadsIn(inner), updated_at: stamp };
}

/**
 * The new campaign in the answer to a creation: the innermost record, in any envelope, or a bare id; null if there is
 * none. `name` is null where the answer does not show it.
 */
export function createdCampaign(body: Json): { id: number; name: string | null } | null {
  // An envelope may have an id of its own, which is not the campaign's.
  const inside = isObject(body) ? [body.data, body.result, body.campaign].find(isObject) : undefined;
  const found = inside === undefined ? null : createdCampaign(inside);
  if (found !== null) return found;
  const { inner, layers } = unwrap(body, 'campaign');
  const record = isObject(inner) ? inner : {};
  // `{"data": 53}` and `{"campaign": "53"}`.
  const around = isObject(inner) ? [inner] : layers;
  const bare = around.flatMap(({ campaign, data, result }) => [campaign, data, result]);
  const id = campaignId(record) ?? [inner, ...bare].map(readId).find((one) => one !== null) ?? null;
  return id === null ? null : { id, name: typeof record.name === 'string' ? record.name.trim() : null };
}

/** The id of a campaign record, under the name that tells most. */
export function campaignId(record: JsonObject): number | null {
  return readId(record.campaign_id) ?? readId(record.id);
}

/** A positive id as number or text of digits; null for everything else, and for what a number cannot hold exactly. */
export function readId(value: Json | undefined): number | null {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** Whether there is nothing in it: null, {} or []. */
export function isNothing(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

const NO = [false, 0, '0', 'false'];

/**
 * Finds `success: false` at the root, under `data` or under `result`, whatever the status is: what it says, empty where
 * it says nothing; null where there is no refusal.
 */
export function findRefusal(body: Json | undefined): string | null {
  const layers = layersOf(body);
  const isRefused = layers.some(({ success }) => NO.some((no) => no === success));
  return isRefused ? messageIn(layers) : null;
}

/**
 * Whether a refusal says that there is nothing, and not that something went wrong: "Schedule does not exist for
 * Error hunters" does, "Too many requests for No Limits" does not. Saying nothing at all counts as well.
 */
export function saysNothing(refusal: string): boolean {
  if (refusal === '') return true;
  // What is quoted or follows "for" is a campaign's name, so its words tell nothing.
  const said = refusal.replace(QUOTED, '').split(/\bfor\s|:/i)[0] ?? '';
  return NEGATION.test(said) && !TROUBLE.test(said);
}

const QUOTED = /"[^"]*"|“[^”]*”|«[^»]*»|`[^`]*`|(?<!\w)'[^']*'(?!\w)/g;
const NEGATION = /\b(?:no|not|none|nothing|never|without|missing|empty|yet|\w+n['’]t)\b/i;
const TROUBLE =
  /\brates?\b|limit|too many|throttl|permi|author|authent|forbid|denied|allow|access|token|credential|expired|session|error|fail|exception|\bagain|\blater|temporar|unavailable|not available|time[d -]*out|maintenance|server|service|busy|connect|database|internal|subscription|payment|suspend|invalid|unable|could not|cannot/i;

/**
 * What a refusing answer says: its message and the messages of its fields, `fallback` where it says nothing.
 * Shapes: `message`, `error`, `detail`, `errors: {field: [text]}`, each at the root or under `data`.
 */
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

/** The first text that one of the layers says; empty where none does. */
function messageIn(layers: readonly JsonObject[]): string {
  const said = layers.flatMap(({ message, error, detail }) => [
    message,
    isObject(error) ? error.message : error,
    detail,
  ]);
  return said.find((text): text is string => typeof text === 'string' && text.trim() !== '') ?? '';
}

function fieldMessages(errors: Json | undefined): { field: string; text: string }[] {
  if (typeof errors === 'string') return [{ field: '', text: errors }];
  if (typeof errors !== 'object' || errors === null) return [];
  const list = Array.isArray(errors);
  return Object.entries(errors).flatMap(([field, said]) =>
    (Array.isArray(said) ? said : [said])
      .map((one) => (isObject(one) ? one.message : one))
      .filter((text) => typeof text === 'string')
      .map((text) => ({ field: list ? '' : field, text })),
  );
}
