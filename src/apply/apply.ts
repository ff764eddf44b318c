import type { ApplyResult, CampaignOutcome, CampaignPlan, Problem } from '../model/outputs.js';
import type { RunHead } from '../model/run.js';
import { fingerprint } from '../plan/index.js';
import { concludeCampaign, isLaunchDue, sendSteps, untouched } from './campaign.js';
import { shareLists, withDuplicates } from './lists.js';
import { recordUnchanged } from './record.js';
import type { Refresh } from './refresh.js';
import { inRounds, recordSuccessions } from './succession.js';
import { type ApplyTools, asFailure, type Progress, sideBySide } from './tools.js';

/**
 * Sends the steps of a plan: campaigns side by side, the steps of one campaign in order, launches once everything else was
 * sent. A failed step stops its campaign, not the others. What earlier runs left is recorded first. Failure if nothing could be noted, and so nothing was sent; never for
 * what the service does: the result tells every step.
 */
export async function applyPlan(
  { plan, work, removal, beforehand, probes, today }: Refresh,
  head: Omit<RunHead, 'environment'>,
  given: ApplyTools,
): Promise<ApplyResult> {
  const list = shareLists(given);
  const tools = { ...given, list, listShows: { ...beforehand.listShows }, woken: new Set<number>() };
  const all = [...work, ...removal];
  await recordPending(all, tools);
  if (probes.length > 0) await tools.store.closePending(probes);
  const outcomes: CampaignOutcome[] = all.map(untouched);
  const places = new Map(all.map((one, at) => [one, at]));
  const sending = all.filter(({ plan }) => plan.steps.length > 0);
  if (sending.length > 0) {
    const specs = Object.fromEntries(
      work.map(({ plan: { manifest }, context }) => [manifest, fingerprint(context.spec)]),
    );
    // The changes say what the run is about: the whole content would double the journal.
    const told = {
      ...plan,
      by_hand: [],
      campaigns: plan.campaigns.map((campaign) => ({ ...campaign, content: null, impact: null, last: null })),
    };
    const start = { ...head, environment: plan.environment, plan: told, specs };
    const journal = await tools.store.begin(start, () => new Date(tools.now()).toISOString());
    const run = { journal, beforehand, tools };
    const conclude = async (progress: Progress) => {
      outcomes[places.get(progress.work) ?? 0] = await concludeCampaign(progress, run);
    };
    const due: Progress[] = [];
    for (const round of inRounds(sending))
      await sideBySide(round, 2 * tools.parallelism, async (work) => {
        const progress = await sendSteps(work, run);
        if (isLaunchDue(progress)) due.push(progress);
        else await conclude(progress);
      });
    await sideBySide(due, 2 * tools.parallelism, conclude);
    const seen = await withDuplicates(outcomes, tools);
    outcomes.splice(0, outcomes.length, ...seen);
    const complete = outcomes.every(({ result }) => result === 'done');
    await journal.end(tools.stopping() ? 'interrupted' : complete ? 'done' : 'incomplete').catch((error) => {
      tools.emit({ type: 'trouble', message: asFailure(error).message });
    });
  }
  await recordUnchanged(work, tools, { tool: head.tool, at: today });
  await recordSuccessions(
    all.flatMap((one, at) => (outcomes[at] === undefined ? [] : [{ work: one, outcome: outcomes[at] }])),
    tools,
  );
  // One that was launched since is no longer left over.
  const by_hand = plan.by_hand.filter(({ does, id }) => does !== 'delete' || !tools.woken.has(id));
  return resultOf(
    { ...plan, by_hand },
    outcomes.filter((_, at) => at < work.length || (all[at]?.plan.steps.length ?? 0) > 0),
  );
}

/** Writes the entries of what earlier runs sent, and closes their journals. */
async function recordPending(work: Refresh['work'], { store }: ApplyTools): Promise<void> {
  const own = new Set(work.flatMap((one) => one.pending));
  // Of a campaign that another one replaces, unless it has a manifest of its own.
  const replaced = work.flatMap(({ succession }) =>
    succession?.pending.some((one) => !own.has(one)) ? [succession] : [],
  );
  const pending = [...new Set([...own, ...replaced.flatMap((one) => one.pending)])];
  if (pending.length === 0) return;
  for (const { entry, context } of replaced)
    if (entry !== null) await store.save({ ...entry, recorded: context.recorded });
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
    unchanged: outcomes.length - told.length - plan.summary.not_read,
    not_read: plan.summary.not_read,
    done: count('done'),
    incomplete: count('incomplete'),
    blocked: count('blocked'),
  };
  const { environment, fingerprint } = plan;
  const result = summary.incomplete + summary.blocked > 0 ? 'incomplete' : 'done';
  return {
    version: 1,
    environment,
    fingerprint,
    result,
    summary,
    campaigns: told,
    by_hand: plan.by_hand,
    problems: plan.campaigns.flatMap(launchesInDoubt),
  };
}

/** What holds back a launch stands in the result too, in the words of the plan: a person has to look first. */
function launchesInDoubt({ name, problems }: CampaignPlan): Problem[] {
  return problems
    .filter(({ code }) => code === 'launch-in-doubt')
    .map((problem) => ({ ...problem, message: `${name}: ${problem.message}` }));
}
