import type { LintSubject } from '../../manifest/index.js';
import type { Change } from '../../model/change.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { ResolvedStep } from '../../model/spec.js';
import { canonicalText } from '../../sections/text.js';

/** A live step as a manifest writes it: what follows from a default is left out. */
export function itemOf(step: Json): JsonObject {
  if (!isObject(step)) return {};
  const { email_body = '', wait_in_days = 1, thread_reply = false, variants = [] } = step;
  const base = { email_subject: replySubject(step.email_subject, thread_reply), email_body, wait_in_days };
  const own = Array.isArray(variants)
    ? variants.map((one) => variantOf(one, { wait_in_days, thread_reply }))
    : [];
  return {
    ...base,
    ...(thread_reply === true ? { thread_reply } : {}),
    ...(own.length > 0 ? { variants: own } : {}),
  };
}

/** A live variant as a manifest writes it: what its step says too is left out. */
export function variantOf(
  variant: Json,
  step: Pick<ResolvedStep, 'wait_in_days' | 'thread_reply'> | JsonObject,
): JsonObject {
  if (!isObject(variant)) return {};
  const { email_body = '', wait_in_days = 1, thread_reply = false } = variant;
  return {
    email_subject: replySubject(variant.email_subject, thread_reply),
    email_body,
    ...(wait_in_days === step.wait_in_days ? {} : { wait_in_days }),
    ...(thread_reply === (step.thread_reply ?? false) ? {} : { thread_reply }),
  };
}

/** The live subject of an email that differs; of a reply without the `Re: ` that the service puts in front. */
export function subjectOf(
  change: Change,
  { subject, changes }: { subject: LintSubject; changes: readonly Change[] },
): Json {
  const sibling = change.path.replace(/email_subject$/, 'thread_reply');
  const thread = changes.find(({ section, path }) => section === 'sequence' && path === sibling);
  if (thread !== undefined) return replySubject(change.from, thread.from);
  const [step = 0, variant] = (change.path.match(/\d+/g) ?? []).map(Number);
  const base = subject.spec.sequence?.steps[step];
  const own = variant === undefined ? undefined : base?.variants?.[variant]?.thread_reply;
  return replySubject(change.from, own ?? base?.thread_reply ?? false);
}

function replySubject(live: Json | undefined, isReply: Json): Json {
  if (typeof live !== 'string') return '';
  const bare = canonicalText(live).replace(/^re:\s*/i, '');
  return isReply === true && bare !== '' && bare !== canonicalText(live) ? bare : live;
}
