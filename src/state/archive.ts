import { Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import type { Run } from '../model/state.js';
import { HISTORY, JOURNALS, MARKS } from './file-names.js';
import type { ArchivedRun, MarksFile } from './files.js';
import { appendLines, journals, type ReconciledRun, readRun, wholeLines } from './journal.js';
import type { Storage } from './storage.js';
import { isArchivedRun, isMarksFile } from './validators.generated.js';

/**
 * Archived runs are lines of one file, on which no plan depends. Marks tell which entries are older than archived runs:
 * an entry that lacks a mark of its campaign is rolled back. The file with the marks has a new name each time, so that a
 * checkout of older files does not replace it.
 */
/** Number of closed journals from which restored entries are brought up to date. */
export const KEPT_JOURNALS = 10;

/** Runs by campaign id. More than one if an older file was restored. */
export type Marks = ReadonlyMap<number, readonly string[]>;

export async function readMarks(storage: Storage): Promise<Marks> {
  const marks = new Map<number, string[]>();
  for (const path of await marksFiles(storage))
    for (const [key, run] of Object.entries(readMarksFile(storage, path)))
      marks.set(Number(key), [...(marks.get(Number(key)) ?? []), run]);
  return marks;
}

interface Archiving {
  /** Oldest first. */
  old: readonly ReconciledRun[];
  marks: Marks;
  /** The runs that each entry includes, in the order of inclusion. They contain its marks and all old runs. */
  entries: ReadonlyMap<number, readonly string[]>;
  /** Number of archived runs that are kept. */
  most: number;
  check: () => void;
}

/** After a crash at any point, each run is still listed, and older copies of entries are still noticed. */
export async function archiveRuns(storage: Storage, archiving: Archiving): Promise<void> {
  const { old, most, check } = archiving;
  check();
  await replaceMarks(storage, marksAfter(archiving), old.at(-1)?.run ?? '');
  const runs = await Promise.all(old.map(({ name }) => readRun(storage, name)));
  check();
  await addArchived(
    storage,
    runs.filter((run) => run !== null),
    most,
  );
  for (const { name } of old) {
    check();
    await storage.remove(`${JOURNALS}/${name}`);
  }
}

function marksAfter({ old, marks, entries }: Archiving): [number, string][] {
  const ids = new Set([...marks.keys(), ...old.flatMap(({ writes }) => [...writes.keys()])]);
  return [...ids].map((id) => {
    const before = marks.get(id) ?? [];
    const names = [...before, ...old.flatMap(({ run, writes }) => (writes.has(id) ? [run] : []))];
    const included = entries.get(id)?.filter((run) => names.includes(run));
    // No copy of a missing entry is known to include all runs.
    const mark = included === undefined ? (names.length === 1 ? before[0] : undefined) : included.at(-1);
    return [id, mark ?? `no entry after ${old.at(-1)?.run}`];
  });
}

/** The file is named after the newest archived run. */
async function replaceMarks(storage: Storage, marks: [number, string][], run: string): Promise<void> {
  const path = `${JOURNALS}/${run}${MARKS}`;
  const file: MarksFile = { version: 1, marks: Object.fromEntries(marks) };
  await storage.write(path, `${JSON.stringify(file, null, 2)}\n`);
  for (const other of await marksFiles(storage)) if (other !== path) await storage.remove(other);
}

async function marksFiles(storage: Storage): Promise<string[]> {
  const names = await storage.names(JOURNALS);
  return names.filter((name) => name.endsWith(MARKS)).map((name) => `${JOURNALS}/${name}`);
}

function readMarksFile(storage: Storage, path: string): MarksFile['marks'] {
  const text = storage.read(path)?.toString('utf8');
  // Another process has replaced it.
  if (text === undefined) return {};
  const { value, wrong } = decode(text, isMarksFile);
  if (value !== null) return value.marks;
  throw new Failure({
    code: 'state-corrupt',
    message: `The state file ${storage.nameOf(path)} is damaged: ${wrong}.`,
    hint: 'Restore it from version control or a backup. If you delete it, campaignctl no longer notices that an entry was replaced by an older copy, and may attach leads twice.',
  });
}

/** Newest first. */
export async function readRuns(
  storage: Storage,
  { limit, prefix }: { limit: number; prefix: string },
): Promise<Run[]> {
  const names = (await journals(storage)).filter((name) => name.startsWith(prefix));
  const newest = await Promise.all(names.slice(-limit).map((name) => readRun(storage, name)));
  const journaled = newest.filter((run) => run !== null).reverse();
  // Read last, because a run is archived before its journal is removed.
  const archived = readArchived(storage).filter(({ run }) => run.startsWith(prefix));
  const byName = new Map([...archived, ...journaled].map((run) => [run.run, run]));
  return [...byName.values()].sort((a, b) => (a.run < b.run ? 1 : -1)).slice(0, limit);
}

/** A crash may leave a run twice. */
function readArchived(storage: Storage): Run[] {
  const text = storage.read(HISTORY)?.toString('utf8') ?? '';
  return wholeLines(text).map((line, at) => {
    const { value, wrong } = decode(line, isArchivedRun);
    if (value === null)
      throw new Failure({
        code: 'state-corrupt',
        message: `The history ${storage.nameOf(HISTORY)} is damaged at line ${at + 1}: ${wrong}.`,
        hint: 'Restore it from version control or a backup, or delete the line: no plan depends on this file.',
      });
    const { version: _, ...run } = value;
    return run;
  });
}

/** Resolves once the lines are durable. `most`: number of lines that are kept. */
async function addArchived(storage: Storage, runs: readonly Run[], most: number): Promise<void> {
  const lines = runs.map(withoutBodies);
  const kept = wholeLines(storage.read(HISTORY)?.toString('utf8') ?? '');
  if (kept.length + lines.length <= most) return appendLines(storage, HISTORY, lines);
  const all = [...kept, ...lines.map((line) => JSON.stringify(line))];
  await storage.write(HISTORY, [...all.slice(-most), ''].join('\n'));
}

function withoutBodies(run: Run): ArchivedRun {
  const steps = run.steps.map((step) => ({ ...step, step: { ...step.step, body: null } }));
  return { version: 1, ...run, steps };
}
