import { canonicalText, withoutReplyPrefix } from '../model/canonical.js';
import { isObject, type JsonObject, objectSchema, property } from '../model/json.js';
import { type LiveEmail, type LiveSequence, type LiveStep, shownValue } from '../model/live.js';
import type { ContentEmail, ContentStep, Step } from '../model/outputs.js';
import { type DesiredSequence, desiredSequence } from '../model/spec.js';
import type { EmailCount } from '../model/state.js';
import type { Target } from '../model/target.js';
import { attachmentsIn } from './extras.js';
import {
  defineSection,
  leftOut,
  type ManifestSection,
  note,
  notHeld,
  notShown,
  rememberApplied,
  type StepEffect,
} from './section.js';
import { contentStep, diffSequence, knownTitle, withInactive, withoutInactive } from './sequence-diff.js';
import { resumes } from './status.js';

const someText = { type: 'string', minLength: 1, pattern: '\\S' };
const oneBody = [{ required: ['email_body'] }, { required: ['email_body_file'] }];
const body = {
  email_body: property(
    someText,
    'Body. Write variables as {FIRST_NAME} and spintax as {Hi|Hello}. Set either this or email_body_file.',
    '<p>Hi {FIRST_NAME},</p>\n<p>worth a look?</p>\n',
  ),
  email_body_file: property(
    { type: 'string', minLength: 1 },
    'File that contains the body. The path is relative to the manifest; the file must be in the project or in a shared folder.',
    'emails/installers-b.html',
  ),
};

const variant = {
  email_subject: property(someText, 'Subject of the variant.', 'Installers at {COMPANY}'),
  ...body,
  wait_in_days: property(
    { type: 'integer' },
    "Days to wait before the next step. Default: the step's value.",
    3,
  ),
  thread_reply: property(
    { type: 'boolean' },
    "Send as a reply in the thread of the previous step. Default: the step's value.",
    false,
  ),
};
const variantSchema: JsonObject = {
  ...objectSchema('VariantSpec', variant, ['email_subject']),
  oneOf: oneBody,
  description: 'A variant of the step: the service picks one for each recipient.',
};

const step = {
  email_subject: property(
    someText,
    'Subject. Write variables as {FIRST_NAME}. The service adds "Re: " to replies.',
    '{FIRST_NAME}, a question',
  ),
  ...body,
  wait_in_days: property({ type: 'integer' }, 'Days to wait before the next step; at least 1.', 3),
  thread_reply: property(
    { type: 'boolean', default: false },
    'Send as a reply in the thread of the previous step.',
    true,
  ),
  variants: property({ type: 'array', items: variantSchema }, 'Variants of this step.', [
    { email_subject: 'Installers at {COMPANY}', email_body: '<p>Hi {FIRST_NAME}</p>' },
  ]),
};
const stepSchema: JsonObject = {
  ...objectSchema('StepSpec', step, ['email_subject', 'wait_in_days']),
  oneOf: oneBody,
  description: 'One email of the sequence. Steps are sent in the order in which they are written.',
};

const oneStep = [{ email_subject: 'Hello {FIRST_NAME}', email_body: '<p>…</p>', wait_in_days: 3 }];
export const sequenceSchema: JsonObject = property(
  objectSchema(
    'SequenceSpec',
    {
      title: property(someText, 'Title of the sequence.', 'Spring sequence'),
      steps: property(
        { type: 'array', minItems: 1, items: stepSchema },
        'The emails in the order in which they are sent.',
        oneStep,
      ),
    },
    ['title', 'steps'],
  ),
  'The emails that the campaign sends. The API cannot edit an existing sequence.',
  { title: 'Spring sequence', steps: oneStep },
);

/** The emails are created once. Posting them again may mail every lead twice, so it needs approval. */
export const sequence = defineSection<LiveSequence, DesiredSequence>({
  name: 'sequence',
  properties: { sequence: sequenceSchema },
  reads: ['sequence'],
  normalize: ({ spec: { sequence: spec } }) => (spec === undefined ? null : desiredSequence(spec)),
  decode: liveSequence,
  diff: diffSequence,
  recordStep: (recorded, step, effect) => ({
    ...rememberApplied(recorded, { sequence: { title: step.body?.title ?? null } }, effect),
    sequence: countAfter(recorded.sequence, step, effect),
  }),
  /** A shorter sequence is recorded only if the manifest agrees, because the API cannot remove steps. */
  recordShown(recorded, live, isInSync) {
    const shown = countEmails(live);
    if (shown.steps === 0) return recorded;
    return { ...recorded, sequence: isInSync ? shown : larger(recorded.sequence, shown) };
  },
  toView(live, target) {
    const { title, steps } = asSent(live, target);
    return steps.length === 0 ? null : { title, steps: steps.map(contentStep) };
  },
  withKept(desired, live, target) {
    const isPosted = diffSequence(live, desired, target).steps.some((step) => sentOrders(step).includes(1));
    return isPosted ? desired : withInactive(asSent(live, target), desired);
  },
  toManifest,
});

/** Some services show all emails of a draft as switched off, although a launch sends them. Variants may not show it. */
export function isAllOff({ steps }: LiveSequence): boolean {
  return steps.every(({ active }) => active === false);
}

function asSent(live: LiveSequence, target: Target): LiveSequence {
  if (!isAllOff(live) || resumes(target)) return live;
  const switchedOn = <Email extends LiveEmail>({ active: _active, ...email }: Email) => email;
  const steps = live.steps.map((step) => ({
    ...switchedOn(step),
    variants: step.variants.map(switchedOn),
  }));
  return { ...live, steps };
}

export function countEmails({ steps }: DesiredSequence | LiveSequence): EmailCount {
  return { steps: steps.length, variants: steps.reduce((sum, { variants }) => sum + variants.length, 0) };
}

function larger(known: EmailCount | null, other: EmailCount): EmailCount {
  const { steps, variants } = known ?? other;
  return { steps: Math.max(steps, other.steps), variants: Math.max(variants, other.variants) };
}

function sentRows({ body }: Pick<Step, 'body'>): JsonObject[] {
  return Array.isArray(body?.sequence_steps) ? body.sequence_steps.filter(isObject) : [];
}

function sentOrders(step: Pick<Step, 'body'>): number[] {
  return sentRows(step).flatMap(({ order }) => (typeof order === 'number' ? order : []));
}

/** Steps are counted up to the last position sent, and variants as sent. */
export function sentEmails(step: Step): EmailCount {
  const variants = sentRows(step).filter((row) => row.variant === true).length;
  return { steps: Math.max(0, ...sentOrders(step)), variants };
}

/** The minimum number of emails that exist after the step. A row with order 1 begins a new sequence. Idempotent. */
function countAfter(known: EmailCount | null, step: Step, effect: StepEffect): EmailCount | null {
  const sent = sentEmails(step);
  const isWhole = sentOrders(step).includes(1);
  if (effect === 'done') return isWhole ? sent : larger(known, sent);
  if (known === null || !isWhole) return known;
  return { steps: Math.min(known.steps, sent.steps), variants: Math.min(known.variants, sent.variants) };
}

/** Without steps if the campaign has none, or if they were not read. */
export function liveSequence({ live }: Target): LiveSequence {
  return (live && shownValue(live.sequence)) ?? { title: null, steps: [] };
}

/** Keeps bodies byte for byte; removes the `Re: ` that services add to subjects. */
function toManifest(live: LiveSequence, target: Target): ManifestSection {
  const { steps, inactive } = withoutInactive(live);
  const subjects = inactive.map(({ email_subject }) => JSON.stringify(canonicalText(email_subject)));
  const off = note(`left out because they are switched off in the service: ${subjects.join(', ')}`);
  const remarks = inactive.length === 0 ? [] : [off];
  const isHidden = steps.length === 0 && inactive.length === 0;
  if (steps.length === 0)
    return { section: null, remarks: isHidden ? notShown(target.live?.sequence) : remarks };
  const empty = steps.flatMap((step, index) => emptyTexts(step, index + 1));
  if (empty.length > 0) return { section: null, remarks: empty.map(leftOut) };
  const attachments = attachmentsIn(steps).map(notHeld);
  const title = knownTitle(live, target);
  const hidden = note("title: not shown by the service; the campaign's name is used instead");
  return {
    section: { title: title || target.spec.name, steps: steps.map(stepToManifest) },
    remarks: [...(title === '' ? [hidden] : []), ...remarks, ...attachments],
  };
}

/** Variants omit fields that they share with their step. */
export function stepToManifest({ variants, ...step }: ContentStep): JsonObject {
  return {
    ...emailToManifest(step, { wait_in_days: null, thread_reply: false }),
    ...(variants.length > 0 ? { variants: variants.map((variant) => emailToManifest(variant, step)) } : {}),
  };
}

export function emailToManifest(
  { email_subject, email_body, wait_in_days, thread_reply }: ContentEmail,
  same: { wait_in_days: number | null; thread_reply: boolean },
): JsonObject {
  return {
    email_subject: bareSubject(email_subject, thread_reply),
    email_body,
    ...(wait_in_days === same.wait_in_days ? {} : { wait_in_days }),
    ...(thread_reply === same.thread_reply ? {} : { thread_reply }),
  };
}

export function bareSubject(subject: string, isReply: boolean): string {
  const shown = canonicalText(subject);
  const bare = withoutReplyPrefix(shown);
  return isReply && bare !== '' && bare !== shown ? bare : subject;
}

function emptyTexts(step: LiveStep, number: number): string[] {
  return [step, ...step.variants].flatMap((email, at) =>
    (['email_subject', 'email_body'] as const)
      .filter((field) => email[field].trim() === '')
      .map((field) => `step ${number}${at === 0 ? '' : `, variant ${at}`} has no ${field}`),
  );
}
