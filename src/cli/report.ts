import type { ExitCode } from '../model/failure.js';
import type { CommandReport } from '../model/outputs.js';
import { renderJson } from '../view/terminal.js';
import { type Command, defineCommand, type Flags, format, type OptionTable } from './options.js';
import type { Shell } from './shell.js';

/** Prints what a command did, once: the facts for programs, or the text for people. */
export type Report = (facts: CommandReport, text: string) => void;

/**
 * A command whose result is a few facts. With --format json they are all that stdout holds: what else the command says to people
 * goes to stderr.
 */
export function defineReport<Positionals extends OptionTable, Own extends OptionTable>(definition: {
  positionals: Positionals;
  options: Own;
  examples: Command['examples'];
  run(flags: Flags<Positionals & Own>, shell: Shell, report: Report): Promise<ExitCode>;
}): Command {
  const { options, run } = definition;
  return defineCommand({
    ...definition,
    options: { ...options, format },
    run(flags, shell) {
      // The values of its own options are among them: the compiler cannot tell with a table of any options.
      const own = flags as Flags<Positionals & Own>;
      if (flags.format === 'text') return run(own, shell, (_, text) => shell.out(text));
      const quiet = { ...shell, out: shell.err, onOut: shell.onErr };
      return run(own, quiet, (facts) => shell.out(renderJson(facts)));
    },
  });
}
