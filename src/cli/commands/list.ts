import { listInventory } from '../../apply/index.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Inventory } from '../../model/outputs.js';
import { loadCampaigns } from '../../project/index.js';
import { openStore } from '../../state/index.js';
import { renderJson, renderListMarkdown, renderListText, visibleLine } from '../../view/index.js';
import { command, type Flags, flag, parallelism, viewFormat } from '../options.js';
import { openPlace, stopOnErrors, withReader } from '../session.js';
import { type Shell, watchInterrupts } from '../shell.js';

const options = {
  format: viewFormat,
  unmanaged: flag('Only the campaigns that no manifest has'),
  parallelism,
};
type ListFlags = Flags<typeof options>;

export const listCommand = command({
  positionals: {},
  options,
  examples: [
    ['campaignctl list --env production', 'what is there, and which manifest it belongs to'],
    ['campaignctl list --unmanaged', 'what is left to import'],
  ],
  run: list,
});

/** Shows live campaigns beside manifests. Holds a reader only. A project without manifests is no mistake here. */
async function list(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  const { project, environment, folder } = await openPlace(flags, shell);
  const loaded = await loadCampaigns(project, { environments: [environment], files: [], cwd: shell.cwd });
  stopOnErrors(
    loaded.findings.filter(({ code }) => code !== 'no-match'),
    'Correct them first; nothing was read from the service.',
  );
  for (const { code, message } of loaded.findings) {
    if (code === 'no-match') shell.err(`! ${visibleLine(message)}\n`);
  }
  const campaigns = loaded.campaigns[environment.name] ?? [];
  return withReader({ project, environment, campaigns }, flags, shell, async (reader) => {
    const store = openStore(folder);
    const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
    const inventory = listInventory({ environment, campaigns, entries, pending, reader });
    show(await watchInterrupts(shell).guard(inventory), flags, shell);
    return EXIT.ok;
  });
}

function show(inventory: Inventory, { format, unmanaged }: ListFlags, shell: Shell): void {
  const campaigns = inventory.campaigns.filter(({ status }) => !unmanaged || status === 'unmanaged');
  const shown = { ...inventory, campaigns };
  if (format === 'json') shell.out(renderJson(shown));
  else if (format === 'markdown') shell.out(renderListMarkdown(shown));
  else shell.out(renderListText(shown, shell.onOut));
}
