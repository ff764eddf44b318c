import { appendFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { writeAtomic } from '../files/atomic.js';
import { type ExitCode, Failure, messageOf } from '../model/failure.js';
import type { Plan } from '../model/outputs.js';
import type { ProjectRun } from '../operations/projects.js';
import type { LinkTo } from '../view/plan-markdown.js';
import { renderPlanMarkdown } from '../view/plan-markdown.js';
import { type PlanTextOptions, renderPlanText } from '../view/plan-text.js';
import { plain, printable, renderJson } from '../view/terminal.js';
import { aboutRun, manifestLinks } from './links.js';
import type { OutputFlags, PlanFormat } from './options.js';
import type { Shell } from './shell.js';

/** A job summary on GitHub is limited to a mebibyte. */
const SUMMARY_LIMIT = 300_000;
/** Columns. */
const WIDTH = 100;

/** Writes files first, so that errors come before the result. */
export function showPlan(plan: Plan, flags: OutputFlags, shell: Shell): Promise<void> {
  const linkTo = manifestLinks(shell.cwd, null, shell.env);
  const about = aboutRun(shell);
  return showViews((format, options) => render(plan, format, { ...options, linkTo, about }), flags, shell);
}

/** Returns the worst exit code. */
export async function showPlans(
  runs: readonly ProjectRun<Plan>[],
  flags: OutputFlags,
  shell: Shell,
): Promise<ExitCode> {
  const { planTotals, projectsReport, renderProjectsMarkdown, renderProjectsText } = await import(
    '../view/projects.js'
  );
  const { worstOf } = await import('../operations/projects.js');
  const worst = worstOf(runs.map(({ exit_code }) => exit_code));
  const views = { done: 'planned', totals: planTotals };
  const bodyOf = ({ result }: ProjectRun<Plan>, text: PlanTextOptions) =>
    result === null ? '' : renderPlanText(result, text);
  const renderAll: RenderView = async (format, { limit, text }) => {
    if (format === 'json') return renderJson(projectsReport(runs, worst));
    if (format === 'markdown') return renderProjectsMarkdown(runs, limit);
    if (format === 'html')
      return (await import('../view/projects-html.js')).renderProjectsHtml(runs, { about: aboutRun(shell) });
    return renderProjectsText(runs, { ...views, text: bodyOf }, text);
  };
  await showViews(renderAll, flags, shell);
  return worst;
}

type RenderView = (format: PlanFormat, options: RenderOptions) => Promise<string>;
interface RenderOptions {
  limit: number;
  text: PlanTextOptions;
}

async function showViews(
  renderView: RenderView,
  { format, output, limit, summaryFile, full }: OutputFlags,
  shell: Shell,
): Promise<void> {
  const text = { paint: plain, width: WIDTH, full };
  for (const { format: other, file } of output) {
    const view = await renderView(other, { limit, text });
    await writeAtomic(resolve(shell.cwd, file), printable(view)).catch(refuseOutput(file));
  }
  if (summaryFile !== null) {
    const view = await renderView('markdown', { limit: SUMMARY_LIMIT, text });
    const file = resolve(shell.cwd, summaryFile);
    await appendFile(file, printable(`${view}\n`)).catch(refuseOutput(summaryFile));
  }
  shell.out(await renderView(format, { limit, text: { ...shell.onOut, full } }));
}

async function render(
  plan: Plan,
  format: PlanFormat,
  { limit, text, linkTo, about }: RenderOptions & { linkTo: LinkTo; about: readonly string[] },
): Promise<string> {
  switch (format) {
    case 'text':
      return renderPlanText(plan, text);
    case 'json':
      return renderJson(plan);
    case 'html':
      return (await import('../view/plan-html.js')).renderPlanHtml(plan, { about });
    case 'markdown':
      return renderPlanMarkdown(plan, limit, { linkTo });
  }
}

/** Files are written before anything is sent. */
export function refuseOutput(file: string): (error: unknown) => never {
  return (error) => {
    const problem = {
      code: 'output-unusable',
      message: `${file} cannot be written: ${messageOf(error)}.`,
      hint: 'Check the path. Nothing was sent.',
    };
    throw new Failure(problem, { cause: error });
  };
}
