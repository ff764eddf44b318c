import { EXIT, type ExitCode } from '../../model/failure.js';
import { probeEnvironment } from '../../operations/probe.js';
import { openPlace } from '../../operations/session.js';
import { visibleLine } from '../../view/index.js';
import { type ProbeIntent, renderProbeIntent, renderProbeText } from '../../view/probe.js';
import { defineCommand, type Flags, flag, lockTimeout, yes } from '../options.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

const options = {
  write: flag('Write the values into the project file, in place'),
  lockTimeout,
  yes,
};
type ProbeFlags = Flags<typeof options>;

export const command = defineCommand({
  positionals: {},
  options,
  examples: [
    ['campaignctl probe --env staging', 'ask, try things out, say what to write'],
    ['campaignctl probe --env staging --write', 'write it into campaignctl.yaml as well'],
  ],
  run: probe,
});

async function probe(flags: ProbeFlags, shell: Shell): Promise<ExitCode> {
  const place = await openPlace(flags, shell);
  const interrupt = watchInterrupts(shell);
  const { signal } = interrupt;
  const stop = () =>
    shell.err(
      '\nStopping: campaignctl finishes and records the request in flight. Press Ctrl-C again to stop at once.\n',
    );
  const ask = async (intent: ProbeIntent) => {
    shell.err(renderProbeIntent(intent, shell.onErr));
    await confirm(shell, 'Only "yes" goes on: ', { signal, kept: 'nothing was sent' });
  };
  const listener = {
    confirm: flags.yes ? null : ask,
    sending: () => signal.addEventListener('abort', stop, { once: true }),
    tell: (line: string) => shell.err(`${visibleLine(line)}\n`),
  };
  const result = await probeEnvironment({ ...flags, place }, listener, interrupt);
  signal.removeEventListener('abort', stop);
  shell.out(renderProbeText(result, shell.onOut));
  if (signal.aborted) return EXIT.interrupted;
  return result.complete ? EXIT.ok : EXIT.incomplete;
}
