import { EXIT, type ExitCode } from '../../model/failure.js';
import { sandboxFile } from '../../operations/place.js';
import { startSandbox } from '../../sandbox/index.js';
import { visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import type { Shell } from '../shell.js';

export async function run(flags: Flags<'sandbox'>, shell: Shell): Promise<ExitCode> {
  const file = flags.file ?? sandboxFile(shell.cwd, flags.env ?? 'sandbox');
  const served = await startSandbox({
    profile: flags.profile,
    file,
    port: flags.port,
    faults: flags.fault,
    onRequest: ({ number, method, path, status, effect, fault }) =>
      shell.out(
        `${String(number).padStart(4)}  ${method.padEnd(5)} ${visibleLine(path)}  ${status}${effect ? '  written' : ''}${fault === null ? '' : `  FAULT ${visibleLine(fault)}`}\n`,
      ),
  });
  const { url } = served;
  shell.err(`The sandbox serves the API at ${url}, profile ${flags.profile}.\n`);
  shell.err(`It keeps its campaigns in ${file} and accepts any token. Stop it with Ctrl-C.\n`);
  await new Promise<void>((resolve) => shell.onInterrupt(resolve));
  await served.close();
  return EXIT.ok;
}
