import type { ListedCampaign } from '../model/answer.js';
import { Failure } from '../model/failure.js';
import type { LiveParts } from '../model/live.js';
import type { SectionName, Step } from '../model/outputs.js';
import type { ApplyEvent, StepOutcome, StepResult } from '../model/reports.js';
import type { RunAuthor } from '../model/state.js';
import type { Target } from '../model/target.js';
import type { Waits } from '../model/waits.js';
import type { Planned } from '../plan/planned.js';
import { mailingStatus } from '../sections/sending.js';
import type { Reader, Writer } from '../service/index.js';
import type { Journal } from '../state/journal.js';
import type { Store } from '../state/store.js';

type ListReader = Pick<Reader, 'campaigns'>;

/** Lists that are shared by the writes of a run. */
export interface RecentLists {
  /** A complete list whose reading began after `since` (in monotonic milliseconds). */
  read(since: number, reader?: ListReader): Promise<readonly ListedCampaign[]>;
  /** Fields that the last list with campaigns shows. */
  shows(): ListShows;
}

export type ListShows = Record<'status' | 'total_leads', boolean>;

/** An empty list counts as showing both fields. */
function fieldsShownIn(rows: readonly ListedCampaign[]): ListShows {
  const shows = (name: keyof ListShows) => rows.length === 0 || rows.some((row) => row[name] !== null);
  return { status: shows('status'), total_leads: shows('total_leads') };
}

/** Milliseconds for which a reading is reused. A list that took longer to read is reused for that long. */
export const RECENT = 5_000;

interface SharedList {
  began: number;
  until: number;
  rows: Promise<readonly ListedCampaign[]>;
}

/** Reading the list before each write would double the number of requests. `listed`: the list of the plan. */
export function shareLists(
  service: ListReader,
  elapsed: () => number,
  listed: readonly ListedCampaign[],
): RecentLists {
  let latest = fieldsShownIn(listed);
  // One list per reader: a list read during a write's turn must not wait for other turns.
  const lasts = new Map<ListReader, SharedList>();
  return {
    read(since, reader = service) {
      const began = elapsed();
      const last = lasts.get(reader);
      if (last !== undefined && last.began > since && began < last.until) return last.rows;
      const list: SharedList = { began, until: Number.POSITIVE_INFINITY, rows: reader.campaigns() };
      const serves = (least: number) => {
        list.until = elapsed() + Math.max(least, elapsed() - began);
      };
      list.rows.then(
        (rows) => {
          serves(RECENT);
          if (rows.length > 0) latest = fieldsShownIn(rows);
        },
        () => serves(0),
      );
      lasts.set(reader, list);
      return list.rows;
    },
    shows: () => latest,
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

/** The tools of a reading. */
export interface ReadTools {
  service: Pick<Reader, 'read' | 'campaigns'>;
  elapsed(): number;
  list: RecentLists;
}

/** One apply: its tools, and what its plan saw. */
export interface ApplyRun extends ApplyTools {
  head: RunAuthor;
  list: RecentLists;
  /** Ids in the list of the plan. */
  ids: ReadonlySet<number>;
  /** Ids of campaigns that are in the state or match a manifest. */
  knownIds: ReadonlySet<number>;
  /** Names in the manifests. */
  names: ReadonlySet<string>;
  /** True if the list shows the status of any campaign. */
  othersShowStatus: boolean;
  /** Ids of campaigns that `campaignctl pause` was sent for since this run began. */
  paused(): Promise<ReadonlySet<number>>;
}

/** A run that has begun to send. */
export interface SendingRun extends ApplyRun {
  journal: Journal;
}

/** `at`: when the reading began. */
export interface ReadAhead {
  parts: LiveParts;
  at: number;
}

/**
 * `sentAt`: when the last request ended. `movedAt`: when the last creation or pause ended. `doubtedAt`: when the last request
 * ended that was answered with 429, or whose outcome was unknown. `readAhead`: what was read for the next
 * step, which its last look need not read again.
 */
export interface Progress {
  planned: Planned;
  now: Target;
  outcomes: StepOutcome[];
  failed: boolean;
  sentAt: number;
  movedAt: number;
  doubtedAt: number;
  readAhead: ReadAhead | null;
  /** The campaign as the read-back saw it; `null` before it. */
  readBack: Target | null;
}

/** The outcomes of the steps of a section that this run has begun. */
export function outcomesOf({ planned, outcomes }: Progress, section: SectionName): StepOutcome[] {
  const ids = new Set(planned.plan.steps.filter((step) => step.section === section).map(({ id }) => id));
  return outcomes.filter(({ id }) => ids.has(id));
}

/** True if the request left, with or without a response. */
export function wasSent({ result }: StepOutcome): boolean {
  return result === 'done' || result === 'in_doubt';
}

export function isPaused({ outcomes }: Progress): boolean {
  return outcomes.some(({ id }) => id === 'pause');
}

/** True if the plan showed the campaign as idle, or this run paused it. */
export function isPlannedIdle(progress: Progress): boolean {
  return isPaused(progress) || mailingStatus(progress.planned.target) === null;
}

export interface WriteResult {
  result: StepResult;
  detail: string | null;
  id: number | null;
  sentAt: number;
  live?: Target['live'];
  /** True after a 429 or an unknown outcome: what was read before says nothing any more. */
  isDoubted?: boolean;
}

export interface Write {
  step: Step;
  progress: Progress;
  run: SendingRun;
}

export function withOutcome(
  sent: WriteResult,
  result: StepResult,
  ...details: (string | null)[]
): WriteResult {
  return { ...sent, result, detail: details.filter((part) => part !== null).join('; ') || null };
}

/** Rethrows programming errors. */
export function asFailure(error: unknown): Failure {
  if (error instanceof Failure) return error;
  throw error;
}
