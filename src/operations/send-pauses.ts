/** Sends the pauses that were chosen, and reports a campaign as paused only if the service shows it. */
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import type { PauseResult } from '../model/reports.js';
import { awaiting, type PausePhase } from '../model/waits.js';
import type { Reader, Sent, Writer } from '../service/index.js';
import { withWriter } from './connect.js';
import {
  judge,
  type LockLook,
  type Pausing,
  startPausing,
  toOutcome,
  unlessAtWork,
  wrongWorkspace,
} from './pause-proof.js';
import { openPauseRecord, type PauseRecord } from './pause-record.js';
import { pauseWait, READ_WITHIN, within } from './pause-waits.js';
import type { ProjectPlace } from './place.js';
import {
  doubtsOf,
  findOtherWorkspace,
  mayBeSending,
  otherApply,
  type PreparedPause,
  refuseMoved,
  refuseOtherWorkspace,
  unreadOf,
  withOneMoreRequest,
} from './prepare-pause.js';
import {
  type Examined,
  examine,
  findSuspects,
  isObvious,
  type Known,
  knownWithin,
  type Listing,
  readListing,
  readSighting,
  type Suspect,
} from './suspects.js';
import type { Interrupt } from './world.js';

/** Milliseconds to wait until pauses are visible, and between readings. */
const PROOF_WITHIN = 60_000;
const INTERVAL = 2_000;
const RECORD_WITHIN = 15_000;
/** Milliseconds to wait for git after the first requests: for the lock, and for a state that is needed. */
const LOOK_WITHIN = 800;
const STATE_WITHIN = 5_000;

/** The command's knowledge so far. */
interface PauseRun {
  readonly place: ProjectPlace;
  readonly prepared: PreparedPause;
  readonly interrupt: Interrupt;
  readonly record: PauseRecord;
  /** Campaigns that were sent a pause, or were to be. */
  readonly pausings: Map<number, Pausing>;
  /** Campaigns whose records were read to decide whether they are due. */
  readonly examined: Set<number>;
  listing: Listing;
  /** The list whose names the campaigns must still have: the one after the question. */
  named: Listing;
  known: Known;
  apply: LockLook;
  /** True if an apply that was at work may have made more campaigns due since all were examined. */
  isOvertaken: boolean;
  /** True if a state or manifests that were read late may have. */
  hasLateReads: boolean;
}

type Service = Reader & Writer;

export async function pauseCampaigns(
  place: ProjectPlace,
  prepared: PreparedPause,
  interrupt: Interrupt,
): Promise<PauseResult> {
  const { request, listing, known, plan } = prepared;
  const holder = plan.apply;
  const run: PauseRun = {
    ...{ place, prepared, interrupt, record: openPauseRecord(place, prepared) },
    ...{ pausings: new Map(), examined: new Set(), listing, named: listing, known },
    apply: { holder, isKnown: true, isPending: false },
    isOvertaken: holder !== null,
    hasLateReads: false,
  };
  await withWriter(withOneMoreRequest(place), { check() {} }, async (service) => {
    const end = place.world.clock.elapsed() + PROOF_WITHIN;
    if (!request.isUrgent) await lookAgain(run, service);
    const { targets, rest } = prepared;
    await Promise.all([
      pauseAll(run, service, targets),
      examineAll(run, service, rest).then((examined) => pauseAll(run, service, examined)),
    ]);
    const proving = openProvingWait(place, end);
    await untilProven(run, service, { end, proving }).finally(proving.end);
  });
  return report(run);
}

const suspectsOf = ({ listing, known, prepared }: PauseRun) => findSuspects(listing, known, prepared.request);

/** After the question, the campaigns must still be those that were shown. */
async function lookAgain(run: PauseRun, service: Service): Promise<void> {
  const { place, prepared } = run;
  const work = readListing(service, place);
  const wait = pauseWait(place.environment, 'list');
  const again = await awaiting(place.waits, wait, { work, most: READ_WITHIN });
  if (again.doubt === null || again.rows.length > 0) {
    refuseMoved(again, prepared.listing);
    await refuseOtherWorkspace(place, service, again);
  }
  run.listing = again;
  run.named = again;
}

async function untilProven(
  run: PauseRun,
  service: Service,
  { end, proving }: { end: number; proving: ReturnType<typeof openProvingWait> },
): Promise<void> {
  const { signal } = run.interrupt;
  const { clock } = run.place.world;
  const lookAtApply = watchApply(run.place);
  for (;;) {
    // The lock first: what an apply launched before it ended is in the list that is read afterwards.
    proving.begin(run.apply);
    run.apply = await lookAtApply();
    run.isOvertaken ||= run.apply.holder !== null;
    await learn(run);
    await prove(run, service);
    const news = await findNew(run, service);
    await pauseAll(run, service, news);
    const { holder, isPending } = run.apply;
    const isQuiet = holder === null && !isPending && news.length === 0 && !lacksRows(run);
    const isOver = isQuiet && openPausings(run).length === 0;
    if (isOver || clock.elapsed() >= end || signal.aborted) return;
    await clock.sleep(INTERVAL, signal).catch(() => undefined);
    if (signal.aborted) return;
    await repeat(run, service);
  }
}

async function pauseAll(run: PauseRun, service: Service, examined: readonly Examined[]): Promise<void> {
  const due = examined.filter(({ isDue }) => isDue);
  if (due.length > 0) await run.record.begin();
  await Promise.all(due.map((each) => pauseOne(run, service, each)));
}

const RESULTS = { accepted: 'in_doubt', in_doubt: 'in_doubt', refused: 'failed', unsent: 'not_run' } as const;

async function pauseOne(
  { place, prepared, interrupt, record, pausings, named }: PauseRun,
  service: Service,
  { suspect, otherName }: Pick<Examined, 'suspect' | 'otherName'>,
): Promise<void> {
  const { signal } = interrupt;
  const before = pausings.get(suspect.id) ?? startPausing(suspect, place.environment);
  pausings.set(suspect.id, before);
  if (signal.aborted) return;
  const { isUrgent } = prepared.request;
  const other = otherName ?? (isUrgent ? null : await findOtherName(suspect, service, named));
  if (other !== null) {
    const reason = wrongWorkspace(suspect, other);
    pausings.set(suspect.id, { ...before, verdict: { is: 'other', reason } });
    return;
  }
  await record.intend(suspect);
  const request = { method: 'PATCH', path: `/api/campaigns/${suspect.id}/pause`, body: null } as const;
  const sent: Sent = await service.send(request, { stop: signal });
  // Keeps the earlier outcome, because that request may still take effect.
  const kept = sent.kind === 'unsent' && before.sent !== null ? before.sent : sent;
  pausings.set(suspect.id, { ...before, sent: kept });
  await record.conclude(suspect, RESULTS[kept.kind]);
}

function examineAll(run: PauseRun, service: Service, suspects: readonly Suspect[]): Promise<Examined[]> {
  for (const { id } of suspects) run.examined.add(id);
  const { environment, waits } = run.place;
  const work = Promise.all(suspects.map((suspect) => examine(suspect, service, run.place)));
  return awaiting(waits, pauseWait(environment, 'campaigns'), { work, most: READ_WITHIN });
}

/** Reads each campaign that is not settled, and the list once. */
async function prove(run: PauseRun, service: Service): Promise<void> {
  const { place, prepared, pausings, record } = run;
  const open = openPausings(run);
  const [now, ...sightings] = await Promise.all([
    readListing(service, place),
    ...open.map(({ suspect }) => readSighting(service, suspect.id)),
  ]);
  const isSame =
    isSameWorkspace(now, prepared.listing) && (await findOtherWorkspace(place, service, now)) === null;
  if (isSame) run.listing = now;
  for (const [at, pausing] of open.entries()) {
    const { suspect } = pausing;
    const sighting = sightings[at];
    if (sighting === undefined) continue;
    const row = isSame ? (now.rows.find(({ id }) => id === suspect.id) ?? null) : null;
    const isListComplete = now.doubt === null;
    const seen = judge(pausing, { sighting, row, isListComplete }, place.environment);
    const judged = unlessAtWork(seen, run.apply, { isYoung: isYoung(run, suspect) });
    pausings.set(suspect.id, judged);
    if (judged.verdict.is === 'proven') await record.conclude(suspect, 'done');
  }
}

/** Waits for the state if a campaign may be missing without it. */
async function learn(run: PauseRun): Promise<void> {
  const { known, prepared } = run;
  if (known.unread.length === 0) return;
  const isNeeded = prepared.request.selection.all || suspectsOf(run).unmatched.length > 0;
  run.known = await knownWithin(prepared.reads, isNeeded ? STATE_WITHIN : LOOK_WITHIN);
  run.hasLateReads = run.known.unread.length < known.unread.length;
}

/** True if the first list was cut off, and may show campaigns that are to be paused. */
function lacksRows(run: PauseRun): boolean {
  const { selection, isUrgent } = run.prepared.request;
  if (!run.listing.isCutOff || !isUrgent) return false;
  return selection.all || selection.unmanaged || suspectsOf(run).unmatched.length > 0;
}

/** Campaigns that an apply has launched meanwhile, or that the list or the state, read late, shows. */
async function findNew(run: PauseRun, service: Service): Promise<Examined[]> {
  const { place, prepared, pausings, isOvertaken } = run;
  // Campaigns that were not shown are paused only while an apply is at work.
  if (!prepared.request.isUrgent && !isOvertaken) return [];
  const wasShown = ({ id, entry }: Suspect) =>
    entry !== null || prepared.listing.isCutOff || prepared.listing.rows.some((row) => row.id === id);
  const unseen = suspectsOf(run).selected.filter(
    (suspect) => !pausings.has(suspect.id) && (isOvertaken || wasShown(suspect)),
  );
  const obvious = unseen.filter((suspect) => isObvious(suspect, place));
  const isEnded = isOvertaken && run.apply.holder === null;
  const isAll = isEnded || run.hasLateReads;
  if (isEnded) run.isOvertaken = false;
  run.hasLateReads = false;
  const isOpen = ({ id, row }: Suspect) => isAll || (row?.status === null && !run.examined.has(id));
  const rest = unseen.filter((suspect) => !obvious.includes(suspect) && isOpen(suspect));
  const others = await examineAll(run, service, rest);
  const due = obvious.map((suspect) => ({ suspect, isDue: true, otherName: null }));
  return [...due, ...others.filter(({ isDue }) => isDue)];
}

/** Pauses again what still sends or has no answer and, while a launch may take effect, what shows no status. */
async function repeat(run: PauseRun, service: Service): Promise<void> {
  const isAtWork = run.apply.holder !== null || !run.apply.isKnown;
  const mayRestart = ({ suspect, verdict, wasProven }: Pausing) =>
    isAtWork || (verdict.is === 'sending' && wasProven) || (verdict.is !== 'proven' && isYoung(run, suspect));
  const due = openPausings(run).filter(
    (pausing) =>
      pausing.sent?.kind !== 'refused' && (pausing.sent?.kind !== 'accepted' || mayRestart(pausing)),
  );
  await Promise.all(due.map(({ suspect }) => pauseOne(run, service, { suspect, otherName: null })));
}

/** True as long as a launch of an earlier run may take effect. */
function isYoung({ place }: PauseRun, { launchUntil }: Suspect): boolean {
  return launchUntil !== null && place.world.clock.elapsed() < launchUntil;
}

function openPausings(run: PauseRun): Pausing[] {
  return [...run.pausings.values()].filter(({ suspect, sent, verdict: { is }, stopped }) => {
    if (is === 'other' || is === 'gone') return false;
    // A reading that shows a refused pause as done is repeated.
    if (is !== 'unread' && sent?.kind === 'refused' && stopped !== 1) return false;
    return is !== 'proven' || isYoung(run, suspect) || mayBeRelaunched(run, suspect);
  });
}

/** True while an apply is at work, unless the list shows the campaign as stopped, and once after that apply has ended. */
function mayBeRelaunched({ place, isOvertaken, apply, listing }: PauseRun, suspect: Suspect): boolean {
  if (!isOvertaken) return false;
  const row = listing.rows.find(({ id }) => id === suspect.id) ?? null;
  return apply.holder === null || row?.status == null || isObvious({ ...suspect, row }, place);
}

async function report(run: PauseRun): Promise<PauseResult> {
  const { place, record, pausings, listing, known, apply } = run;
  const outcomes = [...pausings.values()].map(toOutcome);
  // Git that did not answer before hardly answers now.
  const patience = known.unread.length === 0 ? RECORD_WITHIN : STATE_WITHIN;
  const work = within(record.end(outcomes), patience, (reason) => reason);
  const wait = pauseWait(place.environment, 'record');
  const note = await awaiting(place.waits, wait, { work, most: patience });
  const { selected, others, unmatched } = suspectsOf(run);
  const idle = selected.filter(({ id }) => !pausings.has(id)).length;
  const unselected = mayBeSending(others, listing, place);
  const unread = [...unreadOf(known, run.prepared.request.selection, unselected), ...unreadLock(apply)];
  const unclear = { doubts: doubtsOf(listing), unread, unmatched };
  return { environment: place.environment.name, outcomes, note, apply: apply.holder, idle, ...unclear };
}

/** An apply on another machine may launch campaigns, which the status that proves a pause does not exclude. */
function unreadLock({ isKnown }: LockLook): string[] {
  return isKnown
    ? []
    : ['whether an apply is running, which may launch campaigns again: run pause again later'];
}

/** `end`: in monotonic milliseconds. */
function openProvingWait({ environment, world, waits }: ProjectPlace, end: number) {
  const { clock } = world;
  const start = clock.elapsed();
  let phase: PausePhase | null = null;
  let stop = () => {};
  return {
    begin({ holder, isPending }: LockLook) {
      const now = clock.elapsed();
      const next = holder !== null ? 'apply' : isPending ? 'lock' : 'proof';
      if (next === phase) return;
      stop();
      phase = next;
      stop = waits.begin(pauseWait(environment, phase), { most: end - now, before: now - start });
    },
    end: () => stop(),
  };
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

/**
 * Looks at the lock, and waits only briefly, because a remote repository may be slow or not answer. What a look finds while
 * nobody waits for it is returned next.
 */
function watchApply(place: ProjectPlace): () => Promise<LockLook> {
  const unknown: LockLook = { holder: null, isKnown: false, isPending: false };
  let looking: Promise<LockLook> | null = null;
  const look = () =>
    otherApply(place, place.backend.heldNow).then(
      (holder): LockLook => ({ holder, isKnown: true, isPending: false }),
      (error: unknown) => {
        if (error instanceof Failure) return unknown;
        throw error;
      },
    );
  return async () => {
    looking ??= look();
    const seen = await within(looking, LOOK_WITHIN, () => ({ ...unknown, isPending: true }));
    if (!seen.isPending) looking = null;
    return seen;
  };
}
