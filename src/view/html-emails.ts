import { sampleLeads } from '../email/leads.js';
import {
  earliestDays,
  renderMail,
  replySubject,
  type SampleLead,
  threadSubject,
  variablesOf,
} from '../email/mail.js';
import { isObject } from '../model/json.js';
import type { BeforeAfter, Change, ContentEmail, ContentSequence } from '../model/outputs.js';
import { emailOf, stepOf } from '../model/spec.js';
import { diffBody, diffWords, type Piece } from './diffs.js';
import { type Fragment, type Html, html } from './html-page.js';
import { mailCard } from './html-parts.js';
import { count } from './words.js';

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
    .flatMap(({ live, desired }) => [live, desired])
    .filter((email) => email !== null);
  const variables = variablesOf(
    ...emails.flatMap(({ email_subject, email_body }) => [email_subject, email_body]),
  );
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variables);
  const wasPlain = before?.settings?.plain_text === true;
  const plain = { live: wasPlain, desired: (after.settings?.plain_text ?? wasPlain) === true };
  const sides = steps.map(({ live, desired }) => desired ?? live).filter((email) => email !== null);
  const days = earliestDays({ steps: sides.map((email) => ({ ...email, variants: [] })) });
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

/**
 * What an email of a plan is shown with: whom it is shown to, how each side is sent, whether the change is sent at all, and
 * whether the page has room for its frames.
 */
interface EmailContext {
  label: string;
  lead: SampleLead;
  plain: { live: boolean; desired: boolean };
  thread: string;
  sent: boolean;
  inFrame: boolean;
}

/** One email: its subject, what changes in it word by word, and how it looks, on both sides where they differ. */
function emailPart(pair: EmailPair, context: EmailContext): Html {
  const { live, desired } = pair;
  const email = desired ?? live;
  if (email === null) return html``;
  const isSame = live === desired;
  const kind = isSame ? 'same' : live === null ? 'new' : desired === null ? 'gone' : 'changed';
  const chip = isSame
    ? null
    : html`<span class="chip ${kind}">${kind === 'gone' ? 'only live' : kind}</span>`;
  const reply = email.thread_reply ? html`<span class="chip">reply in the thread</span>` : null;
  const heading = html`<h5>${context.label}</h5> ${chip} ${reply}`;
  if (isSame) {
    const subject = html`<span class="peek">${subjectText(email)}</span>`;
    return html`<details class="email same"><summary>${heading}${subject}</summary>${looks(pair, context)}</details>`;
  }
  const isEdited = live !== null && desired !== null && live.email_body !== desired.email_body;
  const words = isEdited
    ? html`<h6>What changes in the text</h6>${changedText(live.email_body, desired.email_body)}`
    : null;
  return html`<article class="email ${kind}"><header>${heading}</header>${facts(pair)}${words}${looks(pair, context)}</article>`;
}

/** The subject, and what else changes in how it is sent. */
function facts(pair: EmailPair): Html {
  const { live, desired } = pair;
  const alters = (field: keyof ContentEmail) =>
    live !== null && desired !== null && live[field] !== desired[field];
  const subject = row('Subject', pair, subjectText);
  const wait = alters('wait_in_days')
    ? row('Wait', pair, ({ wait_in_days }) => `${count(wait_in_days, 'day')} before the next email`)
    : null;
  const sent = alters('thread_reply')
    ? row('Sent', pair, ({ thread_reply }) =>
        thread_reply ? 'as a reply in the thread' : 'as a mail of its own',
      )
    : null;
  return html`<dl class="facts">${subject}${wait}${sent}</dl>`;
}

function row(words: string, { live, desired }: EmailPair, text: (email: ContentEmail) => string): Html {
  const [before, after] = [live && text(live), desired && text(desired)];
  const shown =
    before !== null && after !== null && before !== after ? changedLine(before, after) : (after ?? before);
  return html`<dt>${words}</dt><dd>${shown}</dd>`;
}

/** The subject as it is sent, in its source. */
function subjectText({ email_subject, thread_reply }: ContentEmail): string {
  return thread_reply ? replySubject(email_subject) : email_subject;
}

/** Both sides as they look, or one where they look the same. */
function looks({ live, desired }: EmailPair, context: EmailContext): Html {
  const { label, lead, plain, thread, sent, inFrame } = context;
  const side = (email: ContentEmail, words: string, isPlain: boolean) => {
    const { email_subject: subject, email_body: body, thread_reply } = email;
    const mail = renderMail({ subject, body, plain: isPlain, thread: thread_reply ? thread : null }, lead);
    const card = mailCard(mail, { title: `${label}: ${words}`, inFrame });
    return html`<figure><figcaption>${words}</figcaption>${card}</figure>`;
  };
  const wanted = sent || live === desired ? 'After apply' : 'As the manifest wants it (is not sent)';
  if (live !== null && desired !== null && looksSame(live, desired) && plain.live === plain.desired)
    return html`<div class="looks">${side(desired, 'How it looks', plain.desired)}</div>`;
  return html`<div class="looks">${live && side(live, 'Current', plain.live)}${desired && side(desired, wanted, plain.desired)}</div>`;
}

function looksSame(live: ContentEmail, desired: ContentEmail): boolean {
  return live.email_body === desired.email_body && subjectText(live) === subjectText(desired);
}

/** An email on both sides; null where it is not there. Both are the same value where nothing of it changes. */
interface EmailPair {
  live: ContentEmail | null;
  desired: ContentEmail | null;
}

/** A step with its other wordings. */
interface StepPair extends EmailPair {
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
      const { variants, ...live } = stepOf(from);
      return { live, desired: null, variants: variants.map((variant) => ({ live: variant, desired: null })) };
    });
}

/** Unchanged lines that stay in sight beside a changed one, and how many have to be left for a fold. */
const CONTEXT = 1;
const WORTH_FOLDING = 3;

/** A changed subject on one line. */
function changedLine(from: string, to: string): Html {
  return html`${diffWords(from, to).map(mark)}`;
}

/** A changed body, paragraph by paragraph; what is the same far and wide is folded. */
export function changedText(from: string, to: string): Html {
  const rows = diffBody(paragraphs(from), paragraphs(to), Number.MAX_SAFE_INTEGER);
  const lines = rows.flatMap((row) => (row.kind === 'line' ? [row.pieces] : []));
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

function isSame(line: readonly Piece[]): boolean {
  return line.every(({ kind }) => kind === 'same');
}

/** Ends of lines that come or go are shown as a sign: a line break alone would be invisible. */
function mark({ kind, text }: Piece): Html {
  if (kind === 'same') return html`${tagged(text)}`;
  const shown = text.trim() === '' ? text.replace(/\n/g, '⏎').replace(/[^\S\n]/g, '·') || '⏎' : text;
  return kind === 'added' ? html`<ins>${tagged(shown)}</ins>` : html`<del>${tagged(shown)}</del>`;
}

/** Tags step back, variables stand out: whoever reads this reads the words. */
function tagged(text: string): Fragment[] {
  return text
    .split(/(<\/?[a-zA-Z][^<>]*>|\{[A-Z0-9_](?:[A-Z0-9_ ]*[A-Z0-9_])?\})/)
    .map((part, at) =>
      at % 2 === 0 ? part : html`<span class="${part.startsWith('<') ? 'tag' : 'variable'}">${part}</span>`,
    );
}

/** A line for each paragraph, also where the source has all of them on one. */
function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}
