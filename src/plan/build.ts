import { serviceHead } from '../model/environment.js';
import { Failure } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import {
  type Action,
  type ByHandTask,
  type CampaignPlan,
  otherCampaigns,
  type Plan,
  type PlanProblem,
  type Summary,
} from '../model/outputs.js';
import { sending } from '../sections/sending.js';
import { isStoppedByHand, lastSet } from '../sections/status.js';
import { deleteByHand, renameByHand } from './by-hand.js';
import { type PlanInput, planCampaign, reconcileWork } from './campaign.js';
import { fingerprint, planFingerprint } from './fingerprint.js';
import { campaignHazards, isAccepted, type PlannedWhole, planHazards, withApprovals } from './hazards.js';
import { createImpact } from './impact.js';
import { conflictingWorks, idleOwners, ownersAfter } from './leads.js';
import { ALL, isFull } from './match.js';
import { problem } from './messages.js';
import { describeOthers, leftOver, problemsOfOther } from './others.js';
import { orphaned } from './reconcile.js';
import { planVolume } from './volume.js';
import { isDeclared, type PlannedWork, type ReconciledWork } from './work.js';

/** `works`: one for each of `plan.campaigns`, in the same order, then those for campaigns without a manifest. */
export interface BuiltPlan {
  plan: Plan;
  works: PlannedWork[];
}

/** Fails if a campaign has an error. */
export function buildPlan(input: PlanInput): BuiltPlan {
  const { environment, approvals = [], selection = ALL, refresh: mode = 'all' } = input;
  const works = withHazards(planEach(input), input);
  const declared = works.filter(isDeclared);
  const others = works.filter((work) => !isDeclared(work));
  const campaigns = declared.map(({ plan }) => plan);
  const { removed, replaced } = describeOthers(others);
  const volume = planVolume(declared, [...removed, ...replaced], input);
  const head = { version: 1, environment: environment.name, ...serviceHead(environment) } as const;
  const shown = new Set([...removed, ...replaced].map(({ id }) => id));
  const problems = [
    ...planProblems({ campaigns, removed, volume }, input),
    ...statusNotShown(declared),
    ...others.filter(({ id }) => shown.has(id ?? 0)).flatMap(problemsOfOther),
  ];
  const body = {
    summary: summarize(campaigns, { removed, replaced }),
    problems: withApprovals(problems, [...environment.allow, ...approvals]),
    campaigns,
    removed,
    replaced,
    ...(selection.hold.length === 0 ? {} : { hold: selection.hold }),
    ...(volume === null ? {} : { volume: volume.volume }),
    by_hand: tasksByHand(works, input),
  };
  const live = declared.map((work) => fingerprint(work.sections));
  const print = planFingerprint({ ...head, mode, ...body }, live, selection);
  return { plan: { ...head, fingerprint: print, mode, ...body }, works };
}

function withHazards(planned: readonly PlannedWork[], input: PlanInput): PlannedWork[] {
  const { environment, owners: known = [], approvals = [], history } = input;
  const owners = ownersAfter(planned, known, environment);
  const conflicting = new Set(planned.filter(isDeclared).flatMap((work) => conflictingWorks(work, owners)));
  const isKnown = isAccepted('adopt', input);
  return planned.map((work): PlannedWork => {
    const { plan } = work;
    const isCovered = ({ code }: PlanProblem) => conflicting.has(work) && LINTED_LEADS.includes(code);
    const remaining = plan.problems.filter((fact) => !isCovered(fact));
    const facts = { owners, works: planned, ...(history && { history }) };
    const hazards = plan.action === 'not_read' ? [] : campaignHazards(work, facts);
    const accepted = [...environment.allow, ...approvals];
    // A standing approval does not cover launching a campaign that a person stopped.
    const isStopped = isStoppedByHand(sending(work.context), work.context);
    const problems = [...remaining, ...hazards].flatMap((fact) =>
      withApprovals([fact], fact.code === 'launch' && isStopped ? approvals : accepted, plan.name),
    );
    return {
      ...work,
      isKnown: work.isKnown || isKnown,
      idleOwners: idleOwners(work, owners),
      plan: { ...plan, problems },
    };
  });
}

const LINTED_LEADS = ['shared-lead-list', 'shared-lead-ids'];

function planProblems(
  planned: Pick<PlannedWhole, 'campaigns' | 'removed' | 'volume'>,
  input: PlanInput,
): PlanProblem[] {
  const { listed, entries, pending, works, other = null, unkept = null } = input;
  const { selection = ALL, warnings = [] } = input;
  return [
    ...(other === null ? [] : [problem('apply-at-work', other)]),
    ...planHazards({ ...planned, listed, entries, unkept }),
    ...(isFull(selection) ? warnings : []),
    ...orphaned(pending, works, listed),
  ];
}

function tasksByHand(works: readonly PlannedWork[], input: PlanInput): ByHandTask[] {
  const { entries } = input;
  const unclear = isAccepted('rename', input) ? [] : works.filter(isDeclared);
  const renamed = unclear.flatMap(renameByHand);
  const candidates = new Set(unclear.flatMap((work) => work.candidates.map(({ id }) => id)));
  return [
    ...works.flatMap(({ byHand }) => byHand),
    ...renamed,
    ...deleteByHand(leftOver(works, entries).filter(({ id }) => !candidates.has(id))),
  ];
}

/** One note for all campaigns, because nothing can be done about it. */
function statusNotShown(works: readonly PlannedWork[]): PlanProblem[] {
  const set = works.flatMap(({ id, context, plan: { name } }) => {
    if (id === null || context.spec.status === undefined || context.live?.isRead !== true) return [];
    const status = sending(context);
    return status.basis === 'set' && status.word !== 'draft' ? [{ name, words: lastSet(status) }] : [];
  });
  const byWords = groupBy(set, ({ words }) => words);
  const names = [...byWords].map(([words, all]) => [words, all.map(({ name }) => name)] as const);
  return names.length === 0 ? [] : [problem('status-not-shown', names)];
}

/** Plans each successor after the campaign that it replaces. */
function planEach(input: PlanInput): PlannedWork[] {
  const known = new Map(input.entries.map(({ id, recorded }) => [id, recorded]));
  const shared = { ...input, known, impactOf: createImpact(input.now) };
  const works = input.works.map((work) => reconcileWork(work, shared));
  stopOnErrors(works.flatMap(({ problems }) => problems));
  const byId = new Map(works.map((work) => [work.id ?? 0, work]));
  const successors = new Map(works.map((work) => [work.predecessor?.id ?? 0, work]));
  const planned = new Map<ReconciledWork, PlannedWork>();
  const plan = (work: ReconciledWork): PlannedWork => {
    const done = planned.get(work);
    if (done !== undefined) return done;
    const predecessor = work.predecessor && byId.get(work.predecessor.id);
    const successor = (work.id !== null && successors.get(work.id)) || null;
    const waitsFor = predecessor ? plan(predecessor) : null;
    const result = planCampaign(work, { waitsFor, successor }, shared);
    planned.set(work, result);
    return result;
  };
  return works.map(plan);
}

function summarize(campaigns: readonly CampaignPlan[], others: Pick<Plan, 'removed' | 'replaced'>): Summary {
  const pauses = otherCampaigns(others).filter(({ step }) => step !== null).length;
  const having = (action: Action) => campaigns.filter((campaign) => campaign.action === action).length;
  const withStep = (id: string) =>
    campaigns.filter(({ steps }) => steps.some((step) => step.id === id)).length;
  return {
    create: having('create'),
    change: having('change'),
    unchanged: having('none'),
    not_read: having('not_read'),
    blocked: having('blocked'),
    launch: withStep('launch'),
    pause: withStep('pause') + pauses,
    removed: others.removed.length,
    requests: campaigns.reduce((sum, { steps }) => sum + steps.length, pauses),
  };
}

function stopOnErrors(problems: readonly PlanProblem[]): void {
  const errors = problems.filter(({ severity }) => severity === 'error');
  const [first, ...others] = new Map(errors.map((error) => [error.message, error])).values();
  if (first !== undefined) throw new Failure(first, { others });
}
