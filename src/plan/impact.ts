import { impactOf, type KnownRules } from '../email/forecast.js';
import type { BeforeAfter, Change, Content, Impact } from '../model/outputs.js';
import type { CampaignContext } from '../sections/index.js';
import { totalLeads } from '../sections/leads.js';

/** Tells what a launch at `now` (milliseconds since 1970) sets going. Campaigns that send alike are reckoned once. */
export function createImpact(now: number) {
  const known = new Map<string, Impact>();
  return (context: CampaignContext, sides: BeforeAfter, changes: readonly Change[]): Impact => {
    const rules = rulesOf(sides);
    const { count, more } = leadsOf(context, changes);
    const key = JSON.stringify([rules, count, more]);
    const impact = known.get(key) ?? impactOf(rules, now, more ? null : count);
    known.set(key, impact);
    return more ? { ...impact, leads: count, and_more: count !== null } : impact;
  };
}

/** What the manifest does not manage stays as it is live, where that is known. */
function rulesOf({ before, after }: BeforeAfter): KnownRules {
  const part = <Name extends keyof Content>(name: Name) => after[name] ?? before?.[name] ?? null;
  const cap = (name: string) => {
    const value = after.settings?.[name] ?? before?.settings?.[name];
    return typeof value === 'number' ? value : null;
  };
  return {
    schedule: part('schedule')?.window ?? null,
    waits: part('sequence')?.steps.map(({ wait_in_days }) => wait_in_days) ?? [],
    max_emails_per_day: cap('max_emails_per_day'),
    max_new_leads_per_day: cap('max_new_leads_per_day'),
  };
}

/**
 * How many leads a list has is shown nowhere: where one is attached, those that are there already are the least. `more`: there are
 * others, of whose number nothing is known.
 */
function leadsOf(context: CampaignContext, changes: readonly Change[]) {
  const there = context.id === null ? 0 : totalLeads(context);
  const added = changes.filter(({ section }) => section === 'leads');
  const ids = added.flatMap(({ path, to }) => (path === 'ids' && Array.isArray(to) ? to : [])).length;
  const more = there === null || added.some(({ path }) => path === 'lists');
  return { count: (there ?? 0) + ids || null, more };
}
