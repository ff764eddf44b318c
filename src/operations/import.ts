import { checkWorkspace } from '../apply/index.js';
import {
  chooseBasenames,
  goneReason,
  type ImportedManifest,
  importCampaign,
  type LiveCampaign,
  nameCampaigns,
  replacedBy,
  selectLive,
  slugOf,
} from '../import/index.js';
import type { ListedCampaign } from '../model/answer.js';
import { UnreadableAnswer, usage } from '../model/failure.js';
import type { Imported, SkippedCampaign } from '../model/outputs.js';
import { type StateEntry, UNKNOWN_STATE } from '../model/state.js';
import { count } from '../model/words.js';
import { matchCampaigns, recordShown } from '../plan/index.js';
import { basenamesIn, findManifests, manifestPlace, takenBasenames, writeFiles } from '../project/index.js';
import { type Reader, readAnswers } from '../service/index.js';
import { withReader } from './connect.js';
import { withLock } from './run.js';
import { openSession, type PlaceFlags, type Session } from './session.js';
import type { Interrupt, World } from './world.js';

/** What every import is asked for. `names`: names or ids; `all`: every campaign, instead of names; `lockTimeout` in seconds. */
export interface ImportRequest {
  names: readonly string[];
  all: boolean;
  dryRun: boolean;
  lockTimeout: number;
}

/** What an import of new manifests is asked for besides. `dir` is relative to the working directory. */
export interface NewImport extends ImportRequest {
  dir: string | null;
  overwrite: boolean;
}

/** A campaign with its manifest, and with what was known of it before. */
interface Made {
  live: LiveCampaign;
  imported: ImportedManifest;
}

/** All that an import comes to, before anything is written. */
interface Found {
  made: Made[];
  skipped: SkippedCampaign[];
  notes: string[];
}

/** Reads live campaigns and writes a manifest for each; a dry run only gives their texts. Holds a reader only: nothing is sent. */
export async function importNew(
  request: NewImport & PlaceFlags,
  world: World,
  interrupt: Interrupt,
): Promise<Imported> {
  const { names, all, dryRun } = request;
  if (all === names.length > 0) {
    throw usage(
      all ? '--all does not go with names.' : 'import needs to know which campaigns.',
      'Give names or ids: campaignctl import "Spring installers" 42. Or pass --all for every campaign without a manifest.',
    );
  }
  const { config, env, debug } = request;
  const session = await interrupt.guard(openSession({ config, env, debug, mayBeEmpty: true }, world));
  return unlessDry(request, session, interrupt, async () => {
    const found = await interrupt.guard(withReader(session, (reader) => look(session, request, reader)));
    const notes = dryRun ? [] : await keep(session, found.made);
    return resultOf(session, { ...found, notes: [...found.notes, ...notes] }, dryRun);
  });
}

/** Under the lock, unless nothing is written. */
export function unlessDry<T>(
  { dryRun, lockTimeout }: ImportRequest,
  session: Session,
  { signal }: Interrupt,
  work: () => Promise<T>,
): Promise<T> {
  return dryRun ? work() : withLock(session, { seconds: lockTimeout, signal }, work);
}

async function look(session: Session, request: NewImport, reader: Reader): Promise<Found> {
  const { campaigns, environment, project } = session;
  const entries = await session.store.readAll();
  await checkWorkspace(environment, reader);
  const listed = await reader.campaigns();
  const matches = matchCampaigns(campaigns, listed, entries);
  const managed = matches.flatMap(({ id, campaign }) =>
    id === null ? [] : [[id, campaign.manifest] as const],
  );
  const { chosen, skipped } = selectLive(request.names, listed, new Map(managed));
  const { alive, gone } = await readLive(chosen, { session, reader, listed, entries });
  skipped.push(...gone);
  // Those of other environments too: none of them may be overwritten.
  const all = await findManifests(project, { files: [], cwd: project.root });
  const { targets, notes } = targetsOf(alive, session, request, all.manifests);
  const names = nameCampaigns(
    alive.map((live) => live.listed),
    { campaigns, listed, entries },
  );
  const { lint: rules, policies } = project;
  const about = { environment, environments: Object.values(project.environments), rules, policies };
  const made: Made[] = [];
  for (const [at, live] of alive.entries()) {
    const [named, target] = [names[at], targets[at]];
    if (named === undefined || target === undefined) continue;
    const imported = orReason(
      () => importCampaign({ live, named, target, ...about }) ?? 'no manifest can say its name',
    );
    if (typeof imported === 'string') skipped.push(skip(live.listed, imported));
    else made.push({ live, imported });
  }
  const bare = matches.filter(({ id }) => id === null).map(({ campaign }) => campaign.manifest);
  notes.push(...elsewhere(made, session), ...withoutCampaign(bare, environment.name));
  return { made, skipped, notes };
}

/** Reads what there is of each campaign; those that are archived or deleted stay where they are. */
async function readLive(
  chosen: readonly ListedCampaign[],
  {
    session,
    reader,
    listed: all,
    entries,
  }: {
    session: Session;
    reader: Reader;
    listed: readonly ListedCampaign[];
    entries: readonly StateEntry[];
  },
): Promise<{ alive: LiveCampaign[]; gone: SkippedCampaign[] }> {
  const wanted = chosen.map(({ id }) => ({ id, names: ['campaign', 'schedule', 'sequence'] as const }));
  const answers = await readAnswers(reader, wanted);
  const known = new Map(entries.map(({ id, recorded }) => [id, recorded]));
  const alive: LiveCampaign[] = [];
  const gone: SkippedCampaign[] = [];
  for (const [at, listed] of chosen.entries()) {
    const answer = answers[at];
    if (answer === undefined) continue;
    const recorded = known.get(listed.id) ?? UNKNOWN_STATE;
    const replaces = replacedBy(listed.id, all, entries, session.environment);
    const live = { listed, answers: answer, recorded, replaces };
    const reason = goneReason(live, session.environment);
    if (reason === null) alive.push(live);
    else gone.push(skip(listed, reason));
  }
  return { alive, gone };
}

/** Files for the campaigns, and whether some of them had to make way for what is there. */
function targetsOf(
  alive: readonly LiveCampaign[],
  { project, environment, sources, world }: Session,
  { dir, overwrite }: NewImport,
  manifests: readonly string[],
) {
  const place = manifestPlace(project, environment, { dir, cwd: world.cwd });
  const called = alive.map(({ listed }) => listed);
  const existing = takenBasenames(project.root, place.folder);
  const used = [...Object.keys(sources), ...manifests];
  const taken = overwrite ? basenamesIn(used, place.folder) : existing;
  const basenames = chooseBasenames(called, taken);
  const others = called.filter(
    ({ name }, at) => existing.has(slugOf(name)) && basenames[at] !== slugOf(name),
  );
  const notes =
    others.length === 0 || overwrite
      ? []
      : [
          `${count(others.length, 'file name was', 'file names were')} taken already: the manifests have other names. --overwrite replaces files that belong to no manifest of the project.`,
        ];
  return { targets: basenames.map((basename) => ({ ...place, basename })), notes };
}

/** What the service sends and campaignctl cannot read is the reason for this campaign, and does not stop the others. */
function orReason<T>(work: () => T): T | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

function skip({ id, name }: ListedCampaign, reason: string): SkippedCampaign {
  return { id, name, manifest: null, reason };
}

/** Writes the files, then the state. Gives what the project file should say besides. */
async function keep({ project, environment, store }: Session, made: readonly Made[]): Promise<string[]> {
  await writeFiles(
    project.root,
    made.flatMap(({ imported }) => [...imported.files]),
  );
  const at = new Date().toISOString();
  for (const { live, imported } of made) {
    const { manifest, spec } = imported;
    const { id } = live.listed;
    const shown = recordShown({ ...live, environment, templates: null, spec, id });
    const recorded = { ...shown, last: { at, how: 'import' as const, spec } };
    await store.save({ id, manifest, name: spec.name, recorded });
  }
  const found = await findManifests(project, { files: [], cwd: project.root, environments: [environment] });
  const matched = new Set(found.manifests.filter((file) => found.isOf(environment, file)));
  const unmatched = made.map(({ imported }) => imported.manifest).filter((file) => !matched.has(file));
  const [stranger] = made.flatMap(({ imported }) =>
    [...imported.files.keys()].filter((file) => file !== imported.manifest && matched.has(file)),
  );
  const about = 'under manifests in the project file matches';
  return [
    ...(unmatched.length === 0 ? [] : [`No pattern ${about} ${firstOf(unmatched)}: add one.`]),
    ...(stranger === undefined
      ? []
      : [`A pattern ${about} ${stranger}, which is no manifest: narrow it, or exclude the file with "!".`]),
  ];
}

/** A manifest holds for every environment that takes it, and the other ones may not have the campaign. */
function elsewhere(made: readonly Made[], { project, environment }: Session): string[] {
  const { manifests: part } = environment;
  const others = Object.values(project.environments)
    .filter(({ name }) => name !== environment.name)
    .filter(({ manifests: other }) => !part || !other || other.some((pattern) => part.includes(pattern)))
    .map(({ name }) => name);
  if (made.length === 0 || others.length === 0) return [];
  return [
    `A manifest holds for every environment: the next apply to ${others.join(' or ')} creates what is not there yet. campaignctl list --env ${others[0]} shows it.`,
  ];
}

function withoutCampaign(manifests: readonly string[], environment: string): string[] {
  if (manifests.length === 0) return [];
  const verb = manifests.length > 1 ? 'have' : 'has';
  return [
    `${firstOf(manifests)} ${verb} no campaign in ${environment}: apply would create it. Remove the manifest if you do not want that.`,
  ];
}

/** The first, and how many there are besides. */
function firstOf([first = '', ...others]: readonly string[]): string {
  return others.length === 0 ? first : `${first} and ${others.length} more`;
}

function resultOf({ environment }: Session, { made, skipped, notes }: Found, dry_run: boolean): Imported {
  const files = made.flatMap(({ imported }) => [...imported.files]);
  return {
    version: 1,
    environment: environment.name,
    dry_run,
    campaigns: made.map(({ live: { listed }, imported: { manifest, files: own, remarks } }) => ({
      id: listed.id,
      name: listed.name,
      manifest,
      files: [...own.keys()].filter((file) => file !== manifest),
      remarks,
    })),
    skipped: skipped.sort((a, b) => a.id - b.id),
    files: files.map(([file, text]) => ({ file, text: dry_run ? text : null })),
    notes,
  };
}
