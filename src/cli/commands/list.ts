import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { Inventory } from '../../model/outputs.js';
import { listProject } from '../../operations/plan.js';
import { renderListMarkdown, renderListText } from '../../view/index.js';
import {
  defineCommand,
  type Flags,
  flag,
  isRecursive,
  parallelism,
  projects,
  viewFormat,
} from '../options.js';
import { show } from '../outputs.js';
import { type Shell, watchInterrupts } from '../shell.js';

const options = {
  format: viewFormat,
  unmanaged: flag('Only campaigns that no manifest manages'),
  parallelism,
  ...projects,
};
type ListFlags = Flags<typeof options>;

/** Shows live campaigns beside manifests. */
export const command = defineCommand({
  positionals: {},
  options,
  examples: [
    ['campaignctl list --env production', 'live campaigns, each with its manifest'],
    ['campaignctl list --unmanaged', 'what is left to import'],
    ['campaignctl list --recursive', 'those of every project below this folder'],
  ],
  async run(flags, shell) {
    if (isRecursive(flags)) return listAll(flags, shell);
    const views = { text: renderListText, markdown: renderListMarkdown };
    show(await listOne(flags, shell), flags.format, views, shell);
    return EXIT.ok;
  },
});

async function listOne(flags: ListFlags, shell: Shell): Promise<Inventory> {
  const inventory = await listProject(flags, shell, watchInterrupts(shell));
  const isWithout = (status: string) => status === 'unmanaged' || status === 'removed';
  const campaigns = inventory.campaigns.filter(({ status }) => !flags.unmanaged || isWithout(status));
  return { ...inventory, campaigns };
}

async function listAll(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  if (flags.format === 'markdown')
    throw usage('list --recursive has no format markdown.', 'It takes text or json.');
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const { listTotals } = await import('../../view/list.js');
  const chosen = await chooseProjects(flags, shell);
  const runs = await inProjects(chosen, flags, shell, async (one) => ({
    code: EXIT.ok,
    result: await listOne(one.flags, one.shell),
  }));
  return showProjects(
    runs,
    flags.format,
    {
      done: 'listed',
      totals: listTotals,
      text: ({ result }, text) => (result === null ? '' : renderListText(result, text)),
    },
    shell,
  );
}
