import type { ExitCode } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import type { ProjectRun } from '../operations/projects.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import { renderPlanMarkdown } from '../view/plan-markdown.js';
import { renderPlanText } from '../view/plan-text.js';
import { renderJson } from '../view/terminal.js';
import { aboutRun, manifestLinks } from './links.js';
import type { ViewFlags } from './options.js';
import type { Shell } from './shell.js';

/** Maximum number of characters. A GitHub comment can contain 65,536. */
const MARKDOWN_LIMIT = 60_000;

/** A plan file, or a folder of several. `created`: `null` if the plan was made by this command. */
interface PlanSource {
  file: string;
  created: SavedPlan['created'] | null;
}

/** `source`: of a saved plan. */
export async function showPlan(
  plan: Plan,
  { format, full }: ViewFlags,
  shell: Shell,
  source: PlanSource | null = null,
): Promise<void> {
  switch (format) {
    case 'text':
      return shell.out(renderPlanText(plan, { ...shell.onOut, full, saved: source?.file ?? null }));
    case 'json':
      return shell.out(renderJson(plan));
    case 'html': {
      const { renderPlanHtml } = await import('../view/plan-html.js');
      return shell.out(renderPlanHtml(plan, { about: aboutRun(source?.created ?? null, shell) }));
    }
    case 'markdown': {
      const linkTo = manifestLinks(shell.cwd, null, shell.env);
      return shell.out(renderPlanMarkdown(plan, MARKDOWN_LIMIT, { linkTo }));
    }
  }
}

export async function showPlans(
  runs: readonly ProjectRun<Plan>[],
  { format, full }: ViewFlags,
  shell: Shell,
  source: PlanSource | null = null,
): Promise<ExitCode> {
  const { renderPlansMarkdown, renderPlansText } = await import('../view/plans.js');
  const { renderPlansHtml } = await import('../view/plan-html.js');
  const { showProjects } = await import('./projects.js');
  const formats: Parameters<typeof showProjects<Plan>>[2] = {
    done: 'planned',
    text: () => '',
    together: (all, text) => renderPlansText(all, { ...text, full, saved: source?.file ?? null }),
    markdown: (all) => renderPlansMarkdown(all, MARKDOWN_LIMIT),
    html: (all) => renderPlansHtml(all, { about: aboutRun(source?.created ?? null, shell) }),
  };
  return showProjects(runs, format, formats, shell);
}
