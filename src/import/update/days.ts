import { WEEKDAYS } from '../../sections/schedule/schema.js';

const WEEK: readonly string[] = WEEKDAYS;

interface DayEdit {
  kind: 'insert' | 'remove';
  index: number;
  day: string;
}

/** From the days as they are written to those that are live: each new one before the first later one, then the removals. */
export function dayEdits(written: readonly string[], live: readonly string[]): DayEdit[] {
  const days = [...written];
  const inserted = live
    .filter((day) => !written.includes(day))
    .map((day): DayEdit => {
      const later = days.findIndex((one) => orderOf(one) > orderOf(day));
      const index = later < 0 ? days.length : later;
      days.splice(index, 0, day);
      return { kind: 'insert', index, day };
    });
  const removed = days
    .map((day, index): DayEdit => ({ kind: 'remove', index, day }))
    .filter(({ day }) => !live.includes(day));
  return [...inserted, ...removed.reverse()];
}

function orderOf(day: string): number {
  return WEEK.indexOf(day);
}
