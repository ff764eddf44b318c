import { sampleLeads } from '../email/leads.js';
import {
  earliestDays,
  renderMail,
  replySubject,
  type SampleLead,
  threadSubject,
  variableNames,
} from '../email/mail.js';
import { isObject } from '../model/json.js';
import type { BeforeAfter, Change, ContentEmail, ContentSequence } from '../model/outputs.js';
import { decodeEmail, decodeStep } from '../model/spec.js';
import { count } from '../model/words.js';
import { diffLines, diffWords, excerptOf, isSame, type Stretch, stretchText } from './diffs.js';
import { copied, emailLabel, type Html, html, mailCard, timelineDay } from './html-page.js';

/** `null` for a missing side; both are the same value if unchanged. */
interface EmailPair {
  live: ContentEmail | null;
  desired: ContentEmail | null;
}

/** A step with its variants. */
interface StepPair extends EmailPair {
  variants: EmailPair[];
}

/** `inFrame`: as they look. `several`: only what changes. */
interface SequenceOptions {
  sent: boolean;
  inFrame: boolean;
  several: boolean;
}

interface EmailContext extends SequenceOptions {
  lead: SampleLead;
  plain: boolean;
  thread: string;
  /** Days shown on the timeline behind this step; `null` after the last one. */
  wait: number | null;
}

/** Emails on a timeline with variants side by side; `null` if not managed. */
export function sequencePart(
  { before, after }: BeforeAfter,
  changes: readonly Change[],
  options: SequenceOptions,
): Html | null {
  const { sequence } = after;
  if (sequence === null) return null;
  const steps = pairSteps(sequence, changes);
  const shown = steps.flatMap(({ live, desired }) => desired ?? live ?? []);
  const copies = steps.flatMap(emailsOf).flatMap(({ live, desired }) => desired ?? live ?? []);
  const texts = copies.flatMap(({ email_subject, email_body }) => [email_subject, email_body]);
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variableNames(...texts));
  const plain = (after.settings?.plain_text ?? before?.settings?.plain_text) === true;
  const days = earliestDays({ steps: shown.map((email) => ({ ...email, variants: [] })) });
  const parts = steps.map((step, index) => {
    const isEdited = emailsOf(step).some(({ live, desired }) => live !== desired);
    if (options.several && !isEdited) return null;
    const wait = index === steps.length - 1 ? null : (shown[index]?.wait_in_days ?? null);
    const context = { ...options, lead, plain, thread: threadSubject(sequence, index), wait };
    const emails = emailsOf(step).map((pair, at) => emailPart(pair, emailLabel(index, at), context));
    return timelineDay(days[index] ?? 1, emails, wait === null ? null : count(wait, 'day'));
  });
  return html`${titleLine(sequence, changes)}${leadLine(lead)}<ol class="timeline">${parts}</ol>`;
}

function emailsOf(step: StepPair): EmailPair[] {
  return [step, ...step.variants];
}

function titleLine({ title }: ContentSequence, changes: readonly Change[]): Html | null {
  const change = changes.find(({ section, path }) => section === 'sequence' && path === 'title');
  if (change !== undefined) return html`<p>Title: ${changedLine(String(change.from ?? ''), title ?? '')}</p>`;
  return title === null ? null : html`<p class="quiet">“${title}”</p>`;
}

function leadLine({ values }: SampleLead): Html | null {
  const shown = Object.entries(values).map(
    ([name, value]) => html`<span class="value"><code>{${name}}</code> ${value}</span> `,
  );
  return shown.length === 0 ? null : html`<p class="quiet values">Shown to a sample lead: ${shown}</p>`;
}

/** Subject, word diff, and appearance. */
function emailPart(pair: EmailPair, label: string, context: EmailContext): Html {
  const { live, desired } = pair;
  const email = desired ?? live;
  if (email === null) return html``;
  const reply = email.thread_reply ? html`<span class="chip">reply in the thread</span>` : null;
  if (live === desired) {
    const subject = html`<span class="peek">${copied(subjectText(email))}</span>`;
    return html`<details class="email same"><summary><h5>${label}</h5>  ${reply}${subject}</summary>${look(email, label, { ...context, sent: true })}</details>`;
  }
  const [kind, chip] =
    live === null ? ['new', 'new'] : desired === null ? ['removed', 'only live'] : ['changed', 'changed'];
  const words =
    live !== null && desired !== null && live.email_body !== desired.email_body
      ? html`<h6>What changes in the text</h6>${changedText(live.email_body, desired.email_body)}`
      : null;
  return html`<article class="email ${kind}"><header><h5>${label}</h5> <span class="chip ${kind}">${chip}</span> ${reply}</header>${facts(pair, context)}${words}${look(email, label, context)}</article>`;
}

const FACTS: [words: string, text: (email: ContentEmail) => string][] = [
  ['Subject', subjectText],
  ['Wait', ({ wait_in_days }) => `${count(wait_in_days, 'day')} before the next email`],
  ['Sent', ({ thread_reply }) => (thread_reply ? 'as a reply in the thread' : 'as a separate email')],
];

/** Changed facts, the subject, and the wait of a new variant that differs from its email's. */
function facts({ live, desired }: EmailPair, { wait }: EmailContext): Html {
  const rows = FACTS.map(([words, text]) => {
    const [before, after] = [live && text(live), desired && text(desired)];
    const isChanged = before !== null && after !== null && before !== after;
    const isUntold = words === 'Wait' && live === null && wait !== null && desired?.wait_in_days !== wait;
    if (!isChanged && !isUntold && text !== subjectText) return null;
    return html`<dt>${words}</dt><dd>${isChanged ? changedLine(before, after) : copied(after ?? before ?? '')}</dd>`;
  });
  return html`<dl class="facts">${rows}</dl>`;
}

/** In its source form. */
function subjectText({ email_subject, thread_reply }: ContentEmail): string {
  return thread_reply ? replySubject(email_subject) : email_subject;
}

function look(email: ContentEmail, label: string, context: EmailContext): Html {
  const { lead, plain, thread, sent, inFrame } = context;
  const { email_subject: subject, email_body: body, thread_reply } = email;
  const mail = renderMail({ subject, body, plain, thread: thread_reply ? thread : null }, lead);
  const words = sent ? 'How it looks' : 'In the manifest (not sent)';
  return html`<figure><figcaption>${words}</figcaption>${mailCard(mail, { title: `${label}: ${words}`, inFrame })}</figure>`;
}

/** In the desired order, then removed steps. The live side is computed by undoing the changes. */
export function pairSteps(desired: ContentSequence, changes: readonly Change[]): StepPair[] {
  const sequenceChanges = changes.filter(({ section }) => section === 'sequence');
  const isAdded = (path: string) =>
    sequenceChanges.some((change) => change.path === path && change.kind === 'add');
  const pairOf = (email: ContentEmail, path: string, isNew: boolean): EmailPair => {
    if (isNew || isAdded(path)) return { live: null, desired: email };
    // Ignores changes in variants.
    const isOwn = ({ path: at, kind }: Change) =>
      kind === 'update' && at.startsWith(`${path}.`) && !at.includes('.', path.length + 1);
    const back = sequenceChanges
      .filter(isOwn)
      .map(({ path: at, from }) => [at.slice(path.length + 1), from] as const);
    const live = back.length === 0 ? email : decodeEmail({ ...email, ...Object.fromEntries(back) });
    return { live, desired: email };
  };
  const dropped = (path: RegExp): StepPair[] =>
    sequenceChanges
      .filter((change) => change.kind === 'remove' && path.test(change.path) && isObject(change.from))
      .map(({ from }) => {
        const { variants, ...live } = decodeStep(from);
        const others = variants.map((variant) => ({ live: variant, desired: null }));
        return { live, desired: null, variants: others };
      });
  const kept = desired.steps.map(({ variants, ...email }, index) => {
    const path = `steps[${index}]`;
    const pair = pairOf(email, path, isAdded(''));
    const others = variants.map((variant, at) =>
      pairOf(variant, `${path}.variants[${at}]`, pair.live === null),
    );
    const gone = dropped(new RegExp(`^steps\\[${index}\\]\\.variants\\[\\d+\\]$`));
    return { ...pair, variants: [...others, ...gone] };
  });
  return [...kept, ...dropped(/^steps\[\d+\]$/)];
}

/** Emails of a sequence, with variants. */
export function mailsOf(sequence: ContentSequence | null): number {
  return (sequence?.steps ?? []).reduce((sum, { variants }) => sum + 1 + variants.length, 0);
}

function changedLine(from: string, to: string): Html {
  return html`${diffWords(from, to).map(mark)}`;
}

/** By paragraph, with one unchanged line around changes. */
export function changedText(from: string, to: string): Html {
  const lines = diffLines(paragraphs(from), paragraphs(to));
  if (lines.every(isSame)) return html`<p class="quiet">Only line breaks differ.</p>`;
  const parts = excerptOf(lines, 1).map((row) =>
    typeof row === 'number'
      ? html`<p class="line quiet">${count(row, 'unchanged line')}</p>`
      : html`<p class="${isSame(row) ? 'line' : 'line touched'}">${row.map(mark)}</p>`,
  );
  return html`<div class="diff">${parts}</div>`;
}

/** Line breaks that come or go are shown as signs. */
function mark({ kind, text }: Stretch): Html {
  if (kind === 'same') return copied(text);
  const shown = text.trim() === '' ? stretchText({ kind, text }).replace(/\n/g, '⏎') || '⏎' : copied(text);
  return kind === 'added' ? html`<ins>${shown}</ins>` : html`<del>${shown}</del>`;
}

/** One line a paragraph. */
function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
