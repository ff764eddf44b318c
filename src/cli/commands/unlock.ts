import { EXIT, type ExitCode, Failure } from '../../model/failure.js';
import { openPlace } from '../../operations/place.js';
import type { Held } from '../../state/lock.js';
import { visibleLine } from '../../view/terminal.js';
import type { Flags } from '../commands.js';
import { confirm, type Shell, watchInterrupts } from '../shell.js';

export async function run(flags: Flags<'unlock'>, shell: Shell): Promise<ExitCode> {
  const { environment, backend } = await openPlace(flags, shell);
  const held = await backend.held();
  if (held === null) {
    shell.out(`No apply holds the lock of ${environment.name}.\n`);
    return EXIT.ok;
  }
  shell.out(`${describe(held, environment.name)}\n`);
  if (held.alive === true) throw atWork(held);
  if (!flags.yes) {
    const { signal } = watchInterrupts(shell);
    const question = 'Are you sure that this apply has ended? Type "yes" to remove its lock: ';
    await confirm(shell, question, { signal, kept: 'the lock was not removed' });
  }
  await backend.unlock(held);
  shell.out('Removed the lock. The next apply first finds out what that apply did.\n');
  return EXIT.ok;
}

function describe(held: Held, environment: string): string {
  const { who, pid, host, at } = held.holder;
  const state =
    held.alive === null
      ? 'this machine cannot tell whether the process is still running'
      : held.alive
        ? 'the process is running'
        : 'the process has ended';
  const until =
    held.lease === null
      ? ''
      : ` The process last renewed its lease at ${held.lease.renewed}. If the lease is not renewed again, an apply that waits for ${held.lease.seconds} s takes over automatically.`;
  return visibleLine(
    `The lock of ${environment} is held by ${who}, process ${pid} on ${host}, since ${at}; ${state}.${until}`,
  );
}

function atWork({ holder }: Held): Failure {
  return new Failure(
    {
      code: 'locked',
      message: `Process ${holder.pid} is still running, so its lock was not removed.`,
      hint: `The next apply takes over the lock of a process that has died. Wait for the process to end, or stop it (Ctrl-C, or kill ${holder.pid}).`,
    },
    { exitCode: EXIT.refused },
  );
}
