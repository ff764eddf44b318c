import type { Answers, ListedCampaign } from '../../src/model/answer.js';
import { isObject, type Json, type JsonObject } from '../../src/model/json.js';
import type { Step } from '../../src/model/step.js';
import { answer } from './subject.js';

/** A workspace of the documented service, as a plain value. `templates` hold schedules by id. */
export interface World {
  nextId: number;
  campaigns: ModelCampaign[];
  templates: JsonObject[];
}

export interface ModelCampaign {
  id: number;
  name: string;
  status: string;
  settings: JsonObject;
  schedule: JsonObject | null;
  title: string | null;
  steps: JsonObject[];
  attached: { lists: number[]; ids: number[] };
}

/** What installations do differently. `repost`: what a second sequence does to the first. */
export interface Quirks {
  reference: 'step_id' | 'order';
  repost: 'append' | 'replace';
  replies: 'as sent' | 'Re: ';
  shows: { reputation: boolean; title: boolean; templates: boolean; status: boolean };
  loose: boolean;
}

const DEFAULTS: JsonObject = {
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  reputation_building: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
};

/** The world after a request. Throws for what the document does not allow. */
export function send(world: World, { path, body }: Pick<Step, 'path' | 'body'>, quirks: Quirks): World {
  const next = structuredClone(world);
  const sent = body ?? {};
  if (path === '/api/campaigns') {
    next.campaigns.push(blank(next.nextId, String(sent.name)));
    next.nextId += 1;
    return next;
  }
  const [, id, operation = ''] = /^\/api\/campaigns\/(\d+)\/(.+)$/.exec(path) ?? [];
  const campaign = next.campaigns.find((one) => one.id === Number(id));
  if (campaign === undefined) throw new Error(`no such path: ${path}`);
  switch (operation) {
    case 'update':
      // What is not sent is reset: booleans as documented, numbers as one report says.
      campaign.settings = { ...DEFAULTS, ...stored(only(sent, Object.keys(DEFAULTS))) };
      break;
    case 'schedule':
      campaign.schedule = only(sent, SCHEDULE_FIELDS);
      break;
    case 'create-schedule-from-template':
      campaign.schedule = structuredClone(next.templates.find((one) => one.id === sent.schedule_id) ?? null);
      if (campaign.schedule === null) throw new Error('no such template');
      break;
    case 'sequence-steps':
      next.nextId = post(campaign, sent, { quirks, nextId: next.nextId });
      break;
    case 'leads/attach-lead-list':
      campaign.attached.lists.push(Number(sent.lead_list_id));
      break;
    case 'leads/attach-leads':
      campaign.attached.ids.push(...list(sent.lead_ids).map(Number));
      break;
    case 'resume':
      campaign.status = 'active';
      break;
    case 'pause':
      campaign.status = 'paused';
      break;
    default:
      throw new Error(`no such path: ${path}`);
  }
  return next;
}

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const SCHEDULE_FIELDS = [...DAYS, 'start_time', 'end_time', 'timezone', 'save_as_template'];
const STEP_FIELDS = ['title', 'email_subject', 'email_body', 'wait_in_days', 'thread_reply'];

export function blank(id: number, name: string): ModelCampaign {
  const attached = { lists: [], ids: [] };
  return { id, name, status: 'draft', settings: DEFAULTS, schedule: null, title: null, steps: [], attached };
}

function post(
  campaign: ModelCampaign,
  sent: JsonObject,
  { quirks, nextId }: { quirks: Quirks; nextId: number },
): number {
  const { title, sequence_steps } = only(sent, ['title', 'sequence_steps']);
  const kept = quirks.repost === 'append' ? campaign.steps : [];
  const rows: JsonObject[] = [];
  for (const [index, step] of list(sequence_steps).entries()) {
    if (!isObject(step)) throw new Error('a step is an object');
    const known = quirks.reference === 'order' ? rows : kept;
    const key = quirks.reference === 'order' ? 'order' : 'id';
    const parent = known.find((row) => row.variant !== true && row[key] === step.variant_from_step);
    if (step.variant === true && parent === undefined) throw new Error('a variant of no step');
    const fields = stored(
      only(step, [...STEP_FIELDS, ...(step.variant === true ? ['variant', 'variant_from_step'] : ['order'])]),
    );
    const reply = step.thread_reply === true && quirks.replies === 'Re: ';
    rows.push({
      order: null,
      variant: false,
      ...fields,
      id: nextId + index,
      variant_from_step: parent?.id ?? null,
      email_subject: reply ? `Re: ${fields.email_subject}` : (fields.email_subject ?? null),
    });
  }
  campaign.steps = [...kept, ...rows];
  campaign.title = String(title).trim();
  return nextId + rows.length;
}

/** Exactly these fields, or an error: the planner sends whole bodies and nothing that is not documented. */
function only(sent: JsonObject, fields: readonly string[]): JsonObject {
  if (Object.keys(sent).sort().join() !== [...fields].sort().join())
    throw new Error(`fields ${Object.keys(sent)}, expected ${fields}`);
  return sent;
}

/** Web frameworks trim what they store and turn empty texts into null. */
function stored(fields: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === 'string' ? value.trim() || null : value,
    ]),
  );
}

function list(value: Json | undefined): Json[] {
  if (!Array.isArray(value)) throw new Error('a list was expected');
  return value;
}

export function listed({ campaigns }: World, { shows }: Quirks): ListedCampaign[] {
  return campaigns.map(({ id, name, status }) => ({ id, name, status: shows.status ? status : null }));
}

/** Everything that can be read of one campaign, without envelopes. */
export function answersOf(world: World, id: number, quirks: Quirks): Answers {
  const campaign = world.campaigns.find((one) => one.id === id);
  const { reputation_building, ...settings } = campaign?.settings ?? {};
  const record = {
    id,
    name: campaign?.name ?? null,
    status: campaign?.status ?? null,
    ...settings,
    ...(quirks.shows.reputation ? { reputation_building: reputation_building ?? null } : {}),
  };
  const steps = (campaign?.steps ?? []).map((row) => loosened(row, quirks)).reverse();
  const title = quirks.shows.title ? (campaign?.title ?? null) : null;
  return {
    campaign: answer(`GET /api/campaigns/${id}`, campaign === undefined ? null : loosened(record, quirks)),
    schedule: answer(
      `GET /api/campaigns/${id}/schedule`,
      campaign?.schedule ? clock(campaign.schedule) : null,
    ),
    sequence: answer(`GET /api/campaigns/${id}/sequence-steps`, steps.length > 0 ? { title, steps } : null),
  };
}

export function templatesOf(world: World, { shows }: Quirks): Json {
  return world.templates.map((template) => (shows.templates ? clock(template) : { id: template.id ?? null }));
}

/** Times are read with seconds; what was saved as a template is not echoed. */
function clock({ save_as_template, ...schedule }: JsonObject): JsonObject {
  return { ...schedule, start_time: `${schedule.start_time}:00`, end_time: `${schedule.end_time}:00` };
}

/** Numbers as texts, booleans as 0 and 1. */
function loosened(record: JsonObject, { loose }: Quirks): JsonObject {
  if (!loose) return record;
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [
      name,
      typeof value === 'number' ? String(value) : typeof value === 'boolean' ? Number(value) : value,
    ]),
  );
}
