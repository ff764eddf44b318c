import { LONG_SUBJECT, type Mail } from '../../email/mail.js';
import { asSeen, type Html, html, mailFrame } from '../html-page.js';
/**
 * So many frames a page has at most. A browser opens each of them, folded or not, and takes about as long for ten as for
 * the rest of a page; the mails of what comes behind are shown as text.
 */
export const MOST_FRAMES = 200;

/** For each part of a page, whether its frames still have room, given how many each part has. */
export function framed(frames: readonly number[]): boolean[] {
  let sum = 0;
  return frames.map((number) => {
    sum += number;
    return sum <= MOST_FRAMES;
  });
}

/** The body of a mail as mail programs show it, in a frame, or as text. */
export function mailBody(mail: Mail, { title, inFrame }: { title: string; inFrame: boolean }): Html {
  if (mail.html !== null && inFrame) return mailFrame({ title, html: mail.html, text: mail.text });
  return textBody(mail.text, title);
}

/** A mail as text, exactly as it is sent. */
export function textBody(text: string, title: string): Html {
  return html`<pre class="plain" tabindex="0" role="group" aria-label="${title}">${asSeen(text)}</pre>`;
}

/** A subject as recipients see it. */
export function subjectSeen({ subject }: Mail): Html {
  return subject === '' ? html`<span class="quiet">no subject</span>` : asSeen(subject);
}

/** A mail with its subject above it. */
export function mailCard(mail: Mail, options: { title: string; inFrame: boolean }): Html {
  const isLong = mail.length > LONG_SUBJECT;
  const note = html` <span class="chip warning">${mail.length} characters: cut off on most phones</span>`;
  return html`<div class="card"><p class="mail-subject">${subjectSeen(mail)}${isLong ? note : null}</p>${mailBody(mail, options)}</div>`;
}
