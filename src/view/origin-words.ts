import type { Change } from '../model/change.js';
import { type CampaignPlan, isDrift, type Plan } from '../model/plan.js';
import { leftSections } from './change-lines.js';
import { count, monthName } from './words.js';

/**
 * "changed in the service since the last apply on 12 May 2026; apply would overwrite it"; null where nothing of a campaign was
 * changed there: what the manifest changes is what a plan is for.
 */
export function originLine(campaign: CampaignPlan): string | null {
  const { changes, last } = campaign;
  const drifted = changes.filter(isDrift);
  if (drifted.length === 0 || last === null) return null;
  const mixed = isMixed(campaign) && campaign.action !== 'drift';
  const both = drifted.every(({ origin }) => origin === 'both');
  const whose = both ? 'changed in the manifest and in the service' : 'changed in the service';
  const undone = isUndone(campaign) ? '; apply would overwrite it' : '';
  return `${mixed ? 'in part changed in the service' : whose} ${since(last)}${undone}`;
}

/** Whether apply would overwrite everything that was changed in the service. */
function isUndone(campaign: CampaignPlan): boolean {
  const left = leftSections(campaign);
  const drifted = campaign.changes.filter(isDrift);
  return campaign.action !== 'drift' && drifted.every(({ section }) => !left.includes(section));
}

/** The changes, those made in the service marked where not all are of the same origin. */
export function markedChanges(campaign: CampaignPlan): Change[] {
  if (!isMixed(campaign)) return campaign.changes;
  return campaign.changes.map((change) => {
    if (!isDrift(change) || (campaign.action === 'drift' && change.origin === 'service')) return change;
    const mark =
      change.origin === 'both' ? 'changed in the manifest and in the service' : 'changed in the service';
    return { ...change, note: change.note === null ? mark : `${change.note}; ${mark}` };
  });
}

function isMixed({ changes }: CampaignPlan): boolean {
  const origins = new Set(changes.map(({ origin }) => origin));
  return origins.size > 1 && changes.some(isDrift);
}

/** Days are those of UTC. */
function since({ at, how }: NonNullable<CampaignPlan['last']>): string {
  const day = new Date(at).toISOString();
  const date = `${Number(day.slice(8, 10))} ${monthName(day)} ${day.slice(0, 4)}`;
  return how === 'import' ? `since it was imported on ${date}` : `since the last apply on ${date}`;
}

/** How many campaigns were changed in the service. */
export function driftedCampaigns({ campaigns }: Plan): number {
  return campaigns.filter(({ changes }) => changes.some(isDrift)).length;
}

/** What was found where only that is shown. */
export function driftLine(plan: Plan): string {
  const drifted = plan.campaigns.length;
  const all = drifted + plan.summary.unchanged;
  if (drifted > 0) return `${drifted} of ${count(all, 'campaign')} changed in the service`;
  return plan.problems.length > 0
    ? 'Nothing is known to have been changed in the service.'
    : 'Nothing was changed in the service.';
}

/** How the lines of such a view are to be read. */
export const DRIFT_LEGEND = 'Each line: what the service shows now → what the manifest says.';

/** Which live campaign is meant; of a new one there is none, of one that is lost there was. */
export function whichCampaign({ id, action }: CampaignPlan): string {
  if (id !== null) return `id ${id}`;
  return action === 'drift' ? 'gone' : 'new';
}
