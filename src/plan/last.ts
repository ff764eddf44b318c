import equal from 'fast-deep-equal';
import type { SectionName } from '../model/change.js';
import type { CampaignPlan } from '../model/plan.js';
import type { CampaignSpec } from '../model/spec.js';
import type { LastApplied } from '../model/state-entry.js';

/** The parts of a spec that are applied one by one. */
const SECTIONS = ['settings', 'schedule', 'sequence', 'leads', 'status'] as const;

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
  const managed = SECTIONS.filter((section) => spec[section] !== undefined);
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
  return SECTIONS.filter((name) => changes.every(({ section }) => section !== name));
}
