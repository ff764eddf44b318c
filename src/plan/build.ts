import type { Answer, ListedCampaign } from '../model/answer.js';
import { type Approval, type Environment, serviceAddress } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import type {
  Action,
  ByHandTask,
  CampaignPlan,
  Plan,
  Problem,
  RefreshMode,
  RemovedCampaign,
  Summary,
} from '../model/outputs.js';
import type { PendingOperations, StateEntry } from '../model/state.js';
import { sending } from '../sections/sending.js';
import { isStoppedByHand } from '../sections/status.js';
import { withApprovals } from './approvals.js';
import { deleteByHand, type LeftOver, renameByHand, scratchCampaigns } from './by-hand.js';
import { isAllowed, planCampaign, reconcileWork, type Shared } from './campaign.js';
import { fingerprint, planFingerprint, type Selection } from './fingerprint.js';
import { planHazards, type UnkeptState } from './hazards.js';
import type { EntryLeads } from './holders.js';
import { createImpact, launchedEmailsPerDay } from './impact.js';
import { idleOwners, leadHazards, leadOwners, lintedLeads, runsWithLeads } from './leads.js';
import { ALL, isFull } from './match-works.js';
import { applyAtWork, type OtherApply, orphaned, unfinishedProbes } from './other-runs.js';
import { describeOther, leftOver, problemsOfOther } from './others.js';
import { planVolume } from './volume.js';
import { type CampaignWork, isDeclared, type PlannedWork, type ReconciledWork } from './work.js';

/** The input of the planner. */
export interface PlanInput {
  environment: Environment;
  works: readonly CampaignWork[];
  entries: readonly StateEntry[];
  /** Unreconciled requests of earlier runs, oldest first. */
  pending: readonly PendingOperations[];
  /** Those of crashed probes. */
  probes?: readonly PendingOperations[];
  other?: OtherApply | null;
  /** `null` if later runs will see the state. */
  unkept?: UnkeptState | null;
  templates: Answer | null;
  /** The complete list. */
  listed: readonly ListedCampaign[];
  /** Leads of all campaigns in the state. */
  entryLeads?: readonly EntryLeads[];
  selection?: Selection;
  /** `changed`: leave campaigns unread that show no sign of a change. */
  refresh?: RefreshMode;
  /** Accepted hazards, besides those of the environment. */
  approvals?: readonly Approval[];
  /** Milliseconds since 1970. */
  now: number;
}

/** Works: those of `plan.campaigns` in their order, then campaigns without manifest. */
export interface BuiltPlan {
  plan: Plan;
  works: PlannedWork[];
}

/** Failure for any error of a campaign. */
export function buildPlan(input: PlanInput): BuiltPlan {
  const { environment, approvals = [], selection = ALL, refresh: mode = 'all' } = input;
  const planned = planEach(input);
  const works = withLeadHazards(planned, input);
  const [own, others] = [works.filter(isDeclared), planned.filter((work) => !isDeclared(work))];
  const campaigns = own.map(({ plan }) => plan);
  const removed = others.flatMap((work) => describeOther(work) ?? []);
  const { problems: capacity, ...volume } = planVolume({
    ...{ environment, listed: input.listed, removed },
    campaigns: own.map(({ plan, context }) => ({ plan, cap: context.spec.settings?.max_emails_per_day })),
  });
  const head = { version: 1, environment: environment.name, base_url: serviceAddress(environment) } as const;
  const problems = [...problemsOfPlan(campaigns, { others, removed }, input), ...capacity];
  const body = {
    summary: summarize(campaigns, removed),
    problems: withApprovals(problems, [...environment.allow, ...approvals]),
    ...{ campaigns, removed, ...volume },
    by_hand: tasksByHand(planned, own, input),
  };
  const live = own.map((work) => fingerprint(work.live));
  const print = planFingerprint({ ...head, mode, ...body }, live, selection);
  return { plan: { ...head, fingerprint: print, mode, ...body }, works };
}

/** Adds hazards of shared leads, and approvals. */
function withLeadHazards(planned: readonly PlannedWork[], input: PlanInput): PlannedWork[] {
  const { environment, entryLeads = [], approvals = [] } = input;
  const owners = leadOwners(planned, entryLeads, environment);
  const linted = lintedLeads(planned.filter(isDeclared), owners);
  const accepted = [...environment.allow, ...approvals];
  // A standing approval does not cover the launch of a campaign that a person stopped.
  const acceptedOf = ({ context }: PlannedWork, { code }: Problem) =>
    code === 'launch' && isStoppedByHand(sending(context), context) ? approvals : accepted;
  return planned.map((work): PlannedWork => {
    const shared = isDeclared(work) ? leadHazards(work, owners, planned) : [];
    // A hazard replaces a lint finding or a guess about the same leads.
    const isCovered = ({ code }: Problem) =>
      linted.get(work)?.has(code) === true || (shared.length > 0 && code === 'perhaps-moved');
    const problems = [...work.plan.problems.filter((problem) => !isCovered(problem)), ...shared].flatMap(
      (problem) => withApprovals([problem], acceptedOf(work, problem), work.plan.name),
    );
    return { ...work, resting: idleOwners(work, owners), plan: { ...work.plan, problems } };
  });
}

function problemsOfPlan(
  campaigns: readonly CampaignPlan[],
  { others, removed }: { others: readonly PlannedWork[]; removed: readonly RemovedCampaign[] },
  { listed, entries, pending, works, probes = [], other = null, unkept = null }: PlanInput,
): Problem[] {
  const shown = new Set(removed.map(({ id }) => id));
  return [
    ...applyAtWork(other),
    ...planHazards({ campaigns, listed, entries, unkept }),
    ...orphaned(pending, works, listed),
    ...unfinishedProbes(probes, listed),
    ...others.filter(({ id }) => shown.has(id ?? 0)).flatMap(problemsOfOther),
  ];
}

/** `own`: planned campaigns with a manifest. */
function tasksByHand(
  planned: readonly PlannedWork[],
  own: readonly PlannedWork[],
  { environment, approvals = [], entries, listed, selection = ALL }: PlanInput,
): ByHandTask[] {
  const renamed = isAllowed('rename', { environment, approvals }) ? [] : own.flatMap(renameByHand);
  const renamedIds = new Set(renamed.map(({ id }) => id));
  const known = { works: planned, listed, entries, environment };
  const isUnneeded = ({ id, superseded_by: by }: LeftOver) =>
    !renamedIds.has(id) && (by === undefined || runsWithLeads(by, known));
  return [
    ...own.flatMap(({ byHand }) => byHand),
    ...renamed,
    ...deleteByHand([
      ...leftOver(planned).filter(isUnneeded),
      ...(isFull(selection) ? scratchCampaigns(listed, environment) : []),
    ]),
  ];
}

/** A successor is planned after the campaign that it replaces. */
function planEach(input: PlanInput): PlannedWork[] {
  const { environment, templates, listed, entries, entryLeads = [], approvals = [], selection = ALL } = input;
  const shared: Shared = {
    ...{ environment, templates, listed, approvals, selection, entryLeads },
    campaigns: input.works.filter(isDeclared).map(({ campaign }) => campaign),
    known: new Map(entries.map(({ id, recorded }) => [id, recorded])),
    impactOf: createImpact(input.now),
  };
  const works = input.works.map((work) => reconcileWork(work, shared));
  stopOnErrors(works.flatMap(({ problems }) => problems));
  const byId = new Map(works.map((work) => [work.id ?? 0, work]));
  const successors = new Map(works.map((work) => [work.predecessor?.id ?? 0, work]));
  const planned = new Map<ReconciledWork, PlannedWork>();
  const plan = (work: ReconciledWork): PlannedWork => {
    const predecessor = work.predecessor && byId.get(work.predecessor.id);
    const successor = (work.id !== null && successors.get(work.id)) || null;
    const waitsFor = predecessor ? (planned.get(predecessor) ?? plan(predecessor)) : null;
    const own = planCampaign(work, { waitsFor, successor }, shared);
    planned.set(work, own);
    return own;
  };
  return works.map((work) => planned.get(work) ?? plan(work));
}

function summarize(campaigns: readonly CampaignPlan[], others: readonly RemovedCampaign[]): Summary {
  const pauses = others.filter(({ step }) => step !== null).length;
  const count = (isMeant: (campaign: CampaignPlan) => boolean) => campaigns.filter(isMeant).length;
  const having = (action: Action) => count((campaign) => campaign.action === action);
  const withStep = (id: string) => count(({ steps }) => steps.some((step) => step.id === id));
  return {
    create: having('create'),
    change: having('change'),
    unchanged: having('none'),
    not_read: having('not_read'),
    blocked: having('blocked'),
    launch: withStep('launch'),
    launch_emails_per_day: launchedEmailsPerDay(campaigns),
    pause: withStep('pause') + pauses,
    removed: others.filter(({ role, superseded_by }) => role === 'removed' && superseded_by === undefined)
      .length,
    requests: campaigns.reduce((sum, { steps }) => sum + steps.length, pauses),
  };
}

function stopOnErrors(problems: readonly Problem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first, ...others] = new Map(errors.map((error) => [error.message, error])).values();
  if (first !== undefined) throw new Failure(first, { others });
}
