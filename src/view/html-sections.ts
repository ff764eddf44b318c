import type { Json } from '../model/json.js';
import { isObject } from '../model/json.js';
import type { BeforeAfter, Content, SectionName } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { count, label, thousands } from '../model/words.js';
import { SECTION_ORDER, showing, shownBefore } from './changes.js';
import { areLong } from './diffs.js';
import { sequencePart } from './html-emails.js';
import { copied, type Fragment, fold, type Html, html, weekPicture } from './html-page.js';
import type { SectionView } from './plan-view.js';
import { capital, short } from './words.js';

/** Ids shown without a fold. */
const IDS_AT_A_GLANCE = 12;

/** `inFrame`: emails as they look. `several`: stands for several campaigns. `launched`: shows all emails. */
export interface PartOptions {
  content: BeforeAfter;
  inFrame: boolean;
  several: boolean;
  launched: boolean;
}

/** Changed sections, and emails of a launch; the rest is folded. For several campaigns, only what they share. */
export function sectionParts(sections: readonly SectionView[], options: PartOptions): Html {
  const { content, several } = options;
  const changing = new Set(sections.map(({ section }) => section));
  if (options.launched) changing.add('sequence');
  const named = SECTION_ORDER.map((section) => ({ section, part: sectionPart(section, sections, options) }));
  const part = (isChanging: boolean) =>
    named.filter(({ section, part }) => part !== null && changing.has(section) === isChanging);
  const rest = several || content.before === null ? [] : part(false);
  // A new campaign has no unchanged sections.
  const first = content.before === null && !several ? named : part(true);
  const words = rest.map(({ section }) => SECTION_LABELS[section].toLowerCase()).join(', ');
  const parts = rest.map((entry) => entry.part);
  const folded = rest.length === 0 ? null : fold(`Unchanged: ${words}`, parts, 'fold unchanged');
  return html`${first.map((entry) => entry.part)}${folded}`;
}

/** For campaigns without content. */
export function changeTable(changes: Changes): Html | null {
  const rows = changes
    .filter(({ section }) => section !== 'campaign')
    .map((change) => {
      const { section, path, to, note } = change;
      return html`<tr><th scope="row">${section} ${label(path)}</th><td>${value(path, shownBefore(change))}</td><td>${value(path, to)}${note && html`<small>${note}</small>`}</td></tr>`;
    });
  if (rows.length === 0) return null;
  return html`<table><caption class="unseen">Changes</caption><thead><tr><th scope="col">What</th><th scope="col">Current</th><th scope="col">Planned</th></tr></thead><tbody>${rows}</tbody></table>`;
}

/** `null` if not managed. */
function sectionPart(
  section: SectionName,
  sections: readonly SectionView[],
  options: PartOptions,
): Html | null {
  if (section === 'campaign') return null;
  const { content, inFrame, several, launched } = options;
  const differing = sections.find((view) => view.section === section);
  const { changes = [], sent = true, drift = null, compared = null } = differing ?? {};
  const bodies: { [Section in SectionName]?: () => Html | null } = {
    status: () => statusPart(changes),
    sequence: () =>
      sequencePart(content, changes, {
        sent,
        inFrame,
        several: several && !launched,
        old: compared === null ? 'Current' : 'In the replaced campaign',
      }),
    schedule: () => schedulePart(content, changes),
    settings: () => settingsPart(content, changes, several),
    leads: () => leadsPart(content, changes),
  };
  const body = bodies[section] === undefined ? changeTable(changes) : bodies[section]();
  if (body === null) return null;
  // A new campaign marks nothing as changed.
  const differs = content.before !== null && differing !== undefined;
  const words = sent ? (differs ? 'changes' : null) : 'changed, not sent';
  const mark = drift && html` <span class="chip drift">${drift}</span>`;
  const chip = words === null ? null : html` <span class="chip change">${words}</span>${mark}`;
  return html`<section class="section"><h4>${SECTION_LABELS[section]}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${body}${changeNotes(changes)}</section>`;
}

function value(path: string, of: Json): Html {
  return copied(short(of, 70, showing(path)));
}

type Changes = SectionView['changes'];

/** Notes by place, except those shown in rows. */
function changeNotes(changes: Changes): Html | null {
  const items = changes.flatMap((change) => {
    const { section, path, kind, to, note } = change;
    if (note === null || section === 'settings' || (section === 'leads' && path === 'lists')) return [];
    const from = shownBefore(change);
    const values =
      kind === 'update' && !areLong(from, to) ? html`${value(path, from)} → ${value(path, to)} ` : null;
    return [html`<li>${path === '' ? '' : `${label(path)} `}${values}(${note})</li>`];
  });
  return items.length === 0 ? null : html`<ul class="quiet">${items}</ul>`;
}

function statusPart([change]: Changes): Html | null {
  if (change === undefined) return null;
  return html`<p><del>${short(shownBefore(change))}</del> <ins>${short(change.to)}</ins></p>`;
}

function schedulePart({ before, after: { schedule } }: BeforeAfter, changes: Changes): Html | null {
  if (schedule === null) return null;
  const { template, window } = schedule;
  const isSaved = changes.some(
    ({ path, to }) => path === 'save_as_template' || (isObject(to) && to.save_as_template === true),
  );
  const hours = before?.schedule?.window ?? null;
  const picture = hours === null && window === null ? null : weekPicture(hours, window, changes.length > 0);
  const from =
    window === null
      ? `Uses the hours of template ${template}, which the service does not show.`
      : `From template ${template}.`;
  const notes = [template === null ? null : from, isSaved ? 'Also saved as a template.' : null];
  return html`${picture}${notes.map((note) => note && html`<p class="quiet">${note}</p>`)}`;
}

/** Changed settings; the others are folded. For several campaigns, only the changed ones. */
function settingsPart(
  { before, after: { settings } }: BeforeAfter,
  changes: Changes,
  several: boolean,
): Html | null {
  if (settings === null) return null;
  const live = before?.settings ?? null;
  const current = live === null ? null : html`<th scope="col">Current</th>`;
  const table = (rows: readonly Html[]) =>
    html`<table><caption class="unseen">Settings</caption><thead><tr><th scope="col">Setting</th>${current}<th scope="col">Planned</th></tr></thead><tbody>${rows}</tbody></table>`;
  const rows = SETTINGS.filter(({ name }) => settings[name] !== undefined || live?.[name] !== undefined).map(
    ({ name, label: words }) => {
      const change = changes.find(({ path }) => path === name) ?? null;
      const isMarked = change !== null && live !== null;
      const now = live === null ? null : html`<td>${settingOf(live[name], 'not shown')}</td>`;
      const planned = settingOf(settings[name], 'kept');
      const mark = isMarked ? html` <span class="chip change">changed</span>` : null;
      const row = html`<tr class="${isMarked ? 'changed' : ''}"><th scope="row">${words}${mark}<small><code>${name}</code></small></th>${now}<td>${change === null ? planned : html`<ins>${planned}</ins>`}${change?.note ? html`<small>${change.note}</small>` : null}</td></tr>`;
      return { row, isChanged: change !== null };
    },
  );
  const rowsWhere = (wanted: boolean) =>
    rows.flatMap(({ row, isChanged }) => (isChanged === wanted ? [row] : []));
  const [changed, rest] = [rowsWhere(true), rowsWhere(false)];
  if (changed.length === 0 || live === null) return table(rows.map(({ row }) => row));
  const isFolded = !several && rest.length > 0;
  return html`${table(changed)}${isFolded ? fold(count(rest.length, 'unchanged setting'), table(rest)) : null}`;
}

function settingOf(value: NonNullable<Content['settings']>[string] | undefined, absent: string): Fragment {
  if (value === undefined) return html`<span class="quiet">${absent}</span>`;
  if (value === null) return html`<span class="quiet">none</span>`;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  return typeof value === 'number' ? thousands(value) : copied(value);
}

function leadsPart({ before, after: { leads } }: BeforeAfter, changes: Changes): Html | null {
  if (leads === null) return null;
  const added = (path: 'lists' | 'ids') =>
    changes.flatMap(({ path: changedPath, to }) =>
      changedPath === path && Array.isArray(to) ? to.map(String) : [],
    );
  const attached = (path: 'lists' | 'ids') => before?.leads?.[path].map(String) ?? [];
  const named = changes.find(({ path }) => path === 'lists')?.note ?? null;
  const rows = [
    leadsLine('To attach', added('lists'), added('ids'), named),
    leadsLine('Already attached', attached('lists'), attached('ids'), null),
  ].filter((row) => row !== null);
  return rows.length === 0 ? html`<p>None.</p>` : html`<dl class="facts">${rows}</dl>`;
}

function leadsLine(words: string, lists: string[], ids: string[], named: string | null): Html | null {
  if (lists.length + ids.length === 0) return null;
  const part = (listedIds: string[], noun: string, shown: Fragment) =>
    listedIds.length === 0 ? null : html`<dd>${count(listedIds.length, noun)} ${shown}</dd>`;
  const names = named ? html`<span class="quiet">${named}</span>` : numbers(lists);
  return html`<dt>${words}</dt>${part(lists, 'lead list', names)}${part(ids, 'individual lead', numbers(ids))}`;
}

function numbers(ids: readonly string[]): Html {
  if (ids.length <= IDS_AT_A_GLANCE) return html`<span class="quiet">${ids.join(', ')}</span>`;
  return fold(`${ids[0] ?? ''} … ${ids.at(-1) ?? ''}`, html`<p class="quiet">${ids.join(', ')}</p>`);
}
