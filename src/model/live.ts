/** A campaign as the service shows it, decoded once per reading. */
import type { ListedCampaign } from './answer.js';
import { UnreadableAnswer } from './failure.js';
import { greater } from './json.js';
import type { ContentEmail, SendingHours } from './outputs.js';
import type { SomeSettings } from './sections.js';

/**
 * `none`: the service says that there is none. `none-shown`: it answered with an error status, which may also be a fault: only
 * for a part that was never set does it prove that there is none. `answered`: how it said so, such as `HTTP 404` or `null`.
 */
export type Shown<T> =
  | { is: 'shown'; endpoint: string; value: T }
  | { is: 'none' | 'none-shown'; endpoint: string; answered: string }
  | { is: 'not-read' }
  | { is: 'unreadable'; error: UnreadableAnswer };

export const NOT_READ = { is: 'not-read' } as const;

/** `null` if nothing is shown, or if it was not read. Throws if it is unreadable, which never counts as empty. */
export function shownValue<T>(part: Shown<T>): T | null {
  if (part.is === 'unreadable') throw part.error;
  return part.is === 'shown' ? part.value : null;
}

/** True if the service says that there is none, or answered with an error status. */
export function isNone<T>(part: Shown<T>): part is Extract<Shown<T>, { answered: string }> {
  return part.is === 'none' || part.is === 'none-shown';
}

/** `title`: `null` if not shown. No steps means no sequence. Strings are as stored. */
export interface LiveSequence {
  title: string | null;
  steps: LiveStep[];
}

/** Names of files; `null` for a file whose name is not shown. Manifests cannot hold files. */
export type Attachments = readonly (string | null)[];

/** The API can neither switch an email off nor on. */
export type LiveEmail = ContentEmail & { id: number; attachments?: Attachments };
export type LiveStep = LiveEmail & { variants: LiveEmail[] };

/** The campaign's own record. Its fields are decoded one by one, because only those that a plan needs must be readable. */
export interface LiveRecord {
  name: Shown<string>;
  status: Shown<string>;
  settings: Shown<SomeSettings>;
  total_leads: number | null;
  leads_contacted: number | null;
  /** True if it shows sent emails or contacted leads. */
  hasSent: boolean;
  /** Manifests cannot hold either. `domainLimit`: emails a day to one receiving domain; `null` if there is no limit. */
  tags: readonly string[];
  domainLimit: number | null;
  /** True if the campaign's list row stands for its record. */
  isRow: boolean;
}

/** The responses about one campaign, decoded. */
export interface LiveParts {
  campaign: Shown<LiveRecord>;
  schedule: Shown<SendingHours>;
  sequence: Shown<LiveSequence>;
}

export const UNREAD: LiveParts = { campaign: NOT_READ, schedule: NOT_READ, sequence: NOT_READ };

/** A schedule template of the workspace. `hours`: `none` if the list shows no hours. */
export interface Template {
  id: number;
  hours: Shown<SendingHours>;
}

/** A campaign's row in the list, and whether the list shows a status for another campaign. */
export interface ListFacts {
  row: ListedCampaign | null;
  othersShowStatus: boolean;
}

/**
 * Everything that the service shows of a campaign. `total_leads`: the larger of the counts in its record and its row;
 * `null` if neither shows one. `leads_contacted`: `null` if not shown.
 */
export interface LiveCampaign extends ListFacts {
  record: LiveParts['campaign'];
  settings: Shown<SomeSettings>;
  schedule: Shown<SendingHours>;
  sequence: Shown<LiveSequence>;
  total_leads: number | null;
  leads_contacted: number | null;
  /** False if only the list was read. */
  isRead: boolean;
}

/** `parts`: `null` if only the list was read. */
export function liveCampaign(parts: LiveParts | null, { row, othersShowStatus }: ListFacts): LiveCampaign {
  const { campaign: record, schedule, sequence } = parts ?? UNREAD;
  const shown = record.is === 'shown' ? record.value : null;
  return {
    row,
    othersShowStatus,
    record,
    settings: settingsOf(record),
    schedule,
    sequence,
    total_leads: greater(shown?.total_leads ?? null, row?.total_leads ?? null),
    leads_contacted: shown?.leads_contacted ?? row?.numbers?.results.leads_contacted ?? null,
    isRead: parts !== null,
  };
}

/** The responses that were read. */
export function partsOf({ record: campaign, schedule, sequence }: LiveCampaign): LiveParts {
  return { campaign, schedule, sequence };
}

/** `null` if it was not read. Throws if there is none, because the campaign is known to exist. */
export function existingRecord({ record }: Pick<LiveCampaign, 'record'>): LiveRecord | null {
  if (isNone(record)) throw withoutRecord(record.endpoint);
  return shownValue(record);
}

function withoutRecord(endpoint: string): UnreadableAnswer {
  return new UnreadableAnswer(endpoint, 'expected an object', 'null');
}

function settingsOf(record: LiveParts['campaign']): Shown<SomeSettings> {
  if (record.is === 'shown') return record.value.settings;
  return isNone(record) ? { is: 'unreadable', error: withoutRecord(record.endpoint) } : record;
}

/** The status in a record; `null` if it shows none, or if there is no record. */
export function statusIn(record: LiveParts['campaign']): string | null {
  const shown = shownValue(record);
  return shown === null ? null : shownValue(shown.status);
}

/** The name in a record; `null` if it shows none that can be read. */
export function nameIn(record: LiveParts['campaign']): string | null {
  if (record.is !== 'shown') return null;
  const { name } = record.value;
  return name.is === 'shown' ? name.value : null;
}
