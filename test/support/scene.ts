/** Plans and applies one manifest in memory, with the tests' service and without a network. */
import type { ListedCampaign } from '../../src/model/answer.js';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import { isObject, type Json, type JsonObject, leadsIn } from '../../src/model/json.js';
import type { Step } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { StateEntry } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { buildPlan } from '../../src/plan/build.js';
import { matchCampaigns } from '../../src/plan/match.js';
import type { Planned } from '../../src/plan/planned.js';
import { recordStep, replan } from '../../src/sections/all.js';
import { initialUpdate } from '../../src/sections/settings.js';
import { withFacts } from '../../src/sections/target.js';
import { type Answers, answer, liveOf, templatesOf } from './context.js';
import { environment } from './environment.js';
import { deepFreeze } from './freeze.js';
import {
  campaignRecord,
  campaignRow,
  scheduleRecord,
  stepRecords,
  templateRecord,
} from './service/answers.js';
import { openService, TOKEN } from './service/service.js';
import { BASE, type Shape } from './service/shape.js';
import { DEFAULT_SETTINGS, type Store } from './service/store.js';
import { planInput, targetOf } from './works.js';

/** `behaviour`: the values of `service:` in the project file. */
export interface Scene {
  store: Store;
  shape: Shape;
  behaviour: ServiceBehaviour;
  entries: StateEntry[];
}

/** Plans one manifest, with all inputs frozen. */
export function planScene(spec: CampaignSpec, scene: Scene): Planned {
  const { store, shape, entries, behaviour } = deepFreeze(scene);
  const campaign = deepFreeze({
    manifest: 'campaigns/spring.yaml',
    file: 'campaigns/spring.yaml',
    document: 0,
    spec,
    remarks: [],
  });
  const listed = listedOf(store, shape);
  const context = { environment: environment(behaviour), listed, entries };
  const records = store.templates.map((template) => templateRecord(template, shape)) as Json;
  const templates = templatesOf(records);
  const targets = matchCampaigns([campaign], context).map((target) => {
    const answers = target.id === null ? null : answersOf(store, target.id, shape);
    return { ...targetOf({ ...target, answers, service: context.environment }), templates };
  });
  const input = {
    environment: context.environment,
    targets,
    entries,
    listed,
    pending: [],
    now: 0,
  };
  const [work] = buildPlan(deepFreeze(planInput(input))).works;
  if (work === undefined) throw new Error('one campaign was expected');
  return work;
}

/** Sends a plan's steps in order, and records them as apply does. */
export function applyScene({ plan, target }: Planned, scene: Scene): Scene {
  let now: Target = target;
  let { store } = scene;
  for (const step of plan.steps) {
    const bound = bind(step, now);
    store = deepFreeze(send(store, bound, scene.shape));
    const id = bound.id === 'create' ? (store.campaigns.at(-1)?.id ?? null) : now.id;
    const live = id === null ? null : liveOf(answersOf(store, id, scene.shape), null);
    now = deepFreeze(withFacts(now, { id, live, recorded: recordStep(now.recorded, bound, 'done') }));
  }
  const { id, spec, recorded } = now;
  const others = scene.entries.filter((entry) => entry.id !== id);
  const values = id === null ? [] : [{ id, manifest: plan.manifest, name: spec.name, recorded }];
  return { ...scene, store, entries: [...others, ...values] };
}

/** Fills in ids that were unknown when the step was planned. Plans again for the ids of sequence steps. */
function bind(step: Step, context: Target): Step {
  if (step.id === 'settings' && step.path.includes('{campaign_id}'))
    return { ...step, path: `/api/campaigns/${context.id}/update`, body: initialUpdate(context) };
  if (!JSON.stringify(step.body).includes('{step ')) {
    return { ...step, path: step.path.replace('{campaign_id}', String(context.id)) };
  }
  const [again, ...others] = replan(context, [step.section]).steps;
  if (again === undefined || others.length > 0 || again.id !== step.id)
    throw new Error('the step that was planned is not the one that is left');
  if (unbound(again.body) !== unbound(step.body)) throw new Error('it is not what was planned');
  return again;
}

/** Omits references to steps, which differ by design. */
function unbound(body: JsonObject | null): string {
  return JSON.stringify(body, (key, value) => (key === 'variant_from_step' && !isObject(value) ? '' : value));
}

function send(store: Store, { method, path, body }: Step, shape: Shape): Store {
  const next = structuredClone(store);
  const { answer, requests, violations } = openService(shape, next);
  const headers = {
    authorization: `Bearer ${TOKEN}`,
    contentType: body === null ? undefined : 'application/json',
  };
  answer({ method, url: new URL(path, 'https://send.example.com'), ...headers, body: body ?? undefined });
  const [request] = requests;
  if (violations.length > 0 || !request?.effect) throw new Error(JSON.stringify({ violations, request }));
  whole(path, body ?? {});
  return next;
}

const STEP = ['title', 'email_subject', 'email_body', 'wait_in_days', 'thread_reply'];

/** Checks that bodies are complete: all settings, and all documented fields of each step. */
function whole(path: string, body: JsonObject): void {
  if (path.endsWith('/update')) exactly(body, Object.keys(DEFAULT_SETTINGS));
  const steps = Array.isArray(body.sequence_steps) ? body.sequence_steps.filter(isObject) : [];
  for (const step of steps)
    exactly(step, [...STEP, ...(step.variant === true ? ['variant', 'variant_from_step'] : ['order'])]);
}

function exactly(sent: JsonObject, fields: readonly string[]): void {
  if (Object.keys(sent).sort().join() !== [...fields].sort().join())
    throw new Error(`fields ${Object.keys(sent)}, expected ${fields}`);
}

function listedOf({ campaigns }: Store, shape: Shape): ListedCampaign[] {
  return campaigns.map((campaign) => {
    const row = campaignRow(campaign, shape) as JsonObject;
    const status = typeof row.status === 'string' && row.status !== '' ? row.status : null;
    return { id: campaign.id, name: campaign.name, status, total_leads: leadsIn(row), updated_at: null };
  });
}

/** All responses about one campaign, without envelopes. */
function answersOf({ campaigns }: Store, id: number, shape: Shape): Answers {
  const campaign = campaigns.find((other) => other.id === id);
  if (campaign === undefined) throw new Error(`no campaign ${id}`);
  const { schedule } = campaign;
  const steps = stepRecords(campaign, shape);
  const title = shape.title === 'shown' ? campaign.title : null;
  const values = { ...shape, settings: BASE.settings, idKey: BASE.idKey };
  return {
    campaign: answer(`GET /api/campaigns/${id}`, campaignRecord(campaign, values) as Json),
    schedule: answer(
      `GET /api/campaigns/${id}/schedule`,
      schedule === null ? null : (scheduleRecord(schedule, shape) as Json),
    ),
    sequence: answer(
      `GET /api/campaigns/${id}/sequence-steps`,
      steps.length === 0 ? null : ({ title, steps } as Json),
    ),
  };
}
