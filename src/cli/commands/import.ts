import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { importNew } from '../../operations/import.js';
import { updateManifests } from '../../operations/update.js';
import { renderImportText, renderUpdateText } from '../../view/index.js';
import { defineCommand, type Flags, flag, format, lockTimeout, text, texts } from '../options.js';
import { show } from '../outputs.js';
import { type Shell, watchInterrupts } from '../shell.js';

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
  run: (flags, shell) => (flags.update ? updateInPlace(flags, shell) : newManifests(flags, shell)),
});

async function newManifests(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseBeside('an import of new manifests', { '--overlay': flags.overlay });
  const result = await importNew(flags, shell, watchInterrupts(shell));
  show(result, flags.format, { text: renderImportText }, shell);
  return EXIT.ok;
}

async function updateInPlace(flags: ImportFlags, shell: Shell): Promise<ExitCode> {
  refuseBeside('--update', { '--dir': flags.dir !== null, '--overwrite': flags.overwrite });
  const result = await updateManifests(flags, shell, watchInterrupts(shell));
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
