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
} from '../import/index.js';
import { UnreadableAnswer, usage } from '../model/failure.js';
import type { ImportResult } from '../model/import.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { listed as listOf } from '../model/words.js';
import { matchCampaigns, recordShown } from '../plan/index.js';
import { findManifests, manifestPlace, takenBasenames, writeFiles } from '../project/index.js';
import { type Reader, readAnswers } from '../service/index.js';
import { withReader } from './connect.js';
import { withLock } from './run.js';
import { openSession, type PlaceFlags, type Session } from './session.js';
import type { Interrupt, World } from './world.js';

/** `names`: names or ids; `all`: every campaign instead. `lockTimeout` in seconds. */
export interface ImportRequest {
  names: readonly string[];
  all: boolean;
  dryRun: boolean;
  lockTimeout: number;
}

/** `dir`: the folder for the manifests, relative to the working directory; `null`: that of the first pattern. */
export interface NewImport extends ImportRequest {
  dir: string | null;
}

/** A campaign that is to be imported, with its manifest. */
interface Import {
  live: LiveCampaign;
  imported: ImportedManifest;
}

/** Writes a manifest for each of these campaigns. Holds a reader only: nothing is sent. */
export async function importNew(
  request: NewImport & PlaceFlags,
  world: World,
  interrupt: Interrupt,
): Promise<ImportResult> {
  const { names, all, dryRun: dry_run, config, env, debug } = request;
  if (all === names.length > 0) {
    throw usage(
      all ? '--all does not go with names.' : 'import needs to know which campaigns.',
      'Give names or ids: campaignctl import "Spring installers" 42. Or pass --all for every campaign without a manifest.',
    );
  }
  const session = await interrupt.guard(openSession({ config, env, debug, mayBeEmpty: true }, world));
  return unlessDry(request, session, interrupt, async () => {
    const { imports, skipped } = await interrupt.guard(
      withReader(session, (reader) => readImports(session, request, reader)),
    );
    if (!dry_run) await save(session, imports);
    return {
      environment: session.environment.name,
      dry_run,
      campaigns: imports.map(({ live: { listed }, imported: { manifest, text, remarks } }) => ({
        ...{ id: listed.id, name: listed.name, manifest, text, remarks },
      })),
      skipped: skipped.sort((a, b) => a.id - b.id),
      notes: dry_run ? [] : await unmatched(session, imports),
    };
  });
}

/** Takes the lock, unless nothing is written. */
export function unlessDry<T>(
  { dryRun, lockTimeout }: ImportRequest,
  session: Session,
  { signal }: Interrupt,
  work: () => Promise<T>,
): Promise<T> {
  return dryRun ? work() : withLock(session, { seconds: lockTimeout, signal }, work);
}

async function readImports(session: Session, { names, dir }: NewImport, reader: Reader) {
  const { campaigns, environment, project, store, world } = session;
  const entries = await store.readAll();
  await checkWorkspace(environment, reader);
  const listed = await reader.campaigns();
  const managed = matchCampaigns(campaigns, listed, entries).flatMap(({ id, campaign }) =>
    id === null ? [] : [[id, campaign.manifest] as const],
  );
  const { chosen, skipped } = selectLive(names, listed, new Map(managed));
  const sections = ['campaign', 'schedule', 'sequence'] as const;
  const answers = await readAnswers(
    reader,
    chosen.map(({ id }) => ({ id, names: sections })),
  );
  const known = new Map(entries.map(({ id, recorded }) => [id, recorded]));
  const alive = chosen.flatMap((row, at): LiveCampaign[] => {
    const answer = answers[at];
    if (answer === undefined) return [];
    const replaces = replacedBy(row.id, listed, entries, environment);
    const live = { listed: row, answers: answer, recorded: known.get(row.id) ?? UNKNOWN_STATE, replaces };
    const reason = goneReason(live, environment);
    if (reason !== null) skipped.push({ id: row.id, name: row.name, reason });
    return reason === null ? [live] : [];
  });
  const rows = alive.map((live) => live.listed);
  const { folder, extension, head } = manifestPlace(project, environment, { dir, cwd: world.cwd });
  const basenames = chooseBasenames(rows, takenBasenames(project.root, folder));
  const manifestNames = nameCampaigns(rows, { campaigns, listed, entries });
  const { lint: rules, policies } = project;
  const reading = { environment, environments: Object.values(project.environments), rules, policies };
  const imports = alive.flatMap((live, at): Import[] => {
    const named = manifestNames[at];
    if (named === undefined) return [];
    const manifest = `${folder === '' ? '' : `${folder}/`}${basenames[at]}${extension}`;
    const imported = orReason(() => importCampaign({ live, named, manifest, head, ...reading }));
    if (typeof imported !== 'string') return [{ live, imported }];
    skipped.push({ id: live.listed.id, name: live.listed.name, reason: imported });
    return [];
  });
  return { imports, skipped };
}

/** An unreadable answer is the reason to skip this campaign, and does not stop the others. */
function orReason(work: () => ImportedManifest | null): ImportedManifest | string {
  try {
    return work() ?? 'no manifest can hold its name';
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

/** Writes the files, then the state. */
async function save({ project, environment, store }: Session, imports: readonly Import[]): Promise<void> {
  const files = imports.map(({ imported: { manifest, text } }) => [manifest, text] as const);
  await writeFiles(project.root, files);
  const at = new Date().toISOString();
  for (const { live, imported } of imports) {
    const { manifest, spec } = imported;
    const { id } = live.listed;
    const shown = recordShown({ ...live, environment, templates: null, spec, id });
    const recorded = { ...shown, last: { at, how: 'import' as const, spec } };
    await store.save({ id, manifest, name: spec.name, recorded });
  }
}

/** Manifests that the project does not read. */
async function unmatched({ project, environment }: Session, imports: readonly Import[]): Promise<string[]> {
  const found = await findManifests(project, { files: [], cwd: project.root, environments: [environment] });
  const read = found.manifests.filter((file) => found.isOf(environment, file));
  const files = imports.map(({ imported }) => imported.manifest).filter((file) => !read.includes(file));
  if (files.length === 0) return [];
  return [`No pattern under manifests in the project file matches ${listOf(files, 1)}: add one.`];
}
