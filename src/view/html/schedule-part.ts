import type { Change } from '../../model/change.js';
import type { PortraitSchedule, Sides } from '../../model/portrait.js';
import { type Html, html } from './markup.js';
import { weekPicture } from './week.js';

/** Both sides' sending hours as a week; null where the schedule is not managed. */
export function schedulePart({ live, desired }: Sides, changes: readonly Change[]): Html | null {
  const { schedule } = desired;
  if (schedule === null) return null;
  const own = changes.filter(({ aspect }) => aspect === 'schedule');
  const before = live?.schedule?.window ?? null;
  const notes = [...templateNotes(schedule), ...own.flatMap(({ note }) => (note === null ? [] : [note]))];
  const shown = notes.map((note) => html`<p class="quiet">${note}</p>`);
  const picture =
    before === null && schedule.window === null ? null : weekPicture(before, schedule.window, own.length > 0);
  return html`${picture}${shown}`;
}

function templateNotes({ template, window, save_as_template }: PortraitSchedule): string[] {
  const from =
    window === null
      ? `The hours are those of template ${template}, which the service does not show.`
      : `From template ${template}.`;
  return [...(template === null ? [] : [from]), ...(save_as_template ? ['Also saved as a template.'] : [])];
}
