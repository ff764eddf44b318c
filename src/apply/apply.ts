import { Failure } from '../model/failure.js';
import type { ApplyResult, CampaignOutcome, RunHead } from '../model/outputs.js';
import { fingerprint } from '../plan/index.js';
import { applyCampaign, recordUnchanged, untouched } from './campaign.js';
import type { Refresh } from './refresh.js';
import type { ApplyTools } from './tools.js';

/**
 * Sends the steps of a plan: campaigns side by side, the steps of one campaign in order. A failed step stops its
 * campaign, not the others. What earlier runs left is recorded first. Failure where nothing could be noted, and so
 * nothing was sent; never for what the service does: the result tells every step.
 */
export async function applyPlan(
  { plan, work, beforehand }: Refresh,
  head: Omit<RunHead, 'environment'>,
  tools: ApplyTools,
): Promise<ApplyResult> {
  await recordPending(work, tools);
  const outcomes: CampaignOutcome[] = work.map(untouched);
  const queue = work.map((_, index) => index).filter((index) => (work[index]?.plan.steps.length ?? 0) > 0);
  if (queue.length > 0) {
    const specs = Object.fromEntries(
      work.map(({ plan: { manifest }, context }) => [manifest, fingerprint(context.spec)]),
    );
    // The changes say what the run is about: both sides would double the journal.
    const told = {
      ...plan,
      campaigns: plan.campaigns.map((campaign) => ({ ...campaign, content: null, impact: null, last: null })),
    };
    const start = { ...head, environment: plan.environment, plan: told, specs };
    const journal = await tools.store.begin(start, () => new Date(tools.now()).toISOString());
    const worker = async () => {
      for (let index = queue.shift(); index !== undefined; index = queue.shift()) {
        const one = work[index];
        if (one !== undefined) outcomes[index] = await applyCampaign(one, { journal, beforehand }, tools);
      }
    };
    await Promise.all(Array.from({ length: Math.min(2 * tools.parallelism, queue.length) }, worker));
    const complete = outcomes.every(({ result }) => result === 'done');
    try {
      await journal.end(tools.stopping() ? 'interrupted' : complete ? 'done' : 'incomplete');
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      tools.emit({ type: 'trouble', message: error.message });
    }
  }
  await recordUnchanged(work, tools);
  return resultOf(plan, outcomes);
}

/** The entries of what earlier runs sent are written now that somebody applies; their journals are done with. */
async function recordPending(work: Refresh['work'], { store }: ApplyTools): Promise<void> {
  const pending = work.flatMap((one) => one.pending);
  if (pending.length === 0) return;
  for (const { plan, context, pending } of work) {
    const { id, spec, recorded } = context;
    if (pending.length > 0 && id !== null)
      await store.save({ id, manifest: plan.manifest, name: spec.name, recorded });
  }
  await store.closePending(pending);
}

function resultOf(plan: Refresh['plan'], outcomes: readonly CampaignOutcome[]): ApplyResult {
  const told = outcomes.filter(({ steps, result }) => steps.length > 0 || result !== 'done');
  const count = (result: CampaignOutcome['result']) =>
    told.filter((outcome) => outcome.result === result).length;
  const summary = {
    campaigns: outcomes.length,
    unchanged: outcomes.length - told.length,
    done: count('done'),
    incomplete: count('incomplete'),
    blocked: count('blocked'),
  };
  const { environment, fingerprint } = plan;
  const result = summary.incomplete + summary.blocked > 0 ? 'incomplete' : 'done';
  return { version: 1, environment, fingerprint, result, summary, campaigns: told };
}
