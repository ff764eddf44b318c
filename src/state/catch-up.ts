import { PAUSE_STEP } from '../model/reports.js';
import { NO_LEADS, type RecordedState, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { SECTIONS } from '../sections/index.js';
import { sentLeads, without } from '../sections/leads.js';
import { recordEarlier } from '../sections/status.js';
import type { JournaledWrite } from './journal.js';

/**
 * Adds the writes of later runs to an entry, which then no longer counts as seen. Drops `last` if the entry was restored; a
 * missed `campaignctl pause` does not prove that, because the command never saves entries.
 */
export function caughtUp(entry: StateEntry, missed: readonly JournaledWrite[]): StateEntry {
  const recorded = missed.reduce(withWrite, entry.recorded);
  const isRestored = missed.some(({ step }) => step.id !== PAUSE_STEP);
  return { ...entry, recorded: { ...recorded, last: isRestored ? null : recorded.last, seen: null } };
}

/** For an entry that is older than archived runs. Keeps only facts that are safe to assume if they no longer hold. */
export function rolledBack(entry: StateEntry): StateEntry {
  const { attached, doubtful, sequence, schedule_seen, has_run, launched, superseded_by, paused } =
    entry.recorded;
  const kept = {
    ...{ attached, doubtful, sequence, schedule_seen },
    ...(launched !== undefined && { launched }),
    ...(superseded_by !== undefined && { superseded_by }),
    ...(paused !== undefined && { paused }),
    has_run: has_run === true ? true : null,
  };
  return { ...entry, recorded: { ...UNKNOWN_STATE, ...kept } };
}

function withWrite(recorded: RecordedState, { step, result, at }: JournaledWrite): RecordedState {
  if (result === 'failed' || result === 'not_run' || step.section === 'campaign') return recorded;
  const effect = result === 'done' ? 'done' : 'in_doubt';
  if (step.section === 'status') return recordEarlier(recorded, step, { effect, at });
  const added = result === 'done' ? without(sentLeads(step), recorded.attached) : NO_LEADS;
  const after = SECTIONS.reduce((state, section) => section.record(state, step, effect), recorded);
  const total_leads = after.total_leads === null ? null : after.total_leads + added.ids.length;
  return { ...after, total_leads };
}
