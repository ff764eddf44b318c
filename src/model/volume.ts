import type { Cap, PlanVolume, Volume } from './outputs.js';
import { count, listed, thousands } from './words.js';

/** The volume after the plan is applied. `isRaised`: true if the plan raises it. `held`: if all launches are held. */
export interface PlannedVolume {
  volume: PlanVolume;
  isRaised: boolean;
  held: Volume;
}

export function sumVolume(caps: readonly Cap[], capacity: number | null): Volume {
  return {
    running: caps.length,
    cap: caps.reduce<number>((sum, cap) => sum + (typeof cap === 'number' ? cap : 0), 0),
    unlimited: caps.filter((cap) => cap === 'unlimited').length,
    not_shown: caps.filter((cap) => cap === null).length,
    capacity,
  };
}

export function isOverCapacity({ cap, unlimited, capacity }: Volume): boolean {
  return capacity !== null && (unlimited > 0 || cap > capacity);
}

/**
 * If the setting is not shown (`undefined`), the cap is unknown (`null`). A setting of `null` means that there is no cap.
 */
export function decodeCap(setting: unknown): Cap {
  if (setting === null) return 'unlimited';
  return typeof setting === 'number' ? setting : null;
}

export function capWords({ running, cap, unlimited, not_shown }: Volume): string {
  if (unlimited > 0)
    return `any number of emails a day (${count(unlimited, 'campaign')} without a daily cap)`;
  if (not_shown === 0) return `up to ${count(cap, 'email')} a day`;
  if (not_shown === running) return 'daily cap not known';
  return `at least ${count(cap, 'email')} a day (daily cap of ${count(not_shown, 'campaign')} not known)`;
}

export function volumeLine(volume: Volume): string {
  const { running, capacity } = volume;
  if (running === 0 && capacity === null) return '';
  const most = running === 0 ? '' : `, together ${capWords(volume)}`;
  return `${count(running, 'campaign')} running${most}${capacity === null ? '' : `; capacity ${thousands(capacity)} a day`}`;
}

/** "; 2 more campaigns, whose status the list does not show, may be sending, too" */
export function unclearWords({ unclear = 0 }: Pick<PlanVolume, 'unclear'>): string {
  if (unclear === 0) return '';
  return `; ${unclear} more ${unclear === 1 ? 'campaign' : 'campaigns'}, whose status the list does not show, may be sending, too`;
}

/** Number of campaigns that `largestWords` names. */
export const MAX_LARGEST = 5;

/** "Spring 500 (launched by this plan), Autumn 400" */
export function largestWords({ campaigns }: PlanVolume): string {
  return listed(
    campaigns.slice(0, MAX_LARGEST).map(({ name, cap, launch }) => {
      const most = cap === 'unlimited' ? 'without a cap' : cap === null ? 'cap not known' : thousands(cap);
      return `"${name}" ${most}${launch ? ' (launched by this plan)' : ''}`;
    }),
  );
}
