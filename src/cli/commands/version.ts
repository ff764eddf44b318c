import { EXIT } from '../../model/failure.js';
import { version } from '../../operations/version.js';
import { defineCommand } from '../options.js';

/** Prints the version, as --version does. */
export const command = defineCommand({
  positionals: {},
  options: {},
  examples: [['campaignctl version', 'the same as campaignctl --version']],
  async run(_, shell) {
    shell.out(`${version}\n`);
    return EXIT.ok;
  },
});
