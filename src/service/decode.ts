import type { Answer, ListedCampaign } from '../model/answer.js';
import { UnreadableAnswer } from '../model/failure.js';
import { isObject, type Json, type JsonObject } from '../model/json.js';
import { campaignId, isNothing, unwrap } from './envelope.js';
import { type Quote, quoteValue } from './quote.js';
import { findRefusal } from './refusal.js';

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

/** An answer that says: there is nothing (`body` null), or this is it. */
export function answer({ endpoint }: Origin, body: Json): Answer {
  return { endpoint, none: body === null, body };
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
  return new UnreadableAnswer(origin.endpoint, field, quoteValue(origin.quote, seen));
}
