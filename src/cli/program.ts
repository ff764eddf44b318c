import { EXIT, type ExitCode, Failure } from '../model/failure.js';
import { renderFailureText } from '../report/index.js';
import { parseArguments } from './arguments.js';
import { processShell, type Shell } from './shell.js';

/** Runs one command line. Never throws and never exits: the exit code is the answer. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  let shell = processShell({ color: undefined, quiet: false });
  let debug = argv.includes('--debug');
  try {
    const invocation = await parseArguments(argv, shell.onOut.width);
    if (invocation.kind === 'printed') {
      shell.out(invocation.text.endsWith('\n') ? invocation.text : `${invocation.text}\n`);
      return EXIT.ok;
    }
    debug = invocation.flags.debug;
    shell = processShell(invocation.flags);
    return await invocation.run(shell);
  } catch (error) {
    return explain(error, shell, debug);
  }
}

function explain(error: unknown, shell: Shell, debug: boolean): ExitCode {
  if (error instanceof Failure) {
    process.stderr.write(renderFailureText(error, shell.onErr));
    return error.exitCode;
  }
  const detail = error instanceof Error ? error : new Error(String(error));
  process.stderr.write(`✗ internal error: ${detail.message}\n`);
  process.stderr.write(
    '  → This is a mistake in campaignctl. Please report it, with the output of --debug.\n',
  );
  if (debug) process.stderr.write(`${detail.stack ?? ''}\n`);
  return EXIT.error;
}
