import equal from 'fast-deep-equal';
import type { Answer, AnswerName, Answers, ListedCampaign } from '../model/answer.js';
import type { Environment } from '../model/environment.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import type { ImportRemark } from '../model/import.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Change, Problem, SectionName, Step } from '../model/outputs.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';

/** `templates`: `null` if no manifest needs them. */
export interface SectionContext {
  environment: Environment;
  recorded: RecordedState;
  templates: Answer | null;
}

/** `answers` and `listed`: `null` while the campaign does not exist. */
export interface CampaignContext extends SectionContext {
  spec: CampaignSpec;
  id: number | null;
  listed: ListedCampaign | null;
  answers: Answers | null;
}

/** Without the section's name, which is added. */
export type SectionChange = Omit<Change, 'section'>;
export type SectionStep = Omit<Step, 'section'>;

/** The difference between live and desired. A blocked problem means no steps. `byHand`: changes only a person can make. */
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

/** A live value as a manifest writes it; `null` if it cannot. `remarks`: for readers of the manifest. */
export interface ManifestSection {
  section: Json;
  remarks: SectionRemark[];
}

export type SectionRemark = Omit<ImportRemark, 'key'>;

export function note(text: string, leads: number | null = null): SectionRemark {
  return { kind: 'note', text, leads };
}

/** Why a section cannot be written. */
export function leftOut(text: string): SectionRemark {
  return { kind: 'left_out', text, leads: null };
}

/** The command that finds out undocumented behaviour. */
export function probeCommand({ environment }: Pick<SectionContext, 'environment'>): string {
  return `campaignctl probe --env ${environment.name} --write`;
}

/** The sections a manifest declares. */
export type Managed = { readonly [Name in Exclude<SectionName, 'campaign'> | 'id' | 'name']?: unknown };

export type StepEffect = 'done' | 'in_doubt';

/**
 * A section as pure functions. `reads`: needed answers. `defaults`: live value of a new campaign. `normalize`: `null` if not
 * managed. `steps`: only for unblocked changes. `toView`: `null` if there is nothing. `toManifest`: inverse of `normalize`.
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
  /** Remembers shown values, so that later answers can be compared. */
  recordShown?(recorded: RecordedState, live: Live, isInSync: boolean): RecordedState;
  /** Fields that a write would set back because `now` differs from `planned`. */
  setsBack?(planned: Live, now: Live, desired: Desired, context: CampaignContext): readonly string[];
  toView(live: Live): unknown;
  toManifest(live: Live, context: CampaignContext): ManifestSection;
}

/** A section with its types hidden. */
export interface Section extends Pick<SectionDefinition<never, never>, 'name' | 'properties'> {
  /** The state after a step. `context`: left out if the manifest may have changed. */
  record(recorded: RecordedState, step: Step, effect: StepEffect, context?: CampaignContext): RecordedState;
  /** The state after reading. */
  recordShown(context: CampaignContext): RecordedState;
  /** Empty if not managed. */
  reads(spec: Managed): readonly AnswerName[];
  /** Empty if not managed. */
  plan(context: CampaignContext): { changes: Change[]; problems: Problem[]; steps: Step[]; live: unknown };
  /** Changes that only a person can make. */
  byHand(context: CampaignContext): Change[];
  /** Fields that a write would set back: changed since the plan, and not among `changes`. */
  setsBack(planned: CampaignContext, now: CampaignContext, changes: readonly Change[]): string[];
  /** Each `null` if not managed or missing. */
  toView(context: CampaignContext): { live: unknown; desired: unknown };
  /** An unreadable answer is a remark. */
  toManifest(context: CampaignContext): ManifestSection;
}

/** Hides the types of a section. */
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

/** Remembers sent values that are never shown. In doubt, only unchanged ones are known. */
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

/** An id, or the one the environment names. */
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

/** Note of a change that was compared with the state. */
export const NOT_SHOWN = 'the service does not show it; compared with what was last applied';

/** A managed value that the service does not show. */
export function notReadable(message: string, hint = ''): Problem {
  return {
    code: 'not-readable',
    severity: 'warning',
    message,
    hint: `campaignctl does not notice a change made elsewhere.${hint}`,
  };
}
