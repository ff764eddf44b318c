import { isRecord } from './record.js';
import type { Shape } from './shape.js';
import {
  DEFAULT_SETTINGS,
  draft,
  keptText,
  type Schedule,
  type Settings,
  type Store,
  type StoredCampaign,
  type StoredStep,
} from './store.js';

/** The service in the middle of a request. `take` gives a new id. */
export interface Scene {
  store: Store;
  shape: Shape;
  take(kind: 'campaign' | 'step' | 'template'): number;
}

/** What came of a write: what was done, in a word for the record, or why it was refused. */
export type Effect =
  | { kind: 'done'; effect: string; campaign: StoredCampaign }
  | { kind: 'nothing'; campaign: StoredCampaign }
  | { kind: 'refused'; status: 200 | 400 | 422; message: string };

type Body = Record<string, unknown>;
type Write = (campaign: StoredCampaign, body: Body, scene: Scene) => Effect;

const done = (campaign: StoredCampaign, effect: string): Effect => ({ kind: 'done', effect, campaign });
const refused = (status: 200 | 400 | 422, message: string): Effect => ({ kind: 'refused', status, message });

/** Makes a campaign, whatever others are called. */
export function create(body: Body, { store, shape, take }: Scene): Effect {
  const campaign = draft(take('campaign'), keptText(String(body.name), shape) ?? '');
  store.campaigns.push(campaign);
  return done(campaign, `created ${campaign.id}`);
}

/** The writes to a campaign, by the name of their endpoint. */
export const WRITES: Record<string, Write> = {
  update: (campaign, body, { shape }) => {
    const sent = Object.fromEntries(
      Object.entries(body).map(([name, value]) => [name, kept(name, value, shape)]),
    );
    // What is not sent is reset: the hardest reading of the rule.
    campaign.settings = { ...DEFAULT_SETTINGS, ...(sent as Partial<Settings>) };
    return done(campaign, 'settings updated');
  },
  'create-schedule': (campaign, body, scene) => {
    const { save_as_template, ...schedule } = body as unknown as Schedule & { save_as_template: boolean };
    const effect = putSchedule(campaign, schedule, scene);
    if (effect.kind === 'done' && save_as_template) {
      scene.store.templates.push({ id: scene.take('template'), ...schedule });
    }
    return effect;
  },
  'schedule-from-template': (campaign, body, scene) => {
    const template = scene.store.templates.find(({ id }) => id === body.schedule_id);
    if (template === undefined) return refused(422, 'The selected schedule id is invalid.');
    const { id, ...schedule } = template;
    return putSchedule(campaign, schedule, scene);
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
    if (campaign.schedule === null || campaign.steps.length === 0) {
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

/** A setting as it is kept: a flag that is null may be kept as false. */
function kept(name: string, value: unknown, shape: Shape): unknown {
  if (typeof value === 'string') return keptText(value, shape);
  const flag = name !== 'unsubscribe_text' && !name.startsWith('max_');
  return value === null && flag && shape.nullFlags === 'false' ? false : value;
}

function putSchedule(campaign: StoredCampaign, schedule: Schedule, { shape }: Scene): Effect {
  if (campaign.schedule !== null && shape.scheduleRepost === 'ignore') return { kind: 'nothing', campaign };
  if (campaign.schedule !== null && shape.scheduleRepost === 'refuse') {
    return refused(200, `Schedule already exists for ${campaign.name}`);
  }
  const effect = campaign.schedule === null ? 'schedule created' : 'schedule replaced';
  campaign.schedule = schedule;
  return done(campaign, effect);
}

function postSequence(campaign: StoredCampaign, body: Body, scene: Scene): Effect {
  const { shape } = scene;
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
    added.push(storedStep(step, parent, { ...scene, position: kept.length + index + 1 }));
  }
  campaign.title = keptText(String(body.title), shape);
  campaign.steps = [...kept, ...added];
  return done(campaign, existed && kept.length > 0 ? 'steps appended' : 'sequence created');
}

/** A variant names its parent by the id of a step that is there already, or by the order of one sent with it. */
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
  { shape, take, position }: Scene & { position: number },
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
