import { EXIT } from '../../model/failure.js';
import { listProject } from '../../operations/list.js';
import { renderListMarkdown, renderListText } from '../../view/index.js';
import { defineCommand, flag, parallelism, viewFormat } from '../options.js';
import { show } from '../outputs.js';
import { watchInterrupts } from '../shell.js';

/** Shows live campaigns beside manifests. */
export const command = defineCommand({
  positionals: {},
  options: {
    format: viewFormat,
    unmanaged: flag('Only campaigns that no manifest manages'),
    parallelism,
  },
  examples: [
    ['campaignctl list --env production', 'live campaigns, each with its manifest'],
    ['campaignctl list --unmanaged', 'what is left to import'],
  ],
  async run(flags, shell) {
    const inventory = await listProject(flags, shell, watchInterrupts(shell));
    const isWithout = (status: string) => status === 'unmanaged' || status === 'removed';
    const chosen = inventory.campaigns.filter(({ status }) => !flags.unmanaged || isWithout(status));
    const views = { text: renderListText, markdown: renderListMarkdown };
    show({ ...inventory, campaigns: chosen }, flags.format, views, shell);
    return EXIT.ok;
  },
});
