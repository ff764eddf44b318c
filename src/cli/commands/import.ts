import { checkWorkspace } from '../../apply/index.js';
import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import type { Imported } from '../../model/imported.js';
import { findManifests, writeFiles } from '../../project/index.js';
import { openReader } from '../../service/index.js';
import { renderImportText, renderJson } from '../../view/index.js';
import type { CommonFlags } from '../flags.js';
import { type ImportResult, importCampaigns, type Made } from '../importing.js';
import { watchInterrupts } from '../interrupt.js';
import { withLock } from '../lock.js';
import { connect, openSession, type Session } from '../session.js';
import type { Shell } from '../shell.js';

export interface ImportFlags extends CommonFlags {
  /** Names or ids of live campaigns; none with `all`. */
  names: string[];
  all: boolean;
  /** Folder for the manifests; null: that of the project's first pattern. */
  dir: string | null;
  overwrite: boolean;
  dryRun: boolean;
  format: 'text' | 'json';
  /** Milliseconds to wait for an apply. */
  lockTimeout: number;
}

/** Writes manifests from live campaigns. Holds a reader only: nothing is sent. */
export async function importCommand(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseUsage(flags);
  const planning = { ...flags, files: [], target: [], hold: [], parallelism: null, events: null };
  const session = await openSession(planning, shell, null, { mayBeEmpty: true });
  const interrupt = watchInterrupts(shell);
  const work = async () => {
    const found = await interrupt.guard(look(session, flags, shell));
    const notes = flags.dryRun ? [] : await keep(session, found.made);
    return resultOf(session, { ...found, notes: [...found.notes, ...notes] }, flags.dryRun);
  };
  const waiting = { timeout: flags.lockTimeout, signal: interrupt.signal };
  const result = await (flags.dryRun ? work() : withLock(session, waiting, shell, work));
  shell.out(flags.format === 'json' ? renderJson(result) : renderImportText(result, shell.onOut));
  return EXIT.ok;
}

function refuseUsage({ names, all }: ImportFlags): void {
  if (names.length > 0 !== all) return;
  throw new Failure({
    code: 'usage',
    message: all ? '--all does not go with names.' : 'Which campaigns? No name was given.',
    hint: 'Name campaigns as the service calls them, or by their ids: campaignctl import "Spring installers" 42. --all takes every one that has no manifest.',
  });
}

async function look(session: Session, flags: ImportFlags, shell: Shell): Promise<ImportResult> {
  const { environment, service, close } = await connect(session, flags.debug, shell);
  try {
    const reader = openReader(service);
    try {
      await checkWorkspace(environment, reader);
      const [listed, entries] = await Promise.all([reader.campaigns(), session.store.readAll()]);
      return await importCampaigns(session, { ...flags, cwd: shell.cwd }, { reader, listed, entries });
    } finally {
      await reader.close();
    }
  } finally {
    await close();
  }
}

/** Writes the files, then what is to be remembered. Gives what the project file should say besides. */
async function keep({ project, store }: Session, made: readonly Made[]): Promise<string[]> {
  await writeFiles(
    project.root,
    made.flatMap(({ adopted }) => [...adopted.files]),
  );
  const at = new Date().toISOString();
  for (const { live, adopted } of made) {
    const { manifest, spec } = adopted;
    const recorded = { ...live.recorded, last: { at, how: 'import' as const, spec } };
    await store.save({ id: live.listed.id, manifest, name: spec.name, recorded });
  }
  const { manifests } = await findManifests(project, { files: [], cwd: project.root });
  const matched = new Set(manifests);
  const unmatched = made.map(({ adopted }) => adopted.manifest).filter((manifest) => !matched.has(manifest));
  const strangers = made.flatMap(({ adopted }) =>
    [...adopted.files.keys()].filter((file) => file !== adopted.manifest && matched.has(file)),
  );
  return [...unmatchedNote(unmatched), ...strangersNote(strangers)];
}

function unmatchedNote([first, ...others]: readonly string[]): string[] {
  if (first === undefined) return [];
  const more = others.length > 0 ? ` and ${others.length} more` : '';
  return [`No pattern under manifests in the project file matches ${first}${more}: add one.`];
}

function strangersNote([first]: readonly string[]): string[] {
  if (first === undefined) return [];
  return [
    `A pattern under manifests in the project file matches ${first}, which is no manifest: narrow it, or exclude the file with "!".`,
  ];
}

function resultOf(
  { environment }: Session,
  { made, skipped, notes }: ImportResult,
  dry_run: boolean,
): Imported {
  const files = made.flatMap(({ adopted }) => [...adopted.files]);
  return {
    version: 1,
    environment: environment.name,
    dry_run,
    campaigns: made.map(({ live, adopted: { manifest, files: own, remarks } }) => ({
      id: live.listed.id,
      name: live.listed.name,
      manifest,
      files: [...own.keys()].filter((file) => file !== manifest),
      remarks,
    })),
    skipped,
    files: files.map(([file, text]) => ({ file, text: dry_run ? text : null })),
    notes,
  };
}
