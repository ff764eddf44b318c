import { createHash } from 'node:crypto';
import type { Shape } from './shape.js';
import {
  isRecord,
  leadsOf,
  type Schedule,
  type StoredCampaign,
  type StoredStep,
  type StoredTemplate,
} from './store.js';

/** `body`: `undefined` for no body. */
export interface Answer {
  status: number;
  body: unknown;
}

type Json = unknown;
type Row = Record<string, Json>;

export function readAnswer(endpoint: string, campaign: StoredCampaign, shape: Shape): Answer {
  const { schedule, steps } = campaign;
  switch (endpoint) {
    case 'schedule':
      return schedule === null
        ? noneAnswer('schedule', shape)
        : { status: 200, body: wrapped(scheduleRecord(schedule, shape), 'schedule', shape) };
    case 'sequence':
      return steps.length === 0
        ? noneAnswer('sequence_steps', shape)
        : { status: 200, body: sequenceBody(campaign, shape) };
    default:
      return { status: 200, body: campaignBody(campaign, shape) };
  }
}

export function noneAnswer(name: string, shape: Shape): Answer {
  const message = `No ${name} here.`;
  const failed = { success: false, message };
  switch (shape.none) {
    case '404':
      return { status: 404, body: { data: { ...failed, record_not_found: { campaign: name } } } };
    case '204':
      return { status: 204, body: undefined };
    case 'success-false':
      return { status: 200, body: shape.envelope === 'data' ? { data: failed } : failed };
    case 'null':
      return { status: 200, body: wrapped(null, name, shape) };
    case '{}':
      return { status: 200, body: wrapped({}, name, shape) };
    case '[]':
      return { status: 200, body: wrapped([], name, shape) };
  }
}

/** Status 422 refuses fields; any other status, even 200, refuses the whole request. */
export function refusedAnswer(status: number, messages: readonly string[], { errors }: Shape): Answer {
  const [message] = messages;
  if (status !== 422) return { status, body: { data: { success: false, message } } };
  const body = { message, errors: { body: messages } };
  return { status, body: errors === 'root' ? body : { data: { success: false, ...body } } };
}

export function writtenAnswer(endpoint: string, campaign: StoredCampaign, shape: Shape): Answer {
  if (endpoint === 'create') return { status: shape.createStatus, body: createdBody(campaign, shape) };
  switch (shape.writeAnswer) {
    case 'record':
      return { status: 200, body: echo(endpoint, campaign, shape) };
    case 'empty-body':
      return { status: 200, body: undefined };
    case '204':
      return { status: 204, body: undefined };
    case 'success':
      return { status: 200, body: { success: true } };
    case 'message':
      return { status: 200, body: { message: 'Done.' } };
    case 'null':
      return { status: 200, body: null };
  }
}

function echo(endpoint: string, campaign: StoredCampaign, shape: Shape): Json {
  if (endpoint.includes('schedule') && campaign.schedule !== null)
    return wrapped(scheduleRecord(campaign.schedule, shape), 'schedule', shape);
  if (endpoint === 'create-sequence') return sequenceBody(campaign, shape);
  if (endpoint.startsWith('attach'))
    return wrapped({ success: true, message: 'Leads successfully added.' }, 'result', shape);
  return campaignBody(campaign, shape);
}

/** Undocumented fields, some with names that have a meaning in other places. */
const STRANGE: Row = {
  uuid: '9f3c1c2e-6d0b-4f0e-8a63-2b6f7a1d9c10',
  created_at: '2026-09-13T20:11:34.000000Z',
  completion_percentage: 45.23,
  tags: [{ id: 1, name: 'VIP', default: false }],
  owner: { id: 7, name: 'Another team', status: 'active' },
  parent: null,
};

/** Returns the record without its envelope. */
export function campaignRecord(campaign: StoredCampaign, shape: Shape): Row {
  const { reputation_building, ...shown } = campaign.settings;
  const settings = {
    ...shown,
    ...(shape.reputation === 'shown' ? { reputation_building } : {}),
    unsubscribe_text: lineEnds(campaign.settings.unsubscribe_text, shape) ?? emptyText(shape),
  };
  const local = {
    [shape.idKey]: idOf(campaign.id, shape),
    name: campaign.name,
    ...(shape.status === 'shown' ? { status: cased(campaign.status, shape) } : hiddenStatus(shape)),
    ...(shape.totals === 'shown' ? { total_leads: leadsOf(campaign) } : {}),
    ...(shape.totals === 'zero' && shape.rows === 'whole' ? { total_leads: 0 } : {}),
    ...(shape.updated === 'shown' ? { updated_at: stampOf(campaign) } : {}),
  };
  const loose = { ...loosened(settings, shape), ...campaign.counters };
  switch (shape.settings) {
    case 'flat':
      return { ...strange(shape), ...local, ...loose };
    case 'nested':
      return { ...strange(shape), ...local, settings: loose };
    case 'sibling':
    case 'beside':
      return { ...strange(shape), ...local };
  }
}

/** Changes whenever the campaign changes. */
function stampOf(campaign: StoredCampaign): string {
  return createHash('sha256').update(JSON.stringify(campaign)).digest('hex').slice(0, 16);
}

/** Returns a list row, which may contain only id and name. */
export function campaignRow(campaign: StoredCampaign, shape: Shape): Row {
  const shown = (field: 'status' | 'totals') => (shape[field] === 'hidden' ? 'hidden' : 'shown');
  const values = { ...shape, status: shown('status'), totals: shown('totals') } as const;
  const { [shape.idKey]: id, name, ...rest } = campaignRecord(campaign, values);
  return { [shape.idKey]: id, name, ...(shape.rows === 'whole' ? rest : {}) };
}

/** Returns the whole body. Settings may be next to the record, inside or outside the envelope. */
function campaignBody(campaign: StoredCampaign, shape: Shape): Json {
  const record = campaignRecord(campaign, shape);
  if (shape.settings === 'flat' || shape.settings === 'nested') return wrapped(record, 'campaign', shape);
  const { settings } = campaignRecord(campaign, { ...shape, settings: 'nested' });
  const pair = { campaign: record, settings };
  switch (shape.envelope) {
    case 'bare':
    case 'named':
      return pair;
    case 'data.named':
      return { data: pair };
    case 'data':
    case 'result':
    case 'success+data':
      return shape.settings === 'sibling'
        ? wrapped(pair, 'campaign', shape)
        : { ...(wrapped(record, 'campaign', shape) as Row), settings };
  }
}

function createdBody(campaign: StoredCampaign, shape: Shape): Json {
  const id = idOf(campaign.id, shape);
  switch (shape.createAnswer) {
    case 'whole':
      return campaignBody(campaign, shape);
    case 'only-id':
      return wrapped({ id }, 'campaign', shape);
    case 'campaign_id':
      return wrapped({ campaign_id: id }, 'campaign', shape);
    case 'nested':
      return { data: { campaign: campaignRecord(campaign, shape) } };
    case 'success+id':
      return { success: true, message: 'Campaign created.', id };
    case 'number':
      return wrapped(id, 'campaign', shape);
  }
}

export function scheduleRecord(schedule: Schedule | StoredTemplate, shape: Shape): Row {
  const seconds = shape.times === 'HH:MM:SS' ? ':00' : '';
  const { start_time, end_time, timezone, ...days } = schedule;
  // A campaign's schedule may show an id that does not belong to a template.
  const id = 'id' in schedule ? schedule.id : 4711;
  const shown = 'id' in schedule || shape.extras === 'everywhere';
  return {
    ...strange(shape),
    ...loosened(days, shape),
    ...(shown ? { id: idOf(id, shape) } : {}),
    start_time: start_time + seconds,
    end_time: end_time + seconds,
    timezone,
  };
}

export function templateRecord(template: StoredTemplate, shape: Shape): Row {
  return shape.templates === 'content'
    ? scheduleRecord(template, shape)
    : { ...strange(shape), id: idOf(template.id, shape) };
}

function sequenceBody(campaign: StoredCampaign, shape: Shape): Json {
  const { title } = campaign;
  const rows = stepRecords(campaign, shape);
  const titled = shape.title === 'shown' ? { title } : {};
  const sequence = { ...strange(shape), id: 293, type: 'Campaign sequence', ...titled, sequence_steps: rows };
  switch (shape.steps) {
    case 'array':
      return shape.title === 'shown' && shape.envelope === 'named'
        ? { ...titled, sequence_steps: rows }
        : wrapped(rows, 'sequence_steps', shape);
    case 'sequence_steps':
      return wrapped({ ...titled, sequence_steps: rows }, 'sequence', shape);
    case 'sequence':
      return shape.envelope === 'named' || shape.envelope === 'bare'
        ? { sequence }
        : wrapped({ sequence }, 'sequence', shape);
    case 'data.sequence':
      return { data: { sequence } };
  }
}

export function stepRecords({ steps }: StoredCampaign, shape: Shape): Row[] {
  return arranged(steps, shape).map((step) => stepRecord(step, steps, shape));
}

function stepRecord(step: StoredStep, all: readonly StoredStep[], shape: Shape): Row {
  const { id, order, variant_from_step, ...rest } = step;
  const parent = all.find((email) => email.id === variant_from_step);
  const shownOrder = step.variant && shape.variantOrder === 'parent' ? (parent?.order ?? null) : order;
  const hidden = step.variant && shape.variantOrder === 'absent';
  return {
    ...strange(shape),
    ...loosened(rest, shape),
    email_subject: lineEnds(step.email_subject, shape),
    email_body: lineEnds(step.email_body, shape),
    id: idOf(id, shape),
    variant_from_step: variant_from_step === null ? null : idOf(variant_from_step, shape),
    ...(hidden ? {} : loosened({ order: shownOrder }, shape)),
  };
}

function arranged(steps: readonly StoredStep[], { stepsOrder }: Shape): StoredStep[] {
  switch (stepsOrder) {
    case 'sorted':
      return [...steps];
    case 'reversed':
      return [...steps].reverse();
    case 'shuffled':
      // Uses a fixed order, so that failures are reproducible.
      return [...steps].sort((a, b) => ((a.id * 7919) % 13) - ((b.id * 7919) % 13));
  }
}

/** Wraps a payload in the shape's envelope. `name`: the payload's name. */
export function wrapped(payload: Json, name: string, shape: Shape): Json {
  const beside = shape.extras === 'everywhere' ? { request_id: 'req-4711', took_ms: 3 } : {};
  switch (shape.envelope) {
    case 'bare':
      return payload;
    case 'data':
      return { ...beside, data: payload };
    case 'result':
      return { ...beside, result: payload };
    case 'named':
      return { ...beside, [name]: payload };
    case 'data.named':
      return { ...beside, data: { [name]: payload } };
    case 'success+data':
      return { ...beside, success: true, data: payload };
  }
}

function idOf(id: number, { idType }: Shape): Json {
  return idType === 'text' ? String(id) : id;
}

/** Formats flags and numbers as the shape requires. */
function loosened(row: object, { booleans, numbers }: Shape): Row {
  const loose = (value: Json): Json => {
    if (typeof value === 'boolean' && booleans === '1') return Number(value);
    if (typeof value === 'boolean' && booleans === '"1"') return String(Number(value));
    if (typeof value === 'boolean' && booleans === '"true"') return String(value);
    if (typeof value === 'number' && numbers === 'text') return String(value);
    return isRecord(value) ? loosened(value, { booleans, numbers } as Shape) : value;
  };
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, loose(value)]));
}

function emptyText({ emptyTexts }: Shape): string | null {
  return emptyTexts === 'null' ? null : '';
}

function lineEnds(text: string | null, { lineEnds }: Shape): string | null {
  return lineEnds === 'CRLF' && text !== null ? text.replaceAll(/\r?\n/g, '\r\n') : text;
}

function hiddenStatus({ noStatus }: Shape): { status?: string } {
  return noStatus === 'empty' ? { status: '' } : {};
}

function cased(word: string, { statusCase }: Shape): string {
  if (statusCase === 'lower') return word;
  return statusCase === 'UPPER' ? word.toUpperCase() : `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

function strange({ extras }: Shape): Row {
  return extras === 'everywhere' ? STRANGE : {};
}
