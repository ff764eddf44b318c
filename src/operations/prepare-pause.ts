/**
 * Chooses the campaigns that `pause` stops in an emergency. Turns the caution of `apply` round: in doubt, the pause is sent.
 * Needs neither manifests, state, lock nor a complete list.
 */
import { isSameName } from '../model/characters.js';
import { serviceHead } from '../model/environment.js';
import { EXIT, Failure } from '../model/failure.js';
import type { PausePlan, RunningCampaign } from '../model/reports.js';
import { awaiting, type PausePhase } from '../model/waits.js';
import { listed } from '../model/words.js';
import { statusInList } from '../sections/sending.js';
import type { Reader } from '../service/index.js';
import type { Backend } from '../state/backend.js';
import { type Checkout, readCheckout } from './checkout.js';
import { withReader } from './connect.js';
import { applyAtWork } from './lock.js';
import { pauseWait, READ_WITHIN, within } from './pause-waits.js';
import type { ProjectPlace } from './place.js';
import {
  type Examined,
  examine,
  findSuspects,
  isObvious,
  type Known,
  knownWithin,
  type Listing,
  type PauseRequest,
  type PauseSelection,
  readListing,
  readSighting,
  type StartedReads,
  type Suspect,
  startReads,
  toRunning,
} from './suspects.js';
import type { Interrupt } from './world.js';

/** A plan and what it was made from. `rest`: selected campaigns that were not examined yet. */
export interface PreparedPause {
  request: PauseRequest;
  plan: PausePlan;
  targets: readonly Examined[];
  rest: readonly Suspect[];
  listing: Listing;
  known: Known;
  reads: StartedReads;
  /** For the journal. */
  checkout: Promise<Checkout | null>;
}

/** Milliseconds for the state, the manifests and the lock before a question, and before the first request without one. */
const BEFORE_QUESTION = 5_000;
const BEFORE_REQUEST = 800;

/** If it is urgent, only what the list shows as sending is chosen; `pauseCampaigns` checks the rest. */
export async function preparePause(
  place: ProjectPlace,
  request: PauseRequest,
  { guard }: Interrupt,
): Promise<PreparedPause> {
  const { selection, isUrgent } = request;
  const { environment, backend, waits } = place;
  const patience = isUrgent ? BEFORE_REQUEST : BEFORE_QUESTION;
  const reads = startReads(place);
  const knowing = knownWithin(reads, patience);
  const holder = within(otherApply(place, backend.held), patience, () => null);
  const checkout = readCheckout(place).catch(() => null);
  const reading = <T>(phase: PausePhase, work: Promise<T>, most = READ_WITHIN) =>
    guard(awaiting(waits, pauseWait(environment, phase), { work, most }));
  return withReader(withOneMoreRequest(place), async (reader) => {
    const listing = await reading('list', readListing(reader, place));
    await reading('campaigns', refuseOtherWorkspace(place, reader, listing));
    const known = await reading('state', knowing, patience);
    const { selected, others, unmatched } = findSuspects(listing, known, request);
    const check = async (suspect: Suspect): Promise<Examined> =>
      isUrgent
        ? { suspect, isDue: isObvious(suspect, place), otherName: null }
        : examine(suspect, reader, place);
    const examined = await reading('campaigns', Promise.all(selected.map(check)));
    const unselected = mayBeSending(others, listing, place);
    const targets = examined.filter(({ isDue }) => isDue);
    const rest = examined.filter(({ isDue }) => !isDue).map(({ suspect }) => suspect);
    return {
      request,
      targets,
      rest: isUrgent ? rest : [],
      ...{ listing, known, reads, checkout },
      plan: {
        environment: environment.name,
        ...serviceHead(environment),
        targets: targets.map(({ suspect }) => toRunning(suspect)),
        others: unselected,
        apply: await guard(holder),
        doubts: doubtsOf(listing),
        unread: unreadOf(known, selection, unselected),
        unmatched,
        idle: rest.length,
      },
    };
  });
}

/** The campaigns that the list shows and that may be sending. */
export function mayBeSending(
  suspects: readonly Suspect[],
  { rows }: Listing,
  { environment }: ProjectPlace,
): RunningCampaign[] {
  const isOne = ({ row, entry }: Suspect) =>
    row !== null && statusInList(row, entry, { environment, listed: rows }).sends !== 'no';
  return suspects.filter(isOne).map(toRunning);
}

/** `others`: campaigns that were not selected. With `--all`, a file with errors may describe one of them. */
export function unreadOf(
  { unread, invalid }: Known,
  { all }: PauseSelection,
  others: readonly RunningCampaign[],
): string[] {
  const isOpen = all && invalid.length > 0 && others.some(({ manifest }) => manifest === null);
  if (!isOpen) return unread;
  const have = invalid.length === 1 ? 'has' : 'have';
  return [
    ...unread,
    `${listed(invalid)} ${have} errors, so campaigns that were not selected may belong to the project`,
  ];
}

/** A list that does not answer must not prevent a pause. */
export function withOneMoreRequest(place: ProjectPlace): ProjectPlace {
  const { environment } = place;
  const limits = { ...environment.limits, parallelism: environment.limits.parallelism + 1 };
  return { ...place, environment: { ...environment, limits } };
}

export function doubtsOf({ doubt }: Listing): string[] {
  return doubt === null ? [] : [`the list of campaigns is not complete, so others may be sending: ${doubt}`];
}

export async function refuseOtherWorkspace(
  place: ProjectPlace,
  reader: Pick<Reader, 'read'>,
  listing: Listing,
): Promise<void> {
  const other = await findOtherWorkspace(place, reader, listing);
  if (other !== null) throw wrongWorkspace(other);
}

/** Only if the pinned campaign is shown with a different name, or is not shown in a complete list; otherwise `null`. */
export async function findOtherWorkspace(
  { environment: { name: environment, workspace } }: ProjectPlace,
  reader: Pick<Reader, 'read'>,
  { rows, doubt }: Listing,
): Promise<string | null> {
  if (workspace === null) return null;
  const { campaign_id, name } = workspace;
  const row = rows.find(({ id }) => id === campaign_id);
  const sighting = row === undefined && doubt !== null ? await readSighting(reader, campaign_id) : null;
  const shown = row?.name ?? (sighting?.is === 'record' ? sighting.name : null);
  const isMissing = sighting === null ? row === undefined : sighting.is === 'none';
  if (!isMissing && (shown === null || isSameName(shown, name))) return null;
  return `The environment ${environment} is pinned to the workspace where campaign ${campaign_id} is called "${name}"; this token's workspace ${isMissing ? 'has no such campaign' : `calls it "${shown}"`}.`;
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
export function refuseMoved({ rows, doubt }: Listing, before: Listing): void {
  if (doubt !== null || before.rows.length === 0) return;
  const now = new Map(rows.map((row) => [row.id, row]));
  if (before.rows.some(({ id }) => now.has(id))) return;
  throw wrongWorkspace('The list of campaigns no longer shows any of the campaigns that it showed before.');
}

/** Returns the holder of the lock if it is an apply that is certainly at work. */
export async function otherApply(
  { world }: Pick<ProjectPlace, 'world'>,
  held: Backend['held'],
): Promise<string | null> {
  const other = await applyAtWork({ held }, world);
  return other?.certain === true ? other.holder : null;
}
