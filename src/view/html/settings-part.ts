import type { Change } from '../../model/change.js';
import type { BeforeAfter, Content } from '../../model/content.js';
import { SETTINGS } from '../../model/settings.js';
import { type Html, html, type Piece } from '../html-page.js';
import { thousands } from '../words.js';

/** Live and desired settings side by side, the changed ones marked; null where they are not managed. */
export function settingsPart({ before, after }: BeforeAfter, changes: readonly Change[]): Html | null {
  const { settings } = after;
  if (settings === null) return null;
  const live = before?.settings ?? null;
  const rows = SETTINGS.filter(({ name }) => settings[name] !== undefined || live?.[name] !== undefined);
  const shown = rows.map(({ name, label }) => {
    const change = changes.find(({ section, path }) => section === 'settings' && path === name);
    return row([name, label], { live, desired: settings }, change ?? null);
  });
  const heads =
    live === null
      ? html`<th scope="col">To be</th>`
      : html`<th scope="col">Live now</th><th scope="col">To be</th>`;
  return html`<table><caption class="unseen">Settings</caption><thead><tr><th scope="col">Setting</th>${heads}</tr></thead><tbody>${shown}</tbody></table>`;
}

function row(
  [name, label]: readonly [string, string],
  sides: { live: Content['settings']; desired: NonNullable<Content['settings']> },
  change: Change | null,
): Html {
  const { live, desired } = sides;
  const before = live === null ? null : html`<td>${settingOf(live[name], 'not shown')}</td>`;
  const note = change?.note ? html`<small>${change.note}</small>` : null;
  const after =
    change === null ? settingOf(desired[name], 'kept') : html`<ins>${settingOf(desired[name], 'kept')}</ins>`;
  const mark = change === null || live === null ? null : html` <span class="chip change">changed</span>`;
  return html`<tr class="${change === null || live === null ? '' : 'changed'}"><th scope="row">${label}${mark}<small><code>${name}</code></small></th>${before}<td>${after}${note}</td></tr>`;
}

function settingOf(value: number | boolean | string | null | undefined, absent: string): Piece {
  if (value === undefined) return html`<span class="quiet">${absent}</span>`;
  if (value === null) return html`<span class="quiet">none</span>`;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' ? thousands(value) : value;
}
