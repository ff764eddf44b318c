import type { Change } from '../../model/change.js';
import type { BeforeAfter } from '../../model/content.js';
import { type Html, html } from '../html-page.js';
import { count } from '../words.js';

/** So many ids are read at a glance. */
const AT_A_GLANCE = 12;

/** What is attached already, and what comes to it; null where leads are not managed. */
export function leadsPart({ before, after }: BeforeAfter, changes: readonly Change[]): Html | null {
  if (after.leads === null) return null;
  const added = (path: 'lists' | 'ids') =>
    changes.flatMap((change) =>
      change.section === 'leads' && change.path === path && Array.isArray(change.to)
        ? change.to.map(String)
        : [],
    );
  const attached = {
    lists: before?.leads?.lists.map(String) ?? [],
    ids: before?.leads?.ids.map(String) ?? [],
  };
  const rows = [
    line('To attach', { lists: added('lists'), ids: added('ids') }),
    line('Attached already', attached),
  ];
  const shown = rows.filter((row) => row !== null);
  return shown.length === 0 ? html`<p>None.</p>` : html`<dl class="facts">${shown}</dl>`;
}

function line(words: string, { lists, ids }: { lists: string[]; ids: string[] }): Html | null {
  if (lists.length + ids.length === 0) return null;
  const parts = [
    lists.length === 0 ? null : html`<dd>${count(lists.length, 'lead list')} ${numbers(lists)}</dd>`,
    ids.length === 0 ? null : html`<dd>${count(ids.length, 'single lead')} ${numbers(ids)}</dd>`,
  ];
  return html`<dt>${words}</dt>${parts}`;
}

function numbers(ids: readonly string[]): Html {
  if (ids.length <= AT_A_GLANCE) return html`<span class="quiet">${ids.join(', ')}</span>`;
  return html`<details class="fold"><summary>${ids[0] ?? ''} … ${ids.at(-1) ?? ''}</summary><p class="quiet">${ids.join(', ')}</p></details>`;
}
