import { listInventory } from '../../apply/index.js';
import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Inventory } from '../../model/inventory.js';
import { loadCampaigns, readProject, selectEnvironment } from '../../project/index.js';
import { openReader } from '../../service/index.js';
import { openStore } from '../../state/index.js';
import { renderJson, renderListMarkdown, renderListText, visibleLine } from '../../view/index.js';
import type { CommonFlags } from '../flags.js';
import { watchInterrupts } from '../interrupt.js';
import { connect, stateFolder, stopOnErrors } from '../session.js';
import type { Shell } from '../shell.js';

export interface ListFlags extends CommonFlags {
  format: 'text' | 'json' | 'markdown';
  /** Only the campaigns that no manifest has. */
  unmanaged: boolean;
  parallelism: number | null;
}

/** Shows live campaigns beside manifests. Holds a reader only. A project without manifests is no mistake here. */
export async function list(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  const project = readProject({ cwd: shell.cwd, config: flags.config });
  const chosen = selectEnvironment(project, flags.env ?? (shell.env.CAMPAIGNCTL_ENV || null));
  const limits = { ...chosen.limits, parallelism: flags.parallelism ?? chosen.limits.parallelism };
  const loaded = await loadCampaigns(project, { environments: [chosen], files: [], cwd: shell.cwd });
  stopOnErrors(loaded.findings.filter(({ code }) => code !== 'no-match'));
  for (const { code, message } of loaded.findings) {
    if (code === 'no-match') shell.err(`! ${visibleLine(message)}\n`);
  }
  const campaigns = loaded.campaigns[chosen.name] ?? [];
  const session = { project, environment: { ...chosen, limits }, campaigns };
  const { environment, service, close } = await connect(session, flags.debug, shell);
  try {
    const reader = openReader(service);
    try {
      const store = openStore(stateFolder(project, environment));
      const [entries, pending] = await Promise.all([store.readAll(), store.pending()]);
      const stock = listInventory({ environment, campaigns, entries, pending, reader });
      show(await watchInterrupts(shell).guard(stock), flags, shell);
      return EXIT.ok;
    } finally {
      await reader.close();
    }
  } finally {
    await close();
  }
}

function show(inventory: Inventory, { format, unmanaged }: ListFlags, shell: Shell): void {
  const campaigns = inventory.campaigns.filter(({ status }) => !unmanaged || status === 'unmanaged');
  const shown = { ...inventory, campaigns };
  if (format === 'json') shell.out(renderJson(shown));
  else if (format === 'markdown') shell.out(renderListMarkdown(shown));
  else shell.out(renderListText(shown, shell.onOut));
}
