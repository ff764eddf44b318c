import type { ExitCode } from '../model/failure.js';
import type { CommonFlags } from './flags.js';
import type { Shell } from './shell.js';

/** What a command line asks for: a text that is only to be printed (help, completion), or a command to run. */
export type Invocation =
  | { kind: 'printed'; text: string }
  | { kind: 'command'; flags: CommonFlags; run(shell: Shell): Promise<ExitCode> };

/** The flags that every command takes, out of what was parsed. */
export function commonFlags(args: { [name: string]: unknown }): CommonFlags {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : null);
  return {
    env: text(args.env),
    config: text(args.config),
    color: typeof args.color === 'boolean' ? args.color : undefined,
    quiet: args.quiet === true,
    debug: args.debug === true,
  };
}
