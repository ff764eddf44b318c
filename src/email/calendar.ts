import { type Forecast, firstSends, forecast, type SendingRules, type StepSend } from './forecast.js';
import { daysOff, type Schedule, type SendingWindow, weekdayOf, windowOn } from './windows.js';
import { dateOf, dayAt, dayOf, extraTime } from './zone.js';

/** One email of the sequence and when it first goes out. */
export interface CalendarStep extends StepSend {
  subject: string;
}

/** A day of `zone` on which its clock jumps by `minutes`: forward (`gap`) or back (`repeat`). */
export interface ClockChange {
  zone: string;
  date: string;
  kind: 'gap' | 'repeat';
  minutes: number;
}

/**
 * What is irregular until the last email. `days_off`: weekdays that the schedule leaves out; `skipped`: dates of
 * its weekdays whose whole window falls into a jump of the clock; `clock_changes`: of the campaign's zone and of the reader's, by date.
 */
export interface CalendarGaps {
  days_off: string[];
  skipped: string[];
  clock_changes: ClockChange[];
}

/** The one value that every view of the calendar shows. `steps` is empty where nothing can ever be sent. */
export interface CampaignCalendar {
  name: string;
  rules: SendingRules;
  from: number;
  steps: CalendarStep[];
  forecast: Forecast | null;
  reader_zone: string;
  gaps: CalendarGaps;
}

/** `from` is in milliseconds since 1970, `subjects` those of the steps as recipients see them; `leads` null: not known. */
export interface CalendarInput {
  name: string;
  rules: SendingRules;
  subjects: readonly string[];
  from: number;
  leads: number | null;
  readerZone: string;
}

/** Both zones have to be known (`isZone`), else a RangeError is thrown. */
export function buildCalendar({
  name,
  rules,
  subjects,
  from,
  leads,
  readerZone,
}: CalendarInput): CampaignCalendar {
  const outlook = leads === null ? null : forecast(rules, from, leads);
  const steps = firstSends(rules, from).map((send, index) => ({
    ...send,
    ...firstOf(index, outlook),
    subject: subjects[index] ?? '',
  }));
  const [first, last] = [steps[0]?.window.start, outlook?.last ?? steps.at(-1)?.window.end];
  const span = first === undefined || last === undefined ? null : { from, to: last };
  const gaps = gapsOf(rules.schedule, span, readerZone);
  return { name, rules, from, steps, forecast: outlook, reader_zone: readerZone, gaps };
}

/** With a number of leads, the cap can hold follow-ups up: then the forecast knows better than `firstSends`. */
function firstOf(index: number, outlook: Forecast | null): { window: SendingWindow } | undefined {
  const day = outlook?.per_day.find(({ by_step }) => (by_step[index] ?? 0) > 0);
  if (day === undefined) return undefined;
  const { date, weekday, start, end, clock_change } = day;
  return { window: { date, weekday, start, end, clock_change } };
}

/** Instants, both included. */
interface Span {
  from: number;
  to: number;
}

function gapsOf(schedule: Schedule, span: Span | null, readerZone: string): CalendarGaps {
  const days_off = daysOff(schedule);
  if (span === null) return { days_off, skipped: [], clock_changes: [] };
  const { timezone } = schedule;
  const skipped = daysOf(timezone, span).filter(
    (day) => schedule.days.includes(weekdayOf(day)) && windowOn(schedule, day) === null,
  );
  const zones = [...new Set([timezone, readerZone])];
  const clock_changes = zones
    .flatMap((zone) => daysOf(zone, span).flatMap((day) => clockChange(zone, day)))
    .sort((a, b) => dayOf(a.date) - dayOf(b.date));
  return { days_off, skipped: skipped.map(dateOf), clock_changes };
}

function clockChange(zone: string, day: number): ClockChange[] {
  const extra = extraTime(zone, day);
  if (extra === 0) return [];
  return [{ zone, date: dateOf(day), kind: extra < 0 ? 'gap' : 'repeat', minutes: Math.abs(extra) / 60_000 }];
}

/** The dates that a zone's clock shows in a span. */
function daysOf(zone: string, { from, to }: Span): number[] {
  const first = dayAt(zone, from);
  return Array.from({ length: dayAt(zone, to) - first + 1 }, (_, index) => first + index);
}
