/** A plan in numbers, or in a sentence if nothing differs. */
import { isOfSandbox } from '../model/environment.js';
import { groupBy } from '../model/json.js';
import { differs, isLaunched, otherCampaigns, type Plan, type Summary } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { OUTSIDE } from './changes.js';
import type { Count, Look } from './document.js';
import { isResumed } from './launches.js';
import { earlierName, refusedCampaigns } from './plan-approvals.js';
import { countWarnings, hasDrift, keepsSending } from './plan-notices.js';
import { visibleLine } from './terminal.js';

export interface PlanCount extends Count {
  kind: keyof Summary | 'resume' | 'outside' | 'drift' | 'warnings' | 'by_hand' | 'refused';
}

/** `campaigns` counts each campaign once. Both are empty for drift. */
export interface PlanCounts {
  campaigns: PlanCount[];
  rest: PlanCount[];
}

function partialWords(partial: number, blocked: number): string {
  if (partial === 0) return 'blocked';
  return partial === blocked ? 'blocked in part' : `blocked (${thousands(partial)} in part)`;
}

const UNMANAGED = 'without a manifest';

export function buildCounts(plan: Plan): PlanCounts {
  const { summary, campaigns, removed } = plan;
  const outside = removed.filter((campaign) => campaign.outside).length;
  const drift = campaigns.filter(hasDrift).length;
  const sending = removed.filter(keepsSending).length;
  const partial = campaigns.filter(({ action, steps }) => action === 'blocked' && steps.length > 0).length;
  const resume = campaigns.filter((campaign) => isLaunched(campaign) && isResumed(campaign)).length;
  const numbers = {
    ...{ ...summary, launch: summary.launch - resume, resume },
    ...{ removed: summary.removed - outside, outside, drift },
    warnings: countWarnings(plan),
    by_hand: plan.by_hand.length,
    refused: refusedCampaigns(plan).length,
  };
  const some = (
    ...all: [kind: PlanCount['kind'], look: Look, singular: string, plural?: string][]
  ): PlanCount[] =>
    all.flatMap(([kind, look, singular, plural = singular]) => {
      const number = numbers[kind];
      return number > 0 || kind === 'unchanged'
        ? [{ kind, look, number, words: number === 1 ? singular : plural }]
        : [];
    });
  return {
    campaigns: some(
      ['create', 'new', 'to create'],
      ['change', 'changed', 'to change'],
      ['blocked', 'blocked', partialWords(partial, summary.blocked)],
      ['unchanged', 'quiet', 'unchanged'],
      ['not_read', 'quiet', 'not read'],
    ),
    rest: some(
      ['refused', 'blocked', `not applied to ${earlierName(plan)}`],
      ['launch', 'launch', 'launch', 'launches'],
      ['resume', 'launch', 'resume', 'resumes'],
      ['pause', 'changed', 'pause', 'pauses'],
      ['removed', 'changed', sending === 0 ? UNMANAGED : `${UNMANAGED} (${thousands(sending)} sending)`],
      ['outside', 'changed', 'outside the manifests of the environment'],
      ['drift', 'changed', OUTSIDE],
      ['warnings', 'changed', 'warning', 'warnings'],
      ['by_hand', 'blocked', 'to do by hand'],
      ['requests', 'quiet', 'request', 'requests'],
    ),
  };
}

export function countWords({ campaigns, rest }: PlanCounts): string {
  const words = (counts: readonly Count[], separator: string) =>
    counts.map(({ number, words }) => `${thousands(number)} ${words}`).join(separator);
  return [words(campaigns, ', '), words(rest, ' · ')].filter(Boolean).join(' · ');
}

export function unreadLine({ not_read }: Pick<Summary, 'not_read'>): string | null {
  if (not_read === 0) return null;
  const which = not_read === 1 ? 'this campaign' : 'these campaigns';
  return `${count(not_read, 'campaign was', 'campaigns were')} not read (--refresh changed): neither the manifests nor the list shows a change. Drift in ${which} is not shown.`;
}

const MAX_BY_HAND = 5;

/** Differences from manifests that only a person can remove. */
function differencesByHand({ by_hand }: Plan): string[] {
  const differing = by_hand.filter(({ does }) => !['delete', 'attach', 'carry'].includes(does));
  return [...groupBy(differing, ({ campaign, id }) => JSON.stringify([campaign, id])).values()].map(
    (tasks) =>
      `${visibleLine(tasks[0].campaign)} (${listed(
        tasks.map(({ place }) => place),
        MAX_BY_HAND,
      )})`,
  );
}

export function noChanges(plan: Plan): string | null {
  const { campaigns, summary, by_hand } = plan;
  const { unchanged, requests, not_read } = summary;
  if (requests > 0 || campaigns.some(differs)) return null;
  const running = otherCampaigns(plan).filter(({ running: sends }) => sends).length;
  if (running > 0)
    return `No changes, but ${count(running, 'campaign')} without a manifest ${running === 1 ? 'is' : 'are'} or may be sending.`;
  const byHand = differencesByHand(plan);
  if (byHand.length > 0) {
    const differ = byHand.length === 1 ? 'differs from its manifest' : 'differ from their manifests';
    return `No changes that apply can make, but ${count(byHand.length, 'live campaign')} ${differ}: ${listed(byHand, MAX_BY_HAND)}. ${isOfSandbox(plan) ? 'The API cannot change that, and a sandbox has no web app.' : "Only a person can change that, in the service's web app."}`;
  }
  if (not_read > 0)
    return `No changes in ${count(unchanged, 'campaign that was', 'campaigns that were')} read.`;
  if (unchanged === 0) return 'No campaigns.';
  if (by_hand.length > 0)
    return `No changes, but ${count(by_hand.length, 'task')} ${by_hand.length === 1 ? 'is' : 'are'} left to do by hand.`;
  if (unchanged === 1) return 'No changes. The live campaign matches its manifest.';
  return `No changes. All ${thousands(unchanged)} live campaigns match their manifests.`;
}

export function driftLine({ campaigns: { length }, replaced, summary, problems }: Plan): string {
  const isDoubtful = problems.some(({ code }) => code !== 'launch-held');
  if (length > 0) return `${length} of ${count(length + summary.unchanged, 'campaign')} ${OUTSIDE}`;
  const unchanged = `${isDoubtful ? 'is known to have been' : 'was'} ${OUTSIDE}.`;
  // Campaigns that were replaced had been paused, so somebody has launched them.
  const restarted = replaced.filter(({ running }) => running).length;
  if (restarted === 0) return `Nothing ${unchanged}`;
  return `${count(restarted, 'replaced campaign')} ${restarted === 1 ? 'is' : 'are'} or may be sending again; nothing else ${unchanged}`;
}
