import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { openStore } from '../../state/index.js';
import { renderJson, renderRunsText, renderRunText } from '../../view/index.js';
import { command, type Flags, format, optionalArgument, whole } from '../options.js';
import { applyAtWork } from '../run.js';
import { openPlace } from '../session.js';
import type { Shell } from '../shell.js';

const positionals = { run: optionalArgument('Name of a run, or how it begins') };
const options = { format, limit: whole(1, 20, 'How many runs at most') };
type HistoryFlags = Flags<typeof positionals & typeof options>;

export const historyCommand = command({
  positionals,
  options,
  examples: [
    ['campaignctl history --env production', 'when, who, from which commit, with what outcome'],
    ['campaignctl history 20260314T091500', 'every request of one run'],
  ],
  run: history,
});

/** Lists the runs that sent something, or shows one. Reads the journals of this project only, no service. */
async function history(flags: HistoryFlags, shell: Shell): Promise<ExitCode> {
  const { environment, folder } = await openPlace(flags, shell);
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
  const found = await store.runs({ limit: 10, prefix: flags.run });
  const [run] = found;
  if (run === undefined) {
    throw unknownRun(
      `There is no run "${flags.run}" of the environment ${environment.name}.`,
      'campaignctl history lists them.',
    );
  }
  if (found.length > 1) {
    const names = found.map((one) => one.run).join(', ');
    throw unknownRun(`Several runs begin with "${flags.run}": ${names}.`, 'Write more of its name.');
  }
  shell.out(flags.format === 'json' ? renderJson({ version: 1, ...run }) : renderRunText(run, shell.onOut));
  return EXIT.ok;
}

function unknownRun(message: string, hint: string): Failure {
  return new Failure({ code: 'unknown-run', message, hint });
}
