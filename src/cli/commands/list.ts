import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import type { Inventory } from '../../model/outputs.js';
import { listProject } from '../../operations/plan.js';
import { renderJson, renderListMarkdown, renderListText } from '../../view/index.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { type Shell, watchInterrupts } from '../shell.js';

type ListFlags = Flags<'list'>;

/** Shows live campaigns beside manifests. */
export async function run(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags)) return listAll(flags, shell);
  const inventory = await listOne(flags, shell);
  if (flags.format === 'json') shell.out(renderJson(inventory));
  else if (flags.format === 'markdown') shell.out(renderListMarkdown(inventory));
  else shell.out(renderListText(inventory, shell.onOut));
  return EXIT.ok;
}

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
