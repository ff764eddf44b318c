import { type KnownRules, launchOutlook } from '../email/forecast.js';
import { union } from '../model/leads.js';
import type { BeforeAfter, Change, Content, Impact } from '../model/outputs.js';
import type { LeadRefs } from '../model/state.js';
import type { Target } from '../model/target.js';
import { contactedLeads, desiredLeads, listNames, totalLeads } from '../sections/leads.js';
import { resumes } from '../sections/status.js';
import { capAfter } from './volume.js';

/** `now`: in milliseconds since 1970. Campaigns with equal inputs share a forecast. */
export function createImpact(now: number) {
  const forecasts = new Map<string, ReturnType<typeof launchOutlook>>();
  return (target: Target, sides: BeforeAfter, changes: readonly Change[]): Impact => {
    const rules = sendingRules(sides);
    const { count, more } = leadTotal(target, changes);
    const contacted = contactedLeads(target);
    const resumed = resumes(target);
    // The service does not show how many emails contacted leads have yet to get.
    const isForecast = !more && !resumed;
    const key = JSON.stringify([rules, count, isForecast]);
    const forecast = forecasts.get(key) ?? launchOutlook(rules, now, isForecast ? count : null);
    forecasts.set(key, forecast);
    const isCounted = contacted !== null && count !== null && !more;
    const not_contacted = isCounted ? Math.max(0, count - contacted) : null;
    const emails_per_day = capAfter(target);
    const leads = knownLeads(target);
    const list_names = listNames(leads.lists, target);
    const facts = { resumed, ...leads, list_names, not_contacted, emails_per_day };
    return { ...forecast, ...facts, leads: count, and_more: more && count !== null };
  };
}

export function knownLeads(target: Target): LeadRefs {
  const { attached, doubtful } = target.recorded;
  return [attached, doubtful].reduce(union, desiredLeads(target));
}

/** `null` is a value: it removes the cap. */
function settingAfter({ before, after }: BeforeAfter, name: string): unknown {
  const value = after.settings?.[name];
  return value === undefined ? before?.settings?.[name] : value;
}

function sendingRules({ before, after }: BeforeAfter): KnownRules {
  const part = <Name extends keyof Content>(name: Name) => after[name] ?? before?.[name] ?? null;
  const cap = (name: string) => {
    const value = settingAfter({ before, after }, name);
    return typeof value === 'number' ? value : null;
  };
  return {
    schedule: part('schedule')?.window ?? null,
    waits: part('sequence')?.steps.map(({ wait_in_days }) => wait_in_days) ?? [],
    max_emails_per_day: cap('max_emails_per_day'),
    max_new_leads_per_day: cap('max_new_leads_per_day'),
  };
}

/** The number of leads after the changes; `null` if unknown. `more`: true if lists of unknown size are attached. */
function leadTotal(target: Target, changes: readonly Change[]) {
  const shown = target.id === null ? 0 : totalLeads(target);
  const added = changes.filter(({ section }) => section === 'leads');
  const ids = added.flatMap(({ path, to }) => (path === 'ids' && Array.isArray(to) ? to : [])).length;
  const more = shown === null || added.some(({ path }) => path === 'lists');
  return { count: (shown ?? 0) + ids || null, more };
}
