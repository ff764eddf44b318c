import { EXIT, type ExitCode, Failure } from '../model/failure.js';
import { commonFlags, type Invocation } from './invocation.js';
import { readPlainArguments } from './plain-arguments.js';
import { processShell, type Shell } from './shell.js';

/** Runs one command line. Never throws and never exits: the exit code is the answer. */
export async function run(argv: readonly string[]): Promise<ExitCode> {
  let shell = processShell({ color: undefined, quiet: false });
  let debug = argv.includes('--debug');
  try {
    const invocation = plainInvocation(argv) ?? (await unusualInvocation(argv, shell));
    if (invocation.kind === 'printed') {
      shell.out(invocation.text.endsWith('\n') ? invocation.text : `${invocation.text}\n`);
      return EXIT.ok;
    }
    debug = invocation.flags.debug;
    shell = processShell(invocation.flags);
    return await invocation.run(shell);
  } catch (error) {
    return await explain(error, shell, debug);
  }
}

function plainInvocation(argv: readonly string[]): Invocation | null {
  const plain = readPlainArguments(argv);
  if (plain === null) return null;
  const flags = commonFlags(plain.values);
  return { kind: 'command', flags, run: (shell) => plain.command.run({ ...plain.values, ...flags }, shell) };
}

async function unusualInvocation(argv: readonly string[], shell: Shell): Promise<Invocation> {
  const { parseArguments } = await import('./arguments.js');
  return parseArguments(argv, shell.onOut.width);
}

async function explain(error: unknown, shell: Shell, debug: boolean): Promise<ExitCode> {
  if (error instanceof Failure) {
    const { renderFailureText } = await import('../view/failure-text.js');
    const { printable } = await import('../view/terminal.js');
    process.stderr.write(printable(renderFailureText(error, shell.onErr)));
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
