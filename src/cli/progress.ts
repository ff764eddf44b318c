import type { Plan } from '../model/outputs.js';
import type { ApplyEvent } from '../model/reports.js';
import { visibleLine } from '../view/terminal.js';
import type { Shell } from './shell.js';

/** Shows progress on a terminal, and problems everywhere. */
export function openProgress({ summary }: Plan, shell: Shell): (event: ApplyEvent) => void {
  let done = 0;
  return (event) => {
    if (event.type === 'trouble') {
      shell.rewrite?.('');
      return shell.err(`! ${visibleLine(event.message)}\n`);
    }
    if (event.type === 'step-ended') done += 1;
    const text =
      event.type === 'waiting' ? `waiting for the launch (${event.status ?? 'no status'})` : event.title;
    const line = `${done}/${summary.requests} requests · ${visibleLine(`${event.campaign}: ${text}`)}`;
    shell.rewrite?.(line.slice(0, shell.onErr.width - 1));
  };
}
