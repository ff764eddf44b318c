import type { SendingHours } from '../../model/content.js';
import { WEEKDAYS } from '../../model/weekdays.js';
import { type Html, html, trusted } from '../html-page.js';

const WEEK: readonly string[] = WEEKDAYS;

/** A lane of the picture: one side, with its name in the legend. */
interface Lane {
  kind: 'now' | 'then';
  words: string;
  hours: SendingHours;
}

/** The sending hours as a picture of a week, with the same in words; one lane a side, or one for both. */
export function weekPicture(live: SendingHours | null, desired: SendingHours | null, changed: boolean): Html {
  const lanes: Lane[] = [
    ...(live !== null && (changed || desired === null)
      ? [{ kind: 'now' as const, words: 'Live now', hours: live }]
      : []),
    ...(desired === null
      ? []
      : [{ kind: 'then' as const, words: live !== null && changed ? 'To be' : 'Sends', hours: desired }]),
  ];
  const legend = lanes.map(
    ({ kind, words, hours }) =>
      html`<li><span class="key ${kind}" aria-hidden="true"></span><strong>${words}</strong> ${hoursInWords(hours)}</li>`,
  );
  const days = WEEK.map((day) => dayRow(day, lanes));
  return html`<div class="week"><ul class="legend">${legend}</ul><div class="days" aria-hidden="true"><div class="scale"><span>0</span><span>6</span><span>12</span><span>18</span><span>24</span></div>${days}</div></div>`;
}

/** "Mon–Fri, 09:00–17:00, Europe/Paris". */
export function hoursInWords({ days, start_time, end_time, timezone }: SendingHours): string {
  const on = WEEK.filter((day) => days.includes(day));
  const [first = '', last = ''] = [on[0], on.at(-1)];
  const isRun = on.length > 2 && WEEK.indexOf(last) - WEEK.indexOf(first) === on.length - 1;
  const when = isRun ? `${short(first)}–${short(last)}` : on.map(short).join(', ');
  return `${when || 'on no day'}, ${start_time}–${end_time}, ${timezone}`;
}

function dayRow(day: string, lanes: readonly Lane[]): Html {
  const bars = lanes.map(({ kind, hours }) => {
    const [start, end] = [minutes(hours.start_time), minutes(hours.end_time)];
    const on = hours.days.includes(day) && end > start;
    const place = `left:${percent(start)};width:${percent(end - start)}`;
    return html`<div class="lane">${on ? html`<span class="bar ${kind}" style="${trusted(place)}"></span>` : null}</div>`;
  });
  return html`<div class="weekday"><span class="name">${short(day)}</span><div class="lanes">${bars}</div></div>`;
}

function short(day: string): string {
  return `${day.slice(0, 1).toUpperCase()}${day.slice(1, 3)}`;
}

function minutes(time: string): number {
  const [hours = 0, rest = 0] = time.split(':').map(Number);
  return Math.min(24 * 60, Math.max(0, hours * 60 + rest)) || 0;
}

function percent(length: number): string {
  return `${Math.round((length / (24 * 60)) * 10_000) / 100}%`;
}
