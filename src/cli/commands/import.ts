import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { withLock } from '../../operations/run.js';
import { openSession, type Session } from '../../operations/session.js';
import { renderImportText, renderUpdateText } from '../../view/index.js';
import { importNew } from '../importing.js';
import { defineCommand, type Flags, flag, format, lockTimeout, text, texts } from '../options.js';
import { show } from '../outputs.js';
import { type Shell, watchInterrupts } from '../shell.js';
import { narrowed, update } from '../updating.js';

const positionals = { names: texts('Campaigns by their names in the service, or by their ids') };
const options = {
  format,
  all: flag('Every campaign that no manifest manages yet'),
  dir: text("Folder for the manifests; default: that of the project's first pattern"),
  update: flag('Write changes of the service into the manifests that manage the campaigns, in place'),
  overlay: flag('With --update: write into the overlay of the environment, not into the base'),
  overwrite: flag('Replace files of the same name that belong to no manifest'),
  dryRun: flag('Show what it would write; with --format json every text'),
  lockTimeout,
};
type ImportFlags = Flags<typeof positionals & typeof options>;

export const command = defineCommand({
  positionals,
  options,
  examples: [
    ['campaignctl import --all', 'every live campaign becomes a manifest'],
    ['campaignctl import "Spring installers" 42', 'by name, by id'],
    ['campaignctl import --all --dry-run', 'look first'],
    ['campaignctl import --update "Spring installers"', 'take over changes made in the web app'],
    ['campaignctl import --update --all --dry-run', 'what that would change, as a diff'],
  ],
  run: (flags, shell) => (flags.update ? updateManifests(flags, shell) : newManifests(flags, shell)),
});

/** Writes manifests from live campaigns. Holds a reader only: nothing is sent. */
async function newManifests(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseBeside('an import of new manifests', { '--overlay': flags.overlay });
  if (flags.all === flags.names.length > 0) {
    throw usage(
      flags.all ? '--all does not go with names.' : 'import needs to know which campaigns.',
      'Give names or ids: campaignctl import "Spring installers" 42. Or pass --all for every campaign without a manifest.',
    );
  }
  const { config, env, debug } = flags;
  const session = await openSession({ config, env, debug, mayBeEmpty: true }, shell);
  const interrupt = watchInterrupts(shell);
  const result = await unlessDry(flags, session, interrupt.signal, () =>
    importNew(session, flags, interrupt),
  );
  show(result, flags.format, { text: renderImportText }, shell);
  return EXIT.ok;
}

/** Writes what was changed outside campaignctl into the manifests that are there. Holds a reader only. */
async function updateManifests(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseBeside('--update', { '--dir': flags.dir !== null, '--overwrite': flags.overwrite });
  const { config, env, debug } = flags;
  const session = narrowed(await openSession({ config, env, debug }, shell), flags);
  const interrupt = watchInterrupts(shell);
  // What an apply at work changes would be taken for a change that was made in the service.
  const work = () => update({ flags, session, interrupt });
  const result = await unlessDry(flags, session, interrupt.signal, work);
  show(result, flags.format, { text: renderUpdateText }, shell);
  return result.campaigns.every(({ in_sync }) => in_sync) ? EXIT.ok : EXIT.incomplete;
}

function refuseBeside(mode: string, others: Record<string, boolean>): void {
  const given = Object.keys(others).filter((option) => others[option]);
  if (given.length === 0) return;
  throw usage(
    `${given.join(' and ')} ${given.length === 1 ? 'does' : 'do'} not go with ${mode}.`,
    '--update edits the manifests where they are. Without it, import writes new ones.',
  );
}

/** Under the lock, unless nothing is written. */
function unlessDry<T>(
  { dryRun, lockTimeout }: ImportFlags,
  session: Session,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  return dryRun ? work() : withLock(session, { seconds: lockTimeout, signal }, work);
}
