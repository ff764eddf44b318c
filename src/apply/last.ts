import type { Change, SectionName } from '../model/change.js';
import { Failure } from '../model/failure.js';
import type { StepOutcome } from '../model/outcome.js';
import { type CampaignContext, lastAfter, unchangedSections, type Work } from '../plan/index.js';
import type { ApplyTools } from './tools.js';

/** What became of a campaign: its steps, and after them what still differs and which parts were `proven` by reading. */
interface Ended {
  plan: Work['plan'];
  outcomes: readonly StepOutcome[];
  remaining: readonly Change[];
  proven: readonly SectionName[];
}

/** The campaign with what is as its manifest says, by reading or because its launch was seen, as last applied. */
export function withLast(
  context: CampaignContext,
  { plan, outcomes, remaining, proven }: Ended,
  { now }: ApplyTools,
): CampaignContext {
  const { spec, recorded } = context;
  const launched = outcomes.some(({ id, result }) => id === 'launch' && result === 'done');
  const unchanged = unchangedSections(plan).filter((name) =>
    remaining.every(({ section }) => section !== name),
  );
  const seen: SectionName[] = [...proven, ...(launched ? (['status'] as const) : [])];
  const at = new Date(now()).toISOString();
  const news = { proven: [...unchanged, ...seen], sent: seen.length > 0, at };
  return { ...context, recorded: { ...recorded, last: lastAfter(recorded.last, spec, news) } };
}

/**
 * Remembers of campaigns of which nothing is to be sent what of them is as the manifest says: it counts as applied. Written
 * only where that is news, and never of a campaign of which somebody has yet to say that it is the one that is meant.
 */
export async function recordUnchanged(works: readonly Work[], tools: ApplyTools): Promise<void> {
  const { store, parallelism, emit } = tools;
  const at = new Date(tools.now()).toISOString();
  const queue = works.filter(({ plan }) => plan.steps.length === 0 && !hasHazard(plan));
  const worker = async () => {
    for (let work = queue.shift(); work !== undefined && !tools.stopping(); work = queue.shift()) {
      const { plan, context } = work;
      const { id, spec, recorded } = context;
      const last = lastAfter(recorded.last, spec, { proven: unchangedSections(plan), sent: false, at });
      if (id === null || last === recorded.last) continue;
      await store.save({ id, manifest: plan.manifest, name: spec.name, recorded: { ...recorded, last } });
    }
  };
  try {
    await Promise.all(Array.from({ length: Math.min(parallelism, queue.length) }, worker));
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    emit({ type: 'trouble', message: error.message });
  }
}

function hasHazard({ problems }: Work['plan']): boolean {
  return problems.some(({ severity }) => severity === 'hazard');
}
