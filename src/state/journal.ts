import { appendFile, close, fdatasync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flushFolder, hasCode, makeFolder, renameDurably } from '../files/atomic.js';
import { decode } from '../model/decode.js';
import { Failure } from '../model/failure.js';
import type { Run, RunResult, RunStep, Step, StepResult } from '../model/outputs.js';
import type { PendingOperations, RunStart, SentStep } from '../model/state.js';
import { stateUnusable } from './failure.js';
import type { JournalLine } from './files.generated.js';
import { isJournalLine } from './validators.generated.js';

/** Journals are in this folder of the state, a file a run: open while something of the run is to be reconciled. */
const FOLDER = 'journal';
const OPEN = '.open.jsonl';
const CLOSED = '.jsonl';

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
  reconciled(manifest: string): void;
  /** Notes the end. A run of which everything is reconciled is closed; the next run begins with one that is not. */
  end(result: Exclude<RunResult, 'died'>): Promise<void>;
}

/**
 * Begins the journal of a run in the state folder of its environment. Its plan is on the disk when this resolves; Failure
 * where it cannot be written.
 */
export async function openJournal(folder: string, start: RunStart, now: () => string): Promise<Journal> {
  const file = join(folder, FOLDER, `${start.run}${OPEN}`);
  const unreconciled = new Set<string>();
  const { plan, specs, ...head } = start;
  try {
    await makeFolder(join(folder, FOLDER));
    const log = openLines(openSync(file, 'ax', 0o600));
    log.append({ type: 'run', version: 1, ...head, fingerprint: plan.fingerprint, summary: plan.summary });
    log.append({ type: 'plan', plan, specs });
    await log.flush();
    await flushFolder(join(folder, FOLDER));
    return {
      async intend(intent) {
        unreconciled.add(intent.manifest);
        log.append({ type: 'intent', at: now(), ...intent });
        await log.flush().catch((error: unknown) => {
          throw unusable(file, error);
        });
      },
      async conclude(conclusion) {
        log.append({ type: 'outcome', at: now(), ...conclusion });
        await (conclusion.step.startsWith('leads') ? log.flush() : log.write()).catch(() => undefined);
      },
      reconciled(manifest) {
        unreconciled.delete(manifest);
        log.append({ type: 'reconciled', manifest });
      },
      async end(result) {
        try {
          log.append({ type: 'end', at: now(), result });
          await log.flush();
          await log.close();
          if (unreconciled.size === 0) await renameDurably(file, file.replace(OPEN, CLOSED));
        } catch (error) {
          throw unusable(file, error);
        }
      },
    };
  } catch (error) {
    throw unusable(file, error);
  }
}

/** Notes in the journals of earlier runs what is reconciled now; a journal of which nothing is left open is closed. */
export async function closePending(folder: string, reconciled: readonly PendingOperations[]): Promise<void> {
  const pending = await readPending(folder);
  for (const run of new Set(reconciled.map((operations) => operations.run))) {
    const file = join(folder, FOLDER, `${run}${OPEN}`);
    const manifests = reconciled.filter((one) => one.run === run).map(({ manifest }) => manifest);
    const left = pending.filter((one) => one.run === run && !manifests.includes(one.manifest));
    try {
      const log = openLines(openSync(file, 'a'));
      for (const manifest of manifests) log.append({ type: 'reconciled', manifest });
      await log.flush();
      await log.close();
      if (left.length === 0) await renameDurably(file, file.replace(OPEN, CLOSED));
    } catch (error) {
      throw unusable(file, error);
    }
  }
}

/** A file that grows by lines. */
interface LineFile {
  append(line: JournalLine): void;
  /** Gives what was appended to the system: a process that is killed loses none of it. */
  write(): Promise<void>;
  /** The same, and on to the disk: a machine that stops loses none of it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Lines go out together: whoever asks while others are under way is served by the next turn. */
function openLines(fd: number): LineFile {
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
    append(line) {
      buffer += `${JSON.stringify(line)}\n`;
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

/** What earlier runs did not bring to an end, oldest first; one entry a run and campaign. Failure for a damaged journal. */
export async function readPending(folder: string): Promise<PendingOperations[]> {
  const pending: PendingOperations[] = [];
  for (const name of await journals(folder)) {
    if (name.endsWith(OPEN)) pending.push(...pendingOf(await readLines(folder, name)));
  }
  return pending;
}

/** The last runs of an environment whose name begins with `prefix`, newest first. */
export async function readRuns(
  folder: string,
  { limit, prefix }: { limit: number; prefix: string },
): Promise<Run[]> {
  const names = (await journals(folder)).filter((name) => name.startsWith(prefix));
  const last = names.reverse().slice(0, limit);
  const runs = await Promise.all(last.map(async (name) => runOf(await readLines(folder, name))));
  return runs.filter((run) => run !== null);
}

async function journals(folder: string): Promise<string[]> {
  try {
    return (await readdir(join(folder, FOLDER))).filter((name) => name.endsWith(CLOSED)).sort();
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw stateUnusable(join(folder, FOLDER), error);
  }
}

/**
 * The lines of a journal. A last line without its end was being written when the run died, and nothing was sent after
 * it; anything else that cannot be read is a Failure, never a shorter journal.
 */
async function readLines(folder: string, name: string): Promise<JournalLine[]> {
  const file = join(folder, FOLDER, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw stateUnusable(file, error);
  });
  return text
    .split('\n')
    .slice(0, -1)
    .map((line, index) => {
      const { value, wrong } = decode(line, isJournalLine);
      if (
        value !== null &&
        (index === 0) === (value.type === 'run') &&
        (index === 1) === (value.type === 'plan')
      )
        return value;
      throw new Failure({
        code: 'journal-corrupt',
        message: `The journal ${file} cannot be read: line ${index + 1} is damaged, ${wrong ?? 'it stands in the wrong place'}.`,
        hint: 'Restore it from version control or a backup. If it is lost: look in the service at what its run sent, then move the file away; what was attached to those campaigns may then not be known.',
      });
    });
}

/** A journal that never got past its first lines belongs to a run that sent nothing. */
function pendingOf(lines: readonly JournalLine[]): PendingOperations[] {
  const [head, planned] = lines;
  if (head?.type !== 'run' || planned?.type !== 'plan') return [];
  const { run, at, who } = head;
  const pending = new Map<string, PendingOperations>();
  for (const line of lines) {
    if (line.type === 'reconciled') pending.delete(line.manifest);
    if (line.type === 'intent') {
      const { manifest, name, id, step, total_leads } = line;
      const campaign = planned.plan.campaigns.find((one) => one.manifest === manifest);
      const spec = planned.specs[manifest] ?? '';
      const begun = { run, at, who, manifest, name, id, spec, changes: campaign?.changes ?? [], sent: [] };
      const before = pending.get(manifest) ?? begun;
      const sent: SentStep = { at: line.at, visible: null, step, result: 'unknown', total_leads };
      pending.set(manifest, { ...before, id: id ?? before.id, sent: [...before.sent, sent] });
    }
    const before = line.type === 'outcome' ? pending.get(line.manifest) : undefined;
    if (line.type === 'outcome' && before !== undefined) {
      const { visible } = line;
      const at = before.sent.findLastIndex(({ step }) => step.id === line.step);
      const result = line.result === 'not_run' ? 'failed' : line.result;
      const sent = before.sent.map((one, index) => (index === at ? { ...one, result, visible } : one));
      pending.set(line.manifest, { ...before, id: line.id ?? before.id, sent });
    }
  }
  return [...pending.values()];
}

/** Null for a run that died before it could note anything: it sent nothing. */
function runOf(lines: readonly JournalLine[]): Run | null {
  const [head] = lines;
  if (head?.type !== 'run') return null;
  const { type: _, version: __, ...rest } = head;
  const steps: RunStep[] = [];
  for (const line of lines) {
    if (line.type === 'intent') {
      const { at, manifest, name, id, step } = line;
      steps.push({ at, manifest, name, id, step, result: null, detail: null });
    }
    if (line.type === 'outcome') {
      const { manifest, id, result, detail } = line;
      const at = steps.findLastIndex((one) => one.manifest === manifest && one.step.id === line.step);
      const one = steps[at];
      if (one !== undefined) steps[at] = { ...one, id: id ?? one.id, result, detail };
    }
  }
  const end = lines.findLast((line) => line.type === 'end');
  return {
    ...rest,
    ended: end?.at ?? null,
    result: end?.result ?? 'died',
    pending: pendingOf(lines).length > 0,
    steps,
  };
}
