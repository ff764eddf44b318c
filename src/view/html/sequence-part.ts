import { sampleLeads } from '../../email/leads.js';
import { earliestDays, threadSubject, variablesOf } from '../../email/mail.js';
import type { Change } from '../../model/change.js';
import type { BeforeAfter, ContentEmail, ContentSequence } from '../../model/content.js';
import { type Html, html } from '../html-page.js';
import { count } from '../words.js';
import { changedLine } from './changed-text.js';
import { type EmailContext, emailPart } from './email-part.js';
import { pairSteps, type StepPair } from './pairs.js';

/** The emails on a line of time, other wordings side by side; null where the sequence is not managed. */
export function sequencePart(
  { before, after }: BeforeAfter,
  changes: readonly Change[],
  { sent, inFrame }: { sent: boolean; inFrame: boolean },
): Html | null {
  const { sequence } = after;
  if (sequence === null) return null;
  const steps = pairSteps(sequence, changes);
  const emails = steps
    .flatMap((step) => [step, ...step.variants])
    .flatMap((pair) => [pair.live, pair.desired]);
  const variables = variablesOf(...emails.flatMap((email) => (email === null ? [] : textsOf(email))));
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variables);
  const wasPlain = before?.settings?.plain_text === true;
  const plain = { live: wasPlain, desired: (after.settings?.plain_text ?? wasPlain) === true };
  const days = earliestDays({
    steps: steps.flatMap(({ live: old, desired: own }) => withoutVariants(own ?? old)),
  });
  const shown = steps.map((step, index) => {
    const context = {
      lead,
      plain,
      thread: threadSubject(sequence, index),
      sent,
      inFrame,
      label: `Email ${index + 1}`,
    };
    return stepPart(step, { ...context, day: days[index] ?? 1, isLast: index === steps.length - 1 });
  });
  return html`${titleLine(sequence, changes)}${leadLine(lead.values)}<ol class="timeline">${shown}</ol>`;
}

function textsOf({ email_subject, email_body }: ContentEmail): string[] {
  return [email_subject, email_body];
}

function withoutVariants(email: ContentEmail | null): ContentSequence['steps'] {
  return email === null ? [] : [{ ...email, variants: [] }];
}

function titleLine({ title }: ContentSequence, changes: readonly Change[]): Html | null {
  const change = changes.find(({ section, path }) => section === 'sequence' && path === 'title');
  if (change !== undefined && typeof change.from === 'string')
    return html`<p>Title: ${changedLine(change.from, title ?? '')} <span class="quiet">${change.note}</span></p>`;
  return title === null ? null : html`<p class="quiet">“${title}”</p>`;
}

function leadLine(values: { readonly [variable: string]: string }): Html | null {
  const shown = Object.entries(values).map(
    ([name, value]) => html`<span class="value"><code>{${name}}</code> ${value}</span> `,
  );
  return shown.length === 0 ? null : html`<p class="quiet values">Shown to an invented lead: ${shown}</p>`;
}

function stepPart(step: StepPair, context: EmailContext & { day: number; isLast: boolean }): Html {
  const { label, day, isLast } = context;
  const others = step.variants.map((variant, at) =>
    emailPart(variant, { ...context, label: `${label}, variant ${at + 1}` }),
  );
  const emails = html`${emailPart(step, context)}${others}`;
  // What changes needs the whole width for its own two sides.
  const isEdited = [step, ...step.variants].some(({ live, desired }) => live && desired && live !== desired);
  const body = others.length === 0 || isEdited ? emails : html`<div class="side">${emails}</div>`;
  return html`<li><p class="day">Day ${day}${day > 1 ? html` <span class="quiet">at the earliest</span>` : null}</p>${body}${isLast ? null : waitLine(step)}</li>`;
}

function waitLine({ live, desired }: StepPair): Html {
  const [before, after] = [live?.wait_in_days, desired?.wait_in_days];
  const days = count(after ?? before ?? 0, 'day');
  const words =
    before === undefined || after === undefined || before === after
      ? html`${days}`
      : html`<del>${before}</del> <ins>${days}</ins>`;
  return html`<p class="wait">wait ${words}</p>`;
}
