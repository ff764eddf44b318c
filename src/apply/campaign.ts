import type { AspectName, Change } from '../model/change.js';
import { Failure } from '../model/failure.js';
import type { CampaignOutcome, StepOutcome, StepResult } from '../model/outcome.js';
import type { Step } from '../model/step.js';
import { readableAspects, remember, type Subject, type Work } from '../plan/index.js';
import type { ApplyTools } from './apply.js';
import { bind } from './bind.js';
import { awaitLaunch } from './launch.js';
import { perform } from './perform.js';
import { remaining } from './readback.js';

/** A campaign in the middle of its steps: what is known of it now, and what became of the steps so far. */
export interface Progress {
  subject: Subject;
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
  let progress: Progress = { subject: work.subject, outcomes: [], failed: false };
  for (const step of steps) progress = await next(work, step, progress, tools);
  const proof = await readBack(work, progress, tools);
  progress = proof.progress;
  if (launch !== undefined) progress = await next(work, launch, progress, tools);
  await settleDown(work, progress, tools);
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
async function settleDown(work: Work, { subject, failed }: Progress, tools: ApplyTools): Promise<void> {
  if (failed || !subject.memory.fresh) return;
  await save(work, { ...subject, memory: { ...subject.memory, fresh: false } }, tools);
}

/** One step: bound to what is known by now, sent, settled, remembered. After a failure it is only reported. */
async function next(work: Work, step: Step, progress: Progress, tools: ApplyTools): Promise<Progress> {
  if (progress.failed || tools.stopping()) {
    return { ...progress, outcomes: [...progress.outcomes, outcome(step, 'not_run', null)], failed: true };
  }
  const campaign = work.plan.name;
  tools.emit({ type: 'step-started', campaign, step: step.id, title: step.title });
  const ended = await attempt(work, step, progress.subject, tools);
  tools.emit({
    type: 'step-ended',
    campaign,
    step: step.id,
    title: step.title,
    result: ended.outcome.result,
  });
  return {
    subject: ended.subject,
    outcomes: [...progress.outcomes, ended.outcome],
    failed: ended.outcome.result !== 'done',
  };
}

async function attempt(
  work: Work,
  step: Step,
  subject: Subject,
  tools: ApplyTools,
): Promise<{ subject: Subject; outcome: StepOutcome }> {
  try {
    const bound = await bind(step, subject, tools);
    const performed = await perform(bound, subject, tools);
    const settled = step.id === 'launch' ? await awaitLaunch(performed, subject, tools) : performed;
    const { result, detail } = settled;
    const known =
      result === 'done' || result === 'in_doubt' ? remember(subject.memory, bound, result) : subject.memory;
    const after = { ...subject, id: performed.id, memory: known };
    await save(work, after, tools);
    return { subject: after, outcome: outcome(bound, result, detail) };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { subject, outcome: outcome(step, 'failed', error.message) };
  }
}

async function save({ campaign }: Work, { id, memory }: Subject, { store }: ApplyTools): Promise<void> {
  if (id === null) return;
  await store.save({ id, manifest: campaign.manifest, name: campaign.spec.name, memory });
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
      subject,
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
