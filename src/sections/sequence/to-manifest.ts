import { isObject, type JsonObject } from '../../model/json.js';
import type { CampaignContext, ManifestSection } from '../section.js';
import { canonicalText } from '../text.js';
import type { Email, Live, LiveEmail, LiveStep } from './state.js';

/** Bodies as they are, byte for byte. A context loses the `Re: ` that services put in front of a reply. */
export function toManifest(live: Live, context: CampaignContext): ManifestSection {
  if (live.steps.length === 0) return { section: null, remarks: [] };
  const empty = live.steps.flatMap((step, index) => emptyTexts(step, index + 1));
  if (empty.length > 0) return { section: null, remarks: empty };
  const known = titleOf(live, context);
  return {
    section: { title: known ?? context.spec.name, steps: live.steps.map(expressStep) },
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

function expressStep({ variants, ...step }: LiveStep): JsonObject {
  return {
    ...expressEmail(step, { wait_in_days: null, thread_reply: false }),
    ...(variants.length > 0 ? { variants: variants.map((variant) => expressEmail(variant, step)) } : {}),
  };
}

/** `same`: what holds where nothing is written. */
function expressEmail(
  email: LiveEmail,
  same: { wait_in_days: number | null; thread_reply: boolean },
): JsonObject {
  const { email_body, wait_in_days, thread_reply } = email;
  return {
    email_subject: subjectOf(email),
    email_body,
    ...(wait_in_days === same.wait_in_days ? {} : { wait_in_days }),
    ...(thread_reply === same.thread_reply ? {} : { thread_reply }),
  };
}

function subjectOf({ email_subject, thread_reply }: Email): string {
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
