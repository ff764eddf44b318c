import { type CampaignSpec, desiredSequence } from '../model/spec.js';
import {
  type Forecast,
  type ForecastDay,
  firstSends,
  forecast,
  type SendingRules,
  type StepSend,
} from './forecast.js';
import { replySubject } from './mail.js';
import { formatDay, isZone, parseDay } from './zone.js';

export interface CampaignCalendar {
  name: string;
  rules: SendingRules;
  /** Empty if nothing can ever be sent. */
  steps: (StepSend & { subject: string })[];
  forecast: Forecast | null;
}

/** `from`: milliseconds since 1970. `leads`: `null` if unknown. Throws a RangeError for an unknown zone. */
export interface CalendarInput extends Pick<CampaignCalendar, 'name' | 'rules'> {
  subjects: readonly string[];
  from: number;
  leads: number | null;
}

/** `null` if there is no sequence, or the sending hours are unknown. A missing cap is unknown. */
export function specCalendar(
  spec: CampaignSpec,
  start: Pick<CalendarInput, 'from' | 'leads'>,
): CampaignCalendar | null {
  const { name, schedule, sequence, settings } = spec;
  if (sequence === undefined || schedule === undefined || 'template' in schedule) return null;
  if (!isZone(schedule.timezone)) return null;
  const { steps } = desiredSequence(sequence);
  const rules = {
    schedule,
    waits: steps.map(({ wait_in_days }) => wait_in_days),
    max_emails_per_day: settings?.max_emails_per_day ?? null,
    max_new_leads_per_day: settings?.max_new_leads_per_day ?? null,
  };
  const subjects = steps.map(({ email_subject, thread_reply }) =>
    thread_reply ? replySubject(email_subject) : email_subject,
  );
  return buildCalendar({ name, rules, subjects, ...start });
}

export function buildCalendar({ name, rules, subjects, from, leads }: CalendarInput): CampaignCalendar {
  const outlook = leads === null ? null : forecast(rules, from, leads);
  const steps = firstSends(rules, from).map((send, index) => {
    // If the number of leads is known, the cap may delay follow-ups.
    const day = outlook?.per_day.find(({ by_step }) => (by_step[index] ?? 0) > 0);
    const window = day === undefined ? send.window : { date: day.date, start: day.start, end: day.end };
    return { ...send, window, subject: subjects[index] ?? '' };
  });
  return { name, rules, steps, forecast: outlook };
}

/** `from` and `to`: first and last date with emails. */
export interface Period {
  from: string;
  to: string;
  sending_days: number;
  new_leads: number;
  emails: number;
  by_step: number[];
}

export type PeriodLength = 'day' | 'week' | 'month' | 'year';

const FEW = 14;
const YEAR: [PeriodLength, (date: string) => string] = ['year', (date) => date.slice(0, 4)];
const CUTS: (typeof YEAR)[] = [
  ['day', (date) => date],
  ['week', (date) => formatDay(parseDay(date) - ((parseDay(date) + 3) % 7))],
  ['month', (date) => date.slice(0, 7)],
];

export function calendarPeriods({ per_day }: Forecast): { length: PeriodLength; periods: Period[] } {
  const namesBy = (key: (date: string) => string) => [...new Set(per_day.map(({ date }) => key(date)))];
  const [length, key] = CUTS.find(([, name]) => namesBy(name).length <= FEW) ?? YEAR;
  const periods = namesBy(key).map((name) => sum(per_day.filter(({ date }) => key(date) === name)));
  return { length, periods };
}

function sum(days: readonly ForecastDay[]): Period {
  const total = (pick: (day: ForecastDay) => number) => days.reduce((so, day) => so + pick(day), 0);
  return {
    from: days[0]?.date ?? '',
    to: days.at(-1)?.date ?? '',
    sending_days: days.length,
    new_leads: total(({ new_leads }) => new_leads),
    emails: total(({ emails }) => emails),
    by_step: (days[0]?.by_step ?? []).map((_, step) => total(({ by_step }) => by_step[step] ?? 0)),
  };
}
