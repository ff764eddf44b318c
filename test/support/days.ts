import type { forecast } from '../../src/email/forecast.js';

/** Dates of a forecast with the emails of each step. */
export function dayLines(outlook: ReturnType<typeof forecast>): string[] | undefined {
  return outlook?.per_day.map(({ date, by_step }) => `${date} ${by_step.join(' ')}`);
}
