import { isObject, type Json, type Path, valueAt } from '../model/json.js';
import type { Violation } from './violation.js';

/** As mail programs write them in several languages. */
const REPLIES = 're|aw|antw|sv|回复|答复|回覆|返信';
const FORWARDS = 'fwd?|wg|tr|rv|转发|轉寄';
const WORD = `(?:${REPLIES}|${FORWARDS})(?:\\[\\d+\\])?\\s*(?::(?:\\s+|$|(?=[a-z]{2,4}:))|：\\s*)`;
const PREFIX = new RegExp(`^\\s*((?:${WORD})+)`, 'iu');
const IS_REPLY = new RegExp(`^(?:${REPLIES})`, 'iu');

/** `Re:` or `Fwd:`, also repeated: `Re: AW:`. `null` if the subject has none. */
export function prefixOf(subject: string): { text: string; isReply: boolean } | null {
  const [, prefix] = PREFIX.exec(subject) ?? [];
  return prefix === undefined ? null : { text: prefix.trim(), isReply: IS_REPLY.test(prefix) };
}

export function withoutPrefix(subject: string): string {
  return subject.replace(PREFIX, '').trim();
}

/** An email without a subject in a thread reply: other tools thread by an empty subject, this service needs one. */
export function withReplySubject(violation: Violation, root: Json): Violation {
  const { path, missing } = violation;
  const isMissing = missing?.[0] === 'email_subject';
  if (!isMissing && path.at(-1) !== 'email_subject') return violation;
  const email = isMissing ? path : path.slice(0, -1);
  const written = valueAt(root, path);
  if (!isMissing && written !== null && !isBlank(written)) return violation;
  const hint = subjectHint(root, email);
  return hint === null ? violation : { ...violation, hint };
}

/** `null` if no email before it has a subject. */
function subjectHint(root: Json, email: Path): string | null {
  const end = email.lastIndexOf('steps');
  const steps = valueAt(root, email.slice(0, end + 1));
  const index = Number(email[end + 1]);
  if (!Array.isArray(steps)) return null;
  for (let at = index - 1; at >= 0; at -= 1) {
    const step = steps[at];
    const written = isObject(step) ? step.email_subject : null;
    const subject = typeof written === 'string' ? withoutPrefix(written) : '';
    if (subject === '') continue;
    return isReply(steps[index], valueAt(root, email))
      ? repeatHint(at, subject)
      : `Write a subject. To reply in the thread of step ${at + 1}, write thread_reply: true, and repeat its subject: email_subject: ${JSON.stringify(subject)}`;
  }
  return null;
}

function isBlank(value: Json | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}

function isReply(step: Json | undefined, email: Json | undefined): boolean {
  const written = isObject(email) ? email.thread_reply : undefined;
  return (written ?? (isObject(step) ? step.thread_reply : undefined)) === true;
}

/** `step` counts from 0. */
export function repeatHint(step: number, subject: string): string {
  return `Repeat the subject of step ${step + 1}; the service adds "Re: ". Write: email_subject: ${JSON.stringify(subject)}`;
}
