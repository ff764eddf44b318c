import { isObject, type Json } from '../model/json.js';
import type { Change, SectionName } from '../model/outputs.js';
import { SECTION_NAMES } from '../model/sections.js';
import { areLong } from './diffs.js';
import { count, scheduleLine, short } from './words.js';

/** What is said of a change, for every view that lists changes: its form is decided here, its marks and width there. */

/** All sections, by what they weigh for recipients. */
export const SECTION_ORDER: readonly SectionName[] = [
  ...new Set<SectionName>(['campaign', 'status', 'sequence', 'schedule', ...SECTION_NAMES]),
];

/** Changes by section, in the order in which sections are shown. */
export function groupSections<Any extends Change>(
  changes: readonly Any[],
): { section: SectionName; changes: Any[] }[] {
  return SECTION_ORDER.map((section) => ({
    section,
    changes: changes.filter((change) => change.section === section),
  })).filter((own) => own.changes.length > 0);
}

/** An email that comes or goes; `how` it is sent, in words. */
export interface ChangedEmail {
  subject: string;
  body: string;
  how: string;
  variants: ChangedEmail[];
}

/**
 * A change as it is written: another value in a line, another text that takes several, or what comes or goes. `line` is never
 * cut. The note may be empty.
 */
export type ChangeView = { note: string } & (
  | { form: 'update'; name: string; from: Json; to: Json }
  | { form: 'text'; name: string; from: string; to: string }
  | { form: 'value'; isNew: boolean; name: string; value: Json }
  | { form: 'line'; line: string }
  | { form: 'email'; isNew: boolean; name: string; email: ChangedEmail }
  | { form: 'sequence'; title: string; emails: ChangedEmail[] }
);

/** What is said of some changes; that a campaign is new is said elsewhere. */
export function viewChanges(changes: readonly Change[]): ChangeView[] {
  return changes.filter(({ section, kind }) => section !== 'campaign' || kind === 'update').map(viewChange);
}

function viewChange({ section, path, kind, from, to, note: said }: Change): ChangeView {
  const note = said ?? '';
  const isNew = kind === 'add';
  const value = isNew ? to : from;
  if (section === 'status') return { form: 'update', name: '', from: from ?? 'draft', to, note };
  if (section === 'leads') {
    const noun = path === 'lists' ? 'lead list' : 'individual lead';
    const name = count(Array.isArray(to) ? to.length : 0, noun);
    return { form: 'value', isNew: true, name, value: to, note };
  }
  if (section === 'sequence' && path === '' && isObject(to))
    return { form: 'sequence', title: short(to.title ?? null), emails: emailsIn(to.steps), note };
  if (path === '' && isObject(to)) return { form: 'line', line: scheduleLine(to), note };
  const name = label(path);
  if (kind !== 'update') {
    const [email] = emailsIn([value]);
    return email === undefined
      ? { form: 'value', isNew, name, value, note }
      : { form: 'email', isNew, name, email, note };
  }
  return areLong(from, to)
    ? { form: 'text', name, from: String(from), to: String(to), note }
    : { form: 'update', name, from, to, note };
}

function emailsIn(emails: Json | undefined): ChangedEmail[] {
  const all = Array.isArray(emails) ? emails.filter(isObject) : [];
  return all.map(({ email_subject, email_body, wait_in_days, thread_reply, variants }) => ({
    subject: String(email_subject),
    body: String(email_body),
    how: `${thread_reply === true ? 'as a reply, ' : ''}then wait ${count(Number(wait_in_days), 'day')}`,
    variants: emailsIn(variants),
  }));
}

/** `steps[1].variants[0].email_body` → `step 2, variant 1: email_body`. */
export function label(path: string): string {
  return path
    .replace(/^steps\[(\d+)\]/, (_, step) => `step ${Number(step) + 1}`)
    .replace(/\.variants\[(\d+)\]/, (_, variant) => `, variant ${Number(variant) + 1}`)
    .replace(/^(step \d+(?:, variant \d+)?)\.(.+)$/, '$1: $2');
}
