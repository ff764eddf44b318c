import equal from 'fast-deep-equal';
import type { Json } from '../model/json.js';
import {
  type CampaignPlan,
  type Change,
  isDrift,
  type Origin,
  type Plan,
  type PlannedChange,
  type SectionName,
} from '../model/outputs.js';
import type { Problem } from '../model/problem.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { LastApplied } from '../model/state.js';
import { canonicalText } from '../sections/decode.js';
import type { CampaignContext } from '../sections/index.js';
import { liveStatus } from '../sections/status.js';
import { replan } from './replan.js';

/**
 * The changes of a campaign, each with who made it: the same context is planned once more as if the manifest still said what
 * was last applied. What then differs too was changed in the service. Nothing is decided by it. `unreconciled`: parts that an earlier
 * run has changed, and did not come to remember.
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
    const origin = originOf(change, since);
    return { ...change, origin: isRemembered(change, context) ? ofManifest(origin) : origin };
  });
}

/** What the service shows otherwise than it was last applied; null where that names what is not there any more. */
function changesSince(context: CampaignContext, spec: CampaignSpec): Change[] | null {
  try {
    return replan({ ...context, spec }, OPTIONAL_SECTIONS).changes;
  } catch {
    // A list that the project file no longer names, a state file that somebody has edited: nobody can say.
    return null;
  }
}

function originOf(change: Change, since: readonly Change[]): Origin {
  const there = since.filter(({ section, path }) => section === change.section && overlap(path, change.path));
  if (there.length === 0) return 'manifest';
  return there.some(({ path, to }) => path === change.path && isSame(to, change.to)) ? 'service' : 'both';
}

/** Whether one place is the other, or a part of it. */
function overlap(one: string, other: string): boolean {
  const isIn = (inner: string, outer: string) =>
    outer === '' || inner === outer || inner.startsWith(`${outer}.`);
  return isIn(one, other) || isIn(other, one);
}

function isSame(one: Json, other: Json): boolean {
  if (typeof one === 'string' && typeof other === 'string')
    return canonicalText(one) === canonicalText(other);
  return equal(one, other);
}

/**
 * Whether the last applied spec says something of that place. A setting stands for itself; what is only added was nobody's before;
 * what a template held that the manifest has left is not known.
 */
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

/** The service does not show it: it was compared with what is remembered. */
function isRemembered({ section, note }: Change, context: CampaignContext): boolean {
  if (section === 'status') return liveStatus(context).meaning === 'unknown';
  return section === 'leads' || note !== null;
}

/** What cannot be seen cannot be said to have changed there. */
function ofManifest(origin: Origin): Origin | null {
  return origin === 'service' ? null : 'manifest';
}

/** Whether everything that the spec says has been applied, in these very words, and nothing else. */
export function isApplied(last: LastApplied | null, spec: CampaignSpec): boolean {
  return last !== null && equal(last.spec, spec);
}

/**
 * What was last applied, once the `proven` parts of the spec were seen as it says: the others keep what they were, and what
 * the manifest does not manage any more is dropped. `sent`: something of it was sent, so it was applied now. Gives `before`
 * itself where there is nothing new to be remembered.
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
  return !sent && isApplied(before, now) ? before : { at, how: 'apply', spec: now };
}

/** The parts that are as the manifest says already; none of a campaign that is gone. */
export function unchangedSections({ changes, problems }: CampaignPlan): SectionName[] {
  if (problems.some(({ code }) => code === 'campaign-gone')) return [];
  return OPTIONAL_SECTIONS.filter((name) => changes.every(({ section }) => section !== name));
}

/**
 * What of a plan was changed in the service, and nothing else: no requests, since nothing is to be sent. What cannot be told is
 * counted as a warning.
 */
export function driftOf(plan: Plan): Plan {
  const campaigns = plan.campaigns.flatMap((campaign): CampaignPlan[] => {
    const changes = campaign.changes.filter(isDrift);
    const problems = losses(campaign);
    if (changes.length + problems.length === 0) return [];
    return [{ ...campaign, action: 'drift', changes, steps: [], problems, content: null, impact: null }];
  });
  const { length } = campaigns;
  const unchanged = plan.campaigns.length - length;
  const summary = { create: 0, change: length, unchanged, blocked: 0, launch: 0, pause: 0, requests: 0 };
  return { ...plan, mode: 'drift', summary, problems: unknown(plan.campaigns), campaigns };
}

/**
 * What was applied from here and is not there any more, or not under the name that the manifest has: what became of it cannot be
 * told. As a warning, since nothing is to be accepted.
 */
function losses({ problems, last }: CampaignPlan): Problem[] {
  return problems
    .filter(
      ({ code }) => code === 'missing' || code === 'rename' || (code === 'campaign-gone' && last !== null),
    )
    .map((problem) => ({ ...problem, severity: 'warning' }));
}

function unknown(campaigns: readonly CampaignPlan[]): Problem[] {
  const never = campaigns.filter(({ id, last }) => id !== null && last === null).length;
  const partly = campaigns.filter(
    ({ last, changes }) => last !== null && changes.some(({ origin }) => origin === null),
  ).length;
  const were = (number: number) => `${number} ${number === 1 ? 'campaign was' : 'campaigns were'}`;
  const have = (number: number) => `${number} ${number === 1 ? 'campaign differs' : 'campaigns differ'}`;
  return [
    ...(never === 0
      ? []
      : [
          warning(
            'never-applied',
            `${were(never)} never applied from here: what changed there is not known.`,
            'From the next apply on it is known; where nothing is to be sent, it only takes note.',
          ),
        ]),
    ...(partly === 0
      ? []
      : [
          warning(
            'origin-unknown',
            `${have(partly)} in what was not managed before, cannot be read, or an unfinished run has left: who changed that is not known.`,
            'campaignctl plan shows it.',
          ),
        ]),
  ];
}

function warning(code: string, message: string, hint: string): Problem {
  return { code, severity: 'warning', message, hint };
}
