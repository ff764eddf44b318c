import { LONG_SUBJECT, type Mail } from '../email/mail.js';
import type { SendingHours } from '../model/outputs.js';
import { WEEKDAYS } from '../model/schedule.js';
import { asSeen, type Fragment, type Html, html, mailFrame, trusted } from './html-page.js';
import { capital, dayRanges } from './words.js';

/**
 * So many frames a page has at most. A browser opens each of them, folded or not, and takes about as long for ten as for
 * the rest of a page; the mails of what comes behind are shown as text.
 */
const MOST_FRAMES = 200;

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

/** "Email 2, variant 1"; variant 0 is the step's own email. */
export function emailLabel(step: number, variant: number): string {
  return `Email ${step + 1}${variant === 0 ? '' : `, variant ${variant}`}`;
}

/** A day on the line of time of a sequence, with its emails and the wait behind them. */
export function timelineDay(day: number, emails: Fragment, wait: Fragment): Html {
  const earliest = day > 1 ? html` <span class="quiet">at the earliest</span>` : null;
  const after = wait === null ? null : html`<p class="wait">wait ${wait}</p>`;
  return html`<li><p class="day">Day ${day}${earliest}</p>${emails}${after}</li>`;
}

/** A side of the picture of a week, with its name in the legend. */
type Lane = readonly [kind: 'now' | 'then', words: string, hours: SendingHours];

/** The sending hours as a picture of a week, with the same in words; one lane a side, or one for both. */
export function weekPicture(live: SendingHours | null, desired: SendingHours | null, changed: boolean): Html {
  const lanes: Lane[] = [];
  if (live !== null && (changed || desired === null)) lanes.push(['now', 'Current', live]);
  if (desired !== null) lanes.push(['then', live !== null && changed ? 'Planned' : 'Sends', desired]);
  const legend = lanes.map(
    ([kind, words, hours]) =>
      html`<li><span class="key ${kind}" aria-hidden="true"></span><strong>${words}</strong> ${hoursInWords(hours)}</li>`,
  );
  const days = WEEKDAYS.map((day) => dayRow(day, lanes));
  return html`<div class="week"><ul class="legend">${legend}</ul><div class="days" aria-hidden="true"><div class="scale"><span>0</span><span>6</span><span>12</span><span>18</span><span>24</span></div>${days}</div></div>`;
}

/** "Mon–Fri, 09:00–17:00, Europe/Paris". */
function hoursInWords({ days, start_time, end_time, timezone }: SendingHours): string {
  const on = dayRanges(days).replace(/[a-z]+/g, capital);
  return `${on || 'on no day'}, ${start_time}–${end_time}, ${timezone}`;
}

function dayRow(day: string, lanes: readonly Lane[]): Html {
  const bars = lanes.map(([kind, , hours]) => {
    const [start, end] = [shareOfDay(hours.start_time), shareOfDay(hours.end_time)];
    const place = trusted(`left:${percent(start)};width:${percent(end - start)}`);
    const bar = html`<span class="bar ${kind}" style="${place}"></span>`;
    return html`<div class="lane">${hours.days.includes(day) && end > start ? bar : null}</div>`;
  });
  const name = capital(day.slice(0, 3));
  return html`<div class="weekday"><span class="name">${name}</span><div class="lanes">${bars}</div></div>`;
}

/** `06:00` → 0.25 */
function shareOfDay(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return Math.min(1, Math.max(0, (hours + minutes / 60) / 24)) || 0;
}

function percent(share: number): string {
  return `${Math.round(share * 10_000) / 100}%`;
}
