import {
  choicesIn,
  LONG_SUBJECT,
  type Mail,
  renderMail,
  type SampleLead,
  type WrittenMail,
} from '../../email/mail.js';
import type { ContentEmail } from '../../model/content.js';
import { asSeen, type Html, html } from '../html-page.js';
import { count, thousands } from '../words.js';
import { mailBody, subjectSeen, textBody } from './mail-card.js';

/** An email of a manifest as each lead gets it. `anchor` names it in the page. */
export interface ShownEmail {
  label: string;
  anchor: string;
  email: ContentEmail;
  written: WrittenMail;
  mails: { lead: SampleLead; mail: Mail }[];
}

/** Renders an email for each lead. `thread` is the subject that its thread began with. */
export function shownEmail(
  place: { label: string; anchor: string },
  email: ContentEmail,
  { plain, thread, leads }: { plain: boolean; thread: string; leads: readonly SampleLead[] },
): ShownEmail {
  const { email_subject: subject, email_body: body, thread_reply } = email;
  const written = { subject, body, plain, thread: thread_reply ? thread : null };
  return {
    ...place,
    email,
    written,
    mails: leads.map((lead) => ({ lead, mail: renderMail(written, lead) })),
  };
}

/** One email: its choices, and the mail of each lead. Which leads are in sight is a matter of the page's style. */
export function previewEmail({ label, anchor, email, written, mails }: ShownEmail, inFrame: boolean): Html {
  const reply = email.thread_reply ? html` <span class="chip">reply in the thread</span>` : null;
  const shown = mails.map((one, at) => leadMail(one, { label, at, inFrame }));
  return html`<article class="email" id="${anchor}"><header><h4>${label}</h4>${reply}</header><div class="leads">${shown}</div>${choices(written)}</article>`;
}

function leadMail(
  { lead, mail }: ShownEmail['mails'][number],
  { label, at, inFrame }: { label: string; at: number; inFrame: boolean },
): Html {
  const title = `${label} as ${lead.label} gets it`;
  const text = (words: string) =>
    html`<figure><figcaption>${words}</figcaption>${textBody(mail.text, `${title}, as text`)}</figure>`;
  const looks = html`<figure><figcaption>HTML</figcaption>${mailBody(mail, { title, inFrame })}</figure>`;
  const forms =
    mail.html === null
      ? text('Text, as it is sent')
      : html`${inFrame ? looks : null}${text('Text, where no HTML is shown')}`;
  return html`<section class="as as-${at}" aria-label="${title}"><p class="whom">${lead.label}</p>${inbox(mail)}<div class="forms">${forms}</div></section>`;
}

/** The line of an inbox, and what is to be said about it. */
function inbox(mail: Mail): Html {
  const long = mail.length > LONG_SUBJECT;
  const length = html`<span class="chip ${long ? 'warning' : 'quiet'}">subject of ${count(mail.length, 'character')}${long ? ', cut off on most phones' : null}</span>`;
  const missing = mail.missing.map((name) => html` <span class="chip warning">no value for ${name}</span>`);
  const own = mail.subject.replace(/^Re: /, '');
  const thread =
    own === mail.shown || mail.subject === mail.shown
      ? null
      : html`<p class="quiet">Above the thread, mail programs show “${asSeen(mail.shown)}”.</p>`;
  return html`<div class="inbox"><p class="line"><strong>${subjectSeen(mail)}</strong> <span class="quiet">${asSeen(mail.snippet)}</span></p><p>${length}${missing}</p>${thread}</div>`;
}

function choices(written: WrittenMail): Html | null {
  const { choices: found, wordings } = choicesIn(written);
  if (found.length === 0) return null;
  const number = wordings > 1_000_000 ? 'more than a million' : thousands(wordings);
  const items = found.map(
    (options) =>
      html`<li>${options.map((option, at) => html`${at === 0 ? null : html` <span class="quiet">or</span> `}<q>${option}</q>`)}</li>`,
  );
  return html`<details class="fold"><summary>Chosen at each send: ${number} wordings</summary><ul>${items}</ul></details>`;
}
