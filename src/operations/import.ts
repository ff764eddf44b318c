import { posix } from 'node:path';
import {
  chooseBasenames,
  type ImportedManifest,
  importCampaign,
  type LiveCampaign,
} from '../import/import-campaign.js';
import { selectLive } from '../import/select.js';
import { UnreadableAnswer, usage } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import type { ImportResult, ImportStatus } from '../model/reports.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { listed as listOf } from '../model/words.js';
import { isRenamed, matchCampaigns } from '../plan/match.js';
import { recordShown } from '../plan/order.js';
import { checkWorkspace } from '../plan/refresh.js';
import { seenAtImport } from '../plan/seen.js';
import { writeFiles } from '../project/files.js';
import { findManifests, manifestPlace, takenBasenames } from '../project/manifests.js';
import { classifyStatus, hasRun } from '../sections/sending.js';
import { type Reader, readAnswers } from '../service/index.js';
import { visibleLine } from '../view/terminal.js';
import { withReader } from './connect.js';
import { withLock } from './lock.js';
import type { PlaceFlags } from './place.js';
import { openSession, type Session } from './session.js';
import { version } from './version.js';
import type { Interrupt, World } from './world.js';

/** `names`: names, ids or patterns. `lockTimeout` in seconds. */
export interface ImportRequest {
  names: readonly string[];
  all: boolean;
  lockTimeout: number;
}

/** `status`: `null` for all. */
interface NewImport extends ImportRequest {
  status: ImportStatus | null;
}

interface Import {
  live: LiveCampaign;
  imported: ImportedManifest;
}

export async function importNew(
  request: NewImport & PlaceFlags,
  world: World,
  interrupt: Interrupt,
): Promise<ImportResult> {
  const { names, all, status, lockTimeout: seconds, config, env, debug } = request;
  if ((all && names.length > 0) || (!all && names.length === 0 && status === null)) {
    throw usage(
      all ? '--all cannot be combined with names.' : 'Name the campaigns to import.',
      'Add names, ids or patterns: campaignctl import "Spring*" 42. Or pass --all for every campaign without a manifest, or --status running for running ones.',
    );
  }
  const session = await interrupt.guard(openSession({ config, env, debug, isImport: true }, world));
  return withLock(session, { seconds, signal: interrupt.signal }, async () => {
    const began = world.now();
    const { imports, skipped } = await interrupt.guard(
      withReader(session, (reader) => readImports(session, request, reader)),
    );
    await save(session, imports, began);
    await tellUnmatched(session, imports);
    return {
      environment: session.environment.name,
      campaigns: imports.map(({ live: { listed }, imported: { manifest, remarks } }) => ({
        id: listed.id,
        name: listed.name,
        manifest,
        remarks,
      })),
      skipped: skipped.sort((a, b) => a.id - b.id),
    };
  });
}

async function readImports(session: Session, { names: words, status }: NewImport, reader: Reader) {
  const { campaigns, environment, project, store } = session;
  const entries = await store.readAll();
  await checkWorkspace(environment, reader);
  const rows = await reader.campaigns();
  const managed = matchCampaigns(campaigns, { environment, listed: rows, entries }).flatMap((work) => {
    const id = work.id ?? (isRenamed(work) ? work.entry?.id : undefined);
    return id === undefined ? [] : [[id, work.campaign.manifest] as const];
  });
  const wanted = rows.filter(
    (row) => status === null || classifyStatus(row.status, environment.service.statuses) === status,
  );
  const { chosen, skipped } = selectLive(words, wanted, new Map(managed));
  const sections = ['campaign', 'schedule', 'sequence'] as const;
  const answers = await readAnswers(
    reader,
    chosen.map(({ id }) => ({ id, names: sections })),
  );
  const names = groupBy([...rows, ...campaigns.map(({ spec }) => spec)], ({ name }) => name.trim());
  const { folder, extension, head } = manifestPlace(project, environment);
  const basenames = chooseBasenames(chosen, takenBasenames(project.root, folder));
  const environments = Object.values(project.environments);
  const imports = chosen.flatMap((listed, at): Import[] => {
    const shown = answers[at];
    if (shown === undefined) return [];
    const recorded = entries.find(({ id }) => id === listed.id)?.recorded ?? UNKNOWN_STATE;
    const live = { listed, answers: shown, recorded };
    const manifest = posix.join(folder, `${basenames[at]}${extension}`);
    const isUnique = names.get(listed.name.trim())?.length === 1;
    const imported = isUnique
      ? orReason(() =>
          importCampaign({ live, manifest, head, environment, environments, rules: project.lint }),
        )
      : 'another campaign has the same name: rename one of them';
    if (typeof imported !== 'string') return [{ live, imported }];
    skipped.push({ id: listed.id, name: listed.name, reason: imported });
    return [];
  });
  return { imports, skipped };
}

/** An unreadable response skips only this campaign. */
function orReason(work: () => ImportedManifest | string): ImportedManifest | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

/** Writes files, then the state. `began`: the time before the list was read. */
async function save(
  { project, environment, store }: Session,
  imports: readonly Import[],
  began: number,
): Promise<void> {
  const files = imports.map(({ imported: { manifest, text } }) => [manifest, text] as const);
  await writeFiles(project.root, files);
  const at = new Date().toISOString();
  for (const { live, imported } of imports) {
    const { manifest, spec } = imported;
    const { id } = live.listed;
    const context = { ...live, environment, templates: null, spec, id };
    const shown = { ...recordShown(context), has_run: hasRun(context) };
    const seen = seenAtImport(spec, live.listed, {
      environment,
      recorded: shown,
      tool: version,
      at: began,
    });
    const recorded = { ...shown, last: { at, how: 'import' as const, spec }, seen };
    await store.save({ id, manifest, name: spec.name, recorded });
  }
}

async function tellUnmatched(
  { project, environment, world }: Session,
  imports: readonly Import[],
): Promise<void> {
  const options = { files: [], cwd: project.root, environments: [environment] };
  const { all, isOf } = await findManifests(project, options);
  const isRead = (file: string) => all.includes(file) && isOf(environment, file);
  const files = imports.map(({ imported }) => imported.manifest).filter((file) => !isRead(file));
  if (files.length === 0) return;
  world.err(
    `! No pattern under manifests in the project file matches ${visibleLine(listOf(files, 1))}: add one.\n`,
  );
}
