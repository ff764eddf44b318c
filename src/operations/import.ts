import { posix } from 'node:path';
import {
  chooseBasenames,
  type ImportedManifest,
  importCampaign,
  type Unmanaged,
} from '../import/import-campaign.js';
import { type Texts, textOf } from '../import/reading.js';
import { isMeant, selectLive } from '../import/select.js';
import { type UpdatedCampaign, updateCampaign } from '../import/update.js';
import { isSameName, visibleLine } from '../model/characters.js';
import { type Environment, serviceHead } from '../model/environment.js';
import { Failure, UnreadableAnswer, usage } from '../model/failure.js';
import { groupBy } from '../model/json.js';
import { liveCampaign } from '../model/live.js';
import type { Plan } from '../model/outputs.js';
import type { ImportResult, ImportStatus, UpdateResult } from '../model/reports.js';
import type { ResolvedStep } from '../model/spec.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { listed as listOf } from '../model/words.js';
import { isRenamed, matchCampaigns } from '../plan/match.js';
import { declaredOf, type Planned } from '../plan/planned.js';
import { checkWorkspace } from '../plan/refresh.js';
import { seenAtImport } from '../plan/seen.js';
import { declareVariables } from '../project/edits.js';
import { rewriteFiles, writeFiles } from '../project/files.js';
import { findManifests } from '../project/manifests.js';
import { manifestPlace, takenBasenames } from '../project/new-manifests.js';
import { projectReader } from '../project/shared.js';
import { undeclaredVariables } from '../rules/variables.js';
import { recordShown } from '../sections/all.js';
import { classifyStatus, hasRun, othersShowStatus } from '../sections/sending.js';
import { specTarget, withFacts } from '../sections/target.js';
import { type Reader, readCampaigns } from '../service/index.js';
import { withReader } from './connect.js';
import { recordRun, withLock } from './lock.js';
import type { PlaceFlags, ProjectPlace } from './place.js';
import { refreshProject } from './plan.js';
import { openSession, type Session } from './session.js';
import { type Interrupt, timeOf, version, type World } from './world.js';

/** `names`: names, ids or patterns of campaigns. `status`: `null` for all statuses. `lockTimeout`: in seconds. */
interface ImportRequest extends PlaceFlags {
  names: readonly string[];
  all: boolean;
  status: ImportStatus | null;
  lockTimeout: number;
}

interface Import {
  unmanaged: Unmanaged;
  imported: ImportedManifest;
}

export async function importNew(
  request: ImportRequest,
  world: World,
  interrupt: Interrupt,
): Promise<ImportResult> {
  const { names, all, status, lockTimeout: seconds, config, env, debug } = request;
  if ((all && names.length > 0) || (!all && names.length === 0 && status === null)) {
    throw usage(
      all ? '--all cannot be combined with names.' : 'No campaigns to import were specified.',
      'Specify names, ids or patterns: campaignctl import "Spring*" 42. Or pass --all for every campaign without a manifest, or --status running for running ones.',
    );
  }
  const session = await interrupt.guard(openSession({ config, env, debug, isImport: true }, world));
  const { place } = session;
  return withLock(place, { seconds, signal: interrupt.signal }, async () => {
    const began = place.world.clock.now();
    const { imports, skipped, variables } = await interrupt.guard(
      withReader(place, (reader) => readImports(session, request, reader)),
    );
    // Before the manifests, which are invalid without them.
    const declared = await declareVariables(place.project, place.environment, variables);
    await save(place, imports, began);
    await tellUnmatched(place, imports);
    return {
      environment: place.environment.name,
      ...serviceHead(place.environment),
      campaigns: imports.map(({ unmanaged: { listed }, imported: { manifest, remarks } }) => ({
        id: listed.id,
        name: listed.name,
        manifest,
        remarks,
      })),
      variables: declared,
      skipped: skipped.sort((a, b) => a.id - b.id),
    };
  });
}

async function readImports(session: Session, { names: words, status }: ImportRequest, reader: Reader) {
  const { place, campaigns } = session;
  const { project, store, world } = place;
  const { report } = world;
  const entries = await store.readAll();
  await checkWorkspace(place.environment, reader);
  const rows = await reader.campaigns(report);
  const managed = matchCampaigns(campaigns, { ...place, listed: rows, entries }).flatMap((work) => {
    const id = work.id ?? (isRenamed(work) ? work.earlier?.id : undefined);
    return id === undefined ? [] : [[id, work.campaign.manifest] as const];
  });
  const wanted = rows.filter(
    (row) => status === null || classifyStatus(row.status, place.environment.service.statuses) === status,
  );
  const successors = entries.flatMap(({ id, recorded: { superseded_by: by } }) =>
    by === undefined ? [] : [[id, by] as const],
  );
  const { chosen, skipped } = selectLive(words, wanted, {
    managed: new Map(managed),
    successors: new Map(successors),
    status,
  });
  const sections = ['campaign', 'schedule', 'sequence'] as const;
  const parts = await readCampaigns(
    reader,
    chosen.map(({ id }) => ({ id, names: sections })),
    report,
  );
  const names = groupBy([...rows, ...campaigns.map(({ spec }) => spec)], ({ name }) => name.trim());
  const { folder, extension, head } = manifestPlace(project, place.environment);
  const basenames = chooseBasenames(chosen, takenBasenames(project.root, folder));
  const environments = Object.values(project.environments);
  const read = chosen.flatMap((listed, at): (Unmanaged & { manifest: string })[] => {
    const shown = parts[at];
    if (shown === undefined) return [];
    const recorded = entries.find(({ id }) => id === listed.id)?.recorded ?? UNKNOWN_STATE;
    const row = { row: listed, othersShowStatus: othersShowStatus(listed.id, rows) };
    const manifest = posix.join(folder, `${basenames[at]}${extension}`);
    return [{ listed, recorded, live: liveCampaign(shown, row), manifest }];
  });
  const isUnique = ({ listed }: Unmanaged) => names.get(listed.name.trim())?.length === 1;
  const variables = variablesOf(read.filter(isUnique), session);
  const environment = withVariables(place.environment, variables);
  const imports = read.flatMap(({ manifest, ...unmanaged }): Import[] => {
    const { listed } = unmanaged;
    const imported = isUnique(unmanaged)
      ? orReason(() =>
          importCampaign({ unmanaged, manifest, head, environment, environments, rules: project.lint }),
        )
      : 'another campaign has the same name: rename one of them';
    if (typeof imported !== 'string') return [{ unmanaged, imported }];
    skipped.push({ id: listed.id, name: listed.name, reason: imported });
    return [];
  });
  return { imports, skipped, variables };
}

/**
 * The variables of live emails that the environment lacks. If it declares none, those of its manifests, too, because a list
 * must contain all.
 */
function variablesOf(read: readonly Unmanaged[], { campaigns, place: { environment } }: Session): string[] {
  const live = read.flatMap(({ live: { sequence } }) =>
    sequence.is === 'shown' ? sequence.value.steps : [],
  );
  const variables = undeclaredVariables(copyOf(live), environment);
  if (variables.length === 0 || environment.custom_variables !== null) return variables;
  const written = campaigns.flatMap(({ spec }) => spec.sequence?.steps ?? []);
  return undeclaredVariables(copyOf([...live, ...written]), environment);
}

function withVariables(environment: Environment, variables: readonly string[]): Environment {
  if (variables.length === 0) return environment;
  return { ...environment, custom_variables: [...(environment.custom_variables ?? []), ...variables] };
}

function copyOf(steps: readonly Emails[]): string[] {
  return steps
    .flatMap((step) => [step, ...(step.variants ?? [])])
    .flatMap((email) => [email.email_subject, email.email_body]);
}

interface Emails extends Pick<ResolvedStep, 'email_subject' | 'email_body'> {
  variants?: readonly Pick<ResolvedStep, 'email_subject' | 'email_body'>[];
}

/** If a response is unreadable, skips only this campaign. */
function orReason(work: () => ImportedManifest | string): ImportedManifest | string {
  try {
    return work();
  } catch (error) {
    if (error instanceof UnreadableAnswer) return error.message;
    throw error;
  }
}

/** `began`: the time just before the list was read, in milliseconds since 1970. */
async function save(place: ProjectPlace, imports: readonly Import[], began: number): Promise<void> {
  const { project, environment, store, world } = place;
  const files = imports.map(({ imported: { manifest, text } }) => [manifest, text] as const);
  await writeFiles(project.root, files);
  const at = timeOf(world);
  for (const { unmanaged, imported } of imports) {
    const { manifest, spec } = imported;
    const { listed, live, recorded: known } = unmanaged;
    const { id } = listed;
    const target = withFacts(specTarget(spec, environment), { id, live, recorded: known });
    const shown = { ...recordShown(target), has_run: hasRun(target) };
    const seen = seenAtImport(spec, listed, {
      environment,
      recorded: shown,
      tool: version,
      at: began,
    });
    const recorded = { ...shown, last: { at, how: 'import' as const, spec }, seen };
    await store.save({ id, manifest, name: spec.name, recorded });
  }
  if (imports.length > 0) await recordRun(place, 'import');
}

async function tellUnmatched(
  { project, environment, world }: ProjectPlace,
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

export async function updateManifests(
  request: ImportRequest,
  world: World,
  interrupt: Interrupt,
): Promise<UpdateResult> {
  const { config, env, debug, all, names } = request;
  if (names.length === 0 && !all)
    throw usage('No campaigns to update were specified.', 'Specify names or ids, or pass --all.');
  const session = await interrupt.guard(openSession({ config, env, debug }, world));
  const known = session.campaigns.map(({ spec }) => spec.name);
  const named = names.map((word) => known.filter((name) => isMeant({ id: null, name }, word)));
  // A word that is not a name may be an id.
  const target = all || named.some((matching) => matching.length === 0) ? [] : [...new Set(named.flat())];
  // Takes the lock, because changes by an apply in progress would look like drift.
  const waiting = { seconds: request.lockTimeout, signal: interrupt.signal };
  return withLock(session.place, waiting, () =>
    update(request, { ...session, selection: { ...session.selection, target } }, interrupt),
  );
}

async function update(request: ImportRequest, session: Session, interrupt: Interrupt): Promise<UpdateResult> {
  const { place } = session;
  const { project, environment } = place;
  const { work, newNames } = await withReader(place, (reader) => readWork(session, reader, interrupt));
  const readFile = projectReader(project);
  const planned = campaignsToUpdate(request, work, newNames);
  const input = {
    ...{ readFile, rules: project.lint, policies: project.policies },
    ...withLiveVariables(planned, place),
  };
  const before = new Map(
    planned.map(({ target }) => {
      const { file } = target.campaign;
      return [file, textOf(file, new Map(), input)];
    }),
  );
  let texts: Texts = before;
  const updates: UpdatedCampaign[] = [];
  // Campaigns are updated one by one, because several may share a file.
  for (const campaign of planned) {
    const newName = newNames.get(campaign.plan.manifest)?.to ?? null;
    const updated = updateCampaign(campaign, newName, texts, input);
    texts = updated.texts;
    updates.push(updated);
  }
  const files = [...before].flatMap(([file, text]) => {
    const after = texts.get(file) ?? text;
    return text === after ? [] : [{ file, before: text, after }];
  });
  const variables = files.length === 0 ? [] : missingVariables(updates, environment);
  // Before the manifests, which are invalid without them.
  const declared = await declareVariables(project, environment, variables);
  await rewriteFiles(project.root, files);
  await recordUpdates(updates, place);
  return {
    environment: environment.name,
    files: files.map(({ file }) => file).sort(),
    campaigns: updates.map(({ update }) => update),
    variables: declared,
  };
}

/** This environment also has the variables of the live emails, and so has each one with which it shares its list. */
function withLiveVariables(planned: readonly Planned[], { project, environment }: ProjectPlace) {
  const live = planned.flatMap(({ target }) => target.live ?? []);
  const steps = live.flatMap(({ sequence }) => (sequence.is === 'shown' ? sequence.value.steps : []));
  const known = environment.custom_variables === null ? [] : undeclaredVariables(copyOf(steps), environment);
  const hasOwnList = (name: string) => project.config.environments[name]?.custom_variables !== undefined;
  const sharesList = ({ name }: Environment) =>
    name === environment.name || (!hasOwnList(name) && !hasOwnList(environment.name));
  return {
    environment: withVariables(environment, known),
    environments: Object.values(project.environments).map((other) =>
      sharesList(other) ? withVariables(other, known) : other,
    ),
  };
}

/** The variables of the updated manifests that the environment lacks; none if it declares none. */
function missingVariables(updates: readonly UpdatedCampaign[], environment: Environment): string[] {
  if (environment.custom_variables === null) return [];
  return undeclaredVariables(copyOf(updates.flatMap(({ spec }) => spec.sequence?.steps ?? [])), environment);
}

type NewNames = ReadonlyMap<string, { from: string; to: string }>;

async function readWork(
  session: Session,
  reader: Reader,
  { guard, signal }: Interrupt,
): Promise<{ work: Planned[]; newNames: NewNames }> {
  const { plan, works } = await guard(refreshProject(session, reader, signal));
  const work = declaredOf(works);
  for (const { code, message } of plan.problems)
    if (code === 'apply-at-work') session.place.world.err(`! ${message}\n`);
  const newNames = new Map(work.flatMap((planned) => newNameOf(planned, plan) ?? []));
  if (work.every(({ target: { id, campaign } }) => id !== null || !newNames.has(campaign.manifest)))
    return { work, newNames };
  const campaigns = session.campaigns.map((campaign) => {
    const name = newNames.get(campaign.manifest)?.to ?? campaign.spec.name;
    return { ...campaign, spec: { ...campaign.spec, name } };
  });
  const target = session.selection.target.map(
    (name) => [...newNames.values()].find(({ from }) => from === name)?.to ?? name,
  );
  const selection = { ...session.selection, target };
  const again = await guard(
    refreshProject({ ...session, campaigns, selected: campaigns, selection }, reader, signal),
  );
  return { work: declaredOf(again.works), newNames };
}

/** The manifest and both names if the campaign was renamed in the web app; otherwise `null`. */
function newNameOf({ target: { campaign, id, earlier, candidates } }: Planned, { by_hand: tasks }: Plan) {
  const { manifest, spec } = campaign;
  const task = tasks.find(({ does, manifest: file }) => does === 'rename' && file === manifest);
  const renamed = candidates.find((row) => row.id === earlier?.id && !isSameName(row.name, earlier.name));
  const name = id === null ? renamed?.name : task?.from;
  return name === undefined ? null : [[manifest, { from: spec.name, to: String(name) }] as const];
}

function campaignsToUpdate(
  { names, all }: ImportRequest,
  work: readonly Planned[],
  newNames: NewNames,
): readonly Planned[] {
  const isLost = ({ plan }: Planned) =>
    plan.problems.some(({ code }) => code === 'rename' || code === 'missing');
  if (all) return work.filter((planned) => planned.target.id !== null || isLost(planned));
  const live = work.filter(({ target }) => target.id !== null);
  const meant = names.flatMap((word) => {
    const matching = live.filter(({ target: { campaign, id } }) =>
      isMeant({ id, name: newNames.get(campaign.manifest)?.from ?? campaign.spec.name }, word),
    );
    if (matching.length > 0) return matching;
    throw new Failure({
      code: 'unmanaged',
      message: `No live campaign with a manifest has the name or id "${word}".`,
      hint: 'campaignctl list shows all campaigns. Without --update, import writes new manifests.',
    });
  });
  return [...new Set(meant)];
}

async function recordUpdates(updates: readonly UpdatedCampaign[], place: ProjectPlace): Promise<void> {
  const { store, world } = place;
  const entries = await store.readAll();
  const at = timeOf(world);
  for (const { spec, update } of updates) {
    const { id, manifest, updated, local_changes, in_sync } = update;
    if (id === null || updated.length === 0) continue;
    const isEqual = in_sync && local_changes.length === 0;
    const entry = entries.find((known) => known.id === id);
    if (!isEqual && (entry === undefined || updated.every(({ section }) => section !== 'campaign'))) continue;
    const recorded = entry?.recorded ?? UNKNOWN_STATE;
    const last = isEqual ? { at, how: 'import' as const, spec } : recorded.last;
    await store.save({
      id,
      manifest,
      name: spec.name,
      recorded: { ...recorded, last, ...(isEqual ? { seen: null } : {}) },
    });
  }
  if (updates.some(({ update }) => update.updated.length > 0)) await recordRun(place, 'import');
}
