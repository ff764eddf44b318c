import { type KnownRules, launchOutlook } from '../email/forecast.js';
import { isObject } from '../model/json.js';
import { isEmpty, union, without, withoutRefills } from '../model/leads.js';
import {
  activeSteps,
  type BeforeAfter,
  type Cap,
  type Change,
  type Content,
  type Impact,
  type RefilledLists,
} from '../model/outputs.js';
import { DEFAULT_SETTINGS } from '../model/sections.js';
import type { LeadRefs } from '../model/state.js';
import type { Target } from '../model/target.js';
import { decodeCap } from '../model/volume.js';
import { contactedLeads, desiredLeads, listNames, REFILL, totalLeads } from '../sections/leads.js';
import { resumes } from '../sections/status.js';
import { capAfter, shownSettings } from './volume.js';

/** `now`: in milliseconds since 1970. Campaigns with equal inputs share a forecast. */
export function createImpact(now: number) {
  const forecasts = new Map<string, ReturnType<typeof launchOutlook>>();
  return (target: Target, sides: BeforeAfter, changes: readonly Change[]): Impact => {
    const emails_per_day = capAfter(target);
    const rules = sendingRules(target, sides, emails_per_day);
    const known = knownLeads(target);
    const resumed = resumes(target);
    const numbers = countLeads(target, changes);
    const { people, and_more } = numbers;
    // The service does not show how many emails contacted leads have yet to get.
    const complete = and_more || resumed ? null : people;
    const key = JSON.stringify([rules, complete]);
    const forecast = forecasts.get(key) ?? launchOutlook(rules, now, complete);
    forecasts.set(key, forecast);
    const steps = rules.waits.length;
    const hasSize = people !== null && !(people === 0 && and_more);
    return {
      resumed,
      ...known,
      list_names: listNames(known.lists, target),
      ...numbers,
      emails_per_day,
      can_unsubscribe: flagAfter(target, 'can_unsubscribe'),
      open_tracking: flagAfter(target, 'open_tracking'),
      first_day: firstDay(rules, numbers),
      emails: hasSize && steps > 0 ? people * steps : null,
      ...forecast,
    };
  };
}

function flagAfter(target: Target, name: 'can_unsubscribe' | 'open_tracking'): boolean | null {
  const declared = target.spec.settings?.[name];
  if (declared !== undefined) return declared === true;
  return target.id === null ? DEFAULT_SETTINGS[name] : (shownSettings(target)[name] ?? null);
}

type LeadNumbers = Pick<
  Impact,
  'leads' | 'people' | 'partway' | 'unknown_lists' | 'refilled_lists' | 'and_more'
>;

/** The leads after the changes. If the service shows no total, those that the state knows count. */
function countLeads(target: Target, changes: readonly Change[]): LeadNumbers {
  const total = target.id === null ? 0 : totalLeads(target);
  const known = knownLeads(target);
  const attached = changes.filter(({ section }) => section === 'leads');
  const added = (kind: 'lists' | 'ids') =>
    attached.flatMap(({ path, to }) => (path === kind && Array.isArray(to) ? to.map(Number) : []));
  const refilled = attached.filter(({ path }) => path === REFILL).flatMap(refilledLists);
  const leads = total === null ? known.ids.length : total + added('ids').length;
  const unknown = total === null ? known.lists : added('lists');
  const partway = contactedLeads(target);
  return {
    leads: leads || null,
    people: partway === null && resumes(target) ? null : Math.max(0, leads - (partway ?? 0)),
    partway: resumes(target) ? partway : 0,
    unknown_lists: listNames(unknown, target),
    ...(total !== null && refilled.length > 0 && { refilled_lists: listNames(refilled, target) }),
    and_more: total === null || unknown.length + refilled.length > 0,
  };
}

function refilledLists({ to }: Change): number[] {
  return Array.isArray(to) ? to.flatMap((refill) => (isObject(refill) ? Number(refill.list) : [])) : [];
}

/** The lists that apply attaches again. The service shows how many leads the campaign has, not how many a list has. */
export function describeRefill(target: Target, changes: readonly Change[]): { refill?: RefilledLists } {
  const change = changes.find(({ section, path }) => section === 'leads' && path === REFILL);
  if (change === undefined) return {};
  const lists = refilledLists(change);
  const others = without(knownLeads(target), { lists, ids: [] });
  const has_others = !target.recorded.known || !isEmpty(others);
  const skips = target.environment.service.attach_repeat === 'safe';
  const leads = totalLeads(target);
  return { refill: { lists, list_names: listNames(lists, target), leads, has_others, skips } };
}

function firstDay(
  { max_emails_per_day, max_new_leads_per_day }: KnownRules,
  { people, partway, and_more }: LeadNumbers,
): number | null {
  const isKnown = people !== null && partway !== null && !and_more;
  const all = isKnown ? people + partway : Number.POSITIVE_INFINITY;
  // Follow-ups of a resumed campaign do not count as new leads.
  const fresh =
    max_new_leads_per_day === null || partway !== 0 ? Number.POSITIVE_INFINITY : max_new_leads_per_day;
  const most = Math.min(all, fresh, max_emails_per_day ?? Number.POSITIVE_INFINITY);
  return Number.isFinite(most) ? most : null;
}

export function knownLeads(target: Target): LeadRefs {
  const { attached, doubtful } = target.recorded;
  return withoutRefills([attached, doubtful].reduce(union, desiredLeads(target)));
}

function newLeadsAfter(target: Target): Cap {
  const declared = target.spec.settings?.max_new_leads_per_day;
  return decodeCap(declared === undefined ? shownSettings(target).max_new_leads_per_day : declared);
}

function sendingRules(target: Target, { before, after }: BeforeAfter, emails_per_day: Cap): KnownRules {
  const part = <Name extends keyof Content>(name: Name) => after[name] ?? before?.[name] ?? null;
  // An estimate: the service may give a new campaign other limits than the documented ones.
  const limit = (cap: Cap, initial: number | null) =>
    typeof cap === 'number' ? cap : cap === null && before === null ? initial : null;
  return {
    schedule: part('schedule')?.window ?? null,
    waits: activeSteps(part('sequence')).map(({ wait_in_days }) => wait_in_days),
    max_emails_per_day: limit(emails_per_day, DEFAULT_SETTINGS.max_emails_per_day),
    max_new_leads_per_day: limit(newLeadsAfter(target), DEFAULT_SETTINGS.max_new_leads_per_day),
  };
}
