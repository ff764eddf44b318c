import { closeSync, openSync, writeSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RunEvent } from '../model/event.js';
import { Failure } from '../model/failure.js';
import { escapedJson } from '../view/index.js';
import type { Shell } from './shell.js';

/** A log of a run for other programs: one JSON object a line, in the form of `schemas/event.schema.json`. */
export interface Events {
  note(event: RunEvent): void;
  close(): void;
}

/** Begins the file anew; null: nobody asked for it. A Failure where it cannot be opened; later trouble is only said. */
export function openEvents(file: string | null, shell: Shell): Events {
  if (file === null) return { note: () => {}, close: () => {} };
  let log: number | null = open(file, shell);
  return {
    note(event) {
      if (log === null) return;
      try {
        writeSync(log, `${escapedJson(JSON.stringify({ at: new Date().toISOString(), ...event }))}\n`);
      } catch (error) {
        // What is sent does not depend on it.
        shell.err(`! ${file} cannot be written any more: ${messageOf(error)}\n`);
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

function open(file: string, { cwd }: Shell): number {
  try {
    return openSync(resolve(cwd, file), 'w');
  } catch (error) {
    throw new Failure(
      {
        code: 'output-unusable',
        message: `${file} cannot be written: ${messageOf(error)}.`,
        hint: 'Check the path. Nothing was sent.',
      },
      { cause: error },
    );
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
