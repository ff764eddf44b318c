/** Responses of the service in the form that its shape chooses. */
import type { Literal } from './shape.js';
import { type Campaign, DEFAULTS, type Refusal, type Row, SCHEDULE_FIELDS, type Step } from './store.js';

/** `body`: `undefined` for an empty response; `PAGE` for a web page. */
export interface Response {
  status: number;
  body: unknown;
}

/** Frameworks answer like this if they find no route or record. */
export const PAGE = Symbol('<!doctype html><title>Error</title><pre>Cannot GET this</pre>');

const ok = (body: unknown): Response => ({ status: 200, body });

/** `{data: {campaign}}` puts the content under both keys; `[record]` into a list; any other form shows it bare. */
function wrapped(content: unknown, form: string): unknown {
  if (form === '[record]') return content === null ? [] : [content];
  const keys = form.startsWith('{') ? (form.match(/\w+/g) ?? []) : [];
  return keys.reduceRight((inner, key) => ({ [key]: inner }), content);
}

export function listResponse(campaigns: readonly Campaign[], shape: Literal): Response {
  const rows = campaigns.map((campaign) => {
    const { id, name, ...more } = record(campaign, shape);
    const whole = shape.listRow === 'whole' ? more : {};
    return { id, name, ...whole, ...statusAt('list', campaign, shape) };
  });
  return ok(wrapped(rows, shape.listBody));
}

export function templatesResponse(templates: readonly Row[], { listBody }: Literal): Response {
  return ok(wrapped(templates, listBody.replace('campaigns', 'templates')));
}

export function campaignResponse(campaign: Campaign, shape: Literal): Response {
  const shown = { ...record(campaign, shape), ...statusAt('record', campaign, shape) };
  return ok(wrapped(shown, shape.recordBody));
}

function record(
  { id, name, settings }: Campaign,
  { campaignId, settingsAt, settingsUntilSet }: Literal,
): Row {
  const unset = {
    default: DEFAULTS,
    null: Object.fromEntries(Object.keys(DEFAULTS).map((setting) => [setting, null])),
    absent: {},
  }[settingsUntilSet];
  const shown = { ...unset, ...settings };
  const head = { id: campaignId === 'string' ? String(id) : id, name };
  return settingsAt === 'under settings' ? { ...head, settings: shown } : { ...head, ...shown };
}

function statusAt(place: 'list' | 'record', { state, launches }: Campaign, { status }: Literal): Row {
  const isPlace = status.startsWith(place) || status.startsWith('both');
  const isTime = launches > 0 || !status.endsWith('once launched');
  return isPlace && isTime ? { status: state } : {};
}

export function scheduleResponse({ schedule }: Campaign, { noSchedule, scheduleBody }: Literal): Response {
  if (schedule !== null) return ok(wrapped(schedule, scheduleBody));
  if (noSchedule !== 'null fields') return noneResponse(noSchedule, 'schedule', wrapped(null, scheduleBody));
  return ok(wrapped(Object.fromEntries(SCHEDULE_FIELDS.map((name) => [name, null])), scheduleBody));
}

export function stepsResponse({ title, steps }: Campaign, shape: Literal): Response {
  if (steps.length === 0) return noneResponse(shape.noSteps, 'sequence steps', stepsBody([], null, shape));
  const rows = steps.map((step) => stepRow(step, shape));
  if (shape.stepRows === 'newest first') rows.reverse();
  return ok(stepsBody(rows, title, shape));
}

function stepsBody(rows: Row[], title: string | null, { stepsBody: form }: Literal): unknown {
  if (!form.includes('title')) return wrapped(rows, form);
  return wrapped({ title, sequence_steps: rows }, form.replace(/\{?title, sequence_steps\}/, ''));
}

function stepRow({ id, row }: Step, shape: Literal): Row {
  const shown = (number: unknown) => (shape.stepId === 'string' ? String(number) : number);
  const { title, variant, variant_from_step, order, ...rest } = row;
  const isVariant = variant === true;
  const flag = isVariant
    ? { variant }
    : { false: { variant: false }, null: { variant: null }, absent: {} }[shape.variant];
  const parent = isVariant
    ? { variant_from_step: shown(variant_from_step) }
    : { null: { variant_from_step: null }, absent: {} }[shape.variantFromStep];
  return {
    id: shown(id),
    ...(shape.stepTitle === 'shown' ? { title } : {}),
    ...{ ...rest, ...flag, ...parent },
    ...(shape.order === 'absent' || order === undefined ? {} : { order }),
  };
}

/** `envelope`: the body of an empty result in the form of a full one. */
function noneResponse(form: Literal['noSteps'], name: string, envelope: unknown): Response {
  const message = { message: `No ${name}.` };
  switch (form) {
    case 404:
    case 400:
    case 422:
      return { status: form, body: {} };
    case 204:
      return { status: 204, body: undefined };
    case '404 empty':
      return { status: 404, body: undefined };
    case '404 message':
      return { status: 404, body: message };
    case '404 page':
      return { status: 404, body: PAGE };
    case '200 message':
      return ok(message);
    case 'null':
      return ok(null);
    case '{}':
      return ok({});
    case '[]':
      return ok([]);
    case '{data: null}':
      return ok({ data: null });
    case 'envelope':
      return ok(envelope);
  }
}

export function createdResponse(campaign: Campaign, shape: Literal): Response {
  const { createdBody: form, createdId, createdStatus: status } = shape;
  const id = createdId === 'string' ? String(campaign.id) : campaign.id;
  const { name } = campaign;
  switch (form) {
    case '{id, name}':
      return { status, body: { id, name } };
    case '{success, id}':
      return { status, body: { success: true, id } };
    case '{success, campaign_id}':
      return { status, body: { success: true, campaign_id: id } };
    case '{success, data: {id}}':
      return { status, body: { success: true, data: { id } } };
    case '{status, id}':
      return { status, body: { status: 'success', id } };
    case '{message, id}':
      return { status, body: { message: 'The campaign was created.', id } };
    case '{data: [{id}]}':
      return { status, body: { data: [{ id }] } };
    case '[{id}]':
      return { status, body: [{ id }] };
    case '[id]':
      return { status, body: [id] };
    case 'record':
      return { status, body: campaignResponse(campaign, shape).body };
    default:
      return { status, body: wrapped(id, form) };
  }
}

/** `shown`: the response to a GET of what was written. */
export function writtenResponse(shown: Response, { writeStatus: status, writeBody }: Literal): Response {
  if (status === 204) return { status, body: undefined };
  const bodies: Record<Literal['writeBody'], unknown> = {
    ...{ '{}': {}, '[]': [], empty: undefined, null: null, true: true, '"OK"': 'OK' },
    ...{ '{success}': { success: true }, '{message}': { message: 'Done.' }, record: shown.body },
  };
  return { status, body: bodies[writeBody] };
}

export function refusedResponse({ status, message }: Refusal, { refusal }: Literal): Response {
  const body = {
    '{message}': { message },
    '{error}': { error: message },
    '{errors}': { errors: [message] },
    empty: undefined,
    'web page': PAGE,
  }[refusal];
  return { status, body };
}
