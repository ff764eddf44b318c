import { EXIT, type ExitCode } from '../../model/failure.js';
import { openPlace } from '../../operations/place.js';
import { probeEnvironment } from '../../operations/probe.js';
import { type ProbeIntent, renderProbeIntent, renderProbeText } from '../../view/probe.js';
import { visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, tellStop, watchInterrupts } from '../shell.js';

export async function run(flags: Flags<'probe'>, shell: Shell): Promise<ExitCode> {
  const place = await openPlace(flags, shell);
  const interrupt = watchInterrupts(shell);
  const { signal } = interrupt;
  const ask = async (intent: ProbeIntent) => {
    shell.err(renderProbeIntent(intent, shell.onErr));
    await confirm(shell, 'Type "yes" to continue: ', { signal, kept: 'nothing was sent' });
  };
  const listener = {
    confirm: flags.yes ? null : ask,
    sending: () => tellStop(shell, signal),
    tell: (line: string) => shell.err(`${visibleLine(line)}\n`),
  };
  const result = await probeEnvironment({ ...flags, place }, listener, interrupt);
  shell.out(renderProbeText(result, shell.onOut));
  if (signal.aborted) return EXIT.interrupted;
  return result.complete ? EXIT.ok : EXIT.incomplete;
}
