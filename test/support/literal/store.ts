/** What the service keeps, and the effect of each write, as the API document describes them. */

export type Row = Record<string, unknown>;

export const DEFAULTS = {
  max_emails_per_day: 1000,
  max_new_leads_per_day: 1000,
  plain_text: false,
  open_tracking: false,
  reputation_building: false,
  can_unsubscribe: false,
  unsubscribe_text: null,
};

export interface Step {
  id: number;
  row: Row;
}

/** `settings`: only those that were set. `launches`: the number of accepted resumes. */
export interface Campaign {
  id: number;
  name: string;
  settings: Row;
  schedule: Row | null;
  title: string | null;
  steps: Step[];
  lists: number[];
  leads: number[];
  state: 'draft' | 'active' | 'paused';
  launches: number;
}

export interface Store {
  campaigns: Campaign[];
  templates: ({ id: number } & Row)[];
  lastId: number;
}

/** Thrown for a request that the document does not allow. */
export class Refusal extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

interface Field {
  isRequired: boolean;
  accepts(value: unknown): boolean;
}

const needed = (accepts: Field['accepts']): Field => ({ isRequired: true, accepts });
const optional = (accepts: Field['accepts']): Field => ({
  isRequired: false,
  accepts: (value) => value === null || accepts(value),
});

const isText = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isInteger = (value: unknown) => Number.isSafeInteger(value);
const isTime = (value: unknown) => /^(?:[01]\d|2[0-3]):[0-5]\d$/.test(String(value));
const isZone = (value: unknown) => /^[A-Z]\w+(?:\/[A-Z][\w]+){1,2}$/.test(String(value));
const isPosition = (value: unknown) => isInteger(value) && Number(value) >= 1;

const DAYS = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'];
const BOOLEANS = ['plain_text', 'open_tracking', 'reputation_building', 'can_unsubscribe'];

const SETTINGS: Record<string, Field> = {
  max_emails_per_day: optional(isInteger),
  max_new_leads_per_day: optional(isInteger),
  ...Object.fromEntries(BOOLEANS.map((name) => [name, optional(isBoolean)])),
  unsubscribe_text: optional(isText),
};
const SCHEDULE: Record<string, Field> = {
  ...Object.fromEntries(DAYS.map((day) => [day, needed(isBoolean)])),
  start_time: needed(isTime),
  end_time: needed(isTime),
  timezone: needed(isZone),
  save_as_template: needed(isBoolean),
};
export const SCHEDULE_FIELDS = Object.keys(SCHEDULE).filter((name) => name !== 'save_as_template');

const SEQUENCE: Record<string, Field> = {
  title: needed(isText),
  sequence_steps: needed((value) => Array.isArray(value) && value.length > 0),
};
const STEP: Record<string, Field> = {
  title: needed(isText),
  email_subject: needed(isText),
  email_body: needed(isText),
  wait_in_days: needed(isInteger),
  thread_reply: needed(isBoolean),
  variant: optional(isBoolean),
  variant_from_step: optional(isInteger),
};

/** Refuses unknown, missing and wrong fields. */
function checked(body: unknown, fields: Record<string, Field>): Row {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new Refusal(422, 'The body must be an object.');
  const row = body as Row;
  for (const name of Object.keys(row))
    if (!Object.hasOwn(fields, name)) throw new Refusal(422, `The field ${name} is unknown.`);
  for (const [name, { isRequired, accepts }] of Object.entries(fields)) {
    if (row[name] === undefined && !isRequired) continue;
    if (!accepts(row[name])) throw new Refusal(422, `The field ${name} is missing or wrong.`);
  }
  return row;
}

export function createCampaign(store: Store, body: unknown): Campaign {
  const { name } = checked(body, { name: needed((value) => isText(value) && value !== '') });
  const campaign: Campaign = {
    ...{ id: nextId(store), name: String(name), settings: {}, schedule: null, title: null, steps: [] },
    ...{ lists: [], leads: [], state: 'draft', launches: 0 },
  };
  store.campaigns.push(campaign);
  return campaign;
}

function nextId(store: Store): number {
  store.lastId += 1;
  return store.lastId;
}

/** `needsOrder`: true if a step that is no variant is refused without its position. */
export interface Rules {
  needsOrder: boolean;
}

type Effect = (campaign: Campaign, body: unknown, store: Store, rules: Rules) => void;

/** The writes below /api/campaigns/{id}, by method and the end of the path. */
export const WRITES: Record<string, Effect> = {
  'PATCH /update': (campaign, body) => {
    const unsent = Object.fromEntries(BOOLEANS.map((name) => [name, false]));
    campaign.settings = { ...campaign.settings, ...unsent, ...checked(body, SETTINGS) };
  },
  'POST /schedule': (campaign, body, store) => {
    const { save_as_template, ...schedule } = checked(body, SCHEDULE);
    campaign.schedule = schedule;
    if (save_as_template) store.templates.push({ ...schedule, id: nextId(store) });
  },
  'POST /create-schedule-from-template': (campaign, body, store) => {
    const { schedule_id } = checked(body, { schedule_id: needed(isInteger) });
    const template = store.templates.find(({ id }) => id === schedule_id);
    if (template === undefined) throw new Refusal(404, 'There is no such template.');
    const { id: _id, ...schedule } = template;
    campaign.schedule = schedule;
  },
  'POST /sequence-steps': addSteps,
  'POST /leads/attach-lead-list': (campaign, body) => {
    campaign.lists.push(Number(checked(body, { lead_list_id: needed(isInteger) }).lead_list_id));
  },
  'POST /leads/attach-leads': (campaign, body) => {
    const isIds = (value: unknown) => Array.isArray(value) && value.length > 0 && value.every(isInteger);
    campaign.leads.push(...(checked(body, { lead_ids: needed(isIds) }).lead_ids as number[]));
  },
  'PATCH /resume': (campaign, body) => {
    withoutBody(body);
    const isSetUp =
      Object.keys(campaign.settings).length > 0 && campaign.schedule && campaign.steps.length > 0;
    if (!isSetUp) throw new Refusal(400, 'The campaign has not been set up.');
    campaign.state = 'active';
    campaign.launches += 1;
  },
  'PATCH /pause': (campaign, body) => {
    withoutBody(body);
    campaign.state = 'paused';
  },
};

function withoutBody(body: unknown): void {
  if (body !== undefined) throw new Refusal(422, 'This request takes no body.');
}

function addSteps(campaign: Campaign, body: unknown, store: Store, { needsOrder }: Rules): void {
  const { title, sequence_steps } = checked(body, SEQUENCE);
  const rows = (sequence_steps as unknown[]).map((step) =>
    checked(step, { ...STEP, order: optional(isPosition) }),
  );
  for (const { variant, variant_from_step, order } of rows) {
    if (variant !== true && needsOrder && order === undefined)
      throw new Refusal(422, 'The field order is missing.');
    if (variant === true && !campaign.steps.some(({ id }) => id === variant_from_step))
      throw new Refusal(422, 'variant_from_step must be the ID of a step.');
  }
  campaign.title ??= String(title);
  campaign.steps.push(...rows.map((row) => ({ id: nextId(store), row })));
}
