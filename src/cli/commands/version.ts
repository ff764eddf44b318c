import { EXIT } from '../../model/failure.js';
import { version } from '../../operations/version.js';
import { defineReport } from '../options.js';

/** Prints the version, as --version does. */
export const command = defineReport({
  positionals: {},
  options: {},
  examples: [['campaignctl version', 'the same as campaignctl --version']],
  async run(_flags, _shell, report) {
    report({ version: 1, command: 'version', tool: version }, `${version}\n`);
    return EXIT.ok;
  },
});
