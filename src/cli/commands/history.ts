import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { readProject, selectEnvironment } from '../../project/index.js';
import { openStore } from '../../state/index.js';
import { renderJson, renderRunsText, renderRunText } from '../../view/index.js';
import { applyAtWork } from '../at-work.js';
import type { CommonFlags } from '../flags.js';
import { stateFolder } from '../session.js';
import type { Shell } from '../shell.js';

export interface HistoryFlags extends CommonFlags {
  /** One run, by its name or how that begins; null: the last ones. */
  run: string | null;
  limit: number;
  format: 'text' | 'json';
}

/** Lists the runs that sent something, or shows one. Reads the journals of this project only, no service. */
export async function history(flags: HistoryFlags, shell: Shell): Promise<ExitCode> {
  const project = readProject({ cwd: shell.cwd, config: flags.config });
  const environment = selectEnvironment(project, flags.env ?? (shell.env.CAMPAIGNCTL_ENV || null));
  const folder = stateFolder(project, environment);
  const store = openStore(folder);
  const holder = applyAtWork(folder);
  if (holder !== null) shell.err(`! An apply is at work (${holder}): its run has not ended yet.\n`);
  if (flags.run === null) {
    const runs = await store.runs({ limit: flags.limit, prefix: '' });
    const told = runs.map(({ steps, ...run }) => ({ ...run, sent: steps.length }));
    shell.out(
      flags.format === 'json'
        ? renderJson({ version: 1, environment: environment.name, runs: told })
        : renderRunsText(environment.name, runs, shell.onOut),
    );
    return EXIT.ok;
  }
  const [run, ...others] = await store.runs({ limit: 10, prefix: flags.run });
  if (run === undefined) throw unknownRun(flags.run, environment.name);
  if (others.length > 0)
    throw severalRuns(
      flags.run,
      [run, ...others].map((one) => one.run),
    );
  shell.out(flags.format === 'json' ? renderJson({ version: 1, ...run }) : renderRunText(run, shell.onOut));
  return EXIT.ok;
}

function unknownRun(run: string, environment: string): Failure {
  return new Failure({
    code: 'unknown-run',
    message: `There is no run "${run}" of the environment ${environment}.`,
    hint: 'campaignctl history lists them.',
  });
}

function severalRuns(run: string, names: readonly string[]): Failure {
  return new Failure({
    code: 'unknown-run',
    message: `Several runs begin with "${run}": ${names.join(', ')}.`,
    hint: 'Write more of its name.',
  });
}
