import type { CampaignPlan, Plan } from '../../model/plan.js';
import type { Problem } from '../../model/problem.js';
import { type Html, html } from '../html-page.js';
import { originLine } from '../origin-words.js';
import { count, impactLine } from '../words.js';

/** So many campaigns are named at a glance. */
const AT_A_GLANCE = 8;

/** A campaign of the page with the anchor of its place. */
export interface Placed {
  campaign: CampaignPlan;
  anchor: string;
}

/** What whoever approves has to look at: launches, what is not possible, what has to be accepted, what cannot be undone. */
export function attention(plan: Plan, placed: readonly Placed[]): Html {
  if (plan.mode === 'drift') return html``;
  const blocks = [
    launches(placed),
    blocked(placed),
    ...hazards(plan, placed),
    drifted(placed),
    oneWay(placed),
  ].filter((block) => block !== null);
  if (blocks.length > 0)
    return html`<section aria-labelledby="attention"><h2 id="attention">Before you approve</h2>${blocks}</section>`;
  if (plan.summary.requests === 0) return html``;
  return html`<section aria-labelledby="attention"><h2 id="attention">Before you approve</h2><p class="notice calm">Nothing here launches, is blocked, has to be accepted by name or cannot be undone.</p></section>`;
}

function launches(placed: readonly Placed[]): Html | null {
  const own = placed.filter(({ campaign }) => campaign.steps.some(({ id }) => id === 'launch'));
  if (own.length === 0) return null;
  const hazard = own.flatMap(({ campaign }) => campaign.problems).find(({ code }) => code === 'launch');
  const title = `${count(own.length, 'launch', 'launches')}: ${own.length === 1 ? 'it starts' : 'they start'} to send emails to real people`;
  const hint = hazard === undefined ? null : html`<p class="hint">${hazard.hint}</p>`;
  const items = own.map(
    ({ campaign: { name, impact }, anchor }) =>
      html`<li><a href="#${anchor}">${name}</a>${impact === null ? null : html`: ${impactLine(impact)}`}</li>`,
  );
  return notice('launch', title, html`${few(items)}${hint}`);
}

function blocked(placed: readonly Placed[]): Html | null {
  const own = placed.filter(({ campaign }) =>
    campaign.problems.some(({ severity }) => severity === 'blocked'),
  );
  if (own.length === 0) return null;
  const title = `${count(own.length, 'campaign')} with something that this interface cannot do`;
  const groups = grouped(own, ({ severity }) => severity === 'blocked').map(group);
  return notice('blocked', title, html`${groups}`);
}

/** Every kind of hazard once, with its campaigns; launches have been told. */
function hazards({ problems }: Plan, placed: readonly Placed[]): Html[] {
  const general = problems
    .filter(({ severity }) => severity === 'hazard')
    .map((problem) => ({ problem, own: [] }));
  const ofCampaigns = grouped(placed, ({ severity, code }) => severity === 'hazard' && code !== 'launch');
  const groups = [...general, ...ofCampaigns];
  if (groups.length === 0) return [];
  const title = 'To be accepted by name, or nothing is sent';
  return [notice('hazard', title, html`${groups.map(group)}`)];
}

/** What somebody has changed elsewhere, and apply would overwrite. */
function drifted(placed: readonly Placed[]): Html | null {
  const items = placed.flatMap(({ campaign, anchor }) => {
    const line = originLine(campaign);
    return line === null ? [] : [html`<li><a href="#${anchor}">${campaign.name}</a>: ${line}</li>`];
  });
  if (items.length === 0) return null;
  return notice('drift', `${count(items.length, 'campaign')} changed in the service by somebody`, few(items));
}

function oneWay(placed: readonly Placed[]): Html | null {
  const own = placed.flatMap(({ campaign, anchor }) => {
    const titles = campaign.steps
      .filter(({ irreversible, id }) => irreversible && id !== 'launch')
      .map(({ title }) => title);
    return titles.length === 0 ? [] : [{ campaign, anchor, titles }];
  });
  if (own.length === 0) return null;
  const total = own.reduce((sum, { titles }) => sum + titles.length, 0);
  const items = own.map(
    ({ campaign, anchor, titles }) =>
      html`<li><a href="#${anchor}">${campaign.name}</a>: ${titles.join('; ')}</li>`,
  );
  return notice('one-way', `${count(total, 'step')} that cannot be undone`, few(items));
}

function notice(kind: string, title: string, body: Html): Html {
  return html`<section class="notice ${kind}"><h3>${title}</h3>${body}</section>`;
}

function group({ problem, own }: { problem: Problem; own: readonly Placed[] }): Html {
  return html`<div class="group"><p><code>${problem.code}</code> ${problem.message}</p>${own.length === 0 ? null : campaignLinks(own)}<p class="hint">${problem.hint}</p></div>`;
}

/** Problems of one code, in the words of the first, with the campaigns that have it. */
function grouped(placed: readonly Placed[], wanted: (problem: Problem) => boolean) {
  const groups = new Map<string, { problem: Problem; own: Placed[] }>();
  for (const one of placed) {
    for (const problem of one.campaign.problems.filter(wanted)) {
      const known = groups.get(problem.code);
      if (known === undefined) groups.set(problem.code, { problem, own: [one] });
      else if (!known.own.includes(one)) known.own.push(one);
    }
  }
  return [...groups.values()];
}

function campaignLinks(placed: readonly Placed[]): Html {
  return few(placed.map(({ campaign, anchor }) => html`<li><a href="#${anchor}">${campaign.name}</a></li>`));
}

function few(items: readonly Html[]): Html {
  if (items.length <= AT_A_GLANCE) return html`<ul class="links">${items}</ul>`;
  const [shown, rest] = [items.slice(0, AT_A_GLANCE - 2), items.slice(AT_A_GLANCE - 2)];
  return html`<ul class="links">${shown}</ul><details class="fold"><summary>${rest.length} more</summary><ul class="links">${rest}</ul></details>`;
}
