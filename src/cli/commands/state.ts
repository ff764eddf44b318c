import { serviceAddress } from '../../model/environment.js';
import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { count } from '../../model/words.js';
import { openPlace } from '../../operations/place.js';
import { rebaseState } from '../../operations/state.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

const MIGRATE = 'For example: campaignctl state migrate --env production.';
const REBASE = 'For example: campaignctl state rebase --env production --from https://old.example.com.';

export function run(flags: Flags<'state'>, shell: Shell): Promise<ExitCode> {
  return flags.action === 'rebase' ? rebase(flags, shell) : migrate(flags, shell);
}

async function migrate(flags: Flags<'state'>, shell: Shell): Promise<ExitCode> {
  if (flags.from !== null) throw usage('--from applies only to state rebase.', MIGRATE);
  const { environment, backend } = await openPlace(flags, shell);
  const { files, already } = await backend.migrate();
  const text = already
    ? `The state of ${environment.name} is already on its branch: ${count(files, 'file')}. Nothing was moved.\n`
    : `Moved the state of ${environment.name} to its branch: ${count(files, 'file')}. Nothing was sent.\n`;
  shell.out(text);
  return EXIT.ok;
}

async function rebase(flags: Flags<'state'>, shell: Shell): Promise<ExitCode> {
  if (flags.from === null) throw usage('state rebase needs --from.', REBASE);
  const { signal } = watchInterrupts(shell);
  const place = await openPlace(flags, shell);
  const { name } = place.environment;
  const to = serviceAddress(place.environment);
  const earlier = await rebaseState(place, flags.from, {
    seconds: flags.lockTimeout,
    signal,
    async confirm(recorded) {
      if (flags.yes) return;
      const question = `The state of ${name} belongs to ${recorded}. Continue only if the service at ${to} is the same one, with the same campaigns and ids.\nType "yes" to record ${to} in the state. Nothing is sent: `;
      await confirm(shell, question, { signal, kept: `the state of ${name} still belongs to ${recorded}` });
    },
  });
  const text =
    earlier === null
      ? `The state of ${name} is empty or already belongs to ${to}. Nothing was changed.\n`
      : `The state of ${name} now belongs to ${to}, no longer to ${earlier}. Nothing was sent.\n`;
  shell.out(text);
  return EXIT.ok;
}
