import { type CampaignPlan, isDrift, type Plan } from '../model/plan.js';
import type { Problem } from '../model/problem.js';

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
