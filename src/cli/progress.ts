import type { ApplyEvent } from '../model/event.js';
import type { Plan } from '../model/plan.js';
import { visibleLine } from '../view/index.js';
import type { Shell } from './shell.js';

/** Milliseconds between two lines where stderr is not a terminal: enough to show a log that something happens. */
const QUIET = 15_000;

/** Tells how far an apply is: one line that is rewritten on a terminal, a line now and then elsewhere. */
export function openProgress(
  { summary }: Plan,
  shell: Shell,
): { note(event: ApplyEvent): void; close(): void } {
  let done = 0;
  let told = Date.now();
  const say = (what: string) => {
    const line = `${done}/${summary.requests} requests · ${what}`;
    if (shell.rewrite !== null) shell.rewrite(line.slice(0, shell.onErr.width - 1));
    else if (Date.now() - told >= QUIET) {
      told = Date.now();
      shell.err(`${line}\n`);
    }
  };
  return {
    note(event) {
      if (event.type === 'trouble') {
        shell.rewrite?.('');
        return shell.err(`! ${visibleLine(event.message)}\n`);
      }
      if (event.type === 'step-ended') done += 1;
      const what =
        event.type === 'waiting' ? `waiting for the launch (${event.status ?? 'no status'})` : event.title;
      say(visibleLine(`${event.campaign}: ${what}`));
    },
    close() {
      shell.rewrite?.('');
    },
  };
}
