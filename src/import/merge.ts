import equal from 'fast-deep-equal';
import type { Change, PlannedChange } from '../model/outputs.js';
import type { CampaignSpec, DesiredStep } from '../model/spec.js';
import { type CampaignContext, replan, type Work } from '../plan/index.js';
import { canonicalText } from '../sections/decode.js';
import { liveSequence } from '../sections/sequence.js';
import { alignSteps, isStep, stepsOf } from './plan-edits.js';

const WAYS = 'and the manifest stays: apply, or write the live value into it';
const UNKNOWN = `it is not known who changed it since the last apply, ${WAYS}`;
const NO_BASE =
  'the state does not know whether it was added to the manifest or removed in the service, and the manifest stays: apply, or take it out of the manifest';
const both = (what: string) =>
  `the manifest and the service both changed ${what} since the last apply, ${WAYS}`;

/**
 * What an update must not overwrite, by `keyOf`: what the manifest has changed or added since it was last applied. Null: the manifest
 * alone, so it is a local change; else why it is skipped. Of a campaign that was never applied from here the values of the service come,
 * and nothing goes.
 */
export function keptChanges({ plan, context }: Work): Map<string, string | null> {
  const { last } = context.recorded;
  if (last === null) {
    const losesAny = losesEmail(context, alignSteps(plan.changes, context));
    const kept = losesAny ? plan.changes.filter(isStep) : [];
    return new Map(kept.map((change) => [keyOf(change), NO_BASE]));
  }
  const isContested = contestedSteps(context, last.spec);
  return new Map(
    plan.changes.flatMap((change) => {
      const why = isContested(change) ? both('the sequence') : whyKept(change, last.spec);
      return why === undefined ? [] : [[keyOf(change), why] as const];
    }),
  );
}

/** Whether the manifest has a step or variant that the service has not, or one in whose place another one has moved. */
function losesEmail(context: CampaignContext, aligned: readonly Change[]): boolean {
  if (aligned.some((change) => isStep(change) && change.kind === 'add')) return true;
  const own = stepsOf(context.spec);
  const live = liveSequence(context).steps;
  const hasFewer = (step: DesiredStep) =>
    live.some((one) => bodyOf(one) === bodyOf(step) && one.variants.length < step.variants.length);
  const [old, young] = [own.map(bodyOf), live.map(bodyOf)];
  return own.some(hasFewer) || (old.some((body) => !young.includes(body)) && hasMoved(old, young));
}

/** Whether a body stands in another place than before. */
function hasMoved(before: readonly string[], after: readonly string[]): boolean {
  return before.some((body, at) => after[at] !== body && after.includes(body));
}

/** Names a difference, in one pass and the next. */
export function keyOf({ section, path }: Change): string {
  return `${section} ${path}`;
}

function whyKept({ section, path, origin }: PlannedChange, last: CampaignSpec): string | null | undefined {
  if (origin === 'service') return undefined;
  const isAdded =
    section === 'settings'
      ? !Object.hasOwn(last.settings ?? {}, path)
      : section !== 'campaign' && last[section] === undefined;
  if (origin === 'manifest' || isAdded) return null;
  return origin === 'both' ? both('it') : UNKNOWN;
}

/**
 * Steps have no names: the planner compares them by their places, which mean the same on three sides only while the service has
 * added, removed and moved none. Where it has, and the manifest has changed the list too, the whole of it is contested. Else it is
 * each step that both have changed, unless its body still says that it is the same one, and its variants are not what both changed:
 * these come in any order.
 */
function contestedSteps(context: CampaignContext, last: CampaignSpec): (change: Change) => boolean {
  const [own, base] = [stepsOf(context.spec), stepsOf(last)];
  const theirs = replan({ ...context, spec: last }, ['sequence']).changes.map(({ path }) => path);
  const isTheirs = (place: string) => theirs.some((path) => path.startsWith(place));
  if (base.length === 0 || equal(own, base) || !isTheirs('steps[')) return () => false;
  const live = liveSequence(context).steps;
  const [old, young] = [base.map(bodyOf), live.map(bodyOf)];
  if (old.length !== young.length || hasMoved(old, young)) return isStep;
  const contested = base.flatMap((step, at) => {
    const place = `steps[${at}]`;
    const now = own[at];
    const isSame = now !== undefined && bodyOf(now) === old[at] && young[at] === old[at];
    const areVariants = isTheirs(`${place}.variants`) && !equal(now?.variants, step.variants);
    return equal(now, step) || (isSame && !areVariants) ? [] : [place];
  });
  return (change) =>
    isStep(change) && contested.some((place) => isTheirs(place) && change.path.startsWith(place));
}

function bodyOf({ email_body }: { email_body: string }): string {
  return canonicalText(email_body);
}
