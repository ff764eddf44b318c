/** The results of campaigns: rates, sums, and leads that are left. */
import type { Results } from './reports.js';

export const NO_RESULTS: Results = {
  sent: null,
  replies: null,
  bounced: null,
  leads: null,
  leads_contacted: null,
};

const MIN_SENT = 100;

/** Replies per contacted lead, from 0 to 1; `null` if unknown, or if fewer than 100 emails were sent. */
export function replyRate({ sent, replies, leads_contacted }: Results): number | null {
  return rate(replies, leads_contacted, sent);
}

/** Bounces per sent email; `null` in the same cases as `replyRate`. */
export function bounceRate({ sent, bounced }: Results): number | null {
  return rate(bounced, sent, sent);
}

function rate(part: number | null, whole: number | null, sent: number | null): number | null {
  if (part === null || whole === null || whole === 0) return null;
  return (sent ?? whole) < MIN_SENT ? null : part / whole;
}

export function leadsLeft({ leads, leads_contacted }: Results): number | null {
  return leads === null || leads_contacted === null ? null : Math.max(0, leads - leads_contacted);
}

export function sumResults(all: readonly Results[]): Results {
  const sum = (key: keyof Results) =>
    all.reduce<number | null>((total, results) => {
      const value = results[key];
      return total === null || value === null ? null : total + value;
    }, 0);
  if (all.length === 0) return NO_RESULTS;
  const keys = Object.keys(NO_RESULTS) as (keyof Results)[];
  return Object.fromEntries(keys.map((key) => [key, sum(key)])) as unknown as Results;
}
