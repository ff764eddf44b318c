/** Decodes the responses about a campaign: each section once, in the form in which manifests are compared. */
import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { canonicalText } from '../model/canonical.js';
import { leaked, UnreadableAnswer } from '../model/failure.js';
import {
  excerpt,
  isObject,
  type Json,
  type JsonObject,
  leadsIn,
  objectAt,
  wholeNumber,
} from '../model/json.js';
import type {
  LiveEmail,
  LiveParts,
  LiveRecord,
  LiveSequence,
  LiveStep,
  Shown,
  Template,
} from '../model/live.js';
import type { ContentEmail, SendingHours } from '../model/outputs.js';
import { SETTINGS, type SomeSettings, WEEKDAYS } from '../model/sections.js';
import { boolean, type Fields, integer, needed, shownText, text, unreadable } from './fields.js';

/**
 * A response without its envelope. `body`: `null` if nothing exists. `unproven`: true for an error status, which may also be
 * a fault. `leak`: the first field of content that contains the token, which `body` masks.
 */
export interface Answer {
  endpoint: string;
  body: Json;
  answered?: string;
  unproven?: boolean;
  leak?: string | null;
}

export function decodePart<Name extends AnswerName>(name: Name, answer: Answer): LiveParts[Name];
export function decodePart(name: AnswerName, answer: Answer): LiveParts[AnswerName] {
  const { endpoint, body, answered = 'null', unproven = false } = answer;
  if (body === null) return { is: unproven ? 'none-shown' : 'none', endpoint, answered };
  switch (name) {
    case 'campaign':
      return decoded(endpoint, () => decodeCampaign(toFields(answer), answer));
    case 'schedule':
      return decoded(endpoint, () => readHours(toFields(answer)));
    case 'sequence':
      return decoded(endpoint, () => readSequence(withoutLeak(answer)));
  }
}

function decoded<T>(endpoint: string, read: () => T | null): Shown<T> {
  try {
    const value = read();
    return value === null ? { is: 'none', endpoint, answered: 'null' } : { is: 'shown', endpoint, value };
  } catch (error) {
    if (error instanceof UnreadableAnswer) return { is: 'unreadable', error };
    throw error;
  }
}

function toFields({ endpoint, body }: Answer): Fields {
  if (isObject(body)) return { endpoint, record: body, at: '' };
  throw new UnreadableAnswer(endpoint, 'expected an object', excerpt(body));
}

/** For content that is compared or copied. */
function withoutLeak(answer: Answer): Fields {
  const { endpoint, leak = null } = answer;
  if (leak !== null) throw leaked(endpoint, leak);
  return toFields(answer);
}

function decodeCampaign(fields: Fields, answer: Answer): LiveRecord {
  const { endpoint, record } = fields;
  const { emails_sent, total_leads_contacted } = record;
  return {
    name: decoded(endpoint, () => nameOf(withoutLeak(answer))),
    status: decoded(endpoint, () => shownText(fields, 'status')),
    settings: decoded(endpoint, () => readSettings(withoutLeak(answer))),
    total_leads: leadsIn(record),
    leads_contacted: wholeNumber(total_leads_contacted),
    hasSent: [emails_sent, total_leads_contacted].some((number) => (wholeNumber(number) ?? 0) > 0),
    tags: namesIn(record.tags).flatMap((name) => name ?? []),
    domainLimit: wholeNumber(record.daily_max_sends_per_receiving_domain) || null,
    isRow: false,
  };
}

/**
 * The names of tags or files, which are only told to a person. An entry of an unknown form counts, without a name, because
 * no plan may fail for it.
 */
function namesIn(value: Json | undefined): (string | null)[] {
  const entries = Array.isArray(value) ? value : [value ?? null];
  return entries.filter(isFilled).map((entry) => {
    const names = isObject(entry) ? [entry.name, entry.file_name, entry.filename] : [entry];
    return names.find((name) => typeof name === 'string' && name.trim() !== '')?.toString() ?? null;
  });
}

function isFilled(entry: Json): boolean {
  if (typeof entry === 'string') return entry.trim() !== '';
  return typeof entry === 'object' && entry !== null && Object.keys(entry).length > 0;
}

function nameOf(fields: Fields): string | null {
  const name = text(fields, 'name');
  return name === null ? null : canonicalText(name);
}

/** In the record, settings are top-level keys or keys of `settings`. The value of a missing key is unknown. */
function readSettings({ endpoint, record }: Fields): SomeSettings {
  const fields = { endpoint, record: { ...record, ...objectAt(record, 'settings') }, at: '' };
  const values: Record<string, number | boolean | string | null> = {};
  for (const { name, type } of SETTINGS) {
    if (fields.record[name] === undefined) continue;
    if (type === 'integer') values[name] = integer(fields, name);
    else if (type === 'boolean') values[name] = boolean(fields, name) ?? false;
    else values[name] = canonicalText(text(fields, name) ?? '') || null;
  }
  return values as SomeSettings;
}

const rows = new WeakMap<ListedCampaign, LiveParts['campaign']>();

/** The row in place of a record. Decodes each row once, however often a plan is made from it. */
export function decodeRow(row: ListedCampaign): LiveParts['campaign'] {
  const known = rows.get(row) ?? rowAsRecord(row);
  rows.set(row, known);
  return known;
}

/** In a row, null may also mean that a field is not filled. */
function rowAsRecord({ record = {} }: ListedCampaign): LiveParts['campaign'] {
  const filled = (values: JsonObject) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null));
  const settings = filled(objectAt(record, 'settings'));
  const body = { ...filled(record), ...(isObject(record.settings) ? { settings } : {}) };
  const row = decodePart('campaign', { endpoint: 'GET /api/campaigns', body });
  return row.is === 'shown' ? { ...row, value: { ...row.value, isRow: true } } : row;
}

function readHours(fields: Fields): SendingHours {
  return {
    days: WEEKDAYS.filter((day) => {
      if (fields.record[day] === undefined) throw unreadable(fields, day, 'it is missing');
      return boolean(fields, day) ?? false;
    }),
    start_time: readTime(fields, 'start_time'),
    end_time: readTime(fields, 'end_time'),
    timezone: needed(text(fields, 'timezone'), fields, 'timezone').trim(),
  };
}

/** Treats `09:00`, `9:00` and `09:00:00` as equal. */
function readTime(fields: Fields, name: string): string {
  const value = needed(text(fields, name), fields, name);
  const match = /^\s*(\d{1,2}):(\d{2})(?::\d{2}(?:\.\d+)?)?\s*$/.exec(value);
  if (!match) throw unreadable(fields, name, 'expected a time as HH:MM');
  return `${(match[1] ?? '').padStart(2, '0')}:${match[2]}`;
}

export function decodeTemplate(endpoint: string, id: number, record: JsonObject): Template {
  const fields = { endpoint, record, at: `template ${excerpt(record.id)}, ` };
  const isShown = WEEKDAYS.some((day) => day in record);
  return { id, hours: decoded(endpoint, () => (isShown ? readHours(fields) : null)) };
}

interface SequenceRow {
  fields: Fields;
  id: number;
  order: number | null;
  parent: number | null;
}

/**
 * Sorts base steps by `order` if all show it, otherwise by id. `variant_from_step` is an id if every value matches one,
 * otherwise an order.
 */
function readSequence(fields: Fields): LiveSequence {
  const rows = readRows(fields);
  const base = sortedBase(rows.filter(({ parent }) => parent === null));
  const variants = rows.filter(({ parent }) => parent !== null).sort((a, b) => a.id - b.id);
  const byId = variants.every(({ parent }) => base.some(({ id }) => id === parent));
  const steps = base.map((row): LiveStep => ({ id: row.id, variants: [], ...email(row.fields, null) }));
  for (const variant of variants) {
    const parent = steps[base.findIndex((step) => (byId ? step.id : step.order) === variant.parent)];
    if (parent === undefined)
      throw unreadable(variant.fields, 'variant_from_step', 'it does not refer to a step of this sequence');
    parent.variants.push({ id: variant.id, ...email(variant.fields, parent) });
  }
  return { title: text(fields, 'title'), steps };
}

function readRows({ endpoint, record }: Fields): SequenceRow[] {
  const { steps } = record;
  if (!Array.isArray(steps)) throw new UnreadableAnswer(endpoint, 'expected a list of steps', excerpt(steps));
  return steps.map((entry, index) => {
    const at = `sequence_steps[${index}]`;
    if (isObject(entry)) return readRow({ endpoint, record: entry, at: `${at}.` });
    throw new UnreadableAnswer(endpoint, `${at}: expected a step`, excerpt(entry));
  });
}

function readRow(fields: Fields): SequenceRow {
  const reference = integer(fields, 'variant_from_step') || null;
  const isVariant = boolean(fields, 'variant') ?? reference !== null;
  if (isVariant && reference === null)
    throw unreadable(fields, 'variant_from_step', 'it is missing from a variant');
  return {
    fields,
    id: needed(integer(fields, 'id'), fields, 'id'),
    order: integer(fields, 'order'),
    parent: isVariant ? reference : null,
  };
}

function sortedBase(base: readonly SequenceRow[]): SequenceRow[] {
  const ordered = base.every(({ order }) => order !== null);
  return [...base].sort((a, b) => (ordered ? (a.order ?? 0) - (b.order ?? 0) : 0) || a.id - b.id);
}

/** A variant inherits a missing `wait_in_days` or `thread_reply` from its step. */
function email(fields: Fields, parent: ContentEmail | null): Omit<LiveEmail, 'id'> {
  const wait = integer(fields, 'wait_in_days') ?? parent?.wait_in_days ?? null;
  const reply = boolean(fields, 'thread_reply') ?? parent?.thread_reply ?? null;
  const attachments = namesIn(fields.record.attachments);
  return {
    email_subject: copy(fields, 'email_subject'),
    email_body: copy(fields, 'email_body'),
    wait_in_days: needed(wait, fields, 'wait_in_days'),
    thread_reply: needed(reply, fields, 'thread_reply'),
    ...(boolean(fields, 'active') === false ? { active: false as const } : {}),
    ...(attachments.length > 0 ? { attachments } : {}),
  };
}

/** Services convert empty strings to null; a response without the field is unreadable. */
function copy(fields: Fields, name: string): string {
  return fields.record[name] === null ? '' : needed(text(fields, name), fields, name);
}
