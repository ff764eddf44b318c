import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import type { PausePlan } from '../../model/pause.js';
import { type PauseSelection, pauseCampaigns, planPause } from '../../operations/pause.js';
import { openPlace, type ProjectPlace } from '../../operations/place.js';
import { type ProjectUnit, worstOf } from '../../operations/projects.js';
import { renderPausePlanText, renderPauseResultText } from '../../view/pause.js';
import { renderFailureText } from '../../view/problems.js';
import { projectName } from '../../view/projects.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

type PauseFlags = Flags<'pause'>;

interface PauseUnit {
  title: string | null;
  failure: Failure | null;
  open(): Promise<ProjectPlace>;
}

interface PlannedPause {
  title: string | null;
  place: ProjectPlace;
  plan: PausePlan;
}

export async function run(flags: PauseFlags, shell: Shell): Promise<ExitCode> {
  const selection: PauseSelection = flags;
  if (flags.names.length === 0 && !flags.all && !flags.unmanaged)
    throw usage(
      'Say which campaigns to pause.',
      'Name them, or give --all, --unmanaged, or both for everything in the workspace.',
    );
  const interrupt = watchInterrupts(shell);
  const failures: Failure[] = [];
  const planned: PlannedPause[] = [];
  const units = await listUnits(flags, shell);
  // In parallel, so that no project waits for the slowest service.
  const planning = units.map(async ({ title, failure, open }) => {
    try {
      if (failure !== null) throw failure;
      const place = await open();
      planned.push({ title, place, plan: await planPause(place, selection, interrupt) });
    } catch (error) {
      if (!(error instanceof Failure) || units.length === 1) throw error;
      failures.push(error);
      shell.err(`${title}: ${renderFailureText(error, shell.onErr)}`);
    }
  });
  await Promise.all(planning);
  planned.sort((a, b) => ((a.title ?? '') < (b.title ?? '') ? -1 : 1));
  for (const { title, plan } of planned) shell.out(renderPausePlanText(plan, { ...shell.onOut, title }));
  const due = planned.filter(({ plan }) => plan.targets.length > 0 || plan.apply !== null);
  const { signal } = interrupt;
  if (due.length > 0 && !flags.yes) {
    const number = due.reduce((sum, { plan }) => sum + plan.targets.length, 0);
    const what = number === 1 ? 'this campaign' : `these ${number} campaigns`;
    await confirm(shell, `Only "yes" pauses ${what}: `, { signal, kept: 'nothing was paused' });
  }
  const codes: ExitCode[] = failures.map(({ exitCode }) => exitCode);
  const pausing = due.map(async ({ title, place, plan }) => {
    const result = await pauseCampaigns(place, plan, { selection, interrupt });
    shell.out(renderPauseResultText(result, { ...shell.onOut, title }));
    const isDone = result.outcomes.every((outcome) => outcome.result === 'paused');
    codes.push(isDone ? EXIT.ok : signal.aborted ? EXIT.interrupted : EXIT.incomplete);
  });
  await Promise.all(pausing);
  return worstOf(codes);
}

async function listUnits(flags: PauseFlags, shell: Shell): Promise<PauseUnit[]> {
  const { config, env, debug } = flags;
  if (!isRecursive(flags, shell))
    return [{ title: null, failure: null, open: () => openPlace({ config, env, debug }, shell) }];
  const { chooseProjects } = await import('../projects.js');
  const { units, all } = await chooseProjects(flags, shell);
  const tokens = [...new Set(all.flatMap((unit) => unit.tokens))];
  return units.map((unit: ProjectUnit) => ({
    title: projectName(unit),
    failure: unit.failure,
    open: () =>
      openPlace({ config: null, env: unit.environment, debug }, { ...shell, cwd: unit.root, tokens }),
  }));
}
