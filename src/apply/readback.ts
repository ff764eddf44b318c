import type { ListedCampaign } from '../model/answer.js';
import { isSameName, nameIn } from '../model/characters.js';
import type { Change, SectionName, Step } from '../model/outputs.js';
import type { StepOutcome } from '../model/reports.js';
import { type NotKept, SHOWN_WITHIN } from '../model/state.js';
import { count, LEAD_DELAY } from '../model/words.js';
import { answersFor, readableSections, recordShown, replan } from '../plan/order.js';
import type { PlannedWork } from '../plan/work.js';
import type { CampaignContext } from '../sections/index.js';
import { sentLeads, totalLeads, union } from '../sections/leads.js';
import { isVanished, othersShowStatus, sending, sendingStatus, showsNoStatus } from '../sections/sending.js';
import { describeNotKept, notKeptIn, withNotKept } from '../sections/settings.js';
import { contradiction } from '../sections/status.js';
import { readCampaign } from '../service/index.js';
import { asFailure, type LookTools, type Progress, type RunTools, whatListShows } from './tools.js';

/** In milliseconds after a request. */
const READINGS = [500, 2_000, 5_000, 10_000, 15_000, 20_000, 30_000, 40_000, 50_000, SHOWN_WITHIN];

/** In milliseconds. A longer wait is announced. */
const UNANNOUNCED = 2_000;

/** `what`: what the service does not show yet, for the person who waits. */
export interface AwaitedEffect {
  campaign: string;
  what: string;
}

/**
 * Yields immediately, and then at intervals until a minute after `since`. Ends early if a stop is requested. Announces a
 * wait of more than two seconds once.
 */
export async function* readings(
  since: number,
  { elapsed, sleep, stopping, emit }: Pick<RunTools, 'elapsed' | 'sleep' | 'stopping' | 'emit'>,
  awaited: AwaitedEffect,
): AsyncGenerator<void> {
  const start = elapsed();
  let isAnnounced = false;
  for (;;) {
    const began = elapsed();
    yield;
    if (began >= since + SHOWN_WITHIN) return;
    const next = READINGS.find((at) => since + at > elapsed()) ?? SHOWN_WITHIN;
    const wait = since + next - elapsed();
    if (!isAnnounced && elapsed() + wait - start > UNANNOUNCED) {
      isAnnounced = true;
      const seconds = Math.ceil((since + SHOWN_WITHIN - elapsed()) / 1000);
      emit({ type: 'waiting', ...awaited, seconds });
    }
    if (wait > 0) await sleep(wait);
    if (stopping()) return;
  }
}

/** `rows`: the complete list, if already read. */
export async function readAgain(
  context: CampaignContext,
  sections: readonly SectionName[],
  tools: SeeTools,
  { rows = null }: { rows?: readonly ListedCampaign[] | null } = {},
): Promise<CampaignContext> {
  const { id } = context;
  if (id === null) return context;
  const since = tools.elapsed();
  const answers = await readCampaign(tools.service, id, answersFor(context, sections));
  if (rows !== null && answers.campaign?.none === false) return { ...context, answers, ...inList(id, rows) };
  const isContradicted = contradiction(context).length > 0;
  return withListed({ ...context, answers }, sections, tools, { since, isContradicted });
}

type SeeTools = Pick<LookTools, 'service' | 'elapsed' | 'list' | 'listShows'>;

/** Adds a newly read list row if the status or the lead count in the record is missing or doubtful. */
export async function withListed(
  context: CampaignContext,
  sections: readonly SectionName[],
  { service, list, listShows }: SeeTools,
  { since, isContradicted = false }: { since: number; isContradicted?: boolean },
): Promise<CampaignContext> {
  const seen = { ...context, listed: null };
  if (context.answers?.campaign?.none !== false) return seen;
  const needs = (names: readonly SectionName[]) => sections.some((name) => names.includes(name));
  const hasStatus = listShows.status && needs(['campaign', 'status', 'leads']);
  const noStatus = hasStatus && (isContradicted || showsNoStatus(seen));
  // A count that has not grown may be outdated, or may always be 0.
  const earlier = context.listed?.total_leads ?? 0;
  const noTotal = listShows.total_leads && needs(['leads']) && (totalLeads(seen) ?? 0) <= earlier;
  if (!noStatus && !noTotal) return seen;
  const rows = await list(since, service);
  if (rows.length > 0) Object.assign(listShows, whatListShows(rows));
  return { ...seen, ...inList(context.id, rows) };
}

function inList(id: number | null, rows: readonly ListedCampaign[]) {
  return { listed: rows.find((row) => row.id === id) ?? null, othersShowStatus: othersShowStatus(id, rows) };
}

export function differences(seen: CampaignContext, sections: readonly SectionName[]): Change[] {
  return [...identity(seen, sections), ...replan(seen, sections).changes];
}

/** Checks that the campaign exists and, if it was found by name, still has that name. */
function identity({ spec, answers }: CampaignContext, sections: readonly SectionName[]): Change[] {
  const { none = false, body = null } = answers?.campaign ?? {};
  const change = { section: 'campaign' as const, path: 'name', to: spec.name, note: null };
  if (none) return sections.includes('campaign') ? [{ ...change, kind: 'add', from: null }] : [];
  const name = nameIn(body);
  if (spec.id !== undefined || name === null || isSameName(name, spec.name)) return [];
  return [{ ...change, kind: 'update', from: name }];
}

/**
 * `seen`: `null` if nothing was read. `proven`: sections that were read and equal the manifest. `isSettled`: true if the
 * service shows the effect of every request, except for values that it does not keep.
 */
export interface Proof {
  progress: Progress;
  seen: CampaignContext | null;
  remaining: Change[];
  proven: SectionName[];
  isSettled: boolean;
}

export const READ_BACK = { id: 'read-back', title: 'read back', method: 'GET', path: '' };

/** Reads for up to a minute until the service shows what was sent. Before a launch, checks all managed sections. */
export async function readBack(progress: Progress, tools: RunTools): Promise<Proof> {
  const { work, context, outcomes } = progress;
  const { plan } = work;
  const sections = sectionsToProve(progress);
  const proof = (
    { result, detail }: Pick<StepOutcome, 'result' | 'detail'>,
    shown: Omit<Proof, 'progress'>,
    recorded = context.recorded,
  ): Proof => ({
    progress: {
      ...progress,
      context: { ...context, recorded },
      outcomes: [...outcomes, { ...READ_BACK, result, detail }],
      failed: result !== 'done',
    },
    ...shown,
  });
  const nothing = { seen: null, remaining: [], proven: [], isSettled: false };
  if (progress.failed || tools.stopping()) return proof({ result: 'not_run', detail: null }, nothing);
  try {
    let seen = context;
    let changes: Change[] = [];
    for await (const _ of readings(progress.sentAt, tools, { campaign: plan.name, what: 'what was sent' })) {
      seen = await readAgain(context, sections, tools);
      const isRecent = tools.elapsed() - progress.sentAt < CONTRADICTED_FOR;
      changes = [...differences(seen, sections), ...(isRecent ? vanishedStatus(work, seen) : [])];
      if (changes.length === 0) break;
    }
    const proven = sections.filter((name) => changes.every(({ section }) => section !== name));
    const notKept = tools.stopping() ? {} : settingsNotKept(progress, changes);
    const isSettled = Object.keys(notKept).length === changes.length;
    const shown = { seen, remaining: changes, proven, isSettled };
    if (changes.length > 0) {
      const detail = doubtfulPause(plan, seen) ?? describeRemaining(changes, notKept);
      return proof({ result: 'failed', detail }, shown, withNotKept(context.recorded, notKept));
    }
    const details = [pauseNow(plan, seen), leadsNow(plan, seen)].filter((part) => part !== null);
    return proof({ result: 'done', detail: details.join('; ') || null }, shown, recordShown(seen));
  } catch (error) {
    return proof({ result: 'failed', detail: asFailure(error).message }, nothing);
  }
}

function sectionsToProve({ work: { plan }, context }: Progress): SectionName[] {
  const isLaunched = plan.steps.some(({ id }) => id === 'launch');
  const sent = plan.steps.filter(({ id }) => id !== 'launch').map(({ section }) => section);
  // No request sets the status of a new campaign to paused, so the status is read back.
  const isCreatedPaused = plan.id === null && context.spec.status === 'paused';
  const managed = isLaunched ? readableSections(context) : isCreatedPaused ? (['status'] as const) : [];
  return [...new Set<SectionName>([...managed, ...sent])];
}

/** In milliseconds after a pause. A service that shows no status for longer does not show it any more. */
const CONTRADICTED_FOR = 5_000;

/** After a pause, a status that was shown before must be shown again. */
function vanishedStatus({ plan, context }: PlannedWork, seen: CampaignContext): Change[] {
  const isPaused = plan.steps.some(({ id }) => id === 'pause');
  const wasShown = !showsNoStatus(context) || isVanished(sending(context));
  if (!isPaused || !wasShown || !showsNoStatus(seen)) return [];
  return [{ section: 'status', path: '', kind: 'update', from: null, to: 'paused', note: null }];
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

function doubtfulPause({ steps }: PlannedWork['plan'], seen: CampaignContext): string | null {
  const { word, meaning, basis } = sending(seen);
  const isDoubtful = meaning === 'unknown' || basis !== 'shown';
  if (steps.every(({ id }) => id !== 'pause') || !isDoubtful) return null;
  return basis !== 'shown'
    ? 'the service accepted the pause but shows no status: check in its web app that the campaign has stopped'
    : `the service accepted the pause but shows "${word}", which is not a known status: check in its web app that the campaign has stopped, and add the word under service.statuses in the project file`;
}

function pauseNow({ steps }: PlannedWork['plan'], seen: CampaignContext): string | null {
  const isAsSet = steps.some(({ id }) => id === 'pause') && sending(seen).basis === 'set';
  return isAsSet ? 'paused; the service shows no status' : null;
}

function leadsNow({ id, steps }: PlannedWork['plan'], seen: CampaignContext): string | null {
  if (steps.every(({ section }: Step) => section !== 'leads')) return null;
  const total = totalLeads(seen);
  const { lists, ids } = steps.map(sentLeads).reduce(union);
  // The expected lead count of a new campaign is known unless a list was attached.
  const isFewer = id === null && lists.length === 0 && total !== null && total < ids.length;
  const leads = isFewer ? `${total} of ${count(ids.length, 'lead')}` : count(total ?? 0, 'lead');
  const shown = total === null ? null : `the service shows ${leads}`;
  if (sendingStatus(seen) === null) return shown;
  return shown === null ? LEAD_DELAY : `${shown}; ${LEAD_DELAY}`;
}
