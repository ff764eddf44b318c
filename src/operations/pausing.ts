/** Sends the pauses that were chosen, and reports a campaign as paused only if the service shows it. */
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import type { PauseOutcome, PauseResult } from '../model/reports.js';
import { awaiting, type PausePhase } from '../model/waits.js';
import { isDraft, sendingAsShown } from '../sections/sending.js';
import { type Reader, type Sent, systemClock } from '../service/index.js';
import { withWriter } from './connect.js';
import {
  doubtsOf,
  findOtherWorkspace,
  otherApply,
  type PreparedPause,
  refuseMoved,
  refuseOtherWorkspace,
  toRunning,
  withRoom,
} from './pause.js';
import { openPauseRecord } from './pause-record.js';
import type { ProjectPlace } from './place.js';
import {
  type Examined,
  examine,
  findSuspects,
  isObvious,
  knownWithin,
  type Listing,
  type PauseSelection,
  READ_WITHIN,
  readListing,
  readSighting,
  type Sighting,
  type Suspect,
  within,
} from './suspects.js';
import type { Interrupt } from './world.js';

/** Milliseconds to wait until pauses are visible, and between readings. */
const PATIENCE = 60_000;
const INTERVAL = 2_000;
const RECORD_WITHIN = 15_000;
/** Milliseconds to wait for git after the first requests: for the lock, and for a state that is needed. */
const LOOK_WITHIN = 800;
const STATE_WITHIN = 5_000;

/** `sent`: `null` if the campaign was not sent a pause. `wasShown`: true if the service showed a status for it before. */
interface Pausing {
  suspect: Suspect;
  sent: Sent | null;
  wasShown: boolean;
  proof: string | null;
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

/** `apply`: holder of the lock. `isKnown`: false if git cannot say whether an apply is at work. */
interface LockLook {
  holder: string | null;
  isKnown: boolean;
}

export async function pauseCampaigns(
  place: ProjectPlace,
  prepared: PreparedPause,
  {
    selection,
    wasAsked,
    idsMeanRows,
    interrupt: { signal },
  }: { selection: PauseSelection; wasAsked: boolean; idsMeanRows: boolean; interrupt: Interrupt },
): Promise<PauseResult> {
  const { environment, world, waits } = place;
  const { clock = systemClock } = world;
  const waitFor = (phase: PausePhase) => ({ kind: 'pause', phase, environment: environment.name }) as const;
  let { listing, known } = prepared;
  let apply: LockLook = { holder: prepared.plan.apply, isKnown: true };
  /** Whether an apply at work, or a state that was read late, may have made more campaigns due since all were examined. */
  let [isOvertaken, isLate] = [apply.holder !== null, false];
  const pausings = new Map<number, Pausing>();
  const examinedIds = new Set<number>();
  const record = openPauseRecord(place, prepared);
  const lookAtApply = watchApply(place);
  const isYoung = ({ launchUntil }: Suspect) => launchUntil !== null && clock.elapsed() < launchUntil;

  await withWriter(withRoom(place), { check() {} }, async (service) => {
    const end = clock.elapsed() + PATIENCE;
    if (wasAsked) {
      const again = await awaiting(waits, waitFor('list'), {
        work: readListing(service, place),
        most: READ_WITHIN,
      });
      if (again.doubt === null || again.rows.length > 0) {
        refuseMoved(again, prepared.listing);
        await refuseOtherWorkspace(place, service, again);
        listing = again;
      } else listing = again;
    }
    const nameBefore = listing;
    await Promise.all([pauseAll(prepared.targets), examineAll(prepared.rest).then(pauseAll)]);
    const proving = openProvingWait(place, end);
    await untilProven().finally(proving.end);

    async function untilProven(): Promise<void> {
      for (;;) {
        // The lock first: what an apply launched before it ended is in the list that is read afterwards.
        proving.begin(apply);
        apply = await lookAtApply();
        isOvertaken ||= apply.holder !== null;
        await learn();
        await prove();
        const news = await findNew();
        await pauseAll(news);
        const isQuiet = apply.holder === null && news.length === 0 && !lacksRows();
        const isOver = isQuiet && [...pausings.values()].every(isSettled);
        if (isOver || clock.elapsed() >= end || signal.aborted) return;
        await clock.sleep(INTERVAL, signal).catch(() => undefined);
        if (signal.aborted) return;
        await repeat();
      }
    }

    async function pauseAll(examined: readonly Examined[]): Promise<void> {
      const due = examined.filter(({ isDue }) => isDue);
      if (due.length > 0) await record.begin();
      await Promise.all(due.map(pauseOne));
    }

    async function pauseOne({ suspect, otherName }: Pick<Examined, 'suspect' | 'otherName'>): Promise<void> {
      const before = pausings.get(suspect.id) ?? startPausing(suspect, environment);
      pausings.set(suspect.id, before);
      if (signal.aborted) return;
      const other = otherName ?? (wasAsked ? await findOtherName(suspect, service, nameBefore) : null);
      if (other !== null) {
        pausings.set(suspect.id, { ...before, isWrong: true, doubt: wrongWorkspace(suspect, other) });
        return;
      }
      await record.intend(suspect);
      const request = { method: 'PATCH', path: pausePath(suspect.id), body: null } as const;
      const sent = await service.send(request, { stop: signal });
      // Keeps the earlier outcome, because that request may still take effect.
      const kept = sent.kind === 'unsent' && before.sent !== null ? before.sent : sent;
      pausings.set(suspect.id, { ...before, sent: kept });
      const results = {
        accepted: 'in_doubt',
        in_doubt: 'in_doubt',
        refused: 'failed',
        unsent: 'not_run',
      } as const;
      await record.conclude(suspect, results[kept.kind]);
    }

    function examineAll(suspects: readonly Suspect[]): Promise<Examined[]> {
      for (const { id } of suspects) examinedIds.add(id);
      const work = Promise.all(suspects.map((suspect) => examine(suspect, service, place)));
      return awaiting(waits, waitFor('campaigns'), { work, most: READ_WITHIN });
    }

    /** Reads each campaign that is not settled, and the list once. */
    async function prove(): Promise<void> {
      const open = [...pausings.values()].filter((pausing) => !isSettled(pausing));
      const [now, ...sightings] = await Promise.all([
        readListing(service, place),
        ...open.map(({ suspect }) => readSighting(service, suspect.id)),
      ]);
      const isSame =
        isSameWorkspace(now, prepared.listing) && (await findOtherWorkspace(place, service, now)) === null;
      if (isSame) listing = now;
      for (const [at, pausing] of open.entries()) {
        const sighting = sightings[at];
        if (sighting === undefined) continue;
        const row = isSame ? (now.rows.find(({ id }) => id === pausing.suspect.id) ?? null) : null;
        const seen = judge(pausing, { sighting, row, listing: now, place });
        const judged = unlessAtWork(seen, { ...apply, isYoung: isYoung(pausing.suspect) });
        pausings.set(pausing.suspect.id, { ...judged, isJudged: true });
        if (judged.proof !== null) await record.conclude(pausing.suspect, 'done');
      }
    }

    /** Waits for the state if a campaign may be missing without it. */
    async function learn(): Promise<void> {
      if (known.unread.length === 0) return;
      const { unmatched } = findSuspects(listing, known, selection, { idsMeanRows });
      const isNeeded = selection.all || unmatched.length > 0;
      const now = await knownWithin(prepared.knowledge, isNeeded ? STATE_WITHIN : LOOK_WITHIN);
      isLate = now.unread.length < known.unread.length;
      known = now;
    }

    /** True if the first list was cut off, and may show campaigns that are to be paused. */
    function lacksRows(): boolean {
      if (!listing.isLate || wasAsked) return false;
      const { unmatched } = findSuspects(listing, known, selection, { idsMeanRows });
      return selection.all || selection.unmanaged || unmatched.length > 0;
    }

    /** Campaigns that an apply has launched meanwhile, or that the list or the state, read late, shows. */
    async function findNew(): Promise<Examined[]> {
      // Campaigns that were not shown are paused only while an apply is at work.
      if (wasAsked && !isOvertaken) return [];
      const wasShown = ({ id, entry }: Suspect) =>
        entry !== null || prepared.listing.isLate || prepared.listing.rows.some((row) => row.id === id);
      const { selected } = findSuspects(listing, known, selection, { idsMeanRows });
      const unseen = selected.filter(
        (suspect) => !pausings.has(suspect.id) && (isOvertaken || wasShown(suspect)),
      );
      const obvious = unseen.filter((suspect) => isObvious(suspect, place));
      const found = obvious.map((suspect) => ({ suspect, isDue: true, otherName: null }));
      const isEnded = isOvertaken && apply.holder === null;
      if (isEnded) isOvertaken = false;
      const isAll = isEnded || isLate;
      isLate = false;
      const isOpen = ({ id, row }: Suspect) => isAll || (row?.status === null && !examinedIds.has(id));
      const rest = unseen.filter((suspect) => !obvious.includes(suspect) && isOpen(suspect));
      const others = await examineAll(rest);
      return [...found, ...others.filter(({ isDue }) => isDue)];
    }

    /** Pauses again what still sends or has no answer and, while a launch may take effect, what shows no status. */
    async function repeat(): Promise<void> {
      const isAtWork = apply.holder !== null || !apply.isKnown;
      const open = [...pausings.values()].filter((pausing) => !isSettled(pausing));
      const mayRestart = ({ suspect, proof, isSending }: Pausing) =>
        isAtWork || (isYoung(suspect) && (proof === null || isSending));
      const due = open.filter(
        (pausing) =>
          pausing.sent?.kind !== 'refused' && (pausing.sent?.kind !== 'accepted' || mayRestart(pausing)),
      );
      await Promise.all(due.map(({ suspect }) => pauseOne({ suspect, otherName: null })));
    }

    function isSettled({ suspect, proof, isWrong, isGone, isJudged, sent, stopped }: Pausing): boolean {
      // A reading that shows a refused pause as done is repeated.
      if (isWrong || isGone || (isJudged && sent?.kind === 'refused' && stopped !== 1)) return true;
      return proof !== null && !isYoung(suspect);
    }
  });
  const outcomes = [...pausings.values()].map(toOutcome);
  // Git that did not answer before hardly answers now.
  const patience = known.unread.length === 0 ? RECORD_WITHIN : STATE_WITHIN;
  const work = within(record.end(outcomes), patience, (reason) => reason);
  const note = await awaiting(waits, waitFor('record'), { work, most: patience });
  const { selected, unmatched } = findSuspects(listing, known, selection, { idsMeanRows });
  const idle = selected.filter(({ id }) => !pausings.has(id)).length;
  const said = { doubts: doubtsOf(listing), unread: known.unread, unmatched, idle };
  return { environment: environment.name, outcomes, note, apply: apply.holder, ...said };
}

/** `end`: in monotonic milliseconds. */
function openProvingWait({ environment, world, waits }: ProjectPlace, end: number) {
  const { clock = systemClock } = world;
  const start = clock.elapsed();
  let phase: PausePhase | null = null;
  let stop = () => {};
  return {
    begin({ holder }: LockLook) {
      const now = clock.elapsed();
      const next = holder === null ? 'proof' : 'apply';
      if (next === phase) return;
      stop();
      phase = next;
      const wait = { kind: 'pause', phase, environment: environment.name } as const;
      stop = waits.begin(wait, { most: end - now, before: now - start });
    },
    end: () => stop(),
  };
}

function pausePath(id: number): string {
  return `/api/campaigns/${id}/pause`;
}

function startPausing(suspect: Suspect, environment: ProjectPlace['environment']): Pausing {
  const { row } = suspect;
  const ran =
    row !== null && row.status !== null && sendingAsShown(row.status, null, environment).state === 'yes';
  const wasShown = (suspect.row?.status ?? null) !== null || suspect.entry?.recorded.status_shown === true;
  const base = { suspect, sent: null, proof: null, isGone: false, isWrong: false, isJudged: false };
  const doubt = `no pause was sent to ${environment.name}`;
  return { ...base, isUnshown: false, isSending: false, ran, stopped: 0, wasShown, doubt };
}

/** "paused" needs a status that shows it or, if the status says nothing, an accepted request. */
function judge(
  pausing: Pausing,
  {
    sighting,
    row,
    listing,
    place: { environment },
  }: { sighting: Sighting; row: ListedCampaign | null; listing: Listing; place: ProjectPlace },
): Pausing {
  const { suspect, sent, wasShown } = pausing;
  const judged = { ...pausing, proof: null, isUnshown: false, isSending: false, stopped: 0 };
  if (sighting.is === 'none' && row === null)
    return { ...judged, isGone: listing.doubt === null, doubt: 'the service no longer shows the campaign' };
  const names = [sighting.is === 'record' ? sighting.name : null, row?.name ?? null];
  const other = names.find((name) => name !== null && !isSameName(name, suspect.name)) ?? null;
  if (other !== null) return { ...judged, isWrong: true, doubt: wrongWorkspace(suspect, other) };
  const words = [sighting.is === 'record' ? sighting.word : null, row?.status ?? null];
  const shown = words.flatMap((word) =>
    word === null ? [] : [sendingAsShown(word, suspect.entry, environment)],
  );
  const sends = shown.find(({ state, doubt }) => state !== 'no' && doubt !== 'draft_again');
  if (sends !== undefined)
    return {
      ...judged,
      wasShown: true,
      isSending: true,
      ran: true,
      doubt: `the service shows "${sends.word}"`,
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
  return accepted
    ? { ...judged, isUnshown: true, proof: 'the service accepted the pause and shows no status' }
    : { ...judged, doubt: 'the service shows no status' };
}

/** While a launch may take effect, an accepted request proves nothing. */
function unlessAtWork(
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

function wrongWorkspace({ id, name }: Suspect, shown: string): string {
  return `wrong workspace: campaign ${id} was called "${name}" and is now called "${shown}"`;
}

/** The name that the campaign has now if it is not the one with which it was chosen. */
async function findOtherName(
  suspect: Suspect,
  reader: Pick<Reader, 'read'>,
  listing: Listing,
): Promise<string | null> {
  const row = listing.rows.find(({ id }) => id === suspect.id);
  const sighting = row === undefined ? await readSighting(reader, suspect.id) : null;
  const name = row?.name ?? (sighting?.is === 'record' ? sighting.name : null);
  return name === null || isSameName(name, suspect.name) ? null : name;
}

function isSameWorkspace(now: Listing, before: Listing): boolean {
  if (now.doubt !== null && now.rows.length === 0) return false;
  const ids = new Set(now.rows.map(({ id }) => id));
  return before.rows.length === 0 || before.rows.some(({ id }) => ids.has(id));
}

/** Looks at the lock, and waits only briefly, because a remote repository may not answer. One look at a time. */
function watchApply(place: ProjectPlace): () => Promise<LockLook> {
  const unknown: LockLook = { holder: null, isKnown: false };
  let looking: Promise<LockLook> | null = null;
  const look = () =>
    otherApply(place, place.backend.heldNow)
      .then(
        (holder): LockLook => ({ holder, isKnown: true }),
        (error: unknown) => {
          if (error instanceof Failure) return unknown;
          throw error;
        },
      )
      .finally(() => {
        looking = null;
      });
  return () => {
    looking ??= look();
    return within(looking, LOOK_WITHIN, () => unknown);
  };
}

function toOutcome({ suspect, sent, proof, doubt, isGone, isWrong, isSending }: Pausing): PauseOutcome {
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
