/** Small parts that several blocks of a page share. */
import { thousands } from '../model/words.js';
import type { Fact, Failures } from './document.js';
import { type Fragment, fold, type Html, html } from './html-page.js';
import type { CampaignLink } from './plan-notices.js';
import { failureProblems } from './problems.js';

const AT_A_GLANCE = 8;

export const MAX_IN_HEADING = 3;

export function lineHtml({ look, words }: Fact): Html {
  return html`<p class="${look === 'quiet' ? 'quiet' : 'notice warning'}">${words}</p>`;
}

export function section(id: string, title: string, parts: readonly Fragment[]): Html | null {
  if (parts.every((part) => part === null)) return null;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts}</section>`;
}

export function linkList(campaigns: readonly CampaignLink[]): Html | null {
  return openList(campaigns.map((link) => html`<li>${linkTo(link)}</li>`));
}

export function linkTo({ anchor, name }: CampaignLink): Html {
  return anchor === null ? html`${name}` : html`<a href="#${anchor}">${name}</a>`;
}

export function openList(items: readonly Html[]): Html | null {
  if (items.length === 0) return null;
  const most = items.length <= AT_A_GLANCE ? AT_A_GLANCE : AT_A_GLANCE - 2;
  const list = (some: readonly Html[]) => html`<ul class="links">${some}</ul>`;
  const rest = items.slice(most);
  return html`${list(items.slice(0, most))}${rest.length === 0 ? null : fold(`${thousands(rest.length)} more`, list(rest))}`;
}

export function failuresPart({ title, failures }: Omit<Failures, 'is'>): Html {
  const parts = failures.map(({ names, failure }) => {
    const items = failureProblems(failure).map(
      ({ code, message, hint }) =>
        html`<p><code>${code}</code> ${message}</p>${hint && html`<p class="hint">${hint}</p>`}`,
    );
    return html`<div class="group"><h3>${names.join(', ')}</h3>${items}</div>`;
  });
  return html`<section class="notice blocked"><h2>${title}</h2>${parts}</section>`;
}

/** The last item of a list that is cut; `null` if it is whole. */
export function more(number: number): Html | null {
  return number > 0 ? html`<li class="quiet">and ${thousands(number)} more</li>` : null;
}
