import { isObject, type Json, type JsonObject } from '../model/json.js';
import { readId } from './id.js';

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
