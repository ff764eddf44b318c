import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { findHold, type Hold, holdFlag } from '../model/hold.js';
import { common, isEmpty, without } from '../model/leads.js';
import { existingRecord, isNone, NOT_READ } from '../model/live.js';
import {
  type Action,
  type BeforeAfter,
  type Change,
  type Content,
  NOT_KNOWN,
  type PlanProblem,
  type Step,
  type StoppedLeads,
  type Succession,
} from '../model/outputs.js';
import { DEFAULT_SETTINGS } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import {
  type CheckoutHistory,
  type HeldLaunch,
  type RecordedState,
  seenLast,
  UNKNOWN_STATE,
} from '../model/state.js';
import type { Target } from '../model/target.js';
import { decodeCap } from '../model/volume.js';
import { inOrder } from '../sections/all.js';
import { SECTIONS } from '../sections/index.js';
import { listNames, totalLeads } from '../sections/leads.js';
import { contradiction, pauseAgain, status } from '../sections/status.js';
import { withFacts } from '../sections/target.js';
import { attachByHand, carryByHand, listTasks } from './by-hand.js';
import { type createImpact, describeRefill, knownLeads } from './impact.js';
import type { KnownState, PlanRequest, PlanWorkspace, Selection } from './input.js';
import type { LeadOwner } from './leads.js';
import { LAUNCH_SECTIONS } from './match.js';
import { problem } from './messages.js';
import { withOrigins } from './origins.js';
import { isGone, isLeftAsItIs } from './others.js';
import { hasStep, isDeclared, type Planned } from './planned.js';
import { hasSequence, isCreatedBy, reconcile } from './reconcile.js';
import { linesOfSuccessor } from './succession.js';

/** Everything that a plan depends on, once its campaigns were read. */
export interface PlanInput extends PlanWorkspace, KnownState, PlanRequest {
  targets: readonly Target[];
  /** The complete list. */
  listed: readonly ListedCampaign[];
  owners: readonly LeadOwner[];
  /** `null` if git was not asked. */
  history: CheckoutHistory | null;
}

export interface Shared extends PlanInput {
  impactOf: ReturnType<typeof createImpact>;
}

/** Adds what the state knows of the campaign, and the open requests of earlier runs. */
export function reconcileTarget(matched: Target, known: ReadonlyMap<number, RecordedState>): Target {
  const { campaign, spec, environment, id, entry, row, pending } = matched;
  const isLost = matched.live !== null && isNone(matched.live.record);
  const isPinLost = isLost && spec.id !== undefined;
  const live =
    matched.live !== null && isLost && !isDeclared(matched)
      ? { ...matched.live, record: NOT_READ, settings: NOT_READ }
      : matched.live;
  const recorded = (id === null ? undefined : known.get(id)) ?? UNKNOWN_STATE;
  const { target, problems } = reconcile(pending, withFacts(matched, { live, recorded }));
  const isCreated = pending.some((operations) => operations.id === id && isCreatedBy(operations));
  const isNamed = isDeclared(matched) || entry === null || row === null || isSameName(row.name, entry.name);
  return {
    ...target,
    isOurs: id === null || (isNamed && (known.has(id) || isCreated)),
    problems: [
      ...matched.problems,
      ...problems,
      ...campaign.remarks,
      ...(isDeclared(matched) && isPinLost
        ? [problem('pinned-not-found', spec.name, id, environment.name)]
        : []),
      ...contradiction(target),
    ],
  };
}

export function planCampaign(
  target: Target,
  { waitsFor, successor }: { waitsFor: Planned | null; successor: Target | null },
  shared: Shared,
): Planned {
  const { campaign, id, live } = target;
  const hasManifest = isDeclared(target);
  if (hasManifest && id !== null && live?.isRead !== true) return unread(target);
  if (live !== null) existingRecord(live);
  // The launch gate may remove steps; `hazards.ts` judges only those that remain.
  const sections = planSections(target, successor);
  const reported = [...target.problems, ...sections.problems];
  const asked = { steps: sections.steps, problems: reported.map((fact) => withLines(fact, target, shared)) };
  const { steps, problems } = gateLaunch(asked, target, shared.selection);
  const changes = originated(target, sections.changes);
  const action = chooseAction(id, changes, { steps, problems });
  const launches = steps.some((step) => step.stage === 'launch');
  const content = action === 'none' ? null : beforeAfter(target, launches);
  return {
    target,
    waitsFor,
    sections: action === 'none' ? withManagedSettings(sections.live, target.spec) : sections.live,
    idleOwners: [],
    byHand: hasManifest
      ? [
          ...(sections.problems.length > 0 ? listTasks(target, campaign.manifest) : []),
          ...attachByHand(problems, campaign),
          ...carryByHand(target, steps, waitsFor?.target ?? null),
        ]
      : [],
    plan: {
      ...planHead(target),
      action,
      changes,
      steps,
      problems,
      content,
      impact: content !== null && launches ? shared.impactOf(target, content, changes) : null,
      ...(waitsFor &&
        target.predecessor && {
          replaces: describeSuccession(waitsFor, target.predecessor.id, {
            target,
            changes: sections.changes,
          }),
        }),
      ...(target.recorded.launch_held && heldBefore(target.recorded.launch_held, changes)),
      ...changedCap(target, changes, steps),
      ...runningSchedule(target, changes, steps),
      ...stoppingLeads(target, steps),
      ...runningEmails(target, changes, steps),
      ...describeRefill(target, changes),
    },
  };
}

/** Only an update depends on the other settings, and a list row may not show them. */
function withManagedSettings(live: Record<string, unknown>, { settings }: CampaignSpec) {
  if (settings === undefined) return live;
  const managed = Object.entries(live.settings ?? {}).filter(([name]) => Object.hasOwn(settings, name));
  return { ...live, settings: Object.fromEntries(managed) };
}

function heldBefore({ at }: HeldLaunch, changes: readonly Change[]) {
  const wantsToRun = changes.some(({ section, to }) => section === 'status' && to === 'running');
  return wantsToRun ? { launch_held: at } : {};
}

/** Another cap means more or fewer emails per day, without a launch. */
function changedCap(target: Target, changes: readonly Change[], steps: readonly Step[]) {
  const cap = changes.find(({ section, path }) => section === 'settings' && path === 'max_emails_per_day');
  const isSent =
    steps.some(({ stage }) => stage === 'settings') && !steps.some(({ stage }) => stage === 'pause');
  if (cap === undefined || !isSent || target.status.sends === 'no') return {};
  const from = cap.note === NOT_KNOWN ? null : decodeCap(cap.from);
  const to = decodeCap(cap.to);
  const isRaised = from === null || (from !== 'unlimited' && (to === 'unlimited' || Number(to) > from));
  return isRaised ? { raised_cap: { from, to } } : { lowered_cap: { from, to } };
}

/** Emails go out at other times, without a launch. */
function runningSchedule(target: Target, changes: readonly Change[], steps: readonly Step[]) {
  const isChanged = changes.some(({ section }) => section === 'schedule');
  const isSent =
    steps.some(({ section }) => section === 'schedule') && !steps.some(({ stage }) => stage === 'pause');
  if (!isChanged || !isSent || target.status.sends === 'no') return {};
  return { running_schedule: { sure: target.status.sends === 'yes' } };
}

/** Changed emails reach people without a launch, and so do old ones that nobody can change by apply. */
function runningEmails(target: Target, changes: readonly Change[], steps: readonly Step[]) {
  const isEdited = changes.some(({ section, path }) => section === 'sequence' && path !== 'title');
  const isPaused = steps.some(({ stage }) => stage === 'pause');
  if (!isEdited || isPaused || target.status.sends === 'no') return {};
  const isSent = steps.some(({ section }) => section === 'sequence');
  const emails = isSent ? ('changed' as const) : ('old' as const);
  return { running_emails: { emails, sure: target.status.sends === 'yes' } };
}

interface SectionPlans {
  changes: Change[];
  problems: PlanProblem[];
  steps: Step[];
  live: Record<string, unknown>;
}

function planSections(target: Target, successor: Target | null): SectionPlans {
  const hasManifest = isDeclared(target);
  const managed = hasManifest ? SECTIONS : isGone(target) ? [] : [status];
  const parts = managed.map((section) => ({ name: section.name, ...section.plan(target) }));
  const isUntouched = isLeftAsItIs(target);
  // An archived or deleted campaign gets no requests, so its other problems do not matter.
  const gone = parts.flatMap((part) => part.problems).filter(({ code }) => code === 'campaign-gone');
  const again = successor !== null && starts(successor) ? pauseAgain(target) : { changes: [], steps: [] };
  const steps = [...parts.flatMap((part) => part.steps), ...again.steps];
  // For a campaign without a manifest, only an unknown status needs a warning.
  const isWorthIt = ({ code }: PlanProblem) => hasManifest || code === 'unknown-status';
  return {
    steps: isUntouched || gone.length > 0 ? [] : inOrder(steps),
    changes: isUntouched ? [] : [...parts.flatMap((part) => part.changes), ...again.changes],
    problems: gone.length > 0 ? gone : parts.flatMap((part) => part.problems.filter(isWorthIt)),
    live: Object.fromEntries(parts.map(({ name, live }) => [name, live])),
  };
}

/** True if the plan creates or launches the successor. */
function starts(target: Target): boolean {
  return target.id === null || status.plan(target).steps.some((step) => step.stage === 'launch');
}

function describeSuccession(
  waitsFor: Planned,
  id: number,
  { target, changes }: { target: Target; changes: readonly Change[] },
): Succession {
  const { target: predecessor } = waitsFor;
  const shown = isGone(predecessor) ? null : predecessor.status;
  // A successor with a sequence is compared with its own emails.
  const isBegun = changes.every(({ section, path }) => section !== 'sequence' || path !== '');
  return {
    id,
    name: predecessor.row?.name ?? predecessor.spec.name,
    status: shown === null ? null : shown.word,
    running: hasStep(waitsFor, 'pause'),
    copy: isBegun || !hasSequence(predecessor) ? null : copyFrom(predecessor, target),
    settings: settingsFrom(predecessor, target),
    schedule: changesFrom(predecessor, target, 'schedule'),
    stops: stoppedLeads(predecessor, target),
  };
}

const LEFT_OUT = 'not in the manifest, so the new campaign has the documented default';

/** What changes from the predecessor to the new one; `null` if the manifest or the service does not show it. */
function changesFrom(
  predecessor: Target,
  { spec, templates }: Target,
  name: 'settings' | 'schedule' | 'sequence',
): Change[] | null {
  const part = spec[name];
  if (part === undefined || predecessor.live === null || predecessor.live[name].is !== 'shown') return null;
  const compared = { ...predecessor, templates, spec: { ...predecessor.spec, [name]: part } };
  const changes = SECTIONS.find((section) => section.name === name)?.plan(compared).changes ?? [];
  return changes.filter(({ note }) => note !== NOT_KNOWN);
}

/** The new sequence is posted with its own title, so it does not matter that the old one is only remembered. */
function copyFrom(predecessor: Target, target: Target): Change[] | null {
  const changes = changesFrom(predecessor, target, 'sequence');
  return changes?.map((change) => (change.path === 'title' ? { ...change, note: null } : change)) ?? null;
}

/** A new campaign begins with defaults, so settings that its manifest leaves out change as well. */
function settingsFrom(predecessor: Target, target: Target): Change[] | null {
  const { settings = {} } = target.spec;
  const whole = {
    ...target,
    spec: { ...target.spec, settings: { ...DEFAULT_SETTINGS, ...settings } },
  } as Target;
  const changes = changesFrom(predecessor, whole, 'settings');
  const marked = (change: Change) => (change.path in settings ? change : { ...change, note: LEFT_OUT });
  return changes === null ? null : changes.map(marked);
}

function stoppingLeads(target: Target, steps: readonly Step[]): { stopping_leads?: number } {
  const { lists, ids } = target.recorded.attached;
  const recorded = lists.length === 0 && ids.length > 0 ? ids.length : null;
  const leads = totalLeads(target) ?? recorded;
  return leads === null || steps.every(({ stage }) => stage !== 'pause') ? {} : { stopping_leads: leads };
}

function stoppedLeads(predecessor: Target, target: Target): StoppedLeads {
  const [before, after] = [knownLeads(predecessor), knownLeads(target)];
  const stops = without(before, after);
  const isShared = !isEmpty(common(before, after));
  const total = totalLeads(predecessor);
  const areCounted = before.lists.length === 0 && total !== null && total <= before.ids.length;
  const hasAll = isShared && isEmpty(stops) && areCounted;
  return {
    ...stops,
    list_names: listNames(stops.lists, target),
    leads: hasAll ? 0 : isShared ? null : total,
  };
}

function originated(target: Target, changes: readonly Change[]) {
  if (!isDeclared(target)) return changes.map((change) => ({ ...change, origin: null }));
  const unreconciled = target.pending.flatMap(({ sent }) => sent.map(({ step }) => step.section));
  return withOrigins(target, changes, unreconciled);
}

function planHead({ campaign: { manifest }, spec, id, recorded }: Target) {
  return { manifest, name: spec.name, id, last: seenLast(recorded) };
}

function unread(target: Target): Planned {
  return {
    target,
    sections: { seen: target.recorded.seen },
    idleOwners: [],
    byHand: [],
    waitsFor: null,
    plan: {
      ...planHead(target),
      action: 'not_read',
      changes: [],
      steps: [],
      problems: target.problems,
      content: null,
      impact: null,
    },
  };
}

function withLines(problem: PlanProblem, { id, campaign }: Target, { listed, targets }: Shared): PlanProblem {
  if (problem.code !== 'sequence-exists') return problem;
  const campaigns = targets.filter(isDeclared).map((declared) => declared.campaign);
  return { ...problem, ...linesOfSuccessor(campaign, { id, listed, campaigns }) };
}

function chooseAction(id: number | null, changes: readonly Change[], { steps, problems }: Gated): Action {
  if (problems.some(({ severity }) => severity === 'blocked')) return 'blocked';
  if (steps.length > 0 && id === null) return 'create';
  return steps.length > 0 || changes.length > 0 ? 'change' : 'none';
}

/** For a launch, includes emails and a schedule that the manifest does not manage. */
function beforeAfter(target: Target, launches: boolean): BeforeAfter {
  const parts = SECTIONS.map(({ name, toView }) => {
    const unmanaged = launches && LAUNCH_SECTIONS.some((section) => section === name);
    return { name, ...toView(target, { unmanaged }) };
  });
  const side = (of: 'live' | 'desired') =>
    Object.fromEntries(
      parts.filter(({ name }) => name !== 'campaign').map((part) => [part.name, part[of]]),
    ) as unknown as Content;
  return { before: target.id === null ? null : side('live'), after: side('desired') };
}

/**
 * Warnings that block a launch: a different copy of the project may launch the other campaign with that name, and a launch
 * requires that everything managed is as the manifest says.
 */
const PREVENT_LAUNCH: readonly string[] = ['same-name', 'not-kept'];

interface Gated {
  steps: Step[];
  problems: PlanProblem[];
}

/** Decides whether the plan keeps a launch; `apply/look.ts` looks again before sending it. */
function gateLaunch({ steps, problems }: Gated, target: Target, { hold }: Selection): Gated {
  if (steps.every(({ id }) => id !== 'launch')) return { steps, problems };
  const held = whyHeld(target, hold);
  const gated = problems.map((fact): PlanProblem => {
    return held === null && PREVENT_LAUNCH.includes(fact.code) ? { ...fact, severity: 'blocked' } : fact;
  });
  const isBlocked = gated.some(({ severity }) => severity === 'blocked');
  const withheld = isBlocked ? problem('launch-withheld') : held;
  if (withheld === null) return { steps, problems: gated };
  return {
    steps: steps.filter(({ id }) => id !== 'launch'),
    problems: [...gated, withheld],
  };
}

/** Returns why the launch is left to a later apply, or `null`. */
function whyHeld({ id, environment, spec }: Target, hold: readonly Hold[]): PlanProblem | null {
  const held = findHold(hold, spec.name);
  if (held !== null) return problem('launch-held', holdFlag(held));
  return id === null && environment.service.senders === 'by_hand' ? problem('launch-needs-senders') : null;
}
