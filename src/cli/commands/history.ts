import { EXIT, Failure } from '../../model/failure.js';
import { MOST_RUNS } from '../../operations/choices.js';
import { applyAtWork } from '../../operations/run.js';
import { openPlace } from '../../operations/session.js';
import { renderRunsText, renderRunText } from '../../view/index.js';
import { defineCommand, format, naming, text, whole } from '../options.js';
import { show } from '../outputs.js';

/** Lists the runs that sent something, or shows one. Reads the journals of this project only, no service. */
export const command = defineCommand({
  positionals: { run: naming('runs', text('Name of a run, or how it begins')) },
  options: { format, limit: whole(1, MOST_RUNS, 'Most runs to list') },
  examples: [
    ['campaignctl history --env production', 'when, who, from which commit, with what outcome'],
    ['campaignctl history 20260314T091500', 'every request of one run'],
  ],
  async run(flags, shell) {
    const { environment, backend, store } = await openPlace(flags, shell);
    const other = await applyAtWork(backend, shell);
    if (other !== null) {
      const is = other.certain ? 'is' : 'may still be';
      shell.err(`! Another apply ${is} running (${other.holder}). Its run is not complete yet.\n`);
    }
    if (flags.run === null) {
      const found = await store.runs({ limit: flags.limit, prefix: '' });
      const runs = found.map(({ steps, ...run }) => ({ ...run, sent: steps.length }));
      const listed = { version: 1, environment: environment.name, runs };
      show(listed, flags.format, { text: (_, on) => renderRunsText(environment.name, found, on) }, shell);
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
    show({ version: 1, ...run }, flags.format, { text: (_, on) => renderRunText(run, on) }, shell);
    return EXIT.ok;
  },
});
