import type { AspectName, Change } from '../model/change.js';
import { Failure } from '../model/failure.js';
import type { Memory } from '../model/memory.js';
import type { CampaignOutcome, StepOutcome, StepResult } from '../model/outcome.js';
import type { Step } from '../model/step.js';
import { readableAspects, remember, type Subject, type Work } from '../plan/index.js';
import type { ApplyTools } from './apply.js';
import { bind } from './bind.js';
import { perform } from './perform.js';
import { remaining } from './readback.js';

/**
 * A campaign in the middle of its steps: what is known of it now, what of that is on disk, and what became of the
 * steps so far. After a failure the steps that are left are only reported.
 */
interface Progress {
  subject: Subject;
  recorded: Memory;
  outcomes: StepOutcome[];
  failed: boolean;
}

/** The outcome of a campaign of which nothing is to be sent. */
export function untouched({ plan }: Work): CampaignOutcome {
  const blocked = plan.problems.some(({ severity }) => severity === 'blocked');
  const { manifest, name, id } = plan;
  return {
    manifest,
    name,
    id,
    result: blocked ? 'blocked' : 'done',
    steps: [],
    remaining: blocked ? plan.changes : [],
  };
}

/** Sends the steps of one campaign in order, reads back what they changed, and only then launches. */
export async function applyCampaign(work: Work, tools: ApplyTools): Promise<CampaignOutcome> {
  const { plan } = work;
  const launch = plan.steps.find(({ id }) => id === 'launch');
  const steps = plan.steps.filter((step) => step !== launch);
  const { subject } = work;
  let progress: Progress = { subject, recorded: subject.memory, outcomes: [], failed: false };
  for (const step of steps) progress = await next(work, step, progress, tools);
  const proof = await readBack(work, progress, tools);
  progress = proof.progress;
  if (launch !== undefined) progress = await next(work, launch, progress, tools);
  progress = record(work, settled(progress), tools);
  const before = untouched(work);
  const left = before.remaining.filter(({ aspect }) => !steps.some((step) => step.aspect === aspect));
  return {
    ...before,
    id: progress.subject.id,
    result: progress.failed ? 'incomplete' : before.result,
    steps: progress.outcomes,
    remaining: [...proof.remaining, ...left],
  };
}

/** Once the run that made a campaign is through, its settings may be changed elsewhere: they are not defaults for sure. */
function settled(progress: Progress): Progress {
  const { subject, failed } = progress;
  if (failed || !subject.memory.fresh) return progress;
  return { ...progress, subject: { ...subject, memory: { ...subject.memory, fresh: false } } };
}

/** One step: bound to what is known by now, sent, settled, remembered. */
async function next(work: Work, step: Step, progress: Progress, tools: ApplyTools): Promise<Progress> {
  const { outcomes } = progress;
  if (progress.failed || tools.stopping()) {
    return { ...progress, outcomes: [...outcomes, outcome(step, 'not_run', null)], failed: true };
  }
  const told = { campaign: work.plan.name, step: step.id, title: step.title };
  tools.emit({ type: 'step-started', ...told });
  const ended = await attempt(step, progress.subject, tools);
  tools.emit({ type: 'step-ended', ...told, result: ended.outcome.result });
  const failed = ended.outcome.result !== 'done';
  const after = { ...progress, subject: ended.subject, outcomes: [...outcomes, ended.outcome], failed };
  return failed || URGENT.includes(step.aspect) ? record(work, after, tools) : after;
}

/** What could not be found out again by reading is written down at once; the rest with the next of these, or at the end. */
const URGENT: readonly AspectName[] = ['campaign', 'leads', 'status'];

async function attempt(
  step: Step,
  subject: Subject,
  tools: ApplyTools,
): Promise<{ subject: Subject; outcome: StepOutcome }> {
  const bound = await bind(step, subject, tools).catch(asFailure);
  if (bound instanceof Failure) return { subject, outcome: outcome(step, 'failed', bound.message) };
  const { result, detail, id } = await perform(bound, subject, tools);
  const memory =
    result === 'done' || result === 'in_doubt' ? remember(subject.memory, bound, result) : subject.memory;
  return { subject: { ...subject, id, memory }, outcome: outcome(bound, result, detail) };
}

/** Writes the memory down where it has changed. A state that cannot be written stops the campaign, and is told at its last step. */
function record(work: Work, progress: Progress, { store }: ApplyTools): Progress {
  const { subject, recorded, outcomes } = progress;
  const { id, memory } = subject;
  if (id === null || memory === recorded) return progress;
  const { manifest, spec } = work.campaign;
  try {
    store.save({ id, manifest, name: spec.name, memory });
    return { ...progress, recorded: memory };
  } catch (error) {
    const { message } = asFailure(error);
    const last = outcomes.at(-1);
    const told =
      last === undefined ? [] : [{ ...last, detail: [last.detail, message].filter(Boolean).join('; ') }];
    return { ...progress, recorded: memory, outcomes: [...outcomes.slice(0, -1), ...told], failed: true };
  }
}

/** A failure as a value; anything else is a mistake in the program. */
function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/**
 * Proves by reading that the service shows what was sent; before a launch, everything that the manifest manages. An
 * answer of 200 is no proof.
 */
async function readBack(
  { plan }: Work,
  progress: Progress,
  tools: ApplyTools,
): Promise<{ progress: Progress; remaining: Change[] }> {
  const { subject, outcomes } = progress;
  const launches = plan.steps.some(({ id }) => id === 'launch');
  const sent = plan.steps.filter(({ id }) => id !== 'launch').map(({ aspect }) => aspect);
  const aspects = [...new Set<AspectName>(launches ? [...readableAspects(subject), ...sent] : sent)];
  const told = (result: StepResult, detail: string | null, remaining: Change[]) => ({
    progress: {
      ...progress,
      outcomes: [...outcomes, { ...READ_BACK, result, detail }],
      failed: result !== 'done',
    },
    remaining,
  });
  if (progress.failed) return told('not_run', null, []);
  try {
    const changes = await remaining(subject, aspects, tools);
    if (changes.length === 0) return told('done', null, []);
    return told(
      'failed',
      'every request was answered as done, yet the service shows something else',
      changes,
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return told('failed', error.message, []);
  }
}

const READ_BACK = { id: 'read-back', title: 'read back', method: 'GET', path: '' };

function outcome(step: Step, result: StepResult, detail: string | null): StepOutcome {
  const { id, title, method, path } = step;
  return { id, title, method, path, result, detail };
}
