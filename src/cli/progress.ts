import type { ApplyEvent, Plan } from '../model/outputs.js';
import { visibleLine } from '../view/terminal.js';
import type { Shell } from './shell.js';

/** Milliseconds between lines without a terminal. */
const QUIET = 15_000;

export function openProgress({ summary }: Plan, shell: Shell): (event: ApplyEvent) => void {
  let done = 0;
  let printedAt = performance.now();
  let last = '';
  const print = (text: string) => {
    const line = `${done}/${summary.requests} requests · ${text}`;
    if (shell.rewrite !== null) shell.rewrite(line.slice(0, shell.onErr.width - 1));
    // A launch may take a minute, so its line is printed once.
    else if (line !== last && performance.now() - printedAt >= QUIET) {
      printedAt = performance.now();
      last = line;
      shell.err(`${line}\n`);
    }
  };
  return (event) => {
    if (event.type === 'trouble') {
      shell.rewrite?.('');
      return shell.err(`! ${visibleLine(event.message)}\n`);
    }
    if (event.type === 'step-ended') done += 1;
    const text =
      event.type === 'waiting' ? `waiting for the launch (${event.status ?? 'no status'})` : event.title;
    print(visibleLine(`${event.campaign}: ${text}`));
  };
}
