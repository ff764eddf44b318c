import { Failure } from '../model/failure.js';
import { isObject, type JsonObject } from '../model/json.js';
import { type LiveCampaign, liveCampaign, NOT_READ, partsOf } from '../model/live.js';
import type { SectionName, Step } from '../model/outputs.js';
import type { CampaignOutcome, StepOutcome, StepResult } from '../model/reports.js';
import type { Target } from '../model/target.js';
import type { Planned } from '../plan/planned.js';
import { recordSent } from '../plan/reconcile.js';
import { recordShown, recordStep, replan } from '../sections/all.js';
import { mailingStatus } from '../sections/sending.js';
import { initialUpdate, shownSettings } from '../sections/settings.js';
import { withFacts } from '../sections/target.js';
import { leadsBefore } from './look.js';
import { type Proof, readAgain, readBack, whileAwaited } from './readback.js';
import { saveProgress, withTotal } from './record.js';
import {
  type ApplyRun,
  asFailure,
  type Progress,
  type ReadAhead,
  type SendingRun,
  type WriteResult,
} from './run.js';
import { write } from './write.js';

export function untouched({ plan }: Planned): CampaignOutcome {
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

function findLaunch({ plan }: Planned): Step | undefined {
  return plan.steps.find(({ stage }) => stage === 'launch');
}

/** Sends all steps except the launch. If `isHeld` (the replaced campaign failed), sends nothing. */
export async function sendSteps(planned: Planned, run: SendingRun, isHeld: boolean): Promise<Progress> {
  const launch = findLaunch(planned);
  const never = Number.NEGATIVE_INFINITY;
  const { target } = planned;
  const now = withFacts(target, { recorded: recordShown(target) });
  let progress: Progress = {
    planned,
    now,
    outcomes: [],
    failed: isHeld,
    sentAt: never,
    movedAt: never,
    doubtedAt: never,
    readAhead: null,
    readBack: null,
  };
  for (const step of planned.plan.steps)
    if (step !== launch) progress = await performStep(step, progress, run);
  return progress;
}

export function isLaunchDue({ planned, failed }: Progress): boolean {
  return findLaunch(planned) !== undefined && !failed;
}

export async function concludeCampaign(sent: Progress, run: SendingRun): Promise<CampaignOutcome> {
  const { planned } = sent;
  const launch = findLaunch(planned);
  const proof: Proof = await readBack(sent, run);
  let progress: Progress = { ...proof.progress, now: await withTotal(proof, run), readBack: proof.seen };
  if (proof.isOther) progress = await withPauseInDoubt(progress, run);
  if (launch !== undefined) progress = await performStep(launch, progress, run);
  progress = await saveProgress(progress, proof, run);
  const before = untouched(planned);
  const isSent = (name: SectionName) => planned.plan.steps.some(({ section }) => section === name);
  const unsent = before.remaining.filter(({ section }) => !isSent(section));
  return {
    ...before,
    id: progress.now.id,
    result: progress.failed ? 'incomplete' : before.result,
    steps: progress.outcomes,
    remaining: [...proof.remaining, ...unsent],
  };
}

/** The request may have paused a different campaign, so the state must not record this one as paused. */
async function withPauseInDoubt(progress: Progress, { journal }: SendingRun): Promise<Progress> {
  const { planned, now, outcomes } = progress;
  const pause = planned.plan.steps.find(({ stage }) => stage === 'pause');
  const isPaused = outcomes.some(({ id, result }) => id === 'pause' && result === 'done');
  if (pause === undefined || !isPaused) return progress;
  const { id, spec, recorded } = now;
  const written = { result: 'in_doubt' as const, detail: 'it may have paused a different campaign' };
  const about = { manifest: planned.plan.manifest, name: spec.name, step: pause.id, id };
  await journal.conclude({ ...about, ...written, visible_in: null });
  return {
    ...progress,
    now: withFacts(now, { recorded: recordStep(recorded, pause, 'in_doubt') }),
    outcomes: outcomes.map((outcome) => (outcome.id === pause.id ? { ...outcome, ...written } : outcome)),
  };
}

function toOutcome(step: Step, result: StepResult, detail: string | null): StepOutcome {
  const { id, title, method, path } = step;
  return { id, title, method, path, result, detail };
}

async function performStep(step: Step, progress: Progress, run: SendingRun): Promise<Progress> {
  const { outcomes } = progress;
  if (progress.failed || run.stopping())
    return { ...progress, outcomes: [...outcomes, toOutcome(step, 'not_run', null)], failed: true };
  const about = { campaign: progress.planned.plan.name, step: step.id, title: step.title };
  run.emit({ type: 'step-started', ...about });
  const after = await bindAndWrite(step, progress, run).catch((error): Progress => {
    const detail = `it was not sent: ${asFailure(error).message}`;
    return { ...progress, outcomes: [...outcomes, toOutcome(step, 'failed', detail)], failed: true };
  });
  run.emit({ type: 'step-ended', ...about, result: after.outcomes.at(-1)?.result ?? 'failed' });
  return after;
}

async function bindAndWrite(step: Step, progress: Progress, run: SendingRun): Promise<Progress> {
  const bound = await bind(step, await withCreated(progress, run), run);
  const written = await write(bound.step, bound.progress, run);
  const { othersShowStatus } = run;
  const created = liveCampaign(null, { row: null, othersShowStatus });
  return withWritten(bound, written, { created, at: new Date(run.now()).toISOString() });
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
  const { now, outcomes } = progress;
  const { result, detail, id, sentAt, live = now.live ?? created, isDoubted = false } = written;
  const sent = { step, total_leads: leadsBefore(progress), at };
  const isSent = result === 'done' || result === 'in_doubt';
  const recorded = isSent ? recordSent(now.recorded, sent, result) : now.recorded;
  return {
    ...progress,
    now: withFacts(now, { id, live: id === null ? null : live, recorded }),
    outcomes: [...outcomes, toOutcome(step, result, detail)],
    failed: result !== 'done',
    sentAt,
    readAhead: null,
    doubtedAt: isDoubted ? sentAt : progress.doubtedAt,
    movedAt: step.stage === 'create' || step.stage === 'pause' ? sentAt : progress.movedAt,
  };
}

/** In milliseconds after the creation. */
const SETTINGS_WITHIN = 2_000;

async function withCreated(progress: Progress, run: ApplyRun): Promise<Progress> {
  const { planned, now, sentAt } = progress;
  if (planned.plan.id !== null || now.id === null || now.live?.isRead === true) return progress;
  let created: Target | null = null;
  let readAhead: ReadAhead | null = null;
  const awaited = { campaign: planned.plan.name, what: 'the new campaign' };
  for await (const _ of whileAwaited(sentAt, run, awaited)) {
    const at = run.elapsed();
    const seen = await readAgain(now, ['campaign'], run);
    if (seen.live?.record.is !== 'shown') continue;
    created = seen;
    readAhead = { parts: partsOf(seen.live), at };
    const status = mailingStatus(seen);
    // Settings may be shown a moment later, or only once they are set.
    const isLate = run.elapsed() - sentAt >= SETTINGS_WITHIN;
    const hasSettings = isLate || Object.keys(shownSettings(seen)).length > 0;
    const isSettled = status === null || status.word === null;
    if (isSettled && (now.spec.settings === undefined || hasSettings)) break;
  }
  if (created !== null)
    return { ...progress, now: withFacts(created, { recorded: recordShown(created) }), readAhead };
  throw new Failure({
    code: 'creation-not-shown',
    message: `The service does not show campaign ${now.id}, which it has just created.`,
    hint: 'Plan again once the service shows the campaign.',
  });
}

/**
 * Fills in the id and the initial settings of a new campaign, and base-step ids. The base-step ids come from a new plan,
 * which must contain only this step.
 */
async function bind(step: Step, progress: Progress, run: ApplyRun): Promise<Bound> {
  const { now, sentAt } = progress;
  const addressed = { ...step, path: step.path.replace('{campaign_id}', String(now.id)) };
  // Only paths of campaigns created in this run contain a placeholder.
  if (step.stage === 'settings' && addressed.path !== step.path) {
    return { step: { ...addressed, body: initialUpdate(now) }, progress };
  }
  if (!hasPlaceholder(step.body)) return { step: addressed, progress };
  const awaited = { campaign: now.spec.name, what: 'the base steps' };
  for await (const _ of whileAwaited(sentAt, run, awaited)) {
    const at = run.elapsed();
    const seen = await readAgain(now, [step.section], run);
    const [same, ...others] = replan(seen, [step.section]).steps;
    if (same?.id !== step.id || others.length > 0) continue;
    const live = now.live && { ...now.live, sequence: seen.live?.sequence ?? NOT_READ };
    const readAhead = seen.live && { parts: partsOf(seen.live), at };
    return { step: same, progress: { ...progress, now: withFacts(now, { live }), readAhead } };
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
