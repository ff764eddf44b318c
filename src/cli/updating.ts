import { createTwoFilesPatch } from 'diff';
import {
  countBodies,
  findCampaign,
  type Texts,
  type UpdatedCampaign,
  updateCampaign,
} from '../import/index.js';
import { type FileText, LIMITS, type ReadFile } from '../manifest/index.js';
import { Failure, usage } from '../model/failure.js';
import type { UpdateResult } from '../model/outputs.js';
import { UNKNOWN_STATE } from '../model/state.js';
import { withReader } from '../operations/connect.js';
import { refreshProject } from '../operations/run.js';
import type { Session } from '../operations/session.js';
import type { Interrupt } from '../operations/world.js';
import type { Work } from '../plan/index.js';
import { loadCampaigns, type NewText, readerBelow, rewriteFiles } from '../project/index.js';

/** What `import --update` is asked for. `names`: names or ids; `overlay`: write into the overlay, not into the base. */
export interface UpdateFlags {
  names: readonly string[];
  all: boolean;
  dryRun: boolean;
  overlay: boolean;
}

interface UpdateRun {
  flags: UpdateFlags;
  session: Session;
  interrupt: Interrupt;
}

/** The session, narrowed to the campaigns that are meant where names say it; an id is known once the service is read. */
export function narrowed(session: Session, { names, all }: UpdateFlags): Session {
  const managed = session.campaigns.map(({ spec }) => spec.name);
  const stranger = names.find((name) => !managed.includes(name) && !isId(name));
  if (stranger !== undefined) throw unmanaged(stranger);
  if (names.length === 0 && !all)
    throw usage('--update needs to know which campaigns.', 'Name them, give their ids, or pass --all.');
  const target = all || names.some(isId) ? [] : [...names];
  return { ...session, selection: { ...session.selection, target } };
}

/** Reads what is live, edits the manifests, and remembers what is equal now. With --dry-run it writes nothing. */
export async function update(run: UpdateRun): Promise<UpdateResult> {
  const { flags, session } = run;
  const work = await meant(run);
  const readFile = once(readerBelow(session.project.root));
  const { texts, updates } = await updated(work, readFile, run);
  const files = changedFiles(texts, readFile);
  if (!flags.dryRun) {
    await rewriteFiles(session.project.root, files);
    await recordUpdates(work, updates, session);
  }
  return {
    version: 1,
    environment: session.environment.name,
    written: files.length > 0 && !flags.dryRun,
    files: files.map(({ file, before, after }) => ({ file, diff: patch(file, before, after) })),
    campaigns: updates.map(({ update }) => update),
  };
}

/** What was read of each campaign that is meant. */
async function meant({ flags, session, interrupt }: UpdateRun): Promise<Work[]> {
  const { guard, signal } = interrupt;
  const { work } = await withReader(session, (reader) => guard(refreshProject(session, reader, signal)));
  if (flags.all) return work.filter(({ context, plan }) => context.id !== null || isLost(plan));
  return flags.names.map((name) => theOne(name, work));
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
async function updated(work: readonly Work[], readFile: ReadFile, { flags, session }: UpdateRun) {
  const { project, environment, world } = session;
  const { documents } = await loadCampaigns(project, { environments: [], files: [], cwd: world.cwd });
  const input = {
    readFile,
    environments: Object.values(project.environments),
    rules: project.lint,
    policies: project.policies,
    environment,
    overlay: flags.overlay,
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
    const known = entries.find((record) => record.id === id)?.recorded ?? UNKNOWN_STATE;
    const recorded = { ...known, last: { at, how: 'import' as const, spec } };
    await store.save({ id, manifest: update.manifest, name: spec.name, recorded });
  }
}
