import type { ServiceBehaviour } from '../../src/model/environment.js';
import { isObject, type JsonObject } from '../../src/model/json.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import type { StateEntry } from '../../src/model/state-entry.js';
import type { Step } from '../../src/model/step.js';
import { buildPlan, matchCampaigns, remember, replan, type Work } from '../../src/plan/index.js';
import type { CampaignContext } from '../../src/sections/index.js';
import { environment } from './environment.js';
import { deepFreeze } from './freeze.js';
import { answersOf, listed, type Quirks, send, templatesOf, type World } from './service-model.js';
import { answer } from './subject.js';

/** The service, what is known of it, and what the state remembers. */
export interface Scene {
  world: World;
  entries: StateEntry[];
  behaviour: ServiceBehaviour;
  quirks: Quirks;
}

/** Plans one manifest against the scene, with every input frozen. */
export function planScene(spec: CampaignSpec, scene: Scene): Work {
  const { world, entries, behaviour, quirks } = deepFreeze(scene);
  const campaign = deepFreeze({
    manifest: 'campaigns/spring.yaml',
    file: 'campaigns/spring.yaml',
    document: 0,
    spec,
    remarks: [],
  });
  const refreshed = matchCampaigns([campaign], listed(world, quirks), entries).map((match) => ({
    ...match,
    answers: match.id === null ? null : answersOf(world, match.id, quirks),
  }));
  const input = {
    environment: environment(behaviour),
    refreshed,
    templates: answer('GET /api/campaigns/schedule/templates', templatesOf(world, quirks)),
    entries,
    listed: listed(world, quirks),
    pending: [],
    holdLaunch: false,
    now: 0,
  };
  const [work] = buildPlan(deepFreeze(input)).work;
  if (work === undefined) throw new Error('one campaign was expected');
  return work;
}

/** Sends the steps of a plan to the model, in order, and remembers what an apply remembers. */
export function applyScene({ plan, context }: Work, scene: Scene): Scene {
  let now: CampaignContext = context;
  let { world } = scene;
  for (const step of plan.steps) {
    const bound = bind(step, now);
    const id = bound.id === 'create' ? world.nextId : now.id;
    world = deepFreeze(send(world, bound, scene.quirks));
    const answers = id === null ? null : answersOf(world, id, scene.quirks);
    now = deepFreeze({ ...now, id, listed: null, answers, recorded: remember(now.recorded, bound, 'done') });
  }
  const { id, spec, recorded } = now;
  const others = scene.entries.filter((record) => record.id !== id);
  const record = id === null ? [] : [{ id, manifest: plan.manifest, name: spec.name, recorded }];
  return { ...scene, world, entries: [...others, ...record] };
}

/** Fills in what was not known when the step was planned: the campaign's id, and by planning again the ids of its steps. */
function bind(step: Step, subject: CampaignContext): Step {
  if (!JSON.stringify(step.body).includes('{step ')) {
    return { ...step, path: step.path.replace('{campaign_id}', String(subject.id)) };
  }
  const [again, ...others] = replan(subject, [step.section]).steps;
  if (again === undefined || others.length > 0 || again.id !== step.id)
    throw new Error('the step that was planned is not the one that is left');
  if (shape(again.body) !== shape(step.body)) throw new Error('it is not what was planned');
  return again;
}

/** A body without the references to steps, which differ by design. */
function shape(body: JsonObject | null): string {
  return JSON.stringify(body, (key, value) => (key === 'variant_from_step' && !isObject(value) ? '' : value));
}
