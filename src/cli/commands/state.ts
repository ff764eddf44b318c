import { EXIT, type ExitCode, usage } from '../../model/failure.js';
import { count } from '../../model/words.js';
import { openPlace } from '../../operations/place.js';
import { type Rebased, rebaseState } from '../../operations/state.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

const MIGRATE = 'For example: campaignctl state migrate --env production.';

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
  const { signal } = watchInterrupts(shell);
  const place = await openPlace(flags, shell);
  const { name } = place.environment;
  const changes = await rebaseState(place, flags.from, {
    seconds: flags.lockTimeout,
    signal,
    async confirm(asked) {
      if (flags.yes) return;
      const { from, to } = sidesOf(asked);
      const conditions = asked.map(conditionOf).join(', and ');
      const question = `The state of ${name} belongs to ${from}. Continue only if ${conditions}.\nType "yes" to record ${to} in the state. Nothing is sent: `;
      await confirm(shell, question, { signal, kept: `the state of ${name} still belongs to ${from}` });
    },
  });
  const { environment, file, base_url } = place.user;
  const { from, to } = sidesOf(changes);
  const text =
    changes.length === 0
      ? `The state of ${environment} is empty or already belongs to ${file} and ${base_url}. Nothing was changed.\n`
      : `The state of ${environment} now belongs to ${to}, no longer to ${from}. Nothing was sent.\n`;
  shell.out(text);
  return EXIT.ok;
}

function sidesOf(changes: readonly Rebased[]): { from: string; to: string } {
  return {
    from: changes.map(({ from }) => from).join(' and '),
    to: changes.map(({ to }) => to).join(' and '),
  };
}

function conditionOf({ kind, from, to }: Rebased): string {
  return kind === 'address'
    ? `the service at ${to} is the same one, with the same campaigns and ids`
    : `the project of ${from} was moved to ${to}`;
}
