import type { ExitCode } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import type { LostProjects } from '../model/reports.js';
import { type ProjectRun, worstExit } from '../operations/projects.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import type { PlanDocumentOptions } from '../view/options.js';
import { planDocument } from '../view/plan-document.js';
import { aboutRun, manifestLinks } from './links.js';
import type { ViewFlags } from './options.js';
import { printDocument } from './print.js';
import type { Shell } from './shell.js';

/** A plan file, or a folder of several. `created`: `null` if the plan was made by this command. */
interface PlanSource {
  file: string;
  created: SavedPlan['created'] | null;
}

/** `source`: of a saved plan. */
export async function showPlan(
  plan: Plan,
  flags: ViewFlags,
  shell: Shell,
  source: PlanSource | null = null,
): Promise<void> {
  const document = planDocument(plan, documentOptions(flags, shell, source));
  await printDocument(
    { document, value: plan, linkTo: manifestLinks(shell.cwd, null, shell.env) },
    flags,
    shell,
  );
}

export async function showPlans(
  {
    runs,
    lost,
    source,
    env,
  }: {
    runs: readonly ProjectRun<Plan>[];
    lost: LostProjects | null;
    source: PlanSource | null;
    env: string | null;
  },
  flags: ViewFlags,
  shell: Shell,
): Promise<ExitCode> {
  const { plansDocument } = await import('../view/plans.js');
  const { projectsReport } = await import('../view/projects.js');
  const worst = worstExit(runs.map(({ exit_code }) => exit_code));
  const document = plansDocument(runs, { ...documentOptions(flags, shell, source), lost, env });
  await printDocument({ document, value: projectsReport(runs, worst, lost) }, flags, shell);
  return worst;
}

/** Pages and comments are read where the file of a saved plan is not, and a page can hold launches, which its plan cannot. */
function documentOptions(
  { format }: ViewFlags,
  shell: Shell,
  source: PlanSource | null,
): PlanDocumentOptions {
  const about = aboutRun(source?.created ?? null, shell);
  return { about, saved: format === 'text' ? (source?.file ?? null) : null };
}
