import { unseenDifference, withSelectorsMarked } from '../model/characters.js';
import { isObject, type Json } from '../model/json.js';
import {
  activeEmails,
  type CampaignPlan,
  type Change,
  type ContentEmail,
  type ContentStep,
  isDrift,
  NOT_KNOWN,
  type RefilledLists,
  type SectionName,
} from '../model/outputs.js';
import { SECTION_NAMES, TEXT_SETTINGS } from '../model/sections.js';
import { decodeStep } from '../model/spec.js';
import { count, idRanges, label, leadsNamed, thousands } from '../model/words.js';
import { areLong, shownSpaces } from './diffs.js';
import { visibleCopyLine, visibleLine } from './terminal.js';
import { cut, longDate, plainName, scheduleLine, short } from './words.js';

/** In order of importance to recipients. */
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

/** `email`: the label of the email that it changes; empty if it changes none, adds some or removes some. */
export type ChangeView = NamedChange & { email: string };

/**
 * A change shown on one line, on several lines, or as an addition or removal. Invisible characters are marked in `value`,
 * `whole` and `update`, but not in `text` and `emails`. `whole`: the value before it was shortened.
 */
type NamedChange = { name: string; note: string } & (
  | { form: 'update'; from: string; to: string }
  | { form: 'text'; from: string; to: string }
  | { form: 'value'; isNew: boolean; value: string; whole: string }
  | { form: 'emails'; isNew: boolean; emails: EmailView[] }
);

/** `label`: "Email 1, variant 1". `before`: what it replaces, if that is known and differs. `how`: when and how it is sent. */
export interface EmailView {
  label: string;
  email: ContentEmail;
  before: ContentEmail | null;
  how: string;
  isVariant: boolean;
}

export function viewChanges(changes: readonly Change[]): ChangeView[] {
  // Steps are added and removed at the end of a sequence.
  const steps = changes.map(({ path }) => Number(/^steps\[(\d+)\]$/.exec(path)?.[1] ?? -1));
  const lastStep = Math.max(...steps);
  return changes
    .filter(({ section, kind }) => section !== 'campaign' || kind === 'update')
    .map((change) => ({
      ...viewChange(change, change.path === `steps[${lastStep}]`),
      email: change.section === 'sequence' && /\]\.\w+$/.test(change.path) ? labelOf(change.path) : '',
    }));
}

/** The labels of the emails that it changes or adds. */
export function emailsOf(change: ChangeView): string[] {
  if (change.form === 'emails') return change.isNew ? change.emails.map(({ label }) => label) : [];
  return change.email === '' ? [] : [change.email];
}

/** An unknown value is not shown as null. */
export function shownBefore({ section, kind, from, note }: Change): Json {
  if (from !== null) return from;
  if (section === 'status') return kind === 'add' ? 'draft' : 'not shown';
  return note === NOT_KNOWN ? 'not known' : from;
}

function viewChange(change: Change, isLast: boolean): NamedChange {
  const { section, path, kind, to } = change;
  const from = shownBefore(change);
  const note = change.note ?? '';
  const isNew = kind === 'add';
  const value = isNew ? to : from;
  if (section === 'leads' && path === 'refill') return refilledView(change);
  if (section === 'leads') {
    const noun = path === 'lists' ? 'lead list' : 'individual lead';
    const ids = Array.isArray(to) ? to.map(Number) : [];
    // The note on a lead-list change contains the list names.
    const shown = shortened(change.note ?? idRanges(ids).join(', '));
    return { form: 'value', isNew: true, name: count(ids.length, noun), ...shown, note: '' };
  }
  const name = section === 'status' ? '' : label(path);
  if (section !== 'status' && kind !== 'update') {
    if (!isObject(value)) return { form: 'value', isNew, name, ...shortened(value, showing(name)), note };
    if (section === 'schedule')
      return { form: 'value', isNew, name, ...shortened(scheduleLine(value)), note };
    if (path !== '') return { form: 'emails', isNew, name: '', emails: emailsAt(path, value, isLast), note };
    const steps = stepsIn(value);
    const words = `"${short(value.title ?? null)}", ${count(steps.length, 'email')}`;
    return { form: 'emails', isNew, name: words, emails: emailViews(steps, true), note };
  }
  if (section !== 'status' && areLong(from, to))
    return { form: 'text', name, from: String(from), to: String(to), note };
  return { form: 'update', name, ...shownPair(name, from, to), note };
}

/** "1 lead list again installers-fr (id 77), refill 2026-11-27" */
function refilledView({ to, note }: Change): NamedChange {
  const refills = Array.isArray(to) ? to.filter(isObject) : [];
  const values = [...new Set(refills.map(({ refill }) => String(refill)))];
  const lists = note ?? refills.map(({ list }) => String(list)).join(', ');
  const shown = shortened(`${lists}, refill ${values.join(', ')}`);
  return {
    form: 'value',
    isNew: true,
    name: `${count(refills.length, 'lead list')} again`,
    ...shown,
    note: '',
  };
}

/** `first`: position of the first step. `isEnd`: true if the last step ends its sequence. */
export function emailViews(steps: readonly ContentStep[], isEnd: boolean, first = 0): EmailView[] {
  const last = isEnd ? steps.findLastIndex((step) => activeEmails(step).length > 0) : -1;
  return steps.flatMap(({ variants, ...email }, at) =>
    [email, ...variants].map((message, variant) => ({
      label: emailLabel(first + at, variant),
      email: message,
      before: null,
      how: howSent(message, at === last),
      isVariant: variant > 0,
    })),
  );
}

/** Adds what changed emails were before, from changes of their subjects and bodies. */
export function withBefore(emails: readonly EmailView[], changes: readonly Change[]): EmailView[] {
  const edits = changes.filter(
    ({ kind, path }) => kind === 'update' && /\.email_(?:subject|body)$/.test(path),
  );
  return emails.map((view) => {
    const own = edits.filter(({ path }) => labelOf(path) === view.label);
    const old = own.map(({ path, from }) => [path.replace(/^.*\./, ''), String(from ?? '')]);
    return own.length === 0 ? view : { ...view, before: { ...view.email, ...Object.fromEntries(old) } };
  });
}

/** A step with its variants, or a single variant: "steps[2]", "steps[0].variants[1]". */
function emailsAt(path: string, value: Json, isLast: boolean): EmailView[] {
  const [step = 0, variant = -1] = positionsIn(path);
  const views = emailViews([decodeStep(value)], isLast, step);
  return variant < 0 ? views : views.map((view) => ({ ...view, label: emailLabel(step, variant + 1) }));
}

function positionsIn(path: string): number[] {
  return (path.match(/\d+/g) ?? []).map(Number);
}

/** The label of the email that a path such as `steps[0].variants[1].email_body` belongs to. */
export function labelOf(path: string): string {
  const [step = 0, variant = -1] = positionsIn(path);
  return emailLabel(step, variant + 1);
}

/** Variant 0 is the step's own email. */
export function emailLabel(step: number, variant: number): string {
  return `Email ${step + 1}${variant === 0 ? '' : `, variant ${variant}`}`;
}

const LONGEST = 200;

function shortened(value: Json, show = visibleLine): { value: string; whole: string } {
  const whole = short(value, Number.POSITIVE_INFINITY, show);
  return { value: cut(whole, LONGEST), whole };
}

const COPY: ReadonlySet<string> = new Set(['email_subject', 'email_body', ...TEXT_SETTINGS]);

export function showing(name: string): (text: string) => string {
  return COPY.has(/[a-z_]*$/.exec(name)?.[0] ?? '') ? visibleCopyLine : visibleLine;
}

/** Shows each value on one line. Marks spaces and invisible characters if nothing else differs. */
function shownPair(name: string, from: Json, to: Json): { from: string; to: string } {
  const isText = typeof from === 'string' && typeof to === 'string';
  const isSpace = isText && from.replace(/\s/g, '') === to.replace(/\s/g, '');
  const isSelector = isText && unseenDifference(from, to) !== null;
  const shown = (value: Json) => {
    if (isSpace) return short(shownSpaces(String(value)), LONGEST);
    const whole = short(value, LONGEST, showing(name));
    return isSelector ? withSelectorsMarked(whole) : whole;
  };
  return { from: shown(from), to: shown(to) };
}

function stepsIn(sequence: Json): ContentStep[] {
  return isObject(sequence) && Array.isArray(sequence.steps) ? sequence.steps.map(decodeStep) : [];
}

export function howSent({ thread_reply, wait_in_days, active }: ContentEmail, isLast = false): string {
  if (active === false) return 'switched off';
  const wait = isLast ? 'the last email' : `then wait ${count(wait_in_days, 'day')}`;
  return `${thread_reply ? 'as a reply, ' : ''}${wait}`;
}

/**
 * "3 emails", "email 1, 3", "max_emails_per_day 300 → 200": differences, except leads. Those that apply leaves out come
 * last.
 */
export function listThemes(campaign: CampaignPlan): string[] {
  const themes = SECTION_ORDER.map((section) => ({
    words: sectionThemes(campaign, section),
    fate: fateOf(campaign, section),
  }));
  const groups = FATES.flatMap((fate) => {
    const words = themes.flatMap((theme) => (theme.fate === fate ? theme.words : []));
    return words.length === 0 ? [] : [{ fate, words }];
  });
  if (groups.every(({ fate }) => fate === 'will be applied')) return groups.flatMap(({ words }) => words);
  return groups.map(({ fate, words }) => `${fate}: ${words.join(', ')}`);
}

function sectionThemes({ action, changes, steps }: CampaignPlan, section: SectionName): string[] {
  const all = changes.filter((change) => change.section === section);
  switch (section) {
    case 'sequence':
      return sequenceThemes(all);
    case 'schedule':
      return [
        ...new Set(all.map(({ path, to }) => (path === '' && isObject(to) ? scheduleLine(to) : 'schedule'))),
      ];
    case 'settings':
      // A new campaign sets everything.
      return action === 'create' ? [] : settingsTheme(all);
    case 'status':
      return steps.some(({ stage }) => stage === 'launch') ? [] : all.flatMap(statusTheme);
    default:
      return [];
  }
}

/** "email 1, 3", "2 emails" */
export function editedEmails({ changes }: Pick<CampaignPlan, 'changes'>): string[] {
  const edits = changes.filter(({ section, path }) => section === 'sequence' && path !== 'title');
  return sequenceThemes(edits);
}

/** "timezone Europe/Paris → Europe/London", "days, start_time" */
export function editedSchedule({ changes }: Pick<CampaignPlan, 'changes'>): string {
  const edits = changes.filter(({ section }) => section === 'schedule');
  if (edits.length === 1 && edits[0]?.path !== '') return settingsTheme(edits).join('');
  return edits.map(({ path }) => path || 'schedule').join(', ');
}

function sequenceThemes(changes: readonly Change[]): string[] {
  const sequence = changes.map(({ path }) => path);
  const edited = new Set(sequence.flatMap((path) => /^steps\[(\d+)\]/.exec(path)?.[1] ?? []));
  const emails = stepsIn(changes.find(({ path }) => path === '')?.to ?? null).length;
  return [
    ...(emails > 0 ? [count(emails, 'email')] : []),
    ...(edited.size > 0 ? [`email ${[...edited].map((index) => Number(index) + 1).join(', ')}`] : []),
    ...(sequence.includes('title') ? ['title'] : []),
  ];
}

export function statusTheme(change: Change): string[] {
  if (change.kind !== 'update') return [];
  return [`status ${short(shownBefore(change))} → ${short(change.to)}`];
}

const MAX_SETTINGS = 3;

function settingsTheme(changes: readonly Change[]): string[] {
  if (changes.length > MAX_SETTINGS) return [count(changes.length, 'setting')];
  return changes.map(
    (change) => `${change.path} ${short(shownBefore(change), 40)} → ${short(change.to, 40)}`,
  );
}

export function leadWords({ changes, refill }: CampaignPlan): string | null {
  const parts = changes
    .filter(({ section }) => section === 'leads')
    .map(({ path, to, note }) => {
      if (path === 'refill') return refill === undefined ? 'lead lists again' : refillWords(refill);
      const ids = Array.isArray(to) ? to.map(Number) : [];
      if (path !== 'lists') return leadsNamed('ids', ids);
      return `lead list${ids.length === 1 ? '' : 's'} ${note ?? ids.join(', ')}`;
    });
  return parts.length === 0 ? null : parts.join(', ');
}

/**
 * "lead list installers-fr again: 2,450 known, the service skips those it has". The service shows only the number of all leads of the
 * campaign.
 */
function refillWords({ lists, list_names, leads, has_others, skips }: RefilledLists): string {
  const known =
    leads === null
      ? 'the number of its leads is not shown'
      : has_others
        ? `the campaign has ${count(leads, 'lead')}`
        : `${thousands(leads)} known`;
  const effect = skips ? 'the service skips those it has' : 'they may be attached twice';
  const names = list_names.map(plainName).join(', ');
  return `lead list${lists.length === 1 ? '' : 's'} ${names} again: ${known}, ${effect}`;
}

export const OUTSIDE = 'changed outside campaignctl';
const IN_BOTH = 'changed in the manifest and outside campaignctl';

/** True if apply does not send the changes of a section, because they are blocked or held back. */
export function isWithheld({ action, steps }: CampaignPlan, section: SectionName): boolean {
  return action !== 'drift' && !steps.some((step) => step.section === section);
}

const FATES = ['will be applied', 'will not be applied', 'cannot be applied'] as const;
export type Fate = (typeof FATES)[number];

/** A launch that is held could be applied. */
export function fateOf(campaign: CampaignPlan, section: SectionName): Fate {
  if (!isWithheld(campaign, section)) return 'will be applied';
  return section === 'status' ? 'will not be applied' : 'cannot be applied';
}

/** True if apply would undo every change made outside campaignctl. */
export function isUndone(campaign: CampaignPlan): boolean {
  const drifted = campaign.changes.filter(isDrift);
  return campaign.action !== 'drift' && !drifted.some(({ section }) => isWithheld(campaign, section));
}

/** Returns `null` if nothing changed outside campaignctl. */
export function originLine({ action, changes, last }: CampaignPlan): string | null {
  const drifted = changes.filter(isDrift);
  if (drifted.length === 0 || last === null) return null;
  const isPart = action !== 'drift' && drifted.length < changes.length;
  const whose = drifted.every(({ origin }) => origin === 'both') ? IN_BOTH : OUTSIDE;
  // The day is in UTC.
  return `${isPart ? `partly ${OUTSIDE}` : whose} since ${last.how === 'import' ? 'it was imported' : 'the last apply'} on ${longDate(last.at)}`;
}

/** If the changes have different origins, marks those made outside campaignctl. */
export function markedChanges({ action, changes }: CampaignPlan): Change[] {
  if (new Set(changes.map(({ origin }) => origin)).size < 2) return changes;
  return changes.map((change) => {
    if (!isDrift(change) || (action === 'drift' && change.origin === 'service')) return change;
    const mark = change.origin === 'both' ? IN_BOTH : OUTSIDE;
    return { ...change, note: change.note === null ? mark : `${change.note}; ${mark}` };
  });
}
