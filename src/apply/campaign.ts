import { Failure } from '../model/failure.js';
import { isObject, type JsonObject } from '../model/json.js';
import { type LiveCampaign, liveCampaign, NOT_READ } from '../model/live.js';
import type { SectionName, Step } from '../model/outputs.js';
import type { CampaignOutcome, StepOutcome, StepResult } from '../model/reports.js';
import { record, recordShown, replan } from '../plan/order.js';
import { recordSent } from '../plan/reconcile.js';
import type { PlannedWork } from '../plan/work.js';
import type { CampaignContext } from '../sections/index.js';
import { sendingStatus } from '../sections/sending.js';
import { initialUpdate, shownSettings } from '../sections/settings.js';
import { leadsBefore } from './checks.js';
import { type Proof, readAgain, readBack, readings } from './readback.js';
import { saveProgress, withTotal } from './record.js';
import { type ApplyRun, asFailure, type Progress, type RunTools, type WriteResult } from './tools.js';
import { write } from './write.js';

export function untouched({ plan }: PlannedWork): CampaignOutcome {
  const blocked = plan.problems.some(({ severity }) => severity === 'blocked');
  const { manifest, name, id } = plan;
  return {
    manifest,
    name,
    id,
    result: blocked ? 'blocked' : 'done',
    steps: [],
    remaining: blocked ? plan.changes.map(({ origin: _origin, ...change }) => change) : [],
  };
}

function findLaunch({ plan }: Pick<PlannedWork, 'plan'>): Step | undefined {
  return plan.steps.find(({ stage }) => stage === 'launch');
}

/** Sends all steps except the launch. If `isHeld` (the replaced campaign failed), sends nothing. */
export async function sendSteps(work: PlannedWork, run: ApplyRun, isHeld: boolean): Promise<Progress> {
  const launch = findLaunch(work);
  const never = Number.NEGATIVE_INFINITY;
  const context = { ...work.context, recorded: recordShown(work.context) };
  let progress: Progress = { work, context, outcomes: [], failed: isHeld, sentAt: never, movedAt: never };
  for (const step of work.plan.steps) if (step !== launch) progress = await next(step, progress, run);
  return progress;
}

export function isLaunchDue({ work, failed }: Progress): boolean {
  return findLaunch(work) !== undefined && !failed;
}

export async function concludeCampaign(sent: Progress, run: ApplyRun): Promise<CampaignOutcome> {
  const { work } = sent;
  const launch = findLaunch(work);
  const proof: Proof = await readBack(sent, run.tools);
  let progress: Progress = { ...proof.progress, context: await withTotal(proof, run.tools) };
  if (proof.isOther) progress = await withPauseInDoubt(progress, run);
  if (launch !== undefined) progress = await next(launch, progress, run);
  progress = await saveProgress(progress, proof, run);
  const before = untouched(work);
  const isSent = (name: SectionName) =>
    work.plan.steps.some((step) => step !== launch && step.section === name);
  const unsent = before.remaining.filter(({ section }) => !isSent(section));
  return {
    ...before,
    id: progress.context.id,
    result: progress.failed ? 'incomplete' : before.result,
    steps: progress.outcomes,
    remaining: [...proof.remaining, ...unsent],
  };
}

/** The request may have paused a different campaign, so the state must not record this one as paused. */
async function withPauseInDoubt(progress: Progress, { journal }: ApplyRun): Promise<Progress> {
  const { work, context, outcomes } = progress;
  const pause = work.plan.steps.find(({ stage }) => stage === 'pause');
  const isPaused = outcomes.some(({ id, result }) => id === 'pause' && result === 'done');
  if (pause === undefined || !isPaused) return progress;
  const { id, spec, recorded } = context;
  const written = { result: 'in_doubt' as const, detail: 'it may have paused a different campaign' };
  const about = { manifest: work.plan.manifest, name: spec.name, step: pause.id, id };
  await journal.conclude({ ...about, ...written, visible_in: null });
  return {
    ...progress,
    context: { ...context, recorded: record(recorded, pause, 'in_doubt') },
    outcomes: outcomes.map((outcome) => (outcome.id === pause.id ? { ...outcome, ...written } : outcome)),
  };
}

function toOutcome(step: Step, result: StepResult, detail: string | null): StepOutcome {
  const { id, title, method, path } = step;
  return { id, title, method, path, result, detail };
}

async function next(step: Step, progress: Progress, run: ApplyRun): Promise<Progress> {
  const { outcomes } = progress;
  const { tools } = run;
  if (progress.failed || tools.stopping())
    return { ...progress, outcomes: [...outcomes, toOutcome(step, 'not_run', null)], failed: true };
  const about = { campaign: progress.work.plan.name, step: step.id, title: step.title };
  tools.emit({ type: 'step-started', ...about });
  const after = await take(step, progress, run).catch((error): Progress => {
    const detail = `it was not sent: ${asFailure(error).message}`;
    return { ...progress, outcomes: [...outcomes, toOutcome(step, 'failed', detail)], failed: true };
  });
  tools.emit({ type: 'step-ended', ...about, result: after.outcomes.at(-1)?.result ?? 'failed' });
  return after;
}

async function take(step: Step, progress: Progress, run: ApplyRun): Promise<Progress> {
  const bound = await bind(step, await withCreated(progress, run.tools), run.tools);
  const written = await write(bound.step, bound.progress, run);
  const { othersShowStatus } = run.beforehand;
  const created = liveCampaign(null, { row: null, othersShowStatus });
  return withWritten(bound, written, { created, at: new Date(run.tools.now()).toISOString() });
}

interface Bound {
  step: Step;
  progress: Progress;
}

/** `created`: a new campaign that was not read yet. `at`: ISO 8601. */
function withWritten(
  { step, progress }: Bound,
  written: WriteResult,
  { created, at }: { created: LiveCampaign; at: string },
): Progress {
  const { context, outcomes } = progress;
  const { result, detail, id, sentAt, live = context.live ?? created } = written;
  const sent = { step, total_leads: leadsBefore(progress), at };
  const isSent = result === 'done' || result === 'in_doubt';
  const recorded = isSent ? recordSent(context.recorded, sent, result) : context.recorded;
  return {
    ...progress,
    context: { ...context, id, live: id === null ? null : live, recorded },
    outcomes: [...outcomes, toOutcome(step, result, detail)],
    failed: result !== 'done',
    sentAt,
    movedAt: step.stage === 'create' || step.stage === 'pause' ? sentAt : progress.movedAt,
  };
}

/** In milliseconds after the creation. */
const SETTINGS_WITHIN = 2_000;

async function withCreated(progress: Progress, tools: RunTools): Promise<Progress> {
  const { work, context, sentAt } = progress;
  if (work.plan.id !== null || context.id === null || context.live?.isRead === true) return progress;
  let created: CampaignContext | null = null;
  const awaited = { campaign: work.plan.name, what: 'the new campaign' };
  for await (const _ of readings(sentAt, tools, awaited)) {
    const seen = await readAgain(context, ['campaign'], tools);
    if (seen.live?.record.is !== 'shown') continue;
    created = seen;
    const status = sendingStatus(seen);
    // Settings may be shown a moment later, or only once they are set.
    const isLate = tools.elapsed() - sentAt >= SETTINGS_WITHIN;
    const hasSettings = isLate || Object.keys(shownSettings(seen)).length > 0;
    const isSettled = status === null || status.word === null;
    if (isSettled && (context.spec.settings === undefined || hasSettings)) break;
  }
  if (created !== null) return { ...progress, context: { ...created, recorded: recordShown(created) } };
  throw new Failure({
    code: 'creation-not-shown',
    message: `The service does not show campaign ${context.id}, which it has just created.`,
    hint: 'Plan again once the service shows the campaign.',
  });
}

/**
 * Fills in the id and the initial settings of a new campaign, and base-step ids. The base-step ids come from a new plan,
 * which must contain only this step.
 */
async function bind(step: Step, progress: Progress, tools: RunTools): Promise<Bound> {
  const { context, sentAt } = progress;
  const addressed = { ...step, path: step.path.replace('{campaign_id}', String(context.id)) };
  // Only paths of campaigns created in this run contain a placeholder.
  if (step.stage === 'settings' && addressed.path !== step.path) {
    return { step: { ...addressed, body: initialUpdate(context) }, progress };
  }
  if (!hasPlaceholder(step.body)) return { step: addressed, progress };
  const awaited = { campaign: context.spec.name, what: 'the base steps' };
  for await (const _ of readings(sentAt, tools, awaited)) {
    const seen = await readAgain(context, [step.section], tools);
    const [same, ...others] = replan(seen, [step.section]).steps;
    if (same?.id !== step.id || others.length > 0) continue;
    const live = context.live && { ...context.live, sequence: seen.live?.sequence ?? NOT_READ };
    return { step: same, progress: { ...progress, context: { ...context, live } } };
  }
  throw new Failure({
    code: 'base-steps-differ',
    message:
      'The service does not show the base steps as apply sent them, so apply did not send the variants.',
    hint: 'Plan again to see the difference.',
  });
}

function hasPlaceholder(body: JsonObject | null): boolean {
  const list = body?.sequence_steps;
  return (
    Array.isArray(list) && list.some((step) => isObject(step) && typeof step.variant_from_step === 'string')
  );
}
