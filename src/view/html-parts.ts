import { LONG_SUBJECT, type Mail } from '../email/mail.js';
import type { SendingHours } from '../model/outputs.js';
import { WEEKDAYS } from '../model/schedule.js';
import { asSeen, type Html, html, mailFrame, trusted } from './html-page.js';

/**
 * So many frames a page has at most. A browser opens each of them, folded or not, and takes about as long for ten as for
 * the rest of a page; the mails of what comes behind are shown as text.
 */
export const MOST_FRAMES = 200;

/** For each part of a page, whether its frames still have room, given how many each part has. */
export function framed(frames: readonly number[]): boolean[] {
  let sum = 0;
  return frames.map((number) => {
    sum += number;
    return sum <= MOST_FRAMES;
  });
}

/** The body of a mail as mail programs show it, in a frame, or as text. */
export function mailBody(mail: Mail, { title, inFrame }: { title: string; inFrame: boolean }): Html {
  if (mail.html !== null && inFrame) return mailFrame({ title, html: mail.html, text: mail.text });
  return textBody(mail.text, title);
}

/** A mail as text, exactly as it is sent. */
export function textBody(text: string, title: string): Html {
  return html`<pre class="plain" tabindex="0" role="group" aria-label="${title}">${asSeen(text)}</pre>`;
}

/** A subject as recipients see it. */
export function subjectSeen({ subject }: Mail): Html {
  return subject === '' ? html`<span class="quiet">no subject</span>` : asSeen(subject);
}

/** A mail with its subject above it. */
export function mailCard(mail: Mail, options: { title: string; inFrame: boolean }): Html {
  const isLong = mail.length > LONG_SUBJECT;
  const note = html` <span class="chip warning">${mail.length} characters: cut off on most phones</span>`;
  return html`<div class="card"><p class="mail-subject">${subjectSeen(mail)}${isLong ? note : null}</p>${mailBody(mail, options)}</div>`;
}

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
      ? [{ kind: 'now' as const, words: 'Current', hours: live }]
      : []),
    ...(desired === null
      ? []
      : [{ kind: 'then' as const, words: live !== null && changed ? 'Planned' : 'Sends', hours: desired }]),
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
