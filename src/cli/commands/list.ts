import { listInventory } from '../../apply/index.js';
import { EXIT } from '../../model/failure.js';
import { withReader } from '../../operations/connect.js';
import { openPlace, stopOnErrors } from '../../operations/session.js';
import { loadCampaigns } from '../../project/index.js';
import { openStore } from '../../state/index.js';
import { renderListMarkdown, renderListText, visibleLine } from '../../view/index.js';
import { defineCommand, flag, parallelism, viewFormat } from '../options.js';
import { show } from '../outputs.js';
import { watchInterrupts } from '../shell.js';

/** Shows live campaigns beside manifests. Holds a reader only. A project without manifests is no mistake here. */
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
    const place = await openPlace(flags, shell);
    const { project, environment, folder } = place;
    const loaded = await loadCampaigns(project, { environments: [environment], files: [], cwd: shell.cwd });
    const isEmpty = ({ code }: { code: string }) => code === 'no-match';
    stopOnErrors(
      loaded.findings.filter((finding) => !isEmpty(finding)),
      'Correct them first. Nothing was read from the service.',
    );
    for (const { message } of loaded.findings.filter(isEmpty)) shell.err(`! ${visibleLine(message)}\n`);
    const campaigns = loaded.campaigns[environment.name] ?? [];
    const inventory = await withReader({ ...place, campaigns }, async (reader) => {
      const store = openStore(folder);
      const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
      const { guard } = watchInterrupts(shell);
      return guard(listInventory({ environment, campaigns, entries, pending, reader }));
    });
    const isWithout = (status: string) => status === 'unmanaged' || status === 'removed';
    const chosen = inventory.campaigns.filter(({ status }) => !flags.unmanaged || isWithout(status));
    const views = { text: renderListText, markdown: renderListMarkdown };
    show({ ...inventory, campaigns: chosen }, flags.format, views, shell);
    return EXIT.ok;
  },
});
