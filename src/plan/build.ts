import { ASPECTS, type Subject } from '../aspects/index.js';
import type { Answer, Answers, ResourceName } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { type CampaignRecord, UNKNOWN } from '../model/memory.js';
import type { Action, CampaignPlan, Plan, Summary } from '../model/plan.js';
import type { Problem } from '../model/problem.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { fingerprint } from './fingerprint.js';
import { massChange } from './hazards.js';
import { withoutLaunch } from './launch.js';
import type { Match } from './match.js';
import { inOrder } from './order.js';

/** What was read for one manifest; `answers` is null where the campaign does not exist. */
export interface Looked extends Match {
  answers: Answers | null;
}

/** Everything a plan is made from. `liveCount`: campaigns in the list. `holdLaunch`: leave launches out on purpose. */
export interface PlanInput {
  environment: Environment;
  looked: readonly Looked[];
  templates: Answer | null;
  records: readonly CampaignRecord[];
  liveCount: number;
  holdLaunch: boolean;
}

/** A campaign's part of the plan, and what it was made from: apply needs both. */
export interface Work {
  campaign: Campaign;
  subject: Subject;
  plan: CampaignPlan;
}

/** The plan of all manifests, and the work behind each of its campaigns in the same order. */
export function buildPlan(input: PlanInput): { plan: Plan; work: Work[] } {
  const memories = new Map(input.records.map(({ id, memory }) => [id, memory]));
  const built = input.looked.map((looked) => {
    const memory = looked.id === null ? UNKNOWN : (memories.get(looked.id) ?? UNKNOWN);
    const { environment, templates } = input;
    const { spec } = looked.campaign;
    const { id, listed, answers } = looked;
    const subject: Subject = { environment, templates, spec, id, listed, answers, memory };
    return planCampaign(looked, subject, input.holdLaunch);
  });
  const work = built.map(({ live, ...rest }) => rest);
  const campaigns = work.map(({ plan }) => plan);
  stopOnErrors(campaigns);
  const unsigned: Omit<Plan, 'fingerprint'> = {
    version: 1,
    environment: input.environment.name,
    base_url: input.environment.sandbox === null ? input.environment.base_url : 'sandbox',
    summary: summarize(campaigns),
    problems: massChange(campaigns, input.liveCount),
    campaigns,
  };
  const print = fingerprint({ plan: unsigned, live: built.map(({ live }) => live) });
  const { version, environment, base_url, ...rest } = unsigned;
  return { plan: { version, environment, base_url, fingerprint: print, ...rest }, work };
}

/** The answers that planning this spec needs; a pinned campaign is always read, to know that it is there. */
export function resourcesOf(spec: CampaignSpec): ResourceName[] {
  const managed = ASPECTS.flatMap((aspect) => aspect.reads(spec));
  return [...new Set<ResourceName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

function planCampaign(looked: Looked, subject: Subject, holdLaunch: boolean): Work & { live: unknown } {
  const { campaign, id, problems: found } = looked;
  const base = { manifest: campaign.manifest, name: campaign.spec.name, id };
  const missing = pinnedButGone(subject);
  if (missing !== null || found.some(({ severity }) => severity === 'error')) {
    const problems = [...found, ...(missing === null ? [] : [missing])];
    return {
      campaign,
      subject,
      live: null,
      plan: { ...base, action: 'none', changes: [], steps: [], problems },
    };
  }
  const parts = ASPECTS.map((aspect) => aspect.plan(subject));
  const said = [...found, ...parts.flatMap((part) => part.problems)];
  const gone = said.some(({ code }) => code === 'campaign-gone');
  // Nothing is sent to a campaign that is gone, so nothing of it has to be accepted.
  const problems = gone ? said.filter(({ severity }) => severity !== 'hazard') : said;
  const steps = gone ? [] : inOrder(parts.flatMap((part) => part.steps));
  const gated = withoutLaunch({ steps, problems }, holdLaunch);
  const changes = parts.flatMap((part) => part.changes);
  const plan = { ...base, action: 'none' as const, changes, ...gated };
  return {
    campaign,
    subject,
    live: parts.map((part) => part.live),
    plan: { ...plan, action: actionOf(plan) },
  };
}

function pinnedButGone({ spec, id, answers, environment }: Subject): Problem | null {
  if (spec.id === undefined || answers?.campaign?.none !== true) return null;
  return {
    code: 'pinned-not-found',
    severity: 'error',
    message: `"${spec.name}" is pinned to campaign ${id}, which the service does not have.`,
    hint: `Check the id, and whether the token for environment ${environment.name} belongs to the right workspace.`,
  };
}

function actionOf({ id, changes, steps, problems }: CampaignPlan): Action {
  if (steps.length > 0) return id === null ? 'create' : 'change';
  if (problems.some(({ severity }) => severity === 'blocked')) return 'blocked';
  return changes.length > 0 ? 'change' : 'none';
}

function summarize(campaigns: readonly CampaignPlan[]): Summary {
  const count = (test: (campaign: CampaignPlan) => boolean) => campaigns.filter(test).length;
  const withStep = (id: string) => count(({ steps }) => steps.some((step) => step.id === id));
  return {
    create: count(({ action }) => action === 'create'),
    change: count(({ action }) => action === 'change'),
    unchanged: count(({ action }) => action === 'none'),
    blocked: count(({ problems }) => problems.some(({ severity }) => severity === 'blocked')),
    launch: withStep('launch'),
    pause: withStep('pause'),
    requests: campaigns.reduce((sum, { steps }) => sum + steps.length, 0),
  };
}

function stopOnErrors(campaigns: readonly CampaignPlan[]): void {
  const errors = campaigns.flatMap(({ problems }) => problems.filter(({ severity }) => severity === 'error'));
  const unique = errors.filter(
    (error, index) => errors.findIndex(({ message }) => message === error.message) === index,
  );
  const [first, ...others] = unique;
  if (first !== undefined) throw new Failure(first, { others });
}
