import { appendFile, close, fdatasync, openSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flushFolder, makeFolder, renameDurably } from '../files/atomic.js';
import { Failure } from '../model/failure.js';
import type { StepResult } from '../model/outcome.js';
import type { PendingOperations } from '../model/pending.js';
import type { RunResult, RunStart } from '../model/run.js';
import type { Step } from '../model/step.js';
import { CLOSED, type Entry, FOLDER, OPEN } from './entry.js';
import { readPending } from './runs.js';

/** A write that is about to be sent. `total_leads` as in `SentStep`. */
export interface Intent {
  manifest: string;
  name: string;
  id: number | null;
  step: Step;
  total_leads: number | null;
}

/** What became of a write. */
export interface Conclusion {
  manifest: string;
  step: string;
  id: number | null;
  result: StepResult;
  detail: string | null;
  /** By when the service shows its effect, if it has one: ISO 8601, UTC; null where nothing is to be waited for. */
  visible: string | null;
}

/** The journal of one run, from its first intent to its end. */
export interface Journal {
  /** Resolves once the intent is on the disk: only then may it be sent. Failure where it cannot be written. */
  intend(intent: Intent): Promise<void>;
  /**
   * Resolves once the outcome survives the end of this process; an attachment's, which nothing else can tell, also that of
   * the machine. Where it cannot be written, the write counts as one of unknown outcome.
   */
  conclude(conclusion: Conclusion): Promise<void>;
  /** Everything about this campaign is known, and in its record. */
  settled(manifest: string): void;
  /** Notes the end. A run of which everything is settled is closed; the next run begins with one that is not. */
  end(result: Exclude<RunResult, 'died'>): Promise<void>;
}

/**
 * Begins the journal of a run in the state folder of its environment. Its plan is on the disk when this resolves; Failure
 * where it cannot be written.
 */
export async function openJournal(folder: string, start: RunStart, now: () => string): Promise<Journal> {
  const file = join(folder, FOLDER, `${start.run}${OPEN}`);
  const unsettled = new Set<string>();
  const { plan, specs, ...head } = start;
  try {
    await makeFolder(join(folder, FOLDER));
    const log = openLog(openSync(file, 'ax', 0o600));
    log.append({ type: 'run', version: 1, ...head, fingerprint: plan.fingerprint, summary: plan.summary });
    log.append({ type: 'plan', plan, specs });
    await log.flush();
    await flushFolder(join(folder, FOLDER));
    return {
      async intend(intent) {
        unsettled.add(intent.manifest);
        log.append({ type: 'intent', at: now(), ...intent });
        await log.flush().catch((error: unknown) => {
          throw unusable(file, error);
        });
      },
      async conclude(conclusion) {
        log.append({ type: 'outcome', at: now(), ...conclusion });
        await (conclusion.step.startsWith('leads') ? log.flush() : log.write()).catch(() => undefined);
      },
      settled(manifest) {
        unsettled.delete(manifest);
        log.append({ type: 'settled', manifest });
      },
      async end(result) {
        try {
          log.append({ type: 'end', at: now(), result });
          await log.flush();
          await log.close();
          if (unsettled.size === 0) await renameDurably(file, file.replace(OPEN, CLOSED));
        } catch (error) {
          throw unusable(file, error);
        }
      },
    };
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Notes in the journals of earlier runs what is settled now; a journal of which nothing is left open is closed. */
export async function closePending(folder: string, settled: readonly PendingOperations[]): Promise<void> {
  const open_ = await readPending(folder);
  for (const run of new Set(settled.map((operations) => operations.run))) {
    const isSettled = (operations: PendingOperations) =>
      settled.some((one) => one.run === operations.run && one.manifest === operations.manifest);
    const [done, left] = [settled, open_].map((pending) =>
      pending.filter((operations) => operations.run === run),
    );
    await closeRun(folder, run, {
      manifests: (done ?? []).map(({ manifest }) => manifest),
      closed: (left ?? []).every(isSettled),
    });
  }
}

async function closeRun(
  folder: string,
  run: string,
  { manifests, closed }: { manifests: readonly string[]; closed: boolean },
): Promise<void> {
  const file = join(folder, FOLDER, `${run}${OPEN}`);
  try {
    const log = openLog(openSync(file, 'a'));
    for (const manifest of manifests) log.append({ type: 'settled', manifest });
    await log.flush();
    await log.close();
    if (closed) await renameDurably(file, file.replace(OPEN, CLOSED));
  } catch (error) {
    throw unusable(file, error);
  }
}

interface Log {
  append(entry: Entry): void;
  /** Gives what was appended to the system: a process that is killed loses none of it. */
  write(): Promise<void>;
  /** The same, and on to the disk: a machine that stops loses none of it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Lines go out together: whoever asks while others are under way is served by the next turn. */
function openLog(fd: number): Log {
  let buffer = '';
  let sync = false;
  let broken: unknown = null;
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function turn(): Promise<void> {
    next = null;
    // What follows half a line could not be read: after one failure nothing is written any more.
    if (broken !== null) throw broken;
    const [text, toDisk] = [buffer, sync];
    buffer = '';
    sync = false;
    try {
      await promisify(appendFile)(fd, text);
      if (toDisk) await promisify(fdatasync)(fd);
    } catch (error) {
      broken = error;
      throw error;
    }
  }

  function write(): Promise<void> {
    if (next === null) {
      next = current.then(turn);
      current = next.catch(() => undefined);
    }
    return next;
  }

  return {
    append(entry) {
      buffer += `${JSON.stringify(entry)}\n`;
    },
    write,
    flush() {
      sync = true;
      return write();
    },
    close: () => promisify(close)(fd),
  };
}

function unusable(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(
    {
      code: 'journal-unusable',
      message: `The journal ${file} cannot be written: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Nothing is sent that cannot be noted first. Check that the folder is writable and has room, then run again.',
    },
    { cause: error },
  );
}
