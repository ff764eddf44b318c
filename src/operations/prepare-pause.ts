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
import type { ProjectPlace } from './place.js';
import {
  type Examined,
  examine,
  findSuspects,
  isObvious,
  type Knowledge,
  type Known,
  knownWithin,
  type Listing,
  type PauseSelection,
  READ_WITHIN,
  readListing,
  readSighting,
  type Suspect,
  startKnowledge,
  within,
} from './suspects.js';
import type { Interrupt } from './world.js';

export { suggestName } from '../import/select.js';
export type { PauseSelection } from './suspects.js';

/** A plan and what it was made from. `rest`: selected campaigns that were not examined yet. */
export interface PreparedPause {
  plan: PausePlan;
  targets: readonly Examined[];
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
  const working = within(otherApply(place, place.backend.held), isUrgent ? HASTY : PATIENT, () => null);
  const checkout = readCheckout(place).catch(() => null);
  const reading = <T>(phase: PausePhase, work: Promise<T>, most = READ_WITHIN) => {
    const wait = { kind: 'pause', phase, environment: place.environment.name } as const;
    return guard(awaiting(place.waits, wait, { work, most }));
  };
  return withReader(withRoom(place), async (reader) => {
    const listing = await reading('list', readListing(reader, place));
    await reading('campaigns', refuseOtherWorkspace(place, reader, listing));
    const known = await reading('state', knowing, isUrgent ? HASTY : PATIENT);
    const { selected, others, unmatched } = findSuspects(listing, known, selection, { idsMeanRows });
    const check = async (suspect: Suspect): Promise<Examined> =>
      isUrgent
        ? { suspect, isDue: isObvious(suspect, place), otherName: null }
        : examine(suspect, reader, place);
    const examined = await reading('campaigns', Promise.all(selected.map(check)));
    const unselected = maySend(others, listing, place);
    const targets = examined.filter(({ isDue }) => isDue);
    const rest = examined.filter(({ isDue }) => !isDue).map(({ suspect }) => suspect);
    return {
      targets,
      rest: isUrgent ? rest : [],
      ...{ listing, known, knowledge, checkout },
      plan: {
        environment: place.environment.name,
        ...serviceHead(place.environment),
        targets: targets.map(({ suspect }) => toRunning(suspect)),
        others: unselected,
        apply: await guard(working),
        doubts: doubtsOf(listing),
        unread: unreadOf(known, selection, unselected),
        unmatched,
        idle: rest.length,
      },
    };
  });
}

/** The campaigns that the list shows and that may be sending. */
export function maySend(
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

/** Allows one request more at a time, because a list that does not answer must not prevent a pause. */
export function withRoom(place: ProjectPlace): ProjectPlace {
  const { environment } = place;
  const limits = { ...environment.limits, parallelism: environment.limits.parallelism + 1 };
  return { ...place, environment: { ...environment, limits } };
}

export function toRunning({ id, name, row, manifest, declares }: Suspect): RunningCampaign {
  return { id, name, status: row?.status ?? null, manifest, declares };
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
