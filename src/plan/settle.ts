import type { Change } from '../model/change.js';
import type { Memory } from '../model/memory.js';
import type { Problem } from '../model/problem.js';
import type { Step } from '../model/step.js';
import type { SentStep, Trail } from '../model/trail.js';
import { ASPECTS, type Subject } from '../sections/index.js';
import { totalLeads } from '../sections/leads/state.js';
import { fingerprint } from './fingerprint.js';
import { remember, replan } from './replan.js';

/**
 * Whether the service shows what the step was to do: it is no longer asked for, or, where part of it is never shown,
 * all that can be seen of it is there and something was not before. `before`: the changes of the step's aspect before it was sent.
 */
export function showsEffect(step: Step, before: readonly Change[], seen: Subject): boolean {
  const asked = (subject: Subject) => replan(subject, [step.aspect]);
  const { changes, steps } = asked(seen);
  // What differs and cannot be asked for is something else than what was sent: part of it, or somebody else's.
  if (changes.length > 0 && steps.length === 0) return false;
  const isAsked = (subject: Subject) => asked(subject).steps.some(({ id }) => id === step.id);
  if (!isAsked(seen)) return true;
  // Some settings may not be shown while all that are shown were equal before: an update is sent again, which does no harm.
  if (step.aspect === 'settings') return false;
  const assumed = { ...seen, memory: remember(seen.memory, step, 'done') };
  return !isAsked(assumed) && placesOf(asked(seen).changes) !== placesOf(before);
}

/** Where changes are and of what kind, whatever is said of the values. */
function placesOf(changes: readonly Change[]): string {
  return JSON.stringify(changes.map(({ path, kind }) => [path, kind]));
}

/** Whether the service shows that nothing has happened: the planner asks for exactly this request again. */
export function showsNothing(step: Step, seen: Subject): boolean {
  const same = JSON.stringify(step);
  return replan(seen, [step.aspect]).steps.some((asked) => JSON.stringify(asked) === same);
}

/**
 * What is to be remembered of a campaign of which an earlier run was not brought to an end, from what that run noted
 * and what the service shows now; and what to say of each step whose outcome nobody had learned.
 */
export function settle(trail: Trail, subject: Subject): { memory: Memory; problems: Problem[] } {
  const told: string[] = [];
  let { memory } = subject;
  for (const sent of trail.sent) {
    const known = sent.result === 'done' || sent.result === 'failed';
    const result = known ? sent.result : settleStep(sent, trail, { ...subject, memory });
    if (!known) told.push(`"${sent.step.title}": ${found(sent, result, subject)}`);
    if (result === 'done' || result === 'in_doubt') memory = rememberSent(memory, sent, result);
  }
  return { memory, problems: told.length === 0 ? [] : [unfinished(trail, told)] };
}

type Settled = 'done' | 'failed' | 'in_doubt';

function settleStep({ step }: SentStep, trail: Trail, subject: Subject): Settled {
  if (step.id === 'create') return wasCreated(subject) ? 'done' : 'failed';
  if (step.aspect === 'leads') return 'in_doubt';
  const comparable = trail.spec === fingerprint(subject.spec) && isManaged(step, subject);
  const before = trail.changes.filter(({ aspect }) => aspect === step.aspect);
  return comparable && showsEffect(step, before, subject) ? 'done' : 'in_doubt';
}

/** A campaign of that name is there, and nobody has begun to work with it. */
function wasCreated(subject: Subject): boolean {
  return subject.id !== null && (totalLeads(subject) ?? 0) === 0;
}

function isManaged({ aspect }: Step, { spec }: Subject): boolean {
  return ASPECTS.some(({ name, reads }) => name === aspect && reads(spec).length > 0);
}

/** Like `remember`; of a doubtful attachment moreover how many leads there were before the first. */
export function rememberSent(
  memory: Memory,
  sent: Pick<SentStep, 'step' | 'total_leads'>,
  result: 'done' | 'in_doubt',
): Memory {
  const after = remember(memory, sent.step, result);
  if (sent.step.aspect !== 'leads' || result === 'done') return after;
  return { ...after, total_before: memory.total_before ?? sent.total_leads };
}

function found({ step }: SentStep, result: Settled | string, { id }: Subject): string {
  if (step.id === 'create') {
    if (id === null) return 'no campaign of that name is there, so it had no effect';
    return result === 'done'
      ? `it is there, as campaign ${id}`
      : `campaign ${id} has that name, and has leads already`;
  }
  if (step.aspect === 'leads') return 'what is attached cannot be read';
  return result === 'done' ? 'the service shows its effect' : 'the service does not show its effect';
}

function unfinished({ at, who }: Trail, told: readonly string[]): Problem {
  return {
    code: 'unfinished-run',
    severity: 'warning',
    message: `An earlier run (${who}, ${at}) ended before it knew what became of what it sent. ${told.join('; ')}.`,
    hint: 'This plan was made from what the service shows now. campaignctl history shows that run.',
  };
}
