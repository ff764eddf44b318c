import type { Texts } from '../import/reading.js';
import { isMeant } from '../import/select.js';
import { type UpdatedCampaign, updateCampaign } from '../import/update.js';
import { type FileText, LIMITS, type ReadFile } from '../manifest/files.js';
import { isSameName } from '../model/characters.js';
import { Failure, usage } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import type { UpdateResult } from '../model/reports.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { isDeclared, type PlannedWork } from '../plan/work.js';
import { readerBelow, rewriteFiles } from '../project/files.js';
import { withReader } from './connect.js';
import type { ImportRequest } from './import.js';
import { withLock } from './lock.js';
import type { PlaceFlags } from './place.js';
import { refreshProject } from './plan.js';
import { openSession, type Session } from './session.js';
import type { Interrupt, World } from './world.js';

/** Cannot write to the service. */
export async function updateManifests(
  request: ImportRequest & PlaceFlags,
  world: World,
  interrupt: Interrupt,
): Promise<UpdateResult> {
  const { config, env, debug, all, names } = request;
  if (names.length === 0 && !all)
    throw usage('Name the campaigns to update.', 'Add names or ids, or pass --all.');
  const session = await interrupt.guard(openSession({ config, env, debug }, world));
  const known = session.campaigns.map(({ spec }) => spec.name);
  const named = (word: string) => known.filter((name) => isMeant({ id: null, name }, word));
  const strangers = names.filter((word) => named(word).length === 0);
  const [stranger] = strangers.filter((word) => !/^\d+$/.test(word));
  if (stranger !== undefined) throw unmanaged(stranger);
  // An id may belong to any campaign.
  const target = all || strangers.length > 0 ? [] : [...new Set(names.flatMap(named))];
  // Changes by an apply in progress would look like drift.
  const waiting = { seconds: request.lockTimeout, signal: interrupt.signal };
  return withLock(session, waiting, () =>
    update(request, { ...session, selection: { ...session.selection, target } }, interrupt),
  );
}

async function update(request: ImportRequest, session: Session, interrupt: Interrupt): Promise<UpdateResult> {
  const { project, environment } = session;
  const { work, newNames } = await withReader(session, (reader) => readWork(session, reader, interrupt));
  const readFile = once(readerBelow(project.root, project.shared));
  const environments = Object.values(project.environments);
  const input = { readFile, environments, environment, rules: project.lint, policies: project.policies };
  let texts: Texts = new Map();
  const updates: UpdatedCampaign[] = [];
  // One at a time, because a file may contain several campaigns.
  for (const campaign of chosen(request, work, newNames)) {
    const newName = newNames.get(campaign.campaign.manifest)?.to ?? null;
    const updated = updateCampaign(campaign, newName, texts, input);
    texts = updated.texts;
    updates.push(updated);
  }
  const files = [...texts].flatMap(([file, after]) => {
    const read = readFile(file, LIMITS.manifest);
    const before = 'text' in read ? read.text : '';
    return before === after ? [] : [{ file, before, after }];
  });
  await rewriteFiles(project.root, files);
  await recordUpdates(updates, session);
  return {
    environment: environment.name,
    files: files.map(({ file }) => file).sort(),
    campaigns: updates.map(({ update }) => update),
  };
}

type NewNames = ReadonlyMap<string, { from: string; to: string }>;

async function readWork(
  session: Session,
  reader: Parameters<typeof refreshProject>[1],
  { guard, signal }: Interrupt,
): Promise<{ work: PlannedWork[]; newNames: NewNames }> {
  const { plan, works } = await guard(refreshProject(session, reader, signal));
  const work = works.filter(isDeclared);
  for (const { code, message } of plan.problems)
    if (code === 'apply-at-work') session.world.err(`! ${message}\n`);
  const newNames = new Map(work.flatMap((planned) => newNameOf(planned, plan) ?? []));
  if (work.every(({ context, campaign }) => context.id !== null || !newNames.has(campaign.manifest)))
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
  return { work: again.works.filter(isDeclared), newNames };
}

/** The name in the web app, if it changed there; `null` if it did not. */
function newNameOf(
  { campaign: { manifest, spec }, id, entry, candidates }: PlannedWork,
  { by_hand: tasks }: Plan,
) {
  const task = tasks.find(({ does, manifest: file }) => does === 'rename' && file === manifest);
  const renamed = candidates.find((row) => row.id === entry?.id && !isSameName(row.name, entry.name));
  const name = id === null ? renamed?.name : task?.from;
  return name === undefined ? null : [[manifest, { from: spec.name, to: String(name) }] as const];
}

function chosen(
  { names, all }: ImportRequest,
  work: readonly PlannedWork[],
  newNames: NewNames,
): readonly PlannedWork[] {
  const isLost = ({ plan }: PlannedWork) =>
    plan.problems.some(({ code }) => code === 'rename' || code === 'missing');
  if (all) return work.filter((planned) => planned.context.id !== null || isLost(planned));
  const live = work.filter(({ context }) => context.id !== null);
  const meant = names.flatMap((word) => {
    const matching = live.filter(({ campaign: { manifest, spec }, context: { id } }) =>
      isMeant({ id, name: newNames.get(manifest)?.from ?? spec.name }, word),
    );
    if (matching.length === 0) throw unmanaged(word);
    return matching;
  });
  return [...new Set(meant)];
}

function unmanaged(name: string): Failure {
  return new Failure({
    code: 'unmanaged',
    message: `No live campaign with a manifest has the name or id "${name}".`,
    hint: 'campaignctl list shows all campaigns. Without --update, import writes new manifests.',
  });
}

/** Reads each file once, so that later edits apply to the same text. */
function once(readFile: ReadFile): ReadFile {
  const known = new Map<string, FileText>();
  return (file, limit) => {
    const text = known.get(file) ?? readFile(file, limit);
    known.set(file, text);
    return text;
  };
}

async function recordUpdates(updates: readonly UpdatedCampaign[], { store }: Session): Promise<void> {
  const entries = await store.readAll();
  const at = new Date().toISOString();
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
}
