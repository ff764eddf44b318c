import { type CampaignCalendar, calendarPeriods, type Period, type PeriodLength } from '../email/calendar.js';
import { daysOff, HORIZON_YEARS, type SendingWindow } from '../email/forecast.js';
import { localAt } from '../email/zone.js';
import { count, thousands } from '../model/words.js';
import { type Column, type Table, type TextOptions, tableLines, visibleLine } from './terminal.js';
import { capital, dateWords, hanging, monthName, scheduleLine, wrap } from './words.js';

type CalendarStep = CampaignCalendar['steps'][number];

/** `silence`: why there is no calendar, with a fix. `outlook`: `null` without leads. Name and subjects are foreign text. */
interface CalendarView {
  rules: string;
  silence: string | null;
  steps: Table<CalendarStep>;
  outlook: { line: string; table: Table<Period> } | null;
  notes: string[];
}

/** Shows when each email is first sent and, if the number of leads is known, the duration. */
export function renderCalendarText(calendars: readonly CampaignCalendar[], options: TextOptions): string {
  return calendars.map((calendar) => `${textLines(calendar, options).join('\n')}\n`).join('\n');
}

function textLines(calendar: CampaignCalendar, options: TextOptions): string[] {
  const { paint, width } = options;
  const { rules, silence, steps, outlook, notes } = viewCalendar(calendar);
  const indented = (text: string) => wrap(text, width - 2).map((line) => `  ${line}`);
  const head = [paint('bold', visibleLine(calendar.name)), ...indented(`Sends ${rules}`)];
  if (silence !== null) return [...head, ...indented(silence).map((line) => paint('red', line))];
  return [
    ...head,
    '',
    ...tableLines(steps, options),
    ...(outlook === null ? [] : ['', ...indented(outlook.line), '', ...tableLines(outlook.table, options)]),
    '',
    ...notes.flatMap((note) => hanging(note, width - 4)).map((line) => paint('dim', `  ${line}`)),
  ];
}

export function viewCalendar(calendar: CampaignCalendar): CalendarView {
  return {
    rules: rulesLine(calendar),
    silence: silenceLine(calendar),
    steps: stepsTable(calendar),
    outlook: outlookOf(calendar),
    notes: noteLines(calendar),
  };
}

/** "mon–fri 09:00–17:00 Europe/Paris, up to 200 emails and 100 new leads a day" */
function rulesLine({ rules }: CampaignCalendar): string {
  const { schedule, max_emails_per_day: emails, max_new_leads_per_day: leads } = rules;
  const known = [
    emails === null ? '' : count(emails, 'email'),
    leads === null ? '' : count(leads, 'new lead'),
  ];
  const caps = known.filter(Boolean).join(' and ');
  return `${scheduleLine({ ...schedule, days: [...schedule.days] })}${caps && `, up to ${caps} a day`}`;
}

function silenceLine({ rules, steps }: CampaignCalendar): string | null {
  if (steps.length > 0) return null;
  if (rules.waits.length === 0) return 'Nothing is sent: the sequence has no steps.';
  const zero = Object.entries(rules).find(([, cap]) => cap === 0);
  if (zero !== undefined) return `Nothing is sent while ${zero[0]} is 0.`;
  return 'Nothing is sent: the schedule has no sending window. It needs at least one day, and an end_time after start_time.';
}

function stepsTable({ steps, rules: { schedule } }: CampaignCalendar): Table<CalendarStep> {
  const city = (schedule.timezone.split('/').at(-1) ?? '').replaceAll('_', ' ');
  const columns: Column<CalendarStep>[] = [
    { head: '#', cell: ({ step }) => String(step), isRight: true },
    { head: 'First sent', cell: ({ window }) => dateWords(window.date) },
    { head: city, cell: ({ window }) => hoursOf(window, schedule.timezone) },
    { head: 'Subject', cell: ({ subject }) => subject, least: 8 },
  ];
  return { columns, rows: steps };
}

/** "09:00–17:00" */
function hoursOf({ start, end }: SendingWindow, timezone: string): string {
  return [start, end].map((instant) => momentWords(timezone, instant).slice(-5)).join('–');
}

/** "Mon 2 Mar 2026 09:00" */
function momentWords(timezone: string, instant: number): string {
  const local = new Date(localAt(timezone, instant)).toISOString();
  return `${dateWords(local.slice(0, 10))} ${local.slice(11, 16)}`;
}

const MOST_STEPS = 6;
const PERIODS: Record<PeriodLength, (period: Period) => string> = {
  day: ({ from }) => dateWords(from),
  week: ({ from, to }) =>
    from === to ? dateWords(from) : `${dateWords(from).replace(/ \d+$/, '')} – ${dateWords(to)}`,
  month: ({ from }) => `${monthName(from)} ${from.slice(0, 4)}`,
  year: ({ from }) => from.slice(0, 4),
};

/** Duration, and emails per day, week, month or year. */
function outlookOf({ forecast, rules }: CampaignCalendar): CalendarView['outlook'] {
  if (forecast === null) return null;
  const { leads, emails, unsent, sending_days, first, last } = forecast;
  const when = (instant: number) => momentWords(rules.schedule.timezone, instant);
  const end =
    unsent === 0
      ? `the last by ${when(last)}`
      : `and ${count(unsent, 'email')} not within ${HORIZON_YEARS} years`;
  const { length, periods } = calendarPeriods(forecast);
  const number = (head: string, of: (period: Period) => number): Column<Period> => ({
    ...{ head, cell: (period) => thousands(of(period)), isRight: true },
  });
  const steps = rules.waits.length > 1 && rules.waits.length <= MOST_STEPS ? rules.waits : [];
  const columns = [
    { head: capital(length), cell: PERIODS[length], least: 8 },
    ...(length === 'day' ? [] : [number('Days', (period) => period.sending_days)]),
    number('New leads', (period) => period.new_leads),
    number('Emails', (period) => period.emails),
    ...steps.map((_, at) => number(`Step ${at + 1}`, ({ by_step }) => by_step[at] ?? 0)),
  ];
  return {
    line: `${count(leads, 'lead')}: ${count(emails, 'email')} on ${count(sending_days, 'day')}, the first from ${when(first)}, ${end}.`,
    table: { columns, rows: periods },
  };
}

/** Omissions and assumptions, one sentence each. */
function noteLines({ rules, steps }: CampaignCalendar): string[] {
  const off = daysOff(rules.schedule).map((day) => capital(day.slice(0, 3)));
  const late = rules.waits.length - steps.length;
  return [
    ...(off.length > 0 ? [`No sending on ${off.join(', ')}.`] : []),
    ...(late > 0 ? [`${count(late, 'step')} cannot be sent within ${HORIZON_YEARS} years.`] : []),
    ...Object.entries(rules).flatMap(([cap, value]) =>
      value === null ? [`${cap} is unknown: the calendar assumes no limit.`] : [],
    ),
    'Assumptions: follow-ups are sent before emails to new leads, waits count whole days, and no lead replies, bounces or unsubscribes.',
  ];
}
