import equal from 'fast-deep-equal';
import {
  type CampaignPlan,
  type Change,
  EMPTY_SUMMARY,
  isDrift,
  type Origin,
  type Plan,
  type PlannedChange,
  type Problem,
  type SectionName,
} from '../model/outputs.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { LastApplied } from '../model/state.js';
import { count, listed } from '../model/words.js';
import { isSameValue } from '../sections/decode.js';
import type { CampaignContext } from '../sections/index.js';
import { sending } from '../sections/sending.js';
import { pausedSince } from '../sections/status.js';
import { replan } from './order.js';

/**
 * To find outside changes, plans again for the last applied spec. `unreconciled`: sections that a crashed run may have
 * changed.
 */
export function withOrigins(
  context: CampaignContext,
  changes: readonly Change[],
  unreconciled: readonly SectionName[] = [],
): PlannedChange[] {
  const { last } = context.recorded;
  const since = last === null || changes.length === 0 ? null : changesSince(context, last.spec);
  return changes.map((change) => {
    const isKnown = !unreconciled.includes(change.section);
    if (last === null || since === null || !isKnown || !isComparable(change, last.spec, context))
      return { ...change, origin: null };
    const origin = changeOrigin(change, since);
    const isPause = change.section === 'status' && pausedSince(context.recorded) !== null;
    if (isPause && origin === 'service') return { ...change, origin: 'pause' };
    if (!isRemembered(change, context)) return { ...change, origin };
    // A value that the service does not show cannot have changed there.
    return { ...change, origin: origin === 'service' ? null : 'manifest' };
  });
}

/** Returns `null` if the last applied spec can no longer be planned. */
function changesSince(context: CampaignContext, spec: CampaignSpec): Change[] | null {
  try {
    return replan({ ...context, spec }, OPTIONAL_SECTIONS).changes;
  } catch {
    // A list name was removed or a state file was edited.
    return null;
  }
}

function changeOrigin(change: Change, since: readonly Change[]): Origin {
  const there = since.filter(({ section, path }) => section === change.section && overlap(path, change.path));
  if (there.length === 0) return 'manifest';
  return there.some(({ path, to }) => path === change.path && isSameValue(to, change.to))
    ? 'service'
    : 'both';
}

function overlap(a: string, b: string): boolean {
  const isIn = (inner: string, outer: string) =>
    outer === '' || inner === outer || inner.startsWith(`${outer}.`);
  return isIn(a, b) || isIn(b, a);
}

/** True if this change can be compared with the last applied spec. The content of an earlier template is unknown. */
function isComparable(
  { section, path, kind }: Change,
  last: CampaignSpec,
  { spec }: CampaignContext,
): boolean {
  if (section === 'settings') return last.settings !== undefined && path in last.settings;
  if (kind === 'add') return true;
  if (section === 'schedule' && last.schedule !== undefined && 'template' in last.schedule)
    return equal(last.schedule, spec.schedule);
  return section !== 'campaign' && last[section] !== undefined;
}

/** True if the value was compared with the state, because the service does not show it. */
function isRemembered({ section, note }: Change, context: CampaignContext): boolean {
  if (section === 'status') {
    const { basis, meaning } = sending(context);
    return basis !== 'shown' || meaning === 'unknown';
  }
  return section === 'leads' || note !== null;
}

export function isApplied(last: LastApplied | null, spec: CampaignSpec): boolean {
  return last !== null && equal(last.spec, spec);
}

/**
 * `proven`: sections that equalled the manifest when read back. `sent`: true if this run sent something. Returns `before`
 * if nothing is new.
 */
export function lastAfter(
  before: LastApplied | null,
  spec: CampaignSpec,
  { proven, sent, at }: { proven: readonly SectionName[]; sent: boolean; at: string },
): LastApplied | null {
  const { name, id } = spec;
  const managed = OPTIONAL_SECTIONS.filter((section) => spec[section] !== undefined);
  const isProven = (section: SectionName) => proven.includes(section);
  if (before === null && managed.length > 0 && !managed.some(isProven)) return null;
  const sections = managed.flatMap((section) => {
    const value = isProven(section) ? spec[section] : before?.spec[section];
    return value === undefined ? [] : [[section, value] as const];
  });
  const now: CampaignSpec = { name, ...(id === undefined ? {} : { id }), ...Object.fromEntries(sections) };
  if (!sent && isApplied(before, now)) return before;
  const isKept = sections.some(([section]) => !isProven(section));
  return isKept && before !== null ? { ...before, spec: now } : { at, how: 'apply', spec: now };
}

export function unchangedSections({ changes, problems }: CampaignPlan): SectionName[] {
  if (problems.some(({ code }) => code === 'campaign-gone')) return [];
  return OPTIONAL_SECTIONS.filter((name) => changes.every(({ section }) => section !== name));
}

/** `renamed`: names, as in the manifests, of campaigns renamed in the service. */
export function keepDrift(plan: Plan, renamed: ReadonlySet<string>): Plan {
  const campaigns = plan.campaigns.flatMap((campaign): CampaignPlan[] => {
    const changes = [...campaign.changes.filter(isDrift), ...switchedOff(campaign, plan.by_hand)];
    const problems = losses(campaign, renamed.has(campaign.name));
    if (changes.length + problems.length === 0) return [];
    return [{ ...campaign, action: 'drift', changes, steps: [], problems, content: null, impact: null }];
  });
  const { length } = campaigns;
  const unchanged = plan.campaigns.length - length;
  // A predecessor is paused because of its successor's manifest, which is not drift.
  const removed = plan.removed
    .filter(({ role, superseded_by }) => role === 'removed' || superseded_by !== undefined)
    .map((campaign) => ({ ...campaign, step: null }));
  const unreplaced = removed.filter(({ superseded_by }) => superseded_by === undefined);
  const summary = { ...EMPTY_SUMMARY, change: length, unchanged, removed: unreplaced.length };
  const problems = [...plan.problems.filter(isAboutStatus), ...unknown(plan.campaigns, renamed)];
  return { ...plan, mode: 'drift', summary, problems, campaigns, removed, by_hand: [] };
}

function switchedOff({ id, last }: CampaignPlan, tasks: Plan['by_hand']): PlannedChange[] {
  return tasks.flatMap((task): PlannedChange[] => {
    const { section, path, from, to } = task;
    if (last === null || task.id !== id || section !== 'sequence' || !path.endsWith('.active')) return [];
    return [{ section, path, kind: 'update', from, to, note: null, origin: 'service' }];
  });
}

const isUnknownStatus = ({ code }: Problem) => code === 'unknown-status';
const isAboutStatus = (problem: Problem) => isUnknownStatus(problem) || problem.code === 'status-not-shown';

/**
 * Reports lost campaigns and sequences, renamed campaigns and unknown statuses as warnings, because drift needs no
 * approval.
 */
function losses({ problems, last }: CampaignPlan, isRenamed: boolean): Problem[] {
  const isLoss = (problem: Problem) =>
    problem.code === 'missing' ||
    problem.code === 'sequence-missing' ||
    problem.code === 'schedule-missing' ||
    (problem.code === 'rename' && isRenamed) ||
    (last !== null && (problem.code === 'campaign-gone' || isUnknownStatus(problem)));
  return problems.filter(isLoss).map((problem) => ({ ...problem, severity: 'warning' }));
}

function unknown(campaigns: readonly CampaignPlan[], renamed: ReadonlySet<string>): Problem[] {
  const named = campaigns.flatMap((campaign) => {
    const reason = whyUnknown(campaign, renamed);
    return reason === null ? [] : [`${JSON.stringify(campaign.name)} (${reason})`];
  });
  if (named.length === 0) return [];
  return [
    {
      code: 'drift-unknown',
      severity: 'warning',
      message: `campaignctl cannot detect every outside change in ${count(named.length, 'campaign')}: ${listed(named)}.`,
      hint: 'campaignctl plan shows the differences. For campaigns that were never applied, the next apply records a baseline, even if it sends nothing.',
    },
  ];
}

function whyUnknown(
  { id, name, last, changes, problems }: CampaignPlan,
  renamed: ReadonlySet<string>,
): string | null {
  const has = (code: string) => problems.some((problem) => problem.code === code);
  if (id === null) return has('rename') && !renamed.has(name) ? 'no campaign has its name' : null;
  if (last === null) return 'never applied with this state';
  return changes.some(({ origin }) => origin === null) ? 'differences of unknown origin' : null;
}
