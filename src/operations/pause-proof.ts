/** What the service shows of a campaign that is being paused, and whether that proves the pause. */
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { UnreadableAnswer } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { statusIn } from '../model/live.js';
import type { PauseOutcome } from '../model/reports.js';
import { isDraft, statusOfWord } from '../sections/sending.js';
import { unwrap } from '../service/decode.js';
import type { Sent } from '../service/index.js';
import { decodePart } from '../service/live.js';
import type { ProjectPlace } from './place.js';
import { toRunning } from './prepare-pause.js';
import type { Listing, Sighting, Suspect } from './suspects.js';

/** `sent`: `null` if the campaign was not sent a pause. `wasShown`: true if the service showed a status for it before. */
export interface Pausing {
  suspect: Suspect;
  sent: Sent | null;
  wasShown: boolean;
  proof: string | null;
  /** True if an earlier reading proved it. */
  wasProven: boolean;
  /** True if the proof is only the accepted request, because no shown status says whether the campaign is sending. */
  isUnshown: boolean;
  /** Why it is not proven. */
  doubt: string;
  /** True if the service shows that it is sending. */
  isSending: boolean;
  /** True if the service showed that it was sending. */
  ran: boolean;
  /** Number of readings in a row that showed it as stopped. */
  stopped: number;
  isGone: boolean;
  isWrong: boolean;
  /** True once the service was read after the request. */
  isJudged: boolean;
}

/**
 * `holder`: the apply that is at work. `isKnown`: false if git cannot say whether one is, or has not said so yet, in which case
 * `isAsked` is true.
 */
export interface LockLook {
  holder: string | null;
  isKnown: boolean;
  isAsked: boolean;
}

export function startPausing(suspect: Suspect, environment: ProjectPlace['environment']): Pausing {
  const { row } = suspect;
  const ran =
    row !== null && row.status !== null && statusOfWord(row.status, null, environment).sends === 'yes';
  const wasShown = (suspect.row?.status ?? null) !== null || suspect.entry?.recorded.status_shown === true;
  const base = {
    suspect,
    sent: null,
    proof: null,
    wasProven: false,
    isGone: false,
    isWrong: false,
    isJudged: false,
  };
  const doubt = `no pause was sent to ${environment.name}`;
  return { ...base, isUnshown: false, isSending: false, ran, stopped: 0, wasShown, doubt };
}

/** "paused" needs a status that shows it or, if the status says nothing, an accepted request. */
export function judge(
  pausing: Pausing,
  {
    sighting,
    row,
    listing,
    place: { environment },
  }: { sighting: Sighting; row: ListedCampaign | null; listing: Listing; place: ProjectPlace },
): Pausing {
  const { suspect, sent, wasShown } = pausing;
  const wasProven = pausing.wasProven || pausing.proof !== null;
  const judged = { ...pausing, proof: null, wasProven, isUnshown: false, isSending: false, stopped: 0 };
  if (sighting.is === 'none' && row === null)
    return { ...judged, isGone: listing.doubt === null, doubt: 'the service no longer shows the campaign' };
  const names = [sighting.is === 'record' ? sighting.name : null, row?.name ?? null];
  const other = names.find((name) => name !== null && !isSameName(name, suspect.name)) ?? null;
  if (other !== null) return { ...judged, isWrong: true, doubt: wrongWorkspace(suspect, other) };
  const words = [sighting.is === 'record' ? sighting.word : null, row?.status ?? null];
  const shown = words.flatMap((word) =>
    word === null ? [] : [statusOfWord(word, suspect.entry, environment)],
  );
  const sending = shown.find(({ sends, doubt }) => sends !== 'no' && doubt !== 'draft_again');
  if (sending !== undefined)
    return {
      ...judged,
      wasShown: true,
      isSending: sending.sends === 'yes',
      ran: pausing.ran || sending.sends === 'yes',
      doubt: `the service shows "${sending.word}"`,
    };
  const accepted = sent?.kind === 'accepted';
  const draft = shown.find(({ word, doubt }) => doubt === 'draft_again' || (pausing.ran && isDraft(word)));
  if (draft !== undefined) {
    const doubt = `the service shows "${draft.word}", although the campaign has run`;
    return accepted
      ? { ...judged, isUnshown: true, proof: `the service accepted the pause; it shows "${draft.word}"` }
      : { ...judged, doubt };
  }
  const [stopped] = shown;
  if (stopped !== undefined) {
    const doubt = `the service shows "${stopped.word}"`;
    // Without an accepted request, one reading may be outdated.
    const isProven = accepted || sent === null || pausing.stopped > 0;
    return { ...judged, stopped: pausing.stopped + 1, proof: isProven ? doubt : null, doubt };
  }
  if (sighting.is === 'unreadable')
    return { ...judged, doubt: `the campaign could not be read: ${sighting.reason}` };
  if (wasShown) return { ...judged, doubt: 'the service no longer shows a status' };
  const echoed = sent?.kind === 'accepted' ? statusInResponse(sent.body) : null;
  if (echoed !== null && statusOfWord(echoed, null, environment).sends !== 'no')
    return {
      ...judged,
      doubt: `the response to the pause shows "${echoed}", and the service shows no status`,
    };
  return accepted
    ? { ...judged, isUnshown: true, proof: 'the service accepted the pause and shows no status' }
    : { ...judged, doubt: 'the service shows no status' };
}

/** `null` also if the response is no record. */
function statusInResponse(body: Json): string | null {
  try {
    const { inner } = unwrap(body, 'campaign');
    return statusIn(decodePart('campaign', { endpoint: 'PATCH', body: inner }));
  } catch (error) {
    if (error instanceof UnreadableAnswer) return null;
    throw error;
  }
}

/** While a launch may take effect, an accepted request proves nothing. */
export function unlessAtWork(
  judged: Pausing,
  { holder, isKnown, isYoung }: LockLook & { isYoung: boolean },
): Pausing {
  if (!judged.isUnshown || (holder === null && isKnown && !isYoung)) return judged;
  const why =
    holder !== null
      ? 'an apply is running'
      : isYoung
        ? 'a launch of an earlier run may still take effect'
        : 'it is not known whether an apply is running';
  return { ...judged, proof: null, doubt: `${judged.proof}, but ${why}` };
}

export function wrongWorkspace({ id, name }: Suspect, shown: string): string {
  return `wrong workspace: campaign ${id} was called "${name}" and is now called "${shown}"`;
}

export function toOutcome({
  suspect,
  sent,
  proof,
  doubt,
  isGone,
  isWrong,
  isSending,
}: Pausing): PauseOutcome {
  const campaign = toRunning(suspect);
  const { entry, name } = suspect;
  if (proof !== null) {
    const isRenamed = entry !== null && !isSameName(entry.name, name);
    const detail = isRenamed ? `${proof}; the state calls it "${entry.name}"` : proof;
    return { ...campaign, result: 'paused', detail };
  }
  if (isWrong) return { ...campaign, result: 'refused', detail: doubt };
  if (isGone) return { ...campaign, result: 'unknown', detail: doubt };
  if (sent === null || sent.kind === 'unsent')
    return { ...campaign, result: 'not_sent', detail: sent?.message ?? null };
  const message = 'message' in sent ? sent.message : null;
  const detail = [message, doubt].filter((part) => part !== null).join('; ');
  if (sent.kind === 'refused') return { ...campaign, result: 'refused', detail };
  return { ...campaign, result: isSending ? 'running' : 'unknown', detail };
}
