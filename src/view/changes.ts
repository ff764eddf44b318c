import { isObject, type Json } from '../model/json.js';
import {
  type CampaignPlan,
  type Change,
  type ContentEmail,
  isDrift,
  NOT_KNOWN,
  type SectionName,
} from '../model/outputs.js';
import { SECTION_NAMES, TEXT_SETTINGS } from '../model/sections.js';
import { type DesiredStep, decodeStep } from '../model/spec.js';
import { count, label } from '../model/words.js';
import { areLong, shownSpaces } from './diffs.js';
import { visibleCopyLine, visibleLine } from './terminal.js';
import { longDate, scheduleLine, short } from './words.js';

/** The form of changes, for all views. */

/** By importance for recipients. */
export const SECTION_ORDER: readonly SectionName[] = [
  ...new Set<SectionName>(['campaign', 'status', 'sequence', 'schedule', ...SECTION_NAMES]),
];

export function groupSections<Any extends Change>(
  changes: readonly Any[],
): { section: SectionName; changes: Any[] }[] {
  return SECTION_ORDER.map((section) => ({
    section,
    changes: changes.filter((change) => change.section === section),
  })).filter((group) => group.changes.length > 0);
}

/** A change in one line, in several, or as an addition or removal. `line` is never cut. */
export type ChangeView = { note: string } & (
  | { form: 'update'; name: string; from: Json; to: Json }
  | { form: 'text'; name: string; from: string; to: string }
  | { form: 'value'; isNew: boolean; name: string; value: Json }
  | { form: 'line'; line: string }
  | { form: 'email'; isNew: boolean; name: string; step: DesiredStep }
  | { form: 'sequence'; title: string; steps: DesiredStep[] }
);

export function viewChanges(changes: readonly Change[]): ChangeView[] {
  return changes.filter(({ section, kind }) => section !== 'campaign' || kind === 'update').map(viewChange);
}

/** An unknown value is not shown as null. */
export function shownBefore({ section, kind, from, note }: Change): Json {
  if (from !== null) return from;
  if (section === 'status') return kind === 'add' ? 'draft' : 'not shown';
  return note === NOT_KNOWN ? 'not known' : from;
}

function viewChange(change: Change): ChangeView {
  const { section, path, kind, to, note: written } = change;
  const from = shownBefore(change);
  const note = written ?? '';
  const isNew = kind === 'add';
  const value = isNew ? to : from;
  if (section === 'status') return { form: 'update', name: '', from, to, note };
  if (section === 'leads') {
    const noun = path === 'lists' ? 'lead list' : 'individual lead';
    const name = count(Array.isArray(to) ? to.length : 0, noun);
    // The note of lead lists holds their names.
    return { form: 'value', isNew: true, name, value: written ?? to, note: '' };
  }
  if (section === 'sequence' && path === '' && isObject(to))
    return { form: 'sequence', title: short(to.title ?? null), steps: stepsIn(to), note };
  if (path === '' && isObject(to)) return { form: 'line', line: scheduleLine(to), note };
  const name = label(path);
  if (kind !== 'update')
    return isObject(value)
      ? { form: 'email', isNew, name, step: decodeStep(value), note }
      : { form: 'value', isNew, name, value, note };
  return areLong(from, to)
    ? { form: 'text', name, from: String(from), to: String(to), note }
    : { form: 'update', name, from, to, note };
}

/** Texts for recipients. */
const COPY: ReadonlySet<string> = new Set(['email_subject', 'email_body', ...TEXT_SETTINGS]);

/** Recipients' texts keep typographic spaces. */
export function showing(name: string): (text: string) => string {
  return COPY.has(/[a-z_]*$/.exec(name)?.[0] ?? '') ? visibleCopyLine : visibleLine;
}

/** Both values on a line; blanks are marked if only white space differs. */
export function shownPair({ name, from, to }: { name: string; from: Json; to: Json }, width: number) {
  const both = [from, to].map((value) => short(value, width, showing(name)));
  const [before, after] = both.map((text) => text.replace(/\s/g, ''));
  const isSpace = before === after && typeof from === 'string' && typeof to === 'string';
  const pair = isSpace ? [from, to].map((value) => short(shownSpaces(value), width)) : both;
  return [pair[0] ?? '', pair[1] ?? ''] as const;
}

function stepsIn(sequence: Json): DesiredStep[] {
  return isObject(sequence) && Array.isArray(sequence.steps) ? sequence.steps.map(decodeStep) : [];
}

/** "as a reply, then wait 3 days" */
export function howSent({ thread_reply, wait_in_days }: ContentEmail): string {
  return `${thread_reply ? 'as a reply, ' : ''}then wait ${count(wait_in_days, 'day')}`;
}

/** "3 emails", "email 1, 3", "max_emails_per_day 300 → 200": differences, except leads. */
export function themesOf({ action, changes }: CampaignPlan): string[] {
  const of = (section: SectionName) => changes.filter((change) => change.section === section);
  const sequence = of('sequence').map(({ path }) => path);
  const edited = new Set(sequence.flatMap((path) => /^steps\[(\d+)\]/.exec(path)?.[1] ?? []));
  const whole = changes.find(({ section, path }) => section === 'sequence' && path === '')?.to ?? null;
  const emails = stepsIn(whole).length;
  const schedule = new Set(
    of('schedule').map(({ path, to }) => (path === '' && isObject(to) ? scheduleLine(to) : 'schedule')),
  );
  return [
    ...(emails > 0 ? [count(emails, 'email')] : []),
    ...(edited.size > 0 ? [`email ${[...edited].map((index) => Number(index) + 1).join(', ')}`] : []),
    ...(sequence.includes('title') ? ['title'] : []),
    ...schedule,
    // A new campaign sets all.
    ...(action === 'create' ? [] : settingsTheme(of('settings'))),
  ];
}

/** A single setting with its values; several as a number. */
function settingsTheme(changes: readonly Change[]): string[] {
  const [only] = changes;
  if (only === undefined) return [];
  if (changes.length > 1) return [count(changes.length, 'setting')];
  return [`${only.path} ${short(shownBefore(only), 20)} → ${short(only.to, 20)}`];
}

/** "list 77, 340 individual leads" */
export function leadWords({ changes }: CampaignPlan): string | null {
  const parts = changes
    .filter(({ section }) => section === 'leads')
    .map(({ path, to, note }) => {
      const number = Array.isArray(to) ? to.length : 0;
      if (path !== 'lists') return count(number, 'individual lead');
      return number > 2 ? count(number, 'lead list') : `list ${short(note ?? to, 60)}`;
    });
  return parts.length === 0 ? null : parts.join(', ');
}

export const OUTSIDE = 'changed outside campaignctl';
const IN_BOTH = 'changed in the manifest and outside campaignctl';

/** `null` if only the manifest changed. */
export function driftOf(changes: CampaignPlan['changes']): string | null {
  const drifted = changes.filter(isDrift);
  if (drifted.length === 0) return null;
  return drifted.every(({ origin }) => origin === 'both') ? IN_BOTH : OUTSIDE;
}

/** False if blocked or held back, and for drift. */
export function isSent({ action, steps }: CampaignPlan, section: SectionName): boolean {
  return action === 'drift' || steps.some((step) => step.section === section);
}

/** Apply sends all that was changed outside campaignctl. */
export function isUndone(campaign: CampaignPlan): boolean {
  const drifted = campaign.changes.filter(isDrift);
  return campaign.action !== 'drift' && drifted.every(({ section }) => isSent(campaign, section));
}

/** "changed outside campaignctl since the last apply on 12 May 2026"; `null` if nothing was. */
export function originLine(campaign: CampaignPlan): string | null {
  const { action, changes, last } = campaign;
  const whose = driftOf(changes);
  if (whose === null || last === null) return null;
  const what = isMixed(campaign) && action !== 'drift' ? `partly ${OUTSIDE}` : whose;
  // Days in UTC.
  return `${what} since ${last.how === 'import' ? 'it was imported' : 'the last apply'} on ${longDate(last.at)}`;
}

/** Marks changes made outside campaignctl if origins differ. */
export function markedChanges(campaign: CampaignPlan): Change[] {
  if (!isMixed(campaign)) return campaign.changes;
  return campaign.changes.map((change) => {
    if (!isDrift(change) || (campaign.action === 'drift' && change.origin === 'service')) return change;
    const mark = change.origin === 'both' ? IN_BOTH : OUTSIDE;
    return { ...change, note: change.note === null ? mark : `${change.note}; ${mark}` };
  });
}

function isMixed({ changes }: CampaignPlan): boolean {
  return new Set(changes.map(({ origin }) => origin)).size > 1 && changes.some(isDrift);
}
