import type { BeforeAfter, Content } from '../model/outputs.js';
import { OPTIONAL_SECTIONS, SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { leadsNamed } from '../model/words.js';
import { type ChangeView, viewChanges } from './changes.js';
import { changedText, emailCards } from './html-emails.js';
import { copied, type Fragment, fold, type Html, html } from './html-page.js';
import type { CampaignBlock, SectionView } from './plan-view.js';
import { capital, scheduleLine, short } from './words.js';

export interface PartOptions {
  inFrame: boolean;
  isBrief: boolean;
}

/** For a single campaign, unchanged parts are folded. */
export function sectionParts(
  { campaigns: [view], sections, title }: CampaignBlock,
  { inFrame, isBrief }: PartOptions,
): Fragment[] {
  const { emails, isLaunch } = view;
  const { id } = view.campaign;
  const content = view.campaign.content ?? NOTHING;
  const shown = sections.filter(({ section }) => section !== 'campaign');
  const isSent = shown.every(({ section, sent }) => sent || section !== 'sequence');
  const parts = shown.map((section) => sectionPart(section, content, { inFrame, isCreated: id === null }));
  const all =
    emails.length === 0 || (isBrief && !isLaunch)
      ? null
      : emailCards(emails, content, { sent: isSent, inFrame, isOpen: isLaunch });
  if (isLaunch && all !== null) parts.push(html`<section class="section"><h4>Emails</h4>${all}</section>`);
  if (title !== null || isBrief) return parts;
  const rest = [
    unchangedTable(content, shown),
    isLaunch || all === null ? null : html`<h4>Emails</h4>${all}`,
  ];
  return rest.every((part) => part === null)
    ? parts
    : [...parts, fold('Everything else', rest, 'fold unchanged')];
}

const NONE = Object.fromEntries(OPTIONAL_SECTIONS.map((name) => [name, null])) as unknown as Content;
const NOTHING: BeforeAfter = { before: null, after: NONE };

function sectionPart(
  { section, changes, sent, compared }: SectionView,
  content: BeforeAfter,
  { inFrame, isCreated }: { inFrame: boolean; isCreated: boolean },
): Html {
  const label = SECTION_LABELS[section];
  const views = viewChanges(changes);
  const values = views.filter(({ form }) => form === 'update' || form === 'value');
  const isNew =
    (isCreated && compared === null) || values.every((change) => 'isNew' in change && change.isNew);
  const rows = values.map((change) => changeRow(label, change, isNew));
  const blocks = views.map((change) => changeBlock(change, content, { sent, inFrame }));
  const chip = sent ? null : html` <span class="chip change">changed, not sent</span>`;
  const table = rows.length === 0 ? null : tableOf(isNew ? ['Planned'] : ['Current', 'Planned'], rows);
  return html`<section class="section"><h4>${label}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${table}${blocks}</section>`;
}

function changeRow(label: string, change: ChangeView, isNew: boolean): Html {
  const [before, after] = valuesOf(change);
  const current = isNew ? null : html`<td>${before && html`<del>${copied(before)}</del>`}</td>`;
  const note = change.note && html`<small>${change.note}</small>`;
  return html`<tr><th scope="row">${labelOf(change.name || label)}</th>${current}<td>${after && html`<ins>${copied(after)}</ins>`}${note}</td></tr>`;
}

function valuesOf(change: ChangeView): [before: string | null, after: string | null] {
  if (change.form === 'update') return [change.from, change.to];
  if (change.form !== 'value') return [null, null];
  return change.isNew ? [null, change.value] : [change.value, null];
}

function changeBlock(
  change: ChangeView,
  content: BeforeAfter,
  options: { sent: boolean; inFrame: boolean },
): Html | null {
  const note = change.note && html`<p class="quiet">(${change.note})</p>`;
  if (change.form === 'text')
    return html`<h5>${labelOf(change.name)}</h5>${note}${changedText(change.from, change.to)}`;
  if (change.form !== 'emails') return null;
  return html`${change.name && html`<p>${change.name}</p>`}${change.isNew ? null : html`<p>Removed</p>`}${note}${emailCards(change.emails, content, { ...options, isOpen: true })}`;
}

function tableOf(heads: readonly string[], rows: readonly Html[]): Html {
  const cells = ['What', ...heads].map((head) => html`<th scope="col">${head}</th>`);
  return html`<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>`;
}

function labelOf(name: string): Fragment {
  const setting = SETTINGS.find((row) => row.name === name);
  return setting === undefined ? name : html`${setting.label}<small><code>${name}</code></small>`;
}

function unchangedTable({ before }: BeforeAfter, changed: readonly SectionView[]): Html | null {
  if (before === null) return null;
  const { settings, schedule, leads } = before;
  const paths = changed.flatMap(({ section, changes }) => changes.map(({ path }) => `${section} ${path}`));
  const isChanged = (start: string) => paths.some((path) => path.startsWith(start));
  const hours = { ...schedule?.window, ...(schedule?.template ? { template: schedule.template } : {}) };
  const kinds = (['lists', 'ids'] as const).filter((kind) => (leads?.[kind].length ?? 0) > 0);
  const values = [
    ...SETTINGS.flatMap(({ name }) => {
      const value = settings?.[name];
      return value === undefined || isChanged(`settings ${name}`) ? [] : [[name, short(value, 200)] as const];
    }),
    ...(schedule === null || isChanged('schedule') ? [] : [['schedule', scheduleLine(hours)] as const]),
    ...kinds.map((kind) => ['attached already', leadsNamed(kind, leads?.[kind] ?? [])] as const),
  ];
  const rows = values.map(
    ([name, value]) => html`<tr><th scope="row">${labelOf(name)}</th><td>${copied(value)}</td></tr>`,
  );
  return rows.length === 0 ? null : tableOf(['Current'], rows);
}
