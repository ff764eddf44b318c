import type { CampaignPlan } from '../../model/plan.js';
import { count } from '../words.js';
import { campaignMarkdown, DETAILS, type Detail } from './campaign.js';

/** Campaigns up to which the folds are open. */
const MOST_OPEN = 3;
/** Characters that the note about what is missing takes at most. */
export const NOTE = 200;

/**
 * Campaigns in at most `room` characters: each on a line first, then as many as there is room for in more detail, the first
 * ones first. Cut between campaigns only, and what is missing is said.
 */
export function fitted(campaigns: readonly CampaignPlan[], room: number): string {
  const open = campaigns.length <= MOST_OPEN;
  const lines = campaigns.map((campaign) => campaignMarkdown(campaign, 'line', open));
  let left = room - NOTE;
  const kept = lines.findIndex((line) => {
    left -= line.length;
    return left < 0;
  });
  if (kept >= 0) {
    return `${lines.slice(0, kept).join('')}\n${missing(campaigns.length - kept, 'not shown at all')}`;
  }
  const shown = campaigns.map((_, index) => ({ detail: 'line' as Detail, text: lines[index] ?? '' }));
  for (const [step, detail] of DETAILS.entries()) {
    if (step === 0) continue;
    campaigns.forEach((campaign, index) => {
      const now = shown[index];
      if (now === undefined || now.detail !== DETAILS[step - 1]) return;
      const text = `${campaignMarkdown(campaign, detail, open)}\n`;
      const cost = text.length - now.text.length;
      if (cost > left) return;
      left -= cost;
      shown[index] = { detail, text };
    });
  }
  const texts = (folded: boolean) =>
    shown.filter(({ detail }) => (detail !== 'line') === folded).map(({ text }) => text);
  const short = shown.filter(({ detail }) => detail !== 'full').length;
  const note = short === 0 ? '' : `\n${missing(short, 'shown in part')}`;
  return `${texts(true).join('')}${texts(false).join('')}${note}`;
}

function missing(campaigns: number, how: string): string {
  const whole = 'The whole plan is in the plan file: `campaignctl show` prints it.';
  return `**Too long to be shown whole:** ${count(campaigns, 'campaign')} ${how}. ${whole}\n`;
}
