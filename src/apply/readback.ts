import type { AnswerName, ListedCampaign } from '../model/answer.js';
import { isSameName } from '../model/characters.js';
import { union } from '../model/leads.js';
import { isNone, type ListFacts, type LiveParts, liveCampaign, nameIn } from '../model/live.js';
import { type Change, isLaunched, type SectionName, type Step } from '../model/outputs.js';
import type { StepOutcome } from '../model/reports.js';
import { type NotKept, SHOWN_WITHIN } from '../model/state.js';
import type { Target } from '../model/target.js';
import { count, LEAD_DELAY } from '../model/words.js';
import { isDeclared, type Planned } from '../plan/planned.js';
import { answersFor, readableSections, recordShown, replan } from '../sections/all.js';
import { sentLeads, totalLeads } from '../sections/leads.js';
import { isVanished, mailingStatus, othersShowStatus } from '../sections/sending.js';
import { describeNotKept, notKeptIn, withNotKept } from '../sections/settings.js';
import { contradiction } from '../sections/status.js';
import { withFacts } from '../sections/target.js';
import { readCampaign } from '../service/index.js';
import {
  type ApplyRun,
  type ApplyTools,
  asFailure,
  isPlannedIdle,
  outcomesOf,
  type Progress,
  type ReadTools,
} from './run.js';

/** In milliseconds after a request. */
const REREAD_AT = [500, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000, 40_000, 50_000, SHOWN_WITHIN];

/** `what`: what the service does not show yet, for the person who waits. */
export interface AwaitedEffect {
  campaign: string;
  what: string;
}

/** Yields immediately, and then at intervals until a minute after `since`. Ends early if a stop is requested. */
export async function* whileAwaited(
  since: number,
  { elapsed, sleep, stopping, waits }: ApplyTools,
  awaited: AwaitedEffect,
): AsyncGenerator<void> {
  const end = waits.begin({ kind: 'effect', ...awaited }, { most: since + SHOWN_WITHIN - elapsed() });
  try {
    for (;;) {
      const began = elapsed();
      yield;
      if (began >= since + SHOWN_WITHIN) return;
      const next = REREAD_AT.find((at) => since + at > elapsed()) ?? SHOWN_WITHIN;
      const wait = since + next - elapsed();
      if (wait > 0) await sleep(wait);
      if (stopping()) return;
    }
  } finally {
    end();
  }
}

interface ReadOptions {
  /** The complete list, if already read. */
  rows?: readonly ListedCampaign[] | null;
  /** Parts that need not be read again. */
  known?: LiveParts | undefined;
  /** Also read, whether the manifest manages them or not. */
  unmanaged?: readonly AnswerName[];
}

export async function readAgain(
  now: Target,
  sections: readonly SectionName[],
  tools: ReadTools,
  { rows = null, known, unmanaged = [] }: ReadOptions = {},
): Promise<Target> {
  const { id, live } = now;
  if (id === null) return now;
  const since = tools.elapsed();
  const answers = new Set([...answersFor(now, sections), ...unmanaged]);
  const parts = await readCampaign(tools.service, id, [...answers], known);
  if (rows !== null && parts.campaign.is === 'shown')
    return withFacts(now, { live: liveCampaign(parts, inList(id, rows)) });
  const { row = null, othersShowStatus = false } = live ?? {};
  const isContradicted = contradiction(now).length > 0;
  const reading = { parts, known: { row, othersShowStatus }, since, isContradicted };
  return withListed(now, reading, sections, tools);
}

/** `known`: what the list showed before. `since`: when the reading began. */
interface ReadAgain {
  parts: LiveParts;
  known: ListFacts;
  since: number;
  isContradicted?: boolean;
}

/** Adds a newly read list row if the status or the lead count in the record is missing or doubtful. */
export async function withListed(
  now: Target,
  { parts, known, since, isContradicted = false }: ReadAgain,
  sections: readonly SectionName[],
  { service, list }: ReadTools,
): Promise<Target> {
  const seen = withFacts(now, { live: liveCampaign(parts, { ...known, row: null }) });
  if (parts.campaign.is !== 'shown') return seen;
  const needs = (names: readonly SectionName[]) => sections.some((name) => names.includes(name));
  const shows = list.shows();
  const hasStatus = shows.status && needs(['campaign', 'status', 'leads']);
  const noStatus = hasStatus && (isContradicted || seen.status.basis !== 'shown');
  // A count that has not grown may be outdated, or may always be 0.
  const earlier = known.row?.total_leads ?? 0;
  const noTotal = shows.total_leads && needs(['leads']) && (totalLeads(seen) ?? 0) <= earlier;
  if (!noStatus && !noTotal) return seen;
  const rows = await list.read(since, service);
  return withFacts(seen, { live: liveCampaign(parts, inList(now.id, rows)) });
}

function inList(id: number | null, rows: readonly ListedCampaign[]): ListFacts {
  return { row: rows.find((row) => row.id === id) ?? null, othersShowStatus: othersShowStatus(id, rows) };
}

export function differences(seen: Target, sections: readonly SectionName[]): Change[] {
  return [...identity(seen), ...replan(seen, sections).changes];
}

/** Checks that the campaign exists, if its record was read, and has the name in the manifest, unless that pins it. */
function identity({ spec, live }: Target): Change[] {
  if (live === null) return [];
  const change = { section: 'campaign' as const, path: 'name', to: spec.name, note: null };
  if (isNone(live.record)) return [{ ...change, kind: 'add', from: null }];
  const name = nameIn(live.record);
  if (spec.id !== undefined || name === null || isSameName(name, spec.name)) return [];
  return [{ ...change, kind: 'update', from: name }];
}

/**
 * `seen`: `null` if nothing was read. `proven`: sections that were read and equal the manifest. `isSettled`: true if the
 * service shows the effect of every request, except for values that it does not keep. `isOther`: the service shows no
 * campaign or a different one under this id.
 */
export interface Proof {
  progress: Progress;
  seen: Target | null;
  remaining: Change[];
  proven: SectionName[];
  isSettled: boolean;
  isOther: boolean;
}

export const READ_BACK = { id: 'read-back', title: 'read back', method: 'GET', path: '' };

/** Reads for up to a minute until the service shows what was sent. Before a launch, checks all managed sections. */
export async function readBack(progress: Progress, run: ApplyRun): Promise<Proof> {
  const { planned, now } = progress;
  const { plan } = planned;
  const sections = sectionsToProve(progress);
  // A service may give a new campaign a default schedule, which the look before the launch expects again.
  const unmanaged = plan.id === null && isLaunched(plan) ? (['schedule'] as const) : [];
  const proof = (
    { result, detail }: Pick<StepOutcome, 'result' | 'detail'>,
    shown: Omit<Proof, 'progress'>,
    { recorded = now.recorded, outcomes = progress.outcomes } = {},
  ): Proof => ({
    progress: {
      ...progress,
      now: withFacts(now, { recorded }),
      outcomes: [...outcomes, { ...READ_BACK, result, detail }],
      failed: result !== 'done',
    },
    ...shown,
  });
  const nothing = { seen: null, remaining: [], proven: [], isSettled: false, isOther: false };
  if (progress.failed || run.stopping()) return proof({ result: 'not_run', detail: null }, nothing);
  try {
    let seen = now;
    let changes: Change[] = [];
    let hasNobody = false;
    for await (const _ of whileAwaited(progress.sentAt, run, {
      campaign: plan.name,
      what: 'what was sent',
    })) {
      seen = await readAgain(now, sections, run, { unmanaged });
      const lost = lostIdentity(planned, seen);
      const isRecent = run.elapsed() - progress.sentAt < CONTRADICTED_FOR;
      const shown = () => [
        ...differences(seen, sections),
        ...(isRecent ? vanishedStatus(planned, seen) : []),
      ];
      changes = lost.length > 0 ? lost : shown();
      hasNobody = showsNobody(progress, seen);
      if (changes.length === 0 && !hasNobody) break;
    }
    const isOther = changes.some(({ section, path }) => section === 'campaign' && path === 'name');
    const isProven = (name: SectionName) =>
      !isOther && !(hasNobody && name === 'leads') && changes.every(({ section }) => section !== name);
    const notKept = run.stopping() ? {} : settingsNotKept(progress, changes);
    const isSettled = !hasNobody && Object.keys(notKept).length === changes.length;
    const shown = { seen, remaining: changes, proven: sections.filter(isProven), isSettled, isOther };
    const outcomes = hasNobody ? withLeadsInDoubt(progress) : progress.outcomes;
    if (changes.length > 0) {
      const isLost = seen.live !== null && isNone(seen.live.record);
      const lost = isLost ? `the service no longer shows campaign ${seen.id}` : null;
      const detail = doubtfulPause(plan, shown) ?? lost ?? describeRemaining(changes, notKept);
      const recorded = withNotKept(now.recorded, notKept);
      return proof({ result: 'failed', detail }, shown, { recorded, outcomes });
    }
    const details = [pauseNow(plan, seen), leadsNow(planned, seen)].filter((part) => part !== null);
    const detail = details.join('; ') || null;
    if (hasNobody) return proof({ result: 'failed', detail }, shown, { outcomes });
    return proof({ result: 'done', detail }, shown, { recorded: recordShown(seen), outcomes });
  } catch (error) {
    return proof({ result: 'failed', detail: asFailure(error).message }, nothing);
  }
}

function sectionsToProve({ planned: { plan }, now }: Progress): SectionName[] {
  const sent = plan.steps.filter(({ id }) => id !== 'launch').map(({ section }) => section);
  // No request sets the status of a new campaign to paused, so the status is read back.
  const isCreatedPaused = plan.id === null && now.spec.status === 'paused';
  const managed = isLaunched(plan) ? readableSections(now) : isCreatedPaused ? (['status'] as const) : [];
  return [...new Set<SectionName>([...managed, ...sent])];
}

/** In milliseconds after a pause. A service that shows no status for longer does not show it any more. */
const CONTRADICTED_FOR = 5_000;

/** After a pause, a status that was shown before must be shown again. */
function vanishedStatus({ plan, target }: Planned, seen: Target): Change[] {
  const isPaused = plan.steps.some(({ stage }) => stage === 'pause');
  const wasShown = target.status.basis === 'shown' || isVanished(target.status);
  if (!isPaused || !wasShown || seen.status.basis === 'shown') return [];
  return [{ section: 'status', path: '', kind: 'update', from: null, to: 'paused', note: null }];
}

/**
 * A paused campaign must still exist. One without a manifest must have a name under which the list or the state knows it;
 * `identity` checks the names of the others.
 */
function lostIdentity({ plan, target }: Planned, { live }: Target): Change[] {
  const { spec, live: before, row, entry } = target;
  if (live === null || plan.steps.every(({ id }) => id !== 'pause')) return [];
  const change = { section: 'campaign' as const, path: 'name', to: spec.name, note: null };
  if (isNone(live.record))
    return before?.record.is === 'shown' ? [{ ...change, kind: 'add', from: null }] : [];
  const name = nameIn(live.record);
  const known = [row?.name, entry?.name].filter((other) => other !== undefined);
  const isKnown = name === null || known.length === 0 || known.some((other) => isSameName(name, other));
  return isKnown || isDeclared(target) ? [] : [{ ...change, kind: 'update', from: name }];
}

const DIFFERENT = 'the service accepted every request but shows different values';

function settingsNotKept({ outcomes }: Progress, remaining: readonly Change[]): Record<string, NotKept> {
  const isAccepted = outcomes.some(({ id, result }) => id === 'settings' && result === 'done');
  return isAccepted ? notKeptIn(remaining) : {};
}

function describeRemaining(remaining: readonly Change[], notKept: Record<string, NotKept>): string {
  const { length } = Object.keys(notKept);
  if (length === 0) return DIFFERENT;
  const words = `not kept by the service: ${describeNotKept(notKept)}`;
  return length === remaining.length ? words : `${DIFFERENT}; ${words}`;
}

function doubtfulPause(
  { id, steps }: Planned['plan'],
  { seen, isOther }: { seen: Target; isOther: boolean },
): string | null {
  if (steps.every((step) => step.stage !== 'pause')) return null;
  if (isOther)
    return `the service accepted the pause but does not show campaign ${id} under its name: check the token, which may belong to a different workspace, and check in the service's web app which campaign was paused`;
  const { word, meaning, basis } = seen.status;
  if (meaning !== 'unknown' && basis === 'shown') return null;
  return basis !== 'shown'
    ? 'the service accepted the pause but shows no status: check in its web app that the campaign has stopped'
    : `the service accepted the pause but shows "${word}", which is not a known status: check in its web app that the campaign has stopped, and add the word under service.statuses in the project file`;
}

function pauseNow({ steps }: Planned['plan'], seen: Target): string | null {
  const isAsSet = steps.some(({ stage }) => stage === 'pause') && seen.status.basis === 'set';
  return isAsSet ? 'paused; the service shows no status' : null;
}

function isAttachment({ section }: Step): boolean {
  return section === 'leads';
}

/** True if the campaign is idle, and the service shows that it has no leads although leads were attached. */
function showsNobody(progress: Progress, seen: Target): boolean {
  if (!progress.planned.plan.steps.some(isAttachment) || totalLeads(seen) !== 0) return false;
  return isPlannedIdle(progress) && mailingStatus(seen) === null;
}

/**
 * Only the outcomes change: the service accepted the attachments, so they are recorded and not sent again. While it shows no
 * leads, a launch needs approval (`no-leads`).
 */
function withLeadsInDoubt(progress: Progress): StepOutcome[] {
  const attachments = new Set(outcomesOf(progress, 'leads'));
  const detail = 'the service accepted it, but shows 0 leads in the campaign';
  return progress.outcomes.map((outcome) =>
    attachments.has(outcome) && outcome.result === 'done'
      ? { ...outcome, result: 'in_doubt', detail }
      : outcome,
  );
}

function leadsNow({ plan, target }: Planned, seen: Target): string | null {
  if (!plan.steps.some(isAttachment)) return null;
  const total = totalLeads(seen);
  const isIdle = mailingStatus(seen) === null;
  const shown = total === null ? null : `the service shows ${describeTotal(total)}`;
  if (isIdle) return shown;
  return shown === null ? LEAD_DELAY : `${shown}; ${LEAD_DELAY}`;

  /** The number of a sending campaign is late, and that of a list is unknown. */
  function describeTotal(now: number): string {
    const { lists, ids } = plan.steps.map(sentLeads).reduce(union);
    const before = plan.id === null ? 0 : totalLeads(target);
    const isFewer = before !== null && lists.length === 0 && now >= before && now < before + ids.length;
    if (!isFewer || !isIdle) return count(now, 'lead');
    if (before === 0) return `${now} of ${count(ids.length, 'lead')}`;
    return `${count(now, 'lead')}, ${now - before} more than before: ${ids.length} were sent`;
  }
}
