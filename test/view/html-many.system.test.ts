import { expect, it } from 'vitest';
import { htmlToText } from '../../src/email/html-text.js';
import type { CampaignPlan } from '../../src/model/outputs.js';
import { renderPlanHtml } from '../../src/view/plan-html.js';
import { planOf } from '../support/plans.js';
import { oneLine } from '../support/texts.js';
import { CHANGED, CREATED, change } from './plans.js';

/** 300 campaigns, some new and some edited. `local`: each has a different cap. */
function many(local: boolean): CampaignPlan[] {
  return Array.from({ length: 300 }, (_, at) => {
    const campaign = at % 2 === 0 ? CREATED : CHANGED;
    const cap = change({ path: 'max_emails_per_day', from: 100, to: local ? 200 + at : 200 });
    return { ...campaign, name: `Campaign ${at}`, changes: [...campaign.changes, cap] };
  });
}

it('the page of a plan of 300 campaigns is readable: nothing is expanded, and there are not too many frames', () => {
  const page = renderPlanHtml(planOf(many(true)));
  expect(page).not.toMatch(/<details class="campaign"[^>]* open>/);
  expect(page.match(/<details class="folder" open><summary><h3>campaigns</g)).toHaveLength(2);
  expect(page.match(/<iframe /g)?.length).toBeLessThanOrEqual(200);
  expect(oneLine(htmlToText(page))).toContain('This page contains many emails');
  expect(page.length / 300).toBeLessThan(16_000);
});

it('the page of 300 campaigns, many of them equal, shows equal ones once, and names each', () => {
  const page = renderPlanHtml(planOf(many(false)));
  expect(page.match(/<details class="campaign"/g)).toHaveLength(2);
  expect(page.length).toBeLessThan(200_000);
  for (let at = 0; at < 300; at += 1)
    expect(page).toMatch(new RegExp(`<li id="campaign-campaign-${at}">Campaign ${at}<`));
});
