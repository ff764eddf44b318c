import type { Answer, ListedCampaign } from '../../src/model/answer.js';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import type { Json } from '../../src/model/json.js';
import type { PlanProblem } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { CampaignContext } from '../../src/sections/index.js';
import { environment } from './environment.js';
import { deepFreeze } from './freeze.js';

export interface Shown {
  campaign?: Json;
  schedule?: Json;
  sequence?: Json;
  templates?: Json;
  listed?: ListedCampaign;
}

export interface Known {
  recorded?: Partial<RecordedState>;
  service?: Partial<ServiceBehaviour>;
  othersShowStatus?: boolean;
}

/** The planner's input for campaign 42, deeply frozen. */
export function liveContext(spec: Partial<CampaignSpec>, shown: Shown, known: Known = {}): CampaignContext {
  return deepFreeze({
    spec: { name: 'Spring installers', ...spec },
    id: 42,
    listed: shown.listed ?? null,
    answers: {
      campaign: answer('GET /api/campaigns/42', shown.campaign),
      schedule: answer('GET /api/campaigns/42/schedule', shown.schedule),
      sequence: answer('GET /api/campaigns/42/sequence-steps', shown.sequence),
    },
    templates: answer('GET /api/campaigns/schedule/templates', shown.templates),
    environment: environment(known.service),
    recorded: { ...UNKNOWN_STATE, ...known.recorded },
    othersShowStatus: known.othersShowStatus ?? false,
  });
}

/** A campaign that does not exist yet. */
export function newContext(
  spec: Partial<CampaignSpec>,
  known: Known & { templates?: Json } = {},
): CampaignContext {
  const { templates = undefined, ...rest } = known;
  return deepFreeze({
    ...liveContext(spec, templates === undefined ? {} : { templates }, rest),
    id: null,
    answers: null,
  });
}

export function answer(endpoint: string, body: Json | undefined): Answer | null {
  return body === undefined ? null : { endpoint, none: body === null, body };
}

/** Reduces problems to severity and code, for tests in which the wording does not matter. */
export function codes(problems: readonly PlanProblem[]): string[] {
  return problems.map(({ severity, code }) => `${severity} ${code}`);
}

export function coded<Plan extends { problems: readonly PlanProblem[] }>(plan: Plan) {
  return { ...plan, problems: codes(plan.problems) };
}

export const IN_SYNC = { changes: [], problems: [], steps: [] };

/** A section that the manifest does not manage. */
export const NOT_MANAGED = { ...IN_SYNC, live: null };
