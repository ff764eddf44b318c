import type { Answer, Answers, ListedCampaign, ResourceName } from '../model/answer.js';
import type { AspectName } from '../model/change.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { type CampaignRecord, UNKNOWN } from '../model/memory.js';
import type { Action, CampaignPlan, Plan, Summary } from '../model/plan.js';
import type { Portrait, Sides } from '../model/portrait.js';
import type { Problem } from '../model/problem.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import type { Trail } from '../model/trail.js';
import { ASPECTS, type Subject } from '../sections/index.js';
import { decided, fingerprint } from './fingerprint.js';
import { lostWorkspace, massChange } from './hazards.js';
import { withoutLaunch } from './launch.js';
import type { Match } from './match.js';
import { inOrder } from './order.js';
import { withOrigins } from './origins.js';
import { createReach } from './reach.js';
import { settle } from './settle.js';

/** What was read for one manifest; `answers` is null where the campaign does not exist. */
export interface Looked extends Pick<Match, 'campaign' | 'id' | 'listed' | 'problems'> {
  answers: Answers | null;
}

/**
 * Everything a plan is made from. `listed`: the whole workspace, or nothing where every manifest is pinned. `trails`: what
 * earlier runs did not bring to an end. `holdLaunch`: leave launches out on purpose.
 */
export interface PlanInput {
  environment: Environment;
  looked: readonly Looked[];
  templates: Answer | null;
  listed: readonly ListedCampaign[];
  records: readonly CampaignRecord[];
  trails: readonly Trail[];
  holdLaunch: boolean;
  /** Milliseconds since 1970, for the reach of launches. */
  now: number;
}

/** A campaign's part of the plan, and what it was made from: apply needs both. `live` is what its aspects saw. */
export interface Work {
  campaign: Campaign;
  subject: Subject;
  trails: Trail[];
  live: unknown;
  plan: CampaignPlan;
}

/** The plan of all manifests, and the work behind each of its campaigns in the same order. */
export function buildPlan(input: PlanInput): { plan: Plan; work: Work[] } {
  const reachOf = createReach(input.now);
  const memories = new Map(input.records.map(({ id, memory }) => [id, memory]));
  const work = input.looked.map((looked) => {
    const { environment, templates } = input;
    const { campaign, id, listed, answers } = looked;
    const memory = id === null ? UNKNOWN : (memories.get(id) ?? UNKNOWN);
    const subject = { environment, templates, spec: campaign.spec, id, listed, answers, memory };
    const trails = trailsOf(campaign, id, input.trails);
    return planCampaign(looked, settled(subject, trails), { ...input, reachOf });
  });
  const campaigns = work.map(({ plan }) => plan);
  stopOnErrors(campaigns);
  const { environment, listed, records } = input;
  const unsigned: Omit<Plan, 'fingerprint' | 'shows'> = {
    version: 1,
    environment: environment.name,
    base_url: environment.sandbox === null ? environment.base_url : 'sandbox',
    summary: summarize(campaigns),
    problems: [
      ...lostWorkspace(campaigns, listed, records),
      ...massChange(campaigns, listed.length),
      ...orphaned(input),
    ],
    campaigns,
  };
  const print = fingerprint({
    plan: { ...unsigned, campaigns: campaigns.map(decided) },
    live: work.map(({ live }) => live),
  });
  const { version, environment: name, base_url, ...rest } = unsigned;
  return { plan: { version, environment: name, base_url, fingerprint: print, shows: 'all', ...rest }, work };
}

/** What earlier runs left of this campaign; of another campaign than the one that is there, it says nothing. */
function trailsOf({ manifest, spec }: Campaign, id: number | null, trails: readonly Trail[]): Trail[] {
  const own = trails.filter((trail) => trail.name === spec.name && (trail.id === null || trail.id === id));
  const same = own.filter((trail) => trail.manifest === manifest);
  return same.length > 0 ? same : own;
}

/** What an earlier run left of a campaign that no manifest names any more: nobody will settle it. */
function orphaned({ trails, looked, listed }: PlanInput): Problem[] {
  const names = new Set(looked.map(({ campaign }) => campaign.spec.name));
  const files = new Set(looked.map(({ campaign }) => campaign.manifest));
  return trails
    .filter(({ name, manifest, sent }) => {
      const isOpen = sent.some(({ result }) => result === 'unknown' || result === 'in_doubt');
      // With --target or files named, the manifest may only not have been looked at.
      return isOpen && !names.has(name) && files.has(manifest);
    })
    .map(({ name, manifest, at, who }) => {
      const there = listed.filter((one) => one.name === name).map(({ id }) => id);
      const now = there.length === 0 ? 'is not listed' : `is campaign ${there.join(', ')}`;
      return {
        code: 'unfinished-run',
        severity: 'warning',
        message: `An earlier run (${who}, ${at}) ended before it knew what became of what it sent for "${name}", which ${now}; ${manifest} has another name now.`,
        hint: 'Look at it in the web page of the service. campaignctl history shows that run.',
      };
    });
}

interface Settled {
  subject: Subject;
  trails: Trail[];
  told: Problem[];
}

/** Earlier runs first, each on top of what the one before left to be remembered. */
function settled(subject: Subject, trails: Trail[]): Settled {
  const start: Settled = { subject, trails, told: [] };
  return trails.reduce((so, trail) => {
    const { memory, problems } = settle(trail, so.subject);
    return { trails, subject: { ...so.subject, memory }, told: [...so.told, ...problems] };
  }, start);
}

/** The answers that planning this spec needs; a pinned campaign is always read, to know that it is there. */
export function resourcesOf(spec: CampaignSpec): ResourceName[] {
  const managed = ASPECTS.flatMap((aspect) => aspect.reads(spec));
  return [...new Set<ResourceName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

function planCampaign(
  looked: Looked,
  { subject, trails, told }: Settled,
  { holdLaunch, reachOf }: Pick<PlanInput, 'holdLaunch'> & { reachOf: ReturnType<typeof createReach> },
): Work {
  const { campaign, id } = looked;
  const found = [...looked.problems, ...told, ...campaign.remarks];
  const base = { manifest: campaign.manifest, name: campaign.spec.name, id };
  const missing = pinnedButGone(subject);
  if (missing !== null || found.some(({ severity }) => severity === 'error')) {
    const problems = [...found, ...(missing === null ? [] : [missing])];
    return {
      campaign,
      subject,
      trails,
      live: null,
      plan: {
        ...base,
        action: 'none',
        changes: [],
        steps: [],
        problems,
        sides: null,
        reach: null,
        last: null,
      },
    };
  }
  const parts = ASPECTS.map((aspect) => ({ name: aspect.name, ...aspect.plan(subject) }));
  const said = [...found, ...parts.flatMap((part) => part.problems)];
  const gone = said.some(({ code }) => code === 'campaign-gone');
  // Nothing is sent to a campaign that is gone, so nothing of it has to be accepted.
  const problems = gone ? said.filter(({ severity }) => severity !== 'hazard') : said;
  const steps = gone ? [] : inOrder(parts.flatMap((part) => part.steps));
  const gated = withoutLaunch({ steps, problems }, holdLaunch);
  const differing = parts.flatMap((part) => part.changes);
  const changes = withOrigins(subject, differing, sentBy(trails));
  const action = actionOf({ id, changes, ...gated });
  const sides = action === 'none' ? null : portray(subject);
  const launches = gated.steps.some((step) => step.id === 'launch');
  const reach = sides !== null && launches ? reachOf(subject, sides, changes) : null;
  const { last } = subject.memory;
  return {
    campaign,
    subject,
    trails,
    live: Object.fromEntries(parts.map(({ name, live }) => [name, live])),
    plan: { ...base, action, changes, ...gated, sides, reach, last: last && { at: last.at, how: last.how } },
  };
}

/** The parts of which an earlier run sent something that it did not come to remember. */
function sentBy(trails: readonly Trail[]): AspectName[] {
  return trails.flatMap(({ sent }) => sent.map(({ step }) => step.aspect));
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

function actionOf({
  id,
  changes,
  steps,
  problems,
}: Pick<CampaignPlan, 'id' | 'changes' | 'steps' | 'problems'>): Action {
  if (steps.length > 0) return id === null ? 'create' : 'change';
  if (problems.some(({ severity }) => severity === 'blocked')) return 'blocked';
  return changes.length > 0 ? 'change' : 'none';
}

function portray(subject: Subject): Sides {
  const parts = ASPECTS.map((aspect) => ({ name: aspect.name, ...aspect.portray(subject) }));
  const side = (of: 'live' | 'desired') =>
    Object.fromEntries(
      parts.filter(({ name }) => name !== 'campaign').map((part) => [part.name, part[of]]),
    ) as unknown as Portrait;
  return { live: subject.id === null ? null : side('live'), desired: side('desired') };
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
