import { isObject, type JsonObject } from '../../model/json.js';
import type { CampaignContext, ManifestSection } from '../section.js';
import { canonicalText } from '../text.js';
import type { DesiredStep, Email, Live, LiveStep } from './state.js';

/** Bodies as they are, byte for byte. A context loses the `Re: ` that services put in front of a reply. */
export function toManifest(live: Live, context: CampaignContext): ManifestSection {
  if (live.steps.length === 0) return { section: null, remarks: [] };
  const empty = live.steps.flatMap((step, index) => emptyTexts(step, index + 1));
  if (empty.length > 0) return { section: null, remarks: empty };
  const known = titleOf(live, context);
  return {
    section: { title: known ?? context.spec.name, steps: live.steps.map(stepToManifest) },
    remarks:
      known === null ? ["title: not shown by the service; the campaign's name stands in its place"] : [],
  };
}

/** As shown, else as last applied; null where neither is known. */
function titleOf({ title }: Live, { recorded }: CampaignContext): string | null {
  const { sequence } = recorded.applied;
  const applied = isObject(sequence) ? sequence.title : null;
  const known = [title, applied].find((one) => typeof one === 'string' && canonicalText(one) !== '');
  return typeof known === 'string' ? known : null;
}

/** A step as a manifest writes it, its variants without what they share with it. */
export function stepToManifest({ variants, ...step }: DesiredStep): JsonObject {
  return {
    ...emailToManifest(step, { wait_in_days: null, thread_reply: false }),
    ...(variants.length > 0 ? { variants: variants.map((variant) => emailToManifest(variant, step)) } : {}),
  };
}

/** `same`: what holds where nothing is written. */
export function emailToManifest(
  email: Email,
  same: { wait_in_days: number | null; thread_reply: boolean },
): JsonObject {
  const { email_body, wait_in_days, thread_reply } = email;
  return {
    email_subject: bareSubject(email),
    email_body,
    ...(wait_in_days === same.wait_in_days ? {} : { wait_in_days }),
    ...(thread_reply === same.thread_reply ? {} : { thread_reply }),
  };
}

/** Of a reply without the `Re: ` that services put in front, unless nothing is left then. */
export function bareSubject({
  email_subject,
  thread_reply,
}: Pick<Email, 'email_subject' | 'thread_reply'>): string {
  const plain = canonicalText(email_subject).replace(/^re:\s*/i, '');
  return thread_reply && plain !== '' && plain !== canonicalText(email_subject) ? plain : email_subject;
}

/** A manifest cannot say that a text is empty. */
function emptyTexts(step: LiveStep, number: number): string[] {
  return [step, ...step.variants].flatMap((email, at) =>
    (['email_subject', 'email_body'] as const)
      .filter((field) => email[field].trim() === '')
      .map((field) => `step ${number}${at === 0 ? '' : `, variant ${at}`} has no ${field}`),
  );
}
