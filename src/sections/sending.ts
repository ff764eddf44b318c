/** Decides whether a campaign is sending, or ever was. No other file interprets a status. */
import type { ListedCampaign } from '../model/answer.js';
import type { Environment, StatusWords } from '../model/environment.js';
import { existingRecord, type LiveCampaign, shownValue, statusIn } from '../model/live.js';
import type { CampaignSpec } from '../model/spec.js';
import { type RecordedState, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import type { CampaignContext } from './section.js';

/** `starting`: about to run. `unknown`: any other status, or none. */
export type Meaning = keyof StatusWords | 'unknown';

export interface Sending {
  /** `unknown`: the campaign may be sending. */
  state: 'yes' | 'no' | 'unknown';
  /**
   * As the service spells it or, if `basis` is `set`, one of `draft` (never launched), `running` and `paused`; `null` if the
   * service shows none and it is unknown.
   */
  word: string | null;
  meaning: Meaning;
  /** `shown`: by the service. `set`: the service shows none, so what campaignctl did last counts. */
  basis: 'shown' | 'set' | 'unknown';
  /** When the status was set (ISO 8601); `null` if it is shown, or if the time is not recorded. */
  since: string | null;
  /** Why a status that the service does not show, or shows wrongly, is unknown; otherwise `null`. */
  doubt: StatusDoubt | null;
  failed: boolean;
  /** True if leads added now are mailed, or may be. Even a finished campaign mails them. */
  mails: boolean;
}

/**
 * `not_set`: campaignctl neither created nor launched nor paused the campaign. `in_doubt`: the outcome of the last launch or
 * pause is unknown. `shown_before`, `shown_elsewhere`: the service showed a status for this campaign before, or shows one
 * for others. `draft_again`: the service shows a draft, but the campaign has run.
 */
export type StatusDoubt = 'not_set' | 'in_doubt' | 'shown_before' | 'shown_elsewhere' | 'draft_again';

type Observed = Pick<CampaignContext, 'live' | 'environment' | 'recorded'>;

/**
 * Uses the status in the record and in the list row, and prefers the one that indicates sending. If neither shows one, what
 * campaignctl did last counts.
 */
export function sending({ live, environment, recorded }: Observed): Sending {
  const { statuses } = environment.service;
  const record = live && existingRecord(live);
  const shown = shownWord(record && shownValue(record.status), live?.row?.status ?? null, statuses);
  return shown === null
    ? statusAsSet(recorded, live?.othersShowStatus === true)
    : statusAsShown(shown, { recorded, environment });
}

/** Like `sending`, where only the list was read. An `entry` of another campaign counts as none. */
export function sendingInList(
  { id, status }: ListedCampaign,
  entry: StateEntry | null,
  { environment, listed }: { environment: Environment; listed: readonly ListedCampaign[] },
): Sending {
  const recorded = entry?.id === id ? entry.recorded : UNKNOWN_STATE;
  return status === null
    ? statusAsSet(recorded, othersShowStatus(id, listed))
    : statusAsShown(status, { recorded, environment });
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

/** What a word that the service shows for a campaign says. `word`: `null` if it shows none. */
export function sendingAsShown(
  word: string | null,
  entry: StateEntry | null,
  environment: Environment,
): Sending {
  const recorded = entry?.recorded ?? UNKNOWN_STATE;
  return word === null ? unknownStatus(null) : statusAsShown(word, { recorded, environment });
}

/** A campaign that has run cannot be a draft: the response is outdated, and the campaign may be sending. */
function statusAsShown(
  word: string,
  { recorded, environment }: Pick<Observed, 'recorded' | 'environment'>,
): Sending {
  if (!isDraft(word) || recorded.launched !== true) return sendingBy(word, environment);
  return { ...unknownStatus('draft_again'), word, basis: 'shown' };
}

/** Only `resume` and `pause` change whether a campaign runs, so a status that is not shown is what campaignctl did last. */
function statusAsSet(recorded: RecordedState, othersShowStatus: boolean): Sending {
  const { status, status_at = null, status_shown = false, has_run } = recorded;
  const isNew = has_run === false && status !== 'running';
  if (status_shown) return unknownStatus('shown_before');
  if (status === null && !isNew) return unknownStatus(has_run === true ? 'in_doubt' : 'not_set');
  // Some services show a status only after the first launch.
  if (status === 'running' && othersShowStatus) return unknownStatus('shown_elsewhere');
  const word = isNew ? 'draft' : (status ?? 'paused');
  const meaning = status === 'running' ? 'running' : 'stopped';
  return { ...withMeaning(meaning), word, basis: 'set', since: isNew ? null : status_at, doubt: null };
}

function unknownStatus(doubt: StatusDoubt | null): Sending {
  return { ...withMeaning('unknown'), word: null, basis: 'unknown', since: null, doubt };
}

export function sendingBy(word: string | null, { service }: Pick<Environment, 'service'>): Sending {
  if (word === null) return unknownStatus(null);
  const shown = withMeaning(classifyStatus(word, service.statuses));
  const failed = normalized(word) === 'failed';
  return { ...shown, word, basis: 'shown', since: null, doubt: null, failed };
}

function withMeaning(meaning: Meaning): Pick<Sending, 'state' | 'meaning' | 'failed' | 'mails'> {
  const mails = meaning !== 'stopped' && meaning !== 'gone';
  return { state: STATES[meaning], meaning, failed: false, mails };
}

/** False if the manifest does not say `running`, or if the campaign already satisfies it according to the list and the state. */
export function mayLaunch(
  { status }: Pick<CampaignSpec, 'status'>,
  { listed: row, entry }: { listed: ListedCampaign | null; entry: StateEntry | null },
  known: { environment: Environment; listed: readonly ListedCampaign[] },
): boolean {
  if (status !== 'running') return false;
  const { meaning } = row === null ? unknownStatus(null) : sendingInList(row, entry, known);
  return !['running', 'starting', 'finished'].includes(meaning);
}

const STATES: Record<Meaning, Sending['state']> = {
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

const WEIGHTS: Record<Meaning, number> = {
  running: 2,
  starting: 2,
  finished: 1,
  unknown: 1,
  stopped: 0,
  gone: 0,
};

/** True if the service showed a status before, or shows one for others. */
export function isVanished({ doubt }: Sending): boolean {
  return doubt === 'shown_before' || doubt === 'shown_elsewhere';
}

/** True if the service contradicts what it or campaignctl knew. */
export function isDoubtful(status: Sending): boolean {
  return isVanished(status) || status.doubt === 'draft_again';
}

export function showsNoStatus(context: Observed): boolean {
  return sending(context).basis !== 'shown';
}

/** True if the service shows a status for another campaign. */
export function othersShowStatus(id: number | null, listed: readonly ListedCampaign[]): boolean {
  return listed.some((row) => row.status !== null && row.id !== id);
}

/** `null` if the campaign does not exist or mails nobody. */
export function sendingStatus(context: CampaignContext): Sending | null {
  if (context.id === null) return null;
  const status = sending(context);
  return status.mails ? status : null;
}

/** True for a status that only a launch can cause. */
export function provesRun({ state, meaning }: Sending): boolean {
  return state === 'yes' || meaning === 'finished';
}

export function hasRun(context: Observed): boolean | null {
  return provesRun(sending(context)) ? true : context.recorded.has_run;
}

export function mayBePaused({ word, failed, doubt }: Sending): boolean {
  return !failed && (!isDraft(word) || doubt === 'draft_again');
}

/**
 * "is sending", "has run" or "may have run"; `null` if it never ran. `words`: all statuses shown; `null` if the campaign no
 * longer exists.
 */
export function runStatus(
  words: readonly (string | null)[] | null,
  {
    recorded,
    environment,
    othersShowStatus,
  }: Pick<Observed, 'recorded' | 'environment'> & Pick<LiveCampaign, 'othersShowStatus'>,
): string | null {
  const shown = words?.filter((word) => word !== null) ?? [];
  const notShown = words === null ? unknownStatus(null) : statusAsSet(recorded, othersShowStatus);
  const statuses = shown.length === 0 ? [notShown] : shown.map((word) => sendingBy(word, environment));
  const runs = statuses.map((status) => {
    if (status.state === 'yes') return 'is sending';
    if (provesRun(status) || recorded.has_run === true) return 'has run';
    return isDraft(status.word) ? null : 'may have run';
  });
  return runs.find((run) => run !== null) ?? null;
}

export function shownStatuses(
  live: Pick<LiveCampaign, 'record' | 'row'> | null,
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
const MEANINGS = Object.keys(WORDS) as (keyof StatusWords)[];

/** Ignores case; the environment's words take precedence. */
export function classifyStatus(word: string | null, added: StatusWords): Meaning {
  if (word === null) return 'unknown';
  const find = (words: StatusWords) =>
    MEANINGS.find((meaning) => words[meaning].some((known) => isSameStatus(known, word)));
  return find(added) ?? find(WORDS) ?? 'unknown';
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
