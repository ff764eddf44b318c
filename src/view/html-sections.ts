import type { BeforeAfter } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { type ChangeView, viewChanges } from './changes.js';
import { changedText, type EmailOptions, emailCards } from './html-emails.js';
import { copied, type Fragment, type Html, html } from './html-page.js';
import type { CampaignBlock, CampaignView, SectionView } from './plan-view.js';
import { capital } from './words.js';

export function sectionParts(
  { campaigns: [view], sections, title }: CampaignBlock,
  inFrame: boolean,
): Html[] {
  const { emails, isLaunch, campaign } = view;
  const shown = sections.filter(({ section }) => section !== 'campaign');
  const parts = shown.map((section) => sectionPart(section, view, inFrame));
  const sequence = shown.find(({ section }) => section === 'sequence');
  const hasEmails = emails.length > 0 && (isLaunch || (sequence !== undefined && title === null));
  if (!hasEmails) return parts;
  const options = { isWithheld: sequence?.isWithheld === true, inFrame, isOpen: isLaunch };
  const cards = emailCards(emails, campaign.content, options);
  return [...parts, html`<section class="section"><h4>Emails</h4>${cards}</section>`];
}

function sectionPart(
  { section, changes, isWithheld, compared }: SectionView,
  { campaign }: CampaignView,
  inFrame: boolean,
): Html {
  const label = SECTION_LABELS[section];
  const views = viewChanges(changes);
  const values = views.filter(({ form }) => form === 'update' || form === 'value');
  const isNew = values.every((change) => 'isNew' in change && change.isNew);
  const rows = values.map((change) => changeRow(label, change, isNew));
  const emails = { isWithheld, inFrame, isOpen: true };
  const blocks = views.map((change) => changeBlock(change, campaign.content, emails));
  const word = isWithheld ? 'not sent' : campaign.action === 'blocked' ? 'apply sends this' : null;
  const chip = word && html` <span class="chip change">${word}</span>`;
  const heads = ['What', ...(isNew ? [] : ['Current']), 'Planned'];
  const cells = heads.map((head) => html`<th scope="col">${head}</th>`);
  const table = html`<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>`;
  return html`<section class="section"><h4>${label}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${rows.length === 0 ? null : table}${blocks}</section>`;
}

function changeRow(label: string, change: ChangeView, isNew: boolean): Html {
  const [before, after] = splitChange(change);
  const current = isNew ? null : html`<td>${before && html`<del>${copied(before)}</del>`}</td>`;
  const note = change.note && html`<small>${change.note}</small>`;
  return html`<tr><th scope="row">${renderLabel(change.name || label)}</th>${current}<td>${after && html`<ins>${copied(after)}</ins>`}${note}</td></tr>`;
}

function splitChange(change: ChangeView): [before: string | null, after: string | null] {
  if (change.form === 'update') return [change.from, change.to];
  if (change.form !== 'value') return [null, null];
  return change.isNew ? [null, change.value] : [change.value, null];
}

function changeBlock(change: ChangeView, content: BeforeAfter | null, options: EmailOptions): Html | null {
  const note = change.note && html`<p class="quiet">(${change.note})</p>`;
  if (change.form === 'text')
    return html`<h5>${renderLabel(change.name)}</h5>${note}${changedText(change.from, change.to)}`;
  if (change.form !== 'emails') return null;
  const name = change.name && html`<p>${change.name}</p>`;
  return html`${name}${change.isNew ? null : html`<p>Removed</p>`}${note}${emailCards(change.emails, content, options)}`;
}

function renderLabel(name: string): Fragment {
  const setting = SETTINGS.find((row) => row.name === name);
  return setting === undefined ? name : html`${setting.label}<small><code>${name}</code></small>`;
}
