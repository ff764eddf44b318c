import type { Change } from '../../model/change.js';
import type { Json } from '../../model/json.js';
import { canonicalText } from '../text.js';
import { type Desired, type DesiredStep, type Email, emailJson, type Live, type LiveStep } from './state.js';

/**
 * How a live sequence stands to the desired one.
 *
 * `none`: no sequence yet. `equal`. `bare`: the base steps match and every variant is missing (a run that stopped
 * between). `extended`: steps or variants are only added. `different`: something there would have to be edited.
 */
export type SequenceMatch = 'none' | 'equal' | 'bare' | 'extended' | 'different';

export interface Compared {
  standing: SequenceMatch;
  changes: Change[];
}

const FIELDS = ['email_subject', 'email_body', 'wait_in_days', 'thread_reply'] as const;

export function compare(live: Live, desired: Desired): Compared {
  if (live.steps.length === 0) {
    const to = { title: desired.title, steps: desired.steps.map(stepJson) };
    return { standing: 'none', changes: [change('', 'add', null, to)] };
  }
  const length = Math.max(live.steps.length, desired.steps.length);
  const changes = Array.from({ length }, (_, index) =>
    stepChanges(index, live.steps[index], desired.steps[index]),
  ).flat();
  return { standing: standing(live, changes), changes };
}

function standing(live: Live, changes: readonly Change[]): SequenceMatch {
  if (changes.length === 0) return 'equal';
  if (changes.some(({ kind }) => kind !== 'add')) return 'different';
  const onlyVariants = changes.every(({ path }) => path.includes('.variants['));
  return onlyVariants && live.steps.every((step) => step.variants.length === 0) ? 'bare' : 'extended';
}

function stepChanges(index: number, live: LiveStep | undefined, desired: DesiredStep | undefined): Change[] {
  const path = `steps[${index}]`;
  if (live === undefined) return desired === undefined ? [] : [change(path, 'add', null, stepJson(desired))];
  if (desired === undefined) return [change(path, 'remove', stepJson(live), null)];
  return [...emailChanges(path, live, desired), ...variantChanges(path, live.variants, desired.variants)];
}

function emailChanges(path: string, live: Email, desired: Email): Change[] {
  return FIELDS.filter((field) => !sameField(field, live, desired)).map((field) =>
    change(`${path}.${field}`, 'update', live[field], desired[field]),
  );
}

/** Variants have no order of their own: equal ones pair up wherever they stand, what is left over pairs up in turn. */
function variantChanges(path: string, live: readonly Email[], desired: readonly Email[]): Change[] {
  const { missing, left } = pairVariants(live, desired);
  const altered = missing.flatMap((to, turn): Change[] => {
    const from = left[turn];
    const at = `${path}.variants[${desired.indexOf(to)}]`;
    return from === undefined ? [change(at, 'add', null, emailJson(to))] : emailChanges(at, from, to);
  });
  const dropped = left
    .slice(missing.length)
    .map((variant, index) =>
      change(`${path}.variants[${desired.length + index}]`, 'remove', emailJson(variant), null),
    );
  return [...altered, ...dropped];
}

/**
 * Pairs as many as can be paired; what remains of both, in their order. A live context may have one `Re: ` more than the
 * desired one: beginning with the shortest, and taking the very same first, nobody takes what another needs.
 */
export function pairVariants(live: readonly Email[], desired: readonly Email[]) {
  const left = [...live];
  const take = (matches: (candidate: Email) => boolean) => {
    const at = left.findIndex(matches);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const context = (email: Email) => canonicalText(email.email_subject);
  const paired = new Set(
    [...desired]
      .sort((one, other) => context(one).length - context(other).length)
      .filter((variant) => {
        const same = (candidate: Email) => sameEmail(candidate, variant);
        return take((candidate) => same(candidate) && context(candidate) === context(variant)) || take(same);
      }),
  );
  return { missing: desired.filter((variant) => !paired.has(variant)), left };
}

function sameEmail(live: Email, desired: Email): boolean {
  return FIELDS.every((field) => sameField(field, live, desired));
}

/** Texts are compared canonically; services put `Re: ` in front of the subject of a thread reply themselves. */
function sameField(field: (typeof FIELDS)[number], live: Email, desired: Email): boolean {
  if (field === 'wait_in_days' || field === 'thread_reply') return live[field] === desired[field];
  const wanted = canonicalText(desired[field]);
  const stored = canonicalText(live[field]);
  if (stored === wanted) return true;
  return field === 'email_subject' && live.thread_reply && stored.replace(/^re:\s*/i, '') === wanted;
}

function stepJson(step: DesiredStep): Json {
  return { ...emailJson(step), variants: step.variants.map(emailJson) };
}

export function change(path: string, kind: Change['kind'], from: Json, to: Json): Change {
  return { section: 'sequence', path, kind, from, to, note: null };
}
