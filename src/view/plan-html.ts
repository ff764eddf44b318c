import { groupBy, isObject, type Json } from '../model/json.js';
import type { BeforeAfter, Content, Plan, SectionName } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { count, label, thousands } from '../model/words.js';
import { byHandHtml, COPY_SCRIPT } from './by-hand.js';
import { SECTION_ORDER, showing, shownBefore } from './changes.js';
import { areLong } from './diffs.js';
import { mailsOf, sequencePart } from './html-emails.js';
import { copied, type Fragment, framed, type Html, html, page, weekPicture } from './html-page.js';
import type { CampaignLink, Notice, NoticeGroup } from './plan-notices.js';
import {
  type CampaignBlock,
  type CampaignView,
  membersOf,
  type PlanView,
  type SectionView,
  viewPlan,
} from './plan-view.js';
import { moreFound, placed } from './problems.js';
import { capital, short } from './words.js';

/** So many campaigns that need a look are unfolded; where none does, so many that change. */
const MOST_UNFOLDED = 6;
const UNFOLDED = 3;
/** Campaigns from which on they are sorted by what happens to them, only the first is unfolded, and so many of each sort are seen. */
const LEAST_SORTED = 16;
const ROWS_OF_SORT = 4;
/** So many lines of a list, and so many ids, are read at a glance. */
const LINES_AT_A_GLANCE = 8;
const IDS_AT_A_GLANCE = 12;
const LINES_OF_INDEX = 8;
const SAYINGS_AT_A_GLANCE = 4;

/** A plan as one page that needs nothing but a browser: what to look at first, an index, and both sides of each campaign. */
export function renderPlanHtml(plan: Plan): string {
  const view = viewPlan(plan);
  const title = `${view.heading} ${view.environment}`;
  const { base_url, verdict, unread, legend, fingerprint } = view;
  const said = [verdict, unread, legend].map((line) => line && html`<p class="headline">${line}</p>`);
  const header = html`<p class="eyebrow">campaignctl plan</p><h1>${title}</h1><p class="where">${base_url}</p>${tiles(view)}${said}`;
  const { blocks } = view;
  const frames = framed(
    blocks.map(({ campaigns: [{ campaign }] }) =>
      mailsOf(campaign.content?.after.sequence ?? null, campaign.changes),
    ),
  );
  const open = unfolded(blocks);
  const inFrame = new Set(blocks.filter((_, at) => frames[at]));
  const partOf = (block: CampaignBlock) =>
    blockPart(block, { open: open.has(block), inFrame: inFrame.has(block) });
  const without = membersOf(blocks.filter((_, at) => !frames[at]));
  const large =
    without === 0
      ? null
      : html`<p class="quiet">This page holds many emails: those of the last ${count(without, 'campaign')} are shown as text. To see them rendered, plan fewer campaigns with --target.</p>`;
  const buttons = blocks.length === 0 ? null : FOLDING;
  const source = `${FOLDING_SCRIPT}${view.byHand.length > 0 ? COPY_SCRIPT : ''}`;
  const campaigns =
    blocks.length < LEAST_SORTED
      ? blocks.map(partOf)
      : byAction(blocks).map(({ words, sorted }) => {
          const [shown, rest] = [sorted.slice(0, ROWS_OF_SORT), sorted.slice(ROWS_OF_SORT)];
          const more =
            rest.length === 0
              ? null
              : html`<details class="more"><summary>${thousands(membersOf(rest))} more: ${words}</summary>${rest.map(partOf)}</details>`;
          return html`<h3 class="sort">${capital(words)}: ${thousands(membersOf(sorted))}</h3>${shown.map(partOf)}${more}`;
        });
  const main = html`${noticesPart(view)}${byHandHtml(view.byHand)}${index(view)}${large}<section class="campaigns" aria-label="Campaigns in full">${buttons}${campaigns}</section>${view.notes.map(noticePart)}<p class="quiet print">Fingerprint ${fingerprint}</p>`;
  return page({ title, header, main, script: source });
}

/** Unfolds and folds everything. Without our script there is nothing to press. */
const FOLDING = html`<p class="folding" hidden><button type="button" value="open">Expand all</button> <button type="button">Collapse all</button></p>`;
const FOLDING_SCRIPT = `
for (const bar of document.querySelectorAll('.folding')) bar.hidden = false;
for (const button of document.querySelectorAll('.folding button'))
  button.addEventListener('click', () => {
    for (const fold of document.querySelectorAll('.campaigns details, .notice details')) fold.open = button.value === 'open';
  });
`;

/** What needs a look; of a plan in which nothing does, the first ones. */
function unfolded(blocks: readonly CampaignBlock[]): Set<CampaignBlock> {
  if (blocks.length >= LEAST_SORTED) return new Set(byAction(blocks)[0]?.sorted.slice(0, 1));
  const needing = blocks.filter(needsLook);
  return new Set(needing.length > 0 ? needing.slice(0, MOST_UNFOLDED) : blocks.slice(0, UNFOLDED));
}

function needsLook({ campaigns: [{ problems, facts }] }: CampaignBlock): boolean {
  return problems.length > 0 || facts.some(({ look, words }) => look === 'launch' || words === 'drift');
}

/** Many campaigns by what happens to them; the sorts with one that needs a look, and of each those that do, come first. */
function byAction(blocks: readonly CampaignBlock[]): { words: string; sorted: CampaignBlock[] }[] {
  const needing = blocks.filter(needsLook);
  const first = [...needing, ...blocks.filter((block) => !needsLook(block))];
  const groups = groupBy(first, ({ campaigns }) => campaigns[0].facts[0]?.words ?? '');
  return [...groups].map(([words, sorted]) => ({ words, sorted }));
}

function tiles({ counts: { campaigns, rest } }: PlanView): Html | null {
  const shown = [...campaigns, ...rest].map(
    ({ look, number, words }) =>
      html`<li class="${look}"><strong>${thousands(number)}</strong> ${words}</li>`,
  );
  return shown.length === 0 ? null : html`<ul class="tiles">${shown}</ul>`;
}

function noticesPart({ notices }: PlanView): Html | null {
  if (notices.length === 0) return null;
  return html`<section aria-labelledby="attention"><h2 id="attention">Look at this first</h2>${notices.map(noticePart)}</section>`;
}

function noticePart({ kind, title, groups }: Notice): Html {
  return html`<section class="notice ${kind}"><h3>${title}</h3>${groups.map(groupPart)}</section>`;
}

function groupPart({ code, accepted_by, hint: common, sayings, more }: NoticeGroup): Html {
  const way = common && html`<p class="hint">${common}</p>`;
  if (code === null) return html`${few(sayings.map(listItem))}${way}`;
  const said = sayings.map(({ hint, lines, campaigns, ...saying }, index) => {
    const message = placed(saying);
    const kind = index === 0 ? html`<code>${code}</code> ` : null;
    const [first] = campaigns;
    const whom = first === undefined || campaigns.length > 1 ? null : html`${linkTo(first)}: `;
    const all = campaigns.length > 1 ? links(campaigns) : null;
    return html`<p>${kind}${whom}${message}</p>${all}${hint && html`<p class="hint">${hint}</p>`}${lines === undefined ? null : html`<pre>${lines.join('\n')}</pre>`}`;
  });
  const [shown, rest] = [said.slice(0, SAYINGS_AT_A_GLANCE), said.slice(SAYINGS_AT_A_GLANCE)];
  const folded = rest.length === 0 ? null : fold(count(rest.length, 'more message'), rest);
  const accepted = accepted_by && html`<p class="quiet">Accepted by <code>${accepted_by}</code></p>`;
  return html`<div class="group">${shown}${folded}${more === 0 ? null : html`<p class="quiet">${moreFound(more)}</p>`}${way}${accepted}</div>`;
}

/** A campaign and what is said of it, or what is said of all. */
function listItem({ campaigns, message }: NoticeGroup['sayings'][number]): Html {
  const [campaign, ...others] = campaigns;
  if (campaign === undefined) return html`<li>${message}</li>`;
  if (others.length === 0) return html`<li>${linkTo(campaign)}${message && `: ${message}`}</li>`;
  return html`<li>${count(campaigns.length, 'campaign')}${message && `: ${message}`}${links(campaigns)}</li>`;
}

function links(campaigns: readonly CampaignLink[]): Html {
  return few(campaigns.map((one) => html`<li>${linkTo(one)}</li>`));
}

/** What stays folded behind its summary. */
function fold(summary: string, inside: Fragment, kind = 'fold'): Html {
  return html`<details class="${kind}"><summary>${summary}</summary>${inside}</details>`;
}

function linkTo({ anchor, name }: CampaignLink): Html {
  return anchor === null ? html`${name}` : html`<a href="#${anchor}">${name}</a>`;
}

function few(items: readonly Html[], kind = 'links'): Html {
  if (items.length <= LINES_AT_A_GLANCE) return html`<ul class="${kind}">${items}</ul>`;
  const [shown, rest] = [items.slice(0, LINES_AT_A_GLANCE - 2), items.slice(LINES_AT_A_GLANCE - 2)];
  return html`<ul class="${kind}">${shown}</ul>${fold(`${rest.length} more`, html`<ul class="${kind}">${rest}</ul>`, kind === 'names' ? 'more' : 'fold')}`;
}

function index({ blocks }: PlanView): Html | null {
  if (blocks.length < 2) return null;
  const items = blocks.map(({ campaigns, ownLeads }) => {
    const [view, ...others] = campaigns;
    const named =
      others.length === 0 ? linkTo(view) : html`${thousands(campaigns.length)} × the same: ${linkTo(view)} …`;
    return html`<li>${signOf(view)} ${named} <span class="chips">${chipsOf(view, ownLeads)}</span></li>`;
  });
  const most = items.length < LEAST_SORTED ? items.length : LINES_OF_INDEX;
  const [shown, rest] = [items.slice(0, most), items.slice(most)];
  const more = rest.length === 0 ? null : fold(`${rest.length} more`, html`<ol class="index">${rest}</ol>`);
  return html`<nav aria-labelledby="index"><h2 id="index">Campaigns</h2><ol class="index">${shown}</ol>${more}</nav>`;
}

/** The sign of what happens to a campaign; its chips say it. */
function signOf({ sign, facts: [action] }: CampaignView): Html {
  return html`<span class="sign ${action?.look ?? ''}" aria-hidden="true">${sign}</span>`;
}

/** What happens to a campaign and what differs, in a few words. */
function chipsOf({ facts, themes, leads }: CampaignView, ownLeads: boolean): Html[] {
  const words = [...themes, ...(ownLeads ? ['leads of their own'] : leads === null ? [] : [leads])];
  const all = [...facts, ...words.map((theme) => ({ look: 'quiet', words: theme }))];
  return all.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
}

/** What the parts of a campaign go by. `inFrame`: its mails are shown as they look, not as text; `several`: they are one of several. */
interface PartOptions {
  content: BeforeAfter;
  inFrame: boolean;
  several: boolean;
}

/** One campaign, or those that have the same to show, folded unless `open`: what changes, and what stays folded behind it. */
function blockPart(
  { campaigns, sections, ownLeads }: CampaignBlock,
  { open, inFrame }: { open: boolean; inFrame: boolean },
): Html {
  const [view, ...others] = campaigns;
  const { name, anchor, campaign, origin } = view;
  const several = others.length > 0;
  const whose = origin === null ? null : html`<p class="notice drift">${capital(origin)}.</p>`;
  const title = several ? `${thousands(campaigns.length)} × the same` : name;
  const where = several ? null : html`<span class="where">${view.where}</span>`;
  const head = html`<summary><h3>${signOf(view)} ${title}</h3><span class="chips">${chipsOf(view, ownLeads)}</span>${where}</summary>`;
  const { content } = campaign;
  const parts =
    content === null
      ? changeTable(sections.flatMap(({ changes }) => changes))
      : sectionParts(sections, { content, inFrame, several });
  const shown =
    several && content !== null
      ? html`<p class="quiet">What follows is that of ${name}. The others differ in their names${ownLeads ? ' and leads' : ''} alone.</p>`
      : null;
  const names = several ? namesPart(campaigns, ownLeads) : null;
  // The anchor is inside: a browser that follows a link to what is folded unfolds it.
  const inside = html`${whose}${problemCodes(view)}${names}${shown}${parts}${several ? null : requests(view)}`;
  return html`<details class="campaign"${open ? html` open` : null}>${head}<div class="inside"${several ? null : html` id="${anchor}"`}>${inside}</div></details>`;
}

/** The names of those that are the same, each with its manifest, and its leads where these differ. */
function namesPart(campaigns: readonly CampaignView[], ownLeads: boolean): Html {
  const items = campaigns.map(
    ({ name, anchor, where, leads }) =>
      html`<li id="${anchor}">${name}${ownLeads && leads ? html` <span class="chip">${leads}</span>` : null}<small>${where}</small></li>`,
  );
  return html`<section class="section"><h4>Campaigns</h4>${few(items, 'names')}</section>`;
}

/** Sections that change, then the others, folded; of several campaigns only what changes, which is what they share. */
function sectionParts(sections: readonly SectionView[], options: PartOptions): Html {
  const { content, several } = options;
  const changing = new Set(sections.map(({ section }) => section));
  const named = SECTION_ORDER.map((section) => ({ section, part: sectionPart(section, sections, options) }));
  const part = (isChanging: boolean) =>
    named.filter(({ section, part }) => part !== null && changing.has(section) === isChanging);
  const rest = several || content.before === null ? [] : part(false);
  // Of a new campaign, all of it is new.
  const first = content.before === null && !several ? named : part(true);
  const words = rest.map(({ section }) => SECTION_LABELS[section].toLowerCase()).join(', ');
  const parts = rest.map((one) => one.part);
  const folded = rest.length === 0 ? null : fold(`Unchanged: ${words}`, parts, 'fold unchanged');
  return html`${first.map((one) => one.part)}${folded}`;
}

/** What is said of it above, by its codes. */
function problemCodes({ problems }: CampaignView): Html | null {
  const codes = [...new Set(problems.map(({ code }) => code))].join(', ');
  return codes === '' ? null : html`<p class="quiet">See above: ${codes}</p>`;
}

/** What differs, where no more is known of the campaign. */
function changeTable(changes: Changes): Html | null {
  const rows = changes
    .filter(({ section }) => section !== 'campaign')
    .map((change) => {
      const { section, path, to, note } = change;
      return html`<tr><th scope="row">${section} ${label(path)}</th><td>${value(path, shownBefore(change))}</td><td>${value(path, to)}${note && html`<small>${note}</small>`}</td></tr>`;
    });
  if (rows.length === 0) return null;
  return html`<table><caption class="unseen">Changes</caption><thead><tr><th scope="col">What</th><th scope="col">Current</th><th scope="col">Planned</th></tr></thead><tbody>${rows}</tbody></table>`;
}

function requests({ campaign: { steps } }: CampaignView): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map(({ title, method, path, irreversible }) => {
    const chip = irreversible ? html` <span class="chip">irreversible</span>` : null;
    return html`<li>${title}${chip}<small><code>${method} ${path}</code></small></li>`;
  });
  return html`<details class="requests"><summary>${count(steps.length, 'request')}${steps.length > 1 ? ', in this order' : ''}</summary><ol>${items}</ol></details>`;
}

/** A section as a whole, on both sides; null where it is not managed. */
function sectionPart(
  section: SectionName,
  sections: readonly SectionView[],
  options: PartOptions,
): Html | null {
  if (section === 'campaign') return null;
  const { content, inFrame, several } = options;
  const differing = sections.find((one) => one.section === section);
  const { changes = [], sent = true, drift = null, compared = null } = differing ?? {};
  const bodies: { [Section in SectionName]?: () => Html | null } = {
    status: () => statusPart(changes),
    sequence: () =>
      sequencePart(content, changes, {
        sent,
        inFrame,
        several,
        old: compared === null ? 'Current' : 'In the replaced campaign',
      }),
    schedule: () => schedulePart(content, changes),
    settings: () => settingsPart(content, changes, several),
    leads: () => leadsPart(content, changes),
  };
  const body = bodies[section] === undefined ? changeTable(changes) : bodies[section]();
  if (body === null) return null;
  // Of a new campaign, everything is new.
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

/** What is to be known of single changes, by their place; settings and lead lists have it in their rows. */
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

/** Both sides' sending hours as a week. */
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

/** Current and planned settings side by side: those that change, and the others folded; of several campaigns only the first. */
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
  const rowsWhere = (own: boolean) => rows.flatMap(({ row, isChanged }) => (isChanged === own ? [row] : []));
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

/** What is attached already, and what comes to it. */
function leadsPart({ before, after: { leads } }: BeforeAfter, changes: Changes): Html | null {
  if (leads === null) return null;
  const added = (path: 'lists' | 'ids') =>
    changes.flatMap(({ path: own, to }) => (own === path && Array.isArray(to) ? to.map(String) : []));
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
  const part = (found: string[], noun: string, shown: Fragment) =>
    found.length === 0 ? null : html`<dd>${count(found.length, noun)} ${shown}</dd>`;
  const names = named ? html`<span class="quiet">${named}</span>` : numbers(lists);
  return html`<dt>${words}</dt>${part(lists, 'lead list', names)}${part(ids, 'individual lead', numbers(ids))}`;
}

function numbers(ids: readonly string[]): Html {
  if (ids.length <= IDS_AT_A_GLANCE) return html`<span class="quiet">${ids.join(', ')}</span>`;
  return fold(`${ids[0] ?? ''} … ${ids.at(-1) ?? ''}`, html`<p class="quiet">${ids.join(', ')}</p>`);
}
