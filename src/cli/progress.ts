import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import { messageOf } from '../model/failure.js';
import type { ApplyEvent, Plan, RunEvent } from '../model/outputs.js';
import { escapedJson, visibleLine } from '../view/terminal.js';
import { refuseOutput } from './outputs.js';
import type { Shell } from './shell.js';

/** A log of the run: JSON lines by `schemas/event.schema.json`. */
export interface Events {
  note(event: RunEvent): void;
  close(): void;
}

/** Starts a new file; `null`: none. Failure if it cannot be opened; later errors are only reported. */
export function openEvents(file: string | null, shell: Shell): Events {
  if (file === null) return { note: () => {}, close: () => {} };
  let log: number | null = openLog(file, shell);
  return {
    note(event) {
      if (log === null) return;
      try {
        writeSync(log, `${escapedJson(JSON.stringify({ at: new Date().toISOString(), ...event }))}\n`);
      } catch (error) {
        // Requests do not depend on it.
        shell.err(`! Writing to ${file} failed: ${messageOf(error)}. The run goes on without it.\n`);
        closeSync(log);
        log = null;
      }
    },
    close() {
      if (log !== null) closeSync(log);
      log = null;
    },
  };
}

function openLog(file: string, { cwd }: Shell): number {
  try {
    return openSync(resolve(cwd, file), 'w');
  } catch (error) {
    return refuseOutput(file)(error);
  }
}

export function plannedEvent({ environment, fingerprint, summary }: Plan): RunEvent {
  return { type: 'planned', environment, fingerprint, summary };
}

/** Milliseconds between lines without a terminal. */
const QUIET = 15_000;

/** Progress of an apply: one rewritten line on a terminal, else a line now and then. */
export function openProgress(
  { summary }: Plan,
  shell: Shell,
): { note(event: ApplyEvent): void; close(): void } {
  let done = 0;
  let told = performance.now();
  let last = '';
  const say = (what: string) => {
    const line = `${done}/${summary.requests} requests · ${what}`;
    if (shell.rewrite !== null) shell.rewrite(line.slice(0, shell.onErr.width - 1));
    // A launch may take a minute: its line is printed once.
    else if (line !== last && performance.now() - told >= QUIET) {
      told = performance.now();
      last = line;
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
