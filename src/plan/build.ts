import { type Environment, serviceHead } from '../model/environment.js';
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
import type { Target } from '../model/target.js';
import { describeLeads } from '../sections/leads.js';
import { isStoppedByHand, lastSet } from '../sections/status.js';
import { deleteByHand, renameByHand } from './by-hand.js';
import { type PlanInput, planCampaign, reconcileTarget } from './campaign.js';
import { fingerprint, planFingerprint } from './fingerprint.js';
import { campaignHazards, isApproved, type PlanParts, planHazards, withApprovals } from './hazards.js';
import { createImpact } from './impact.js';
import { conflictingWorks, idleOwners, ownersAfter } from './leads.js';
import { isFull } from './match.js';
import { problem } from './messages.js';
import { describeOthers, leftOver, type Others, problemsOfOther } from './others.js';
import { declaredOf, type Planned } from './planned.js';
import { orphaned } from './reconcile.js';
import { planVolume } from './volume.js';

/** `works`: one for each of `plan.campaigns`, in the same order, then those for campaigns without a manifest. */
export interface BuiltPlan {
  plan: Plan;
  works: Planned[];
}

/** Fails if a campaign has an error. */
export function buildPlan(input: PlanInput): BuiltPlan {
  const { environment, approvals, selection, mode } = input;
  const works = withHazards(planEach(input), input);
  const declared = declaredOf(works);
  const campaigns = declared.map(({ plan }) => plan);
  const { removed, replaced } = describeOthers(works);
  const volume = planVolume(declared, [...removed, ...replaced], input);
  const head = { version: 1, environment: environment.name, ...serviceHead(environment) } as const;
  const others = new Set<number | null>([...removed, ...replaced].map(({ id }) => id));
  const problems = [
    ...planProblems({ campaigns, removed, volume }, input),
    ...statusNotShown(declared),
    ...works.filter(({ target }) => others.has(target.id)).flatMap(problemsOfOther),
  ];
  const body = {
    summary: summarize(campaigns, { removed, replaced }),
    problems: withApprovals(problems, [...environment.allow, ...approvals]).map(
      possibleIn(environment, works),
    ),
    campaigns,
    removed,
    replaced,
    ...(selection.hold.length === 0 ? {} : { hold: selection.hold }),
    ...(selection.files.length === 0 ? {} : { files: selection.files }),
    ...(selection.patterns === undefined ? {} : { targets: selection.patterns }),
    ...(volume === null ? {} : { volume: volume.volume }),
    by_hand: tasksByHand(works, input),
  };
  const live = declared.map((work) => fingerprint(work.sections));
  const print = planFingerprint({ ...head, mode, ...body }, live, selection);
  return { plan: { ...head, fingerprint: print, mode, ...body }, works };
}

function withHazards(planned: readonly Planned[], input: PlanInput): Planned[] {
  const { environment, owners: known, approvals, history } = input;
  const owners = ownersAfter(planned, known, environment);
  const conflicting = new Set(declaredOf(planned).flatMap((work) => conflictingWorks(work, owners)));
  const isKnown = isApproved('adopt', input);
  const possible = possibleIn(environment, planned);
  return planned.map((work): Planned => {
    const { plan } = work;
    const isCovered = ({ code }: PlanProblem) => conflicting.has(work) && LINTED_LEADS.includes(code);
    const remaining = plan.problems.filter((fact) => !isCovered(fact));
    const facts = { owners, works: planned, history };
    const hazards = plan.action === 'not_read' ? [] : campaignHazards(work, facts);
    const accepted = [...environment.allow, ...approvals];
    // A standing approval does not cover launching a campaign that a person stopped.
    const isStopped = isStoppedByHand(work.target);
    const problems = [...remaining, ...hazards].flatMap((fact) =>
      withApprovals([fact], fact.code === 'launch' && isStopped ? approvals : accepted, plan.name),
    );
    return {
      ...work,
      target: { ...work.target, isOurs: work.target.isOurs || isKnown },
      idleOwners: idleOwners(work, owners),
      plan: { ...plan, problems: problems.map(possible) },
    };
  });
}

/** A hint that names the web app says what to do in a sandbox, which has none. */
function possibleIn(
  { sandbox, name, state }: Environment,
  works: readonly Planned[],
): (problem: PlanProblem) => PlanProblem {
  if (sandbox === null) return (problem) => problem;
  const files = `.campaignctl/sandbox/${name}.json and ${state.path}/${name}`;
  const note = ` A sandbox has no web app: to start over, delete ${files}.`;
  const hasLeads = works.some(({ target }) => describeLeads(target.recorded.attached) !== '');
  return (problem) =>
    problem.hint.includes('web app') && (problem.code !== 'shared-leads' || hasLeads)
      ? { ...problem, hint: `${problem.hint}${note}` }
      : problem;
}

const LINTED_LEADS = ['shared-lead-list', 'shared-lead-ids'];

function planProblems(planned: PlanParts, input: PlanInput): PlanProblem[] {
  const { listed, entries, pending, targets, other, unkept, selection, warnings } = input;
  return [
    ...(other === null ? [] : [problem('apply-at-work', other)]),
    ...planHazards({ ...planned, listed, entries, unkept }),
    ...(isFull(selection) ? warnings : []),
    ...orphaned(pending, targets, listed),
  ];
}

function tasksByHand(works: readonly Planned[], input: PlanInput): ByHandTask[] {
  const { entries } = input;
  const unclear = isApproved('rename', input) ? [] : declaredOf(works).map(({ target }) => target);
  const renamed = unclear.flatMap(renameByHand);
  const candidates = new Set(unclear.flatMap((target) => target.candidates.map(({ id }) => id)));
  return [
    ...works.flatMap(({ byHand }) => byHand),
    ...renamed,
    ...deleteByHand(leftOver(works, entries).filter(({ id }) => !candidates.has(id))),
  ];
}

/** One note for all campaigns, because nothing can be done about it. */
function statusNotShown(works: readonly Planned[]): PlanProblem[] {
  const set = works.flatMap(({ target: { spec, live, status }, plan: { name } }) => {
    if (spec.status === undefined || live?.isRead !== true) return [];
    return status.basis === 'set' && status.word !== 'draft' ? [{ name, words: lastSet(status) }] : [];
  });
  const byWords = groupBy(set, ({ words }) => words);
  const names = [...byWords].map(([words, all]) => [words, all.map(({ name }) => name)] as const);
  return names.length === 0 ? [] : [problem('status-not-shown', names)];
}

/** Plans each successor after the campaign that it replaces. */
function planEach(input: PlanInput): Planned[] {
  const known = new Map(input.entries.map(({ id, recorded }) => [id, recorded]));
  const shared = { ...input, impactOf: createImpact(input.now) };
  const targets = input.targets.map((target) => reconcileTarget(target, known));
  stopOnErrors(targets.flatMap(({ problems }) => problems));
  const byId = new Map(targets.map((target) => [target.id, target]));
  const successors = new Map(targets.map((target) => [target.predecessor?.id, target]));
  const planned = new Map<Target, Planned>();
  const plan = (target: Target): Planned => {
    const done = planned.get(target);
    if (done !== undefined) return done;
    const predecessor = target.predecessor && byId.get(target.predecessor.id);
    const successor = (target.id !== null && successors.get(target.id)) || null;
    const waitsFor = predecessor ? plan(predecessor) : null;
    const result = planCampaign(target, { waitsFor, successor }, shared);
    planned.set(target, result);
    return result;
  };
  return targets.map(plan);
}

function summarize(campaigns: readonly CampaignPlan[], others: Others): Summary {
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
