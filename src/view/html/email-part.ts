import { type Mail, renderMail, replySubject, type SampleLead } from '../../email/mail.js';
import type { ContentEmail } from '../../model/content.js';
import { type Html, html } from '../html-page.js';
import { count } from '../words.js';
import { changedLine, changedText } from './changed-text.js';
import { mailCard } from './mail-card.js';
import type { EmailPair } from './pairs.js';

/**
 * What an email of a plan is shown with: whom it is shown to, how each side is sent, whether the change is sent at all, and
 * whether the page has room for its frames.
 */
export interface EmailContext {
  label: string;
  lead: SampleLead;
  plain: { live: boolean; desired: boolean };
  thread: string;
  sent: boolean;
  inFrame: boolean;
}

/** One email: its subject, what changes in it word by word, and how it looks, on both sides where they differ. */
export function emailPart(pair: EmailPair, context: EmailContext): Html {
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
  const wait = alters('wait_in_days') ? row('Wait', pair, waitText) : null;
  const sent = alters('thread_reply') ? row('Sent', pair, sentText) : null;
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

function waitText({ wait_in_days }: ContentEmail): string {
  return `${count(wait_in_days, 'day')} before the next email`;
}

function sentText({ thread_reply }: ContentEmail): string {
  return thread_reply ? 'as a reply in the thread' : 'as a mail of its own';
}

/** Both sides as they look, or one where they look the same. */
function looks({ live, desired }: EmailPair, context: EmailContext): Html {
  const { label, plain, sent } = context;
  const side = (email: ContentEmail, words: string, isPlain: boolean) => {
    const card = mailCard(mailOf(email, isPlain, context), {
      title: `${label}: ${words}`,
      inFrame: context.inFrame,
    });
    return html`<figure><figcaption>${words}</figcaption>${card}</figure>`;
  };
  const wanted = sent || live === desired ? 'After apply' : 'As the manifest wants it (is not sent)';
  if (live !== null && desired !== null && looksSame(live, desired) && plain.live === plain.desired)
    return html`<div class="looks">${side(desired, 'How it looks', plain.desired)}</div>`;
  return html`<div class="looks">${live && side(live, 'Live now', plain.live)}${desired && side(desired, wanted, plain.desired)}</div>`;
}

function looksSame(live: ContentEmail, desired: ContentEmail): boolean {
  return live.email_body === desired.email_body && subjectText(live) === subjectText(desired);
}

function mailOf(email: ContentEmail, plain: boolean, { lead, thread }: EmailContext): Mail {
  const { email_subject: subject, email_body: body, thread_reply } = email;
  return renderMail({ subject, body, plain, thread: thread_reply ? thread : null }, lead);
}
