import type { Answer, Answers, ListedCampaign, ResourceName } from '../model/answer.js';
import type { AspectName, Change } from '../model/change.js';
import type { Environment } from '../model/environment.js';
import { UnreadableAnswer } from '../model/failure.js';
import type { Json } from '../model/json.js';
import type { Memory } from '../model/memory.js';
import type { Problem } from '../model/problem.js';
import type { CampaignSpec } from '../model/spec.js';
import type { Step } from '../model/step.js';

/** What an aspect may know besides live and desired. `templates` is null where no manifest needs it. */
export interface Context {
  environment: Environment;
  memory: Memory;
  templates: Answer | null;
}

/** One campaign as it goes into planning. `answers` and `listed` are null while the campaign does not exist. */
export interface Subject extends Context {
  spec: CampaignSpec;
  id: number | null;
  listed: ListedCampaign | null;
  answers: Answers | null;
}

/** How live differs from desired, and what is to be said about it. A blocked problem means: no steps. */
export interface Difference {
  changes: Change[];
  problems: Problem[];
}

/**
 * A live value as a manifest would say it, body and id files still in it; null where there is nothing to say, or no way
 * to. `remarks`: what somebody who reads the manifest has to know, a line each.
 */
export interface Expressed {
  section: Json;
  remarks: string[];
}

/** What happened to a step, as far as memory is concerned. */
export type Recorded = 'done' | 'in_doubt';

/**
 * One aspect, as its folder defines it: pure functions from text to steps, always (live, desired).
 *
 * `reads`: the answers that `decode` needs. `fresh`: the live value of a campaign that does not exist yet.
 * `normalize` gives null where the manifest does not manage the aspect. `steps` may rely on `difference` not being
 * empty and not being blocked. `remember` keeps what the service will not show again. `portray` is what views show of
 * either side, as in `Portrait`; null where nothing is there. `express` is the inverse of `normalize`: what it says of a
 * live value differs from that value in nothing.
 */
export interface AspectDefinition<Live, Desired> {
  name: AspectName;
  reads: readonly ResourceName[];
  fresh: Live;
  normalize(spec: CampaignSpec, context: Context): Desired | null;
  decode(subject: Subject): Live;
  diff(live: Live, desired: Desired, context: Context): Difference;
  steps(live: Live, desired: Desired, context: Context): Step[];
  remember?(memory: Memory, step: Step, recorded: Recorded): Memory;
  portray: { live(live: Live): unknown; desired(desired: Desired): unknown };
  express?(live: Live, subject: Subject): Expressed;
}

/** An aspect as the rest of the program sees it, whatever its values are. */
export interface Aspect {
  name: AspectName;
  /** The answers that this spec needs; empty where the aspect is not managed. */
  reads(spec: CampaignSpec): readonly ResourceName[];
  /** Difference and steps of one campaign, and the live value behind them; empty where the aspect is not managed. */
  plan(subject: Subject): Difference & { steps: Step[]; live: unknown };
  remember(memory: Memory, step: Step, recorded: Recorded): Memory;
  /** Both sides as views show them, each null where the aspect is not managed or nothing is there. */
  portray(subject: Subject): { live: unknown; desired: unknown };
  /** The live campaign's section of a manifest. An answer that cannot be read is a remark. */
  express(subject: Subject): Expressed;
}

/** Closes over the aspect's own types: text → desired, answers → live, (live, desired) → changes → steps. */
export function defineAspect<Live, Desired>(definition: AspectDefinition<Live, Desired>): Aspect {
  return {
    name: definition.name,
    reads: (spec) => (isManaged(definition.name, spec) ? definition.reads : []),
    plan(subject) {
      const desired = definition.normalize(subject.spec, subject);
      if (desired === null) return { changes: [], problems: [], steps: [], live: null };
      const live = subject.id === null ? definition.fresh : definition.decode(subject);
      const difference = definition.diff(live, desired, subject);
      const blocked = difference.problems.some((problem) => problem.severity === 'blocked');
      const steps =
        blocked || difference.changes.length === 0 ? [] : definition.steps(live, desired, subject);
      return { ...difference, steps: steps.map((step) => addressed(step, subject.id)), live };
    },
    remember: (memory, step, recorded) => definition.remember?.(memory, step, recorded) ?? memory,
    portray(subject) {
      const { normalize, decode, portray } = definition;
      const desired = normalize(subject.spec, subject);
      if (desired === null) return { live: null, desired: null };
      const live = subject.id === null ? null : portray.live(decode(subject));
      return { live, desired: portray.desired(desired) };
    },
    express(subject) {
      try {
        return definition.express?.(definition.decode(subject), subject) ?? { section: null, remarks: [] };
      } catch (error) {
        if (!(error instanceof UnreadableAnswer)) throw error;
        return { section: null, remarks: [error.message] };
      }
    },
  };
}

function isManaged(name: AspectName, spec: CampaignSpec): boolean {
  return name === 'campaign' || spec[name] !== undefined;
}

/** Fills the campaign's id into the path where it is known. */
function addressed(step: Step, id: number | null): Step {
  return id === null ? step : { ...step, path: step.path.replace('{campaign_id}', String(id)) };
}
