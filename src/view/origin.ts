import { type CampaignPlan, type Change, isDrift, type SectionName } from '../model/outputs.js';
import { longDate } from './words.js';

/** Whose the changes of a campaign are: the manifest's, which is what a plan is for, or made outside campaignctl. */

export const OUTSIDE = 'changed outside campaignctl';
const IN_BOTH = 'changed in the manifest and outside campaignctl';

/** Where these were changed, if not in the manifest alone. */
export function driftOf(changes: CampaignPlan['changes']): string | null {
  const drifted = changes.filter(isDrift);
  if (drifted.length === 0) return null;
  return drifted.every(({ origin }) => origin === 'both') ? IN_BOTH : OUTSIDE;
}

/** Not where it is blocked, or held back. Of drift, it is not said what is sent. */
export function isSent({ action, steps }: CampaignPlan, section: SectionName): boolean {
  return action === 'drift' || steps.some((step) => step.section === section);
}

/** Whether apply sends all that was changed outside campaignctl. */
export function isUndone(campaign: CampaignPlan): boolean {
  const drifted = campaign.changes.filter(isDrift);
  return campaign.action !== 'drift' && drifted.every(({ section }) => isSent(campaign, section));
}

/**
 * "changed outside campaignctl since the last apply on 12 May 2026"; null where nothing of a campaign is known to have been
 * changed there.
 */
export function originLine(campaign: CampaignPlan): string | null {
  const { action, changes, last } = campaign;
  const whose = driftOf(changes);
  if (whose === null || last === null) return null;
  const what = isMixed(campaign) && action !== 'drift' ? `in part ${OUTSIDE}` : whose;
  // Days are those of UTC.
  return `${what} since ${last.how === 'import' ? 'it was imported' : 'the last apply'} on ${longDate(last.at)}`;
}

/** The changes, those made outside campaignctl marked where not all are of the same origin. */
export function markedChanges(campaign: CampaignPlan): Change[] {
  if (!isMixed(campaign)) return campaign.changes;
  return campaign.changes.map((change) => {
    if (!isDrift(change) || (campaign.action === 'drift' && change.origin === 'service')) return change;
    const mark = change.origin === 'both' ? IN_BOTH : OUTSIDE;
    return { ...change, note: change.note === null ? mark : `${change.note}; ${mark}` };
  });
}

function isMixed({ changes }: CampaignPlan): boolean {
  return new Set(changes.map(({ origin }) => origin)).size > 1 && changes.some(isDrift);
}
