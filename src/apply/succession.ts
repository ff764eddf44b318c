/** What apply does with a campaign that another one replaces: its pause, the look before the launch, and what the state keeps of it. */
import equal from 'fast-deep-equal';
import { type CampaignOutcome, isPauseOfReplaced, type Step, type StepOutcome } from '../model/outputs.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { asOwnPause, hasRun, type Work, withPause } from '../plan/index.js';
import type { Journal } from '../state/index.js';
import { isPausing, whyNotIdle } from './checks.js';
import { type ApplyRun, asFailure, type Progress, type RunTools, type WriteResult } from './tools.js';
import { write } from './write.js';

/** Sends the pause of the replaced campaign and reads back that it is idle. The journal has it as a step of the successor. */
export async function pauseReplaced(
  step: Step,
  successor: Progress,
  run: ApplyRun,
): Promise<Pick<WriteResult, 'result' | 'detail'>> {
  const { work, context } = successor;
  const { succession } = work;
  if (succession === null) return { result: 'failed', detail: 'it was not sent: nothing is replaced' };
  const { id } = context;
  const { name } = work.plan;
  const journal: Journal = {
    ...run.journal,
    intend: (line) => run.journal.intend({ ...line, name, id, step }),
    conclude: (line) => run.journal.conclude({ ...line, name, id, step: step.id }),
  };
  const old: Progress = { ...successor, context: succession.context, outcomes: [] };
  const { result, detail, sentAt } = await write(asOwnPause(step), old, { ...run, journal });
  if (result !== 'done') return { result, detail };
  const why = await whyNotIdle(work, { tools: run.tools, since: sentAt, isPaused: true }).catch(
    (error) => `whether it rests could not be read: ${asFailure(error).message}`,
  );
  if (why === null) return { result, detail };
  return { result: 'in_doubt', detail: `the service accepted the pause, but ${why}` };
}

/** A successor begins only once the campaign that it replaces is idle, also if that one's own manifest pauses it. */
export async function whyNotBegun(work: Work, tools: RunTools): Promise<string | null> {
  if (work.succession === null || !isPausing(work.plan)) return null;
  return whyNotIdle(work, { tools, since: tools.elapsed() });
}

/** Whether these outcomes tell that the replaced campaign was paused. */
function isReplacedPaused(outcomes: readonly StepOutcome[]): boolean {
  return outcomes.some((outcome) => isPauseOfReplaced(outcome) && outcome.result === 'done');
}

/**
 * Works whose replaced campaigns have manifests of their own come after those: round after round, each side by side.
 */
export function inRounds(works: readonly Work[]): Work[][] {
  const rounds: Work[][] = [];
  let left = [...works];
  while (left.length > 0) {
    const ids = new Set(left.map(({ plan }) => plan.id));
    const free = left.filter(({ succession }) => !ids.has(succession?.context.id ?? 0));
    // Circles are errors of the manifests.
    const round = free.length > 0 ? free : left;
    rounds.push(round);
    left = left.filter((one) => !round.includes(one));
  }
  return rounds;
}

/**
 * Writes what the state has to keep of campaigns that were replaced: that they were paused, and, once the new one is as its manifest
 * says, by which. The new one is no replaced one any more, should it have been one.
 */
export async function recordSuccessions(
  works: readonly { work: Work; outcome: CampaignOutcome }[],
  { store, emit }: RunTools,
): Promise<void> {
  const due = works.filter(({ work: { succession }, outcome }) => {
    const isMarked = succession?.isDone === true && outcome.steps.length === 0;
    return succession !== null && !isMarked;
  });
  if (due.length === 0) return;
  const record = async () => {
    const entries = new Map((await store.readAll()).map((entry) => [entry.id, entry]));
    for (const { work, outcome } of due) {
      for (const entry of kept(work, outcome, entries))
        if (!equal(entry, entries.get(entry.id))) {
          await store.save(entry);
          entries.set(entry.id, entry);
        }
    }
  };
  await record().catch((error) => {
    emit({ type: 'trouble', message: asFailure(error).message });
  });
}

function kept(
  { succession, plan: { manifest } }: Work,
  { id, result, steps }: CampaignOutcome,
  entries: ReadonlyMap<number, StateEntry>,
): StateEntry[] {
  const old = succession?.context ?? null;
  if (old === null || old.id === null) return [];
  const known = entries.get(old.id);
  const first = known ?? { id: old.id, manifest, name: old.spec.name, recorded: UNKNOWN_STATE };
  const isTold = (succession?.pending.length ?? 0) > 0;
  const before = isTold ? { ...first, recorded: old.recorded } : first;
  // An earlier run that died may have paused it.
  const isLearnt = old.recorded.status === 'paused' && first.recorded.status !== 'paused';
  const paused = isReplacedPaused(steps) || isLearnt;
  const isWhole = result === 'done' && id !== null;
  if (!paused && !isWhole) return [];
  const recorded = paused ? withPause(before.recorded) : before.recorded;
  const has_run = hasRun({ ...old, recorded });
  const entry = {
    ...before,
    recorded: { ...recorded, has_run, ...(isWhole ? { superseded_by: id } : {}) },
  };
  const own = id === null || !isWhole ? undefined : entries.get(id);
  if (own?.recorded.superseded_by === undefined) return [entry];
  const { superseded_by: _, ...free } = own.recorded;
  return [entry, { ...own, recorded: free }];
}
