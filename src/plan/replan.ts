import type { AnswerName } from '../model/answer.js';
import type { Change, SectionName, Step } from '../model/outputs.js';
import type { RecordedState } from '../model/state.js';
import { type CampaignContext, SECTIONS, type StepEffect } from '../sections/index.js';
import { inOrder } from './order.js';

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

/** What is to be remembered once a step is done or in doubt. */
export function record(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  return SECTIONS.reduce((known, section) => section.record(known, step, effect), recorded);
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
