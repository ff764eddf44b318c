import type { Change } from '../../model/change.js';
import type { BeforeAfter, ContentSchedule } from '../../model/content.js';
import { type Html, html } from '../html-page.js';
import { weekPicture } from './week.js';

/** Both sides' sending hours as a week; null where the schedule is not managed. */
export function schedulePart({ before, after }: BeforeAfter, changes: readonly Change[]): Html | null {
  const { schedule } = after;
  if (schedule === null) return null;
  const own = changes.filter(({ section }) => section === 'schedule');
  const hours = before?.schedule?.window ?? null;
  const notes = [...templateNotes(schedule), ...own.flatMap(({ note }) => (note === null ? [] : [note]))];
  const shown = notes.map((note) => html`<p class="quiet">${note}</p>`);
  const picture =
    hours === null && schedule.window === null ? null : weekPicture(hours, schedule.window, own.length > 0);
  return html`${picture}${shown}`;
}

function templateNotes({ template, window, save_as_template }: ContentSchedule): string[] {
  const from =
    window === null
      ? `The hours are those of template ${template}, which the service does not show.`
      : `From template ${template}.`;
  return [...(template === null ? [] : [from]), ...(save_as_template ? ['Also saved as a template.'] : [])];
}
