/**
 * What a launch sets going, as far as it is known: null is "not known" or "never". `emails_per_day` is the cap, `emails` the
 * number of leads times the number of steps. `first` and `last` are local times of `timezone` with their distance from UTC
 * (`2026-03-02T09:00:00+01:00`): when the first email can go out at the earliest, and the end of the last window that is
 * needed. With `leads` and `first` known, a null `last` lies beyond the horizon of the forecast.
 */
export interface Impact {
  leads: number | null;
  /** There are more leads than these: those of lists that are attached now, whose size is not shown. */
  and_more: boolean;
  emails_per_day: number | null;
  emails: number | null;
  first: string | null;
  last: string | null;
  sending_days: number | null;
  timezone: string | null;
}
