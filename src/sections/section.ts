import equal from 'fast-deep-equal';
import type { Answer, Answers, ListedCampaign, ResourceName } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { UnreadableAnswer } from '../model/failure.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Change, SectionName, Step } from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';

/** What a section may know besides live and desired. `templates` is null where no manifest needs it. */
export interface SectionContext {
  environment: Environment;
  recorded: RecordedState;
  templates: Answer | null;
}

/** One campaign as it goes into planning. `answers` and `listed` are null while the campaign does not exist. */
export interface CampaignContext extends SectionContext {
  spec: CampaignSpec;
  id: number | null;
  listed: ListedCampaign | null;
  answers: Answers | null;
}

/** How live differs from desired, and what is to be said about it. A blocked problem means: no steps. */
export interface SectionDifference {
  changes: Change[];
  problems: Problem[];
}

/**
 * A live value as a manifest would say it, body and id files still in it; null where there is nothing to say, or no way
 * to. `remarks`: what somebody who reads the manifest has to know, a line each.
 */
export interface ManifestSection {
  section: Json;
  remarks: string[];
}

/** What happened to a step, as far as the state is concerned. */
export type StepEffect = 'done' | 'in_doubt';

/**
 * One section, as its file defines it: pure functions from text to steps, always (live, desired).
 *
 * `properties`: its JSON Schema, as properties of a manifest. `reads`: the answers that `decode` needs. `defaults`: the live value of a campaign that does not exist yet.
 * `normalize` gives null where the manifest does not manage the section. `steps` may rely on `difference` not being
 * empty and not being blocked. `remember` keeps what the service will not show again. `toView` is what views show of
 * either side, as in `Content`; null where nothing is there. `toManifest` is the inverse of `normalize`: what it says of a
 * live value differs from that value in nothing.
 */
interface SectionDefinition<Live, Desired> {
  name: SectionName;
  properties: JsonObject;
  reads: readonly ResourceName[];
  defaults: Live;
  normalize(spec: CampaignSpec, context: SectionContext): Desired | null;
  decode(context: CampaignContext): Live;
  diff(live: Live, desired: Desired, context: SectionContext): SectionDifference;
  steps(live: Live, desired: Desired, context: SectionContext): Step[];
  remember?(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState;
  toView: { live(live: Live): unknown; desired(desired: Desired): unknown };
  toManifest?(live: Live, context: CampaignContext): ManifestSection;
}

/** A section as the rest of the program sees it, whatever its values are. */
export interface Section {
  name: SectionName;
  properties: JsonObject;
  /** The answers that this spec needs; empty where the section is not managed. */
  reads(spec: CampaignSpec): readonly ResourceName[];
  /** SectionDifference and steps of one campaign, and the live value behind them; empty where the section is not managed. */
  plan(context: CampaignContext): SectionDifference & { steps: Step[]; live: unknown };
  remember(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState;
  /** Both sides as views show them, each null where the section is not managed or nothing is there. */
  toView(context: CampaignContext): { live: unknown; desired: unknown };
  /** The live campaign's section of a manifest. An answer that cannot be read is a remark. */
  toManifest(context: CampaignContext): ManifestSection;
}

/** Closes over the section's own types: text → desired, answers → live, (live, desired) → changes → steps. */
export function defineSection<Live, Desired>(definition: SectionDefinition<Live, Desired>): Section {
  const { name, properties } = definition;
  return {
    name,
    properties,
    reads: (spec) => (name === 'campaign' || spec[name] !== undefined ? definition.reads : []),
    plan(context) {
      const desired = definition.normalize(context.spec, context);
      if (desired === null) return { changes: [], problems: [], steps: [], live: null };
      const live = context.id === null ? definition.defaults : definition.decode(context);
      const difference = definition.diff(live, desired, context);
      const blocked = difference.problems.some((problem) => problem.severity === 'blocked');
      const steps =
        blocked || difference.changes.length === 0 ? [] : definition.steps(live, desired, context);
      return { ...difference, steps: steps.map((step) => addressed(step, context.id)), live };
    },
    remember: (recorded, step, effect) => definition.remember?.(recorded, step, effect) ?? recorded,
    toView(context) {
      const { normalize, decode, toView } = definition;
      const desired = normalize(context.spec, context);
      if (desired === null) return { live: null, desired: null };
      const live = context.id === null ? null : toView.live(decode(context));
      return { live, desired: toView.desired(desired) };
    },
    toManifest(context) {
      try {
        return definition.toManifest?.(definition.decode(context), context) ?? { section: null, remarks: [] };
      } catch (error) {
        if (!(error instanceof UnreadableAnswer)) throw error;
        return { section: null, remarks: [error.message] };
      }
    },
  };
}

/** Fills the campaign's id into the path where it is known. */
function addressed(step: Step, id: number | null): Step {
  return id === null ? step : { ...step, path: step.path.replace('{campaign_id}', String(id)) };
}

/** Keeps what was sent of a section and is not shown again. In doubt, it is known only if it would be the same either way. */
export function rememberApplied(
  recorded: RecordedState,
  sent: JsonObject,
  effect: StepEffect,
): RecordedState {
  if (effect === 'done') return { ...recorded, applied: { ...recorded.applied, ...sent } };
  const applied = Object.entries(recorded.applied).filter(
    ([section, value]) => sent[section] === undefined || equal(value, sent[section]),
  );
  return { ...recorded, applied: Object.fromEntries(applied) };
}
