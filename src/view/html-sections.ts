import type { Json } from '../model/json.js';
import type { BeforeAfter, Content } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { leadsNamed } from '../model/words.js';
import { type ChangeView, viewChanges } from './changes.js';
import { changedText, sequencePart } from './html-emails.js';
import { copied, type Fragment, fold, type Html, html } from './html-page.js';
import type { CampaignBlock, SectionView } from './plan-view.js';
import { capital, scheduleLine, short } from './words.js';

/** `inFrame`: emails as they look. `isBrief`: only what changes. */
export interface PartOptions {
  inFrame: boolean;
  isBrief: boolean;
}

/** Changed sections and all emails of a launch; the rest is folded, but not for several campaigns. */
export function sectionParts(
  { campaigns: [view], sections, title }: CampaignBlock,
  options: PartOptions,
): Html {
  const { content } = view.campaign;
  const several = title !== null || options.isBrief;
  const shown = sections.filter(({ section }) => section !== 'campaign');
  const parts = shown.map((section) =>
    sectionPart(section, content, { ...options, several: several && !view.isLaunch }),
  );
  const isUnchanged = !shown.some(({ section }) => section === 'sequence');
  const emails =
    isUnchanged && content !== null && (view.isLaunch || !several)
      ? sequencePart(content, [], { sent: true, inFrame: options.inFrame, several: false })
      : null;
  const sequence = emails && html`<section class="section"><h4>Sequence</h4>${emails}</section>`;
  if (content === null || several) return html`${parts}${sequence}`;
  const rest = [unchangedTable(content, shown), view.isLaunch ? null : sequence].filter(
    (part) => part !== null,
  );
  const folded = rest.length === 0 ? null : fold('Unchanged', rest, 'fold unchanged');
  return html`${parts}${view.isLaunch ? sequence : null}${folded}`;
}

function sectionPart(
  { section, changes, sent, compared }: SectionView,
  content: BeforeAfter | null,
  options: { inFrame: boolean; several: boolean },
): Html {
  const emails =
    section === 'sequence' && content !== null ? sequencePart(content, changes, { ...options, sent }) : null;
  const noted = viewChanges(changes).filter(({ note }) => note !== '');
  const notes = noted.map(({ name, note }) => html`<li>${name} (${note})</li>`);
  const body =
    emails === null
      ? changeTable(SECTION_LABELS[section], viewChanges(changes), content?.before === null)
      : html`${emails}${notes.length === 0 ? null : html`<ul class="quiet">${notes}</ul>`}`;
  const chip = sent ? null : html` <span class="chip change">changed, not sent</span>`;
  return html`<section class="section"><h4>${SECTION_LABELS[section]}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${body}</section>`;
}

/** A new campaign has no current values. */
function changeTable(section: string, changes: readonly ChangeView[], isCreated: boolean): Html {
  const isNew = isCreated || changes.every((change) => 'isNew' in change && change.isNew);
  const rows = changes.map((change) => {
    const [before, after] = sidesOf(change);
    const note = change.note && html`<small>${change.note}</small>`;
    return html`<tr><th scope="row">${labelOf(change.name || section)}</th>${isNew ? null : html`<td>${before}</td>`}<td>${after}${note}</td></tr>`;
  });
  return table(isNew ? ['Planned'] : ['Current', 'Planned'], rows);
}

function table(heads: readonly string[], rows: readonly Html[]): Html {
  const cells = ['What', ...heads].map((head) => html`<th scope="col">${head}</th>`);
  return html`<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>`;
}

/** A setting has a label. */
function labelOf(name: string): Fragment {
  const setting = SETTINGS.find((row) => row.name === name);
  return setting === undefined ? name : html`${setting.label}<small><code>${name}</code></small>`;
}

function sidesOf(change: ChangeView): [before: Fragment, after: Fragment] {
  switch (change.form) {
    case 'update':
      return [html`<del>${copied(change.from)}</del>`, html`<ins>${copied(change.to)}</ins>`];
    case 'text':
      return [null, changedText(change.from, change.to)];
    case 'value': {
      const value = copied(change.value);
      return change.isNew ? [null, html`<ins>${value}</ins>`] : [html`<del>${value}</del>`, null];
    }
    case 'emails': {
      const subjects = change.emails.map(
        ({ lead, email, how }) => html`<p>${lead} <q>${copied(email.email_subject)}</q> (${how})</p>`,
      );
      return change.isNew ? [null, subjects] : [subjects, null];
    }
  }
}

/** Settings, schedule and leads that stay as they are. */
function unchangedTable({ before, after }: BeforeAfter, changed: readonly SectionView[]): Html | null {
  if (before === null) return null;
  const paths = changed.flatMap(({ section, changes }) => changes.map(({ path }) => `${section} ${path}`));
  const isChanged = (section: string) => paths.some((path) => path.startsWith(section));
  const settings = SETTINGS.map(({ name }) => ({
    name,
    value: before.settings?.[name] ?? after.settings?.[name],
  }));
  const rows = [
    ...settings.flatMap(({ name, value }) =>
      value === undefined || isChanged(`settings ${name}`) ? [] : [row(name, value)],
    ),
    ...(isChanged('schedule') ? [] : scheduleRow(before.schedule)),
    ...leadsRow(before.leads),
  ];
  return rows.length === 0 ? null : table(['Current'], rows);
}

function row(name: string, value: Json): Html {
  return html`<tr><th scope="row">${labelOf(name)}</th><td>${copied(short(value, 200))}</td></tr>`;
}

function scheduleRow(schedule: Content['schedule']): Html[] {
  if (schedule === null) return [];
  const { template, window } = schedule;
  return [row('schedule', scheduleLine({ ...window, ...(template === null ? {} : { template }) }))];
}

function leadsRow(leads: Content['leads']): Html[] {
  const kinds = (['lists', 'ids'] as const).filter((kind) => (leads?.[kind].length ?? 0) > 0);
  const words = kinds.map((kind) => leadsNamed(kind, leads?.[kind] ?? []));
  return words.length === 0 ? [] : [row('leads attached already', words.join(' and '))];
}
