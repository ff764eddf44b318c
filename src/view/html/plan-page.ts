import type { CampaignPlan, Plan } from '../../model/plan.js';
import { type Html, html, page } from '../html-page.js';
import { driftedCampaigns, driftLine } from '../origin-words.js';
import { summaryLine } from '../plan-text.js';
import { plain } from '../terminal.js';
import { count, thousands } from '../words.js';
import { attention, type Placed } from './attention.js';
import { campaignPart } from './campaign-part.js';
import { framed } from './mail-card.js';
import { mailsOf } from './pairs.js';
import { chipsOf, signOf } from './themes.js';

/** So many campaigns are unfolded: enough to see what there is. */
const UNFOLDED = 3;

/** A plan as one page that needs nothing but a browser: what to look at first, an index, and both sides of each campaign. */
export function renderPlanHtml(plan: Plan): string {
  const told = plan.campaigns
    .filter(isTold)
    .map((campaign, at) => ({ campaign, anchor: `campaign-${at + 1}` }));
  const title = `${plan.mode === 'drift' ? 'Drift of' : 'Plan for'} ${plan.environment}`;
  const header = html`<p class="eyebrow">campaignctl plan</p><h1>${title}</h1><p class="where">${plan.base_url}</p>${counts(plan)}${verdict(plan)}`;
  const frames = framed(
    told.map(({ campaign: { content, changes } }) => mailsOf(content?.after.sequence ?? null, changes)),
  );
  const campaigns = told.map(({ campaign, anchor }, at) =>
    campaignPart(campaign, { anchor, open: at < UNFOLDED, inFrame: frames[at] === true }),
  );
  const without = frames.filter((inFrame) => !inFrame).length;
  const large =
    without === 0
      ? null
      : html`<p class="quiet">This page holds many emails: those of the last ${count(without, 'campaign')} are shown as text. A plan of fewer campaigns (--target) shows them as they look.</p>`;
  const main = html`${attention(plan, told)}${index(told, plan)}${large}<section class="campaigns" aria-label="Campaigns in full">${campaigns}</section>${notes(plan)}<p class="quiet print">Fingerprint ${plan.fingerprint}</p>`;
  return page({ title, header, main });
}

/** Said in words where the counts alone would leave a doubt. */
function verdict(plan: Plan): Html | null {
  if (plan.mode === 'drift') return html`<p class="headline">${driftLine(plan)}</p>`;
  const differs = plan.campaigns.some(({ action }) => action !== 'none');
  return differs ? null : html`<p class="headline">${summaryLine(plan, plain)}</p>`;
}

/** Campaigns with nothing to do and nothing to say are only counted. */
function isTold({ action, problems }: CampaignPlan): boolean {
  return action !== 'none' || problems.some(({ code }) => code !== 'not-readable');
}

function counts(plan: Plan): Html | null {
  if (plan.mode === 'drift') return null;
  const { create, change, blocked, launch, pause, unchanged, requests } = plan.summary;
  const tiles: [number, string, string][] = [
    [launch, launch === 1 ? 'launch' : 'launches', 'launch'],
    [create, 'to create', 'new'],
    [change, 'to change', 'changed'],
    [blocked, 'blocked', 'blocked'],
    [driftedCampaigns(plan), 'changed in the service', 'drift'],
    [pause, pause === 1 ? 'pause' : 'pauses', ''],
    [unchanged, 'unchanged', ''],
    [requests, requests === 1 ? 'request' : 'requests', ''],
  ];
  const shown = tiles.filter(([number, words]) => number > 0 || /unchanged|request/.test(words));
  return html`<ul class="tiles">${shown.map(([number, words, kind]) => html`<li class="${kind}"><strong>${thousands(number)}</strong> ${words}</li>`)}</ul>`;
}

function index(placed: readonly Placed[], { summary: { unchanged }, mode }: Plan): Html {
  const rest =
    unchanged === 0 || mode === 'drift'
      ? null
      : html`<p class="quiet">${count(unchanged, 'campaign')} unchanged, not shown.</p>`;
  if (placed.length === 0) return html`<section><h2>Campaigns</h2>${rest}</section>`;
  const items = placed.map(
    ({ campaign, anchor }) =>
      html`<li>${signOf(campaign)} <a href="#${anchor}">${campaign.name}</a> <span class="chips">${chipsOf(campaign)}</span></li>`,
  );
  return html`<nav aria-labelledby="index"><h2 id="index">Campaigns</h2><ol class="index">${items}</ol>${rest}</nav>`;
}

/** What the service does not show, once for all campaigns. */
function notes({ campaigns, problems }: Plan): Html | null {
  const told = new Map<string, number>();
  for (const { message, code } of campaigns.flatMap((campaign) => campaign.problems)) {
    if (code === 'not-readable') told.set(message, (told.get(message) ?? 0) + 1);
  }
  const general = problems
    .filter(({ severity }) => severity !== 'hazard')
    .map(({ message }) => html`<li>${message}</li>`);
  const items = [...told].map(([message, times]) => html`<li>${message} (${count(times, 'campaign')})</li>`);
  if (items.length + general.length === 0) return null;
  return html`<section aria-labelledby="notes"><h2 id="notes">Not readable</h2><ul class="quiet">${general}${items}</ul></section>`;
}
