import { createTwoFilesPatch } from 'diff';
import { countBodies, type Texts, type UpdatedCampaign, updateCampaign } from '../../import/index.js';
import { type FileText, LIMITS, type ReadFile } from '../../manifest/index.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { UNKNOWN_STATE } from '../../model/state-entry.js';
import type { CampaignUpdate, UpdateResult } from '../../model/update.js';
import type { Work } from '../../plan/index.js';
import { loadCampaigns, type NewText, readerBelow, rewriteFiles } from '../../project/index.js';
import { openReader } from '../../service/index.js';
import { renderJson, renderUpdateText } from '../../view/index.js';
import type { CommonFlags } from '../flags.js';
import { type Interrupt, watchInterrupts } from '../interrupt.js';
import { withLock } from '../lock.js';
import { connect, openSession, type Session } from '../session.js';
import type { Shell } from '../shell.js';
import { refreshProject } from './plan.js';

export interface ImportUpdateFlags extends CommonFlags {
  /** Names or ids of campaigns. */
  names: string[];
  all: boolean;
  /** Manifests or folders instead of those of the project file. */
  files?: string[];
  format: 'text' | 'json';
  dryRun: boolean;
  /** Write into the overlay of the environment, not into the base. */
  overlay: boolean;
  /** Milliseconds to wait for an apply. */
  lockTimeout: number;
}

interface Run {
  flags: ImportUpdateFlags;
  shell: Shell;
  session: Session;
  interrupt: Interrupt;
}

/** Writes what was changed in the service into the manifests that are there. Holds a reader only. */
export async function importUpdate(flags: ImportUpdateFlags, shell: Shell): Promise<ExitCode> {
  const planning = { ...flags, files: flags.files ?? [], hold: [], parallelism: null, events: null };
  const session = await openSession({ ...planning, target: [] }, shell);
  const run = { flags, shell, session, interrupt: watchInterrupts(shell) };
  const target = selected(run);
  const narrowed = { ...run, session: { ...session, selection: { ...session.selection, target } } };
  return flags.dryRun ? update(narrowed) : alone(narrowed);
}

/** No apply may be at work: what it changes would be taken for a change of somebody else. */
function alone(run: Run): Promise<ExitCode> {
  const { flags, session, shell, interrupt } = run;
  const waiting = { timeout: flags.lockTimeout, signal: interrupt.signal };
  return withLock(session, waiting, shell, () => update(run));
}

async function update(run: Run): Promise<ExitCode> {
  const { flags, shell, session } = run;
  const work = await meant(run);
  const readFile = once(readerBelow(session.project.root));
  const { texts, updates } = await updated(work, readFile, run);
  const files = changedFiles(texts, readFile);
  if (!flags.dryRun) {
    await rewriteFiles(session.project.root, files);
    await remember(work, updates, session);
  }
  const result = resultOf(updates, files, run);
  shell.out(flags.format === 'json' ? renderJson(result) : renderUpdateText(result, shell.onOut));
  return updates.every(({ update }) => update.in_sync) ? EXIT.ok : EXIT.incomplete;
}

/** The names that planning is narrowed to; none where an id or every campaign is meant. */
function selected({ flags, session }: Run): string[] {
  const names = session.campaigns.map(({ spec }) => spec.name);
  const unknown = flags.names.filter((name) => !names.includes(name));
  const [first] = unknown.filter((name) => !/^\d+$/.test(name));
  if (first !== undefined) throw notManaged(first);
  if (flags.names.length === 0 && !flags.all)
    throw new Failure({
      code: 'usage',
      message: 'Which campaigns are meant is not said.',
      hint: 'Give names or ids, or --all.',
    });
  return flags.all || flags.names.some((name) => /^\d+$/.test(name)) ? [] : flags.names;
}

/** What was read of each campaign that is meant. */
async function meant({ flags, session, shell, interrupt }: Run): Promise<Work[]> {
  const connection = await connect(session, flags.debug, shell);
  const reader = openReader(connection.service);
  try {
    const { environment } = connection;
    const looked = refreshProject(session, { environment, reader }, { shell, signal: interrupt.signal });
    const { work } = await interrupt.guard(looked);
    if (flags.all) return work.filter(({ context, plan }) => context.id !== null || isLost(plan));
    return flags.names.map((name) => {
      const byId = work.filter(({ context }) => String(context.id) === name);
      const named = work.filter(({ context }) => context.spec.name === name);
      const [found, ...others] = byId.length > 0 ? byId : named;
      if (found === undefined) throw notManaged(name);
      if (others.length > 0) throw severalOf(name, [found, ...others]);
      if (found.context.id === null) throw notThere(name);
      return found;
    });
  } finally {
    await reader.close();
    await connection.close();
  }
}

/** It was applied, and is not there under its name. */
function isLost({ problems }: Work['plan']): boolean {
  return problems.some(({ code }) => code === 'rename' || code === 'missing');
}

function notManaged(name: string): Failure {
  return new Failure({
    code: 'not-managed',
    message: `No manifest manages ${/^\d+$/.test(name) ? `campaign ${name}` : `"${name}"`}.`,
    hint: `campaignctl import ${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)} writes a new manifest for it.`,
  });
}

function severalOf(name: string, work: readonly Work[]): Failure {
  const ids = work.map(({ context }) => context.id).join(', ');
  return new Failure({
    code: 'ambiguous-name',
    message: `${work.length} campaigns are called "${name}": ${ids}. Nothing was written.`,
    hint: 'Name the one that you mean by its id.',
  });
}

function notThere(name: string): Failure {
  return new Failure({
    code: 'not-in-the-service',
    message: `"${name}" is not in the service yet: there is nothing to take over.`,
    hint: 'campaignctl plan shows what apply would make of it.',
  });
}

/** The campaigns one after the other: several may stand in one file. */
async function updated(work: readonly Work[], readFile: ReadFile, { flags, session, shell }: Run) {
  const { project, environment } = session;
  const load = (files: string[]) => loadCampaigns(project, { environments: [], files, cwd: shell.cwd });
  const lists = [await load([]), ...(flags.files?.length ? [await load(flags.files)] : [])];
  const documents = new Map(lists.flatMap((one) => one.documents).map((one) => [one.manifest, one]));
  const input = {
    readFile,
    environments: Object.values(project.environments),
    rules: project.lint,
    policies: project.policies,
    environment,
    overlay: flags.overlay,
    uses: countBodies([...documents.values()]),
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

/** What planning shows to be equal now is what was last seen as written; it tells who changes what from here on. */
async function remember(work: readonly Work[], updates: readonly UpdatedCampaign[], { store }: Session) {
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

function resultOf(
  updates: readonly UpdatedCampaign[],
  files: readonly NewText[],
  { flags, session }: Run,
): UpdateResult {
  const campaigns: CampaignUpdate[] = updates.map(({ update }) => update);
  return {
    version: 1,
    environment: session.environment.name,
    written: files.length > 0 && !flags.dryRun,
    files: files.map(({ file, before, after }) => ({
      file,
      diff: createTwoFilesPatch(`a/${file}`, `b/${file}`, before, after, undefined, undefined, {
        context: 3,
      }).replace(/^=+\n/, ''),
    })),
    campaigns,
  };
}
