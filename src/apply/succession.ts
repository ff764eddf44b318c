/** What apply does with a campaign that another one replaces: its pause, the look before the launch, and what the state keeps of it. */
import equal from 'fast-deep-equal';
import { type CampaignOutcome, isPauseOfReplaced, type Step, type StepOutcome } from '../model/outputs.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import {
  asOwnPause,
  type CampaignContext,
  campaignThat,
  hasRun,
  howToDeclare,
  isAtRest,
  liveStatus,
  type Work,
  withPause,
} from '../plan/index.js';
import type { Journal } from '../state/index.js';
import { type Beforehand, type Performed, perform } from './perform.js';
import { READ_WAITS, readUntil } from './readback.js';
import { asFailure, type LookTools, type RunTools } from './tools.js';

/** Sends the pause of the replaced campaign and reads back that it rests. The journal has it as a step of the new one, `id`. */
export async function pauseReplaced(
  step: Step,
  { plan, succession }: Pick<Work, 'plan' | 'succession'>,
  {
    id,
    journal,
    beforehand,
    tools,
  }: { id: number | null; journal: Journal; beforehand: Beforehand; tools: RunTools },
): Promise<Pick<Performed, 'result' | 'detail'>> {
  if (succession === null) return { result: 'failed', detail: 'it was not sent: nothing is replaced' };
  const { name } = plan;
  const told: Journal = {
    ...journal,
    intend: (line) => journal.intend({ ...line, name, id, step }),
    conclude: (line) => journal.conclude({ ...line, name, id, step: step.id }),
  };
  const { context } = succession;
  // A pause does no harm twice.
  const free = { again: async () => null, guard: async () => null };
  const underway = { manifest: plan.manifest, context, planned: [], journal: told, beforehand, leads: null };
  const { result, detail } = await perform(asOwnPause(step), { ...underway, ...free }, tools);
  if (result !== 'done') return { result, detail };
  const against = await againstReplaced(context, true, tools, READ_WAITS).catch(
    (error) => `whether it rests could not be read: ${asFailure(error).message}`,
  );
  if (against === null) return { result, detail };
  return { result: 'in_doubt', detail: `the service accepted the pause, but ${against}` };
}

/** What speaks against going on beside the replaced campaign: it is not seen at rest. `paused`: its pause was accepted in this run. */
async function againstReplaced(
  old: CampaignContext,
  paused: boolean,
  tools: LookTools,
  waits: readonly number[],
): Promise<string | null> {
  const context = paused ? { ...old, recorded: withPause(old.recorded) } : old;
  let seen = context;
  const rests = await readUntil({ context, sections: ['status'], tools, waits }, (now) => {
    seen = now;
    return isAtRest(now) ? true : null;
  });
  if (rests === true) return null;
  const status = liveStatus(seen);
  return `campaign ${old.id} "${old.spec.name}", which this one replaces, is ${campaignThat(status)} now${howToDeclare(status)}`;
}

/** What speaks against the first step where the replaced campaign has a manifest of its own, which pauses it. */
export async function againstBeginning(
  { plan, succession }: Pick<Work, 'plan' | 'succession'>,
  tools: LookTools,
): Promise<string | null> {
  if (succession === null || !isPausing(plan)) return null;
  return againstReplaced(succession.context, true, tools, READ_WAITS);
}

/** What speaks against a launch: the replaced campaign sends, or may. */
export async function againstLaunchBeside(
  { plan, succession }: Pick<Work, 'plan' | 'succession'>,
  tools: LookTools,
): Promise<string | null> {
  return succession && againstReplaced(succession.context, isPausing(plan), tools, [0]);
}

/** Whether the replaced campaign is paused with this plan, be it by its own manifest. */
function isPausing({ changes }: Work['plan']): boolean {
  return changes.some(({ section, path }) => section === 'campaign' && path === 'replaces');
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
