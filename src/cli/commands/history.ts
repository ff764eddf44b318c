import { EXIT, Failure } from '../../model/failure.js';
import { MOST_RUNS } from '../../operations/choices.js';
import { applyAtWork } from '../../operations/run.js';
import { openPlace } from '../../operations/session.js';
import { renderJson, renderRunsText, renderRunText } from '../../view/index.js';
import { defineCommand, format, naming, text, whole } from '../options.js';

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
    const isJson = flags.format === 'json';
    if (flags.run === null) {
      const found = await store.runs({ limit: flags.limit, prefix: '' });
      const runs = found.map(({ steps, ...run }) => ({ ...run, sent: steps.length }));
      const listed = { version: 1, environment: environment.name, runs };
      shell.out(isJson ? renderJson(listed) : renderRunsText(environment.name, found, shell.onOut));
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
    shell.out(isJson ? renderJson({ version: 1, ...run }) : renderRunText(run, shell.onOut));
    return EXIT.ok;
  },
});
