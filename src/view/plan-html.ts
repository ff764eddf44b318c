import { isObject, type Json } from '../model/json.js';
import type { BeforeAfter, Content, Plan, SectionName } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { count, thousands } from '../model/words.js';
import { label, SECTION_ORDER, showing, shownBefore } from './changes.js';
import { areLong } from './diffs.js';
import { mailsOf, sequencePart } from './html-emails.js';
import { copied, type Fragment, framed, type Html, html, page, weekPicture } from './html-page.js';
import type { CampaignLink, Notice, NoticeGroup } from './plan-notices.js';
import { type CampaignView, type PlanView, type SectionView, viewPlan } from './plan-view.js';
import { placed } from './problems.js';
import { capital, short } from './words.js';

/** So many campaigns are unfolded: enough to see what there is. */
const UNFOLDED = 3;
/** So many lines of a list, and so many ids, are read at a glance. */
const LINES_AT_A_GLANCE = 8;
const IDS_AT_A_GLANCE = 12;

/** A plan as one page that needs nothing but a browser: what to look at first, an index, and both sides of each campaign. */
export function renderPlanHtml(plan: Plan): string {
  const view = viewPlan(plan);
  const title = `${view.heading} ${view.environment}`;
  const { base_url, verdict, legend, fingerprint } = view;
  const said = [verdict, legend].map((line) => line && html`<p class="headline">${line}</p>`);
  const header = html`<p class="eyebrow">campaignctl plan</p><h1>${title}</h1><p class="where">${base_url}</p>${tiles(view)}${said}`;
  const frames = framed(
    view.campaigns.map(({ campaign: { content, changes } }) =>
      mailsOf(content?.after.sequence ?? null, changes),
    ),
  );
  const campaigns = view.campaigns.map((campaign, at) =>
    campaignPart(campaign, { open: at < UNFOLDED, inFrame: frames[at] === true }),
  );
  const without = frames.filter((inFrame) => !inFrame).length;
  const large =
    without === 0
      ? null
      : html`<p class="quiet">This page holds many emails: those of the last ${count(without, 'campaign')} are shown as text. A plan of fewer campaigns (--target) shows them as they look.</p>`;
  const main = html`${noticesPart(view)}${index(view)}${large}<section class="campaigns" aria-label="Campaigns in full">${campaigns}</section>${view.notes.map(noticePart)}<p class="quiet print">Fingerprint ${fingerprint}</p>`;
  return page({ title, header, main });
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

function groupPart({ code, accepted_by, hint: common, sayings }: NoticeGroup): Html {
  const way = common && html`<p class="hint">${common}</p>`;
  if (code === null) return html`${few(sayings.map(listItem))}${way}`;
  const said = sayings.map(({ hint, campaigns, ...saying }, index) => {
    const message = placed(saying);
    const kind = index === 0 ? html`<code>${code}</code> ` : null;
    const [first] = campaigns;
    const whom = first === undefined || campaigns.length > 1 ? null : html`${linkTo(first)}: `;
    const all = campaigns.length > 1 ? few(campaigns.map((one) => html`<li>${linkTo(one)}</li>`)) : null;
    return html`<p>${kind}${whom}${message}</p>${all}${hint && html`<p class="hint">${hint}</p>`}`;
  });
  const accepted = accepted_by && html`<p class="quiet">Accepted by <code>${accepted_by}</code></p>`;
  return html`<div class="group">${said}${way}${accepted}</div>`;
}

/** A campaign and what is said of it, or what is said of all. */
function listItem({ campaigns, message }: NoticeGroup['sayings'][number]): Html {
  const [campaign, ...others] = campaigns;
  if (campaign === undefined) return html`<li>${message}</li>`;
  if (others.length === 0) return html`<li>${linkTo(campaign)}${message && `: ${message}`}</li>`;
  return html`<li>${count(campaigns.length, 'campaign')}${message && `: ${message}`}${few(campaigns.map((one) => html`<li>${linkTo(one)}</li>`))}</li>`;
}

function linkTo({ anchor, name }: CampaignLink): Html {
  return anchor === null ? html`${name}` : html`<a href="#${anchor}">${name}</a>`;
}

function few(items: readonly Html[]): Html {
  if (items.length <= LINES_AT_A_GLANCE) return html`<ul class="links">${items}</ul>`;
  const [shown, rest] = [items.slice(0, LINES_AT_A_GLANCE - 2), items.slice(LINES_AT_A_GLANCE - 2)];
  return html`<ul class="links">${shown}</ul><details class="fold"><summary>${rest.length} more</summary><ul class="links">${rest}</ul></details>`;
}

function index({ campaigns }: PlanView): Html | null {
  if (campaigns.length === 0) return null;
  const items = campaigns.map(
    (campaign) =>
      html`<li>${signOf(campaign)} ${linkTo(campaign)} <span class="chips">${chipsOf(campaign)}</span></li>`,
  );
  return html`<nav aria-labelledby="index"><h2 id="index">Campaigns</h2><ol class="index">${items}</ol></nav>`;
}

/** The sign of what happens to a campaign; its chips say it. */
function signOf({ sign, facts: [action] }: CampaignView): Html {
  return html`<span class="sign ${action?.look ?? ''}" aria-hidden="true">${sign}</span>`;
}

/** What happens to a campaign and what differs, in a few words. */
function chipsOf({ facts, themes }: CampaignView): Html[] {
  const all = [...facts, ...themes.map((words) => ({ look: 'quiet', words }))];
  return all.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
}

/**
 * One campaign, folded unless `open`: both sides of everything that its manifest manages. `inFrame`: its mails are shown as they
 * look, not as text.
 */
function campaignPart(view: CampaignView, { open, inFrame }: { open: boolean; inFrame: boolean }): Html {
  const { name, anchor, campaign, origin } = view;
  const whose = origin === null ? null : html`<p class="notice drift">${capital(origin)}.</p>`;
  const where = html`<span class="where">${view.where}</span>`;
  const head = html`<summary><h3>${signOf(view)} ${name}</h3><span class="chips">${chipsOf(view)}</span>${where}</summary>`;
  const { content } = campaign;
  const parts =
    content === null
      ? changeTable(view.sections.flatMap(({ changes }) => changes))
      : SECTION_ORDER.map((section) => sectionPart(section, view, { content, inFrame }));
  // The anchor is inside: a browser that follows a link to what is folded unfolds it.
  return html`<details class="campaign"${open ? html` open` : null}>${head}<div class="inside" id="${anchor}">${whose}${problemCodes(view)}${parts}${requests(view)}</div></details>`;
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
  return html`<details class="requests"><summary>${count(steps.length, 'request')}, in this order</summary><ol>${items}</ol></details>`;
}

/** A section as a whole, on both sides; null where it is not managed. */
function sectionPart(
  section: SectionName,
  view: CampaignView,
  { content, inFrame }: { content: BeforeAfter; inFrame: boolean },
): Html | null {
  if (section === 'campaign') return null;
  const differing = view.sections.find((one) => one.section === section);
  const { changes = [], sent = true, drift = null } = differing ?? {};
  const bodies: { [Section in SectionName]?: () => Html | null } = {
    status: () => statusPart(changes),
    sequence: () => sequencePart(content, changes, { sent, inFrame }),
    schedule: () => schedulePart(content, changes),
    settings: () => settingsPart(content, changes),
    leads: () => leadsPart(content, changes),
  };
  const body = bodies[section] === undefined ? changeTable(changes) : bodies[section]();
  if (body === null) return null;
  // Of a new campaign, everything is new.
  const differs = content.before !== null && differing !== undefined;
  const words = sent ? (differs ? 'changes' : null) : 'differs, not sent';
  const mark = drift && html` <span class="chip drift">${drift}</span>`;
  const chip = words === null ? null : html` <span class="chip change">${words}</span>${mark}`;
  return html`<section class="section"><h4>${SECTION_LABELS[section]}${chip}</h4>${body}${changeNotes(changes)}</section>`;
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
      ? `The hours are those of template ${template}, which the service does not show.`
      : `From template ${template}.`;
  const notes = [template === null ? null : from, isSaved ? 'Also saved as a template.' : null];
  return html`${picture}${notes.map((note) => note && html`<p class="quiet">${note}</p>`)}`;
}

/** Current and planned settings side by side, the changed ones marked. */
function settingsPart({ before, after: { settings } }: BeforeAfter, changes: Changes): Html | null {
  if (settings === null) return null;
  const live = before?.settings ?? null;
  const rows = SETTINGS.filter(({ name }) => settings[name] !== undefined || live?.[name] !== undefined).map(
    ({ name, label: words }) => {
      const change = changes.find(({ path }) => path === name) ?? null;
      const isMarked = change !== null && live !== null;
      const current = live === null ? null : html`<td>${settingOf(live[name], 'not shown')}</td>`;
      const planned = settingOf(settings[name], 'kept');
      const mark = isMarked ? html` <span class="chip change">changed</span>` : null;
      return html`<tr class="${isMarked ? 'changed' : ''}"><th scope="row">${words}${mark}<small><code>${name}</code></small></th>${current}<td>${change === null ? planned : html`<ins>${planned}</ins>`}${change?.note ? html`<small>${change.note}</small>` : null}</td></tr>`;
    },
  );
  const current = live === null ? null : html`<th scope="col">Current</th>`;
  return html`<table><caption class="unseen">Settings</caption><thead><tr><th scope="col">Setting</th>${current}<th scope="col">Planned</th></tr></thead><tbody>${rows}</tbody></table>`;
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
    leadsLine('Attached already', attached('lists'), attached('ids'), null),
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
  return html`<details class="fold"><summary>${ids[0] ?? ''} … ${ids.at(-1) ?? ''}</summary><p class="quiet">${ids.join(', ')}</p></details>`;
}
