import { EXIT, type ExitCode } from '../../model/failure.js';
import type { Inventory } from '../../model/reports.js';
import { listProject } from '../../operations/list.js';
import { worstExit } from '../../operations/projects.js';
import { listDocument, listsDocument, sortedByNeed } from '../../view/list.js';
import { projectsReport } from '../../view/projects.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { printDocument } from '../print.js';
import { type Shell, watchInterrupts } from '../shell.js';

type ListFlags = Flags<'list'>;

export async function run(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  if (isRecursive(flags, shell)) return listAll(flags, shell);
  const inventory = await listProject(flags, shell, watchInterrupts(shell));
  await printDocument({ document: listDocument(inventory), value: inventory }, flags, shell);
  return exitOf(inventory, flags);
}

function exitOf(inventory: Inventory, { check }: ListFlags): ExitCode {
  return check && hasProblem(inventory) ? EXIT.pending : EXIT.ok;
}

function hasProblem({ problems, campaigns }: Inventory): boolean {
  return problems.length > 0 || campaigns.some((entry) => entry.problems.length > 0);
}

async function listAll(flags: ListFlags, shell: Shell): Promise<ExitCode> {
  const { chooseProjects, findLost, inProjects } = await import('../projects.js');
  const chosen = await chooseProjects(flags, shell, { isOverview: true });
  const finding = findLost(chosen, flags, shell);
  const unsorted = await inProjects(chosen, flags, shell, async (project) => {
    const listFlags = { ...project.flags, manifests: project.unit.manifests };
    const result = await listProject(listFlags, project.shell, watchInterrupts(project.shell));
    return { code: exitOf(result, flags), result };
  });
  const runs = sortedByNeed(unsorted);
  const lost = await finding;
  const isDue = flags.check && lost !== null && lost.projects.length > 0;
  const worst = worstExit([...runs.map(({ exit_code }) => exit_code), isDue ? EXIT.pending : EXIT.ok]);
  const report = { document: listsDocument(runs, lost), value: projectsReport(runs, worst, lost) };
  await printDocument(report, flags, shell);
  return worst;
}
