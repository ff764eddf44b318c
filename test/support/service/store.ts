import type { Json } from '../../../src/model/json.js';
import type { Shape } from './shape.js';

export interface Store {
  campaigns: StoredCampaign[];
  templates: StoredTemplate[];
}

/** `lists`, `leads`: each id as often as it was attached. `pending`: future statuses; each read takes one. */
export interface StoredCampaign {
  id: number;
  name: string;
  status: string;
  pending: string[];
  settings: Settings;
  schedule: Schedule | null;
  title: string | null;
  steps: StoredStep[];
  lists: number[];
  leads: number[];
  uncounted?: number;
  /** Additional fields of the record and the row, such as `emails_sent`. */
  counters?: Record<string, unknown>;
}

/** Indexes of campaigns in lists, as of the last search. */
const places = new WeakMap<readonly StoredCampaign[], Map<number, number>>();

/** Finds a campaign in a long list quickly. Tests change lists, so the indexed entry is checked. */
export function campaignOf(campaigns: readonly StoredCampaign[], id: number): StoredCampaign | undefined {
  const known = places.get(campaigns) ?? new Map<number, number>();
  places.set(campaigns, known);
  for (const campaign of known.size < campaigns.length ? campaigns.slice(known.size) : [])
    known.set(campaign.id, known.size);
  const match = campaigns[known.get(id) ?? -1];
  return match?.id === id ? match : campaigns.find((other) => other.id === id);
}

/** The number of leads that the service shows. Each list has a hundred. */
export function leadsOf({ lists, leads, uncounted = 0 }: StoredCampaign): number {
  return 100 * lists.length + leads.length - uncounted;
}

/** Times as `HH:MM`. */
export const WEEK = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const;
type Week = Record<(typeof WEEK)[number], boolean>;

export function weekOf(days: readonly string[]): Week {
  return Object.fromEntries(WEEK.map((day) => [day, days.includes(day)])) as Week;
}
export const WORKDAYS = weekOf(WEEK.slice(0, 5));

export interface Schedule extends Week {
  start_time: string;
  end_time: string;
  timezone: string;
}

export interface StoredTemplate extends Schedule {
  id: number;
}

/** `variant_from_step` is the parent's id; `order` is null on variants. */
export interface StoredStep {
  id: number;
  order: number | null;
  email_subject: string;
  email_body: string;
  wait_in_days: number;
  variant: boolean;
  variant_from_step: number | null;
  thread_reply: boolean;
  /** `false`: switched off in the web app. */
  active?: boolean;
  attachments?: Json;
}

/** The documented defaults, written independently of the program. */
export const DEFAULT_SETTINGS = {
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  reputation_building: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
};

type Held<T> = T extends null ? string : T;
export type Settings = {
  [N in keyof typeof DEFAULT_SETTINGS]: Held<(typeof DEFAULT_SETTINGS)[N]> | null;
};

/** A new campaign: a draft with the documented defaults. */
export function draft(id: number, name: string): StoredCampaign {
  return {
    id,
    name,
    status: 'draft',
    pending: [],
    settings: { ...DEFAULT_SETTINGS },
    schedule: null,
    title: null,
    steps: [],
    lists: [],
    leads: [],
  };
}

export function active(id: number, name: string): StoredCampaign {
  return { ...draft(id, name), status: 'active' };
}

export const OTHER_DEFAULTS: Settings = {
  ...DEFAULT_SETTINGS,
  max_emails_per_day: 500,
  max_new_leads_per_day: 500,
  open_tracking: true,
};

export function keptText(text: string | null, { texts }: Shape): string | null {
  if (text === null || texts === 'as-sent') return text;
  const trimmed = text.trim();
  return trimmed === '' ? null : trimmed;
}

interface Backend {
  store: Store;
  shape: Shape;
  take(kind: 'campaign' | 'step' | 'template'): number;
}

export function openBackend(store: Store, shape: Shape): Backend {
  const greatest = (rows: readonly { id: number }[], least: number) =>
    rows.reduce((most, { id }) => Math.max(most, id), least);
  const steps = store.campaigns.flatMap((campaign) => campaign.steps);
  const next = {
    campaign: greatest(store.campaigns, 100),
    step: greatest(steps, 5000),
    template: greatest(store.templates, 0),
  };
  // The document does not guarantee that later steps have greater ids.
  let least = steps.reduce((most, { id }) => Math.min(most, id), 4000);
  return {
    store,
    shape,
    take(kind) {
      if (kind === 'step' && shape.stepIds === 'falling') return --least;
      return ++next[kind];
    },
  };
}

export type Effect =
  | { kind: 'done'; effect: string; campaign: StoredCampaign }
  | { kind: 'nothing'; campaign: StoredCampaign }
  | { kind: 'refused'; status: 200 | 400 | 422; message: string };

type Body = Record<string, unknown>;
type Write = (campaign: StoredCampaign, body: Body, backend: Backend) => Effect;

const done = (campaign: StoredCampaign, effect: string): Effect => ({ kind: 'done', effect, campaign });
const refused = (status: 200 | 400 | 422, message: string): Effect => ({ kind: 'refused', status, message });

/** Names need not be unique. */
export function create(body: Body, { store, shape, take }: Backend): Effect {
  const campaign = draft(take('campaign'), keptText(String(body.name), shape) ?? '');
  if (shape.defaults === 'other') campaign.settings = { ...OTHER_DEFAULTS };
  store.campaigns.push(campaign);
  return done(campaign, `created ${campaign.id}`);
}

/** Writes to a campaign, by endpoint name. */
export const WRITES: Record<string, Write> = {
  update: (campaign, body, { shape }) => {
    const sent = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, kept(name, value, shape)]),
    );
    campaign.settings = { ...DEFAULT_SETTINGS, ...sent };
    return done(campaign, 'settings updated');
  },
  'create-schedule': (campaign, body, backend) => {
    const { save_as_template, ...schedule } = body as unknown as Schedule & { save_as_template: boolean };
    const effect = putSchedule(campaign, schedule, backend);
    if (effect.kind === 'done' && save_as_template) {
      backend.store.templates.push({ id: backend.take('template'), ...schedule });
    }
    return effect;
  },
  'schedule-from-template': (campaign, body, backend) => {
    const template = backend.store.templates.find(({ id }) => id === body.schedule_id);
    if (template === undefined) return refused(422, 'The selected schedule id is invalid.');
    const { id, ...schedule } = template;
    return putSchedule(campaign, schedule, backend);
  },
  'create-sequence': postSequence,
  'attach-list': (campaign, body) => {
    campaign.lists.push(Number(body.lead_list_id));
    return done(campaign, `attached list ${body.lead_list_id}`);
  },
  'attach-leads': (campaign, body) => {
    const ids = body.lead_ids as number[];
    campaign.leads.push(...ids);
    return done(campaign, `attached ${ids.length} leads`);
  },
  resume: (campaign, _body, { shape }) => {
    const incomplete = campaign.schedule === null || campaign.steps.length === 0;
    if (incomplete && shape.launch === 'complete') {
      return refused(400, 'Campaign is missing a sequence, schedule, sender emails or leads.');
    }
    campaign.status = shape.resume === 'immediate' ? 'active' : 'queued';
    campaign.pending = {
      immediate: [],
      queued: ['queued', 'launching', 'active'],
      failed: ['queued', 'failed'],
    }[shape.resume];
    return done(campaign, 'resumed');
  },
  pause: (campaign) => {
    campaign.status = 'paused';
    campaign.pending = [];
    return done(campaign, 'paused');
  },
};

/** The stored setting. A flag that is `null` may be stored as false. */
function kept(name: string, value: unknown, shape: Shape): unknown {
  if (typeof value === 'string') return keptText(value, shape);
  const flag = typeof DEFAULT_SETTINGS[name as keyof Settings] === 'boolean';
  return value === null && flag && shape.nullFlags === 'false' ? false : value;
}

function putSchedule(campaign: StoredCampaign, schedule: Schedule, { shape }: Backend): Effect {
  if (campaign.schedule !== null && shape.scheduleRepost === 'ignore') return { kind: 'nothing', campaign };
  if (campaign.schedule !== null && shape.scheduleRepost === 'refuse') {
    return refused(200, `Schedule already exists for ${campaign.name}`);
  }
  const effect = campaign.schedule === null ? 'schedule created' : 'schedule replaced';
  campaign.schedule = schedule;
  return done(campaign, effect);
}

function postSequence(campaign: StoredCampaign, body: Body, backend: Backend): Effect {
  const { shape } = backend;
  const existed = campaign.steps.length > 0;
  if (existed && shape.sequenceRepost === 'refuse') {
    return refused(200, `Sequence steps already exist for ${campaign.name}`);
  }
  const kept = shape.sequenceRepost === 'replace' ? [] : campaign.steps;
  const posted = (body.sequence_steps as unknown[]).filter(isRecord);
  const added: StoredStep[] = [];
  for (const [index, step] of posted.entries()) {
    const parent = step.variant === true ? findParent(step, { kept, added, shape }) : null;
    if (parent === undefined) {
      return refused(422, `The selected sequence_steps.${index}.variant_from_step is invalid.`);
    }
    added.push(storedStep(step, parent, { ...backend, position: kept.length + index + 1 }));
  }
  campaign.title = keptText(String(body.title), shape);
  campaign.steps = [...kept, ...added];
  return done(campaign, existed && kept.length > 0 ? 'steps appended' : 'sequence created');
}

/** A variant refers to its parent by the id of an existing step, or by the order of a step in the same request. */
function findParent(
  step: Body,
  { kept, added, shape }: { kept: StoredStep[]; added: StoredStep[]; shape: Shape },
): StoredStep | undefined {
  const bases = (shape.variants === 'step_id' ? kept : added).filter(({ variant }) => !variant);
  return bases.find(
    ({ id, order }) => (shape.variants === 'step_id' ? id : order) === step.variant_from_step,
  );
}

function storedStep(
  step: Body,
  parent: StoredStep | null,
  { shape, take, position }: Backend & { position: number },
): StoredStep {
  const reply = step.thread_reply === true && shape.replySubject === 'Re: ';
  const subject = keptText(String(step.email_subject), shape) ?? '';
  return {
    id: take('step'),
    order: parent === null ? Number(step.order ?? position) : null,
    email_subject: reply ? `Re: ${subject}` : subject,
    email_body: keptText(String(step.email_body), shape) ?? '',
    wait_in_days: Number(step.wait_in_days),
    variant: parent !== null,
    variant_from_step: parent?.id ?? null,
    thread_reply: step.thread_reply === true,
  };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
