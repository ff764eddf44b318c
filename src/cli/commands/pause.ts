import { EXIT, type ExitCode, Failure, usage } from '../../model/failure.js';
import type { PausePlan, PauseResult } from '../../model/reports.js';
import { type PauseSelection, pauseCampaigns, planPause } from '../../operations/pause.js';
import { openPlace, type ProjectPlace } from '../../operations/place.js';
import { worstExit } from '../../operations/projects.js';
import type { Interrupt } from '../../operations/world.js';
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

/** `result`: `null` until the pause requests have been sent. */
interface ProjectPause {
  title: string | null;
  place: ProjectPlace;
  plan: PausePlan;
  result: PauseResult | null;
}

export async function run(flags: PauseFlags, shell: Shell): Promise<ExitCode> {
  const selection: PauseSelection = flags;
  if (flags.names.length === 0 && !flags.all && !flags.unmanaged)
    throw usage(
      'No campaigns to pause were specified.',
      'Specify names, or pass --all, --unmanaged, or both for everything in the workspace.',
    );
  const interrupt = watchInterrupts(shell);
  const units = await listUnits(flags, shell);
  const codes: ExitCode[] = [];
  const settle = async <T>(title: string | null, work: () => Promise<T>): Promise<T | null> => {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Failure) || units.length === 1) throw error;
      codes.push(error.exitCode);
      shell.err(`${title}: ${renderFailureText(error, shell.onErr)}`);
      return null;
    }
  };
  const pause = ({ place, plan }: Pick<ProjectPause, 'place' | 'plan'>) =>
    isDue(plan) ? pauseCampaigns(place, plan, { selection, interrupt }) : null;
  const planning = units.map(({ title, failure, open }) =>
    settle<ProjectPause>(title, async () => {
      if (failure !== null) throw failure;
      const place = await open();
      const plan = await planPause(place, selection, interrupt);
      // With `--yes`, each project pauses immediately instead of waiting for the slowest service.
      return { title, place, plan, result: flags.yes ? await pause({ place, plan }) : null };
    }),
  );
  const projects = (await Promise.all(planning)).filter((project) => project !== null);
  for (const { title, plan } of projects) shell.out(renderPausePlanText(plan, { ...shell.onOut, title }));
  if (!flags.yes) {
    if (interrupt.signal.aborted) return EXIT.interrupted;
    await ask(projects, shell, interrupt);
    const pausing = projects.map(async (project) => {
      project.result = await settle(project.title, async () => pause(project));
    });
    await Promise.all(pausing);
  }
  for (const { title, result } of projects) {
    if (result === null) continue;
    shell.out(renderPauseResultText(result, { ...shell.onOut, title, recursive: flags.recursive }));
    const isDone = result.outcomes.every((outcome) => outcome.result === 'paused');
    codes.push(isDone ? EXIT.ok : interrupt.signal.aborted ? EXIT.interrupted : EXIT.incomplete);
  }
  return worstExit(codes);
}

function isDue({ targets, apply }: PausePlan): boolean {
  return targets.length > 0 || apply !== null;
}

async function ask(projects: readonly ProjectPause[], shell: Shell, { signal }: Interrupt): Promise<void> {
  const due = projects.filter(({ plan }) => isDue(plan));
  if (due.length === 0) return;
  const number = due.reduce((sum, { plan }) => sum + plan.targets.length, 0);
  const what = number === 1 ? 'this campaign' : `these ${number} campaigns`;
  await confirm(shell, `Type "yes" to pause ${what}: `, { signal, kept: 'nothing was paused' });
}

async function listUnits(flags: PauseFlags, shell: Shell): Promise<PauseUnit[]> {
  const { config, env, debug } = flags;
  if (!isRecursive(flags, shell))
    return [{ title: null, failure: null, open: () => openPlace({ config, env, debug }, shell) }];
  const { chooseProjects } = await import('../projects.js');
  const { units } = await chooseProjects(flags, shell);
  return units.map((unit) => ({
    title: projectName(unit),
    failure: unit.failure,
    open: () => openPlace({ config: null, env: unit.environment, debug }, { ...shell, cwd: unit.root }),
  }));
}
