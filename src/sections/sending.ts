/** Decides whether a campaign is sending, or ever was. No other file interprets a status. */
import type { Answer } from '../model/answer.js';
import type { Environment, StatusWords } from '../model/environment.js';
import type { CampaignSpec } from '../model/spec.js';
import type { RecordedState } from '../model/state.js';
import { decodeFields, shownText } from './decode.js';
import type { CampaignContext } from './section.js';

/** `starting`: about to run. `unknown`: any other status, or none. */
export type Meaning = keyof StatusWords | 'unknown';

export interface Sending {
  /** `unknown`: the campaign may be sending. */
  state: 'yes' | 'no' | 'unknown';
  /**
   * The status as the service spells it or, if `believed`, the last one that campaignctl set; `null` if there is neither.
   */
  word: string | null;
  meaning: Meaning;
  /** True if, with `status: hidden`, the service shows no status, so that the last one set counts. */
  believed: boolean;
  failed: boolean;
  /** True if leads added now are mailed, or may be. Even a finished campaign mails them. */
  mails: boolean;
}

type Observed = Pick<CampaignContext, 'answers' | 'listed' | 'environment' | 'recorded'>;

/**
 * Uses the status in the record and in the list row, and prefers the one that indicates sending. With `status: hidden`, the
 * last status set counts if neither shows one.
 */
export function sending({ answers, listed, environment, recorded }: Observed): Sending {
  const answer = answers?.campaign ?? null;
  const record = answer === null ? null : shownText(decodeFields(answer), 'status');
  const { status, statuses } = environment.service;
  const shown = shownWord(record, listed?.status ?? null, statuses);
  const believed = shown === null && answer !== null && status === 'hidden';
  return { ...sendingBy(believed ? recorded.status : shown, environment), believed };
}

export function sendingBy(word: string | null, { service }: Pick<Environment, 'service'>): Sending {
  const meaning = classifyStatus(word, service.statuses);
  return {
    state: STATES[meaning],
    word,
    meaning,
    believed: false,
    failed: word !== null && normalized(word) === 'failed',
    mails: meaning !== 'stopped' && meaning !== 'gone',
  };
}

/** False if the manifest does not say `running`, or if the status in the list already satisfies it. */
export function mayLaunch(
  spec: Pick<CampaignSpec, 'status'>,
  word: string | null,
  environment: Environment,
): boolean {
  const { meaning } = sendingBy(word, environment);
  return spec.status === 'running' && !['running', 'starting', 'finished'].includes(meaning);
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

export function showsNoStatus(context: Observed): boolean {
  const { word, believed } = sending(context);
  return believed || word === null;
}

/** True only if the service shows a status that proves it. */
export function isShownIdle(context: Observed): boolean {
  const { believed, mails } = sending(context);
  return !believed && !mails;
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

export function mayBePaused({ word, failed }: Sending): boolean {
  return !failed && !isDraft(word);
}

/** "is sending", "has run" or "may have run"; `null` if it never ran. `words`: all statuses shown. */
export function runStatus(
  recorded: Pick<RecordedState, 'has_run'>,
  words: readonly (string | null)[],
  environment: Environment,
): string | null {
  const shown = words.filter((word) => word !== null);
  const runs = (shown.length === 0 ? [null] : shown).map((word) => {
    const status = sendingBy(word, environment);
    if (status.state === 'yes') return 'is sending';
    if (provesRun(status) || recorded.has_run === true) return 'has run';
    return isDraft(word) ? null : 'may have run';
  });
  return runs.find((run) => run !== null) ?? null;
}

export function shownStatuses(
  answer: Answer | null,
  row: string | null,
  { service }: Environment,
): [counts: string | null, record: string | null, row: string | null] {
  const record = statusInRecord(answer);
  return [shownWord(record, row, service.statuses), record, row];
}

export function statusInRecord(answer: Answer | null): string | null {
  return answer === null || answer.none ? null : shownText(decodeFields(answer), 'status');
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
