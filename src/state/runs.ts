import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Failure } from '../model/failure.js';
import type { PendingOperations, SentStep } from '../model/pending.js';
import type { Run, RunStep } from '../model/run.js';
import { CLOSED, decodeEntries, type Entry, FOLDER, OPEN } from './entry.js';

/** What earlier runs did not bring to an end, oldest first; one entry a run and campaign. Failure for a damaged journal. */
export async function readPending(folder: string): Promise<PendingOperations[]> {
  const pending: PendingOperations[] = [];
  for (const name of await journals(folder)) {
    if (name.endsWith(OPEN)) pending.push(...pendingOf(await readEntries(folder, name)));
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
  const runs = await Promise.all(last.map(async (name) => runOf(await readEntries(folder, name))));
  return runs.filter((run) => run !== null);
}

async function journals(folder: string): Promise<string[]> {
  try {
    return (await readdir(join(folder, FOLDER))).filter((name) => name.endsWith(CLOSED)).sort();
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw unreadable(join(folder, FOLDER), error);
  }
}

async function readEntries(folder: string, name: string): Promise<Entry[]> {
  const file = join(folder, FOLDER, name);
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return decodeEntries(file, text);
}

/** A journal that never got past its first lines belongs to a run that sent nothing. */
function pendingOf(entries: readonly Entry[]): PendingOperations[] {
  const [head, planned] = entries;
  if (head?.type !== 'run' || planned?.type !== 'plan') return [];
  const { run, at, who } = head;
  const pending = new Map<string, PendingOperations>();
  for (const entry of entries) {
    if (entry.type === 'settled') pending.delete(entry.manifest);
    if (entry.type === 'intent') {
      const { manifest, name, id, step, total_leads } = entry;
      const changes =
        planned.plan.campaigns.find((campaign) => campaign.manifest === manifest)?.changes ?? [];
      const spec = planned.specs[manifest] ?? '';
      const operations = pending.get(manifest) ?? {
        run,
        at,
        who,
        manifest,
        name,
        id,
        spec,
        changes,
        sent: [],
      };
      const sent: SentStep = { at: entry.at, visible: null, step, result: 'unknown', total_leads };
      pending.set(manifest, { ...operations, id: id ?? operations.id, sent: [...operations.sent, sent] });
    }
    if (entry.type === 'outcome') {
      const operations = pending.get(entry.manifest);
      if (operations === undefined) continue;
      const at = operations.sent.findLastIndex(({ step }) => step.id === entry.step);
      const result = entry.result === 'not_run' ? 'failed' : entry.result;
      const sent = operations.sent.map((one, index) =>
        index === at ? { ...one, result, visible: entry.visible } : one,
      );
      pending.set(entry.manifest, { ...operations, id: entry.id ?? operations.id, sent });
    }
  }
  return [...pending.values()];
}

/** Null for a run that died before it could note anything: it sent nothing. */
function runOf(entries: readonly Entry[]): Run | null {
  const [head] = entries;
  if (head?.type !== 'run') return null;
  const { type: _, version: __, ...rest } = head;
  const steps: RunStep[] = [];
  for (const entry of entries) {
    if (entry.type === 'intent') {
      const { at, manifest, name, id, step } = entry;
      steps.push({ at, manifest, name, id, step, result: null, detail: null });
    }
    if (entry.type === 'outcome') {
      const { manifest, id, result, detail } = entry;
      const at = steps.findLastIndex((one) => one.manifest === manifest && one.step.id === entry.step);
      const one = steps[at];
      if (one !== undefined) steps[at] = { ...one, id: id ?? one.id, result, detail };
    }
  }
  const end = entries.findLast((entry) => entry.type === 'end');
  return {
    ...rest,
    ended: end?.at ?? null,
    result: end?.result ?? 'died',
    pending: pendingOf(entries).length > 0,
    steps,
  };
}

function unreadable(path: string, error: unknown): Failure {
  return new Failure(
    {
      code: 'state-unusable',
      message: `The state at ${path} cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
      hint: 'Check that the folder exists and is readable.',
    },
    { cause: error },
  );
}
