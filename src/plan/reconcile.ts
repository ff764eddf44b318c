import type { ListedCampaign } from '../model/answer.js';
import { greater } from '../model/json.js';
import { without } from '../model/leads.js';
import { isNone } from '../model/live.js';
import type { Change, PlanProblem, Step } from '../model/outputs.js';
import { NO_LEADS, type PendingOperations, type RecordedState, type SentStep } from '../model/state.js';
import type { Target } from '../model/target.js';
import { recordStep, replan } from '../sections/all.js';
import { applyOf, sentChanges, withApply } from '../sections/applies.js';
import { SECTIONS } from '../sections/index.js';
import { sentLeads, totalLeads } from '../sections/leads.js';
import { provesStatus } from '../sections/sending.js';
import { recordEarlier } from '../sections/status.js';
import { withFacts } from '../sections/target.js';
import { specFingerprint } from './fingerprint.js';
import { problem } from './messages.js';
import { isDeclared } from './planned.js';

/**
 * True if the service shows the step's effect: the request is no longer needed, or all of its visible parts have changed.
 * `before`: the section's changes before the step was sent.
 */
export function showsEffect(step: Step, before: readonly Change[], seen: Target): boolean {
  if (step.section === 'status') return provesStatus(step, seen.status);
  const planAgain = (target: Target) => replan(target, [step.section]);
  const { changes, steps } = planAgain(seen);
  // If the API cannot make these changes, they were not sent.
  if (changes.length > 0 && steps.length === 0) return false;
  const isNeeded = (target: Target) => planAgain(target).steps.some(({ id }) => id === step.id);
  if (!isNeeded(seen)) return true;
  // Hidden settings prove nothing, and sending an update again is harmless.
  if (step.section === 'settings') return false;
  const assumed = withFacts(seen, { recorded: recordStep(seen.recorded, step, 'done') });
  return !isNeeded(assumed) && changePlaces(changes) !== changePlaces(before);
}

function changePlaces(changes: readonly Change[]): string {
  return JSON.stringify(changes.map(({ path, kind }) => [path, kind]));
}

export function reconcile(
  pending: readonly PendingOperations[],
  target: Target,
): { target: Target; problems: PlanProblem[] } {
  let recorded = pending.length === 0 ? target.recorded : { ...target.recorded, seen: null };
  const findings = new Map(pending.map((operations) => [operations, [] as string[]]));
  const effective = new Map(pending.map((operations) => [operations, [] as Step[]]));
  const behind = new Set<PendingOperations>();
  for (const { operations, sent } of inTimeOrder(pending)) {
    const { result: outcome } = sent;
    const isKnown = outcome === 'done' || outcome === 'failed';
    const result = isKnown
      ? outcome
      : reconcileStep(sent, operations, withFacts(target, { recorded }), behind.has(operations));
    const isNotPosted =
      sent.step.stage === 'sequence' && target.live !== null && isNone(target.live.sequence);
    if (result === 'failed' || isNotPosted) behind.add(operations);
    if (!isKnown)
      findings.get(operations)?.push(`"${sent.step.title}": ${describe(sent, result, operations, target)}`);
    if (result === 'failed') continue;
    effective.get(operations)?.push(sent.step);
    // If the entry was lost, an attachment does not prove that no other leads are attached.
    const { known: areLeadsKnown } = recorded;
    recorded = recordEarlierStep(recorded, sent, result);
    if (sent.step.section === 'leads') recorded = { ...recorded, known: areLeadsKnown };
  }
  for (const [operations, steps] of effective)
    recorded = withApply(recorded, applyOf(operations, sentChanges(operations.changes, steps)));
  const problems = [...findings].flatMap(([operations, texts]) =>
    texts.length > 0 ? [problem('unfinished-run', operations, texts)] : [],
  );
  return { target: withFacts(target, { recorded }), problems };
}

/**
 * Runs may overlap: a campaign may be paused while an apply launches it. The order within a run stays, because its clock may
 * have been set back.
 */
function inTimeOrder(pending: readonly PendingOperations[]) {
  const timed = pending.flatMap((operations) => {
    let time = '';
    return operations.sent.map((sent) => {
      if (sent.at > time) time = sent.at;
      return { operations, sent, time };
    });
  });
  return timed.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0));
}

type StepFound = 'done' | 'failed' | 'in_doubt';

/** `isBehind`: true if an earlier step had no effect. */
function reconcileStep(
  { step }: SentStep,
  operations: PendingOperations,
  target: Target,
  isBehind: boolean,
): StepFound {
  if (step.stage === 'create') return wasCreated(operations, target) ? 'done' : 'failed';
  // A run launches a campaign only after it has read everything else back.
  if (step.stage === 'launch' && isBehind && target.status.basis !== 'shown') return 'failed';
  if (step.section === 'leads') return 'in_doubt';
  const before = operations.changes.filter(({ section }) => section === step.section);
  return isComparable(step, operations, target) && showsEffect(step, before, target) ? 'done' : 'in_doubt';
}

/**
 * True if the manifest has not changed since, so that the same content is compared. A status does not depend on the
 * manifest.
 */
function isComparable(step: Step, { spec }: PendingOperations, target: Target): boolean {
  return step.section === 'status' || (spec === specFingerprint(target.spec) && isManaged(step, target));
}

/** True if the campaign from the response exists, or if the campaign with the requested name is unused. */
function wasCreated(operations: PendingOperations, target: Target): boolean {
  return target.id !== null && (operations.id === target.id || evidenceOfUse(operations, target) === null);
}

function evidenceOfUse({ listed_ids }: PendingOperations, target: Target): string | null {
  if (hasSequence(target)) return 'already has a sequence';
  const total = totalLeads(target);
  const isNew = listed_ids !== undefined && target.id !== null && !listed_ids.includes(target.id);
  // A service that shows no number shows none of any campaign.
  if (total === null) return isNew ? null : 'may have leads';
  return total > 0 ? 'already has leads' : null;
}

/** True also if it cannot be read. */
export function hasSequence({ live }: Target): boolean {
  return live !== null && (live.sequence.is === 'shown' || live.sequence.is === 'unreadable');
}

export function isCreatedBy({ sent }: PendingOperations): boolean {
  return sent.some(({ step, result }) => step.stage === 'create' && result !== 'failed');
}

export function isPendingFor(
  operations: PendingOperations,
  campaign: { id: number | null; name: string },
): boolean {
  return operations.id === null ? operations.name === campaign.name : operations.id === campaign.id;
}

function isManaged({ section }: Step, { spec }: Target): boolean {
  return SECTIONS.some(({ name, reads }) => name === section && reads(spec).length > 0);
}

/** A request that was sent. `at`: ISO 8601. */
export interface JustSent {
  step: Step;
  total_leads: number | null;
  at: string;
}

/**
 * Like `recordStep`, but also updates when the status was set, and the total number of leads: those before an attachment and the
 * individual leads that it adds.
 */
export function recordSent(
  recorded: RecordedState,
  sent: JustSent,
  result: 'done' | 'in_doubt',
): RecordedState {
  const after = recordStep(recorded, sent.step, result);
  if (sent.step.section === 'status') return result === 'done' ? { ...after, status_at: sent.at } : after;
  if (sent.step.section !== 'leads') return after;
  const before = greater(recorded.total_leads, sent.total_leads);
  const { ids } = result === 'done' ? without(sentLeads(sent.step), recorded.attached) : NO_LEADS;
  return { ...after, total_leads: before === null ? null : before + ids.length };
}

/** Like `recordSent`, for requests of earlier runs: a launch or pause is recorded in time order. */
export function recordEarlierStep(
  recorded: RecordedState,
  sent: JustSent,
  result: 'done' | 'in_doubt',
): RecordedState {
  if (sent.step.section !== 'status') return recordSent(recorded, sent, result);
  return { ...recordEarlier(recorded, sent.step, { effect: result, at: sent.at }), seen: null };
}

export const NO_EFFECT = 'the service does not show an effect';

function describe(
  { step }: SentStep,
  result: StepFound,
  operations: PendingOperations,
  target: Target,
): string {
  const { id } = target;
  if (step.stage === 'create') {
    if (id === null) return 'the service has no campaign with that name, so the request had no effect';
    return result === 'done'
      ? `it exists as campaign ${id}`
      : `campaign ${id} has that name, and ${evidenceOfUse(operations, target)}`;
  }
  if (step.section === 'leads') return 'the service does not show which leads are attached';
  if (result === 'done') return 'the service shows that it took effect';
  if (result === 'failed') return 'an earlier request had no effect, so the launch was not sent';
  if (step.section === 'status' && target.status.basis !== 'shown') return 'the service shows no status';
  return isComparable(step, operations, target)
    ? NO_EFFECT
    : 'it is unknown whether it took effect, because the manifest has been changed or removed since';
}

/** Reports pending requests for campaigns that their manifests no longer describe, because no run will reconcile them. */
export function orphaned(
  pending: readonly PendingOperations[],
  targets: readonly Target[],
  listed: readonly ListedCampaign[],
): PlanProblem[] {
  const declared = targets.filter(isDeclared);
  const names = new Set(declared.map(({ row, campaign }) => row?.name ?? campaign.spec.name));
  // If only some campaigns are selected, the manifest may not have been read.
  const manifests = new Set(declared.map(({ campaign }) => campaign.manifest));
  const claimed = new Set(targets.flatMap((target) => target.pending));
  const isOpen = ({ sent }: PendingOperations) =>
    sent.some(({ result }) => result === 'unknown' || result === 'in_doubt');
  return pending
    .filter((operations) => !claimed.has(operations) && isOpen(operations))
    .filter(({ name, manifest }) => !names.has(name) && manifests.has(manifest))
    .map((operations) => {
      const ids = listed.filter(({ name }) => name === operations.name).map(({ id }) => id);
      return problem('unfinished-run/orphaned', operations, ids);
    });
}
