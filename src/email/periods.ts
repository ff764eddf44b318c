import type { Forecast, ForecastDay } from './forecast.js';
import { dateOf, dayOf } from './zone.js';

/** Consecutive sending days, added up. `from` and `to` are dates, of the first and last day on which something is sent. */
export interface Period {
  from: string;
  to: string;
  sending_days: number;
  new_leads: number;
  emails: number;
  by_step: number[];
}

/** How a forecast is cut for somebody who reads it. */
export type PeriodLength = 'day' | 'week' | 'month' | 'year';

/** What a reader takes in at a glance. */
const FEW = 14;
const KEYS: [PeriodLength, (date: string) => string][] = [
  ['day', (date) => date],
  ['week', (date) => mondayOf(date)],
  ['month', (date) => date.slice(0, 7)],
  ['year', (date) => date.slice(0, 4)],
];

/** The days of a forecast, or its weeks, months or years: whichever is the finest that leaves few rows. */
export function periodsOf({ per_day }: Forecast): { length: PeriodLength; periods: Period[] } {
  let cut: { length: PeriodLength; periods: Period[] } = { length: 'day', periods: [] };
  for (const [length, key] of KEYS) {
    const names = [...new Set(per_day.map(({ date }) => key(date)))];
    const groups = new Map(names.map((name): [string, ForecastDay[]] => [name, []]));
    for (const day of per_day) groups.get(key(day.date))?.push(day);
    cut = { length, periods: [...groups.values()].map(sum) };
    if (cut.periods.length <= FEW) break;
  }
  return cut;
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

function mondayOf(date: string): string {
  const day = dayOf(date);
  return dateOf(day - ((day + 3) % 7));
}
