import type { Change } from '../../model/change.js';
import type { ContentEmail, ContentSequence } from '../../model/content.js';
import { isObject, type Json } from '../../model/json.js';

/** An email on both sides; null where it is not there. Both are the same value where nothing of it changes. */
export interface EmailPair {
  live: ContentEmail | null;
  desired: ContentEmail | null;
}

/** A step with its other wordings. */
export interface StepPair extends EmailPair {
  variants: EmailPair[];
}

/**
 * Both sides of each step, in the order of the desired sequence and behind it what is dropped. The live side is the
 * desired one with the changes taken back: nothing is compared here a second time.
 */
export function pairSteps(desired: ContentSequence, changes: readonly Change[]): StepPair[] {
  const own = changes.filter(({ section }) => section === 'sequence');
  const isNew = own.some(({ path, kind }) => path === '' && kind === 'add');
  const kept = desired.steps.map(({ variants, ...email }, index) => {
    const pair = pairOf(email, `steps[${index}]`, { changes: own, isNew });
    const inStep = { changes: own, isNew: pair.live === null };
    const others = variants.map((variant, at) => pairOf(variant, `steps[${index}].variants[${at}]`, inStep));
    return {
      ...pair,
      variants: [...others, ...dropped(own, new RegExp(`^steps\\[${index}\\]\\.variants\\[\\d+\\]$`))],
    };
  });
  return [...kept, ...dropped(own, /^steps\[\d+\]$/)];
}

/** How many mails a campaign shows: each email, and both sides of those that change. */
export function mailsOf(desired: ContentSequence | null, changes: readonly Change[]): number {
  if (desired === null) return 0;
  const emails = desired.steps.reduce((sum, { variants }) => sum + 1 + variants.length, 0);
  const changed = changes.flatMap(({ path }) => /^steps\[\d+\](?:\.variants\[\d+\])?/.exec(path)?.[0] ?? []);
  return emails + new Set(changed).size;
}

function pairOf(
  desired: ContentEmail,
  path: string,
  { changes, isNew }: { changes: readonly Change[]; isNew: boolean },
): EmailPair {
  if (isNew || changes.some((change) => change.path === path && change.kind === 'add'))
    return { live: null, desired };
  const back = changes.filter((change) => change.path.startsWith(`${path}.`) && change.kind === 'update');
  if (back.length === 0) return { live: desired, desired };
  const fields = back.map((change) => [change.path.slice(path.length + 1), change.from] as const);
  return { live: emailOf({ ...desired, ...Object.fromEntries(fields) }), desired };
}

function dropped(changes: readonly Change[], path: RegExp): StepPair[] {
  return changes
    .filter((change) => change.kind === 'remove' && path.test(change.path) && isObject(change.from))
    .map(({ from }) => {
      const variants = isObject(from) && Array.isArray(from.variants) ? from.variants : [];
      return {
        live: emailOf(from),
        desired: null,
        variants: variants.map((variant) => ({ live: emailOf(variant), desired: null })),
      };
    });
}

/** The email of a change. */
function emailOf(value: Json): ContentEmail {
  const { email_subject, email_body, wait_in_days, thread_reply } = isObject(value) ? value : {};
  return {
    email_subject: typeof email_subject === 'string' ? email_subject : '',
    email_body: typeof email_body === 'string' ? email_body : '',
    wait_in_days: Number(wait_in_days ?? 0),
    thread_reply: thread_reply === true,
  };
}
