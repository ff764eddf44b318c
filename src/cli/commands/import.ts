import { EXIT, usage } from '../../model/failure.js';
import { importNew } from '../../operations/import.js';
import { updateManifests } from '../../operations/update.js';
import { renderImportText, renderUpdateText } from '../../view/index.js';
import { defineCommand, flag, lockTimeout, text, texts } from '../options.js';
import { watchInterrupts } from '../shell.js';

export const command = defineCommand({
  positionals: { names: texts('Campaigns by their names in the service, or by their ids') },
  options: {
    all: flag('Every campaign that no manifest manages yet; with --update, every one that has a manifest'),
    dir: text("Folder for the manifests; default: that of the project's first pattern"),
    update: flag('Set live values in the manifests that manage the campaigns, in place'),
    dryRun: flag('Show what it would write'),
    lockTimeout,
  },
  examples: [
    ['campaignctl import --all', 'every live campaign becomes a manifest'],
    ['campaignctl import "Spring installers" 42', 'by name, by id'],
    ['campaignctl import --all --dry-run', 'look first'],
    ['campaignctl import --update "Spring installers"', 'take over changes made in the web app'],
    ['campaignctl import --update --all --dry-run', 'look first'],
  ],
  async run(flags, shell) {
    if (!flags.update) {
      shell.out(renderImportText(await importNew(flags, shell, watchInterrupts(shell)), shell.onOut));
      return EXIT.ok;
    }
    if (flags.dir !== null)
      throw usage('--dir does not go with --update.', '--update edits the manifests where they are.');
    const result = await updateManifests(flags, shell, watchInterrupts(shell));
    shell.out(renderUpdateText(result, shell.onOut));
    return result.campaigns.every(({ in_sync }) => in_sync) ? EXIT.ok : EXIT.incomplete;
  },
});
