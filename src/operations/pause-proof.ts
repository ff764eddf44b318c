/** What the service shows of a campaign that is being paused, and whether that proves the pause. */
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import type { Environment } from '../model/environment.js';
import { UnreadableAnswer } from '../model/failure.js';
import type { Json } from '../model/json.js';
import { statusIn } from '../model/live.js';
import type { PauseOutcome } from '../model/reports.js';
import { isDraft, statusOfWord } from '../sections/sending.js';
import { unwrap } from '../service/decode.js';
import type { Sent } from '../service/index.js';
import { decodePart } from '../service/live.js';
import { type Sighting, type Suspect, toRunning } from './suspects.js';

/**
 * What the last reading says of a pause, and why. `unread`: none has come yet. `isShown`: false if the only proof is the
 * accepted request, because no status says whether the campaign is sending. `sending`: the service shows that it is.
 * `other`: the id belongs to a different campaign.
 */
type PauseVerdict =
  | { is: 'proven'; isShown: boolean; reason: string }
  | { is: 'unread' | 'unproven' | 'sending' | 'gone' | 'other'; reason: string };

/** A campaign that is to be paused, and what the service has shown of it. */
export interface Pausing {
  suspect: Suspect;
  /** `null` if it was not sent a pause. */
  sent: Sent | null;
  /** True if the service has shown a status for it. */
  hasShownStatus: boolean;
  /** True if the service has shown it as sending. */
  hasShownSending: boolean;
  /** Number of readings in a row that showed it as stopped. */
  stopped: number;
  /** True if an earlier reading proved the pause. */
  wasProven: boolean;
  verdict: PauseVerdict;
}

/**
 * `holder`: the apply that is at work. `isKnown`: false if git cannot say whether one is, or has not said so yet, in which case
 * `isPending` is true.
 */
export interface LockLook {
  holder: string | null;
  isKnown: boolean;
  isPending: boolean;
}

export function startPausing(suspect: Suspect, environment: Environment): Pausing {
  const status = suspect.row?.status ?? null;
  return {
    suspect,
    sent: null,
    hasShownStatus: status !== null || suspect.entry?.recorded.status_shown === true,
    hasShownSending: status !== null && statusOfWord(status, null, environment).sends === 'yes',
    stopped: 0,
    wasProven: false,
    verdict: { is: 'unread', reason: `no pause was sent to ${environment.name}` },
  };
}

/** `row`: `null` if the list of the same workspace does not show the campaign. */
interface PauseReading {
  sighting: Sighting;
  row: ListedCampaign | null;
  isListComplete: boolean;
}

/** "paused" needs a status that shows it or, if the status says nothing, an accepted request. */
export function judge(pausing: Pausing, reading: PauseReading, environment: Environment): Pausing {
  const { suspect, sent, hasShownStatus, hasShownSending } = pausing;
  const { sighting, row, isListComplete } = reading;
  const wasProven = pausing.wasProven || pausing.verdict.is === 'proven';
  const judged = (verdict: PauseVerdict): Pausing => ({ ...pausing, stopped: 0, wasProven, verdict });
  const unproven = (reason: string) => judged({ is: 'unproven', reason });
  const accepted = (reason: string) => judged({ is: 'proven', isShown: false, reason });
  if (sighting.is === 'none' && row === null)
    return judged({
      is: isListComplete ? 'gone' : 'unproven',
      reason: 'the service no longer shows the campaign',
    });
  const names = [sighting.is === 'record' ? sighting.name : null, row?.name ?? null];
  const other = names.find((name) => name !== null && !isSameName(name, suspect.name)) ?? null;
  if (other !== null) return judged({ is: 'other', reason: wrongWorkspace(suspect, other) });
  const words = [sighting.is === 'record' ? sighting.word : null, row?.status ?? null];
  const shown = words.flatMap((word) =>
    word === null ? [] : [statusOfWord(word, suspect.entry, environment)],
  );
  const sending = shown.find(({ sends, doubt }) => sends !== 'no' && doubt !== 'draft_again');
  if (sending !== undefined) {
    const isCertain = sending.sends === 'yes';
    const verdict = judged({
      is: isCertain ? 'sending' : 'unproven',
      reason: `the service shows "${sending.word}"`,
    });
    return { ...verdict, hasShownStatus: true, hasShownSending: hasShownSending || isCertain };
  }
  const isAccepted = sent?.kind === 'accepted';
  const draft = shown.find(
    ({ word, doubt }) => doubt === 'draft_again' || (hasShownSending && isDraft(word)),
  );
  if (draft !== undefined)
    return isAccepted
      ? accepted(`the service accepted the pause; it shows "${draft.word}"`)
      : unproven(`the service shows "${draft.word}", although the campaign has run`);
  const [stopped] = shown;
  if (stopped !== undefined) {
    const reason = `the service shows "${stopped.word}"`;
    // Without an accepted request, one reading may be outdated.
    const isProven = isAccepted || sent === null || pausing.stopped > 0;
    const verdict = isProven ? judged({ is: 'proven', isShown: true, reason }) : unproven(reason);
    return { ...verdict, stopped: pausing.stopped + 1 };
  }
  if (sighting.is === 'unreadable') return unproven(`the campaign could not be read: ${sighting.reason}`);
  if (hasShownStatus) return unproven('the service no longer shows a status');
  const echoed = isAccepted ? statusInResponse(sent.body) : null;
  if (echoed !== null && statusOfWord(echoed, null, environment).sends !== 'no')
    return unproven(`the response to the pause shows "${echoed}", and the service shows no status`);
  return isAccepted
    ? accepted('the service accepted the pause and shows no status')
    : unproven('the service shows no status');
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
  pausing: Pausing,
  { holder, isKnown }: LockLook,
  { isYoung }: { isYoung: boolean },
): Pausing {
  const { verdict } = pausing;
  if (verdict.is !== 'proven' || verdict.isShown || (holder === null && isKnown && !isYoung)) return pausing;
  const why =
    holder !== null
      ? 'an apply is running'
      : isYoung
        ? 'a launch of an earlier run may still take effect'
        : 'it is not known whether an apply is running';
  return { ...pausing, verdict: { is: 'unproven', reason: `${verdict.reason}, but ${why}` } };
}

export function wrongWorkspace({ id, name }: Suspect, shown: string): string {
  return `wrong workspace: campaign ${id} was called "${name}" and is now called "${shown}"`;
}

export function toOutcome({ suspect, sent, verdict }: Pausing): PauseOutcome {
  const campaign = toRunning(suspect);
  const { entry, name } = suspect;
  const { is, reason } = verdict;
  if (is === 'proven') {
    const isRenamed = entry !== null && !isSameName(entry.name, name);
    const detail = isRenamed ? `${reason}; the state calls it "${entry.name}"` : reason;
    return { ...campaign, result: 'paused', detail };
  }
  if (is === 'other') return { ...campaign, result: 'refused', detail: reason };
  if (is === 'gone') return { ...campaign, result: 'unknown', detail: reason };
  if (sent === null || sent.kind === 'unsent')
    return { ...campaign, result: 'not_sent', detail: sent?.message ?? null };
  const message = 'message' in sent ? sent.message : null;
  const detail = [message, reason].filter((part) => part !== null).join('; ');
  if (sent.kind === 'refused') return { ...campaign, result: 'refused', detail };
  return { ...campaign, result: is === 'sending' ? 'running' : 'unknown', detail };
}
