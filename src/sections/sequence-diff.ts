import { canonicalText, withoutReplyPrefix } from '../model/canonical.js';
import { type Json, type JsonObject, objectAt } from '../model/json.js';
import type { LiveEmail, LiveSequence, LiveStep } from '../model/live.js';
import { type ContentEmail, type ContentStep, NOT_KNOWN, type PlanProblem } from '../model/outputs.js';
import type { DesiredSequence } from '../model/spec.js';
import type { Target } from '../model/target.js';
import { count, label, listed } from '../model/words.js';
import {
  added,
  NOT_SHOWN,
  removed,
  type SectionChange,
  type SectionDifference,
  type SectionStep,
  updated,
} from './section.js';

type Way = 'nothing' | 'create' | 'append' | 'replace' | 'blocked';

export function diffSequence(
  live: LiveSequence,
  desired: DesiredSequence,
  target: Target,
): SectionDifference {
  if (live.steps.length === 0) {
    const to = { title: desired.title, steps: desired.steps.map(stepJson) };
    return {
      changes: [added('', to)],
      problems: variantsApart(desired, target),
      steps: requests('create', { kept: [], desired, target }),
    };
  }
  const { steps } = comparable(live, desired);
  const length = Math.max(steps.length, desired.steps.length);
  const changes = [
    ...titleChange(live, desired, target),
    ...Array.from({ length }, (_, index) => stepChanges(index, steps[index], desired.steps[index])).flat(),
  ];
  const way = wayTo(changes, live, target);
  const isPosted = way === 'append' || way === 'replace';
  // Posted emails carry the title, which may overwrite an unknown title.
  const isTitleUnknown = isPosted && knownTitle(live, target) === '';
  const inactive = inactiveEmails(steps, desired);
  const problems =
    way === 'blocked' ? [sequenceExists(changes, target)] : isPosted ? variantsApart(desired, target) : [];
  return {
    changes: [...(isTitleUnknown ? [updated('title', null, desired.title, NOT_KNOWN)] : []), ...changes],
    problems: inactive.length > 0 ? [...problems, stepInactive(inactive)] : problems,
    steps: isPosted ? requests(way, { kept: way === 'append' ? live.steps : [], desired, target }) : [],
    byHand: inactive.map(({ path }) => updated(`${path}.active`, false, true, SWITCHED_OFF)),
  };
}

/**
 * Except for missing variants, posts to an existing sequence only if the project file describes the service's behaviour.
 */
function wayTo(changes: readonly SectionChange[], live: LiveSequence, target: Target): Way {
  const { sequence_repost, variant_reference } = target.environment.service;
  const onlyAdds = changes.every(({ kind }) => kind === 'add');
  const onlyVariants = onlyAdds && changes.every(isOfVariant);
  const hasNoVariants = live.steps.every(({ variants }) => variants.length === 0);
  if (changes.length === 0) return 'nothing';
  // A run may have stopped after posting the base steps but before posting their variants.
  if (onlyVariants && hasNoVariants && variant_reference === 'step_id') return 'append';
  if (sequence_repost === 'replace') return 'replace';
  // By order, a variant can only refer to a step in the same request.
  const canAppend = onlyAdds && (variant_reference === 'step_id' || !changes.some(isOfVariant));
  return sequence_repost === 'append' && canAppend ? 'append' : 'blocked';
}

function isOfVariant({ path }: SectionChange): boolean {
  return path.includes('.variants[');
}

function sequenceExists(changes: readonly SectionChange[], target: Target): PlanProblem {
  const isUnknown = target.environment.service.sequence_repost === 'unknown';
  const onlyAdds = changes.every(({ kind }) => kind === 'add');
  const declaration = onlyAdds
    ? 'adds steps that are posted later at the end, write sequence_repost: append'
    : 'replaces a sequence that is posted again, write sequence_repost: replace';
  const known = ` If you know that this service ${declaration} under service in the project file.`;
  return {
    code: 'sequence-exists',
    severity: 'blocked',
    message:
      onlyAdds && isUnknown
        ? 'The change only adds steps, but the API documentation does not say whether a second post appends to a sequence, replaces it or duplicates it.'
        : 'The API cannot edit an existing sequence: posting it again could add every email a second time.',
    hint: `Make the change in the service's web app and plan again, or undo it in the manifest. Or replace the campaign with a new one: apply pauses this one first, and leads that are in both get the new emails from the first one on.${isUnknown ? known : ''}`,
  };
}

function variantsApart(desired: DesiredSequence, { environment }: Target): PlanProblem[] {
  const { sequence_repost, variant_reference } = environment.service;
  const hasVariants = desired.steps.some(({ variants }) => variants.length > 0);
  const isRisky = sequence_repost === 'replace' || sequence_repost === 'refuse';
  if (!isRisky || !hasVariants || variant_reference === 'order') return [];
  return [
    {
      code: 'variants-apart',
      severity: 'warning',
      message: `Apply sends variants in a second request, after their steps. On a service with sequence_repost: ${sequence_repost}, that request may be refused or replace the sequence. Apply reads the variants back and reports success only if they match.`,
      hint: 'If this service accepts variants together with their steps, set variant_reference: order under service in the project file.',
    },
  ];
}

/**
 * If variants refer to steps by id, posts base steps first and reads their ids; if by order, posts everything in one
 * request. `kept`: live steps that stay.
 */
function requests(
  way: 'create' | 'append' | 'replace',
  { kept, desired, target }: { kept: readonly LiveStep[]; desired: DesiredSequence; target: Target },
): SectionStep[] {
  const isByOrder = target.environment.service.variant_reference === 'order';
  // As documented, the title is sent both at the top level and in each step.
  const base = desired.steps.slice(kept.length).map((step, index) => ({
    title: desired.title,
    ...asEmail(step),
    order: kept.length + index + 1,
  }));
  const variants = desired.steps.flatMap((step, index) => {
    const parent: Json = isByOrder ? index + 1 : (kept[index]?.id ?? `{step ${index + 1}}`);
    const { missing } = pairVariants(kept[index]?.variants ?? [], step.variants);
    return missing.map((variant) => ({
      title: desired.title,
      ...asEmail(variant),
      variant: true,
      variant_from_step: parent,
    }));
  });
  const verb = { create: 'create the sequence of', append: 'append', replace: 'replace the sequence with' }[
    way
  ];
  const first = isByOrder ? [...base, ...variants] : base;
  const withVariants = first.length > base.length ? ` and ${count(variants.length, 'variant')}` : '';
  const post = (
    stage: 'sequence' | 'variants',
    title: string,
    sequence_steps: JsonObject[],
  ): SectionStep[] => {
    const path = '/api/campaigns/{campaign_id}/sequence-steps';
    const body = { title: desired.title, sequence_steps };
    return sequence_steps.length === 0
      ? []
      : [{ id: stage, stage, title, method: 'POST', path, body, irreversible: true }];
  };
  return [
    ...post('sequence', `${verb} ${count(base.length, 'email')}${withVariants}`, first),
    ...post('variants', `add ${count(variants.length, 'variant')}`, isByOrder ? [] : variants),
  ];
}

/** Omits switched-off emails if the manifest omits exactly those. */
function comparable(live: LiveSequence, desired: DesiredSequence): LiveSequence {
  const { steps } = withoutInactive(live);
  const isEqual =
    steps.length === desired.steps.length &&
    steps.every((step, index) => stepChanges(index, step, desired.steps[index]).length === 0);
  return isEqual ? { ...live, steps } : live;
}

/** Omits switched-off emails. A step stays if it or one of its variants is active. */
export function withoutInactive({ steps }: LiveSequence): { steps: LiveStep[]; inactive: LiveEmail[] } {
  const isOff = ({ active }: LiveEmail) => active === false;
  const isDropped = (step: LiveStep) => isOff(step) && step.variants.every(isOff);
  return {
    steps: steps
      .filter((step) => !isDropped(step))
      .map((step) => ({ ...step, variants: step.variants.filter((variant) => !isOff(variant)) })),
    inactive: steps.flatMap((step) => [...(isDropped(step) ? [step] : []), ...step.variants.filter(isOff)]),
  };
}

function inactiveEmails(steps: readonly LiveStep[], desired: DesiredSequence) {
  return desired.steps.flatMap(({ variants }, index) => {
    const step = steps[index];
    if (step === undefined) return [];
    const { unpaired } = pairVariants(step.variants, variants);
    const path = `steps[${index}]`;
    const emails: { path: string; email: LiveEmail }[] = [
      { path, email: step },
      ...step.variants.map((email, place) => ({ path: `${path}.variants[${place}]`, email })),
    ];
    return emails.filter(({ email }) => email.active === false && !unpaired.includes(email));
  });
}

/** Marks the emails that the service shows as switched off. */
export function withInactive(live: LiveSequence, desired: DesiredSequence): DesiredSequence {
  const { steps } = comparable(live, desired);
  const marked = desired.steps.map(({ variants, ...email }, index): ContentStep => {
    const step = steps[index];
    const off = inactiveVariants(step?.variants ?? [], variants);
    return {
      ...asSwitched(email, step?.active === false),
      variants: variants.map((variant) => asSwitched(variant, off.has(variant))),
    };
  });
  return { ...desired, steps: marked };
}

function inactiveVariants(
  live: readonly LiveEmail[],
  desired: readonly ContentEmail[],
): ReadonlySet<ContentEmail> {
  const isOff = ({ active }: LiveEmail) => active === false;
  const { missing: others } = pairVariants(
    live.filter((email) => !isOff(email)),
    desired,
  );
  const { missing } = pairVariants(live.filter(isOff), others);
  return new Set(others.filter((variant) => !missing.includes(variant)));
}

function asSwitched(email: ContentEmail, isOff: boolean): ContentEmail {
  return isOff ? { ...asEmail(email), active: false } : asEmail(email);
}

const SWITCHED_OFF = "switched off in the service's web app; only the web app can switch it on";

function stepInactive(emails: ReturnType<typeof inactiveEmails>): PlanProblem {
  const names = emails.map(
    ({ path, email }) => `${label(path)} (${JSON.stringify(canonicalText(email.email_subject))})`,
  );
  return {
    code: 'step-inactive',
    severity: 'warning',
    message: `The service does not send emails that are switched off in its web app: ${listed(names)}. The API cannot switch them on.`,
    hint: 'Switch on each of these emails in the web app, or remove it from the manifest.',
  };
}

/** The title shown or, because most services hide it, the last applied one; empty if unknown. */
export function knownTitle({ title }: LiveSequence, { recorded }: Target): string {
  const { title: applied } = objectAt(recorded.applied, 'sequence');
  return canonicalText(title ?? '') || canonicalText(typeof applied === 'string' ? applied : '');
}

function titleChange(live: LiveSequence, desired: DesiredSequence, target: Target): SectionChange[] {
  const from = knownTitle(live, target);
  if (from === '' || from === canonicalText(desired.title)) return [];
  const isShown = canonicalText(live.title ?? '') !== '';
  return [updated('title', from, desired.title, isShown ? null : NOT_SHOWN)];
}

const FIELDS = ['email_subject', 'email_body', 'wait_in_days', 'thread_reply'] as const;

function stepChanges(
  index: number,
  live: LiveStep | undefined,
  desired: ContentStep | undefined,
): SectionChange[] {
  const path = `steps[${index}]`;
  if (live === undefined) return desired === undefined ? [] : [added(path, stepJson(desired))];
  if (desired === undefined) return [removed(path, stepJson(live))];
  return [...emailChanges(path, live, desired), ...variantChanges(path, live.variants, desired.variants)];
}

function emailChanges(path: string, live: ContentEmail, desired: ContentEmail): SectionChange[] {
  return FIELDS.filter((field) => !isSameField(field, live, desired)).map((field) =>
    updated(`${path}.${field}`, live[field], desired[field]),
  );
}

/** Variants have no order, so equal ones are paired first, then the others in sequence. */
function variantChanges(
  path: string,
  live: readonly ContentEmail[],
  desired: readonly ContentEmail[],
): SectionChange[] {
  const { missing, unpaired } = pairVariants(live, desired);
  const changed = missing.flatMap((to, turn): SectionChange[] => {
    const from = unpaired[turn];
    const at = `${path}.variants[${desired.indexOf(to)}]`;
    return from === undefined ? [added(at, asEmail(to))] : emailChanges(at, from, to);
  });
  const surplus = unpaired
    .slice(missing.length)
    .map((variant, index) => removed(`${path}.variants[${desired.length + index}]`, asEmail(variant)));
  return [...changed, ...surplus];
}

/** Pairs equal emails. A live subject may have an extra `Re: `, so emails with shorter subjects are paired first. */
export function pairVariants<Live extends ContentEmail>(
  live: readonly Live[],
  desired: readonly ContentEmail[],
): { missing: ContentEmail[]; unpaired: Live[] } {
  const unpaired = [...live];
  const take = (matches: (candidate: ContentEmail) => boolean) => {
    const at = unpaired.findIndex(matches);
    if (at >= 0) unpaired.splice(at, 1);
    return at >= 0;
  };
  const subject = (email: ContentEmail) => canonicalText(email.email_subject);
  const paired = new Set(
    [...desired]
      .sort((a, b) => subject(a).length - subject(b).length)
      .filter((variant) => {
        const isEqual = (candidate: ContentEmail) => emailChanges('', candidate, variant).length === 0;
        return (
          take((candidate) => isEqual(candidate) && subject(candidate) === subject(variant)) || take(isEqual)
        );
      }),
  );
  return { missing: desired.filter((variant) => !paired.has(variant)), unpaired };
}

export function copyKey({ email_subject, email_body, thread_reply }: ContentEmail): string {
  const subject = canonicalText(email_subject);
  return JSON.stringify([thread_reply ? withoutReplyPrefix(subject) : subject, canonicalText(email_body)]);
}

function isSameField(field: (typeof FIELDS)[number], live: ContentEmail, desired: ContentEmail): boolean {
  if (field === 'wait_in_days' || field === 'thread_reply') return live[field] === desired[field];
  const wanted = canonicalText(desired[field]);
  const stored = canonicalText(live[field]);
  if (stored === wanted) return true;
  return field === 'email_subject' && live.thread_reply && withoutReplyPrefix(stored) === wanted;
}

export function asEmail({ email_subject, email_body, wait_in_days, thread_reply }: ContentEmail) {
  return { email_subject, email_body, wait_in_days, thread_reply };
}

/** With the emails that are switched off. */
export function contentStep(step: ContentStep): ContentStep {
  const content = (email: ContentEmail) => asSwitched(email, email.active === false);
  return { ...content(step), variants: step.variants.map(content) };
}

export function stepJson(step: ContentStep) {
  return { ...asEmail(step), variants: step.variants.map(asEmail) };
}
