import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { readProject } from '../../project/index.js';
import { startSandbox } from '../../sandbox/index.js';
import { visibleLine } from '../../view/index.js';
import type { CommonFlags } from '../flags.js';
import { sandboxFile } from '../session.js';
import type { Shell } from '../shell.js';

export interface SandboxFlags extends CommonFlags {
  port: number;
  profile: 'documented' | 'reported';
  file: string | null;
  fault: string[];
  rateLimit: number | null;
  retryAfter: 'seconds' | 'date' | 'none';
}

/** Serves the embedded service until it is interrupted, and prints every request. */
export async function sandbox(flags: SandboxFlags, shell: Shell): Promise<ExitCode> {
  const file = flags.file ?? sandboxFile(rootOrHere(flags, shell), flags.env ?? 'sandbox');
  const served = await startSandbox({
    profile: flags.profile,
    file,
    port: flags.port,
    faults: flags.fault,
    ...(flags.rateLimit === null
      ? {}
      : { rateLimit: { perMinute: flags.rateLimit, retryAfter: flags.retryAfter } }),
    onRequest: ({ number, method, path, status, effect, fault }) =>
      shell.out(
        `${String(number).padStart(4)}  ${method.padEnd(5)} ${visibleLine(path)}  ${status}${effect ? '  written' : ''}${fault === null ? '' : `  FAULT ${visibleLine(fault)}`}\n`,
      ),
  });
  shell.err(`Serving a service as it is ${flags.profile} at ${served.url}\n`);
  shell.err(`Its campaigns are kept in ${file}; any token is accepted. Stop with Ctrl-C.\n`);
  await new Promise<void>((resolve) => shell.onInterrupt(resolve));
  await served.close();
  return EXIT.ok;
}

/** The sandbox needs no project; inside one it shares the data of the project's embedded service. */
function rootOrHere(flags: SandboxFlags, shell: Shell): string {
  try {
    return readProject({ cwd: shell.cwd, config: flags.config }).root;
  } catch (error) {
    if (error instanceof Failure && error.code === 'no-project' && flags.config === null) return shell.cwd;
    throw error;
  }
}
