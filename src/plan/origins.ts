import equal from 'fast-deep-equal';
import type { Change, SectionName } from '../model/change.js';
import type { Json } from '../model/json.js';
import type { Origin, PlannedChange } from '../model/plan.js';
import type { CampaignSpec } from '../model/spec.js';
import type { CampaignContext } from '../sections/index.js';
import { canonicalText } from '../sections/text.js';
import { liveStatus, replan } from './replan.js';

/**
 * The changes of a campaign, each with who made it: the same context is planned once more as if the manifest still said what
 * was last applied. What then differs too was changed in the service. Nothing is decided by it. `unsettled`: parts that an earlier
 * run has changed, and did not come to remember.
 */
export function withOrigins(
  context: CampaignContext,
  changes: readonly Change[],
  unsettled: readonly SectionName[] = [],
): PlannedChange[] {
  const { last } = context.recorded;
  const since = last === null || changes.length === 0 ? null : changesSince(context, last.spec);
  return changes.map((change) => {
    const isKnown = !unsettled.includes(change.section);
    if (last === null || since === null || !isKnown || !isComparable(change, last.spec, context))
      return { ...change, origin: null };
    const origin = originOf(change, since);
    return { ...change, origin: isRemembered(change, context) ? ofManifest(origin) : origin };
  });
}

/** What the service shows otherwise than it was last applied; null where that names what is not there any more. */
function changesSince(context: CampaignContext, spec: CampaignSpec): Change[] | null {
  try {
    const sections = ['settings', 'schedule', 'sequence', 'leads', 'status'] as const;
    return replan({ ...context, spec }, sections).changes;
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
