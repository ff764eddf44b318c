import type { Change, SectionName } from '../../model/change.js';
import type { BeforeAfter } from '../../model/content.js';
import { type CampaignPlan, isDrift } from '../../model/plan.js';
import { SECTION_LABELS } from '../../model/sections.js';
import { label, leftSections } from '../change-lines.js';
import { type Html, html } from '../html-page.js';
import { markedChanges, originLine, whichCampaign } from '../origin-words.js';
import { capital, count, impactLine, short } from '../words.js';
import { leadsPart } from './leads-part.js';
import { problemList } from './problems-part.js';
import { schedulePart } from './schedule-part.js';
import { sequencePart } from './sequence-part.js';
import { settingsPart } from './settings-part.js';
import { chipsOf, signOf } from './themes.js';

/**
 * One campaign, folded unless `open`: both sides of everything that its manifest manages. `anchor` names it in the page;
 * `inFrame`: its mails are shown as they look, not as text.
 */
export function campaignPart(
  campaign: CampaignPlan,
  { anchor, open, inFrame }: { anchor: string; open: boolean; inFrame: boolean },
): Html {
  const { name, manifest, problems, content } = campaign;
  const origin = originLine(campaign);
  const whose = origin === null ? null : html`<p class="notice drift">${capital(origin)}.</p>`;
  const told = problems.filter(({ code }) => code !== 'not-readable');
  const where = html`<span class="where">${whichCampaign(campaign)} · ${manifest}</span>`;
  const head = html`<summary><h3>${signOf(campaign)} ${name}</h3><span class="chips">${chipsOf(campaign)}</span>${where}</summary>`;
  const parts =
    content === null ? [changeTable(markedChanges(campaign))] : aspectParts(campaign, content, inFrame);
  // The anchor is inside: a browser that follows a link to what is folded unfolds it.
  return html`<details class="campaign"${open ? html` open` : null}>${head}<div class="inside" id="${anchor}">${whose}${problemList(told)}${parts}${requests(campaign)}</div></details>`;
}

function aspectParts(campaign: CampaignPlan, sides: BeforeAfter, inFrame: boolean): (Html | null)[] {
  const { changes } = campaign;
  const left = leftSections(campaign);
  const sent = !left.includes('sequence');
  const part = (section: SectionName, body: Html | null) => {
    if (body === null) return null;
    // Of a new campaign, everything is new.
    const differs = sides.before !== null && changes.some((change) => change.section === section);
    const words = left.includes(section) ? 'differs, not sent' : differs ? 'changes' : null;
    const drifted = changes.some((change) => change.section === section && isDrift(change));
    const mark = drifted ? html` <span class="chip drift">changed in the service</span>` : null;
    const chip = words === null ? null : html` <span class="chip change">${words}</span>${mark}`;
    return html`<section class="section"><h4>${SECTION_LABELS[section]}${chip}</h4>${body}</section>`;
  };
  return [
    part('status', statusPart(campaign)),
    part('sequence', sequencePart(sides, changes, { sent, inFrame })),
    part('schedule', schedulePart(sides, changes)),
    part('settings', settingsPart(sides, markedChanges(campaign))),
    part('leads', leadsPart(sides, changes)),
  ];
}

function statusPart({ changes, impact }: CampaignPlan): Html | null {
  const change = changes.find(({ section }) => section === 'status');
  if (change === undefined) return null;
  const told = impact === null ? null : html` <span>${impactLine(impact)}</span>`;
  return html`<p><del>${short(change.from ?? 'draft')}</del> <ins>${short(change.to)}</ins>${told}</p>`;
}

/** What differs, where no more is known of the campaign. */
function changeTable(changes: readonly Change[]): Html | null {
  const rows = changes
    .filter(({ section }) => section !== 'campaign')
    .map(
      ({ section, path, from, to, note }) =>
        html`<tr><th scope="row">${section} ${label(path)}</th><td>${short(from)}</td><td>${short(to)}${note === null ? null : html`<small>${note}</small>`}</td></tr>`,
    );
  if (rows.length === 0) return null;
  return html`<table><caption class="unseen">Changes</caption><thead><tr><th scope="col">What</th><th scope="col">Live now</th><th scope="col">To be</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function requests({ steps }: CampaignPlan): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map(
    ({ title, method, path, irreversible }) =>
      html`<li>${title}${irreversible ? html` <span class="chip">cannot be undone</span>` : null}<small><code>${method} ${path}</code></small></li>`,
  );
  return html`<details class="requests"><summary>${count(steps.length, 'request')}, in this order</summary><ol>${items}</ol></details>`;
}
