import type { ExitCode } from '../model/failure.js';
import { launchPattern } from '../model/hold.js';
import type { ReportProgress } from '../model/progress.js';
import type { LostProjects } from '../model/reports.js';
import { nameIn, refuseUnknownHolds } from '../operations/campaign-names.js';
import {
  type ListOptions,
  listProjects,
  type ProjectName,
  type ProjectRun,
  type ProjectUnit,
  parseShard,
  partOf,
  plannedProjects,
  type ReadUnit,
  runProjects,
  worstExit,
} from '../operations/projects.js';
import type { SavedPlan } from '../plan/saved-plan.js';
import { placedCommands } from '../view/placed.js';
import { projectName, projectsReport, renderProjectsText } from '../view/projects.js';
import { renderJson } from '../view/terminal.js';
import type { ManyFlags } from './options.js';
import type { Shell } from './shell.js';

interface ChosenProjects {
  all: ProjectUnit[];
  units: ProjectUnit[];
}

interface ChooseOptions extends Partial<Pick<ListOptions, 'whole' | 'isOverview'>> {
  planned?: ProjectRun<SavedPlan>[] | null;
}

/**
 * Returns the projects in `planned` or, if it is `null`, those below the working directory; and the units that `--shard`
 * selects. Fails if `--hold` names no campaign of any project.
 */
export async function chooseProjects(
  flags: ManyFlags,
  shell: Shell,
  { whole = false, isOverview = false, planned = null }: ChooseOptions = {},
): Promise<ChosenProjects> {
  const shard = parseShard(flags.shard);
  const all =
    planned === null
      ? await listProjects({ env: flags.env, recursive: flags.recursive, whole, isOverview }, shell)
      : await plannedProjects(planned, shell);
  await refuseUnknownHolds(flags.hold ?? [], all, shell);
  const units = partOf(all, shard);
  const idle = units.length === 0 ? ' This shard is empty.' : '';
  if (shard !== null)
    shell.err(`Shard ${shard.index} of ${shard.total}: ${units.length} of ${all.length} projects.${idle}\n`);
  return { all, units };
}

/** Begins to ask for projects that are no longer in the checkout. `null` if only environments were chosen, or nothing can say. */
export async function findLost(
  { all }: ChosenProjects,
  flags: ManyFlags,
  shell: Shell,
): Promise<LostProjects | null> {
  if (!flags.recursive) return null;
  const { findLostProjects } = await import('../operations/lost-projects.js');
  return findLostProjects(all, flags, shell);
}

interface ProjectShell<Flags> {
  unit: ReadUnit;
  flags: Flags;
  shell: Shell;
  printed(): string;
}

export async function inProjects<Flags extends ManyFlags, Result>(
  chosen: ChosenProjects,
  flags: Flags,
  shell: Shell,
  work: (project: ProjectShell<Flags>) => Promise<{ code: ExitCode; result: Result }>,
): Promise<ProjectRun<Result>[]> {
  const controller = new AbortController();
  let stop = () => {};
  shell.onInterrupt(() => {
    controller.abort();
    stop();
  });
  const reportOf =
    (unit: ProjectUnit): ReportProgress =>
    (event) => {
      const { units } = chosen;
      const project = { name: projectName(unit), number: units.indexOf(unit) + 1, of: units.length };
      shell.report?.({ ...event, project });
    };
  return runProjects(chosen, shell, controller.signal, (unit) => {
    let text = '';
    const { project, environment } = unit;
    const placed = (some: string) => placedCommands(some, project, { environment });
    const named = (lines: string) => placed(lines).replace(/^(?=.)/gm, `${projectName(unit)}: `);
    const inUnit: Shell = {
      ...shell,
      cwd: unit.root,
      ...(shell.report && { report: reportOf(unit) }),
      ask: null,
      onInterrupt: (handler) => {
        if (controller.signal.aborted) handler();
        else stop = handler;
      },
      out: (more) => {
        text += placed(more);
      },
      err: (lines) => shell.err(named(lines)),
      fail: (lines) => shell.fail(named(lines)),
    };
    const single = { env: unit.environment, config: null, recursive: false, shard: null };
    const flagsOfUnit = { ...flags, ...flagsFor(unit, chosen.all, flags), ...single, isOneOfMany: true };
    return work({ unit, flags: flagsOfUnit, shell: inUnit, printed: () => text });
  });
}

/** Approvals and holds for one project: `launch=clients/acme: Spring` is `launch=Spring` in clients/acme, nothing elsewhere. */
function flagsFor(
  unit: ProjectName,
  all: readonly ProjectName[],
  { allow, hold }: Pick<ManyFlags, 'allow' | 'hold'>,
): Pick<ManyFlags, 'allow' | 'hold'> {
  const inUnit = <Text extends string>(text: Text): Text[] => {
    const pattern = launchPattern(text);
    if (pattern === null) return [text];
    const own = nameIn(pattern, unit, all);
    return own === null ? [] : [`launch=${own}` as Text];
  };
  return {
    ...(allow === undefined ? {} : { allow: allow.flatMap(inUnit) }),
    ...(hold === undefined ? {} : { hold: hold.flatMap(inUnit) }),
  };
}

/** A block of text for each project. Returns the worst exit code. */
export function showProjects<Result>(
  runs: readonly ProjectRun<Result>[],
  format: string,
  views: Parameters<typeof renderProjectsText<Result>>[1],
  { out, onOut }: Shell,
): ExitCode {
  const worst = worstExit(runs.map(({ exit_code }) => exit_code));
  if (format === 'json') out(renderJson(projectsReport(runs, worst)));
  else out(renderProjectsText(runs, views, onOut));
  return worst;
}
