import { createHash } from 'node:crypto';
import type { CampaignCalendar } from '../email/calendar.js';
import type { SendingWindow } from '../email/windows.js';
import { forecastLine, hoursIn } from './calendar-words.js';
import { dateWords } from './dates.js';
import { visible, visibleLine } from './visible.js';
import { thousands } from './words.js';

/** An entry of the calendar. `uid` names it for ever: importing a later calendar moves the entry instead of adding another. */
interface Entry {
  uid: string;
  window: SendingWindow;
  summary: string;
  description: string;
}

/**
 * An iCalendar file (RFC 5545): an event for the first window of each step and one for the last email, which do not mark
 * anybody as busy. `stamp` is when it was made, in milliseconds since 1970. Without anything to send it has no events.
 */
export function renderCalendarIcs(calendars: readonly CampaignCalendar[], stamp: number): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//campaignctl//sending calendar//EN',
    'CALSCALE:GREGORIAN',
    'METHOD:PUBLISH',
    ...calendars.flatMap(entriesOf).flatMap((entry) => eventLines(entry, stamp)),
    'END:VCALENDAR',
  ];
  return lines.map((line) => `${fold(line)}\r\n`).join('');
}

function entriesOf(calendar: CampaignCalendar): Entry[] {
  const { name, rules, steps, forecast } = calendar;
  const key = createHash('sha256').update(name).digest('hex').slice(0, 32);
  const { timezone } = rules.schedule;
  const when = (window: SendingWindow) =>
    `${dateWords(window.date)}, ${hoursIn(timezone, window)} (${timezone})`;
  const first = steps.map(({ step, window, subject }) => ({
    uid: `${key}-step-${step}@campaignctl`,
    window,
    summary: `${visibleLine(name)}: email ${step} of ${rules.waits.length} first goes out`,
    description: `Subject: ${visibleLine(subject)}\n${when(window)}`,
  }));
  const window = forecast?.unsent === 0 ? forecast.per_day.at(-1) : undefined;
  if (forecast === null || window === undefined) return first;
  const summary = `${visibleLine(name)}: last of about ${thousands(forecast.emails)} emails`;
  const description = `${forecastLine(calendar)}\n${when(window)}`;
  return [...first, { uid: `${key}-last@campaignctl`, window, summary, description }];
}

function eventLines({ uid, window, summary, description }: Entry, stamp: number): string[] {
  return [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${utc(stamp)}`,
    `DTSTART:${utc(window.start)}`,
    `DTEND:${utc(window.end)}`,
    `SUMMARY:${escaped(summary)}`,
    `DESCRIPTION:${escaped(description)}`,
    'TRANSP:TRANSPARENT',
    'END:VEVENT',
  ];
}

/** `20260302T080000Z` */
function utc(instant: number): string {
  return `${new Date(instant).toISOString().slice(0, 19).replace(/[-:]/g, '')}Z`;
}

function escaped(text: string): string {
  return visible(text)
    .replace(/[\\;,]/g, '\\$&')
    .replaceAll('\n', '\\n');
}

/** Lines of at most 75 octets, the next ones with the space in front that joins them; no character is cut in two. */
function fold(line: string): string {
  const lines = [''];
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > 75) {
      lines.push(' ');
      octets = 1;
    }
    lines.push(`${lines.pop()}${character}`);
    octets += size;
  }
  return lines.join('\r\n');
}
