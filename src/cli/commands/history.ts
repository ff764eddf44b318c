import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { applyAtWork } from '../../operations/lock.js';
import { openPlace } from '../../operations/place.js';
import { renderRunsText, renderRunText } from '../../view/runs.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

/** Lists runs from the journals, or shows one. */
export async function run(flags: Flags<'history'>, shell: Shell): Promise<ExitCode> {
  const { environment, backend, store } = await openPlace(flags, shell);
  const other = await applyAtWork(backend, shell);
  if (other !== null) {
    const is = other.certain ? 'is' : 'may still be';
    shell.err(`! Another apply ${is} running (${other.holder}). Its run is not complete yet.\n`);
  }
  if (flags.run === null) {
    const found = await store.runs({ limit: flags.limit, prefix: '' });
    shell.out(renderRunsText(environment.name, found, shell.onOut));
    return EXIT.ok;
  }
  const found = await store.runs({ limit: 10, prefix: flags.run });
  const [run, ...others] = found;
  if (run === undefined || others.length > 0) {
    const names = found.map((one) => one.run).join(', ');
    throw new Failure({
      code: 'unknown-run',
      ...(run === undefined
        ? {
            message: `The environment ${environment.name} has no run "${flags.run}".`,
            hint: 'campaignctl history lists all runs.',
          }
        : {
            message: `Several runs begin with "${flags.run}": ${names}.`,
            hint: 'Write more of the name.',
          }),
    });
  }
  shell.out(renderRunText(run, shell.onOut));
  return EXIT.ok;
}
