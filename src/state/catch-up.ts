import { without } from '../model/leads.js';
import { PAUSE_STEP } from '../model/reports.js';
import { NO_LEADS, type RecordedState, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { recordStep } from '../sections/all.js';
import { applyOf, sentChanges, withApply } from '../sections/applies.js';
import { sentLeads } from '../sections/leads.js';
import { recordEarlier } from '../sections/status.js';
import type { JournaledWrite, PlannedRun } from './journal.js';

/** `plan`: `null` if it is no longer kept. */
interface MissedRun {
  plan: PlannedRun | null;
  writes: readonly JournaledWrite[];
}

/**
 * Adds the writes of later runs to an entry, which then no longer counts as seen. Drops `last` if the entry was restored; a
 * missed `campaignctl pause` does not prove that, because the command never saves entries.
 */
export function caughtUp(entry: StateEntry, missed: readonly MissedRun[]): StateEntry {
  const recorded = missed.reduce(withRun, entry.recorded);
  const isRestored = missed.some(({ writes }) => writes.some(({ step }) => step.id !== PAUSE_STEP));
  return { ...entry, recorded: { ...recorded, last: isRestored ? null : recorded.last, seen: null } };
}

function withRun(before: RecordedState, { plan, writes }: MissedRun): RecordedState {
  const recorded = writes.reduce(withWrite, before);
  const [first] = writes;
  if (plan === null || first === undefined) return recorded;
  const steps = writes.filter(hasEffect).map(({ step }) => step);
  return withApply(recorded, applyOf(plan.head, sentChanges(plan.changesOf(first), steps)));
}

/** For an entry that is older than archived runs. Keeps only facts that are safe to assume if they no longer hold. */
export function rolledBack(entry: StateEntry): StateEntry {
  const { attached, doubtful, sequence, schedule_seen, has_run, launched, superseded_by, paused, applies } =
    entry.recorded;
  const kept = {
    ...{ attached, doubtful, sequence, schedule_seen },
    ...(launched !== undefined && { launched }),
    ...(applies !== undefined && { applies }),
    ...(superseded_by !== undefined && { superseded_by }),
    ...(paused !== undefined && { paused }),
    has_run: has_run === true ? true : null,
  };
  return { ...entry, recorded: { ...UNKNOWN_STATE, ...kept } };
}

function hasEffect({ result }: JournaledWrite): boolean {
  return result !== 'failed' && result !== 'not_run';
}

function withWrite(recorded: RecordedState, write: JournaledWrite): RecordedState {
  const { step, result, at } = write;
  if (!hasEffect(write) || step.section === 'campaign') return recorded;
  const effect = result === 'done' ? 'done' : 'in_doubt';
  if (step.section === 'status') return recordEarlier(recorded, step, { effect, at });
  const added = result === 'done' ? without(sentLeads(step), recorded.attached) : NO_LEADS;
  const after = recordStep(recorded, step, effect);
  const total_leads = after.total_leads === null ? null : after.total_leads + added.ids.length;
  return { ...after, total_leads };
}
