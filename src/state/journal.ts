import { errorMessage, Failure } from '../model/failure.js';
import { decode } from '../model/json.js';
import type { Change } from '../model/outputs.js';
import { PAUSE_STEP, type RunResult, type StepResult } from '../model/reports.js';
import type { PendingOperations, Run, RunHead, RunStart } from '../model/state.js';
import { CLOSED, HISTORY, JOURNALS, OPEN } from './file-names.js';
import type { JournalLine } from './files.js';
import { ownSpace } from './lock.js';
import { ageIn, uptime } from './moment.js';
import type { Storage } from './storage.js';
import { isJournalLine } from './validators.generated.js';

/** Both are needed, because a renamed manifest has two campaigns in one run. */
interface Named {
  manifest: string;
  name: string;
}

function campaignKey({ manifest, name }: Named): string {
  return JSON.stringify([manifest, name]);
}

function isSameCampaign(line: Named, { manifest, name }: Named): boolean {
  return line.manifest === manifest && line.name === name;
}

type LineOf<Type extends JournalLine['type']> = Omit<Extract<JournalLine, { type: Type }>, 'type' | 'at'>;

export interface Journal {
  /** Resolves when the record is durable; only then may the write be sent. */
  intend(intent: LineOf<'intent'>): Promise<void>;
  /**
   * Resolves when the outcome would survive a crash of the process (for an attachment, of the machine), or could not be
   * recorded.
   */
  conclude(outcome: LineOf<'outcome'>): Promise<void>;
  /** Records that the campaign's entry includes all its writes in this run. */
  reconciled(campaign: Named): void;
  /** Closes the journal if everything is reconciled; otherwise the next run continues it. */
  end(result: Exclude<RunResult, 'died'>): Promise<void>;
}

export async function openJournal(storage: Storage, start: RunStart, now: () => string): Promise<Journal> {
  const path = `${JOURNALS}/${start.run}${OPEN}`;
  const file = storage.nameOf(path);
  const unreconciled = new Set<string>();
  const { plan, specs, listed_ids, ...head } = start;
  const boot = ownSpace();
  try {
    const log = await storage.append(path, { isNew: true });
    const append = (line: JournalLine) => {
      try {
        log.append(line);
      } catch (error) {
        throw unusable(file, error);
      }
    };
    append({ type: 'run', version: 1, ...head, fingerprint: plan.fingerprint, summary: plan.summary });
    append({ type: 'plan', plan, specs, ...(listed_ids && { listed_ids }) });
    await log.flush();
    return {
      async intend(intent) {
        unreconciled.add(campaignKey(intent));
        append({ type: 'intent', at: now(), ...intent, boot, uptime: uptime() });
        await log.flush().catch((error: unknown) => {
          throw unusable(file, error);
        });
      },
      async conclude(outcome) {
        try {
          append({ type: 'outcome', at: now(), ...outcome, boot, uptime: uptime() });
          if (outcome.step.startsWith('leads')) await log.flush();
        } catch {
          // The next run will read the write's effect from the service.
        }
      },
      reconciled({ manifest, name }) {
        unreconciled.delete(campaignKey({ manifest, name }));
        append({ type: 'reconciled', manifest, name });
      },
      async end(result) {
        try {
          append({ type: 'end', at: now(), result });
          await log.flush();
          await log.close();
          if (unreconciled.size === 0) await storage.move(path, path.replace(OPEN, CLOSED));
        } catch (error) {
          throw unusable(file, error);
        }
      },
    };
  } catch (error) {
    throw unusable(file, error);
  }
}

export async function closePending(
  storage: Storage,
  reconciled: readonly PendingOperations[],
): Promise<void> {
  const pending = await readPending(storage);
  for (const run of new Set(reconciled.map((operations) => operations.run))) {
    const path = `${JOURNALS}/${run}${OPEN}`;
    const campaigns = reconciled.filter((operations) => operations.run === run);
    // Another process has closed it.
    if (storage.read(path) === null) continue;
    const isOpen = pending.some(
      (operations) =>
        operations.run === run && !campaigns.some((campaign) => isSameCampaign(campaign, operations)),
    );
    try {
      await appendLines(
        storage,
        path,
        campaigns.map(({ manifest, name }) => ({ type: 'reconciled', manifest, name })),
      );
      if (!isOpen) await storage.move(path, path.replace(OPEN, CLOSED));
    } catch (error) {
      throw unusable(storage.nameOf(path), error);
    }
  }
}

function unusable(file: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure({
    code: 'state-unusable',
    message: `The journal ${file} cannot be written: ${errorMessage(error)}.`,
    hint: 'campaignctl sends nothing that it cannot record first. Check that the folder is writable and has free space, then run the command again.',
  });
}

/** Oldest first, one entry per run and campaign. Fails for a damaged journal. */
export async function readPending(storage: Storage): Promise<PendingOperations[]> {
  const pending: PendingOperations[] = [];
  for (const name of await journals(storage)) {
    if (name.endsWith(OPEN)) pending.push(...collectPending(await readLines(storage, name)));
  }
  return pending;
}

/** Ids of campaigns that `campaignctl pause` was sent for in runs that began after this one. */
export async function readPausesAfter(storage: Storage, run: string): Promise<Set<number>> {
  const later = (await journals(storage)).filter((name) => name > `${run}${CLOSED}`);
  const lines = await Promise.all(later.map((name) => readLines(storage, name, { withPlan: false })));
  const writes = lines.flatMap((each) => collectWrites(each).all);
  const pauses = writes.filter(({ step, result }) => step.id === PAUSE_STEP && result !== 'not_run');
  return new Set(pauses.flatMap((write) => findCampaignId(write) ?? []));
}

export interface ReconciledRun {
  run: string;
  /** File name of its journal. */
  name: string;
  isOpen: boolean;
  writes: ReadonlyMap<number, readonly JournaledWrite[]>;
}

/** Oldest first. Entries already include these writes, unless an older copy of an entry was restored. */
export async function readReconciled(storage: Storage): Promise<ReconciledRun[]> {
  const names = await journals(storage);
  // If a run has both an open and a closed journal, the closed one is newer.
  const newest = names.filter((name) => !names.includes(name.replace(OPEN, CLOSED)) || !name.endsWith(OPEN));
  return Promise.all(
    newest.map(async (name) => {
      const { all, open } = collectWrites(await readLines(storage, name, { withPlan: false }));
      const writes = new Map<number, JournaledWrite[]>();
      for (const write of all) {
        const id = findCampaignId(write);
        if (id !== null && !open.has(write)) writes.set(id, [...(writes.get(id) ?? []), write]);
      }
      const isOpen = name.endsWith(OPEN);
      const run = name.slice(0, -(isOpen ? OPEN : CLOSED).length);
      return { run, name, isOpen, writes };
    }),
  );
}

/** The id in the request's path or, for a creation, in the response. */
export function findCampaignId({ id, step }: { id: number | null; step: { path: string } }): number | null {
  const [, inPath] = /^\/api\/campaigns\/(\d+)\//.exec(step.path) ?? [];
  return inPath === undefined ? id : Number(inPath);
}

export async function journals(storage: Storage): Promise<string[]> {
  const names = await storage.names(JOURNALS);
  return names.filter((name) => name.endsWith(CLOSED) && `${JOURNALS}/${name}` !== HISTORY).sort();
}

/** Resolves once the lines are durable. */
export async function appendLines(storage: Storage, path: string, lines: readonly object[]): Promise<void> {
  const text = storage.read(path)?.toString('utf8') ?? '';
  if (text.endsWith('\n')) {
    const file = await storage.append(path, { isNew: false });
    for (const line of lines) file.append(line);
    await file.flush();
    await file.close();
  } else {
    const added = lines.map((line) => JSON.stringify(line));
    await storage.write(path, [...wholeLines(text), ...added, ''].join('\n'));
  }
}

/** A crash may leave an incomplete last line, which is dropped. */
export function wholeLines(text: string): string[] {
  return text.split('\n').slice(0, -1);
}

/** Fails for an unreadable line. */
async function readLines(storage: Storage, name: string, { withPlan = true } = {}): Promise<JournalLine[]> {
  const file = storage.nameOf(`${JOURNALS}/${name}`);
  // Another process may have closed the journal in the meantime.
  const whole =
    storage.read(`${JOURNALS}/${name}`) ?? storage.read(`${JOURNALS}/${name.replace(OPEN, CLOSED)}`);
  return wholeLines(whole?.toString('utf8') ?? '').flatMap((line, at) => {
    // Plans may be megabytes long.
    if (!withPlan && at === 1 && line.startsWith(PLAN)) return [];
    const { value, wrong } = decode(line, isJournalLine);
    const place = ['run', 'plan'].indexOf(value?.type ?? '');
    if (value !== null && place === (at < 2 ? at : -1)) return [value];
    throw new Failure({
      code: 'state-corrupt',
      message: `The journal ${file} is damaged at line ${at + 1}: ${wrong ?? 'the line is out of order'}.`,
      hint: 'Restore it from version control or a backup. If it has conflict markers, keep each line of both sides once. If it is lost, check in the service what its run sent, then move the file away; campaignctl may then no longer know which leads are attached.',
    });
  });
}

const PLAN = '{"type":"plan"';

export interface JournaledWrite extends LineOf<'intent'> {
  at: string;
  result: StepResult | null;
  detail: string | null;
  visible_in: number | null;
}

/** `open`: writes for campaigns that are not reconciled. */
function collectWrites(lines: readonly JournalLine[]): { all: JournaledWrite[]; open: Set<JournaledWrite> } {
  const all: JournaledWrite[] = [];
  const last = new Map<string, JournaledWrite>();
  const openByCampaign = new Map<string, JournaledWrite[]>();
  for (const line of lines) {
    if (line.type === 'intent') {
      const { type: _, ...intent } = line;
      const write = { ...intent, result: null, detail: null, visible_in: null };
      all.push(write);
      last.set(campaignKey(line) + line.step.id, write);
      openByCampaign.set(campaignKey(line), [...(openByCampaign.get(campaignKey(line)) ?? []), write]);
    } else if (line.type === 'outcome') {
      const { step, id, result, detail, visible_in = null, boot = null, uptime = 0 } = line;
      const write = last.get(campaignKey(line) + step);
      if (write !== undefined)
        Object.assign(write, { id: id ?? write.id, result, detail, visible_in, boot, uptime });
    } else if (line.type === 'reconciled') {
      openByCampaign.delete(campaignKey(line));
    }
  }
  const open = new Set([...openByCampaign.values()].flat());
  return { all, open };
}

export interface PlannedRun {
  head: RunHead;
  changesOf(campaign: Named): Change[];
}

/** `null` if the journal has just been archived. */
export async function readPlanned(storage: Storage, name: string): Promise<PlannedRun | null> {
  const [head, planned] = await readLines(storage, name);
  if (head?.type !== 'run' || planned?.type !== 'plan') return null;
  const campaigns = plannedIn(planned.plan);
  const changesOf = (wanted: Named) =>
    campaigns.find((campaign) => isSameCampaign(campaign, wanted))?.changes ?? [];
  return { head, changesOf };
}

/** A run whose journal contains no intents sent nothing. */
function collectPending(lines: readonly JournalLine[]): PendingOperations[] {
  const [head, planned] = lines;
  if (head?.type !== 'run' || planned?.type !== 'plan') return [];
  const { run, at, who } = head;
  const commit = head.checkout ?? head.commit;
  const campaigns = plannedIn(planned.plan);
  const listedIds = planned.listed_ids && { listed_ids: planned.listed_ids };
  const pending = new Map<string, PendingOperations>();
  const add = ({ manifest, name, id }: Named & { id: number | null }, sent: PendingOperations['sent']) => {
    const key = campaignKey({ manifest, name });
    const { changes = [] } = campaigns.find((campaign) => isSameCampaign(campaign, { manifest, name })) ?? {};
    const spec = planned.specs[manifest] ?? '';
    const by = { run, at, who, ...(commit !== null && { commit }) };
    const start = { ...by, manifest, name, id, spec, changes, ...listedIds, sent: [] };
    const before = pending.get(key) ?? start;
    pending.set(key, { ...before, id: id ?? before.id, sent: [...before.sent, ...sent] });
  };
  for (const write of collectWrites(lines).open) {
    const { at: sentAt, visible_in, step, total_leads, result } = write;
    const known = result === 'not_run' ? 'failed' : (result ?? 'unknown');
    add(write, [{ at: sentAt, age: measureAge(write), visible_in, step, result: known, total_leads }]);
  }
  if (head.announced !== true || lines.some(({ type }) => type === 'end')) return [...pending.values()];
  for (const campaign of campaigns) {
    if (lines.some((line) => line.type === 'reconciled' && isSameCampaign(line, campaign))) continue;
    // The journal of a lost machine may lack its last lines. Attachments are pushed before they are sent, so missing ones
    // were not sent.
    const noted = pending.get(campaignKey(campaign))?.sent ?? [];
    const missing = campaign.steps.filter(
      ({ id, section }) => section !== 'leads' && noted.every(({ step }) => step.id !== id),
    );
    // Their time is not known: a pause since then counts as later.
    const sentAt = noted.at(-1)?.at ?? at;
    const unknown = { at: sentAt, age: 0, visible_in: null, result: 'unknown', total_leads: null } as const;
    if (missing.length > 0)
      add(
        campaign,
        missing.map((step) => ({ ...unknown, step })),
      );
  }
  return [...pending.values()];
}

function plannedIn({ campaigns, removed, replaced }: LineOf<'plan'>['plan']) {
  const pause = { section: 'status', path: '', kind: 'update', to: 'paused', note: null } as const;
  return [
    ...campaigns,
    ...[...removed, ...replaced].map(({ step, status, ...campaign }) => ({
      ...campaign,
      changes: step === null ? [] : [{ ...pause, from: status }],
      steps: step === null ? [] : [step],
    })),
  ];
}

/** 0 if the machine has rebooted, or the write was made on another machine. */
function measureAge({ boot = null, uptime: then = 0 }: Pick<JournaledWrite, 'boot' | 'uptime'>): number {
  return ageIn({ boot, uptime: then }) ?? 0;
}

/** Returns `null` for a run that died before its first record, because it sent nothing. */
export async function readRun(storage: Storage, name: string): Promise<Run | null> {
  const lines = await readLines(storage, name, { withPlan: false });
  const [head] = lines;
  if (head?.type !== 'run') return null;
  const { type: _, version: __, ...rest } = head;
  const { all, open } = collectWrites(lines);
  const end = lines.findLast((line) => line.type === 'end');
  return {
    ...rest,
    ended: end?.at ?? null,
    result: end?.result ?? 'died',
    // Failed and unsent steps need no reconciliation.
    pending: [...open].some(({ result }) => result !== 'failed' && result !== 'not_run'),
    steps: all.map(({ total_leads: _leads, visible_in: _in, boot: _boot, uptime: _uptime, ...step }) => step),
  };
}
