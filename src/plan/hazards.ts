/** Each entry of a table is a function of the planned facts. The wording is in `messages.ts` or in the section's file. */
import type { ListedCampaign } from '../model/answer.js';
import type { Approval } from '../model/approvals.js';
import type { Hazard } from '../model/codes.js';
import type { Environment } from '../model/environment.js';
import { matchesName } from '../model/glob.js';
import { isEmpty, without, withoutRefills } from '../model/leads.js';
import { isNone, type Shown } from '../model/live.js';
import {
  type CampaignPlan,
  type Change,
  isLaunched,
  type OtherCampaign,
  type Plan,
  type PlanProblem,
  type Step,
} from '../model/outputs.js';
import { groupProblems, type ProblemGroup } from '../model/problem-groups.js';
import { desiredSequence } from '../model/spec.js';
import {
  type CheckoutHistory,
  type EmailCount,
  type LeadRefs,
  NO_LEADS,
  type StateEntry,
} from '../model/state.js';
import type { Target } from '../model/target.js';
import { isOverCapacity, type PlannedVolume } from '../model/volume.js';
import { count } from '../model/words.js';
import { commitsOf, undoneApplies } from '../sections/applies.js';
import { repeatHazard, totalLeads } from '../sections/leads.js';
import { hasRun, hasSent, mailingStatus, mayHaveRun } from '../sections/sending.js';
import { countEmails, liveSequence } from '../sections/sequence.js';
import { copyKey } from '../sections/sequence-diff.js';
import { resetHazard } from '../sections/settings.js';
import { launchHazard } from '../sections/status.js';
import { knownLeads } from './impact.js';
import type { UnkeptState } from './input.js';
import { attachedBy, leadHazards, type Owners } from './leads.js';
import { type Contradiction, problem } from './messages.js';
import { isSucceededBy, type Planned } from './planned.js';
import { hasSequence } from './reconcile.js';

type Decided<Facts> = (facts: Facts) => PlanProblem[];

/**
 * `steps`: requests that the plan still contains. `owners`: owners of leads after the plan is applied. `works`: all works
 * of the plan.
 */
export interface CampaignFacts {
  work: Planned;
  target: Target;
  changes: readonly Change[];
  steps: readonly Step[];
  predecessor: Planned | null;
  owners: Owners;
  works: readonly Planned[];
  history: CheckoutHistory;
}

const UNKNOWN_HISTORY: CheckoutHistory = { ancestors: new Set(), extent: 'unknown' };

const CAMPAIGN_HAZARDS: Record<Exclude<Hazard, PlanHazard | MatchHazard>, Decided<CampaignFacts>> = {
  'reset-unreadable': ({ target, steps }) =>
    steps.some(({ stage }) => stage === 'settings') ? resetHazard(target) : [],
  'repeat-attach': ({ target, steps }) => (isEmpty(attachedBy(steps)) ? [] : repeatHazard(target)),
  launch: ({ target, steps }) => (isLaunched({ steps }) ? [launchHazard(target)] : []),
  adopt,
  'replace-sequence': replacedSequence,
  'sequence-missing': missingPart('sequence', missingEmails),
  'schedule-missing': missingPart('schedule', missingSchedule),
  'revives-inactive-step': revivedEmails,
  'no-leads': noLeads,
  'attach-running': attachRunning,
  'shared-leads': ({ work, owners, works }) => leadHazards(work, owners, works),
  'undoes-apply': undoneChanges,
};

/** Reported by `match.ts` when it looks for a manifest's campaign. `lostWorkspace` is a second case of `missing`. */
type MatchHazard = 'rename' | 'missing';

export interface PlanParts {
  campaigns: readonly CampaignPlan[];
  removed: readonly OtherCampaign[];
  volume: PlannedVolume | null;
}

export interface PlanFacts extends PlanParts {
  listed: readonly ListedCampaign[];
  entries: readonly StateEntry[];
  unkept: UnkeptState | null;
}

type PlanHazard = keyof typeof PLAN_HAZARDS;

const PLAN_HAZARDS = {
  missing: lostWorkspace,
  'unkept-state': unkeptState,
  'mass-removal': massRemoval,
  'mass-change': massChange,
  'over-capacity': overCapacity,
} satisfies Partial<Record<Hazard, Decided<PlanFacts>>>;

export function campaignHazards(
  work: Planned,
  plan: { owners: Owners; works: readonly Planned[]; history: CheckoutHistory | null },
): PlanProblem[] {
  const { target, waitsFor: predecessor } = work;
  const { changes, steps } = work.plan;
  const history = plan.history ?? UNKNOWN_HISTORY;
  const facts = { ...plan, work, target, changes, steps, predecessor, history };
  return Object.values(CAMPAIGN_HAZARDS).flatMap((decide) => decide(facts));
}

export function planHazards(plan: PlanFacts): PlanProblem[] {
  return Object.values(PLAN_HAZARDS).flatMap((decide) => decide(plan));
}

/** A sending campaign that is not in the state may be someone else's. Pausing it needs no approval. */
function adopt({ target, steps }: CampaignFacts): PlanProblem[] {
  const isHarmless = steps.every(({ stage }) => stage === 'pause');
  const status = isHarmless || target.isOurs ? null : mailingStatus(target);
  return status === null ? [] : [problem('adopt', status, steps)];
}

/** Leads may be in the middle of the sequence, and the effect on them is undocumented. */
function replacedSequence({ target, steps }: CampaignFacts): PlanProblem[] {
  const { id, environment } = target;
  const isPosted = steps.some((step) => step.stage === 'sequence');
  const isReplaced = environment.service.sequence_repost === 'replace' && hasSequence(target);
  if (id === null || !isPosted || !isReplaced) return [];
  const isUsed = hasRun(target) === true || mayHaveRun(target);
  return isUsed ? [problem('replace-sequence', mailingStatus(target))] : [];
}

/**
 * Reports a sequence or schedule that is or may be missing from the response: a hazard if apply would post it; otherwise, a
 * warning.
 */
function missingPart(
  section: 'sequence' | 'schedule',
  find: (target: Target) => Contradiction | null,
): Decided<CampaignFacts> {
  return ({ target, changes, steps }) => {
    const isIn = (parts: readonly (Change | Step)[]) => parts.some((part) => part.section === section);
    const contradiction = isIn(changes) ? find(target) : null;
    return contradiction === null ? [] : [problem(`${section}-missing`, contradiction, isIn(steps))];
  };
}

function missingEmails(target: Target): Contradiction | null {
  const { recorded } = target;
  const part = target.live?.sequence;
  if (part === undefined || part.is === 'not-read' || part.is === 'unreadable') return null;
  const { endpoint } = part;
  const { sequence: known } = recorded;
  const live = countEmails(liveSequence(target));
  const shown = isNone(part) ? nothing('emails', part) : emails(live);
  if (known !== null && (live.steps < known.steps || live.variants < known.variants))
    return { known: inState(emails(known), target), endpoint, shown };
  if (live.steps > 0) return null;
  if (mayHaveRun(target)) return { known: `${ran(target)}, so it should have emails`, endpoint, shown };
  return part.is === 'none-shown' && !recorded.created ? { known: null, endpoint, shown } : null;
}

function missingSchedule(target: Target): Contradiction | null {
  const { recorded } = target;
  const part = target.live?.schedule;
  if (part === undefined || !isNone(part)) return null;
  const { endpoint } = part;
  const shown = nothing('schedule', part);
  if (recorded.schedule_seen) return { known: inState('a schedule', target), endpoint, shown };
  if (mayHaveRun(target)) return { known: `${ran(target)}, so it should have a schedule`, endpoint, shown };
  return part.is === 'none-shown' && !recorded.created ? { known: null, endpoint, shown } : null;
}

function inState(what: string, { recorded: { last } }: Target): string {
  return `According to the state, this campaign has ${what}${last === null ? '' : ` (last in sync ${last.at})`}`;
}

function ran(target: Target): string {
  const { basis, provesRun, word } = target.status;
  const isShown = basis === 'shown';
  const verb = hasSent(target) || (provesRun && isShown) ? 'has run' : 'may have run';
  return `This campaign ${verb}${isShown ? ` (its status is "${word}")` : ''}`;
}

function emails({ steps, variants }: EmailCount): string {
  return variants === 0
    ? count(steps, 'email')
    : `${count(steps, 'email')} and ${count(variants, 'variant')}`;
}

function nothing(noun: string, { answered }: Extract<Shown<unknown>, { answered: string }>): string {
  return `no ${noun} (${answered})`;
}

function revivedEmails({ target: { spec }, steps, predecessor }: CampaignFacts): PlanProblem[] {
  const isMailed = isLaunched({ steps }) || steps.some(({ section }) => section === 'sequence');
  if (predecessor === null || spec.sequence === undefined || !isMailed) return [];
  const live = liveSequence(predecessor.target).steps.flatMap((step) => [step, ...step.variants]);
  const active = new Set(live.filter((email) => email.active !== false).map(copyKey));
  const inactive = new Set(live.map(copyKey).filter((key) => !active.has(key)));
  const subjects = desiredSequence(spec.sequence)
    .steps.flatMap((step) => [step, ...step.variants])
    .filter((email) => inactive.has(copyKey(email)))
    .map(({ email_subject }) => email_subject);
  if (subjects.length === 0) return [];
  const { id, row, spec: paused } = predecessor.target;
  const named = { id, name: row?.name ?? paused.name };
  return [problem('revives-inactive-step', named, [...new Set(subjects)])];
}

function noLeads({ target, steps, predecessor }: CampaignFacts): PlanProblem[] {
  const isSettled = isSucceededBy(predecessor?.target.entry ?? null, target.id);
  const launches = isLaunched({ steps });
  const succeeds = predecessor !== null && !isSettled && steps.length + predecessor.plan.steps.length > 0;
  if (hasLeads(target)) return [];
  const paused = succeeds ? predecessor.plan : null;
  const uncounted = uncountedLeads(target);
  if (!isEmpty(uncounted)) return [problem('no-leads/uncounted', uncounted, launches, paused)];
  return launches || succeeds ? [problem('no-leads', launches, paused)] : [];
}

/** Leads that the service should count and does not count are no leads. */
export function hasLeads(target: Target): boolean {
  const isCounted = target.id !== null && (totalLeads(target) ?? 0) > 0;
  return isCounted || !isEmpty(without(knownLeads(target), uncountedLeads(target)));
}

/**
 * Attached leads of an idle campaign that shows none. On a sending campaign, and for minutes after an attachment to one, the
 * number is late.
 */
function uncountedLeads(target: Target): LeadRefs {
  const { attached, attached_at } = target.recorded;
  const isCompared = mailingStatus(target) === null && attached_at === null;
  return target.id !== null && isCompared && totalLeads(target) === 0 ? withoutRefills(attached) : NO_LEADS;
}

/** Leads added to a sending campaign are mailed without a launch. */
function attachRunning({ work, target, steps }: CampaignFacts): PlanProblem[] {
  const leads = attachedBy(steps);
  if (target.id === null || isEmpty(leads)) return [];
  const status = mailingStatus(target);
  if (status === null || steps.some(({ stage }) => stage === 'pause')) return [];
  const keepsEmails = work.plan.running_emails?.emails === 'old';
  return [problem('attach-running', status, leads, { total: totalLeads(target), keepsEmails })];
}

function undoneChanges({ target, changes, steps, history }: CampaignFacts): PlanProblem[] {
  const sent = changes.filter(({ section }) => steps.some((step) => step.section === section));
  return undoneApplies(sent, target.recorded.applies ?? [], history.ancestors).map((undone) =>
    problem('undoes-apply', undone, history.extent),
  );
}

/** The commits of applies that the plan may undo, and of later ones: whether they are included decides about the hazard. */
export function commitsInQuestion(works: readonly Planned[]): Set<string> {
  const undoing = works.filter(({ plan }) => plan.problems.some(({ code }) => code === 'undoes-apply'));
  return new Set(undoing.flatMap(({ target }) => commitsOf(target.recorded)));
}

function lostWorkspace({ campaigns, listed, entries }: PlanFacts): PlanProblem[] {
  const shown = new Set(listed.map(({ id }) => id));
  const creates = campaigns.some(({ id, steps }) => id === null && steps.length > 0);
  const isReported = campaigns.some(({ problems }) => problems.some(({ code }) => code === 'missing'));
  if (!creates || isReported || entries.length === 0 || entries.some(({ id }) => shown.has(id))) return [];
  return [problem('missing/workspace', entries.length)];
}

function unkeptState({ campaigns, unkept }: PlanFacts): PlanProblem[] {
  return unkept === null || !campaigns.some(isChanged) ? [] : [problem('unkept-state', unkept)];
}

function overCapacity({ volume }: PlanFacts): PlanProblem[] {
  if (volume === null || !isOverCapacity(volume.volume)) return [];
  return [problem(volume.isRaised ? 'over-capacity' : 'over-capacity/before', volume)];
}

const REMOVAL_FLOOR = 3;

/** A mistake in a pattern must not stop all campaigns. Those that others replace do not count. */
function massRemoval({ campaigns, removed, entries }: PlanFacts): PlanProblem[] {
  const lost = removed.filter(({ step }) => step !== null);
  if (lost.length <= REMOVAL_FLOOR) return [];
  const predecessors = new Set([
    ...entries.flatMap(({ id, recorded }) => (recorded.superseded_by === undefined ? [] : id)),
    ...campaigns.flatMap(({ replaces }) => replaces?.id ?? []),
  ]);
  const isBound = ({ id }: { id: number | null }) => id !== null && !predecessors.has(id);
  const paused = lost.filter(isBound);
  const all = paused.length + campaigns.filter(isBound).length;
  if (paused.length <= REMOVAL_FLOOR || paused.length <= MASS_SHARE * all) return [];
  return [problem('mass-removal', paused, all)];
}

/** The thresholds are those of octoDNS. */
const MASS_FLOOR = 25;
const MASS_SHARE = 0.3;

function massChange({ campaigns, listed }: PlanFacts): PlanProblem[] {
  const changed = campaigns.filter(isChanged);
  const [changing, all] = [changed.length, campaigns.length];
  const allNew = listed.length === 0 && changed.every(({ id }) => id === null);
  if (allNew || changing <= MASS_FLOOR || changing <= MASS_SHARE * all) return [];
  return [problem('mass-change', changing, all)];
}

/** Declared pauses do not count. */
function isChanged({ steps }: CampaignPlan): boolean {
  return steps.some(({ id }) => id !== 'pause');
}

export function isApproved(
  code: Hazard,
  { environment, approvals }: { environment: Environment; approvals: readonly Approval[] },
): boolean {
  return [...environment.allow, ...approvals].some(({ hazard }) => hazard === code);
}

/** `campaign`: the campaign's name; `null` for the whole plan. */
export function withApprovals(
  problems: readonly PlanProblem[],
  approvals: readonly Approval[],
  campaign: string | null = null,
): PlanProblem[] {
  const isFor = ({ name }: Approval) => matchesName(name ?? null, campaign ?? '');
  return problems.map((problem) => {
    if (problem.severity !== 'hazard') return problem;
    const approval = approvals.find((candidate) => candidate.hazard === problem.code && isFor(candidate));
    return { ...problem, accepted_by: approval?.by ?? null };
  });
}

/** Hazards without approval, and changes that the earlier environment has not had. */
export function refusals(plan: Plan): ProblemGroup[] {
  const isRefused = ({ severity, accepted_by = null }: PlanProblem) =>
    severity === 'error' || (severity === 'hazard' && accepted_by === null);
  return groupProblems(plan, isRefused);
}
