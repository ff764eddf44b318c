import { groupBy } from '../model/json.js';
import type { Plan } from '../model/outputs.js';
import { count, thousands } from '../model/words.js';
import { byHandHtml, COPY_SCRIPT } from './by-hand.js';
import { mailsOf } from './html-emails.js';
import { copied, type Fragment, fold, framed, type Html, html, page } from './html-page.js';
import { sectionParts } from './html-sections.js';
import type { CampaignLink, Notice, Saying } from './plan-notices.js';
import {
  approvalSteps,
  blocksOf,
  type CampaignBlock,
  type CampaignView,
  membersOf,
  type PlanView,
  viewPlan,
} from './plan-view.js';
import { capital } from './words.js';

/** Maximum number of unfolded launches or, without launches, campaigns. */
const MOST_UNFOLDED = 3;
/** Maximum number of campaigns for which folders are unfolded and everything is shown. */
const MOST_OPEN = 40;
const ROWS = 6;
/** Number of campaigns from which the page has a search. */
const LEAST_SEARCHED = 8;
const AT_A_GLANCE = 8;

/** `about`: commit, author, pull request, time. `failed`, `after`: additional parts of a page with several plans. */
export interface PageOptions {
  about?: readonly string[];
  title?: string;
  failed?: readonly Notice[];
  after?: Html | null;
}

export function renderPlanHtml(plan: Plan, options: PageOptions = {}): string {
  const view = viewPlan(plan);
  const { about = [], failed = [], after = null } = options;
  const title = options.title ?? `${view.heading} ${view.environment}`;
  const look = section('attention', 'Needs a look', [
    ...failed.map(noticePart),
    ...noticeParts(view, (kind) => kind !== 'launch' && kind !== 'warning'),
  ]);
  const rest = [
    byHandHtml(view.byHand),
    ...noticeParts(view, (kind) => kind === 'warning'),
    ...view.notes.map(noticePart),
    after,
  ];
  const main = html`${look}<div class="campaigns">${campaignParts(view)}</div><div class="after">${rest}</div>${view.fingerprint && html`<p class="quiet print">Fingerprint ${view.fingerprint}</p>`}`;
  const scripts = [isSearched(view) ? SEARCH_SCRIPT : '', view.byHand.length > 0 ? COPY_SCRIPT : ''];
  return page({ title, header: header(view, title, about), main, script: scripts.join('') });
}

function section(id: string, title: string, parts: readonly Fragment[]): Html | null {
  if (parts.every((part) => part === null)) return null;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts}</section>`;
}

function noticeParts({ notices }: PlanView, isWanted: (kind: Notice['kind']) => boolean): Html[] {
  return notices.filter(({ kind }) => isWanted(kind)).map(noticePart);
}

function campaignParts(view: PlanView): Fragment[] {
  const launches = blocksOf(view.campaigns.filter(({ isLaunch }) => isLaunch));
  const others = view.campaigns.filter(({ isLaunch }) => !isLaunch);
  const folders = foldersOf(others);
  const blocks = [...launches, ...folders.flatMap((folder) => folder.blocks)];
  const frames = framed(
    blocks.map(({ campaigns: [{ campaign }] }) => mailsOf(campaign.content?.after.sequence ?? null)),
  );
  const inFrame = new Set(blocks.filter((_, at) => frames[at]));
  const first = launches.length > 0 ? launches : blocks;
  const open = new Set(first.length > MOST_UNFOLDED ? [] : first);
  const isBrief = others.length > MOST_OPEN;
  const partOf = (block: CampaignBlock) =>
    blockPart(block, { open: open.has(block), inFrame: inFrame.has(block), isBrief });
  const without = blocks.length - inFrame.size;
  const launchTitle = view.notices.find(({ kind }) => kind === 'launch')?.title ?? 'launches';
  return [
    without === 0
      ? null
      : html`<p class="quiet">This page holds many emails: those of the last ${count(without, 'campaign')} are shown as text.</p>`,
    isSearched(view) ? searchPart(view) : null,
    section('launches', capital(launchTitle), [launches.length === 0 ? null : rowsPart(launches, partOf)]),
    section(
      'campaigns',
      launches.length > 0 ? 'Other campaigns' : 'Campaigns',
      folders.map((folder) => folderPart(folder, { isOnly: folders.length === 1, isOpen: !isBrief, partOf })),
    ),
  ];
}

function header(view: PlanView, title: string, about: readonly string[]): Html {
  const { base_url, verdict, unread, legend, volume, counts } = view;
  const mark =
    base_url === 'sandbox'
      ? html`<span class="chip">Sandbox: no email is sent</span>`
      : html`<span class="chip real">Real service: real people get these emails</span>`;
  const where = [base_url, about.join(' · ')].map((line) => line && html`<p class="where">${line}</p>`);
  const tiles = [...counts.campaigns, ...counts.rest].map(
    ({ look, number, words }) =>
      html`<li class="${look}"><strong>${thousands(number)}</strong> ${words}</li>`,
  );
  const lines = [verdict, volume, unread, legend].map(
    (line) => line && html`<p class="headline">${line}</p>`,
  );
  return html`<p class="eyebrow">campaignctl plan</p><h1>${title} ${mark}</h1>${where}${tiles.length === 0 ? null : html`<ul class="tiles">${tiles}</ul>`}${lines}${nextPart(view)}`;
}

function nextPart(view: PlanView): Html | null {
  const { approvals, byHand, mode, campaigns } = view;
  const launches = campaigns.filter(({ isLaunch }) => isLaunch).length;
  const blocked = campaigns.filter(({ action }) => action === 'blocked').length;
  if (mode === 'drift' || launches + blocked + byHand.length + approvals.length === 0) return null;
  const items = [
    launches > 0
      ? `Review the emails, leads and dates of ${launches === 1 ? 'the launch' : `all ${count(launches, 'launch', 'launches')}`} below.`
      : 'Review the changes below.',
    ...(blocked > 0 ? [`Decide what to do about ${count(blocked, 'campaign')} with blocked changes.`] : []),
    ...(byHand.length > 0 ? ["Do the tasks below in the service's web app."] : []),
    approvals.length > 0
      ? 'If everything is right, approve the change, and ask whoever applies it to accept the hazards.'
      : 'If everything is right, approve the change.',
  ];
  const steps = approvalSteps(view).map((step) => html`<p>${step}</p>`);
  return html`<section class="next" aria-labelledby="next"><h2 id="next">What to do</h2><ol>${items.map((item) => html`<li>${item}</li>`)}</ol>${steps.length === 0 ? null : fold('For whoever applies', steps)}</section>`;
}

function noticePart({ kind, title, sayings, hint }: Notice): Html {
  const plain = sayings.filter(({ code }) => code === null).map(listItem);
  const problems = sayings.filter(({ code }) => code !== null).map((saying) => sayingPart(saying, kind));
  return html`<section class="notice ${kind}"><h3>${title}</h3>${few(plain)}${problems}${hint && html`<p class="hint">${hint}</p>`}</section>`;
}

function sayingPart({ code, message, campaigns, hint, blocks }: Saying, kind: Notice['kind']): Html {
  const way = hint && html`<p class="hint">${hint}</p>`;
  const lines = blocks.map(
    ({ where, lines }) => html`<p class="quiet">${where}</p><pre tabindex="0">${lines.join('\n')}</pre>`,
  );
  const copies =
    lines.length === 0 ? null : fold(`Lines to write for ${count(lines.length, 'campaign')}`, lines);
  const names = code === 'launch' ? null : linkList(campaigns);
  return html`<div class="group"><p><code>${code}</code> ${message}</p>${names}${way && kind === 'hazard' ? fold('How to accept or resolve it', way) : way}${copies}</div>`;
}

function listItem({ campaigns, message }: Saying): Html {
  const [only] = campaigns.length === 1 ? campaigns : [];
  const text = campaigns.length > 0 && message ? `: ${message}` : message;
  if (only !== undefined) return html`<li>${linkTo(only)}${text}</li>`;
  if (campaigns.length === 0) return html`<li>${text}</li>`;
  return html`<li>${count(campaigns.length, 'campaign')}${text}${linkList(campaigns)}</li>`;
}

function linkList(campaigns: readonly CampaignLink[]): Html | null {
  return few(campaigns.map((link) => html`<li>${linkTo(link)}</li>`));
}

function linkTo({ anchor, name }: CampaignLink): Html {
  return anchor === null ? html`${name}` : html`<a href="#${anchor}">${name}</a>`;
}

function few(items: readonly Html[]): Html | null {
  if (items.length === 0) return null;
  const most = items.length <= AT_A_GLANCE ? AT_A_GLANCE : AT_A_GLANCE - 2;
  const list = (some: readonly Html[]) => html`<ul class="links">${some}</ul>`;
  const rest = items.slice(most);
  return html`${list(items.slice(0, most))}${rest.length === 0 ? null : fold(`${thousands(rest.length)} more`, list(rest))}`;
}

interface Folder {
  name: string;
  members: CampaignView[];
  blocks: CampaignBlock[];
}

function folderOf({ campaign: { manifest } }: CampaignView): string {
  return /^(.*)\//.exec(manifest)?.[1] ?? 'no folder';
}

function foldersOf(campaigns: readonly CampaignView[]): Folder[] {
  const folders = [...groupBy(campaigns, folderOf)].map(([name, members]) => ({
    ...{ name, members, blocks: blocksOf(members) },
  }));
  return folders.sort((a, b) => (a.name < b.name ? -1 : 1));
}

function rowsPart(blocks: readonly CampaignBlock[], partOf: (block: CampaignBlock) => Html): Html {
  if (blocks.length <= MOST_OPEN) return html`${blocks.map(partOf)}`;
  const rest = blocks.slice(ROWS);
  return html`${blocks.slice(0, ROWS).map(partOf)}<details class="folder"><summary><h3>${thousands(membersOf(rest))} more</h3></summary>${rest.map(partOf)}</details>`;
}

function folderPart(
  { name, members, blocks }: Folder,
  options: { isOnly: boolean; isOpen: boolean; partOf: (block: CampaignBlock) => Html },
): Html {
  const { isOnly, isOpen, partOf } = options;
  if (isOnly) return rowsPart(blocks, partOf);
  const kinds = [...groupBy(members, ({ facts: [action] }) => action?.words ?? '')].map(
    ([words, kindMembers]) =>
      html`<span class="chip ${kindMembers[0]?.facts[0]?.look ?? ''}">${thousands(kindMembers.length)} ${words}</span> `,
  );
  return html`<details class="folder"${isOpen ? html` open` : null}><summary><h3>${name}</h3> <span class="chips">${kinds}</span></summary>${blocks.map(partOf)}</details>`;
}

function isSearched({ campaigns }: PlanView): boolean {
  return campaigns.length >= LEAST_SEARCHED;
}

/** Facts that serve as filters, and "approval". */
const FILTERS: readonly string[] = ['launch', 'blocked', 'change', 'create', 'drift', 'approval'];

function filtersOf(campaigns: readonly CampaignView[]): string[] {
  const kinds = campaigns.flatMap(({ facts, problems }) => [
    ...facts.map(({ words }) => words),
    ...(problems.some(({ severity }) => severity === 'hazard') ? ['approval'] : []),
  ]);
  return FILTERS.filter((kind) => kinds.includes(kind));
}

/** Visible only if the script runs. */
function searchPart({ campaigns }: PlanView): Html {
  const filters = filtersOf(campaigns).map(
    (kind) =>
      html`<button type="button" aria-pressed="false" value="${kind}">${kind === 'approval' ? 'needs approval' : kind}</button> `,
  );
  const folders = [...new Set(campaigns.map(folderOf))].sort();
  const names = folders.map((name) => html`<option>${name}</option>`);
  const clients =
    folders.length < 2
      ? null
      : html`<select aria-label="Folder"><option value="">all folders</option>${names}</select>`;
  return html`<div class="search" role="search" hidden><label>Search <input type="search" placeholder="name or file"></label> ${clients} ${filters}<span class="quiet" role="status"></span></div>`;
}

const SEARCH_SCRIPT = `
const bar = document.querySelector('.search');
const rows = [...document.querySelectorAll('.campaign')];
const folders = [...document.querySelectorAll('.folder')];
const wasOpen = new Map(folders.map((one) => [one, one.open]));
const [field, select, status] = ['input', 'select', '[role=status]'].map((what) => bar.querySelector(what));
function show() {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const kinds = [...bar.querySelectorAll('[aria-pressed=true]')].map((one) => one.value);
  const folder = select ? select.value : '';
  let matches = 0;
  for (const row of rows) {
    const { words: text, kinds: rowKinds, folders: places } = row.dataset;
    row.hidden = !(words.every((word) => text.includes(word)) && kinds.every((kind) => rowKinds.split(' ').includes(kind)) && (!folder || places.split('\\n').includes(folder)));
    if (!row.hidden) matches += Number(row.dataset.count);
  }
  const any = words.length + kinds.length > 0 || folder;
  for (const one of folders) {
    one.hidden = ![...one.querySelectorAll('.campaign')].some((row) => !row.hidden);
    one.open = any ? true : wasOpen.get(one);
  }
  status.textContent = any ? matches + ' found' : '';
}
bar.hidden = false;
bar.addEventListener('input', show);
for (const button of bar.querySelectorAll('button'))
  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') === 'false');
    show();
  });
`;

/** One campaign, or several with the same change. */
function blockPart(
  block: CampaignBlock,
  { open, ...options }: { open: boolean; inFrame: boolean; isBrief: boolean },
): Html {
  const { campaigns, title } = block;
  const [view] = campaigns;
  const { name, sign, anchor, where, origin, isLaunch, themes, leadFacts, facts, problems } = view;
  const chips = facts.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
  const words = [...themes, ...(title !== null || leadFacts === null ? [] : [leadFacts])].join(' · ');
  const head = html`<h3><span class="sign ${facts[0]?.look ?? ''}" aria-hidden="true">${sign}</span> ${title ?? name}</h3><span class="chips">${chips}</span>${words && html`<span class="facts-line">${words}</span>`}${isLaunch ? subjectsPart(view) : null}<span class="where">${title === null ? where : campaigns.map((member) => member.name).join(', ')}</span>`;
  const codes = new Set(problems.map(({ code }) => code).filter((code) => code !== 'launch'));
  const inside = [
    origin && html`<p class="notice drift">${capital(origin)}.</p>`,
    codes.size === 0 ? null : html`<p class="quiet">See above: ${[...codes].join(', ')}</p>`,
    title === null ? null : namesPart(block),
    sectionParts(block, options),
  ];
  const data = html` data-words="${campaigns
    .flatMap((member) => [member.name, member.campaign.manifest])
    .join(' ')
    .toLowerCase()}" data-kinds="${filtersOf(campaigns).join(' ')}" data-folders="${[...new Set(campaigns.map(folderOf))].join('\n')}" data-count="${campaigns.length}"`;
  // The anchor is inside, so that links unfold it.
  return html`<details class="campaign"${data}${open ? html` open` : null}><summary>${head}</summary><div class="inside"${title === null ? html` id="${anchor}"` : null}>${inside}</div></details>`;
}

function subjectsPart({ campaign: { content } }: CampaignView): Html | null {
  const sequence = content?.after.sequence ?? content?.before?.sequence ?? null;
  const subjects = (sequence?.steps ?? [])
    .flatMap(({ variants, ...email }) => [email, ...variants])
    .map(({ email_subject }) => html`<q>${copied(email_subject)}</q> `);
  return subjects.length === 0 ? null : html`<span class="facts-line quiet">Sends ${subjects}</span>`;
}

function namesPart({ campaigns, differs }: CampaignBlock): Html {
  const items = campaigns.map(
    ({ name, anchor, where, leadFacts }) =>
      html`<li id="${anchor}">${name}${differs && leadFacts !== null ? html`<span class="own">${leadFacts}</span>` : null}<small>${where}</small></li>`,
  );
  return html`<section class="section"><h4>Campaigns</h4><ul class="names">${items}</ul></section>`;
}
