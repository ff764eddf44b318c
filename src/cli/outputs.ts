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

/** `source`: of a saved plan. */
export async function showPlan(
  plan: Plan,
  { format, full }: ViewFlags,
  shell: Shell,
  source: SavedPlan['created'] | null = null,
): Promise<void> {
  switch (format) {
    case 'text':
      return shell.out(renderPlanText(plan, { ...shell.onOut, full }));
    case 'json':
      return shell.out(renderJson(plan));
    case 'html': {
      const { renderPlanHtml } = await import('../view/plan-html.js');
      return shell.out(renderPlanHtml(plan, { about: aboutRun(source, shell) }));
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
  source: SavedPlan['created'] | null = null,
): Promise<ExitCode> {
  const { renderPlansMarkdown, renderPlansText } = await import('../view/plans.js');
  const { renderPlansHtml } = await import('../view/plan-html.js');
  const { showProjects } = await import('./projects.js');
  const formats: Parameters<typeof showProjects<Plan>>[2] = {
    done: 'planned',
    text: () => '',
    together: (all, text) => renderPlansText(all, { ...text, full }),
    markdown: (all) => renderPlansMarkdown(all, MARKDOWN_LIMIT),
    html: (all) => renderPlansHtml(all, { about: aboutRun(source, shell) }),
  };
  return showProjects(runs, format, formats, shell);
}
