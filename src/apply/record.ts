import equal from 'fast-deep-equal';
import type { CampaignPlan, SectionName, Step } from '../model/outputs.js';
import type { CampaignOutcome, StepOutcome } from '../model/reports.js';
import { sideBySide } from '../model/side-by-side.js';
import { NO_LEADS, type RecordedState } from '../model/state.js';
import { lastAfter, unchangedSections } from '../plan/drift.js';
import { recordShown } from '../plan/order.js';
import { seenNow } from '../plan/seen.js';
import { isDeclared, isReplacedBy, type PlannedWork } from '../plan/work.js';
import { applyOf, fieldsInSync, sentChanges, withApply } from '../sections/applies.js';
import type { CampaignContext } from '../sections/index.js';
import { sentLeads, totalLeads, union, withAttachment, withTotalLeads } from '../sections/leads.js';
import { hasRun, sending, sendingStatus } from '../sections/sending.js';
import { moment } from '../state/journal.js';
import { type Proof, readAgain } from './readback.js';
import { type ApplyRun, asFailure, type Progress, type RunTools } from './tools.js';

/** Returns the campaign with its lead count, even if the run failed. */
export async function withTotal(
  { progress, seen }: Pick<Proof, 'progress' | 'seen'>,
  tools: RunTools,
): Promise<CampaignContext> {
  const { work, context, outcomes } = progress;
  const { plan, context: planned } = work;
  const { recorded } = context;
  const steps = new Set(plan.steps.filter(({ section }) => section === 'leads').map(({ id }) => id));
  const sent = outcomes.filter(
    ({ id, result }) => steps.has(id) && (result === 'done' || result === 'in_doubt'),
  );
  if (sent.length === 0) return { ...context, recorded: withTotalLeads(recorded, totalLeads(planned)) };
  const read = tools.stopping() ? null : () => readAgain(context, ['leads'], tools).catch(() => null);
  const shown = seen ?? (await read?.()) ?? null;
  const [was, total] = [totalLeads(planned), shown === null ? null : totalLeads(shown)];
  // An attachment in doubt does not account for any leads.
  const isDone = (step: Step) => sent.some(({ id, result }) => id === step.id && result === 'done');
  const done = plan.steps.filter(isDone).map(sentLeads).reduce(union, NO_LEADS);
  const before = { ...recorded, total_leads: was ?? recorded.total_leads };
  const isShown = shown?.live?.record.is === 'shown';
  const isIdle = !sending(isShown ? shown : plan.id === null ? context : planned).mails;
  return { ...context, recorded: withAttachment(before, { sent: done, at: moment(), total, isIdle }) };
}

function withLast(
  { work, context, outcomes }: Progress,
  { remaining, proven }: Pick<Proof, 'remaining' | 'proven'>,
  { now }: Pick<RunTools, 'now'>,
): CampaignContext {
  const { spec, recorded } = context;
  const isLaunched = outcomes.some(({ id, result }) => id === 'launch' && result === 'done');
  const differs = (name: SectionName) => remaining.some(({ section }) => section === name);
  const unchanged = unchangedSections(work.plan).filter((name) => !differs(name));
  const seen: SectionName[] = isLaunched ? [...proven, 'status'] : proven;
  const at = new Date(now()).toISOString();
  // Keeps the applied sections of a campaign that is no longer declared, because its manifest may return.
  const applied = isDeclared(work) ? spec : { ...recorded.last?.spec, ...spec };
  const last = lastAfter(recorded.last, applied, {
    proven: [...unchanged, ...seen],
    sent: seen.length > 0,
    at,
  });
  return { ...context, recorded: { ...recorded, last } };
}

/** Keeps the time at which the launch was first left out. */
function withHold(
  recorded: RecordedState,
  { problems }: Pick<CampaignPlan, 'problems'>,
  { seen, at }: { seen: CampaignContext; at: string },
): RecordedState {
  const isHeld = problems.some(({ code }) => code === 'launch-held' || code === 'launch-needs-senders');
  if (!isHeld || recorded.launch_held !== undefined) return recorded;
  return { ...recorded, launch_held: { at, status: sending(seen).word } };
}

/**
 * Saves the entry. Closes the campaign in the journal if all its requests are confirmed. Adds a failure to the last step's
 * outcome.
 */
export async function saveProgress(progress: Progress, proof: Proof, run: ApplyRun): Promise<Progress> {
  const { journal, tools } = run;
  const { work, outcomes, failed } = progress;
  const context = withLast(progress, proof, tools);
  const { id, spec } = context;
  const { manifest } = work.plan;
  // Once the run that created the campaign has succeeded, its settings may be changed in the web app.
  const at_defaults = failed && context.recorded.at_defaults;
  // `seen` is `null`, because the list is older than this run's requests.
  const settled = { ...context.recorded, at_defaults, has_run: hasRun(context), seen: null };
  const seen = proof.seen === null ? context : { ...proof.seen, recorded: settled };
  const held = withHold(settled, work.plan, { seen, at: new Date(tools.now()).toISOString() });
  const sent = work.plan.steps.filter((step) => outcomes.some((outcome) => wasSent(outcome, step)));
  const recorded = withChanges(held, { work, sent, run });
  try {
    if (id !== null) await tools.store.save({ id, manifest, name: spec.name, recorded });
    // Unconfirmed requests may still take effect, so the next run waits for them.
    if (proof.isSettled && outcomes.every(({ result }) => result !== 'in_doubt'))
      journal.reconciled({ manifest, name: spec.name });
    return { ...progress, context };
  } catch (error) {
    const { message } = asFailure(error);
    const last = outcomes.length - 1;
    const noted = outcomes.map((outcome, index) =>
      index === last ? { ...outcome, detail: [outcome.detail, message].filter(Boolean).join('; ') } : outcome,
    );
    return { ...progress, context, outcomes: noted, failed: true };
  }
}

function wasSent({ id, result }: StepOutcome, step: Step): boolean {
  return id === step.id && (result === 'done' || result === 'in_doubt');
}

/** Records what this run changed, and which fields it found in sync after another line of history had changed them. */
function withChanges(
  recorded: RecordedState,
  { work, sent, run }: { work: PlannedWork; sent: readonly Step[]; run: Pick<ApplyRun, 'head' | 'tools'> },
): RecordedState {
  const { changes } = work.plan;
  const { spec } = work.context;
  const { included: ancestors = null } = run.tools;
  const inSync = ancestors === null ? {} : fieldsInSync(recorded, { spec, changes, ancestors });
  return withApply(recorded, applyOf(run.head, { ...inSync, ...sentChanges(changes, sent) }));
}

export async function recordUnchanged(
  works: readonly PlannedWork[],
  { head, tools }: Pick<ApplyRun, 'head' | 'tools'>,
  read: Parameters<typeof seenNow>[1],
): Promise<void> {
  const { store, parallelism, emit } = tools;
  const at = new Date(tools.now()).toISOString();
  const isUnchanged = ({ context, isKnown, plan: { action, steps, problems } }: PlannedWork) =>
    action !== 'not_read' &&
    (isKnown || sendingStatus(context) === null) &&
    steps.length === 0 &&
    problems.every(({ severity }) => severity !== 'hazard');
  const record = async (work: PlannedWork) => {
    const { plan, context } = work;
    const { id, spec, recorded } = context;
    const last = lastAfter(recorded.last, spec, { proven: unchangedSections(plan), sent: false, at });
    const counted = withTotalLeads(recordShown(context), totalLeads(context));
    const held = withHold(counted, plan, { seen: context, at });
    const changed = withChanges(held, { work, sent: [], run: { head, tools } });
    const now = { ...changed, has_run: hasRun(context), last, seen: seenNow(work, read) };
    // The file name in the entry is needed to recognise a manifest whose `name` has changed.
    const isMoved = work.entry?.id === id && work.entry.manifest !== plan.manifest;
    const isNews = isMoved || !equal(last === null ? changed : now, recorded);
    if (id === null || !isNews || tools.stopping()) return;
    await store.save({ id, manifest: plan.manifest, name: spec.name, recorded: now });
  };
  await sideBySide(works.filter(isUnchanged), parallelism, record).catch((error) => {
    emit({ type: 'trouble', message: asFailure(error).message });
  });
}

/**
 * Records which campaigns were replaced by applied successors. A successor that had itself been replaced no longer counts
 * as replaced.
 */
export async function recordSuccessors(
  outcomes: ReadonlyMap<PlannedWork, CampaignOutcome>,
  { store, emit }: RunTools,
): Promise<void> {
  const due = [...outcomes].flatMap(([{ waitsFor }, { id, result }]) => {
    if (waitsFor === null || waitsFor.id === null || id === null || result !== 'done') return [];
    return isReplacedBy(waitsFor.entry, id) ? [] : [{ old: waitsFor, id }];
  });
  if (due.length === 0) return;
  const record = async () => {
    const entries = new Map((await store.readAll()).map((entry) => [entry.id, entry]));
    for (const { old, id } of due) {
      const { plan, context } = old;
      const { manifest, name } = plan;
      const entry = entries.get(plan.id ?? 0) ?? {
        id: plan.id ?? 0,
        manifest,
        name,
        recorded: context.recorded,
      };
      const has_run = hasRun({ ...context, recorded: entry.recorded });
      await store.save({ ...entry, recorded: { ...entry.recorded, has_run, superseded_by: id } });
      const successor = entries.get(id);
      if (successor?.recorded.superseded_by === undefined) continue;
      const { superseded_by: _, ...recorded } = successor.recorded;
      await store.save({ ...successor, recorded });
    }
  };
  await record().catch((error) => {
    emit({ type: 'trouble', message: asFailure(error).message });
  });
}
