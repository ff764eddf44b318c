import { readHtml } from '../email/html.js';
import type { Link } from '../email/links.js';
import { LONG_SUBJECT, linksOf, type Mail, renderGaps, type WrittenMail } from '../email/mail.js';
import type { SampleLead } from '../email/sample-leads.js';
import { count } from '../model/words.js';
import { asSeen, copied, type Fragment, type Html, html, mailBody } from './html-page.js';
import { more } from './html-parts.js';
import { spintaxPart } from './spintax-html.js';

/** `isOff`: true if the service does not send it. */
export interface ShownEmail {
  label: string;
  anchor: string;
  written: WrittenMail;
  isOff: boolean;
  mails: { lead: SampleLead; mail: Mail }[];
}

/** `findings`: what is wrong with the email. */
export function previewEmail(email: ShownEmail, inFrame: boolean, findings: readonly Html[] = []): Html {
  const { label, anchor, written, isOff, mails } = email;
  const reply = written.isReply ? html` <span class="chip">reply in the thread</span>` : null;
  const off = isOff ? html` <span class="chip warning">switched off in the service</span>` : null;
  const shown = mails.map((sample, at) => leadMail(sample, email, { at, inFrame }));
  return html`<article class="email" id="${anchor}"><header><h4>${label}</h4>${reply}${off}</header>${findings}<div class="leads">${shown}</div>${spintaxPart(written)}</article>`;
}

function leadMail(
  { lead, mail }: ShownEmail['mails'][number],
  { label, written }: ShownEmail,
  { at, inFrame }: { at: number; inFrame: boolean },
): Html {
  const title = `${label} as ${lead.label.toLowerCase()} gets it`;
  const gaps = renderGaps(written, lead, mail);
  const seen = gaps?.mail ?? mail;
  const withGaps = (text: string) => textWithGaps(text, gaps?.mark ?? null);
  const links = linksOf(mail);
  const text = html`<pre class="plain" tabindex="0" role="group" aria-label="${title}, as text">${withGaps(seen.text)}</pre>`;
  const marked = { ...seen, html: htmlWithGaps(seen.html, gaps?.mark ?? null) };
  const forms =
    mail.html === null
      ? figure('Plain text, as it is sent', text)
      : html`${inFrame ? figure('HTML, as it is sent', mailBody(marked, { title, inFrame })) : null}${figure('The same as text', text)}`;
  return html`<section class="as as-${at}" aria-label="${title}"><p class="whom">${lead.label}</p>${inbox(mail, { ...seen, withGaps, links })}<div class="forms">${forms}</div>${linkList(links)}</section>`;
}

function figure(caption: string, content: Html): Html {
  return html`<figure class="form"><figcaption>${caption}</figcaption><div class="card">${content}</div></figure>`;
}

function inbox(
  mail: Mail,
  seen: Pick<Mail, 'subject' | 'snippet'> & { withGaps(text: string): Html; links: readonly Link[] },
): Html {
  const { subject, snippet, withGaps, links } = seen;
  const long = mail.length > LONG_SUBJECT;
  const chip = (words: string, kind = 'quiet') => html`<span class="chip ${kind}">${words}</span> `;
  const chips = [
    chip(
      `subject of ${count(mail.length, 'character')}${long ? ', cut off on most phones' : ''}`,
      long ? 'warning' : 'quiet',
    ),
    chip(count(mail.words, 'word')),
    chip(count(links.filter(({ kind }) => kind === 'link').length, 'link')),
    ...mail.missing.map((name) => chip(`no value for ${name}`, 'warning')),
  ];
  const line = subject === '' ? html`<span class="quiet">no subject</span>` : withGaps(subject);
  return html`<div class="inbox"><p class="line" aria-label="In the inbox"><strong>${line}</strong> <span class="quiet">${withGaps(snippet)}</span></p><p>${chips}</p></div>`;
}

function textWithGaps(text: string, mark: string | null): Html {
  if (mark === null) return asSeen(text);
  const parts = text.split(mark);
  return html`${parts.map((part, at) => (at % 2 === 0 ? asSeen(part) : html`<mark class="gap">no ${part}</mark>`))}`;
}

const GAP =
  '<mark style="background:#fff1d0;color:#7a4b00;outline:1px dashed #7a4b00;border-radius:3px;padding:0 .25em;font-size:.85em">no $1</mark>';

/** Marks gaps in the text. Gaps in attributes and in hidden content stay empty. */
function htmlWithGaps(source: string | null, mark: string | null): string | null {
  if (source === null || mark === null) return source;
  const gap = new RegExp(`${mark}([^${mark}]*)${mark}`, 'g');
  const parts: string[] = [];
  let end = 0;
  for (const token of readHtml(source)) {
    if (token.kind !== 'text') continue;
    parts.push(source.slice(end, token.start).replace(gap, ''), token.source.replace(gap, GAP));
    end = token.start + token.source.length;
  }
  return [...parts, source.slice(end).replace(gap, '')].join('');
}

const MOST_LINKS = 30;

function linkList(links: readonly Link[]): Html | null {
  if (links.length === 0) return null;
  const items = links.slice(0, MOST_LINKS).map(({ kind, words, text }) => {
    const seen = words.replace(/\s+/g, ' ').trim();
    const about =
      kind === 'image' ? html`image ${seen === '' ? null : html`“${copied(seen)}” `}` : quoted(seen, text);
    return html`<li>${about}<code>${copied(text)}</code></li>`;
  });
  return html`<ul class="targets" aria-label="Links">${items}${more(links.length - MOST_LINKS)}</ul>`;
}

function quoted(seen: string, address: string): Fragment {
  if (seen === address) return null;
  return seen === '' ? 'without text ' : html`“${copied(seen)}” `;
}
