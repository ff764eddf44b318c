import { createTwoFilesPatch } from 'diff';
import {
  countBodies,
  findCampaign,
  type Texts,
  type UpdatedCampaign,
  updateCampaign,
} from '../import/index.js';
import { type FileText, LIMITS, type ManifestDocument, type ReadFile } from '../manifest/index.js';
import { Failure, usage } from '../model/failure.js';
import type { UpdateResult } from '../model/outputs.js';
import { UNKNOWN_STATE } from '../model/state.js';
import type { Work } from '../plan/index.js';
import { loadCampaigns, type NewText, readerBelow, rewriteFiles } from '../project/index.js';
import { withReader } from './connect.js';
import { type ImportRequest, unlessDry } from './import.js';
import { refreshProject } from './run.js';
import { openSession, type PlaceFlags, type Session } from './session.js';
import type { Interrupt, World } from './world.js';

/** What an update of manifests is asked for. `overlay`: write into the overlay of the environment, not into the base. */
export interface UpdateRequest extends ImportRequest {
  overlay: boolean;
}

/**
 * Writes what was changed outside campaignctl into the manifests that are there, and remembers what is equal now. A dry run writes
 * nothing. Holds a reader only: nothing is sent.
 */
export async function updateManifests(
  request: UpdateRequest & PlaceFlags,
  world: World,
  interrupt: Interrupt,
): Promise<UpdateResult> {
  const { config, env, debug } = request;
  const opened = await interrupt.guard(openSession({ config, env, debug }, world));
  const session = narrowed(opened, request);
  // What an apply at work changes would be taken for a change that was made in the service.
  return unlessDry(request, session, interrupt, () => update({ request, session, interrupt }));
}

interface UpdateRun {
  request: UpdateRequest;
  session: Session;
  interrupt: Interrupt;
}

/** The session, narrowed to the campaigns that are meant where names say it; an id is known once the service is read. */
function narrowed(session: Session, { names, all }: UpdateRequest): Session {
  const managed = session.campaigns.map(({ spec }) => spec.name);
  const stranger = names.find((name) => !managed.includes(name) && !isId(name));
  if (stranger !== undefined) throw unmanaged(stranger);
  if (names.length === 0 && !all)
    throw usage('--update needs to know which campaigns.', 'Name them, give their ids, or pass --all.');
  const target = all || names.some(isId) ? [] : [...names];
  return { ...session, selection: { ...session.selection, target } };
}

async function update(run: UpdateRun): Promise<UpdateResult> {
  const { request, session } = run;
  const work = await meant(run);
  const readFile = once(readerBelow(session.project.root));
  const { texts, updates } = await updated(work, readFile, run);
  const files = changedFiles(texts, readFile);
  if (!request.dryRun) {
    await rewriteFiles(session.project.root, files);
    await recordUpdates(work, updates, session);
  }
  return {
    version: 1,
    environment: session.environment.name,
    written: files.length > 0 && !request.dryRun,
    files: files.map(({ file, before, after }) => ({ file, diff: patch(file, before, after) })),
    campaigns: updates.map(({ update }) => update),
  };
}

/** What was read of each campaign that is meant. */
async function meant({ request, session, interrupt }: UpdateRun): Promise<Work[]> {
  const { guard, signal } = interrupt;
  const { plan, work } = await withReader(session, (reader) =>
    guard(refreshProject(session, reader, signal)),
  );
  const atWork = plan.problems.filter(({ code }) => code === 'apply-at-work');
  for (const { message } of atWork) session.world.err(`! ${message}\n`);
  if (request.all) return work.filter(({ context, plan }) => context.id !== null || isLost(plan));
  return request.names.map((name) => theOne(name, work));
}

/** It was applied, and is not there under its name. */
function isLost({ problems }: Work['plan']): boolean {
  return problems.some(({ code }) => code === 'rename' || code === 'missing');
}

function theOne(word: string, work: readonly Work[]): Work {
  const campaigns = work.map((one) => ({ id: one.context.id, name: one.context.spec.name, work: one }));
  const found = findCampaign(word, campaigns);
  if (found === null) throw unmanaged(word);
  if (found.id !== null) return found.work;
  throw new Failure({
    code: 'not-in-the-service',
    message: `The service does not have "${word}" yet, so there is nothing to update from.`,
    hint: 'campaignctl plan shows what apply would create.',
  });
}

function unmanaged(name: string): Failure {
  return new Failure({
    code: 'unmanaged',
    message: `No manifest manages ${isId(name) ? `campaign ${name}` : `"${name}"`}.`,
    hint: `campaignctl import ${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} writes a new manifest for it, if the service has it; campaignctl list shows what it has.`,
  });
}

function isId(name: string): boolean {
  return /^\d+$/.test(name);
}

/** The campaigns one after the other: several may stand in one file. */
async function updated(work: readonly Work[], readFile: ReadFile, { request, session }: UpdateRun) {
  const { project, environment, world } = session;
  const documents: ManifestDocument[] = [];
  await loadCampaigns(project, {
    ...{ environments: [], files: [], cwd: world.cwd },
    onDocuments: (parsed) => documents.push(...parsed),
  });
  const input = {
    readFile,
    environments: Object.values(project.environments),
    rules: project.lint,
    policies: project.policies,
    environment,
    overlay: request.overlay,
    uses: countBodies(documents),
  };
  let texts: Texts = new Map();
  const updates: UpdatedCampaign[] = [];
  for (const one of work) {
    const made = updateCampaign(one, texts, input);
    texts = made.texts;
    updates.push(made);
  }
  return { texts, updates };
}

/** Reads each file once: what is compared, edited and expected on the disk is one text. */
function once(readFile: ReadFile): ReadFile {
  const known = new Map<string, FileText>();
  return (file, limit) => {
    const text = known.get(file) ?? readFile(file, limit);
    known.set(file, text);
    return text;
  };
}

function changedFiles(texts: Texts, readFile: ReadFile): NewText[] {
  return [...texts]
    .flatMap(([file, after]) => {
      const read = readFile(file, LIMITS.manifest);
      const before = 'text' in read ? read.text : '';
      return before === after ? [] : [{ file, before, after }];
    })
    .sort((a, b) => (a.file < b.file ? -1 : 1));
}

function patch(file: string, before: string, after: string): string {
  const context = { context: 3 };
  const text = createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, context);
  return text.replace(/^=+\n/, '');
}

/** What planning shows to be equal now is what was last seen as written; it tells who changes what from here on. */
async function recordUpdates(work: readonly Work[], updates: readonly UpdatedCampaign[], { store }: Session) {
  const entries = await store.readAll();
  const at = new Date().toISOString();
  for (const [index, { spec, update }] of updates.entries()) {
    const id = work[index]?.context.id ?? null;
    const isEqual = update.in_sync && update.local_changes.length === 0;
    if (id === null || !isEqual || update.updated.length === 0) continue;
    const known = entries.find((entry) => entry.id === id)?.recorded ?? UNKNOWN_STATE;
    const recorded = { ...known, last: { at, how: 'import' as const, spec }, seen: null };
    await store.save({ id, manifest: update.manifest, name: spec.name, recorded });
  }
}
