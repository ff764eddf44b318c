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
import { diffBody, diffWords, type Stretch, stretchText } from './diffs.js';
import { copied, emailLabel, type Fragment, type Html, html, mailCard, timelineDay } from './html-page.js';

/** `null` for a missing side; both are the same value if unchanged. */
interface EmailPair {
  live: ContentEmail | null;
  desired: ContentEmail | null;
}

/** A step with its variants. */
interface StepPair extends EmailPair {
  variants: EmailPair[];
}

interface EmailContext {
  lead: SampleLead;
  plain: { live: boolean; desired: boolean };
  thread: string;
  /** Days shown on the timeline behind this step. */
  wait: number | null;
  sent: boolean;
  inFrame: boolean;
  /** Name of the old side. */
  old: string;
}

/** Emails on a timeline with variants side by side; `null` if not managed. */
export function sequencePart(
  { before, after }: BeforeAfter,
  changes: readonly Change[],
  { sent, inFrame, several, old }: { sent: boolean; inFrame: boolean; several: boolean; old: string },
): Html | null {
  const { sequence } = after;
  if (sequence === null) return null;
  const steps = pairSteps(sequence, changes);
  const both = steps.flatMap(emailsOf).flatMap(({ live, desired }) => [live, desired]);
  const copies = both.flatMap((email) => (email === null ? [] : [email.email_subject, email.email_body]));
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variableNames(...copies));
  const wasPlain = before?.settings?.plain_text === true;
  const plain = { live: wasPlain, desired: (after.settings?.plain_text ?? wasPlain) === true };
  const shown = steps.flatMap(({ live, desired }) => desired ?? live ?? []);
  const days = earliestDays({ steps: shown.map((email) => ({ ...email, variants: [] })) });
  const parts = steps.map((step, index) => {
    const isLast = index === steps.length - 1;
    const wait = isLast ? null : ((step.desired ?? step.live)?.wait_in_days ?? null);
    const context = { lead, plain, thread: threadSubject(sequence, index), wait, sent, inFrame, old };
    return timelineDay(days[index] ?? 1, stepEmails(step, index, context), isLast ? null : waitOf(step));
  });
  // Several campaigns share only what changes.
  const isEdited = (step: StepPair) => emailsOf(step).some(({ live, desired }) => live !== desired);
  const shownParts = parts.filter((_, index) => {
    const step = steps[index];
    return !several || (step !== undefined && isEdited(step));
  });
  return html`${titleLine(sequence, changes)}${leadLine(lead)}<ol class="timeline">${shownParts}</ol>`;
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

function stepEmails(step: StepPair, index: number, context: EmailContext): Html {
  const pairs = emailsOf(step);
  const emails = pairs.map((pair, at) => emailPart(pair, emailLabel(index, at), context));
  // Two versions need the whole width.
  const isEdited = pairs.some(({ live, desired }) => live && desired && live !== desired);
  return pairs.length === 1 || isEdited ? html`${emails}` : html`<div class="side">${emails}</div>`;
}

function waitOf({ live, desired }: StepPair): Html {
  const [before, after] = [live?.wait_in_days, desired?.wait_in_days];
  const days = count(after ?? before ?? 0, 'day');
  const isSame = before === undefined || after === undefined || before === after;
  return isSame ? html`${days}` : html`<del>${before}</del> <ins>${days}</ins>`;
}

/** Subject, word diff, and appearance. */
function emailPart(pair: EmailPair, label: string, context: EmailContext): Html {
  const { live, desired } = pair;
  const email = desired ?? live;
  if (email === null) return html``;
  const reply = email.thread_reply ? html`<span class="chip">reply in the thread</span>` : null;
  if (live === desired) {
    const subject = html`<span class="peek">${copied(subjectText(email))}</span>`;
    return html`<details class="email same"><summary><h5>${label}</h5>  ${reply}${subject}</summary>${looks(pair, label, context)}</details>`;
  }
  const [kind, chip] =
    live === null ? ['new', 'new'] : desired === null ? ['removed', 'only live'] : ['changed', 'changed'];
  const words =
    live !== null && desired !== null && live.email_body !== desired.email_body
      ? html`<h6>What changes in the text</h6>${changedText(live.email_body, desired.email_body)}`
      : null;
  return html`<article class="email ${kind}"><header><h5>${label}</h5> <span class="chip ${kind}">${chip}</span> ${reply}</header>${facts(pair, context)}${words}${looks(pair, label, context)}</article>`;
}

const FACTS: [words: string, text: (email: ContentEmail) => string][] = [
  ['Subject', subjectText],
  ['Wait', ({ wait_in_days }) => `${count(wait_in_days, 'day')} before the next email`],
  ['Sent', ({ thread_reply }) => (thread_reply ? 'as a reply in the thread' : 'as an email of its own')],
];

function facts({ live, desired }: EmailPair, { wait }: EmailContext): Html {
  const rows = FACTS.map(([words, text]) => {
    const [before, after] = [live && text(live), desired && text(desired)];
    const isChanged = before !== null && after !== null && before !== after;
    const isUntold = words === 'Wait' && live === null && desired?.wait_in_days !== wait;
    if (!isChanged && !isUntold && text !== subjectText) return null;
    return html`<dt>${words}</dt><dd>${isChanged ? changedLine(before, after) : copied(after ?? before ?? '')}</dd>`;
  });
  return html`<dl class="facts">${rows}</dl>`;
}

/** In its source form. */
function subjectText({ email_subject, thread_reply }: ContentEmail): string {
  return thread_reply ? replySubject(email_subject) : email_subject;
}

/** Once if both look the same. */
function looks({ live, desired }: EmailPair, label: string, context: EmailContext): Html {
  const { lead, plain, thread, sent, inFrame, old } = context;
  const side = (email: ContentEmail | null, words: string, isPlain: boolean) => {
    if (email === null) return null;
    const { email_subject: subject, email_body: body, thread_reply } = email;
    const mail = renderMail({ subject, body, plain: isPlain, thread: thread_reply ? thread : null }, lead);
    const card = mailCard(mail, { title: `${label}: ${words}`, inFrame });
    return html`<figure><figcaption>${words}</figcaption>${card}</figure>`;
  };
  const isBoth = live !== null && desired !== null && plain.live === plain.desired;
  const looksSame =
    isBoth && live.email_body === desired.email_body && subjectText(live) === subjectText(desired);
  if (looksSame) return html`<div class="looks">${side(desired, 'How it looks', plain.desired)}</div>`;
  const wanted = sent || live === desired ? 'After apply' : 'In the manifest (not sent)';
  return html`<div class="looks">${side(live, old, plain.live)}${side(desired, wanted, plain.desired)}</div>`;
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

/** Number of mails: changed ones count twice. */
export function mailsOf(desired: ContentSequence | null, changes: readonly Change[]): number {
  const steps = desired === null ? [] : pairSteps(desired, changes);
  return steps
    .flatMap(emailsOf)
    .reduce((sum, { live, desired: planned }) => sum + (live && planned && live !== planned ? 2 : 1), 0);
}

/** Unchanged lines around a change, and least lines of a fold. */
const CONTEXT = 1;
const WORTH_FOLDING = 3;

function changedLine(from: string, to: string): Html {
  return html`${diffWords(from, to).map(mark)}`;
}

/** By paragraph, with folds. */
export function changedText(from: string, to: string): Html {
  const rows = diffBody(paragraphs(from), paragraphs(to), Number.MAX_SAFE_INTEGER);
  const lines = rows.flatMap((row) => (row.kind === 'line' ? [row.stretches] : []));
  if (lines.length === 0) return html`<p class="quiet">Only line breaks differ.</p>`;
  const near = lines.map((_, at) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some((line) => !isSame(line)),
  );
  const parts: Html[] = [];
  for (let at = 0; at < lines.length; ) {
    const next = near.indexOf(true, at);
    const end = near[at] ? at + 1 : next < 0 ? near.length : next;
    const run = lines
      .slice(at, end)
      .map((line) => html`<p class="${isSame(line) ? 'line' : 'line touched'}">${line.map(mark)}</p>`);
    const fold = html`<details class="fold"><summary>${count(run.length, 'unchanged line')}</summary>${run}</details>`;
    parts.push(run.length < WORTH_FOLDING ? html`${run}` : fold);
    at = end;
  }
  return html`<div class="diff">${parts}</div>`;
}

function isSame(line: readonly Stretch[]): boolean {
  return line.every(({ kind }) => kind === 'same');
}

/** Line breaks that come or go are shown as signs. */
function mark({ kind, text }: Stretch): Html {
  if (kind === 'same') return html`${tagged(text)}`;
  const shown = text.trim() === '' ? stretchText({ kind, text }).replace(/\n/g, '⏎') || '⏎' : tagged(text);
  return kind === 'added' ? html`<ins>${shown}</ins>` : html`<del>${shown}</del>`;
}

/** Fades tags and highlights variables. */
function tagged(text: string): Fragment[] {
  return text
    .split(/(<\/?[a-zA-Z][^<>]*>|\{[A-Z0-9_](?:[A-Z0-9_ ]*[A-Z0-9_])?\})/)
    .map((part, at) =>
      at % 2 === 0
        ? copied(part)
        : html`<span class="${part.startsWith('<') ? 'tag' : 'variable'}">${part}</span>`,
    );
}

/** One line a paragraph. */
function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
