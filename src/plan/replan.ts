import type { ResourceName } from '../model/answer.js';
import type { AspectName, Change } from '../model/change.js';
import type { Memory } from '../model/memory.js';
import type { Step } from '../model/step.js';
import { ASPECTS, type Recorded, type Subject } from '../sections/index.js';
import { decode as decodeStatus } from '../sections/status/state.js';
import { type Meaning, saysFailed } from '../sections/status/words.js';
import { inOrder } from './order.js';

/** What still differs, and what would still be sent, once the service was read again: the same planner, a newer look. */
export function replan(
  subject: Subject,
  aspects: readonly AspectName[],
): { changes: Change[]; steps: Step[] } {
  const parts = ASPECTS.filter(({ name }) => aspects.includes(name)).map((aspect) => aspect.plan(subject));
  return {
    changes: parts.flatMap((part) => part.changes),
    steps: inOrder(parts.flatMap((part) => part.steps)),
  };
}

/** What is to be remembered once a step is done or in doubt. */
export function remember(memory: Memory, step: Step, recorded: Recorded): Memory {
  return ASPECTS.reduce((known, aspect) => aspect.remember(known, step, recorded), memory);
}

/** The status that the service shows: its word, what that means here, and whether it says that a launch failed. */
export interface LiveStatus {
  word: string | null;
  meaning: Meaning;
  failed: boolean;
}

/** Reads the status out of the answers of a subject. */
export function liveStatus(subject: Subject): LiveStatus {
  const { word, meaning } = decodeStatus(subject);
  return { word, meaning, failed: saysFailed(word) };
}

/** The answers that these aspects of a campaign need; a campaign that was just made is looked for itself. */
export function resourcesFor({ spec }: Subject, aspects: readonly AspectName[]): ResourceName[] {
  const managed = ASPECTS.filter(({ name }) => aspects.includes(name)).flatMap(({ reads }) => reads(spec));
  return [...new Set<ResourceName>(aspects.includes('campaign') ? ['campaign', ...managed] : managed)];
}

/** The aspects that a spec manages and that can be read back, for the read-back before a launch. */
export function readableAspects(subject: Subject): AspectName[] {
  return ASPECTS.filter(
    ({ name, reads }) => !['status', 'leads'].includes(name) && reads(subject.spec).length > 0,
  ).map(({ name }) => name);
}
