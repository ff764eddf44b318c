import { checkWorkspace } from '../../apply/index.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Imported } from '../../model/outputs.js';
import { findManifests, writeFiles } from '../../project/index.js';
import { renderImportText, renderJson, renderUpdateText } from '../../view/index.js';
import { type ImportResult, importCampaigns, type Made } from '../importing.js';
import { argumentList, command, type Flags, flag, format, lockTimeout, text, usage } from '../options.js';
import { withLock } from '../run.js';
import { openSession, type Session, withReader } from '../session.js';
import { type Shell, watchInterrupts } from '../shell.js';
import { narrowed, update } from '../updating.js';

const positionals = { names: argumentList('Campaigns as the service calls them, or their ids') };
const options = {
  format,
  all: flag('Every campaign that no manifest manages yet'),
  dir: text("Folder for the manifests; default: that of the project's first pattern"),
  update: flag('Write what was changed in the service into the manifests that are there, in place'),
  overlay: flag('With --update: write into the overlay of the environment, not into the base'),
  overwrite: flag('Replace files of the same name that belong to no manifest'),
  dryRun: flag('Show what would be written; with --format json every text'),
  lockTimeout,
};
type ImportFlags = Flags<typeof positionals & typeof options>;

export const importCommand = command({
  positionals,
  options,
  examples: [
    ['campaignctl import --all', 'every live campaign becomes a manifest'],
    ['campaignctl import "Spring installers" 42', 'by name, by id'],
    ['campaignctl import --all --dry-run', 'look first'],
    ['campaignctl import --update "Spring installers"', 'take over what was changed in the web page'],
    ['campaignctl import --update --all --dry-run', 'what that would change, as a diff'],
  ],
  run: (flags, shell) => (flags.update ? importUpdate(flags, shell) : importNew(flags, shell)),
});

/** Writes manifests from live campaigns. Holds a reader only: nothing is sent. */
async function importNew(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseBeside('an import of new manifests', { '--overlay': flags.overlay });
  if (flags.all === flags.names.length > 0) {
    throw usage(
      flags.all ? '--all does not go with names.' : 'Which campaigns? No name was given.',
      'Name campaigns as the service calls them, or by their ids: campaignctl import "Spring installers" 42. --all takes every one that has no manifest.',
    );
  }
  const { config, env } = flags;
  const session = await openSession({ config, env, mayBeEmpty: true }, shell);
  const { guard, signal } = watchInterrupts(shell);
  const result = await unlessDry(flags, { session, shell, signal }, async () => {
    const found = await guard(look(session, flags, shell));
    const notes = flags.dryRun ? [] : await keep(session, found.made);
    return resultOf(session, { ...found, notes: [...found.notes, ...notes] }, flags.dryRun);
  });
  shell.out(flags.format === 'json' ? renderJson(result) : renderImportText(result, shell.onOut));
  return EXIT.ok;
}

/** Writes what was changed in the service into the manifests that are there. Holds a reader only. */
async function importUpdate(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseBeside('--update', { '--dir': flags.dir !== null, '--overwrite': flags.overwrite });
  const { config, env } = flags;
  const session = narrowed(await openSession({ config, env }, shell), flags);
  const interrupt = watchInterrupts(shell);
  const { signal } = interrupt;
  // What an apply at work changes would be taken for a change that was made in the service.
  const result = await unlessDry(flags, { session, shell, signal }, () =>
    update({ flags, shell, session, interrupt }),
  );
  shell.out(flags.format === 'json' ? renderJson(result) : renderUpdateText(result, shell.onOut));
  return result.campaigns.every(({ in_sync }) => in_sync) ? EXIT.ok : EXIT.incomplete;
}

function refuseBeside(mode: string, others: Record<string, boolean>): void {
  const given = Object.keys(others).filter((option) => others[option]);
  if (given.length === 0) return;
  throw usage(
    `${given.join(' and ')} ${given.length === 1 ? 'does' : 'do'} not go with ${mode}.`,
    '--update edits the manifests where they are; without it, import writes new ones.',
  );
}

/** Under the lock, unless nothing is written. */
function unlessDry<T>(
  { dryRun, lockTimeout }: ImportFlags,
  { session, shell, signal }: { session: Session; shell: Shell; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  return dryRun ? work() : withLock(session, { seconds: lockTimeout, signal }, shell, work);
}

function look(session: Session, flags: ImportFlags, shell: Shell): Promise<ImportResult> {
  return withReader(session, flags, shell, async (reader) => {
    await checkWorkspace(session.environment, reader);
    const [listed, entries] = await Promise.all([reader.campaigns(), session.store.readAll()]);
    return importCampaigns(session, { ...flags, cwd: shell.cwd }, { reader, listed, entries });
  });
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
