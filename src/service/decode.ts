/**
 * Answers without what is around them: the content in any envelope, what a refusal says, records with an id. What cannot
 * be read is an UnreadableAnswer, never taken for nothing.
 */
import type { ListedCampaign } from '../model/answer.js';
import { UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import type { Quote } from './mask.js';

/** What messages about an answer need. */
export interface Origin {
  endpoint: string;
  quote: Quote;
}

/** A sequence as its section reads it; `title` is null where the service does not show it. */
export type Sequence = { title: string | null; steps: JsonObject[] };

/** The campaign as object, with settings that stood beside it; null where the answer says that there is none. */
export function decodeCampaign(body: Json, origin: Origin): JsonObject | null {
  const { inner, layers } = unwrap(body, 'campaign');
  const record = decodeObject(inner, 'the campaign', origin);
  const found = record !== null && campaignId(record) !== null;
  if (isAbsent(body, found, origin) || record === null) return null;
  const settings = layers.map((layer) => layer.settings).find(isObject);
  return settings === undefined || Object.hasOwn(record, 'settings') ? record : { ...record, settings };
}

/** The schedule as object; null where the answer says that there is none. */
export function decodeSchedule(body: Json, origin: Origin): JsonObject | null {
  const record = decodeObject(unwrap(body, 'schedule').inner, 'the schedule', origin);
  const found = record !== null && Object.hasOwn(record, 'monday');
  return isAbsent(body, found, origin) ? null : record;
}

/** Title and steps; null where the answer says that there are none. */
export function decodeSequence(body: Json, origin: Origin): Sequence | null {
  const { inner, layers } = unwrap(body, 'sequence');
  const steps = isObject(inner) && Object.hasOwn(inner, 'email_subject') ? [inner] : inner;
  const found = Array.isArray(steps) && steps.length > 0;
  if (isAbsent(body, found, origin) || isNothing(steps)) return null;
  if (!Array.isArray(steps)) throw unreadable(origin, 'a list of sequence steps is missing', inner);
  return { title: sequenceTitle(layers), steps: steps.map((step) => asStep(step, origin)) };
}

/** A refusal that got here says that there is nothing; beside content it would be a contradiction. */
function isAbsent(body: Json, found: boolean, origin: Origin): boolean {
  const refused = findRefusal(body) !== null;
  if (refused && found) throw unreadable(origin, 'it says success: false and shows content', body);
  return refused;
}

function decodeObject(inner: Json, label: string, origin: Origin): JsonObject | null {
  if (isNothing(inner)) return null;
  if (!isObject(inner)) throw unreadable(origin, `an object with ${label} is missing`, inner);
  return inner;
}

function asStep(step: Json, origin: Origin): JsonObject {
  if (!isObject(step)) throw unreadable(origin, 'a sequence step is not an object', step);
  return step;
}

/** The title beside the steps, or in `sequence` beside them. */
function sequenceTitle(layers: readonly JsonObject[]): string | null {
  const titles = layers.flatMap((layer) => [
    isObject(layer.sequence) ? layer.sequence.title : null,
    layer.title,
  ]);
  return titles.find((title) => typeof title === 'string') ?? null;
}

/** A row of the list of campaigns. UnreadableAnswer without id and name: one missed is one made twice. */
export function decodeListed(row: Json, origin: Origin): ListedCampaign {
  const { inner } = unwrap(row, 'campaign');
  if (!isObject(inner)) throw unreadable(origin, 'a campaign in the list is not an object', row);
  const id = campaignId(inner);
  if (id === null)
    throw unreadable(origin, 'a campaign in the list has no usable id', inner.id ?? inner.campaign_id);
  const name = typeof inner.name === 'number' ? String(inner.name) : inner.name;
  if (typeof name !== 'string')
    throw unreadable(origin, `campaign ${id} in the list has no name`, inner.name);
  return { id, name, status: typeof inner.status === 'string' ? inner.status : null };
}

export function unreadable(origin: Origin, field: string, seen: Json | undefined): UnreadableAnswer {
  return new UnreadableAnswer(
    origin.endpoint,
    field,
    seen === undefined ? 'nothing' : origin.quote(JSON.stringify(seen)),
  );
}

/** What an answer can be about; `campaigns` and `templates` are lists. */
export type Content = 'campaign' | 'schedule' | 'sequence' | 'campaigns' | 'templates';

/** A body without its envelope, and the objects that were taken off around it, outermost first. */
export interface Unwrapped {
  inner: Json;
  layers: JsonObject[];
}

interface Shape {
  /** Names under which the content may sit, in the order in which they are believed. */
  names: readonly string[];
  /** Whether this is the content itself, whatever fields it has. */
  is(value: Json): boolean;
}

const ENVELOPES = ['data', 'result', 'results', 'items'];

const SHAPES: Record<Content, Shape> = {
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

/** Takes off every envelope around the content; what is no known envelope is left as it is. */
export function unwrap(body: Json, content: Content): Unwrapped {
  const shape = SHAPES[content];
  const layers: JsonObject[] = [];
  let inner = body;
  while (!shape.is(inner)) {
    const only: Json | undefined = Array.isArray(inner) && inner.length === 1 ? inner[0] : undefined;
    if (isObject(only) && (shape.is(only) ? content !== 'sequence' : wrapper(only, shape) !== undefined)) {
      inner = only;
      continue;
    }
    const name = isObject(inner) ? wrapper(inner, shape) : undefined;
    if (!isObject(inner) || name === undefined) break;
    layers.push(inner);
    inner = inner[name] ?? null;
  }
  return { inner, layers };
}

/** The first name that holds an object or a list, else the first that holds null; scalars are fields, not content. */
function wrapper(value: JsonObject, shape: Shape): string | undefined {
  const present = shape.names.filter((name) => Object.hasOwn(value, name) && typeof value[name] === 'object');
  return present.find((name) => value[name] !== null) ?? present[0];
}

/** The id of a campaign record, under the name that tells most. */
export function campaignId(record: JsonObject): number | null {
  return readId(record.campaign_id) ?? readId(record.id);
}

/** What the answer to a creation says of the new campaign; `name` is null where it does not show it. */
export interface CreatedCampaign {
  id: number;
  name: string | null;
}

/** The new campaign in the answer to a creation: the innermost record, in any envelope, or a bare id; null if there is none. */
export function createdCampaign(body: Json): CreatedCampaign | null {
  // An envelope may have an id of its own, which is not the campaign's.
  const inside = isObject(body) ? [body.data, body.result, body.campaign].find(isObject) : undefined;
  const found = inside === undefined ? null : createdCampaign(inside);
  if (found !== null) return found;
  const { inner, layers } = unwrap(body, 'campaign');
  const record = isObject(inner) ? inner : {};
  const id = isObject(inner)
    ? (campaignId(inner) ?? bareId(inner))
    : (readId(inner) ?? layers.map(bareId).find((bare) => bare !== null) ?? null);
  return id === null ? null : { id, name: typeof record.name === 'string' ? record.name.trim() : null };
}

/** `{"data": 53}` and `{"campaign": "53"}`. */
function bareId(layer: JsonObject): number | null {
  return readId(layer.campaign) ?? readId(layer.data) ?? readId(layer.result);
}

/** Whether there is nothing in it: null, {} or []. */
export function isNothing(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}

/** A positive id as number or text of digits; null for everything else, and for what a number cannot hold exactly. */
export function readId(value: Json | undefined): number | null {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value;
  return typeof id === 'number' && Number.isSafeInteger(id) && id > 0 ? id : null;
}

/** `success: false` in an answer, and what it says about it, empty where it says nothing. */
export interface Refusal {
  message: string;
}

/** Finds `success: false` at the root, under `data` or under `result`; it counts whatever the status is. */
export function findRefusal(body: Json | undefined): Refusal | null {
  const layers = layersOf(body);
  if (!layers.some((layer) => isFalse(layer.success))) return null;
  return { message: layers.map(messageIn).find((message) => message !== '') ?? '' };
}

/**
 * Whether the refusal says that there is nothing, and not that something went wrong: "Schedule does not exist for
 * Error hunters" does, "Too many requests for No Limits" does not. Saying nothing at all counts as well.
 */
export function saysNothing({ message }: Refusal): boolean {
  if (message === '') return true;
  // What is quoted or follows "for" is a name that somebody chose, so its words tell nothing.
  const said = message.replace(QUOTED, '').split(/\bfor\s|:/i)[0] ?? '';
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
  const message = layers.map(messageIn).find((text) => text !== '') ?? '';
  const fields = layers.flatMap((layer) => fieldMessages(layer.errors));
  const more = fields.filter(({ text }) => !message.includes(text));
  const parts = [message, ...more.map(({ field, text }) => (field === '' ? text : `${field}: ${text}`))];
  return parts.filter((part) => part !== '').join('; ') || fallback;
}

function layersOf(body: Json | undefined): JsonObject[] {
  if (!isObject(body)) return [];
  return [body, ...layersOf(body.data), ...layersOf(body.result)];
}

function messageIn(layer: JsonObject): string {
  const { message, error, detail } = layer;
  const nested = isObject(error) ? error.message : error;
  return (
    [message, nested, detail].find(
      (text): text is string => typeof text === 'string' && text.trim() !== '',
    ) ?? ''
  );
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

function isFalse(value: Json | undefined): boolean {
  return value === false || value === 0 || value === '0' || value === 'false';
}
