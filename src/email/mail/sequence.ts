import type { ContentEmail, ContentSequence } from '../../model/content.js';
import type { ResolvedSequence } from '../../model/spec.js';

/** The sequence of a manifest with its defaults filled in: a variant has what it leaves out from its step. */
export function sequenceOf({ title, steps }: ResolvedSequence): ContentSequence {
  return {
    title,
    steps: steps.map(({ email_subject, email_body, wait_in_days, thread_reply = false, variants = [] }) => {
      const email: ContentEmail = { email_subject, email_body, wait_in_days, thread_reply };
      return {
        ...email,
        variants: variants.map((variant) => ({
          email_subject: variant.email_subject,
          email_body: variant.email_body,
          wait_in_days: variant.wait_in_days ?? wait_in_days,
          thread_reply: variant.thread_reply ?? thread_reply,
        })),
      };
    }),
  };
}

/** The subject that the thread of a reply began with, for the step at `index`: that of the last email that is no reply. */
export function threadSubject({ steps }: Pick<ContentSequence, 'steps'>, index: number): string {
  const before = steps.slice(0, index);
  const first = before.findLast(({ thread_reply }) => !thread_reply) ?? before[0];
  return first?.email_subject ?? '';
}

/** The day on which each step can go out at the earliest, where the first one goes out on day 1. */
export function earliestDays({ steps }: Pick<ContentSequence, 'steps'>): number[] {
  let day = 1;
  return steps.map(({ wait_in_days }) => {
    const own = day;
    day += wait_in_days;
    return own;
  });
}
