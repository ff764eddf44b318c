import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import { type Refresh, refresh } from '../apply/index.js';
import { Failure } from '../model/failure.js';
import type { ApplyEvent, Plan, RunEvent, RunHead } from '../model/outputs.js';
import type { Reader } from '../service/index.js';
import { acquireLock, type Lock, type LockHolder, readLock } from '../state/index.js';
import { escapedJson, visibleLine } from '../view/index.js';
import { messageOf, refuseOutput } from './outputs.js';
import type { Session } from './session.js';
import { pause, type Shell } from './shell.js';
import { version } from './version.js';

/** Reads the service and what is remembered of it, and plans. */
export async function refreshProject(
  { environment, campaigns, store, selection, folder, shell }: Session,
  reader: Reader,
  signal: AbortSignal,
): Promise<Refresh> {
  const [entries, left] = await Promise.all([store.readAll(), store.pending()]);
  const holder = applyAtWork(folder);
  if (holder !== null) {
    shell.err(
      `! The state is locked by another apply (${holder}). This plan does not show what it sends; plan again later.\n`,
    );
  }
  const { target: targets, hold } = selection;
  return refresh({
    environment,
    campaigns,
    targets,
    entries,
    // An apply at work reconciles what is open by itself: nothing of it is in doubt.
    pending: holder === null ? left : [],
    reader,
    holdLaunch: hold.includes('launch'),
    today: shell.now(),
    now: Date.now,
    async wait(milliseconds) {
      const seconds = Math.ceil(milliseconds / 1000);
      shell.err(
        `An earlier run ended before it read back what it sent. Waiting ${seconds} s until the service shows it.\n`,
      );
      await pause(milliseconds, signal);
    },
  });
}

/** Live does not match the manifests, whether or not it can be made to. */
export function isPending(plan: Plan): boolean {
  return plan.campaigns.some(({ action }) => action !== 'none');
}

/** Who does something, when, from which commit: for the journal and for plan files. */
export async function describeRun(root: string, { env }: Shell): Promise<Omit<RunHead, 'environment'>> {
  const at = new Date().toISOString();
  const run = `${at.slice(0, 23).replace(/[-:.]/g, '')}-${randomBytes(3).toString('hex')}`;
  return { run, at, who: whoIs(env), commit: await commitOf(root), tool: version };
}

/** The person behind a pipeline where it tells one, else the user of this machine. */
function whoIs(env: Shell['env']): string {
  const person = env.GITHUB_ACTOR || env.GITLAB_USER_LOGIN || userName();
  return `${person}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return 'unknown';
  }
}

/** The commit of the project's folder, with `-dirty` where files differ from it; null outside of git. */
async function commitOf(root: string): Promise<string | null> {
  const asked = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  try {
    const { stdout } = await promisify(execFile)('git', asked, { cwd: root, timeout: 5_000 });
    return /^[0-9a-f]{40}(-dirty)?$/.exec(stdout.trim())?.[0] ?? null;
  } catch {
    return null;
  }
}

/** Does work while no other process changes the state of the environment. `seconds`: how long to wait for one that does. */
export async function withLock<T>(
  { folder, environment, shell }: Session,
  { seconds, signal }: { seconds: number; signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const lock = await acquireLock({
    folder,
    who: whoIs(shell.env),
    timeout: 1000 * seconds,
    waiting({ who, pid, host, at }: LockHolder) {
      const holder = visibleLine(`${who}, process ${pid} on ${host}, since ${at}`);
      shell.err(`Waiting up to ${seconds} s for another apply to ${environment.name} (${holder}).\n`);
    },
    signal,
  });
  try {
    return await work();
  } finally {
    release(lock, shell);
  }
}

/** What was done is done: a lock that cannot be removed is only said. */
function release(lock: Lock, shell: Shell): void {
  try {
    lock.release();
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    shell.err(`! The lock could not be removed. ${error.message} ${error.hint}\n`);
  }
}

/** Who applies to the environment with this state folder, apart from this process, in words; null: no process does. */
export function applyAtWork(folder: string): string | null {
  try {
    const held = readLock(folder);
    if (held?.alive !== true || held.holder.pid === process.pid) return null;
    const { who, pid, at } = held.holder;
    return visibleLine(`${who}, process ${pid}, since ${at}`);
  } catch (error) {
    // A lock that cannot be read is a matter of apply.
    if (error instanceof Failure) return null;
    throw error;
  }
}

/** A log of a run for other programs: one JSON object a line, in the form of `schemas/event.schema.json`. */
export interface Events {
  note(event: RunEvent): void;
  close(): void;
}

/** Begins the file anew; null: none is asked for. A Failure where it cannot be opened; later trouble is only said. */
export function openEvents(file: string | null, shell: Shell): Events {
  if (file === null) return { note: () => {}, close: () => {} };
  let log: number | null = openLog(file, shell);
  return {
    note(event) {
      if (log === null) return;
      try {
        writeSync(log, `${escapedJson(JSON.stringify({ at: new Date().toISOString(), ...event }))}\n`);
      } catch (error) {
        // What is sent does not depend on it.
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
