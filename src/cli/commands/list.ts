import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Inventory } from '../../model/reports.js';
import { listProject } from '../../operations/plan.js';
import { renderListMarkdown, renderListText } from '../../view/list.js';
import { renderJson } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { type Shell, watchInterrupts } from '../shell.js';

type ListFlags = Flags<'list'>;

export async function run(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags, shell)) return listAll(flags, shell);
  const inventory = await listProject(flags, shell, watchInterrupts(shell));
  if (flags.format === 'json') shell.out(renderJson(inventory));
  else if (flags.format === 'markdown') shell.out(renderListMarkdown(inventory));
  else if (flags.format === 'html')
    shell.out((await import('../../view/list-html.js')).renderListHtml(inventory));
  else shell.out(renderListText(inventory, shell.onOut));
  return exitOf(inventory, flags);
}

function exitOf(inventory: Inventory, { check }: ListFlags): ExitCode {
  return check && hasProblem(inventory) ? EXIT.pending : EXIT.ok;
}

function hasProblem({ problems, campaigns }: Inventory): boolean {
  return problems.length > 0 || campaigns.some((entry) => entry.problems.length > 0);
}

async function listAll(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const { renderListsMarkdown, renderListsText } = await import('../../view/list.js');
  const { renderListsHtml } = await import('../../view/list-html.js');
  const chosen = await chooseProjects(flags, shell);
  const runs = await inProjects(chosen, flags, shell, async (project) => {
    const listFlags = { ...project.flags, manifests: project.unit.manifests };
    const result = await listProject(listFlags, project.shell, watchInterrupts(project.shell));
    return { code: exitOf(result, flags), result };
  });
  const formats: Parameters<typeof showProjects<Inventory>>[2] = {
    done: 'listed',
    text: () => '',
    together: renderListsText,
    markdown: renderListsMarkdown,
    html: renderListsHtml,
  };
  return showProjects(runs, flags.format, formats, shell);
}
