import type { CampaignCalendar } from '../../email/calendar.js';
import {
  forecastLine,
  forecastTable,
  noteLines,
  silenceLine,
  stepsTable,
  type Table,
} from '../calendar-words.js';
import { type Html, html } from './markup.js';

/** When each email first goes out, and with a number of leads how many go out when; what is irregular below. */
export function calendarPart(calendar: CampaignCalendar): Html {
  const silence = silenceLine(calendar);
  if (silence !== null) return html`<p><strong>${silence}</strong></p>`;
  const outlook = forecastTable(calendar);
  const days =
    outlook === null
      ? null
      : html`<p>${forecastLine(calendar)}</p><details class="fold"><summary>Emails over time</summary>${tableOf(outlook, 'Emails over time')}</details>`;
  const notes = noteLines(calendar).map((note) => html`<li>${note}</li>`);
  return html`${tableOf(stepsTable(calendar), 'When each email first goes out')}${days}<ul class="quiet notes">${notes}</ul>`;
}

function tableOf({ head, right, rows }: Table, caption: string): Html {
  const kind = (at: number) => (right[at] ? 'number' : '');
  const heads = head.map((text, at) => html`<th scope="col" class="${kind(at)}">${text}</th>`);
  const body = rows.map(
    (cells) => html`<tr>${cells.map((text, at) => html`<td class="${kind(at)}">${text}</td>`)}</tr>`,
  );
  return html`<div class="scroll" tabindex="0" role="group" aria-label="${caption}"><table><caption>${caption}</caption><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table></div>`;
}
