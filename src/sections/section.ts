import equal from 'fast-deep-equal';
import type { Answer, AnswerName, Answers, ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import type { ImportRemark } from '../model/import.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Change, Problem, SectionName, Step } from '../model/outputs.js';
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

/** A change or a step of a section, whose name is added to it. */
export type SectionChange = Omit<Change, 'section'>;
export type SectionStep = Omit<Step, 'section'>;

/**
 * How live differs from desired, and what you should know about it. A blocked problem means: no steps, and that a person has to make
 * the changes. `byHand`: what only a person can change besides.
 */
export interface SectionDifference {
  changes: SectionChange[];
  problems: Problem[];
  byHand?: SectionChange[];
}

export function added(path: string, to: Json, note: string | null = null): SectionChange {
  return { path, kind: 'add', from: null, to, note };
}

export function removed(path: string, from: Json): SectionChange {
  return { path, kind: 'remove', from, to: null, note: null };
}

export function updated(path: string, from: Json, to: Json, note: string | null = null): SectionChange {
  return { path, kind: 'update', from, to, note };
}

/**
 * A live value as a manifest would say it, body and id files still in it; null if there is nothing to say, or no way to.
 * `remarks`: what a reader of the manifest has to know.
 */
export interface ManifestSection {
  section: Json;
  remarks: SectionRemark[];
}

export type SectionRemark = Omit<ImportRemark, 'key'>;

export function note(text: string, leads: number | null = null): SectionRemark {
  return { kind: 'note', text, leads };
}

/** Of a section that cannot be written as it is live: why not. */
export function leftOut(text: string): SectionRemark {
  return { kind: 'left_out', text, leads: null };
}

/** The command that finds out what the service of an environment does where the API is silent. */
export function probeCommand({ environment }: Pick<SectionContext, 'environment'>): string {
  return `campaignctl probe --env ${environment.name} --write`;
}

/** What a manifest manages, whatever it says of it. */
export type Managed = { readonly [Name in Exclude<SectionName, 'campaign'> | 'id' | 'name']?: unknown };

/** What happened to a step, as far as the state is concerned. */
export type StepEffect = 'done' | 'in_doubt';

/**
 * One section, as its file defines it: pure functions from text to steps, always (live, desired).
 *
 * `properties`: its JSON Schema, as properties of a manifest. `reads`: the answers that `decode` needs. `defaults`: the live
 * value of a campaign that does not exist yet. `normalize` gives null if the manifest does not manage the section. `steps` may
 * rely on changes that are not empty and not blocked. `record` keeps what the service will not show again. `toView` is what
 * views show of live, as in `Content`; null if nothing is there; desired is shown as it is. `toManifest` is the inverse of `normalize`: what it
 * says of a live value differs from that value in nothing.
 */
interface SectionDefinition<Live, Desired> {
  name: SectionName;
  properties: JsonObject;
  reads: readonly AnswerName[];
  defaults: Live;
  normalize(spec: CampaignSpec, context: SectionContext): Desired | null;
  decode(context: CampaignContext): Live;
  diff(live: Live, desired: Desired, context: SectionContext): SectionDifference;
  steps(live: Live, desired: Desired, context: SectionContext): SectionStep[];
  record(recorded: RecordedState, step: Step, effect: StepEffect, desired: Desired | null): RecordedState;
  /** Records what the service shows, so that a later answer can be compared with it. */
  recordShown?(recorded: RecordedState, live: Live, isInSync: boolean): RecordedState;
  /** For sections of which a write sets more than what differs: the fields that it would set back, where `now` is no longer as planned. */
  setsBack?(planned: Live, now: Live, desired: Desired, context: CampaignContext): readonly string[];
  toView(live: Live): unknown;
  toManifest(live: Live, context: CampaignContext): ManifestSection;
}

/** A section as the rest of the program sees it, whatever its values are. */
export interface Section extends Pick<SectionDefinition<never, never>, 'name' | 'properties'> {
  /** What to remember of a step; `context`: its campaign, unless its manifest may have changed since. */
  record(recorded: RecordedState, step: Step, effect: StepEffect, context?: CampaignContext): RecordedState;
  /** What to remember of the answers that were read; a section that is not managed adds nothing. */
  recordShown(context: CampaignContext): RecordedState;
  /** The answers that this spec needs; empty if the section is not managed. */
  reads(spec: Managed): readonly AnswerName[];
  /** What differs and is to be sent, and the live value behind it; empty if the section is not managed. */
  plan(context: CampaignContext): { changes: Change[]; problems: Problem[]; steps: Step[]; live: unknown };
  /** What only a person can change, in the web app of the service. */
  byHand(context: CampaignContext): Change[];
  /** The fields that its write would set back unseen: changed in the service since it was planned, and not among `changes`. */
  setsBack(planned: CampaignContext, now: CampaignContext, changes: readonly Change[]): string[];
  /** Both sides as views show them, each null if the section is not managed or nothing is there. */
  toView(context: CampaignContext): { live: unknown; desired: unknown };
  /** The live campaign's section of a manifest. An answer that cannot be read is a remark. */
  toManifest(context: CampaignContext): ManifestSection;
}

/** Closes over the section's own types: text → desired, answers → live, (live, desired) → changes → steps. */
export function defineSection<Live, Desired>(definition: SectionDefinition<Live, Desired>): Section {
  const { name, properties, defaults, normalize, decode, diff, toView } = definition;
  return {
    name,
    properties,
    reads: (spec) => (name === 'campaign' || spec[name] !== undefined ? definition.reads : []),
    plan(context) {
      const { id } = context;
      const desired = normalize(context.spec, context);
      if (desired === null) return { changes: [], problems: [], steps: [], live: null };
      const live = id === null ? defaults : decode(context);
      const { changes, problems } = diff(live, desired, context);
      const blocked = problems.some(({ severity }) => severity === 'blocked');
      const steps = blocked || changes.length === 0 ? [] : definition.steps(live, desired, context);
      const addressed = (path: string) => (id === null ? path : path.replace('{campaign_id}', String(id)));
      return {
        changes: changes.map((change) => ({ section: name, ...change })),
        problems,
        steps: steps.map((step) => ({ ...step, section: name, path: addressed(step.path) })),
        live,
      };
    },
    byHand(context) {
      const desired = context.id === null ? null : normalize(context.spec, context);
      if (desired === null) return [];
      const { changes, problems, byHand = [] } = diff(decode(context), desired, context);
      const blocked = problems.some(({ severity }) => severity === 'blocked');
      return [...(blocked ? changes : []), ...byHand].map((change) => ({ section: name, ...change }));
    },
    record: (recorded, step, effect, context) =>
      step.section === name
        ? definition.record(recorded, step, effect, context ? normalize(context.spec, context) : null)
        : recorded,
    recordShown(context) {
      const { recorded, answers } = context;
      const desired = answers === null ? null : normalize(context.spec, context);
      if (desired === null || definition.recordShown === undefined) return recorded;
      const live = decode(context);
      return definition.recordShown(recorded, live, diff(live, desired, context).changes.length === 0);
    },
    setsBack(planned, now, changes) {
      const desired = normalize(planned.spec, planned);
      if (desired === null || definition.setsBack === undefined) return [];
      const fields = definition.setsBack(decode(planned), decode(now), desired, planned);
      return fields.filter((path) => changes.every((one) => one.section !== name || one.path !== path));
    },
    toView(context) {
      const desired = normalize(context.spec, context);
      if (desired === null) return { live: null, desired: null };
      return { live: context.id === null ? null : toView(decode(context)), desired };
    },
    toManifest(context) {
      try {
        return definition.toManifest(decode(context), context);
      } catch (error) {
        if (!(error instanceof UnreadableAnswer)) throw error;
        return { section: null, remarks: [leftOut(error.message)] };
      }
    },
  };
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

/** An id as written, or the one that the environment gives a name. */
export function namedId(
  written: number | string,
  { environment }: SectionContext,
  { code, table, noun }: { code: string; table: 'lead_lists' | 'schedule_templates'; noun: string },
): number {
  const id = typeof written === 'number' ? written : environment[table][written];
  if (id !== undefined) return id;
  throw new Failure({
    code,
    message: `The environment ${environment.name} names no ${noun} "${written}".`,
    hint: `Add it under ${table} of the environment, with its id in this workspace.`,
  });
}

/** The note of a change whose live value is compared with what the state remembers; where that is nothing, `NOT_KNOWN`. */
export const NOT_SHOWN = 'the service does not show it; compared with what was last applied';

/** The service does not show a value that the manifest manages. */
export function notReadable(message: string, hint = ''): Problem {
  return {
    code: 'not-readable',
    severity: 'warning',
    message,
    hint: `campaignctl does not notice a change made elsewhere.${hint}`,
  };
}
