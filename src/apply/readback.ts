import { isSameName, nameIn } from '../model/characters.js';
import type { Change, SectionName, StepOutcome } from '../model/outputs.js';
import { count } from '../model/words.js';
import {
  answersFor,
  type CampaignContext,
  contradiction,
  replan,
  showsNoStatus,
  totalLeads,
  type Work,
} from '../plan/index.js';
import { type Repeat, readCampaign } from '../service/index.js';
import { type LookTools, type RunTools, whatListShows } from './tools.js';

/** Waits before each reading, in milliseconds: what was written may show a moment later, at most seven and a half seconds. */
export const READ_WAITS = [0, 500, 2000, 5000];
/** The same if only the waiting for the answer ended: half a minute. */
const LATE_WAITS = [...READ_WAITS, 7500, 15_000];

/** Milliseconds after which what was sent shows, or has had no effect. */
export function timeFor(repeat: Repeat): number {
  return waitsFor(repeat).reduce((sum, wait) => sum + wait, 500);
}

/** Milliseconds in which a launch shows, whatever became of its answer: a service may go on to say "draft" while it launches. */
export const LAUNCH_TIMEOUT = 60_000;

/** Waits before each reading after a request that was not answered. */
export function waitsFor(repeat: Repeat): readonly number[] {
  return repeat === 'late' ? LATE_WAITS : READ_WAITS;
}

/** The context as the service shows it now, as far as these sections need it. `rows`: its row of a list since then counts beside the record; null: it need not. */
export async function readAgain(
  context: CampaignContext,
  sections: readonly SectionName[],
  tools: SeeTools,
  rows: number | null = null,
): Promise<CampaignContext> {
  const { id } = context;
  if (id === null) return context;
  const began = tools.elapsed();
  const answers = await readCampaign(tools.service, id, answersFor(context, sections));
  const isContradicted = contradiction(context).length > 0;
  return withListed({ ...context, answers }, sections, tools, { since: began, isContradicted, rows });
}

type SeeTools = Pick<LookTools, 'service' | 'elapsed' | 'list' | 'listShows'>;

/** With its row of a list read since then, if the record shows no status or no number of leads where these sections need it, and the list does, or contradicted it when this was planned. */
export async function withListed(
  context: CampaignContext,
  sections: readonly SectionName[],
  { service, list, listShows }: SeeTools,
  {
    since,
    isContradicted = false,
    rows: recent = null,
  }: { since: number; isContradicted?: boolean; rows?: number | null },
): Promise<CampaignContext> {
  const seen = { ...context, listed: null };
  if (context.answers?.campaign?.none !== false) return seen;
  const needs = (names: readonly SectionName[]) => sections.some((name) => names.includes(name));
  const isUnsure = isContradicted || showsNoStatus(seen);
  const hasStatus = listShows.status && needs(['campaign', 'status', 'leads']);
  const noStatus = hasStatus && isUnsure;
  // A record whose number has not grown may be behind the list, or say 0 for ever.
  const had = context.listed?.total_leads ?? 0;
  const noTotal = listShows.total_leads && needs(['leads']) && (totalLeads(seen) ?? 0) <= had;
  if (!noStatus && !noTotal && !(hasStatus && recent !== null)) return seen;
  const rows = await list(noStatus || noTotal ? since : (recent ?? since), service);
  if (rows.length > 0) Object.assign(listShows, whatListShows(rows));
  return { ...seen, listed: rows.find(({ id }) => id === context.id) ?? null };
}

/** Reads until `found` gives a value for what the service shows, null if it never did. After a request to stop, it reads no more. */
export async function readUntil<T>(
  { context, sections, tools, waits, rows = null }: ReadBack,
  found: (seen: CampaignContext) => T | null,
): Promise<T | null> {
  for (const wait of waits) {
    if (wait > 0) await tools.sleep(wait);
    if (wait > 0 && tools.stopping()) return null;
    const value = found(await readAgain(context, sections, tools, rows));
    if (value !== null) return value;
  }
  return null;
}

interface ReadBack {
  context: CampaignContext;
  sections: readonly SectionName[];
  tools: LookTools;
  /** Waits before each reading, in milliseconds. */
  waits: readonly number[];
  /** As in `readAgain`. */
  rows?: number | null;
}

/** What still differs in these sections after they were written (nothing: proven equal), and what was seen, as soon as that is `enough`. */
export async function remaining(
  context: CampaignContext,
  sections: readonly SectionName[],
  tools: RunTools,
  enough: (seen: CampaignContext) => boolean,
): Promise<{ changes: Change[]; seen: CampaignContext }> {
  let changes: Change[] = [];
  let last = context;
  await readUntil({ context, sections, tools, waits: READ_WAITS }, (seen) => {
    last = seen;
    changes = [...identity(seen, sections), ...replan(seen, sections).changes];
    return changes.length === 0 && enough(seen) ? true : null;
  });
  return { changes, seen: last };
}

/** With how many leads there were at the launch, where these are more than the plan told: it went all the same. */
export function withLaterLeads<P extends { context: CampaignContext; outcomes: StepOutcome[] }>(
  progress: P,
  { plan: { impact, steps }, context: planned }: Pick<Work, 'plan' | 'context'>,
  seen: CampaignContext | null,
): P {
  const total = Math.max(totalLeads(progress.context) ?? 0, (seen && totalLeads(seen)) ?? 0);
  const hadNone = totalLeads(planned) === 0 && steps.every(({ section }) => section !== 'leads');
  const told = impact?.and_more === true ? null : (impact?.leads ?? (hadNone ? 0 : null));
  if (told === null || total <= told) return progress;
  const now = `the plan told of ${count(told, 'lead')}, and the service shows ${total} now: the others came since`;
  const isSent = ({ id, result }: StepOutcome) =>
    id === 'launch' && (result === 'done' || result === 'in_doubt');
  const withNow = (one: StepOutcome) => ({ ...one, detail: [one.detail, now].filter(Boolean).join('; ') });
  return { ...progress, outcomes: progress.outcomes.map((one) => (isSent(one) ? withNow(one) : one)) };
}

/** A campaign that was made has to be there; and one that was found by its name, to bear it still. */
function identity({ spec, answers }: CampaignContext, sections: readonly SectionName[]): Change[] {
  const { none = false, body = null } = answers?.campaign ?? {};
  const change = { section: 'campaign' as const, path: 'name', to: spec.name, note: null };
  if (none) return sections.includes('campaign') ? [{ ...change, kind: 'add', from: null }] : [];
  const name = nameIn(body);
  if (spec.id !== undefined || name === null || isSameName(name, spec.name)) return [];
  return [{ ...change, kind: 'update', from: name }];
}
