/** Which side a change comes from, by comparison with what was last applied. */
import equal from 'fast-deep-equal';
import { isSameValue } from '../model/canonical.js';
import { listOf } from '../model/leads.js';
import type { LeadList } from '../model/manifest.generated.js';
import type { CampaignPlan, Change, Origin, PlannedChange, SectionName } from '../model/outputs.js';
import { OPTIONAL_SECTIONS } from '../model/sections.js';
import type { CampaignSpec } from '../model/spec.js';
import type { LastApplied, RecordedState } from '../model/state.js';
import type { Target } from '../model/target.js';
import { replan } from '../sections/all.js';
import { appliedTemplate } from '../sections/schedule.js';
import { isSameStatus } from '../sections/sending.js';
import { isSameSpec } from './fingerprint.js';

/**
 * To find outside changes, plans the changed sections again for the last applied spec. `unreconciled`: sections that a
 * crashed run may have changed.
 */
export function withOrigins(
  target: Target,
  changes: readonly Change[],
  unreconciled: readonly SectionName[] = [],
): PlannedChange[] {
  const last = lastSpec(target);
  const changed = [...new Set(changes.map(({ section }) => section))];
  const changesOf = new Map(
    last === null ? [] : changed.map((section) => [section, changesSince(target, last, section)] as const),
  );
  return changes.map((change) => {
    const held = change.section === 'status' && last?.status === undefined ? heldOrigin(target) : null;
    if (held !== null) return { ...change, origin: held };
    const since = changesOf.get(change.section) ?? null;
    if (last === null || since === null || !isComparable(change, last, target))
      return { ...change, origin: null };
    const origin = changeOrigin(change, since);
    const isPause =
      change.section === 'status' && change.to === 'running' && target.recorded.paused !== undefined;
    // Also if a request of that pause has not been reconciled yet.
    if (isPause && origin === 'service') return { ...change, origin: 'pause' };
    if (unreconciled.includes(change.section)) return { ...change, origin: null };
    if (!isRemembered(change, target)) return { ...change, origin };
    // A value that the service does not show cannot have changed there.
    return { ...change, origin: origin === 'service' ? null : 'manifest' };
  });
}

/** A launch that was held is the manifest's wish, unless somebody has changed the status since. */
function heldOrigin(target: Target): Origin | null {
  const { launch_held: held } = target.recorded;
  if (held === undefined) return null;
  const { word } = target.status;
  const isSame = word === held.status || (word !== null && isSameStatus(word, held.status ?? ''));
  return isSame ? 'manifest' : 'service';
}

/**
 * The last applied spec without lead-list names that no longer exist, and with the present name of the template that was
 * applied.
 */
function lastSpec({ recorded, environment, spec: { schedule } }: Target): CampaignSpec | null {
  if (recorded.last === null) return null;
  const { spec } = recorded.last;
  const { lead_lists, schedule_templates } = environment;
  const lists = spec.leads?.lists && existingLists(spec.leads.lists, recorded, lead_lists);
  const idOf = (template: number | string) =>
    typeof template === 'number' ? template : schedule_templates[template];
  const before = spec.schedule !== undefined && 'template' in spec.schedule ? spec.schedule.template : null;
  const now = schedule !== undefined && 'template' in schedule ? schedule.template : null;
  const isRenamed =
    before !== null && now !== null && (idOf(before) ?? appliedTemplate(recorded)) === idOf(now);
  return {
    ...spec,
    ...(lists === undefined ? {} : { leads: { ...spec.leads, lists } }),
    ...(isRenamed ? { schedule: { template: now } } : {}),
  };
}

/** Drops names that no longer exist, if the state accounts for their lists. */
function existingLists(
  lists: readonly LeadList[],
  { attached }: RecordedState,
  named: Readonly<Record<string, number>>,
): LeadList[] {
  const isUnknown = (list: number | string) => typeof list === 'string' && !(list in named);
  const known = lists.map(listOf).map((list) => (typeof list === 'string' ? named[list] : list));
  const others = attached.lists.filter((id) => !known.includes(id));
  return lists.map(listOf).filter(isUnknown).length > others.length
    ? [...lists]
    : lists.filter((list) => !isUnknown(listOf(list)));
}

/** Returns `null` if the section of the last applied spec can no longer be planned. */
function changesSince(target: Target, spec: CampaignSpec, section: SectionName): Change[] | null {
  try {
    return replan({ ...target, spec }, [section]).changes;
  } catch {
    // A template's name was removed, or a state file was edited.
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
function isComparable({ section, path, kind }: Change, last: CampaignSpec, { spec }: Target): boolean {
  if (section === 'settings') return last.settings !== undefined && path in last.settings;
  if (kind === 'add') return true;
  if (section === 'schedule' && last.schedule !== undefined && 'template' in last.schedule)
    return equal(last.schedule, spec.schedule);
  return section !== 'campaign' && last[section] !== undefined;
}

/** True if the value was compared with the state, because the service does not show it. */
function isRemembered({ section, note }: Change, target: Target): boolean {
  if (section === 'status') {
    const { basis, meaning } = target.status;
    return basis !== 'shown' || meaning === 'unknown';
  }
  return section === 'leads' || note !== null;
}

export function isApplied(last: LastApplied | null, spec: CampaignSpec): boolean {
  return last !== null && isSameSpec(last.spec, spec);
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
