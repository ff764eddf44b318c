/** What all sections of a campaign do together. */
import type { AnswerName } from '../model/answer.js';
import type { Change, SectionName, Step } from '../model/outputs.js';
import { STAGES } from '../model/sections.js';
import type { RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { SECTIONS } from './index.js';
import type { StepEffect } from './section.js';
import { withFacts } from './target.js';

/** In the order in which apply sends them. */
export function inOrder(steps: readonly Step[]): Step[] {
  const rank = ({ stage }: Step) => STAGES.indexOf(stage);
  return [...steps].sort((a, b) => rank(a) - rank(b));
}

export function replan(
  target: Target,
  sections: readonly SectionName[],
): { changes: Change[]; steps: Step[] } {
  const parts = SECTIONS.filter(({ name }) => sections.includes(name)).map((section) => section.plan(target));
  return {
    changes: parts.flatMap((part) => part.changes),
    steps: inOrder(parts.flatMap((part) => part.steps)),
  };
}

export function byHand(target: Target, sections: readonly SectionName[]): Change[] {
  return SECTIONS.filter(({ name }) => sections.includes(name)).flatMap((section) => section.byHand(target));
}

export function liveSection(target: Target, section: SectionName): unknown {
  return SECTIONS.find(({ name }) => name === section)?.plan(target).live ?? null;
}

export function recordStep(recorded: RecordedState, step: Step, effect: StepEffect): RecordedState {
  const unseen: RecordedState = { ...recorded, seen: null };
  return SECTIONS.reduce((known, section) => section.recordStep(known, step, effect), unseen);
}

export function recordShown(target: Target): RecordedState {
  const recorded = SECTIONS.reduce(
    (known, section) => section.recordShown(withFacts(target, { recorded: known })),
    target.recorded,
  );
  const { status } = target;
  if (target.id === null || status.basis !== 'shown') return recorded;
  // Somebody launched it after the pause of an apply.
  const isResumed = recorded.status === 'paused' && status.sends === 'yes';
  return {
    ...recorded,
    status_shown: true,
    ...(isResumed ? { status: 'running', has_run: true } : {}),
    ...(status.provesRun ? { launched: true } : {}),
  };
}

/** The responses that the sections need. For `campaign`, that is the record, which shows whether a new campaign exists. */
export function answersFor({ spec }: Target, sections: readonly SectionName[]): AnswerName[] {
  const managed = SECTIONS.filter(({ name }) => sections.includes(name)).flatMap(({ reads }) => reads(spec));
  return [...new Set<AnswerName>(sections.includes('campaign') ? ['campaign', ...managed] : managed)];
}

export function readableSections(target: Target): SectionName[] {
  return SECTIONS.filter(
    ({ name, reads }) => !['status', 'leads'].includes(name) && reads(target.spec).length > 0,
  ).map(({ name }) => name);
}
