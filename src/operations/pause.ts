/**
 * Stops campaigns in an emergency. Turns the caution of `apply` round: in doubt, the pause is sent. Needs neither manifests,
 * state, lock nor a complete list, and reports a campaign as paused only if the service shows it.
 */
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { serviceHead } from '../model/environment.js';
import { EXIT, Failure } from '../model/failure.js';
import type { PauseOutcome, PausePlan, PauseResult, RunningCampaign } from '../model/reports.js';
import { sendingBy } from '../sections/sending.js';
import { type Reader, type Sent, systemClock } from '../service/index.js';
import { type Checkout, readCheckout } from './checkout.js';
import { withReader, withWriter } from './connect.js';
import { applyAtWork } from './lock.js';
import { openPauseRecord } from './pause-record.js';
import type { ProjectPlace } from './place.js';
import {
  findSuspects,
  type Knowledge,
  type Known,
  knownWithin,
  type Listing,
  mayBeSending,
  type PauseSelection,
  READ_WITHIN,
  readSighting,
  type Suspect,
  startKnowledge,
  within,
} from './suspects.js';
import type { Interrupt } from './world.js';

export { refuseUnknown } from '../import/select.js';
export type { PauseSelection } from './suspects.js';

/** A plan and what it was made from. `rest`: selected campaigns that were not checked yet. */
export interface PreparedPause {
  plan: PausePlan;
  targets: readonly Suspect[];
  rest: readonly Suspect[];
  listing: Listing;
  known: Known;
  knowledge: Knowledge;
  /** For the journal. */
  checkout: Promise<Checkout | null>;
}

/** Milliseconds for reading the state and the manifests before a question, and before the first request without one. */
const PATIENT = 5_000;
const HASTY = 800;

/** `isUrgent`: nobody is asked, so only what the list shows as sending is chosen; `pauseCampaigns` checks the rest. */
export async function preparePause(
  place: ProjectPlace,
  selection: PauseSelection,
  { isUrgent, idsMeanRows }: { isUrgent: boolean; idsMeanRows: boolean },
  { guard }: Interrupt,
): Promise<PreparedPause> {
  const knowledge = startKnowledge(place);
  const knowing = knownWithin(knowledge, isUrgent ? HASTY : PATIENT);
  const working = within(otherApply(place), isUrgent ? HASTY : PATIENT, () => null);
  const checkout = readCheckout(place.project).catch(() => null);
  return withReader(place, async (reader) => {
    const listing = await guard(readListing(reader));
    await guard(refuseOtherWorkspace(place, reader, listing));
    const known = await guard(knowing);
    const { selected, others } = findSuspects(listing, known, selection, { idsMeanRows });
    const check = async (suspect: Suspect) => {
      const isDue = isUrgent ? isObvious(suspect, place) : await mayBeSending(suspect, reader, place);
      return { suspect, isDue: isDue === true };
    };
    const checked = await guard(Promise.all(selected.map(check)));
    const targets = checked.filter(({ isDue }) => isDue).map(({ suspect }) => suspect);
    return {
      targets,
      rest: isUrgent ? selected.filter((suspect) => !targets.includes(suspect)) : [],
      ...{ listing, known, knowledge, checkout },
      plan: {
        environment: place.environment.name,
        ...serviceHead(place.environment),
        targets: targets.map(toRunning),
        others: others.filter((suspect) => isObvious(suspect, place)).map(toRunning),
        apply: await guard(working),
        doubts: doubtsOf(listing),
        unread: known.unread,
        idle: selected.length - targets.length,
      },
    };
  });
}

function isObvious({ row }: Suspect, { environment }: ProjectPlace): boolean {
  return row !== null && sendingBy(row.status, environment).state !== 'no';
}

function toRunning({ id, name, row, manifest }: Suspect): RunningCampaign {
  return { id, name, status: row?.status ?? null, manifest };
}

function doubtsOf({ doubt }: Listing): string[] {
  return doubt === null ? [] : [`the list of campaigns is not complete, so others may be sending: ${doubt}`];
}

async function readListing(reader: Pick<Reader, 'someCampaigns'>): Promise<Listing> {
  return within<Listing>(reader.someCampaigns(), READ_WITHIN, (doubt) => ({ rows: [], doubt }));
}

/** Refuses only if the pinned campaign is shown with a different name, or is not shown in a complete list. */
async function refuseOtherWorkspace(
  { environment: { name: environment, workspace } }: ProjectPlace,
  reader: Pick<Reader, 'read'>,
  { rows, doubt }: Listing,
): Promise<void> {
  if (workspace === null) return;
  const { campaign_id, name } = workspace;
  const row = rows.find(({ id }) => id === campaign_id);
  const sighting = row === undefined && doubt !== null ? await readSighting(reader, campaign_id) : null;
  const shown = row?.name ?? (sighting?.is === 'record' ? sighting.name : null);
  const isMissing = sighting === null ? row === undefined : sighting.is === 'none';
  if (!isMissing && (shown === null || isSameName(shown, name))) return;
  throw wrongWorkspace(
    `The environment ${environment} is pinned to the workspace where campaign ${campaign_id} is called "${name}"; this token's workspace ${isMissing ? 'has no such campaign' : `calls it "${shown}"`}.`,
  );
}

function wrongWorkspace(message: string): Failure {
  return new Failure(
    {
      code: 'wrong-workspace',
      message: `${message} Nothing was paused there.`,
      hint: 'Check the token: it may belong to a different workspace. Then run pause again.',
    },
    { exitCode: EXIT.incomplete },
  );
}

/** The names that the campaigns had when they were chosen must still be theirs. */
function refuseMoved({ rows, doubt }: Listing, before: Listing): void {
  if (doubt !== null || before.rows.length === 0) return;
  const now = new Map(rows.map((row) => [row.id, row]));
  if (before.rows.some(({ id }) => now.has(id))) return;
  throw wrongWorkspace('The list of campaigns no longer shows any of the campaigns that it showed before.');
}

/** Milliseconds to wait until pauses are visible, and between readings. */
const PATIENCE = 60_000;
const INTERVAL = 2_000;
const RECORD_WITHIN = 15_000;

/** `sent`: `null` if the campaign was not sent a pause. `wasShown`: true if the service showed a status for it before. */
interface Pausing {
  suspect: Suspect;
  sent: Sent | null;
  wasShown: boolean;
  proof: string | null;
  /** Why it is not proven. */
  doubt: string;
  isGone: boolean;
  isWrong: boolean;
  /** True once the service was read after the request. */
  isJudged: boolean;
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
  const { environment, world } = place;
  const { clock = systemClock } = world;
  let { listing, known } = prepared;
  let apply: string | null = prepared.plan.apply;
  let isApplyKnown = true;
  const pausings = new Map<number, Pausing>();
  const record = openPauseRecord(place, prepared);
  const watching = watchApply(place, (holder, isKnown) => {
    apply = holder;
    isApplyKnown = isKnown;
  });

  await withWriter(place, { check() {} }, async (service) => {
    const end = clock.elapsed() + PATIENCE;
    if (wasAsked) {
      const again = await readListing(service);
      if (again.doubt === null || again.rows.length > 0) {
        refuseMoved(again, prepared.listing);
        await refuseOtherWorkspace(place, service, again);
        listing = again;
      } else listing = { rows: [], doubt: again.doubt };
    }
    const isNamedAsBefore = namesCheck(service, { listing, wasAsked });
    await pauseAll(prepared.targets);
    await pauseAll(await dueOf(prepared.rest));
    for (;;) {
      await prove();
      await watching.look();
      const isOver = [...pausings.values()].every(isSettled) && apply === null && isApplyKnown;
      if (isOver || clock.elapsed() >= end || signal.aborted) return;
      await clock.sleep(INTERVAL, signal).catch(() => undefined);
      if (signal.aborted) return;
      await repeat();
    }

    async function pauseAll(suspects: readonly Suspect[]): Promise<void> {
      await record.begin();
      await Promise.all(suspects.map(pauseOne));
    }

    async function pauseOne(suspect: Suspect): Promise<void> {
      const before = pausings.get(suspect.id) ?? startPausing(suspect, environment);
      pausings.set(suspect.id, before);
      if (signal.aborted) return;
      const wrong = await isNamedAsBefore(suspect);
      if (wrong !== null) {
        pausings.set(suspect.id, { ...before, isWrong: true, doubt: wrong });
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

    async function dueOf(suspects: readonly Suspect[]): Promise<Suspect[]> {
      const checked = await Promise.all(
        suspects.map(async (suspect) =>
          (await mayBeSending(suspect, service, place)) === true ? [suspect] : [],
        ),
      );
      return checked.flat();
    }

    /** Reads each campaign that is not settled, and the list once. */
    async function prove(): Promise<void> {
      const open = [...pausings.values()].filter((pausing) => !isSettled(pausing));
      const [now, ...sightings] = await Promise.all([
        readListing(service),
        ...open.map(({ suspect }) => readSighting(service, suspect.id)),
      ]);
      const isSame = isSameWorkspace(now, prepared.listing);
      if (isSame) listing = now;
      for (const [at, pausing] of open.entries()) {
        const sighting = sightings[at];
        if (sighting === undefined) continue;
        const row = isSame ? (now.rows.find(({ id }) => id === pausing.suspect.id) ?? null) : null;
        const judged = judge(pausing, { sighting, row, listing: now, place });
        const isUnshown = judged.proof === NO_STATUS;
        const proof = isUnshown && (apply !== null || !isApplyKnown) ? null : judged.proof;
        pausings.set(pausing.suspect.id, { ...judged, proof, isJudged: true });
        if (proof !== null) await record.conclude(pausing.suspect, 'done');
      }
    }

    /** Pauses again what still sends or has no answer, and campaigns that an apply has launched meanwhile. */
    async function repeat(): Promise<void> {
      known = await refreshKnown(prepared, known);
      const open = [...pausings.values()].filter((pausing) => !isSettled(pausing)).filter(isRepeated);
      const { selected } = findSuspects(listing, known, selection, { idsMeanRows });
      const isNew = (suspect: Suspect) => !pausings.has(suspect.id) && isObvious(suspect, place);
      // Campaigns that were not shown are paused only while an apply is at work.
      const news = wasAsked && apply === null ? [] : selected.filter(isNew);
      await pauseAll([...open.map(({ suspect }) => suspect), ...news]);
    }

    function isRepeated({ sent }: Pausing): boolean {
      return sent?.kind !== 'refused' && (sent?.kind !== 'accepted' || apply !== null);
    }
  });
  await watching.end();
  const outcomes = [...pausings.values()].map(toOutcome);
  const note = await within(record.end(outcomes), RECORD_WITHIN, (reason) => reason);
  const said = { doubts: doubtsOf(listing), unread: known.unread };
  return { environment: environment.name, outcomes, note, apply, ...said };
}

function pausePath(id: number): string {
  return `/api/campaigns/${id}/pause`;
}

function startPausing(suspect: Suspect, environment: ProjectPlace['environment']): Pausing {
  const wasShown = (suspect.row?.status ?? null) !== null || suspect.entry?.recorded.status_shown === true;
  const base = { suspect, sent: null, proof: null, isGone: false, isWrong: false, isJudged: false };
  return { ...base, wasShown, doubt: `no pause was sent to ${environment.name}` };
}

function isSettled({ proof, isWrong, isGone, isJudged, sent }: Pausing): boolean {
  return proof !== null || isWrong || isGone || (isJudged && sent?.kind === 'refused');
}

const NO_STATUS = 'the service accepted the pause and shows no status';

/** "paused" needs a status that shows it or, if the service shows none, an accepted request. */
function judge(
  pausing: Pausing,
  {
    sighting,
    row,
    listing,
    place,
  }: {
    sighting: Awaited<ReturnType<typeof readSighting>>;
    row: ListedCampaign | null;
    listing: Listing;
    place: ProjectPlace;
  },
): Pausing {
  const { suspect, sent, wasShown } = pausing;
  if (sighting.is === 'none' && row === null)
    return { ...pausing, isGone: listing.doubt === null, doubt: 'the service no longer shows the campaign' };
  if (sighting.is === 'record' && sighting.name !== null && !isSameName(sighting.name, suspect.name))
    return { ...pausing, isWrong: true, doubt: otherName(suspect, sighting.name) };
  const words = [sighting.is === 'record' ? sighting.word : null, row?.status ?? null];
  const shown = words.filter((word) => word !== null);
  const sends = shown.find((word) => sendingBy(word, place.environment).state !== 'no');
  if (sends !== undefined) return { ...pausing, wasShown: true, doubt: `the service shows "${sends}"` };
  const [word] = shown;
  if (word !== undefined) return { ...pausing, proof: `the service shows "${word}"` };
  if (sighting.is === 'unreadable')
    return { ...pausing, doubt: `the campaign could not be read: ${sighting.reason}` };
  if (wasShown) return { ...pausing, doubt: 'the service no longer shows a status' };
  return sent?.kind === 'accepted'
    ? { ...pausing, proof: NO_STATUS }
    : { ...pausing, doubt: 'the service shows no status' };
}

function otherName({ id, name }: Suspect, shown: string): string {
  return `wrong workspace: campaign ${id} was called "${name}" and is now called "${shown}"`;
}

/**
 * Returns why a campaign must not be paused, or `null`. The fresh list is the check; if there is none, the campaign's record.
 * Only a different name refuses.
 */
function namesCheck(
  reader: Pick<Reader, 'read'>,
  { listing, wasAsked }: { listing: Listing; wasAsked: boolean },
): (suspect: Suspect) => Promise<string | null> {
  return async (suspect) => {
    if (!wasAsked) return null;
    const row = listing.rows.find(({ id }) => id === suspect.id);
    if (row !== undefined) return isSameName(row.name, suspect.name) ? null : otherName(suspect, row.name);
    const sighting = await readSighting(reader, suspect.id);
    if (sighting.is !== 'record' || sighting.name === null) return null;
    return isSameName(sighting.name, suspect.name) ? null : otherName(suspect, sighting.name);
  };
}

function isSameWorkspace(now: Listing, before: Listing): boolean {
  if (now.doubt !== null && now.rows.length === 0) return false;
  const ids = new Set(now.rows.map(({ id }) => id));
  return before.rows.length === 0 || before.rows.some(({ id }) => ids.has(id));
}

/** Takes over the state and the manifests once they have been read. */
async function refreshKnown({ knowledge }: PreparedPause, known: Known): Promise<Known> {
  return known.unread.length === 0 ? known : knownWithin(knowledge, HASTY);
}

interface ApplyWatch {
  /** Starts a look if none is running, and waits briefly for it. */
  look(): Promise<void>;
  end(): Promise<void>;
}

/** Looks at the lock beside the requests, because a remote repository may not answer. */
function watchApply(
  place: ProjectPlace,
  report: (holder: string | null, isKnown: boolean) => void,
): ApplyWatch {
  let running: Promise<void> | null = null;
  const start = () =>
    otherApply(place)
      .then(
        (holder) => report(holder, true),
        (error: unknown) => {
          if (!(error instanceof Failure)) throw error;
          report(null, false);
        },
      )
      .finally(() => {
        running = null;
      });
  return {
    async look() {
      running ??= start();
      await within(running, HASTY, () => undefined);
    },
    async end() {
      if (running !== null) await within(running, HASTY, () => report(null, false));
    },
  };
}

async function otherApply({ backend, world }: ProjectPlace): Promise<string | null> {
  const other = await applyAtWork(backend, world);
  return other?.certain === true ? other.holder : null;
}

function toOutcome({ suspect, sent, proof, doubt, isGone, isWrong }: Pausing): PauseOutcome {
  const campaign = toRunning(suspect);
  if (proof !== null) return { ...campaign, result: 'paused', detail: proof };
  if (isWrong) return { ...campaign, result: 'refused', detail: doubt };
  if (isGone) return { ...campaign, result: 'unknown', detail: doubt };
  if (sent === null || sent.kind === 'unsent')
    return { ...campaign, result: 'not_sent', detail: sent?.message ?? null };
  const message = sent !== null && 'message' in sent ? sent.message : null;
  const detail = [message, doubt].filter((part) => part !== null).join('; ');
  if (sent?.kind === 'refused') return { ...campaign, result: 'refused', detail };
  return { ...campaign, result: doubt.startsWith('the service shows "') ? 'running' : 'unknown', detail };
}
