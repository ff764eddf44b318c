import type { ExitCode } from '../model/failure.js';
import {
  listProjects,
  type ProjectRun,
  type ProjectUnit,
  runProjects,
  worstOf,
} from '../operations/projects.js';
import { partOf, type Shard, shardOf } from '../project/index.js';
import { projectName, projectsReport, renderProjectsText } from '../view/projects.js';
import { renderJson } from '../view/terminal.js';
import type { ManyFlags } from './options.js';
import type { Shell } from './shell.js';

/** The projects that a run takes: all that there are, and its part of them. */
export interface ChosenProjects {
  all: ProjectUnit[];
  units: ProjectUnit[];
  shard: Shard | null;
}

/** The projects below the working directory, or the part of them that `--shard` names. `whole`: see `listProjects`. */
export async function chooseProjects(
  flags: ManyFlags,
  shell: Shell,
  { whole = false } = {},
): Promise<ChosenProjects> {
  const shard = shardOf(flags.shard, shell.env);
  const all = await listProjects({ env: flags.env, whole }, shell);
  const units = shard === null ? all : partOf(all, shard);
  if (shard !== null)
    shell.err(`Shard ${shard.index} of ${shard.total}: ${units.length} of ${all.length} projects.\n`);
  return { all, units, shard };
}

/** One project as a command of its own sees it: in its folder, with its environment, and with what it prints kept apart. */
export interface ProjectShell<Flags> {
  unit: ProjectUnit;
  flags: Flags;
  shell: Shell;
  /** What was printed so far. */
  printed(): string;
}

/** Does a command in each project. The name of the project stands before each line on stderr. */
export async function inProjects<Flags extends ManyFlags, Result>(
  { units, all }: Pick<ChosenProjects, 'units' | 'all'>,
  flags: Flags,
  shell: Shell,
  work: (one: ProjectShell<Flags>) => Promise<{ code: ExitCode; result: Result }>,
): Promise<ProjectRun<Result>[]> {
  const controller = new AbortController();
  const stops = new Set<() => void>();
  shell.onInterrupt(() => {
    controller.abort();
    for (const stop of stops) stop();
  });
  const onInterrupt = (stop: () => void) => {
    if (controller.signal.aborted) stop();
    else stops.add(stop);
  };
  const { parallelism = null } = flags;
  return runProjects({ units, all, parallelism }, shell, controller.signal, (unit, paced) => {
    let text = '';
    const own: Shell = {
      ...shell,
      ...paced,
      cwd: unit.root,
      ...{ rewrite: null, ask: null, onInterrupt },
      out: (more) => {
        text += more;
      },
      err: (lines) => shell.err(lines.replace(/^(?=.)/gm, `${projectName(unit)}: `)),
    };
    const env = unit.environment;
    const one = { ...flags, env, config: null, recursive: false, shard: null };
    return work({ unit, flags: one, shell: own, printed: () => text });
  });
}

/** Prints what came of several projects, as text or as one JSON document. Gives the worst exit code. */
export function showProjects<Result>(
  runs: readonly ProjectRun<Result>[],
  format: string,
  views: Parameters<typeof renderProjectsText<Result>>[1],
  { out, onOut }: Shell,
): ExitCode {
  const worst = worstOf(runs.map(({ exit_code }) => exit_code));
  out(format === 'json' ? renderJson(projectsReport(runs, worst)) : renderProjectsText(runs, views, onOut));
  return worst;
}
