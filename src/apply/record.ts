import equal from 'fast-deep-equal';
import { union } from '../model/leads.js';
import type { CampaignPlan, SectionName, Step } from '../model/outputs.js';
import type { CampaignOutcome } from '../model/reports.js';
import { sideBySide } from '../model/side-by-side.js';
import { NO_LEADS, type RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { lastAfter, unchangedSections } from '../plan/origins.js';
import { isDeclared, isSucceededBy, type Planned } from '../plan/planned.js';
import { seenNow } from '../plan/seen.js';
import { recordShown } from '../sections/all.js';
import { applyOf, fieldsInSync, sentChanges, withApply } from '../sections/applies.js';
import { sentLeads, totalLeads, withAttachment, withTotalLeads } from '../sections/leads.js';
import { hasRun, mailingStatus } from '../sections/sending.js';
import { withFacts } from '../sections/target.js';
import { moment } from '../state/moment.js';
import { type Proof, readAgain } from './readback.js';
import { type ApplyRun, asFailure, outcomesOf, type Progress, type SendingRun, wasSent } from './run.js';

/** Returns the campaign with its lead count, even if the run failed. */
export async function withTotal({ progress, seen }: Proof, run: ApplyRun): Promise<Target> {
  const { planned, now } = progress;
  const { plan, target } = planned;
  const { recorded } = now;
  const sent = outcomesOf(progress, 'leads').filter(wasSent);
  if (sent.length === 0) return withFacts(now, { recorded: withTotalLeads(recorded, totalLeads(target)) });
  const read = run.stopping() ? null : () => readAgain(now, ['leads'], run).catch(() => null);
  const shown = seen ?? (await read?.()) ?? null;
  const [was, total] = [totalLeads(target), shown === null ? null : totalLeads(shown)];
  // An attachment in doubt does not account for any leads.
  const isDone = (step: Step) => sent.some(({ id, result }) => id === step.id && result === 'done');
  const done = plan.steps.filter(isDone).map(sentLeads).reduce(union, NO_LEADS);
  const before = { ...recorded, total_leads: was ?? recorded.total_leads };
  const isShown = shown?.live?.record.is === 'shown';
  const { status } = isShown ? shown : plan.id === null ? now : target;
  const attachment = { sent: done, at: moment(), total, isIdle: !status.mails };
  return withFacts(now, { recorded: withAttachment(before, attachment) });
}

function withLast({ planned, now, outcomes }: Progress, { remaining, proven }: Proof, at: string): Target {
  const { spec, recorded } = now;
  const isLaunched = outcomes.some(({ id, result }) => id === 'launch' && result === 'done');
  const differs = (name: SectionName) => remaining.some(({ section }) => section === name);
  const unchanged = unchangedSections(planned.plan).filter((name) => !differs(name));
  const seen: SectionName[] = isLaunched ? [...proven, 'status'] : proven;
  // Keeps the applied sections of a campaign that is no longer declared, because its manifest may return.
  const applied = isDeclared(now) ? spec : { ...recorded.last?.spec, ...spec };
  const last = lastAfter(recorded.last, applied, {
    proven: [...unchanged, ...seen],
    sent: seen.length > 0,
    at,
  });
  return withFacts(now, { recorded: { ...recorded, last } });
}

/** Keeps the time at which the launch was first left out. */
function withHold(
  recorded: RecordedState,
  { problems }: CampaignPlan,
  { seen, at }: { seen: Target; at: string },
): RecordedState {
  const isHeld = problems.some(({ code }) => code === 'launch-held' || code === 'launch-needs-senders');
  if (!isHeld || recorded.launch_held !== undefined) return recorded;
  return { ...recorded, launch_held: { at, status: seen.status.word } };
}

/**
 * Saves the entry. Closes the campaign in the journal if all its requests are confirmed. Adds a failure to the last step's
 * outcome.
 */
export async function saveProgress(progress: Progress, proof: Proof, run: SendingRun): Promise<Progress> {
  const { journal } = run;
  const { planned, outcomes, failed } = progress;
  const at = new Date(run.now()).toISOString();
  const now = withLast(progress, proof, at);
  const { id, spec } = now;
  const { manifest } = planned.plan;
  // Once the run that created the campaign has succeeded, its settings may be changed in the web app.
  const at_defaults = failed && now.recorded.at_defaults;
  // `seen` is `null`, because the list is older than this run's requests.
  const settled = { ...now.recorded, at_defaults, has_run: hasRun(now), seen: null };
  const seen = proof.seen === null ? now : withFacts(proof.seen, { recorded: settled });
  const held = withHold(settled, planned.plan, { seen, at });
  const sent = planned.plan.steps.filter(({ id: step }) =>
    outcomes.some((outcome) => outcome.id === step && wasSent(outcome)),
  );
  const recorded = withChanges(held, { planned, sent, run });
  try {
    if (id !== null) await run.store.save({ id, manifest, name: spec.name, recorded });
    // Unconfirmed requests may still take effect, so the next run waits for them.
    if (proof.isSettled && outcomes.every(({ result }) => result !== 'in_doubt'))
      journal.reconciled({ manifest, name: spec.name });
    return { ...progress, now };
  } catch (error) {
    const { message } = asFailure(error);
    const last = outcomes.length - 1;
    const noted = outcomes.map((outcome, index) =>
      index === last ? { ...outcome, detail: [outcome.detail, message].filter(Boolean).join('; ') } : outcome,
    );
    return { ...progress, now, outcomes: noted, failed: true };
  }
}

/** Records what this run changed, and which fields it found in sync after another line of history had changed them. */
function withChanges(
  recorded: RecordedState,
  { planned, sent, run }: { planned: Planned; sent: readonly Step[]; run: ApplyRun },
): RecordedState {
  const { changes } = planned.plan;
  const { spec } = planned.target;
  const { included: ancestors = null } = run;
  const inSync = ancestors === null ? {} : fieldsInSync(recorded, { spec, changes, ancestors });
  return withApply(recorded, applyOf(run.head, { ...inSync, ...sentChanges(changes, sent) }));
}

export async function recordUnchanged(
  works: readonly Planned[],
  run: ApplyRun,
  read: Parameters<typeof seenNow>[1],
): Promise<void> {
  const { store, parallelism, emit } = run;
  const at = new Date(run.now()).toISOString();
  const isUnchanged = ({ target, plan: { action, steps, problems } }: Planned) =>
    action !== 'not_read' &&
    (target.isOurs || mailingStatus(target) === null) &&
    steps.length === 0 &&
    problems.every(({ severity }) => severity !== 'hazard');
  const save = async (planned: Planned) => {
    const { plan, target } = planned;
    const { id, entry, spec, recorded } = target;
    const last = lastAfter(recorded.last, spec, { proven: unchangedSections(plan), sent: false, at });
    const counted = withTotalLeads(recordShown(target), totalLeads(target));
    const held = withHold(counted, plan, { seen: target, at });
    const changed = withChanges(held, { planned, sent: [], run });
    const now = { ...changed, has_run: hasRun(target), last, seen: seenNow(planned, read) };
    // The file name in the entry is needed to recognise a manifest whose `name` has changed.
    const isMoved = entry !== null && entry.manifest !== plan.manifest;
    const isNews = isMoved || !equal(last === null ? changed : now, recorded);
    if (id === null || !isNews || run.stopping()) return;
    await store.save({ id, manifest: plan.manifest, name: spec.name, recorded: now });
  };
  await sideBySide(works.filter(isUnchanged), parallelism, save).catch((error) => {
    emit({ type: 'trouble', message: asFailure(error).message });
  });
}

/**
 * Records the successors that were applied in the entries of their predecessors. A successor then has no successor of its
 * own.
 */
export async function recordSuccessors(
  outcomes: ReadonlyMap<Planned, CampaignOutcome>,
  { store, emit }: ApplyRun,
): Promise<void> {
  const due = [...outcomes].flatMap(([{ waitsFor }, { id, result }]) => {
    const predecessor = waitsFor?.target ?? null;
    if (predecessor === null || predecessor.id === null || id === null || result !== 'done') return [];
    return isSucceededBy(predecessor.entry, id)
      ? []
      : [{ predecessor: { ...predecessor, id: predecessor.id }, id }];
  });
  if (due.length === 0) return;
  const mark = async () => {
    const entries = new Map((await store.readAll()).map((entry) => [entry.id, entry]));
    for (const { predecessor, id } of due) {
      const { campaign, spec, recorded: known } = predecessor;
      const entry = entries.get(predecessor.id) ?? {
        ...{ id: predecessor.id, manifest: campaign.manifest, name: spec.name, recorded: known },
      };
      const has_run = hasRun(withFacts(predecessor, { recorded: entry.recorded }));
      await store.save({ ...entry, recorded: { ...entry.recorded, has_run, superseded_by: id } });
      const successor = entries.get(id);
      if (successor?.recorded.superseded_by === undefined) continue;
      const { superseded_by: _, ...recorded } = successor.recorded;
      await store.save({ ...successor, recorded });
    }
  };
  await mark().catch((error) => {
    emit({ type: 'trouble', message: asFailure(error).message });
  });
}
