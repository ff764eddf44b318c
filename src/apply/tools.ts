import type { Answers, ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import type { ApplyEvent, Step, StepOutcome, StepResult } from '../model/outputs.js';
import type { CampaignContext, PlannedWork } from '../plan/index.js';
import type { Reader, Writer } from '../service/index.js';
import type { Journal, Store } from '../state/index.js';

type ListReader = Pick<Reader, 'campaigns'>;

/** The complete list of campaigns, read after the moment `since` of the clock that only grows; by that reader, where one is given. */
export type RecentList = (since: number, reader?: ListReader) => Promise<readonly ListedCampaign[]>;

/** Of what a record may hide, what the list of campaigns shows of any: of an empty one, it is not known, and counts as shown. */
export type ListShows = Record<'status' | 'total_leads', boolean>;

export function whatListShows(rows: readonly ListedCampaign[]): ListShows {
  const shows = (name: keyof ListShows) => rows.length === 0 || rows.some((row) => row[name] !== null);
  return { status: shows('status'), total_leads: shows('total_leads') };
}

/** What an apply needs of the world. `sleep` waits milliseconds; `now` is a clock in milliseconds since 1970, `elapsed` one that only grows. */
export interface ApplyTools {
  service: Reader & Writer;
  store: Store;
  parallelism: number;
  now(): number;
  elapsed(): number;
  sleep(milliseconds: number): Promise<void>;
  emit(event: ApplyEvent): void;
  /** True once the user asked to stop: the request in flight is finished, and nothing more is sent. */
  stopping(): boolean;
  /** Aborted at the same moment: a write that still waits for its turn is not sent any more. */
  stop: AbortSignal;
}

/** The same in the middle of a run: lists that are shared, and what they were seen to show. */
export interface RunTools extends ApplyTools {
  list: RecentList;
  listShows: ListShows;
  /** Campaigns that rested when this was planned, and were seen otherwise since. */
  woken: Set<number>;
}

/** What a look at the service needs. */
export type LookTools = Pick<RunTools, 'elapsed' | 'sleep' | 'stopping' | 'list' | 'listShows' | 'woken'> & {
  service: Pick<Reader, 'read' | 'campaigns'>;
};

/** What the plan was made from: ids in the list, ids of state and manifests, and every name in a manifest. */
export interface Beforehand {
  ids: ReadonlySet<number>;
  ours: ReadonlySet<number>;
  names: ReadonlySet<string>;
  listShows: ListShows;
}

/** What all campaigns of a run share. */
export interface ApplyRun {
  journal: Journal;
  beforehand: Beforehand;
  tools: RunTools;
}

/**
 * One campaign of a run: what is known of it now, and the outcomes of its steps so far. Once it has failed, later steps are
 * not run. `sentAt`: when its last request was answered or given up, by `elapsed`. `movedAt`: the same of its creation or pause.
 */
export interface Progress {
  work: PlannedWork;
  context: CampaignContext;
  outcomes: StepOutcome[];
  failed: boolean;
  sentAt: number;
  movedAt: number;
  /** Answers read while the next step was prepared, and when: a moment later they serve as its check. */
  prepared: { at: number; answers: Partial<Answers> } | null;
}

/** What became of a step, and the campaign's id as far as it is known now. */
export interface WriteResult {
  result: StepResult;
  detail: string | null;
  id: number | null;
  sentAt: number;
  /** What a watched launch showed last. */
  answers?: CampaignContext['answers'];
}

/** A step on its way. */
export interface Write {
  step: Step;
  campaign: Progress;
  run: ApplyRun;
}

/** The same request with what reading showed. */
export function ended(sent: WriteResult, result: StepResult, ...details: (string | null)[]): WriteResult {
  return { ...sent, result, detail: details.filter((part) => part !== null).join('; ') || null };
}

/** A Failure as a value; any other error is a mistake in the program and goes on. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}

/** Works on all of these, at most `limit` at a time. Where one throws, nothing more begins; it rejects once all have ended. */
export async function sideBySide<T>(
  items: Iterable<T>,
  limit: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  // All workers take from one iterator.
  const queue = items[Symbol.iterator]();
  const thrown: unknown[] = [];
  const worker = async () => {
    for (let next = queue.next(); !next.done && thrown.length === 0; next = queue.next())
      await work(next.value).catch((error: unknown) => thrown.push(error));
  };
  await Promise.all(Array.from({ length: limit }, worker));
  if (thrown.length > 0) throw thrown[0];
}
