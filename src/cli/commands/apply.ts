import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import { matchesName } from '../../model/glob.js';
import { launchArgument, launchPattern } from '../../model/hold.js';
import type { Plan } from '../../model/outputs.js';
import type { ApplyEvent, ApplyResult } from '../../model/reports.js';
import { shellWord } from '../../model/shell.js';
import { count } from '../../model/words.js';
import {
  type ApplyListener,
  type ApplyRequest,
  applyProject,
  rehearseApply,
} from '../../operations/apply.js';
import { hasDifferences, readPlanFile } from '../../operations/plan.js';
import { isFolder, readPlans } from '../../operations/plan-set.js';
import { type ProjectName, type ProjectRun, worstExit } from '../../operations/projects.js';
import { openSession } from '../../operations/session.js';
import type { Interrupt } from '../../operations/world.js';
import type { SavedPlan } from '../../plan/saved-plan.js';
import { placedOutcomes, placedPaths } from '../../view/placed.js';
import { unreadLine } from '../../view/plan-counts.js';
import { renderPlanText, renderQuestion, renderRequestsText } from '../../view/plan-text.js';
import { renderFailureText } from '../../view/problems.js';
import { projectName, projectsReport } from '../../view/projects.js';
import { APPLIED, appliesDocument, applyDocument } from '../../view/runs.js';
import { renderJson, type TextOptions, visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { printDocument } from '../print.js';
import { confirm, type Shell, tellStop, watchInterrupts } from '../shell.js';

type ApplyFlags = Flags<'apply'>;

/** With `--dry-run`, no writer is opened. */
export async function run(flags: ApplyFlags, shell: Shell): Promise<ExitCode> {
  refuseSelection(flags);
  const isPlanSet = flags.plan !== null && isFolder(flags.plan, shell);
  if (isRecursive({ ...flags, recursive: flags.recursive || isPlanSet }, shell))
    return applyAll(flags, isPlanSet, shell);
  const saved = flags.plan === null ? null : await readPlanFile(flags.plan, shell);
  return (await applyOne(flags, { saved, isAlone: true, folder: '.' }, shell)).code;
}

function refuseSelection({ plan, files, dryRun, format }: ApplyFlags): void {
  if (dryRun && format !== 'text' && format !== 'json')
    throw usage(
      `--dry-run prints requests as text or JSON, not as ${format}.`,
      `campaignctl plan --format ${format} shows what apply would do.`,
    );
  const saved = files.find((file) => file.endsWith('.json'));
  if (saved !== undefined)
    throw usage(
      `${saved} is a saved plan, not a manifest.`,
      `To apply it, run campaignctl apply --plan ${shellWord(saved)}.`,
    );
  if (plan === null || files.length === 0) return;
  throw usage(
    `--plan applies the saved plan as is; it cannot be combined with ${files.join(', ')}.`,
    'To select campaigns or hold launches, do so when you save the plan.',
  );
}

async function applyAll(flags: ApplyFlags, isPlanSet: boolean, shell: Shell): Promise<ExitCode> {
  if (!flags.yes && !flags.dryRun)
    throw new Failure(
      {
        code: 'not-confirmed',
        message:
          'apply does not ask for confirmation for several projects or environments, so nothing was sent.',
        hint: 'Review campaignctl plan with the same options first, then pass --yes.',
      },
      { exitCode: EXIT.refused },
    );
  if (flags.plan !== null && !isPlanSet)
    throw usage(
      `${flags.plan} is not a folder of plans.`,
      'With --recursive, --plan needs the folder that plan --recursive --out wrote.',
    );
  const { chooseProjects, inProjects, showProjects } = await import('../projects.js');
  const planned = flags.plan === null ? null : (await readPlans(flags.plan, shell)).runs;
  if (planned !== null && flags.env !== null)
    throw usage(
      '--plan applies to the environments that were planned; it cannot be combined with --env.',
      'Leave out --env. Nothing was sent.',
    );
  const chosen = await chooseProjects(flags, shell, { planned });
  const texts = new Map<string, () => string>();
  const runs = await inProjects(chosen, flags, shell, (project) => {
    const { unit, printed } = project;
    texts.set(projectName(unit), printed);
    // The files are read again: an earlier run may have written `state.id`, and files may change during a long run.
    return applyOne(
      project.flags,
      { saved: unit.saved, isAlone: false, folder: unit.project },
      project.shell,
    );
  });
  if (flags.format === 'markdown' || flags.format === 'html') return reportAll(runs, flags, shell);
  const printed = (project: ProjectName) => texts.get(projectName(project))?.() ?? '';
  if (flags.dryRun) return showProjects(runs, flags.format, { done: 'planned', text: printed }, shell);
  return showProjects(appliedRuns(runs), flags.format, { ...APPLIED, text: printed }, shell);
}

async function reportAll(
  runs: readonly ProjectRun<ApplyResult | Plan>[],
  flags: ApplyFlags,
  shell: Shell,
): Promise<ExitCode> {
  const worst = worstExit(runs.map(({ exit_code }) => exit_code));
  await printDocument(
    { document: appliesDocument(appliedRuns(runs)), value: projectsReport(runs, worst) },
    flags,
    shell,
  );
  return worst;
}

function appliedRuns(runs: readonly ProjectRun<ApplyResult | Plan>[]): ProjectRun<ApplyResult>[] {
  return runs.map(({ result, ...run }) => {
    return { ...run, result: result !== null && 'result' in result ? result : null };
  });
}

/**
 * `isAlone`: false in a run over several projects, where a name on the command line may belong to another one. `folder`: of the
 * project, from where the run began.
 */
interface ApplyTarget {
  saved: SavedPlan | null;
  isAlone: boolean;
  folder: string;
}

async function applyOne(
  flags: ApplyFlags,
  { saved, ...target }: ApplyTarget,
  shell: Shell,
): Promise<{ code: ExitCode; result: ApplyResult | Plan }> {
  const interrupt = watchInterrupts(shell);
  const session = await interrupt.guard(openSession(flags, shell, saved));
  const request = { ...flags, ...target, session, saved, interrupt };
  return flags.dryRun ? rehearse(request, shell) : send(request, shell);
}

/** A misspelt name approves nothing. Standing approvals in a project file may name campaigns of other plans. */
function warnOfUnknownNames({ allow, isAlone }: ApplyCommand, { campaigns }: Plan, shell: Shell): void {
  const isKnown = (pattern: string) => campaigns.some(({ name }) => matchesName(pattern, name));
  const unknown = allow.flatMap((allowed) => launchPattern(allowed) ?? []).filter((each) => !isKnown(each));
  if (!isAlone) return;
  for (const pattern of unknown)
    shell.err(
      `! --allow ${launchArgument(visibleLine(pattern))} approves nothing: no campaign of this plan has that name.\n`,
    );
}

type ApplyCommand = ApplyRequest & ApplyFlags & ApplyTarget & { interrupt: Interrupt };

async function rehearse(request: ApplyCommand, shell: Shell): Promise<{ code: ExitCode; result: Plan }> {
  const { plan, refused } = await rehearseApply(request, request.interrupt);
  warnOfUnknownNames(request, plan, shell);
  shell.out(request.format === 'json' ? renderJson(plan) : renderRequestsText(plan));
  const { requests, blocked } = plan.summary;
  const unread = unreadLine(plan.summary);
  if (unread !== null) shell.err(`${unread}\n`);
  shell.err(`Dry run: ${count(requests, 'request')}, none sent.\n`);
  if (blocked > 0)
    shell.err(`Blocked changes in ${count(blocked, 'campaign')}: campaignctl plan shows them.\n`);
  const [first, ...others] = refused;
  if (first !== undefined) {
    const refusal = renderFailureText(new Failure(first, { others }), shell.onErr);
    shell.err(`apply would refuse this plan:\n${refusal}`);
  }
  return { code: EXIT.ok, result: plan };
}

async function send(request: ApplyCommand, shell: Shell): Promise<{ code: ExitCode; result: ApplyResult }> {
  const { format, yes, full, interrupt, folder } = request;
  const { signal } = interrupt;
  let progress: ReturnType<typeof openProgress> | null = null;
  const ask = (plan: Plan) =>
    confirm(shell, renderQuestion(plan, shell.onErr.width), { signal, kept: 'nothing was sent' });
  const listener: ApplyListener = {
    review(plan) {
      warnOfUnknownNames(request, plan, shell);
      const shown = (on: TextOptions) =>
        renderPlanText(placedPaths(plan, folder), { ...on, full, before: yes ? 'apply' : 'question' });
      if (format === 'text') shell.out(shown(shell.onOut));
      else if (plan.summary.requests > 0) shell.err(shown(shell.onErr));
    },
    confirm: yes ? null : ask,
    sending(plan) {
      tellStop(shell, signal);
      progress = openProgress(plan, shell);
    },
    emit: (event) => progress?.(event),
  };
  const { plan, result } = await applyProject(request, listener, interrupt);
  shell.clearProgress();
  const isTold = format !== 'text' || hasDifferences(plan) || result.problems.length > 0;
  if (isTold && format === 'text') shell.out('\n');
  const document = applyDocument(placedOutcomes(result, folder));
  if (isTold) await printDocument({ document, value: result }, request, shell);
  const ended = result.result === 'done' ? EXIT.ok : EXIT.incomplete;
  return { code: signal.aborted ? EXIT.interrupted : ended, result };
}

/** Counts the requests that have ended, and always shows problems. */
export function openProgress({ summary }: Plan, shell: Shell): (event: ApplyEvent) => void {
  let done = 0;
  return (event) => {
    if (event.type === 'trouble') return shell.fail(`! ${visibleLine(event.message)}\n`);
    if (event.type === 'step-ended') done += 1;
    const about = `${event.campaign}: ${event.title}`;
    shell.report?.({ doing: 'requests', done, total: summary.requests, about });
  };
}
