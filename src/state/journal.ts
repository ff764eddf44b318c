import { appendFile, close, fdatasync, openSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { flushFolder, makeFolder, renameDurably } from '../files/atomic.js';
import { Failure, messageOf } from '../model/failure.js';
import { decode } from '../model/json.js';
import type { StepResult } from '../model/outputs.js';
import type { Run, RunResult } from '../model/run.js';
import type { Moment, PendingOperations, RunStart } from '../model/state.js';
import { hasConflict, missing, refused } from './failure.js';
import type { JournalLine } from './files.generated.js';
import { ownSpace } from './lock.js';
import { isJournalLine } from './validators.generated.js';

/** Journals are in this folder of the state, a file a run: open while something of the run is to be reconciled. */
const FOLDER = 'journal';
const OPEN = '.open.jsonl';
const CLOSED = '.jsonl';

/** A campaign of a run. One manifest may have had two: the one it has now, and the one it had under an earlier name. */
interface Named {
  manifest: string;
  name: string;
}

function keyOf({ manifest, name }: Named): string {
  return JSON.stringify([manifest, name]);
}

/** Whether a line is of this campaign. Lines of older versions hold no name. */
function isOf(line: { manifest: string; name?: string }, { manifest, name }: Named): boolean {
  return line.manifest === manifest && (line.name ?? name) === name;
}

type LineOf<Type extends JournalLine['type']> = Omit<Extract<JournalLine, { type: Type }>, 'type' | 'at'>;

/** The journal of one run, from its first intent to its end. */
export interface Journal {
  /** Resolves once the write is noted on the disk: only then may it be sent. Failure if it cannot be noted. */
  intend(intent: LineOf<'intent'>): Promise<void>;
  /**
   * Resolves once the outcome survives the end of this process; that of an attachment, which nothing else can tell, also the
   * end of the machine. If it cannot be noted, the outcome of the write counts as unknown.
   */
  conclude(outcome: LineOf<'outcome'>): Promise<void>;
  /** Everything about this campaign is known, and in its state entry. */
  reconciled(campaign: Named): void;
  /** Notes the end. The journal is closed if everything is reconciled; otherwise the next run begins with it. */
  end(result: Exclude<RunResult, 'died'>): Promise<void>;
}

/** Begins the journal of a run in the state folder of its environment, with the plan on the disk. Failure if it cannot be written. */
export async function openJournal(folder: string, start: RunStart, now: () => string): Promise<Journal> {
  const file = join(folder, FOLDER, `${start.run}${OPEN}`);
  const unreconciled = new Set<string>();
  const { plan, specs, ...head } = start;
  const boot = ownSpace();
  try {
    await makeFolder(join(folder, FOLDER));
    const log = openLines(openSync(file, 'ax', 0o600));
    log.append({ type: 'run', version: 1, ...head, fingerprint: plan.fingerprint, summary: plan.summary });
    log.append({ type: 'plan', plan, specs });
    await log.flush();
    await flushFolder(join(folder, FOLDER));
    return {
      async intend(intent) {
        unreconciled.add(keyOf(intent));
        log.append({ type: 'intent', at: now(), ...intent, boot, uptime: uptime() });
        await log.flush().catch((error: unknown) => {
          throw unusable(file, error);
        });
      },
      async conclude(outcome) {
        log.append({ type: 'outcome', at: now(), ...outcome, boot, uptime: uptime() });
        await (outcome.step.startsWith('leads') ? log.flush() : log.write()).catch(() => undefined);
      },
      reconciled({ manifest, name }) {
        unreconciled.delete(keyOf({ manifest, name }));
        log.append({ type: 'reconciled', manifest, name });
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

/** Notes in the journals of earlier runs what is reconciled now, and closes those with nothing left open. */
export async function closePending(folder: string, reconciled: readonly PendingOperations[]): Promise<void> {
  const pending = await readPending(folder);
  for (const run of new Set(reconciled.map((operations) => operations.run))) {
    const file = join(folder, FOLDER, `${run}${OPEN}`);
    const known = reconciled
      .filter((one) => one.run === run)
      .map(({ manifest, name }) => ({ manifest, name }));
    const left = pending.filter((one) => one.run === run && !known.some((line) => isOf(line, one)));
    try {
      const log = openLines(openSync(file, 'a'));
      for (const { manifest, name } of known) log.append({ type: 'reconciled', manifest, name });
      await log.flush();
      await log.close();
      if (left.length === 0) await renameDurably(file, file.replace(OPEN, CLOSED));
    } catch (error) {
      throw unusable(file, error);
    }
  }
}

/** Notes of runs that are done here that no other machine will see it: what they did is not where it has to be kept. */
export async function noteUnkept(folder: string, runs: readonly string[]): Promise<void> {
  for (const name of await journals(folder)) {
    if (!runs.some((run) => name.startsWith(run))) continue;
    try {
      const log = openLines(openSync(join(folder, FOLDER, name), 'a'));
      log.append({ type: 'end', at: new Date().toISOString(), result: 'incomplete' });
      await log.flush();
      await log.close();
    } catch {
      // What is told of the branch is worse.
    }
  }
}

const [appendTo, toTheDisk, closeFile] = [promisify(appendFile), promisify(fdatasync), promisify(close)];

/** A file that grows by lines. */
interface LineFile {
  append(line: JournalLine): void;
  /** Gives what was appended to the system: a process that is killed loses none of it. */
  write(): Promise<void>;
  /** The same, and on to the disk: a machine that stops loses none of it. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

/** Lines go out together: those that come while others are under way wait for the next turn. */
function openLines(fd: number): LineFile {
  let buffer = '';
  let sync = false;
  let broken: unknown = null;
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | null = null;

  async function turn(): Promise<void> {
    next = null;
    // What follows half a line could not be read: after a failure, nothing more is written.
    if (broken !== null) throw broken;
    const [text, toDisk] = [buffer, sync];
    buffer = '';
    sync = false;
    try {
      await appendTo(fd, text);
      if (toDisk) await toTheDisk(fd);
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
    close: () => closeFile(fd),
  };
}

function unusable(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure(
    {
      code: 'journal-unusable',
      message: `The journal ${file} cannot be written: ${messageOf(error)}.`,
      hint: 'campaignctl sends nothing that it cannot record first. Check that the folder is writable and has room, then run again.',
    },
    { cause: error },
  );
}

/** What earlier runs left unreconciled, oldest first; one entry for each run and campaign. Failure for a damaged journal. */
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

export async function journals(folder: string): Promise<string[]> {
  const path = join(folder, FOLDER);
  const names = (await readdir(path).catch(missing(path))) ?? [];
  return names.filter((name) => name.endsWith(CLOSED)).sort();
}

/**
 * The lines of a journal. A last line without its end was being written when the run died, which sent nothing after it.
 * Any other line that cannot be read is a Failure, never a shorter journal. Runs only ever add lines, so that those of both sides of a
 * merge hold; what one side reconciled before the other sent more is not all of it.
 */
async function readLines(folder: string, name: string): Promise<JournalLine[]> {
  const file = join(folder, FOLDER, name);
  const text = await readFile(file, 'utf8').catch(refused(file));
  if (hasConflict(text))
    throw new Failure({
      code: 'journal-conflict',
      message: `The journal ${file} has conflict markers of git: two branches have added to it.`,
      hint: 'Merge it so that nothing is forgotten: delete the lines of the markers and keep each line of both sides once, those of "type":"reconciled" first. Then plan again.',
    });
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line, index) => {
    const { value, wrong } = decode(line, isJournalLine);
    const place = ['run', 'plan'].indexOf(value?.type ?? '');
    if (value !== null && place === (index < 2 ? index : -1)) return value;
    throw new Failure({
      code: 'journal-corrupt',
      message: `The journal ${file} is damaged at line ${index + 1}: ${wrong ?? 'it is in the wrong place'}.`,
      hint: 'Restore it from version control or a backup. If it is lost, look in the service for what its run sent, then move the file away; campaignctl may then not know what is attached to those campaigns.',
    });
  });
}

/** A write and what became of it, as far as the journal says. */
interface JournaledWrite extends LineOf<'intent'> {
  at: string;
  result: StepResult | null;
  detail: string | null;
  visible_in: number | null;
}

/** All writes of a run in order, and those of campaigns that are not reconciled. */
function writesOf(lines: readonly JournalLine[]): { all: JournaledWrite[]; open: JournaledWrite[] } {
  const all: JournaledWrite[] = [];
  let open: JournaledWrite[] = [];
  for (const line of lines) {
    if (line.type === 'intent') {
      const { type: _, ...intent } = line;
      const write = { ...intent, result: null, detail: null, visible_in: null };
      all.push(write);
      open.push(write);
    } else if (line.type === 'outcome') {
      const { step, id, result, detail, visible_in = null, boot = null, uptime = 0 } = line;
      const write = all.findLast((one) => isOf(line, one) && one.step.id === step);
      if (write !== undefined)
        Object.assign(write, { id: id ?? write.id, result, detail, visible_in, boot, uptime });
    } else if (line.type === 'reconciled') {
      open = open.filter((one) => !isOf(line, one));
    }
  }
  return { all, open };
}

/** A journal that never got past its first lines belongs to a run that sent nothing. */
function pendingOf(lines: readonly JournalLine[]): PendingOperations[] {
  const [head, planned] = lines;
  if (head?.type !== 'run' || planned?.type !== 'plan') return [];
  const { run, at, who } = head;
  const pending = new Map<string, PendingOperations>();
  for (const { manifest, name, id, result, ...write } of writesOf(lines).open) {
    const { changes = [] } = plannedOf(planned.plan).find((one) => isOf(one, { manifest, name })) ?? {};
    const spec = planned.specs[manifest] ?? '';
    const key = keyOf({ manifest, name });
    const before = pending.get(key) ?? { run, at, who, manifest, name, id, spec, changes, sent: [] };
    const { at: sentAt, visible_in, step, total_leads } = write;
    const known = result === 'not_run' ? 'failed' : (result ?? 'unknown');
    const sent = { at: sentAt, age: ageOf(write), visible_in, step, result: known, total_leads } as const;
    pending.set(key, { ...before, id: id ?? before.id, sent: [...before.sent, sent] });
  }
  if (head.announced !== true || lines.some(({ type }) => type === 'end')) return [...pending.values()];
  return unnoted(planned, head, lines, pending);
}

/** What was planned of each campaign; of one without a manifest, a pause, and the word before it. */
function plannedOf({ campaigns, removed }: LineOf<'plan'>['plan']) {
  const pause = { section: 'status', path: '', kind: 'update', to: 'paused', note: null } as const;
  return [
    ...campaigns,
    ...removed.map(({ step, status, ...one }) => ({
      ...one,
      changes: step === null ? [] : [{ ...pause, from: status }],
      steps: step === null ? [] : [step],
    })),
  ];
}

/**
 * The journal of a machine that is lost may lack its last lines: what was planned may have been sent. Attachments were not: each
 * is noted where other machines see it before it is sent.
 */
function unnoted(
  { plan, specs }: LineOf<'plan'>,
  { run, at, who }: LineOf<'run'> & { at: string },
  lines: readonly JournalLine[],
  noted: Map<string, PendingOperations>,
): PendingOperations[] {
  const now = new Date().toISOString();
  for (const { manifest, name, id, changes, steps } of plannedOf(plan)) {
    if (lines.some((line) => line.type === 'reconciled' && isOf(line, { manifest, name }))) continue;
    const key = keyOf({ manifest, name });
    const own = noted.get(key) ?? {
      run,
      at,
      who,
      manifest,
      name,
      id,
      spec: specs[manifest] ?? '',
      changes,
      sent: [],
    };
    const missing = steps.filter(
      ({ id: step, section }) => section !== 'leads' && !own.sent.some((one) => one.step.id === step),
    );
    const unknown = missing.map((step) => ({
      at: now,
      age: 0,
      visible_in: null,
      step,
      result: 'unknown' as const,
      total_leads: null,
    }));
    if (own.sent.length + unknown.length > 0) noted.set(key, { ...own, sent: [...own.sent, ...unknown] });
  }
  return [...noted.values()];
}

/** A boot counts the time for itself; another machine, and this one after a restart, knows nothing for certain. */
function ageOf({ boot = null, uptime: then = 0 }: Pick<JournaledWrite, 'boot' | 'uptime'>): number {
  return ageIn({ boot, uptime: then }) ?? 0;
}

/** Milliseconds since that moment; null where another boot counted. */
export function ageIn({ boot, uptime: then }: Moment): number | null {
  return boot !== null && boot === ownSpace() ? Math.max(0, uptime() - then) : null;
}

export function moment(): Moment {
  return { boot: ownSpace(), uptime: uptime() };
}

/** Milliseconds since the machine was started, or since another fixed moment of its boot. */
function uptime(): number {
  return Math.round(Number(process.hrtime.bigint()) / 1e6);
}

/** Null for a run that died before it could note anything: it sent nothing. */
function runOf(lines: readonly JournalLine[]): Run | null {
  const [head] = lines;
  if (head?.type !== 'run') return null;
  const { type: _, version: __, ...rest } = head;
  const { all, open } = writesOf(lines);
  const end = lines.findLast((line) => line.type === 'end');
  return {
    ...rest,
    ended: end?.at ?? null,
    result: end?.result ?? 'died',
    // Of what failed or was not sent, nothing is left to find out.
    pending: open.some(({ result }) => result !== 'failed' && result !== 'not_run'),
    steps: all.map(({ total_leads: _leads, visible_in: _in, boot: _boot, uptime: _uptime, ...step }) => step),
  };
}
