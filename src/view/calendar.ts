/** The emails that the launches of a plan send on each day. */

import { formatDay, parseDay } from '../email/local-time.js';
import { CALENDAR_DAYS, type CampaignPlan, type Impact, isLaunched, type Plan } from '../model/outputs.js';
import { dayOf } from '../model/words.js';
import { hasNoLeads, sendsNothing } from './launches.js';

/**
 * `days`: consecutive dates (`YYYY-MM-DD`) from the first email on, each in the time zone of its campaign. `cells`: emails on
 * each of them; `null` if they are not known. `sum`: of what is known; `isPartial`: if something is not. `capacity`: emails a day of
 * all running campaigns; `null` if none is declared.
 */
export interface Calendar {
  days: string[];
  rows: { campaign: CampaignPlan; cells: number[] | null }[];
  sum: number[];
  isPartial: boolean;
  capacity: number | null;
}

/** Returns `null` if the days of no launch are known. */
export function viewCalendar({ campaigns, volume }: Pick<Plan, 'campaigns' | 'volume'>): Calendar | null {
  const launched = campaigns.filter(isLaunched);
  if (launched.every(({ impact }) => impact === null || impact.days.length === 0)) return null;
  // A launch of unknown size may be the first.
  const [first = ''] = launched.flatMap(({ impact }) => (impact?.first ? dayOf(impact.first) : [])).sort();
  const start = parseDay(first);
  // A saved plan may contain any text.
  if (!/^\d{4}-\d\d-\d\d$/.test(first) || Number.isNaN(start)) return null;
  const days = Array.from({ length: CALENDAR_DAYS }, (_, at) => formatDay(start + at));
  const rows = launched.map((campaign) => ({ campaign, cells: cellsOf(campaign.impact, days) }));
  const sum = days.map((_, at) => rows.reduce((total, { cells }) => total + (cells?.[at] ?? 0), 0));
  const isPartial = rows.some(({ cells }) => cells === null);
  return { days, rows, sum, isPartial, capacity: volume?.capacity ?? null };
}

function cellsOf(impact: Impact | null, days: readonly string[]): number[] | null {
  const isKnown = impact !== null && (impact.days.length > 0 || hasNoLeads(impact) || sendsNothing(impact));
  if (!isKnown) return null;
  const emails = new Map(impact.days.map((day) => [day.date, day.emails]));
  return days.map((date) => emails.get(date) ?? 0);
}
