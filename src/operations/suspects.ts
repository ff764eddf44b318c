/** Which campaigns `pause` may have to stop. Whatever cannot be read in time is left out and named, never waited for. */
import { isMeant, suggestName } from '../import/select.js';
import type { ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { Failure } from '../model/failure.js';
import { isNone, nameIn, statusIn } from '../model/live.js';
import type { LocatedFinding } from '../model/outputs.js';
import type { DeclaredStatus, RunningCampaign } from '../model/reports.js';
import type { Campaign } from '../model/spec.js';
import { SHOWN_WITHIN, type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { loadCampaigns } from '../project/campaigns.js';
import { CONTRACT_CODES } from '../rules/contract.js';
import { statusOfWord } from '../sections/sending.js';
import type { Reader } from '../service/index.js';
import { briefSettings } from './connect.js';
import { READ_WITHIN, within } from './pause-waits.js';
import type { ProjectPlace } from './place.js';

export interface PauseSelection {
  names: readonly string[];
  all: boolean;
  unmanaged: boolean;
}

/**
 * `isUrgent`: nobody is asked before the pauses are sent. `idsMeanRows`: true if a number may also be the id of a campaign that
 * only the list knows.
 */
export interface PauseRequest {
  selection: PauseSelection;
  isUrgent: boolean;
  idsMeanRows: boolean;
}

/**
 * `row`: `null` if the list does not show the campaign. `isSaved`: the state has an entry, not only requests of a run that
 * died. `launchUntil`: elapsed milliseconds of the clock until which a launch of an earlier run may take effect; `null` if
 * none was sent.
 */
export interface Suspect {
  id: number;
  name: string;
  row: ListedCampaign | null;
  entry: StateEntry | null;
  manifest: string | null;
  declares: DeclaredStatus | null;
  isSaved: boolean;
  launchUntil: number | null;
}

/** `doubt`: why campaigns may be missing; `null` if the list is complete. `isCutOff`: they may be read later. */
export interface Listing {
  rows: readonly ListedCampaign[];
  doubt: string | null;
  isCutOff: boolean;
}

/** One row for each campaign: if several have its id, one that may be sending. */
export async function readListing(
  reader: Pick<Reader, 'someCampaigns'>,
  { environment }: ProjectPlace,
): Promise<Listing> {
  const rows: ListedCampaign[] = [];
  const read = reader.someCampaigns(rows).then((doubt) => ({ doubt, isCutOff: false }));
  const listing = await within(read, READ_WITHIN, (doubt) => ({
    doubt: `${doubt} (${briefSettings(environment)})`,
    isCutOff: true,
  }));
  const isQuiet = ({ status }: ListedCampaign) => statusOfWord(status, null, environment).sends === 'no';
  const byId = new Map(
    [...rows.filter(isQuiet), ...rows.filter((row) => !isQuiet(row))].map((row) => [row.id, row]),
  );
  return { rows: [...byId.values()], ...listing };
}

/**
 * What the state and the manifests say; empty until they have been read. `entries`: by id, including campaigns that only
 * requests of a run that died name. `saved`: ids of the others. `launches`: as `launchUntil`. `invalid`: files with errors, whose
 * campaigns are missing. `unread`: what could not be read, and why.
 */
export interface Known {
  entries: ReadonlyMap<number, StateEntry>;
  saved: ReadonlySet<number>;
  launches: ReadonlyMap<number, number>;
  manifestOf(campaign: Pick<ListedCampaign, 'id' | 'name'>): Pick<Campaign, 'manifest' | 'spec'> | null;
  invalid: readonly string[];
  unread: string[];
}

export const NOTHING_KNOWN: Known = {
  entries: new Map(),
  saved: new Set(),
  launches: new Map(),
  manifestOf: () => null,
  invalid: [],
  unread: [],
};

/** Reads that were started, and may never be awaited. */
export interface StartedReads {
  state: Promise<Pick<Known, 'entries' | 'saved' | 'launches' | 'unread'>>;
  manifests: Promise<Pick<Known, 'manifestOf' | 'invalid' | 'unread'>>;
}

export function startReads(place: ProjectPlace): StartedReads {
  const { environment, store, world } = place;
  const readState = async () => {
    const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
    const unsaved = pending.flatMap(({ id, manifest, name }): StateEntry[] =>
      id === null ? [] : [{ id, manifest, name, recorded: UNKNOWN_STATE }],
    );
    const launches = pending.flatMap(({ id, sent }) =>
      sent.flatMap(({ step, result, age }): [number, number][] =>
        id === null || step.stage !== 'launch' || result === 'failed'
          ? []
          : [[id, world.clock.elapsed() + SHOWN_WITHIN - age]],
      ),
    );
    return {
      entries: new Map([...unsaved, ...entries].map((entry) => [entry.id, entry])),
      saved: new Set(entries.map(({ id }) => id)),
      launches: new Map(launches),
      unread: [],
    };
  };
  const readManifests = async () => {
    const options = { environments: [environment], files: [], cwd: world.cwd, env: world.env };
    // A policy may take for ever.
    const loaded = await loadCampaigns(place.manifests, { ...options, hasRules: false });
    const campaigns = loaded.campaigns[environment.name] ?? [];
    const manifestOf: Known['manifestOf'] = ({ id, name }) =>
      campaigns.find(({ spec }) => (spec.id === undefined ? isSameName(spec.name, name) : spec.id === id)) ??
      null;
    return { manifestOf, invalid: invalidFiles(loaded.findings), unread: [] };
  };
  const reads = { state: readState(), manifests: readManifests() };
  for (const work of [reads.state, reads.manifests]) work.catch(() => undefined);
  return reads;
}

/** Manifests that contradict one another are valid. */
function invalidFiles(findings: readonly LocatedFinding[]): string[] {
  const isOfFile = ({ code }: LocatedFinding) => CONTRACT_CODES.every((contract) => contract !== code);
  const errors = findings.filter(({ severity }) => severity === 'error');
  return [...new Set(errors.filter(isOfFile).map(({ file }) => file))];
}

/** What is known after `milliseconds`. */
export async function knownWithin(reads: StartedReads, milliseconds: number): Promise<Known> {
  const [state, manifests] = await Promise.all([
    within(reads.state, milliseconds, (reason) => ({
      ...NOTHING_KNOWN,
      unread: [`the state could not be read: ${reason}`],
    })),
    within(reads.manifests, milliseconds, (reason) => ({
      ...NOTHING_KNOWN,
      unread: [`the manifests could not be read: ${reason}`],
    })),
  ]);
  return {
    ...{ entries: state.entries, saved: state.saved, launches: state.launches },
    manifestOf: manifests.manifestOf,
    invalid: manifests.invalid,
    unread: [...state.unread, ...manifests.unread],
  };
}

/**
 * Selected campaigns that the list shows or the state knows, the others that the list shows, and the words that select no
 * campaign.
 */
export function findSuspects(
  { rows }: Listing,
  { entries, saved, launches, manifestOf }: Known,
  { selection: { names, all, unmanaged }, idsMeanRows }: PauseRequest,
): { selected: Suspect[]; others: Suspect[]; unmatched: string[] } {
  const rowsById = new Map(rows.map((row) => [row.id, row]));
  const ids = new Set([...rowsById.keys(), ...entries.keys()]);
  const suspects = [...ids].map((id): Suspect => {
    const [row, entry] = [rowsById.get(id) ?? null, entries.get(id) ?? null];
    const name = row?.name ?? entry?.name ?? String(id);
    const campaign = manifestOf({ id, name });
    const manifest = campaign?.manifest ?? entry?.manifest ?? null;
    const declares = campaign && (campaign.spec.status ?? 'none');
    const launchUntil = launches.get(id) ?? null;
    return { id, name, row, entry, manifest, declares, isSaved: saved.has(id), launchUntil };
  });
  const isNamed = ({ id, name, entry }: Suspect, word: string) => {
    if (/^\d+$/.test(word) && !idsMeanRows && entry === null) return isMeant({ id: null, name }, word);
    return isMeant({ id, name }, word) || (entry !== null && isMeant({ id, name: entry.name }, word));
  };
  const isSelected = (suspect: Suspect) =>
    (suspect.manifest === null ? unmanaged : all) || names.some((word) => isNamed(suspect, word));
  return {
    selected: suspects.filter(isSelected),
    others: suspects.filter((suspect) => suspect.row !== null && !isSelected(suspect)),
    unmatched: names.filter((word) => !suspects.some((suspect) => isNamed(suspect, word))),
  };
}

export function toRunning({ id, name, row, manifest, declares }: Suspect): RunningCampaign {
  return { id, name, status: row?.status ?? null, manifest, declares };
}

/** `names`: of all campaigns that are known. `isCertain`: false if there may be others. */
export function unknownCampaign(
  word: string,
  names: readonly string[],
  { isCertain }: { isCertain: boolean },
): Failure {
  return new Failure({
    code: 'unknown-campaign',
    message: `${isCertain ? 'The service has' : 'campaignctl found'} no campaign with the name or id "${word}".`,
    hint: suggestName(word, names),
  });
}

/** `name`: as the record shows it. `word`: `null` if the record shows no status. */
export type Sighting =
  | { is: 'record'; word: string | null; name: string | null }
  | { is: 'none' }
  | { is: 'unreadable'; reason: string };

export async function readSighting(reader: Pick<Reader, 'read'>, id: number): Promise<Sighting> {
  const read = async (): Promise<Sighting> => {
    const record = await reader.read('campaign', id);
    if (isNone(record)) return { is: 'none' };
    return { is: 'record', word: statusIn(record), name: nameIn(record) };
  };
  return within(read(), READ_WITHIN, (reason) => ({ is: 'unreadable', reason }));
}

/** True if the list alone shows that the campaign may be sending. */
export function isObvious({ row, entry }: Suspect, { environment }: ProjectPlace): boolean {
  return row?.status != null && statusOfWord(row.status, entry, environment).sends !== 'no';
}

/**
 * `isDue`: a pause must be sent. `otherName`: the name in the record if it is not the known one, which the list does not show.
 */
export interface Examined {
  suspect: Suspect;
  isDue: boolean;
  otherName: string | null;
}

/**
 * True if the last stop is the pause of an apply, as its manifest said. A standing approval covers a launch after that, so the
 * pause is sent and recorded as the later stop.
 */
function isStoppedAsDeclared(entry: StateEntry | null): boolean {
  const { status = null, has_run = null, paused } = entry?.recorded ?? {};
  return status === 'paused' && has_run === true && paused === undefined;
}

/** Not due only if the service shows that the campaign is not sending, and nothing contradicts it, or if it never ran. */
export async function examine(
  suspect: Suspect,
  reader: Pick<Reader, 'read'>,
  place: ProjectPlace,
): Promise<Examined> {
  const { row, entry, name } = suspect;
  const verdict = (isDue: boolean, otherName: string | null = null) => ({ suspect, isDue, otherName });
  if (isObvious(suspect, place)) return verdict(true);
  const sighting = await readSighting(reader, suspect.id);
  switch (sighting.is) {
    case 'unreadable':
      return verdict(true);
    case 'none':
      return verdict(row === null ? entry?.recorded.has_run !== false : row.status === null);
    case 'record': {
      const isOther = row === null && sighting.name !== null && !isSameName(sighting.name, name);
      if (isOther) return verdict(true, sighting.name);
      const word = sighting.word ?? row?.status ?? null;
      const { sends, meaning } = statusOfWord(word, entry, place.environment);
      // The list alone may be outdated.
      const isDoubtful = sighting.word === null || suspect.launchUntil !== null || isStoppedAsDeclared(entry);
      return verdict(sends !== 'no' || (meaning === 'stopped' && isDoubtful));
    }
  }
}
