import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { applyAtWork } from '../../operations/lock.js';
import { openPlace, type PlaceFlags } from '../../operations/place.js';
import { projectsReport } from '../../view/projects.js';
import {
  type EnvironmentRuns,
  historiesDocument,
  reportHistory,
  requestsDocument,
  runsDocument,
} from '../../view/runs.js';
import type { Flags } from '../commands.js';
import { isRecursive } from '../options.js';
import { printDocument } from '../print.js';
import type { Shell } from '../shell.js';

type HistoryFlags = Flags<'history'>;

const MAX_RUNS = 20;

export async function run(flags: HistoryFlags, shell: Shell): Promise<ExitCode> {
  const files = flags.run === null ? [] : [flags.run];
  if (isRecursive({ ...flags, files }, shell)) return historyOfAll(flags, shell);
  const { environment, runs } = await readHistory(flags, shell);
  if (flags.run !== null && runs.length === 0)
    throw new Failure({
      code: 'unknown-run',
      message: `The environment ${environment} has no run that begins with "${flags.run}".`,
      hint: `campaignctl history lists the last ${MAX_RUNS} runs.`,
    });
  const documentOf = flags.run === null ? runsDocument : requestsDocument;
  await printDocument(
    { document: documentOf(environment, runs), value: reportHistory(environment, runs) },
    flags,
    shell,
  );
  return EXIT.ok;
}

async function historyOfAll(flags: HistoryFlags, shell: Shell): Promise<ExitCode> {
  const { worstExit } = await import('../../operations/projects.js');
  const { chooseProjects, inProjects } = await import('../projects.js');
  const chosen = await chooseProjects(flags, shell, { isOverview: true });
  const runs = await inProjects(chosen, flags, shell, async ({ unit, flags: inUnit, shell: unitShell }) => {
    const result = await readHistory({ ...inUnit, manifests: unit.manifests }, unitShell);
    return { code: EXIT.ok, result };
  });
  const worst = worstExit(runs.map(({ exit_code }) => exit_code));
  const reports = runs.map(({ result, ...part }) => {
    return { ...part, result: result && reportHistory(result.environment, result.runs) };
  });
  await printDocument(
    { document: historiesDocument(runs), value: projectsReport(reports, worst) },
    flags,
    shell,
  );
  return worst;
}

async function readHistory(
  flags: HistoryFlags & Pick<PlaceFlags, 'manifests'>,
  shell: Shell,
): Promise<EnvironmentRuns> {
  const { environment, backend, store } = await openPlace(flags, shell);
  const other = await applyAtWork(backend, shell);
  if (other !== null) {
    const is = other.certain ? 'is' : 'may still be';
    shell.err(`! Another apply ${is} running (${other.holder}). Its run may be incomplete below.\n`);
  }
  // A narrow terminal shows only the start of a name, and a mark.
  const prefix = flags.run?.replace(/…$/, '') ?? '';
  const runs = await store.runs({ limit: MAX_RUNS, prefix });
  return { environment: environment.name, runs };
}
