import type { Json, JsonObject } from '../model/json.js';
import type { Reply } from './rule.js';
import type { Campaign, Template } from './state.js';

/** Which part of a long list is asked for. `url` is the list's address without its query. */
export interface Page {
  number: number;
  size: number;
  url: string;
}

/** What a service does where the interface is silent. */
interface Behaviour {
  /** What becomes of a body before anything looks at it. */
  receive(body: JsonObject): JsonObject;
  /** How the subject of a step is stored. */
  storedSubject(subject: string, threadReply: boolean): string;
  /** Whether numbers that an update does not send stay as they are; otherwise they become their defaults. */
  keepsNumbers: boolean;
  /** Whether `max_emails_per_day` must be at least `max_new_leads_per_day`. */
  boundsNewLeads: boolean;
  /** The least `wait_in_days`; null: any. */
  leastWait: number | null;
  launch: 'at-once' | 'queued';
}

/** What a service answers. Where a campaign may lack what is asked for, the method says so itself. */
interface Answers {
  created(campaign: Campaign): Reply;
  record(campaign: Campaign): Reply;
  /** Which campaigns a page shows, in its order. */
  rows(campaigns: readonly Campaign[], page: Page): readonly Campaign[];
  list(rows: readonly Campaign[], page: Page, total: number): Reply;
  templates(templates: readonly Template[]): Reply;
  schedule(campaign: Campaign): Reply;
  /** The refusal of a second schedule; null: it takes the place of the first. */
  scheduleExists: ((campaign: Campaign) => Reply) | null;
  steps(campaign: Campaign): Reply;
  sequence(campaign: Campaign): Reply;
  attached(campaign: Campaign): Reply;
  incomplete(): Reply;
  campaignNotFound(id: string): Reply;
}

/** A service to be like: how it behaves and what it answers. */
export type Profile = Behaviour & Answers;

/** Applies a change to every text of a value, however deep. */
function mapTexts(value: Json, change: (text: string) => Json): Json {
  if (typeof value === 'string') return change(value);
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change));
  if (value === null || typeof value !== 'object') return value;
  return mapFields(value, change);
}

/** The same for an object, which stays one. */
export function mapFields(object: JsonObject, change: (text: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, mapTexts(value, change)]));
}
