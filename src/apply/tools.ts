import type { ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import type { Step } from '../model/outputs.js';
import type { ApplyEvent, StepOutcome, StepResult } from '../model/reports.js';
import type { RunHead } from '../model/state.js';
import type { Target } from '../model/target.js';
import type { Waits } from '../model/waits.js';
import type { Planned } from '../plan/planned.js';
import { mailing } from '../sections/sending.js';
import type { Reader, Writer } from '../service/index.js';
import type { Journal } from '../state/journal.js';
import type { Store } from '../state/store.js';

type ListReader = Pick<Reader, 'campaigns'>;

/** Returns a complete list whose reading began after `since` (in monotonic milliseconds). */
export type RecentList = (since: number, reader?: ListReader) => Promise<readonly ListedCampaign[]>;

/** An empty list counts as showing both fields. */
export type ListShows = Record<'status' | 'total_leads', boolean>;

export function whatListShows(rows: readonly ListedCampaign[]): ListShows {
  const shows = (name: keyof ListShows) => rows.length === 0 || rows.some((row) => row[name] !== null);
  return { status: shows('status'), total_leads: shows('total_leads') };
}

/** Milliseconds for which a list is reused. A list that took longer to read is reused for that long. */
const RECENT = 5_000;

/** Reading the list before each write would double the number of requests. */
export function shareLists(service: ListReader, { elapsed }: Pick<ApplyTools, 'elapsed'>): RecentList {
  interface List {
    began: number;
    until: number;
    rows: Promise<readonly ListedCampaign[]>;
  }
  // One list per reader: a list read during a write's turn must not wait for other turns.
  const lasts = new Map<ListReader, List>();
  return (since, reader = service) => {
    const began = elapsed();
    const last = lasts.get(reader);
    if (last !== undefined && last.began > since && began < last.until) return last.rows;
    const list: List = { began, until: Number.POSITIVE_INFINITY, rows: reader.campaigns() };
    const serves = (least: number) => () => {
      list.until = elapsed() + Math.max(least, elapsed() - began);
    };
    list.rows.then(serves(RECENT), serves(0));
    lasts.set(reader, list);
    return list.rows;
  };
}

/** `sleep` in milliseconds; `now` in milliseconds since 1970; `elapsed` is monotonic. */
export interface ApplyTools {
  service: Reader & Writer;
  store: Store;
  parallelism: number;
  now(): number;
  elapsed(): number;
  sleep(milliseconds: number): Promise<void>;
  emit(event: ApplyEvent): void;
  waits: Waits;
  stopping(): boolean;
  /** Aborted when a stop is requested, so that waiting writes are not sent. */
  stop: AbortSignal;
  /**
   * The commits of earlier applies that the checked-out commit is known to include; absent if the manifests are not
   * committed.
   */
  included?: ReadonlySet<string>;
}

export interface RunTools extends ApplyTools {
  list: RecentList;
  listShows: ListShows;
}

export type LookTools = Pick<RunTools, 'elapsed' | 'sleep' | 'stopping' | 'list' | 'listShows'> & {
  service: Pick<Reader, 'read' | 'campaigns'>;
};

export interface Beforehand {
  ids: ReadonlySet<number>;
  knownIds: ReadonlySet<number>;
  names: ReadonlySet<string>;
  /** True if the list shows the status of any campaign. */
  othersShowStatus: boolean;
  /** Ids of campaigns that `campaignctl pause` was sent for since this run began. */
  paused(): Promise<ReadonlySet<number>>;
}

export interface ApplyRun {
  head: Omit<RunHead, 'environment'>;
  journal: Journal;
  beforehand: Beforehand;
  tools: RunTools;
}

/** `sentAt`: when the last request ended. `movedAt`: when the last creation or pause ended. */
export interface Progress {
  planned: Planned;
  now: Target;
  outcomes: StepOutcome[];
  failed: boolean;
  sentAt: number;
  movedAt: number;
}

export function isPaused({ outcomes }: Pick<Progress, 'outcomes'>): boolean {
  return outcomes.some(({ id }) => id === 'pause');
}

/** True if the plan showed the campaign as idle, or this run paused it. */
export function isPlannedIdle(campaign: Pick<Progress, 'outcomes' | 'planned'>): boolean {
  return isPaused(campaign) || mailing(campaign.planned.target) === null;
}

export interface WriteResult {
  result: StepResult;
  detail: string | null;
  id: number | null;
  sentAt: number;
  live?: Target['live'];
}

export interface Write {
  step: Step;
  campaign: Progress;
  run: ApplyRun;
}

export function ended(sent: WriteResult, result: StepResult, ...details: (string | null)[]): WriteResult {
  return { ...sent, result, detail: details.filter((part) => part !== null).join('; ') || null };
}

/** Rethrows programming errors. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
