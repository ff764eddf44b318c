import type { AnswerName, ListedCampaign } from '../../src/model/answer.js';
import type { ServiceBehaviour } from '../../src/model/environment.js';
import { isObject, type Json } from '../../src/model/json.js';
import { type LiveCampaign, type LiveParts, liveCampaign, UNREAD } from '../../src/model/live.js';
import type { PlanProblem } from '../../src/model/outputs.js';
import type { CampaignSpec } from '../../src/model/spec.js';
import { type RecordedState, UNKNOWN_STATE } from '../../src/model/state.js';
import type { Target } from '../../src/model/target.js';
import { specTarget, withFacts } from '../../src/sections/target.js';
import { readId } from '../../src/service/decode.js';
import { type Answer, decodePart, decodeTemplate } from '../../src/service/live.js';
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
export function liveContext(spec: Partial<CampaignSpec>, shown: Shown, known: Known = {}): Target {
  const row = shown.listed ?? null;
  const answers = {
    campaign: answer('GET /api/campaigns/42', shown.campaign),
    schedule: answer('GET /api/campaigns/42/schedule', shown.schedule),
    sequence: answer('GET /api/campaigns/42/sequence-steps', shown.sequence),
  };
  const target = specTarget({ name: 'Spring installers', ...spec }, environment(known.service));
  const facts = {
    id: 42,
    live: liveOf(answers, row, known.othersShowStatus),
    recorded: { ...UNKNOWN_STATE, ...known.recorded },
  };
  return deepFreeze(withFacts({ ...target, row, templates: templatesOf(shown.templates) }, facts));
}

/** A campaign that does not exist yet. */
export function newContext(spec: Partial<CampaignSpec>, known: Known & { templates?: Json } = {}): Target {
  const { templates = undefined, ...rest } = known;
  const live = liveContext(spec, templates === undefined ? {} : { templates }, rest);
  return deepFreeze(withFacts(live, { id: null, live: null }));
}

/** Responses without their envelopes; `null` if not read. */
export type Answers = { [Name in AnswerName]: Answer | null };

export function answer(endpoint: string, body: Json | undefined): Answer | null {
  return body === undefined ? null : { endpoint, body };
}

export function liveOf(answers: Answers, row: ListedCampaign | null, othersShowStatus = false): LiveCampaign {
  const part = <Name extends AnswerName>(name: Name): LiveParts[Name] => {
    const shown = answers[name];
    return shown === null ? UNREAD[name] : decodePart(name, shown);
  };
  const parts = { campaign: part('campaign'), schedule: part('schedule'), sequence: part('sequence') };
  return liveCampaign(parts, { row, othersShowStatus });
}

export function templatesOf(list: Json | undefined) {
  if (!Array.isArray(list)) return list === undefined ? null : [];
  const endpoint = 'GET /api/campaigns/schedule/templates';
  return list.filter(isObject).map((record) => decodeTemplate(endpoint, readId(record.id) ?? 0, record));
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
