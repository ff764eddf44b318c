import type { Answer, Answers, ListedCampaign, ResourceName } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type {
  Action,
  BeforeAfter,
  CampaignPlan,
  Content,
  Plan,
  SectionName,
  Summary,
} from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import type { Campaign, CampaignSpec } from '../model/spec.js';
import { type PendingOperations, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { type CampaignContext, SECTIONS } from '../sections/index.js';
import { withOrigins } from './drift.js';
import { decided, fingerprint } from './fingerprint.js';
import { lostWorkspace, massChange } from './hazards.js';
import { createImpact } from './impact.js';
import type { Match } from './match.js';
import { inOrder, withoutLaunch } from './order.js';
import { reconcile } from './reconcile.js';

/** What was read for one manifest; `answers` is null where the campaign does not exist. */
export interface RefreshedCampaign extends Pick<Match, 'campaign' | 'id' | 'listed' | 'problems'> {
  answers: Answers | null;
}

/**
 * Everything a plan is made from. `listed`: the whole workspace, or nothing where every manifest is pinned. `pending`: what
 * earlier runs did not bring to an end. `holdLaunch`: leave launches out on purpose.
 */
export interface PlanInput {
  environment: Environment;
  refreshed: readonly RefreshedCampaign[];
  templates: Answer | null;
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
  pending: readonly PendingOperations[];
  holdLaunch: boolean;
  /** Milliseconds since 1970, for the reach of launches. */
  now: number;
}

/** A campaign's part of the plan, and what it was made from: apply needs both. `live` is what its sections saw. */
export interface Work {
  campaign: Campaign;
  context: CampaignContext;
  pending: PendingOperations[];
  live: unknown;
  plan: CampaignPlan;
}

/** The plan of all manifests, and the work behind each of its campaigns in the same order. */
export function buildPlan(input: PlanInput): { plan: Plan; work: Work[] } {
  const impactOf = createImpact(input.now);
  const known = new Map(input.entries.map(({ id, recorded }) => [id, recorded]));
  const work = input.refreshed.map((refreshed) => {
    const { environment, templates } = input;
    const { campaign, id, listed, answers } = refreshed;
    const recorded = id === null ? UNKNOWN_STATE : (known.get(id) ?? UNKNOWN_STATE);
    const context = { environment, templates, spec: campaign.spec, id, listed, answers, recorded };
    const pending = pendingOf(campaign, id, input.pending);
    return planCampaign(refreshed, reconciled(context, pending), { ...input, impactOf });
  });
  const campaigns = work.map(({ plan }) => plan);
  stopOnErrors(campaigns);
  const { environment, listed, entries } = input;
  const unsigned: Omit<Plan, 'fingerprint' | 'mode'> = {
    version: 1,
    environment: environment.name,
    base_url: environment.sandbox === null ? environment.base_url : 'sandbox',
    summary: summarize(campaigns),
    problems: [
      ...lostWorkspace(campaigns, listed, entries),
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
  return { plan: { version, environment: name, base_url, fingerprint: print, mode: 'all', ...rest }, work };
}

/** What earlier runs left of this campaign; of another campaign than the one that is there, it says nothing. */
function pendingOf(
  { manifest, spec }: Campaign,
  id: number | null,
  pending: readonly PendingOperations[],
): PendingOperations[] {
  const own = pending.filter(
    (operations) => operations.name === spec.name && (operations.id === null || operations.id === id),
  );
  const same = own.filter((operations) => operations.manifest === manifest);
  return same.length > 0 ? same : own;
}

/** What an earlier run left of a campaign that no manifest names any more: nobody will reconcile it. */
function orphaned({ pending, refreshed, listed }: PlanInput): Problem[] {
  const names = new Set(refreshed.map(({ campaign }) => campaign.spec.name));
  const files = new Set(refreshed.map(({ campaign }) => campaign.manifest));
  return pending
    .filter(({ name, manifest, sent }) => {
      const isOpen = sent.some(({ result }) => result === 'unknown' || result === 'in_doubt');
      // With --target or files named, the manifest may only not have been read.
      return isOpen && !names.has(name) && files.has(manifest);
    })
    .map(({ name, manifest, at, who }) => {
      const there = listed.filter((one) => one.name === name).map(({ id }) => id);
      const now = there.length === 0 ? 'is not listed' : `is campaign ${there.join(', ')}`;
      return {
        code: 'unfinished-run',
        severity: 'warning',
        message: `An earlier run (${who}, ${at}) ended before it knew what became of what it sent for "${name}", which ${now}; ${manifest} has another name now.`,
        hint: "Look at it in the service's web app. campaignctl history shows that run.",
      };
    });
}

interface Reconciled {
  context: CampaignContext;
  pending: PendingOperations[];
  told: Problem[];
}

/** Earlier runs first, each on top of what the one before left to be remembered. */
function reconciled(context: CampaignContext, pending: PendingOperations[]): Reconciled {
  const start: Reconciled = { context, pending, told: [] };
  return pending.reduce((so, operations) => {
    const { recorded, problems } = reconcile(operations, so.context);
    return { pending, context: { ...so.context, recorded }, told: [...so.told, ...problems] };
  }, start);
}

/** The answers that planning this spec needs; a pinned campaign is always read, to know that it is there. */
export function resourcesOf(spec: CampaignSpec): ResourceName[] {
  const managed = SECTIONS.flatMap((section) => section.reads(spec));
  return [...new Set<ResourceName>(spec.id === undefined ? managed : ['campaign', ...managed])];
}

function planCampaign(
  refreshed: RefreshedCampaign,
  { context, pending, told }: Reconciled,
  { holdLaunch, impactOf }: Pick<PlanInput, 'holdLaunch'> & { impactOf: ReturnType<typeof createImpact> },
): Work {
  const { campaign, id } = refreshed;
  const found = [...refreshed.problems, ...told, ...campaign.remarks];
  const base = { manifest: campaign.manifest, name: campaign.spec.name, id };
  const missing = pinnedButGone(context);
  if (missing !== null || found.some(({ severity }) => severity === 'error')) {
    const problems = [...found, ...(missing === null ? [] : [missing])];
    return {
      campaign,
      context,
      pending,
      live: null,
      plan: {
        ...base,
        action: 'none',
        changes: [],
        steps: [],
        problems,
        content: null,
        impact: null,
        last: null,
      },
    };
  }
  const parts = SECTIONS.map((section) => ({ name: section.name, ...section.plan(context) }));
  const said = [...found, ...parts.flatMap((part) => part.problems)];
  const gone = said.some(({ code }) => code === 'campaign-gone');
  // Nothing is sent to a campaign that is gone, so nothing of it has to be accepted.
  const problems = gone ? said.filter(({ severity }) => severity !== 'hazard') : said;
  const steps = gone ? [] : inOrder(parts.flatMap((part) => part.steps));
  const gated = withoutLaunch({ steps, problems }, holdLaunch);
  const differing = parts.flatMap((part) => part.changes);
  const changes = withOrigins(context, differing, sentBy(pending));
  const action = actionOf({ id, changes, ...gated });
  const content = action === 'none' ? null : beforeAfter(context);
  const launches = gated.steps.some((step) => step.id === 'launch');
  const impact = content !== null && launches ? impactOf(context, content, changes) : null;
  const { last } = context.recorded;
  return {
    campaign,
    context,
    pending,
    live: Object.fromEntries(parts.map(({ name, live }) => [name, live])),
    plan: {
      ...base,
      action,
      changes,
      ...gated,
      content,
      impact,
      last: last && { at: last.at, how: last.how },
    },
  };
}

/** The parts of which an earlier run sent something that it did not come to remember. */
function sentBy(pending: readonly PendingOperations[]): SectionName[] {
  return pending.flatMap(({ sent }) => sent.map(({ step }) => step.section));
}

function pinnedButGone({ spec, id, answers, environment }: CampaignContext): Problem | null {
  if (spec.id === undefined || answers?.campaign?.none !== true) return null;
  return {
    code: 'pinned-not-found',
    severity: 'error',
    message: `"${spec.name}" is pinned to campaign ${id}, which the service does not have.`,
    hint: `Check the id, and whether the token for environment ${environment.name} belongs to the right workspace.`,
  };
}

/** One with anything blocked is blocked, also where the rest of it is sent: it does not become what its manifest says. */
function actionOf({
  id,
  changes,
  steps,
  problems,
}: Pick<CampaignPlan, 'id' | 'changes' | 'steps' | 'problems'>): Action {
  if (problems.some(({ severity }) => severity === 'blocked')) return 'blocked';
  if (steps.length > 0 && id === null) return 'create';
  return steps.length > 0 || changes.length > 0 ? 'change' : 'none';
}

function beforeAfter(context: CampaignContext): BeforeAfter {
  const parts = SECTIONS.map((section) => ({ name: section.name, ...section.toView(context) }));
  const side = (of: 'live' | 'desired') =>
    Object.fromEntries(
      parts.filter(({ name }) => name !== 'campaign').map((part) => [part.name, part[of]]),
    ) as unknown as Content;
  return { before: context.id === null ? null : side('live'), after: side('desired') };
}

function summarize(campaigns: readonly CampaignPlan[]): Summary {
  const having = (wanted: Action) => campaigns.filter(({ action }) => action === wanted).length;
  const withStep = (id: string) =>
    campaigns.filter(({ steps }) => steps.some((step) => step.id === id)).length;
  return {
    create: having('create'),
    change: having('change'),
    unchanged: having('none'),
    blocked: having('blocked'),
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
