import type { CampaignPlan, PlanProblem } from '../model/outputs.js';
import type { ApplyResult, ApplySummary, CampaignOutcome } from '../model/reports.js';
import { sideBySide } from '../model/side-by-side.js';
import type { RunAuthor } from '../model/state.js';
import { specFingerprint } from '../plan/fingerprint.js';
import { declaredOf, isDeclared, type Planned } from '../plan/planned.js';
import type { Refresh } from '../plan/refresh.js';
import { othersShowStatus } from '../sections/sending.js';
import type { Journal } from '../state/journal.js';
import { concludeCampaign, isLaunchDue, sendSteps, untouched } from './campaign.js';
import { withDuplicates } from './created.js';
import { READ_BACK } from './readback.js';
import { recordSuccessors, recordUnchanged } from './record.js';
import {
  type ApplyRun,
  type ApplyTools,
  asFailure,
  type Progress,
  type SendingRun,
  shareLists,
} from './run.js';

/**
 * Applies a plan: campaigns in parallel, the steps of each in order, all launches last. A failed step stops only its own
 * campaign. Throws only if nothing was sent.
 */
export async function applyPlan(refresh: Refresh, head: RunAuthor, tools: ApplyTools): Promise<ApplyResult> {
  const { plan, works, now: at } = refresh;
  const run = openRun(refresh, head, tools);
  await recordPending(works, run);
  const outcomes = new Map(works.map((planned) => [planned, untouched(planned)]));
  const requested = works.filter((planned) => planned.plan.steps.length > 0);
  if (requested.length > 0) {
    const journal = await begin(refresh, run);
    const sent = await sendAll(requested, { ...run, journal });
    const ended = works.map((planned) => sent.get(planned) ?? untouched(planned));
    const seen = await withDuplicates(ended, run);
    for (const [index, planned] of works.entries()) if (seen[index]) outcomes.set(planned, seen[index]);
    const isComplete = seen.every(({ result }) => result === 'done');
    await journal.end(run.stopping() ? 'interrupted' : isComplete ? 'done' : 'incomplete').catch((error) => {
      run.emit({ type: 'trouble', message: asFailure(error).message });
    });
  }
  await recordUnchanged(declaredOf(works), run, { tool: head.tool, at });
  await recordSuccessors(outcomes, run);
  // The state names a replaced campaign's manifest, which its successor may have now.
  const declared = declaredOf(works).flatMap((planned) => outcomes.get(planned) ?? []);
  const ids = new Map(declared.map(({ manifest, id }) => [manifest, id]));
  const by_hand = plan.by_hand.map((task) => ({ ...task, id: task.id ?? ids.get(task.manifest) ?? null }));
  const reported = works.filter((planned) => isDeclared(planned.target) || planned.plan.steps.length > 0);
  const ended = [
    ...reported.filter((planned) => !waitsForPause(planned)),
    ...reported.filter(waitsForPause),
  ].flatMap((planned) => {
    const outcome = outcomes.get(planned);
    return outcome === undefined ? [] : [{ planned, outcome }];
  });
  return summarizeRun({ ...plan, by_hand }, ended, requested.length > 0 ? head.run : null);
}

function openRun({ listed, knownIds, names }: Refresh, head: RunAuthor, tools: ApplyTools): ApplyRun {
  return {
    ...tools,
    head,
    list: shareLists(tools.service, tools.elapsed, listed),
    ids: new Set(listed.map(({ id }) => id)),
    knownIds,
    names,
    othersShowStatus: othersShowStatus(null, listed),
    paused: () => tools.store.pausesAfter(head.run),
  };
}

function begin({ plan, works, listed }: Refresh, run: ApplyRun): Promise<Journal> {
  const specs = declaredOf(works).map(
    ({ plan: { manifest }, target }) => [manifest, specFingerprint(target.spec)] as const,
  );
  // The journal needs only the changes; the full content would double its size.
  const campaigns = plan.campaigns.map((campaign) => ({
    ...campaign,
    content: null,
    impact: null,
    last: null,
  }));
  const start = {
    ...run.head,
    environment: plan.environment,
    plan: { ...plan, by_hand: [], campaigns },
    specs: Object.fromEntries(specs),
    ...(plan.summary.create > 0 && { listed_ids: listed.map(({ id }) => id) }),
  };
  return run.store.begin(start, () => new Date(run.now()).toISOString());
}

/** True if the campaign is sent after that which it replaces. */
function waitsForPause({ waitsFor }: Planned): boolean {
  return waitsFor !== null && waitsFor.plan.steps.length > 0;
}

/** The outcome of each of the campaigns. */
async function sendAll(
  sending: readonly Planned[],
  run: SendingRun,
): Promise<ReadonlyMap<Planned, CampaignOutcome>> {
  const outcomes = new Map<Planned, CampaignOutcome>();
  const limit = 2 * run.parallelism - 1;
  const byId = new Map(sending.map((planned) => [planned.target.id, planned]));
  const waitsFor = ({ waitsFor }: Planned) => (waitsFor === null ? undefined : byId.get(waitsFor.target.id));
  const launches: Progress[] = [];
  const conclude = async (progress: Progress) => {
    outcomes.set(progress.planned, await concludeCampaign(progress, run));
  };
  const first = sending.filter((planned) => waitsFor(planned) === undefined);
  const second = sending.filter((planned) => waitsFor(planned) !== undefined);
  for (const wave of [first, second])
    await sideBySide(wave, limit, async (planned) => {
      const predecessor = waitsFor(planned);
      const isHeld = predecessor !== undefined && outcomes.get(predecessor)?.result === 'incomplete';
      const progress = await sendSteps(planned, run, isHeld);
      if (isLaunchDue(progress)) launches.push(progress);
      else await conclude(progress);
    });
  await sideBySide(launches, limit, conclude);
  return outcomes;
}

async function recordPending(works: readonly Planned[], { store }: ApplyTools): Promise<void> {
  const pending = works.flatMap(({ target }) => target.pending);
  if (pending.length === 0) return;
  for (const { plan, target } of works) {
    const { id, spec, recorded } = target;
    if (target.pending.length > 0 && id !== null)
      await store.save({ id, manifest: plan.manifest, name: spec.name, recorded });
  }
  await store.closePending(pending);
}

interface Ended {
  planned: Planned;
  outcome: CampaignOutcome;
}

/** `run`: `null` if nothing was sent. */
function summarizeRun(plan: Refresh['plan'], ended: readonly Ended[], run: string | null): ApplyResult {
  const eventful = ended.filter(({ outcome: { steps, result } }) => steps.length > 0 || result !== 'done');
  const { not_read } = plan.summary;
  const summary = {
    campaigns: ended.length,
    unchanged: ended.length - eventful.length - not_read,
    not_read,
    ...countOutcomes(eventful),
    held: plan.campaigns.filter(isHeldBack).length,
  };
  const { environment, base_url, fingerprint } = plan;
  const result = summary.incomplete + summary.blocked > 0 ? 'incomplete' : 'done';
  return {
    version: 1,
    environment,
    base_url,
    fingerprint,
    run,
    result,
    summary,
    campaigns: eventful.map(({ outcome }) => outcome),
    by_hand: plan.by_hand,
    problems: plan.campaigns.flatMap(launchesInDoubt),
  };
}

type OutcomeCounts = Omit<ApplySummary, 'campaigns' | 'unchanged' | 'not_read' | 'held'>;

function countOutcomes(eventful: readonly Ended[]): OutcomeCounts {
  const count = (isCounted: (ended: Ended) => boolean) => eventful.filter(isCounted).length;
  const has = ({ outcome: { steps } }: Ended, id: string) =>
    steps.some((step) => step.id === id && step.result === 'done');
  const isDone = ({ outcome: { result } }: Ended) => result === 'done';
  const isCreated = ({ planned }: Ended) => planned.plan.action === 'create';
  const isResumed = ({ planned }: Ended) => planned.plan.impact?.resumed === true;
  return {
    done: count(isDone),
    created: count((ended) => isDone(ended) && isCreated(ended)),
    changed: count((ended) => isDone(ended) && !isCreated(ended) && isDeclared(ended.planned.target)),
    incomplete: count(({ outcome: { result } }) => result === 'incomplete'),
    blocked: count(({ outcome: { result } }) => result === 'blocked'),
    launched: count((ended) => has(ended, 'launch') && !isResumed(ended)),
    resumed: count((ended) => has(ended, 'launch') && isResumed(ended)),
    paused: count((ended) => has(ended, 'pause') && has(ended, READ_BACK.id)),
  };
}

function isHeldBack({ problems }: CampaignPlan): boolean {
  return problems.some(({ code }) => code === 'launch-held');
}

function launchesInDoubt({ name, problems }: CampaignPlan): PlanProblem[] {
  return problems
    .filter(({ code }) => code === 'launch-in-doubt')
    .map((problem) => ({ ...problem, message: `${name}: ${problem.message}` }));
}
