import { isObject } from '../model/json.js';
import { type ContentEmail, NOT_KNOWN, type Problem } from '../model/outputs.js';
import type { DesiredSequence, DesiredStep } from '../model/spec.js';
import { label, listed } from '../model/words.js';
import { canonicalText } from './decode.js';
import {
  added,
  NOT_SHOWN,
  probeCommand,
  removed,
  type SectionChange,
  type SectionContext,
  type SectionDifference,
  updated,
} from './section.js';

/** `title`: `null` if not shown. Without steps there is no sequence. Texts as stored. */
export interface LiveSequence {
  title: string | null;
  steps: LiveStep[];
}
/** `active: false`: switched off in the web app, which the API cannot do or undo. */
export type LiveEmail = ContentEmail & { id: number; active?: false };
export type LiveStep = LiveEmail & { variants: LiveEmail[] };

/** How to close the difference; `blocked` if the API cannot. */
export type Way = 'nothing' | 'create' | 'variants' | 'append' | 'replace' | 'blocked';

/**
 * `bare`: base steps match, and all variants are missing. `extended`: only additions. `different`: something would have to be
 * edited.
 */
type SequenceMatch = 'none' | 'equal' | 'bare' | 'extended' | 'different';

export function diffSequence(
  live: LiveSequence,
  desired: DesiredSequence,
  context: SectionContext,
): SectionDifference {
  const { match, changes } = compare(live, desired, context);
  const way = wayTo(live, desired, context);
  const problems = way === 'blocked' ? [blocked(match, context)] : variantsAfter(way, desired, context);
  const inactive = hasInactive(live) ? inactiveEmails(comparable(live, desired), desired) : [];
  return {
    changes: [...untoldTitle(way, live, desired, context), ...changes],
    problems: inactive.length > 0 ? [...problems, switchedOff(inactive)] : problems,
    byHand: inactive.map(({ path }) => updated(`${path}.active`, false, true, OFF)),
  };
}

const OFF = "switched off in the service's web app, where alone it can be switched on";

/** An email that is switched off, by path: `steps[1]`. */
interface InactiveEmail {
  path: string;
  subject: string;
}

function hasInactive({ steps }: LiveSequence): boolean {
  return steps.some((step) => [step, ...step.variants].some(({ active }) => active === false));
}

/** Without switched-off emails, if the manifest leaves out just these. */
function comparable(live: LiveSequence, desired: DesiredSequence): LiveSequence {
  if (!hasInactive(live)) return live;
  const isLeftOut = (email: LiveEmail, wanted: ContentEmail | undefined) =>
    email.active === false && (wanted === undefined || !sameEmail(email, wanted));
  const steps: LiveStep[] = [];
  for (const step of live.steps) {
    const wanted = desired.steps[steps.length];
    const isOff = step.variants.every(({ active }) => active === false);
    if (isOff && isLeftOut(step, wanted)) continue;
    const { left } = pairVariants(step.variants, wanted?.variants ?? []);
    const dropped = new Set(left.filter((email) => isLeftOut(email, undefined)));
    steps.push({ ...step, variants: step.variants.filter((variant) => !dropped.has(variant)) });
  }
  return isSame(steps, desired.steps) ? { ...live, steps } : live;
}

function isSame(steps: readonly LiveStep[], desired: readonly DesiredStep[]): boolean {
  const length = Math.max(steps.length, desired.length);
  return Array.from({ length }, (_, at) => stepChanges(at, steps[at], desired[at])).every(
    (changes) => changes.length === 0,
  );
}

/** Switched-off emails that the manifest has. */
function inactiveEmails({ steps }: LiveSequence, desired: DesiredSequence): InactiveEmail[] {
  return desired.steps.flatMap(({ variants }, at) => {
    const step = steps[at];
    if (step === undefined) return [];
    const { left } = pairVariants(step.variants, variants);
    const path = `steps[${at}]`;
    const others = step.variants.flatMap((variant, place) =>
      left.includes(variant) ? [] : [{ path: `${path}.variants[${place}]`, email: variant }],
    );
    return [{ path, email: step }, ...others].flatMap(({ path, email }) =>
      email.active === false ? [{ path, subject: canonicalText(email.email_subject) }] : [],
    );
  });
}

function switchedOff(emails: readonly InactiveEmail[]): Problem {
  const names = emails.map(({ path, subject }) => `${label(path)} (${JSON.stringify(subject)})`);
  return {
    code: 'step-inactive',
    severity: 'warning',
    message: `Emails of the manifest are switched off in the service's web app, so they are not sent: ${listed(names)}. The API cannot switch them on.`,
    hint: 'Switch them on in the web app. To leave them off, remove them from the manifest.',
  };
}

/** Posts to an existing sequence only if the project file says what the service does. */
export function wayTo(live: LiveSequence, desired: DesiredSequence, context: SectionContext): Way {
  const { sequence_repost, variant_reference } = context.environment.service;
  const { match, changes } = compare(live, desired, context);
  const retitled = changes.some(({ path }) => path === 'title');
  if (match === 'none') return 'create';
  if (match === 'equal' && !retitled) return 'nothing';
  if (match === 'bare' && !retitled && variant_reference === 'step_id') return 'variants';
  if (sequence_repost === 'replace') return 'replace';
  if (match !== 'extended' || retitled || sequence_repost !== 'append') return 'blocked';
  // By order, a variant can only name a step of its own request.
  return variant_reference === 'step_id' || !changes.some(isOfVariant) ? 'append' : 'blocked';
}

/** A second request for variants may be refused, or replace the sequence. */
function variantsAfter(way: Way, desired: DesiredSequence, { environment }: SectionContext): Problem[] {
  const { sequence_repost, variant_reference } = environment.service;
  const second = variant_reference === 'step_id' && desired.steps.some(({ variants }) => variants.length > 0);
  const risky = sequence_repost === 'replace' || sequence_repost === 'refuse';
  if (way === 'nothing' || !second || !risky) return [];
  return [
    {
      code: 'variants-apart',
      severity: 'warning',
      message: `Variants are sent in a second request, after their steps, and sequence_repost: ${sequence_repost} says that this service would ${sequence_repost} it. Apply sends it, reads the variants back, and reports success only if they match.`,
      hint: 'If this service takes variants together with their steps, set variant_reference: order under service.',
    },
  ];
}

function blocked(match: SequenceMatch, context: SectionContext): Problem {
  const { sequence_repost } = context.environment.service;
  const probe = probeCommand(context);
  if (match === 'bare') {
    return {
      code: 'sequence-variants',
      severity: 'blocked',
      message:
        'The variants are missing, and with variant_reference: order they can only be sent together with their steps.',
      hint: `${probe} finds out whether this service takes ids as well. If it does not, add the variants in the service's web app.`,
    };
  }
  const added = match === 'extended' && sequence_repost === 'unknown';
  return {
    code: 'sequence-exists',
    severity: 'blocked',
    message: added
      ? 'Steps are only added, but whether posting to a sequence that exists appends, replaces or doubles it is not documented.'
      : 'The API cannot edit a sequence that exists: posting it again would mail every lead twice.',
    hint: `${sequence_repost === 'unknown' ? `${probe} finds out on a scratch campaign whether this service appends emails, replaces them or refuses them. Otherwise make` : 'Make'} the change in the service's web app and plan again, undo it in the manifest, or replace the campaign by a new one.`,
  };
}

function compare(
  live: LiveSequence,
  desired: DesiredSequence,
  context: SectionContext,
): { match: SequenceMatch; changes: SectionChange[] } {
  if (live.steps.length === 0) {
    const to = { title: desired.title, steps: desired.steps.map(stepJson) };
    return { match: 'none', changes: [added('', to)] };
  }
  const { steps } = comparable(live, desired);
  const length = Math.max(steps.length, desired.steps.length);
  const changes = Array.from({ length }, (_, index) =>
    stepChanges(index, steps[index], desired.steps[index]),
  ).flat();
  return { match: matchOf(live, changes), changes: [...titleChange(live, desired, context), ...changes] };
}

function matchOf(live: LiveSequence, changes: readonly SectionChange[]): SequenceMatch {
  if (changes.length === 0) return 'equal';
  if (changes.some(({ kind }) => kind !== 'add')) return 'different';
  const isBare = live.steps.every(({ variants }) => variants.length === 0);
  return isBare && changes.every(isOfVariant) ? 'bare' : 'extended';
}

function isOfVariant({ path }: SectionChange): boolean {
  return path.includes('.variants[');
}

/** Most services hide the title, so the last applied one counts; empty if unknown. */
function titleOf({ title }: LiveSequence, { recorded }: SectionContext): { shown: string; from: string } {
  const shown = title === null ? '' : canonicalText(title);
  const applied = recorded.applied.sequence;
  const remembered = isObject(applied) && typeof applied.title === 'string' ? applied.title : '';
  return { shown, from: shown || canonicalText(remembered) };
}

/** Appended emails carry the title, which may change it if it is unknown. */
function untoldTitle(
  way: Way,
  live: LiveSequence,
  { title }: DesiredSequence,
  context: SectionContext,
): SectionChange[] {
  const isPosted = way === 'variants' || way === 'append' || way === 'replace';
  return isPosted && titleOf(live, context).from === '' ? [updated('title', null, title, NOT_KNOWN)] : [];
}

function titleChange(live: LiveSequence, desired: DesiredSequence, context: SectionContext): SectionChange[] {
  const { shown, from } = titleOf(live, context);
  if (from === '' || from === canonicalText(desired.title)) return [];
  return [updated('title', from, desired.title, shown ? null : NOT_SHOWN)];
}

const FIELDS = ['email_subject', 'email_body', 'wait_in_days', 'thread_reply'] as const;

function stepChanges(
  index: number,
  live: LiveStep | undefined,
  desired: DesiredStep | undefined,
): SectionChange[] {
  const path = `steps[${index}]`;
  if (live === undefined) return desired === undefined ? [] : [added(path, stepJson(desired))];
  if (desired === undefined) return [removed(path, stepJson(live))];
  return [...emailChanges(path, live, desired), ...variantChanges(path, live.variants, desired.variants)];
}

function emailChanges(path: string, live: ContentEmail, desired: ContentEmail): SectionChange[] {
  return FIELDS.filter((field) => !sameField(field, live, desired)).map((field) =>
    updated(`${path}.${field}`, live[field], desired[field]),
  );
}

/** Variants have no order: equal ones pair up, the rest in turn. */
function variantChanges(
  path: string,
  live: readonly ContentEmail[],
  desired: readonly ContentEmail[],
): SectionChange[] {
  const { missing, left } = pairVariants(live, desired);
  const changed = missing.flatMap((to, turn): SectionChange[] => {
    const from = left[turn];
    const at = `${path}.variants[${desired.indexOf(to)}]`;
    return from === undefined ? [added(at, asEmail(to))] : emailChanges(at, from, to);
  });
  const surplus = left
    .slice(missing.length)
    .map((variant, index) => removed(`${path}.variants[${desired.length + index}]`, asEmail(variant)));
  return [...changed, ...surplus];
}

/** Pairs equal emails. A live subject may have an additional `Re: `, so shorter ones pair first. */
export function pairVariants<Live extends ContentEmail>(
  live: readonly Live[],
  desired: readonly ContentEmail[],
) {
  const left = [...live];
  const take = (matches: (candidate: ContentEmail) => boolean) => {
    const at = left.findIndex(matches);
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const subject = (email: ContentEmail) => canonicalText(email.email_subject);
  const paired = new Set(
    [...desired]
      .sort((one, other) => subject(one).length - subject(other).length)
      .filter((variant) => {
        const same = (candidate: ContentEmail) => sameEmail(candidate, variant);
        return take((candidate) => same(candidate) && subject(candidate) === subject(variant)) || take(same);
      }),
  );
  return { missing: desired.filter((variant) => !paired.has(variant)), left };
}

/** Subject and body in comparable form. */
export function copyKey({ email_subject, email_body, thread_reply }: ContentEmail): string {
  const subject = canonicalText(email_subject);
  return JSON.stringify([
    thread_reply ? subject.replace(/^re:\s*/i, '') : subject,
    canonicalText(email_body),
  ]);
}

function sameEmail(live: ContentEmail, desired: ContentEmail): boolean {
  return FIELDS.every((field) => sameField(field, live, desired));
}

/** Services add `Re: ` to the subjects of thread replies. */
function sameField(field: (typeof FIELDS)[number], live: ContentEmail, desired: ContentEmail): boolean {
  if (field === 'wait_in_days' || field === 'thread_reply') return live[field] === desired[field];
  const wanted = canonicalText(desired[field]);
  const stored = canonicalText(live[field]);
  if (stored === wanted) return true;
  return field === 'email_subject' && live.thread_reply && stored.replace(/^re:\s*/i, '') === wanted;
}

/** The comparable fields of an email. */
export function asEmail({ email_subject, email_body, wait_in_days, thread_reply }: ContentEmail) {
  return { email_subject, email_body, wait_in_days, thread_reply };
}

export function stepJson(step: DesiredStep) {
  return { ...asEmail(step), variants: step.variants.map(asEmail) };
}
