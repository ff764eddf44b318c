/** Decides whether a campaign is sending, or ever was. Others use its `Status`, and ask what a word means. */
import type { ListedCampaign } from '../model/answer.js';
import type { Environment, StatusWords } from '../model/environment.js';
import { isNone, type LiveCampaign, statusIn } from '../model/live.js';
import type { Step } from '../model/outputs.js';
import { type RecordedState, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import type { Meaning, Status, StatusDoubt, Target } from '../model/target.js';

/**
 * Uses the status in the record and in the list row, and prefers the one that indicates sending. If neither shows one, what
 * campaignctl did last counts.
 */
export function statusOf({ id, live, environment, recorded }: Target): Status {
  if (id === null) return NEW;
  const [shown] = shownStatuses(live, environment);
  if (shown !== null) return statusAsShown(shown, recorded, environment);
  // What campaignctl did last says nothing about a campaign that is not there.
  if (live !== null && isNone(live.record)) return unknownStatus(null);
  return statusAsSet(recorded, live?.othersShowStatus === true);
}

/** Like `statusOf`, where only the list was read. An `entry` of another campaign counts as none. */
export function statusInList(
  { id, status }: ListedCampaign,
  entry: StateEntry | null,
  { environment, listed }: { environment: Environment; listed: readonly ListedCampaign[] },
): Status {
  const recorded = entry?.id === id ? entry.recorded : UNKNOWN_STATE;
  return status === null
    ? statusAsSet(recorded, othersShowStatus(id, listed))
    : statusAsShown(status, recorded, environment);
}

/** True if the word is the status that the state last knew: in the list when the campaign was in sync, or as last set. */
export function isKnownStatus(word: string, recorded: RecordedState, { service }: Environment): boolean {
  const { seen, status, has_run, launched = false } = recorded;
  if (seen !== null) return seen.listed.status === word;
  const meaning = classifyStatus(word, service.statuses);
  if (isDraft(word)) return has_run === false && status !== 'running';
  if (meaning === 'running') return launched && status === 'running';
  return meaning === 'stopped' && !launched && status === 'paused' && has_run === true;
}

/** The status of a campaign for which the service shows this word; `null` if it shows none. */
export function statusOfWord(
  word: string | null,
  entry: StateEntry | null,
  environment: Environment,
): Status {
  const recorded = entry?.recorded ?? UNKNOWN_STATE;
  return word === null ? unknownStatus(null) : statusAsShown(word, recorded, environment);
}

/** A campaign that has run cannot be a draft: the response is outdated, and the campaign may be sending. */
function statusAsShown(word: string, recorded: RecordedState, environment: Environment): Status {
  if (!isDraft(word) || recorded.launched !== true) return statusBy(word, environment);
  return { ...toStatus('unknown', word), basis: 'shown', doubt: 'draft_again' };
}

/** Only `resume` and `pause` change whether a campaign runs, so a status that is not shown is what campaignctl did last. */
function statusAsSet(recorded: RecordedState, othersShowStatus: boolean): Status {
  const { status, status_at = null, status_shown = false, has_run } = recorded;
  const isNew = has_run === false && status !== 'running';
  if (status_shown) return unknownStatus('shown_before');
  if (status === null && !isNew) return unknownStatus(has_run === true ? 'in_doubt' : 'not_set');
  // Some services show a status only after the first launch.
  if (status === 'running' && othersShowStatus) return unknownStatus('shown_elsewhere');
  const word = isNew ? 'draft' : (status ?? 'paused');
  const meaning = status === 'running' ? 'running' : 'stopped';
  return { ...toStatus(meaning, word), basis: 'set', since: isNew ? null : status_at };
}

function unknownStatus(doubt: StatusDoubt | null): Status {
  return { ...toStatus('unknown', null), doubt };
}

/** The status that a word names, whatever the state knows. */
function statusBy(word: string | null, { service }: Environment): Status {
  if (word === null) return unknownStatus(null);
  return { ...toStatus(classifyStatus(word, service.statuses), word), basis: 'shown' };
}

function toStatus(meaning: Meaning, word: string | null): Status {
  const sends = SENDS[meaning];
  return {
    sends,
    word,
    meaning,
    basis: 'unknown',
    since: null,
    doubt: null,
    isDraft: isDraft(word),
    failed: word !== null && normalized(word) === 'failed',
    mails: meaning !== 'stopped' && meaning !== 'gone',
    provesRun: sends === 'yes' || meaning === 'finished',
  };
}

/** False if the manifest does not say `running`, or if the campaign already satisfies it according to the list and the state. */
export function mayLaunch(
  { spec, row, entry }: Target,
  list: { environment: Environment; listed: readonly ListedCampaign[] },
): boolean {
  if (spec.status !== 'running') return false;
  const { meaning } = row === null ? unknownStatus(null) : statusInList(row, entry, list);
  return !['running', 'starting', 'finished'].includes(meaning);
}

const SENDS: Record<Meaning, Status['sends']> = {
  running: 'yes',
  starting: 'yes',
  unknown: 'unknown',
  finished: 'no',
  stopped: 'no',
  gone: 'no',
};

/** The record's word, unless it is missing or the row's word is known and indicates sending more strongly. */
function shownWord(record: string | null, row: string | null, statuses: StatusWords): string | null {
  const listed = classifyStatus(row, statuses);
  const isRowHeavier = WEIGHTS[listed] > WEIGHTS[classifyStatus(record, statuses)];
  return record === null || (listed !== 'unknown' && isRowHeavier) ? row : record;
}

/** The status of a campaign that does not exist yet. */
export const NEW = toStatus('stopped', null);

const WEIGHTS: Record<Meaning, number> = {
  running: 2,
  starting: 2,
  finished: 1,
  unknown: 1,
  stopped: 0,
  gone: 0,
};

/** True if the service showed a status before, or shows one for others. */
export function isVanished({ doubt }: Status): boolean {
  return doubt === 'shown_before' || doubt === 'shown_elsewhere';
}

/** True if the service shows a status for another campaign. */
export function othersShowStatus(id: number | null, listed: readonly ListedCampaign[]): boolean {
  return listed.some((row) => row.status !== null && row.id !== id);
}

/** Only a known status that the service shows proves a launch or pause. */
export function provesStatus({ id }: Step, { basis, provesRun, sends }: Status): boolean {
  return basis === 'shown' && (id === 'launch' ? provesRun : sends === 'no');
}

/** `null` if the campaign does not exist or mails nobody. */
export function mailingStatus({ status }: Target): Status | null {
  return status.mails ? status : null;
}

/** `null` if it is not known whether the campaign ever ran. */
export function hasRun({ status, recorded }: Target): boolean | null {
  return status.provesRun ? true : recorded.has_run;
}

/**
 * False if the service shows the campaign as a draft or as failed, or the state records that it never ran, and nothing shows
 * that it has sent.
 */
export function mayHaveRun(target: Target): boolean {
  const { failed, isDraft, doubt } = target.status;
  const isShownUnused = failed || (isDraft && doubt !== 'draft_again');
  return hasSent(target) || (hasRun(target) !== false && !isShownUnused);
}

export function hasSent({ live }: Target): boolean {
  return live?.record.is === 'shown' && live.record.value.hasSent;
}

/**
 * "is sending", "has run" or "may have run"; `null` if it never ran. `words`: all statuses shown; `null` if the campaign no
 * longer exists.
 */
export function runWords(
  words: readonly (string | null)[] | null,
  { recorded, othersShowStatus }: { recorded: RecordedState; othersShowStatus: boolean },
  environment: Environment,
): string | null {
  const shown = words?.filter((word) => word !== null) ?? [];
  const notShown = words === null ? unknownStatus(null) : statusAsSet(recorded, othersShowStatus);
  const statuses = shown.length === 0 ? [notShown] : shown.map((word) => statusBy(word, environment));
  const runs = statuses.map((status) => {
    if (status.sends === 'yes') return 'is sending';
    if (status.provesRun || recorded.has_run === true) return 'has run';
    return status.isDraft ? null : 'may have run';
  });
  return runs.find((run) => run !== null) ?? null;
}

export function shownStatuses(
  live: LiveCampaign | null,
  { service }: Environment,
): [counts: string | null, record: string | null, row: string | null] {
  const [record, row] = live === null ? [null, null] : [statusIn(live.record), live.row?.status ?? null];
  return [shownWord(record, row, service.statuses), record, row];
}

export function isDraft(word: string | null): boolean {
  return word !== null && normalized(word) === 'draft';
}

const WORDS: StatusWords = {
  running: ['active', 'running', 'started', 'sending'],
  starting: ['queued', 'launching', 'launched'],
  stopped: ['draft', 'paused', 'stopped', 'inactive', 'failed'],
  finished: ['completed'],
  gone: ['archived', 'deleted', 'pending deletion'],
};
/** By its normalized form, the meaning of each word. Made once for each environment. */
const tables = new WeakMap<StatusWords, ReadonlyMap<string, keyof StatusWords>>();

function meaningsOf(words: StatusWords): ReadonlyMap<string, keyof StatusWords> {
  const known = tables.get(words);
  if (known !== undefined) return known;
  const table = new Map<string, keyof StatusWords>();
  for (const meaning of Object.keys(WORDS) as (keyof StatusWords)[])
    for (const word of words[meaning]) if (!table.has(normalized(word))) table.set(normalized(word), meaning);
  tables.set(words, table);
  return table;
}

/** Ignores case; the environment's words take precedence. */
export function classifyStatus(word: string | null, added: StatusWords): Meaning {
  if (word === null) return 'unknown';
  const known = normalized(word);
  return meaningsOf(added).get(known) ?? meaningsOf(WORDS).get(known) ?? 'unknown';
}

export function isSameStatus(a: string, b: string): boolean {
  return normalized(a) === normalized(b);
}

function normalized(word: string): string {
  return word
    .trim()
    .toLowerCase()
    .replace(/[\s_-]+/g, ' ');
}
