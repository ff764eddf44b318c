import type { Options, PositionalOptions } from 'yargs';
import type { ExitCode } from '../../model/failure.js';
import type { Parsed } from '../options.js';
import type { Shell } from '../shell.js';

/** One command: how it is written, explained and run. Its module is loaded when it runs. */
export interface Command {
  name: string;
  usage: string;
  describe: string;
  positionals: Record<string, PositionalOptions>;
  options: Record<string, Options>;
  examples: [line: string, text: string][];
  run(parsed: Parsed, shell: Shell): Promise<ExitCode>;
}
