import equal from 'fast-deep-equal';
import type { AnswerName } from '../model/answer.js';
import { Failure, UnreadableAnswer } from '../model/failure.js';
import type { Json, JsonObject } from '../model/json.js';
import type { Shown } from '../model/live.js';
import type { Change, PlanProblem, SectionName, Step } from '../model/outputs.js';
import type { ImportRemark } from '../model/reports.js';
import type { RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import type { Extra } from './extras.js';

export type SectionChange = Omit<Change, 'section'>;
export type SectionStep = Omit<Step, 'section'>;

/**
 * `steps`: sent if there are changes, and no problem has the severity `blocked`. `byHand`: changes that only a person can
 * make.
 */
export interface SectionDifference {
  changes: SectionChange[];
  problems: PlanProblem[];
  steps: SectionStep[];
  byHand?: SectionChange[];
}

export const IN_SYNC: SectionDifference = { changes: [], problems: [], steps: [] };

export function added(path: string, to: Json, note: string | null = null): SectionChange {
  return { path, kind: 'add', from: null, to, note };
}

export function removed(path: string, from: Json): SectionChange {
  return { path, kind: 'remove', from, to: null, note: null };
}

export function updated(path: string, from: Json, to: Json, note: string | null = null): SectionChange {
  return { path, kind: 'update', from, to, note };
}

/** `section`: `null` if a manifest cannot express it. `remarks`: comments for readers of the manifest. */
export interface ManifestSection {
  section: Json;
  remarks: SectionRemark[];
}

export type SectionRemark = Omit<ImportRemark, 'key'>;

export function note(text: string, leads: number | null = null): SectionRemark {
  return { kind: 'note', text, leads };
}

/** What the live campaign has and a manifest cannot hold. */
export function notHeld({ words, step }: Extra): SectionRemark {
  return { ...note(`${words}: manifests cannot hold this`), ...(step === null ? {} : { step }) };
}

export function leftOut(text: string): SectionRemark {
  return { kind: 'left_out', text, leads: null };
}

/** A section that an error status leaves in doubt. */
export function notShown(part: Shown<unknown> | undefined): SectionRemark[] {
  if (part?.is !== 'none-shown') return [];
  return [leftOut(`${part.endpoint} answered with ${part.answered}: if the campaign has one, import again`)];
}

export type Managed = { readonly [Name in Exclude<SectionName, 'campaign'> | 'id' | 'name']?: unknown };

export type StepEffect = 'done' | 'in_doubt';

/**
 * `reads`: the responses needed. `normalize`: returns `null` if the section is not managed. `decode`: also accepts a
 * campaign that does not exist yet. `toManifest`: inverse of `normalize`.
 */
interface SectionDefinition<Live, Desired> {
  name: SectionName;
  properties: JsonObject;
  reads: readonly AnswerName[];
  normalize(target: Target): Desired | null;
  decode(target: Target): Live;
  diff(live: Live, desired: Desired, target: Target): SectionDifference;
  recordStep(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState;
  /** Records the values shown, with which later readings are compared. */
  recordShown?(recorded: RecordedState, live: Live, isInSync: boolean): RecordedState;
  toView(live: Live, target: Target): unknown;
  /** Adds what the live campaign keeps because no request changes it. */
  withKept?(desired: Desired, live: Live, target: Target): Desired;
  toManifest(live: Live, target: Target): ManifestSection;
}

export interface Section {
  name: SectionName;
  properties: JsonObject;
  /** Empty if not managed. */
  reads(spec: Managed): readonly AnswerName[];
  /** Empty if not managed. */
  plan(target: Target): {
    changes: Change[];
    problems: PlanProblem[];
    steps: Step[];
    live: unknown;
  };
  byHand(target: Target): Change[];
  recordStep(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState;
  recordShown(target: Target): RecordedState;
  /**
   * Both are `null` if the section is missing, or if it is not managed and `unmanaged` is false. For an unmanaged section,
   * `desired` equals `live`.
   */
  toView(target: Target, options?: { unmanaged: boolean }): { live: unknown; desired: unknown };
  /** An unreadable response becomes a remark. */
  toManifest(target: Target): ManifestSection;
}

export function defineSection<Live, Desired>(definition: SectionDefinition<Live, Desired>): Section {
  const { name, properties, normalize, decode, toView, withKept } = definition;
  const compare = (target: Target) => {
    const desired = normalize(target);
    if (desired === null) return null;
    const live = decode(target);
    const difference = definition.diff(live, desired, target);
    const isBlocked = difference.problems.some(({ severity }) => severity === 'blocked');
    return { live, byHand: [], ...difference, isBlocked };
  };
  const named = (change: SectionChange): Change => ({ section: name, ...change });
  return {
    name,
    properties,
    reads: (spec) => (name === 'campaign' || spec[name] !== undefined ? definition.reads : []),
    plan(target) {
      const compared = compare(target);
      if (compared === null) return { changes: [], problems: [], steps: [], live: null };
      const { live, changes, problems, steps, isBlocked } = compared;
      const addressed = (path: string) =>
        target.id === null ? path : path.replace('{campaign_id}', String(target.id));
      return {
        changes: changes.map(named),
        problems,
        steps:
          isBlocked || changes.length === 0
            ? []
            : steps.map((step) => ({ ...step, section: name, path: addressed(step.path) })),
        live,
      };
    },
    byHand(target) {
      const compared = target.id === null ? null : compare(target);
      if (compared === null) return [];
      const { changes, byHand, isBlocked } = compared;
      return [...(isBlocked ? changes : []), ...byHand].map(named);
    },
    recordStep: (recorded, step, effect) =>
      step.section === name ? definition.recordStep(recorded, step, effect) : recorded,
    recordShown(target) {
      const { recorded, live } = target;
      if (definition.recordShown === undefined || live?.isRead !== true) return recorded;
      const compared = compare(target);
      if (compared === null) return recorded;
      return definition.recordShown(recorded, compared.live, compared.changes.length === 0);
    },
    toView(target, { unmanaged } = { unmanaged: false }) {
      const desired = normalize(target);
      const show = () => (target.id === null ? null : toView(decode(target), target));
      if (desired !== null) {
        const isNew = target.id === null || withKept === undefined;
        return { live: show(), desired: isNew ? desired : withKept(desired, decode(target), target) };
      }
      const live = unmanaged ? ifReadable(show, () => null) : null;
      return { live, desired: live };
    },
    toManifest(target) {
      return ifReadable<ManifestSection>(
        () => definition.toManifest(decode(target), target),
        (message) => ({ section: null, remarks: [leftOut(message)] }),
      );
    },
  };
}

/** An unreadable response matters only if the manifest manages the section. */
function ifReadable<T>(show: () => T, instead: (message: string) => T): T {
  try {
    return show();
  } catch (error) {
    if (!(error instanceof UnreadableAnswer)) throw error;
    return instead(error.message);
  }
}

/**
 * Records sent values that are never shown. If the outcome is in doubt, keeps only the values that the request would not
 * change.
 */
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

/**
 * Resolves a name to its id in the environment; returns an id unchanged. Only a recorded manifest can contain an unknown
 * name.
 */
export function namedId(
  written: number | string,
  table: 'lead_lists' | 'schedule_templates',
  { environment }: Target,
): number {
  const id = typeof written === 'number' ? written : environment[table][written];
  if (id !== undefined) return id;
  throw new Failure({
    code: table === 'lead_lists' ? 'unknown-lead-list' : 'unknown-schedule-template',
    message: `Environment ${environment.name} has no entry "${written}" under ${table}.`,
    hint: 'Add it in the project file, with its id in this workspace.',
  });
}

export const NOT_SHOWN = 'not shown by the service; compared with the last applied value';

export function notReadable(message: string, hint = ''): PlanProblem {
  return {
    code: 'not-readable',
    severity: 'warning',
    message,
    hint: `Check hidden values in the service's web app: campaignctl cannot detect changes that others make to them.${hint}`,
  };
}
