import type { CampaignCalendar } from '../../email/calendar.js';
import { calendarWords, type Table } from '../calendar.js';
import { type Html, html } from '../html-page.js';

/** When each email first goes out, and with a number of leads how many go out when; what is left out below. */
export function calendarPart(calendar: CampaignCalendar): Html {
  const { silence, steps, outlook, notes } = calendarWords(calendar);
  if (silence !== null) return html`<p><strong>${silence}</strong></p>`;
  const days =
    outlook &&
    html`<p>${outlook.line}</p><details class="fold"><summary>Emails over time</summary>${tableOf(outlook.table, 'Emails over time')}</details>`;
  const items = notes.map((note) => html`<li>${note}</li>`);
  return html`${tableOf(steps, 'When each email first goes out')}${days}<ul class="quiet notes">${items}</ul>`;
}

function tableOf({ head, right, rows }: Table, caption: string): Html {
  const kind = (at: number) => (right[at] ? 'number' : '');
  const heads = head.map((text, at) => html`<th scope="col" class="${kind(at)}">${text}</th>`);
  const body = rows.map(
    (cells) => html`<tr>${cells.map((text, at) => html`<td class="${kind(at)}">${text}</td>`)}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}
