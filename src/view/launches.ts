/** What a launch does, in numbers that a person can decide on. Every view takes its words from here. */
import { groupBy } from '../model/json.js';
import { type CampaignPlan, type Cap, type Impact, isLaunched } from '../model/outputs.js';
import { DEFAULT_SETTINGS } from '../model/sections.js';
import { capWords, sumVolume } from '../model/volume.js';
import { count, dayOf, leadsNamed, listed, thousands } from '../model/words.js';
import { capital, plainName } from './words.js';

/** Settings that a launch should not have by accident: "no unsubscribe link", "open tracking on". Omits what is not known. */
export function launchConcerns({ impact }: Pick<CampaignPlan, 'impact'>): string[] {
  return [
    ...(impact?.can_unsubscribe === false ? [NO_UNSUBSCRIBE_LINK] : []),
    ...(impact?.open_tracking === true ? [OPEN_TRACKING] : []),
  ];
}

/** The same settings, which apply changes without a launch. */
export function changedConcerns(campaign: CampaignPlan): string[] {
  const { action, changes, steps } = campaign;
  const isSent = steps.some(({ section }) => section === 'settings');
  if (!isSent || isLaunched(campaign) || action === 'create' || action === 'drift') return [];
  const sets = (name: string, value: boolean) =>
    changes.some(({ path, to }) => path === name && to === value);
  return [
    ...(sets('can_unsubscribe', false) ? [NO_UNSUBSCRIBE_LINK] : []),
    ...(sets('open_tracking', true) ? [OPEN_TRACKING] : []),
  ];
}

export const NO_UNSUBSCRIBE_LINK = 'no unsubscribe link';
export const OPEN_TRACKING = 'open tracking on';

/** "No unsubscribe link: Spring, Autumn", "Open tracking on: all launches" */
export function concernLines(
  launched: readonly CampaignPlan[],
  nameOf: (campaign: CampaignPlan) => string,
): string[] {
  return [NO_UNSUBSCRIBE_LINK, OPEN_TRACKING].flatMap((concern) => {
    const names = launched.filter((campaign) => launchConcerns(campaign).includes(concern));
    const isAll = names.length === launched.length && names.length > 1;
    const which = isAll ? 'all launches' : listed(names.map(nameOf));
    return names.length === 0 ? [] : [`${capital(concern)}: ${which}`];
  });
}

/** The words of a launch for a table. An empty text stands for what is not known. */
export interface LaunchCells {
  people: string;
  emails: string;
  firstDay: string;
  first: string;
  last: string;
  cap: string;
}

/** True if the schedule and the limits allow no email. */
export function sendsNothing({ timezone, first }: Impact): boolean {
  return timezone !== null && first === null;
}

/** True only if it is known that nobody gets an email. */
export function hasNoLeads({ people, partway, and_more }: Impact): boolean {
  return people === 0 && partway === 0 && !and_more;
}

/**
 * "12 people get 36 emails, 12 on the first day, if applied now from Mon 2 Mar 09:00 to Fri 3 Apr 2026 (Europe/Paris); cap 200
 * a day". Omits what is not known.
 */
export function launchLine(impact: Impact): string {
  const { timezone, first, emails_per_day } = impact;
  const zone = timezone === null ? '' : ` (${timezone})`;
  if (sendsNothing(impact)) {
    const cause = emails_per_day === 0 ? 'max_emails_per_day is 0' : 'its schedule and limits allow no email';
    return `launches but sends nothing: ${cause}${zone}`;
  }
  const cap = capPerDay(emails_per_day);
  if (hasNoLeads(impact)) {
    const start = first === null ? '' : `; if applied now, not before ${startWords(first)}${zone}`;
    return `nobody gets an email yet, because no leads are known${start}; ${cap}`;
  }
  const day = firstDayWords(impact);
  const dates = dateWords(impact);
  return [
    `${peopleWords(impact)}${leadSources(impact)} ${isOne(impact) ? 'gets' : 'get'} ${emailWords(impact)}`,
    ...(day === '' ? [] : [`${day} on the first day`]),
    ...(dates === '' ? [] : [`if applied now ${dates}${zone}`]),
  ]
    .join(', ')
    .concat(`; ${cap}`);
}

/** "1,200 people", "installers-fr (size unknown) and 2 people", "50 people and up to 2,400 who are partway through". */
export function peopleWords(impact: Impact): string {
  const { people, partway, unknown_lists, refilled_lists = [], and_more, resumed } = impact;
  const others = [
    ...unknown_lists.map((name) => `lead list ${plainName(name)} (size unknown)`),
    ...refilled_lists.map((name) => `lead list ${plainName(name)} again (how many are new is unknown)`),
  ];
  const isAtLeast = and_more && others.length === 0;
  const isUnknown = people === null || (people === 0 && and_more);
  const counted = isUnknown ? 'an unknown number of people' : peopleCount(people, isAtLeast);
  const isShown = people !== 0 || others.length === 0;
  const halfway = partway === null ? 'others' : `up to ${thousands(partway)}`;
  return enumerated([
    ...others,
    ...(isShown ? [counted] : []),
    ...(resumed && partway !== 0 ? [`${halfway} who are partway through`] : []),
  ]);
}

const MAX_LISTED = 8;

/** "a, b and c" */
function enumerated(words: readonly string[]): string {
  const last = words.length > MAX_LISTED ? `${words.length - MAX_LISTED} more` : words.at(-1);
  const others = words.slice(0, Math.min(words.length - 1, MAX_LISTED));
  return [...(others.length === 0 ? [] : [others.join(', ')]), last].join(' and ');
}

function peopleCount(number: number, isAtLeast: boolean): string {
  return `${isAtLeast ? 'at least ' : ''}${count(number, 'person', 'people')}`;
}

function isOne({ people, partway, unknown_lists }: Impact): boolean {
  return (
    partway === 0 && (people === 1 ? unknown_lists.length === 0 : people === 0 && unknown_lists.length === 1)
  );
}

/** True if more people may get emails than those that are counted. */
function isOpenEnded({ and_more, resumed, partway }: Impact): boolean {
  return and_more || (resumed && partway !== 0);
}

function emailWords(impact: Impact): string {
  const { emails } = impact;
  if (emails === null) return 'an unknown number of emails';
  return `${isOpenEnded(impact) ? 'at least ' : ''}${count(emails, 'email')}`;
}

function firstDayWords(impact: Impact): string {
  const { first_day } = impact;
  if (first_day === null) return '';
  return `${isOpenEnded(impact) ? 'up to ' : ''}${thousands(first_day)}`;
}

/** "from Mon 2 Mar 09:00 to Fri 3 Apr 2026", if applied now. */
function dateWords(impact: Impact): string {
  const { first, last, emails } = impact;
  if (first === null) return '';
  if (last !== null && dayOf(last) === dayOf(first)) return `on ${startWords(first)}`;
  if (last !== null) return `from ${startWords(first, yearOf(first) !== yearOf(last))} to ${dayWords(last)}`;
  const isEndless = emails !== null && !impact.and_more && !impact.resumed;
  return `from ${startWords(first)} on${isEndless ? ' for more than 10 years' : ''}`;
}

function yearOf(stamp: string): string {
  return stamp.slice(0, 4);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** `2026-03-02…` → "Mon 2 Mar 2026" */
export function dayWords(stamp: string, hasYear = true): string {
  const date = new Date(dayOf(stamp));
  if (Number.isNaN(date.getTime())) return stamp;
  const weekday = date.toUTCString().slice(0, 3);
  const year = hasYear ? ` ${date.getUTCFullYear()}` : '';
  return `${weekday} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}${year}`;
}

/** Above the sum of the days that are known. */
export function togetherWords(isPartial: boolean): string {
  return isPartial ? 'together, without those not known' : 'together';
}

export function dayCell(emails: number): string {
  return emails === 0 ? '–' : thousands(emails);
}

/** `2026-03-02T09:00…` → "Mon 2 Mar 2026 09:00" */
function startWords(stamp: string, hasYear = true): string {
  return `${dayWords(stamp, hasYear)} ${stamp.slice(11, 16)}`;
}

const DEFAULT_CAP = Number(DEFAULT_SETTINGS.max_emails_per_day);

export function capPerDay(cap: Cap): string {
  if (cap === null) return `daily cap not known (documented default ${thousands(DEFAULT_CAP)})`;
  return cap === 'unlimited' ? 'no daily cap' : `cap ${thousands(cap)} a day`;
}

/**
 * " (lead list installers-fr (id 77) and 2 individual leads (5, 6))", with the reason if there may be others; empty if nothing is
 * known. Omits lists of unknown size.
 */
function leadSources(impact: Impact): string {
  const { list_names, unknown_lists, ids } = impact;
  const counted = list_names.filter((name) => !unknown_lists.includes(name));
  const lists = `lead list${counted.length === 1 ? '' : 's'} ${counted.join(', ')}`;
  const kinds = [...(counted.length > 0 ? [lists] : []), ...(ids.length > 0 ? [leadsNamed('ids', ids)] : [])];
  const parts = [...(kinds.length === 0 ? [] : [enumerated(kinds)]), ...uncountedReason(impact)];
  return parts.length === 0 ? '' : ` (${parts.join('; ')})`;
}

/** Why the number is only the least, unless a list of unknown size is the reason, which is named. */
function uncountedReason({ people, and_more, unknown_lists, refilled_lists = [] }: Impact): string[] {
  if (!and_more || unknown_lists.length + refilled_lists.length > 0) return [];
  return [
    people
      ? 'the service does not show whether others were added in its web app'
      : "the service does not show the campaign's leads",
  ];
}

/** Dates of a later year than the first one have their year, and starts their city if the time zones differ. */
export function launchCells(impacts: readonly (Impact | null)[]): LaunchCells[] {
  const [first = ''] = impacts.flatMap((impact) => impact?.first ?? []).sort();
  const zones = new Set(impacts.flatMap((impact) => (impact?.first ? (impact.timezone ?? []) : [])));
  return impacts.map((impact) => {
    if (impact === null) return NO_CELLS;
    const cells = cellsOf(impact, yearOf(first));
    const city = impact.timezone?.split('/').at(-1)?.replaceAll('_', ' ') ?? '';
    return zones.size < 2 || cells.first === '' || city === ''
      ? cells
      : { ...cells, first: `${cells.first} ${city}` };
  });
}

const NO_CELLS: LaunchCells = { people: '', emails: '', firstDay: '', first: '', last: '', cap: '' };

function cellsOf(impact: Impact, year: string): LaunchCells {
  const { people, and_more, emails, first_day, first, last, emails_per_day } = impact;
  const atLeast = (number: number | null, isAtLeast: boolean) =>
    number === null ? '' : `${isAtLeast ? '≥ ' : ''}${thousands(number)}`;
  const isNone = hasNoLeads(impact);
  return {
    people: isNone ? '0' : people === 0 && and_more ? 'unknown' : atLeast(people, and_more) || 'unknown',
    emails: isNone ? '0' : atLeast(emails, isOpenEnded(impact)) || 'unknown',
    firstDay: first_day === null || isNone ? '' : `${isOpenEnded(impact) ? '≤ ' : ''}${thousands(first_day)}`,
    first:
      first === null ? (sendsNothing(impact) ? '' : 'not known') : startWords(first, yearOf(first) !== year),
    last: last === null ? (sendsNothing(impact) ? '' : 'not known') : dayWords(last, yearOf(last) !== year),
    cap:
      emails_per_day === null
        ? 'not known'
        : emails_per_day === 'unlimited'
          ? 'none'
          : thousands(emails_per_day),
  };
}

/** "5 launches", "1 resumed campaign" */
export function launchCounts(launched: readonly Pick<CampaignPlan, 'impact'>[]): string[] {
  const resumed = launched.filter(isResumed).length;
  const started = launched.length - resumed;
  return [
    ...(started > 0 || resumed === 0 ? [count(started, 'launch', 'launches')] : []),
    ...(resumed > 0 ? [count(resumed, 'resumed campaign')] : []),
  ];
}

export function isResumed({ impact }: Pick<CampaignPlan, 'impact'>): boolean {
  return impact?.resumed === true;
}

/**
 * "5 launches · 15 people · 30 emails · first Mon 2 Mar 2026 09:00; together up to 890 emails a day"; "at least" where a size
 * is unknown. `placeOf`: the project; lead ids of different projects are different people.
 */
export function launchTotals(
  launched: readonly Pick<CampaignPlan, 'impact' | 'manifest'>[],
  placeOf: (manifest: string) => string = () => '',
): string {
  const sending = launched.flatMap(({ impact, manifest }) =>
    impact === null || sendsNothing(impact) ? [] : [{ ...impact, place: placeOf(manifest) }],
  );
  const known = launched.flatMap(({ impact }) => impact ?? []);
  const impacts: readonly Impact[] = sending;
  const { people, shared, isExact } = countPeople(sending);
  const emails = impacts.reduce((total, impact) => total + (impact.emails ?? 0), 0);
  const total = (number: number, isAtLeast: boolean, words: string, plural: string) =>
    number === 0 && isAtLeast ? null : `${isAtLeast ? 'at least ' : ''}${count(number, words, plural)}`;
  const totals = (people: string | null, emails: string | null) =>
    people === null && emails === null
      ? ['unknown number of people and emails']
      : [`${people ?? 'unknown number of people'}${shared}`, emails ?? 'unknown number of emails'];
  const isPartial = launched.length > known.length;
  const hasMore = isPartial || impacts.some((impact) => impact.people === null || impact.and_more);
  const hasMoreEmails =
    hasMore ||
    impacts.some((impact) => isOpenEnded(impact) || (impact.emails === null && !hasNoLeads(impact)));
  const starts = impacts.flatMap(({ first, timezone }) => (first === null ? [] : [{ first, timezone }]));
  const [first] = starts.sort((a, b) => Date.parse(a.first) - Date.parse(b.first));
  const volume = sumVolume(
    launched.map(({ impact }) => impact?.emails_per_day ?? null),
    null,
  );
  const numbers = [
    ...launchCounts(launched),
    ...totals(
      total(people, hasMore || !isExact, 'person', 'people'),
      total(emails, hasMoreEmails, 'email', 'emails'),
    ),
    ...(first === undefined
      ? []
      : [`first ${startWords(first.first)}${first.timezone === null ? '' : ` (${first.timezone})`}`]),
  ].join(' · ');
  const isKnown = volume.unlimited > 0 || volume.not_shown < volume.running;
  const caps = launched.length > 1 ? 'daily caps together: ' : 'daily cap: ';
  return `${numbers}; ${isKnown ? caps : ''}${capWords(volume)}`;
}

/**
 * A person in several campaigns counts once. The service may have dropped some of the leads that a campaign shares: then the
 * number is the least that is sure. `shared`: ", 1 of them in two campaigns", or empty.
 */
function countPeople(impacts: readonly (Impact & { place: string })[]) {
  const leads = impacts.map(({ place, ids }) => ids.map((id) => `${place} ${id}`));
  const places = groupBy(leads.flat(), (lead) => lead);
  const isShared = (lead: string) => (places.get(lead)?.length ?? 0) > 1;
  const seen = new Set<string>();
  let people = 0;
  for (const [at, impact] of impacts.entries()) {
    const own = leads[at] ?? [];
    const again = own.filter((lead) => seen.has(lead)).length;
    people += Math.max(0, (impact.people ?? 0) - Math.min(again, people));
    for (const lead of own) seen.add(lead);
  }
  const shared = [...seen].filter(isShared);
  const most = Math.max(0, ...shared.map((lead) => places.get(lead)?.length ?? 0));
  const isExact = impacts.every(
    (impact, at) => impact.people === impact.ids.length || !leads[at]?.some(isShared),
  );
  const where = most > 2 ? 'several campaigns' : 'two campaigns';
  return {
    people,
    isExact,
    shared: most === 0 ? '' : `, ${thousands(shared.length)} of them in ${where}`,
  };
}
