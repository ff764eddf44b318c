import { type KnownRules, reachOf } from '../email/reach.js';
import type { Change } from '../model/change.js';
import type { Portrait, Sides } from '../model/portrait.js';
import type { Reach } from '../model/reach.js';
import type { Subject } from '../sections/index.js';
import { totalLeads } from '../sections/leads/state.js';

/** Tells what a launch at `now` (milliseconds since 1970) sets going. Campaigns that send alike are reckoned once. */
export function createReach(
  now: number,
): (subject: Subject, sides: Sides, changes: readonly Change[]) => Reach {
  const known = new Map<string, Reach>();
  const reckoned = (rules: KnownRules, { count, more }: Leads): Reach => {
    const reach = reachOf(rules, now, more ? null : count);
    return more ? { ...reach, leads: count, and_more: count !== null } : reach;
  };
  return (subject, sides, changes) => {
    const rules = rulesOf(sides);
    const leads = leadsOf(subject, changes);
    const key = JSON.stringify([rules, leads]);
    const reach = known.get(key) ?? reckoned(rules, leads);
    known.set(key, reach);
    return reach;
  };
}

/** What the manifest does not manage stays as it is live, where that is known. */
function rulesOf({ live, desired }: Sides): KnownRules {
  const part = <Name extends keyof Portrait>(name: Name) => desired[name] ?? live?.[name] ?? null;
  const cap = (name: string) => {
    const value = desired.settings?.[name] ?? live?.settings?.[name];
    return typeof value === 'number' ? value : null;
  };
  return {
    schedule: part('schedule')?.window ?? null,
    waits: part('sequence')?.steps.map(({ wait_in_days }) => wait_in_days) ?? [],
    max_emails_per_day: cap('max_emails_per_day'),
    max_new_leads_per_day: cap('max_new_leads_per_day'),
  };
}

/** `more`: there are others, of whose number nothing is known. */
interface Leads {
  count: number | null;
  more: boolean;
}

/** How many leads a list has is shown nowhere: where one is attached, those that are there already are the least. */
function leadsOf(subject: Subject, changes: readonly Change[]): Leads {
  const there = subject.id === null ? 0 : totalLeads(subject);
  const added = changes.filter(({ aspect }) => aspect === 'leads');
  const ids = added.flatMap(({ path, to }) => (path === 'ids' && Array.isArray(to) ? to : [])).length;
  const more = there === null || added.some(({ path }) => path === 'lists');
  return { count: (there ?? 0) + ids || null, more };
}
