/** The choices of spintax on a page. */
import { htmlToText } from '../email/html-text.js';
import type { WrittenMail } from '../email/mail.js';
import { combinations, MANY, type SpintaxPlace, spintaxPlaces } from '../email/spintax.js';
import { count, thousands } from '../model/words.js';
import { copied, type Html, html } from './html-page.js';
import { more } from './html-parts.js';

type SpintaxCopy = Pick<WrittenMail, 'subject' | 'body' | 'plain'>;

const MOST_PLACES = 30;

/** Choices as written, whoever gets them. */
export function spintaxPart({ subject, body, plain }: SpintaxCopy): Html | null {
  const places = [
    ...spintaxPlaces(subject).map((place) => ({ place, where: 'in the subject', isHtml: false })),
    ...spintaxPlaces(body).map((place) => ({ place, where: 'in the body', isHtml: !plain })),
  ];
  if (places.length === 0) return null;
  const total = combinations(places.map(({ place }) => place));
  const different = total >= MANY ? 'more than a million different emails' : count(total, 'different email');
  const items = places
    .slice(0, MOST_PLACES)
    .map(({ place, where, isHtml }) => choices(place, where, (text) => (isHtml ? htmlToText(text) : text)));
  return html`<section class="spintax" aria-label="Spintax"><p class="quiet">Spintax: ${different}</p><ul>${items}${more(places.length - MOST_PLACES)}</ul></section>`;
}

function choices({ total, shown }: SpintaxPlace, where: string, read: (text: string) => string): Html {
  const options = shown.map((text) => {
    const words = read(text);
    return html`<li>${words.trim() === '' ? html`<span class="quiet">nothing</span>` : copied(words)}</li>`;
  });
  const rest =
    total > shown.length
      ? html` <span class="quiet">${count(shown.length, 'draw')} of ${total >= MANY ? 'more than a million' : thousands(total)}</span>`
      : null;
  return html`<li><span class="quiet">${where}</span>${rest}<ul class="choices">${options}</ul></li>`;
}
