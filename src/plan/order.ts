import type { AnswerName } from '../model/answer.js';
import type { CampaignPlan, Change, Problem, SectionName, Step } from '../model/outputs.js';
import { SECTION_STAGES } from '../model/sections.js';
import type { RecordedState } from '../model/state.js';
import { type CampaignContext, SECTIONS, type Section, type StepEffect } from '../sections/index.js';
import { problem } from './messages.js';

/**
 * The order of the requests of one campaign:
 *
 *     pause → create → settings → schedule → sequence → variants → leads → (read back) → launch
 *
 * Pausing comes first, so that no email goes out while the rest changes, also that of a campaign which is replaced; leads come after the emails they
 * are to receive; the launch comes last, after everything else has been read back. A step's stage is its id up to
 * the first slash.
 */
const STAGES = ['pause', ...SECTION_STAGES];

export function inOrder(steps: readonly Step[]): Step[] {
  return [...steps].sort((a, b) => stage(a) - stage(b));
}

function stage(step: Step): number {
  return STAGES.indexOf(step.id.split('/', 1)[0] ?? '');
}

type Gated = Pick<CampaignPlan, 'steps' | 'problems'>;

/**
 * The launch gate at planning time: a campaign of which something is blocked is not launched. `held`: why its launch is left to a later
 * apply. (Whether everything was read back equal is checked again when applying.)
 */
export function withoutLaunch({ steps, problems: told }: Gated, held: Problem | null): Gated {
  const launches = told.some(({ code }) => code === 'launch');
  const problems = launches && held === null ? told.map(blockedByName) : told;
  const blocked = problems.some(({ severity }) => severity === 'blocked');
  const withheld = blocked ? problem('launch-withheld', {}) : held;
  if (!launches || withheld === null) return { steps, problems };
  return {
    steps: steps.filter(({ id }) => id !== 'launch'),
    problems: [...problems.filter(({ code }) => code !== 'launch'), withheld],
  };
}

/** Of two campaigns of one name, the other may be the one that another copy of the project launches. */
function blockedByName(told: Problem): Problem {
  return told.code === 'same-name' ? { ...told, severity: 'blocked' } : told;
}

/** What still differs, and what would still be sent, once the service was read again: the same planner, a newer look. */
export function replan(
  context: CampaignContext,
  sections: readonly SectionName[],
): { changes: Change[]; steps: Step[] } {
  const parts = SECTIONS.filter(({ name }) => sections.includes(name)).map((section) =>
    section.plan(context),
  );
  return {
    changes: parts.flatMap((part) => part.changes),
    steps: inOrder(parts.flatMap((part) => part.steps)),
  };
}

/** The canonical live value of a section that the manifest manages; null for any other. */
export function liveOf(context: CampaignContext, section: SectionName): unknown {
  return SECTIONS.find(({ name }) => name === section)?.plan(context).live ?? null;
}

/** The fields of a section that its step would set back though the plan does not show them, as in `Section`. */
export function setBack(
  { section }: Step,
  ...[planned, now, changes]: Parameters<Section['setsBack']>
): string[] {
  return SECTIONS.filter(({ name }) => name === section).flatMap((one) =>
    one.setsBack(planned, now, changes),
  );
}

/**
 * What is to be remembered once a step is done or in doubt: it is not as it was seen any more. `context`: its campaign,
 * unless the manifest may have changed since.
 */
export function record(
  recorded: RecordedState,
  step: Step,
  effect: StepEffect,
  context?: CampaignContext,
): RecordedState {
  const unseen: RecordedState = { ...recorded, seen: null };
  return SECTIONS.reduce((known, section) => section.record(known, step, effect, context), unseen);
}

/** What is to be remembered of the answers that were read, so that later answers can be compared with them. */
export function recordShown(context: CampaignContext): RecordedState {
  return SECTIONS.reduce(
    (recorded, section) => section.recordShown({ ...context, recorded }),
    context.recorded,
  );
}

/** The answers that these sections of a campaign need; a campaign that was just made is looked for itself. */
export function answersFor({ spec }: CampaignContext, sections: readonly SectionName[]): AnswerName[] {
  const managed = SECTIONS.filter(({ name }) => sections.includes(name)).flatMap(({ reads }) => reads(spec));
  return [...new Set<AnswerName>(sections.includes('campaign') ? ['campaign', ...managed] : managed)];
}

/** The sections that a spec manages and that can be read back, for the read-back before a launch. */
export function readableSections(context: CampaignContext): SectionName[] {
  return SECTIONS.filter(
    ({ name, reads }) => !['status', 'leads'].includes(name) && reads(context.spec).length > 0,
  ).map(({ name }) => name);
}
