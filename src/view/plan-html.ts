import { groupBy } from '../model/json.js';
import type { Plan } from '../model/outputs.js';
import { count, thousands } from '../model/words.js';
import { byHandHtml, COPY_SCRIPT } from './by-hand.js';
import { mailsOf } from './html-emails.js';
import { copied, type Fragment, fold, framed, type Html, html, page } from './html-page.js';
import { changeTable, sectionParts } from './html-sections.js';
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
import { moreFound, placed } from './problems.js';
import { capital } from './words.js';

/** Unfolded launches; without any, campaigns. */
const MOST_UNFOLDED = 3;
/** Campaigns up to which folders are unfolded. */
const MOST_OPEN = 40;
/** Campaigns from which the page has a search. */
const LEAST_SEARCHED = 8;
/** Shown lines of a list. */
const LINES_AT_A_GLANCE = 8;

/** `about`: commit, author, pull request, time. `before`, `after`: further parts of a page of several plans. */
export interface PageOptions {
  about?: readonly string[];
  title?: string;
  before?: Html | null;
  after?: Html | null;
}

/** A self-contained page: verdict, alerts, launches with emails, campaigns by folder. */
export function renderPlanHtml(plan: Plan, options: PageOptions = {}): string {
  const view = viewPlan(plan);
  const {
    about = [],
    title = `${view.heading} ${view.environment}`,
    before = null,
    after: rest = null,
  } = options;
  const launched = view.campaigns.filter(({ launch }) => launch !== null);
  const others = view.campaigns.filter(({ launch }) => launch === null);
  const launches = blocksOf(launched);
  const folders = foldersOf(others);
  const blocks = [...launches, ...folders.flatMap((folder) => folder.blocks)];
  const frames = framed(
    blocks.map(({ campaigns: [{ campaign }] }) =>
      mailsOf(campaign.content?.after.sequence ?? null, campaign.changes),
    ),
  );
  const inFrame = new Set(blocks.filter((_, at) => frames[at]));
  const first = launches.length > 0 ? launches : blocks;
  const open = new Set(
    first.length > MOST_UNFOLDED ? launches.slice(0, launches.length > MOST_OPEN ? 0 : 1) : first,
  );
  const isOpen = others.length <= MOST_OPEN;
  const partOf = (block: CampaignBlock) =>
    blockPart(block, { open: open.has(block), inFrame: inFrame.has(block), isBrief: !isOpen });
  const without = blocks.filter((block) => !inFrame.has(block)).length;
  const large =
    without === 0
      ? null
      : html`<p class="quiet">This page holds many emails: those of the last ${count(without, 'campaign')} are shown as text.</p>`;
  const launchPart =
    launches.length === 0
      ? null
      : html`<section aria-labelledby="launches"><h2 id="launches">${capital(launchTitle(view))}</h2>${rowsPart(launches, partOf)}</section>`;
  const campaignPart =
    folders.length === 0
      ? null
      : html`<section aria-labelledby="campaigns"><h2 id="campaigns">${launches.length > 0 ? 'Other campaigns' : 'Campaigns'}</h2>${folders.map((folder) => folderPart(folder, { isOnly: folders.length === 1, isOpen, partOf }))}</section>`;
  const search = view.campaigns.length < LEAST_SEARCHED ? null : searchPart(view, folders);
  const noticesOf = (isWanted: (kind: Notice['kind']) => boolean) =>
    view.notices.filter(({ kind }) => kind !== 'launch' && isWanted(kind)).map(noticePart);
  const urgent = noticesOf((kind) => kind !== 'warning');
  const look =
    urgent.length === 0 && before === null
      ? null
      : html`<section aria-labelledby="attention"><h2 id="attention">Needs a look</h2>${before}${urgent}</section>`;
  const after = html`<div class="after">${byHandHtml(view.byHand)}${noticesOf((kind) => kind === 'warning')}${view.notes.map(noticePart)}${rest}</div>`;
  const main = html`${look}<div class="campaigns">${large}${search}${launchPart}${campaignPart}</div>${after}${view.fingerprint && html`<p class="quiet print">Fingerprint ${view.fingerprint}</p>`}`;
  return page({
    title,
    header: header(view, title, about),
    main,
    script: `${search === null ? '' : SEARCH_SCRIPT}${view.byHand.length > 0 ? COPY_SCRIPT : ''}`,
  });
}

/** "3 launches, together up to 360 emails a day: they start sending emails to real people" */
function launchTitle({ notices }: PlanView): string {
  return notices.find(({ kind }) => kind === 'launch')?.title ?? 'launches';
}

function header(view: PlanView, title: string, about: readonly string[]): Html {
  const { base_url, verdict, unread, legend } = view;
  const isSandbox = base_url === 'sandbox';
  const mark = isSandbox
    ? html`<span class="chip">Sandbox: no email is sent</span>`
    : html`<span class="chip real">Real service: real people get these emails</span>`;
  const lines = [verdict, unread, legend].map((line) => line && html`<p class="headline">${line}</p>`);
  const facts = about.length === 0 ? null : html`<p class="where">${about.join(' · ')}</p>`;
  return html`<p class="eyebrow">campaignctl plan</p><h1>${title} ${mark}</h1><p class="where">${base_url}</p>${facts}${tiles(view)}${lines}${nextPart(view)}`;
}

/** For readers; command-line options are folded. */
function nextPart(view: PlanView): Html | null {
  const { approvals, byHand, mode, campaigns } = view;
  if (mode === 'drift' || campaigns.length === 0) return null;
  const launches = campaigns.filter(({ launch }) => launch !== null).length;
  const blocked = campaigns.filter(({ action }) => action === 'blocked').length;
  if (launches + blocked + byHand.length + approvals.length === 0) return null;
  const items = [
    ...(launches > 0
      ? [
          `Read the emails, leads and dates of ${launches === 1 ? 'the launch' : `all ${count(launches, 'launch', 'launches')}`} below.`,
        ]
      : ['Look at the changes below.']),
    ...(blocked > 0 ? [`Decide about ${count(blocked, 'campaign')} with changes that cannot be sent.`] : []),
    ...(byHand.length > 0 ? ["Do the list below in the service's web app."] : []),
    approvals.length > 0
      ? 'If all of it is right, approve it, and ask whoever applies to accept what needs approval.'
      : 'If all of it is right, approve it.',
  ];
  const options =
    approvals.length === 0
      ? null
      : fold(
          'For whoever applies',
          approvalSteps(view).map((step) => html`<p>${step}</p>`),
        );
  return html`<section class="next" aria-labelledby="next"><h2 id="next">What to do</h2><ol>${items.map((item) => html`<li>${item}</li>`)}</ol>${options}</section>`;
}

function tiles({ counts: { campaigns, rest } }: PlanView): Html | null {
  const shown = [...campaigns, ...rest].map(
    ({ look, number, words }) =>
      html`<li class="${look}"><strong>${thousands(number)}</strong> ${words}</li>`,
  );
  return shown.length === 0 ? null : html`<ul class="tiles">${shown}</ul>`;
}

function noticePart({ kind, title, sayings, hint }: Notice): Html {
  const plain = sayings.filter(({ code }) => code === null);
  const list = plain.length === 0 ? null : few(plain.map(listItem));
  const problems = sayings.filter(({ code }) => code !== null).map((saying) => sayingPart(saying, kind));
  return html`<section class="notice ${kind}"><h3>${title}</h3>${list}${problems}${hint && html`<p class="hint">${hint}</p>`}</section>`;
}

function sayingPart(saying: Saying, kind: Notice['kind']): Html {
  const { code, campaigns, hint, blocks, accepted_by, more } = saying;
  const lines = blocks.map(
    ({ where, lines }) => html`<p class="quiet">${where}</p><pre tabindex="0">${lines.join('\n')}</pre>`,
  );
  const copies =
    blocks.length === 0 ? null : fold(`Lines to write for ${count(blocks.length, 'campaign')}`, lines);
  return html`<div class="group"><p><code>${code}</code> ${placed(saying)}</p>${campaigns.length === 0 || code === 'launch' ? null : links(campaigns)}${more === 0 ? null : html`<p class="quiet">${moreFound(more)}</p>`}${hint && (kind === 'hazard' ? fold('How to accept or resolve it', html`<p class="hint">${hint}</p>`) : html`<p class="hint">${hint}</p>`)}${copies}${accepted_by && html`<p class="quiet">Accepted by <code>${accepted_by}</code></p>`}</div>`;
}

function listItem({ campaigns, message }: Saying): Html {
  const [campaign, ...others] = campaigns;
  if (campaign === undefined) return html`<li>${message}</li>`;
  if (others.length === 0) return html`<li>${linkTo(campaign)}${message && `: ${message}`}</li>`;
  return html`<li>${count(campaigns.length, 'campaign')}${message && `: ${message}`}${links(campaigns)}</li>`;
}

function links(campaigns: readonly CampaignLink[]): Html {
  const names = (some: readonly CampaignLink[]) =>
    html`${some.map((link, at) => html`${at > 0 ? ', ' : null}${linkTo(link)}`)}`;
  if (campaigns.length <= LINES_AT_A_GLANCE) return html`<p class="who">${names(campaigns)}</p>`;
  const [shown, rest] = [campaigns.slice(0, LINES_AT_A_GLANCE - 2), campaigns.slice(LINES_AT_A_GLANCE - 2)];
  return html`<p class="who">${names(shown)}</p>${fold(`${thousands(rest.length)} more campaigns`, html`<p class="who">${names(rest)}</p>`)}`;
}

function linkTo({ anchor, name }: CampaignLink): Html {
  return anchor === null ? html`${name}` : html`<a href="#${anchor}">${name}</a>`;
}

function few(items: readonly Html[]): Html {
  if (items.length <= LINES_AT_A_GLANCE) return html`<ul class="links">${items}</ul>`;
  const [shown, rest] = [items.slice(0, LINES_AT_A_GLANCE - 2), items.slice(LINES_AT_A_GLANCE - 2)];
  return html`<ul class="links">${shown}</ul>${fold(`${thousands(rest.length)} more`, html`<ul class="links">${rest}</ul>`)}`;
}

interface Folder {
  name: string;
  members: CampaignView[];
  blocks: CampaignBlock[];
}

function folderOf({ campaign: { manifest } }: CampaignView): string {
  return /^(.*)\//.exec(manifest)?.[1] ?? '';
}

function foldersOf(campaigns: readonly CampaignView[]): Folder[] {
  const folders = [...groupBy(campaigns, folderOf)].map(([name, members]) => ({
    ...{ name, members, blocks: blocksOf(members) },
  }));
  return folders.sort((a, b) => (a.name < b.name ? -1 : 1));
}

const ROWS = 6;

function rowsPart(blocks: readonly CampaignBlock[], partOf: (block: CampaignBlock) => Html): Html {
  if (blocks.length <= MOST_OPEN) return html`${blocks.map(partOf)}`;
  const [shown, rest] = [blocks.slice(0, ROWS), blocks.slice(ROWS)];
  return html`${shown.map(partOf)}<details class="folder"><summary><h3>${thousands(membersOf(rest))} more</h3></summary>${rest.map(partOf)}</details>`;
}

/** Headed by the number of campaigns of each kind. */
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
  return html`<details class="folder"${isOpen ? html` open` : null}><summary><h3>${name || 'no folder'}</h3> <span class="chips">${kinds}</span></summary>${blocks.map(partOf)}</details>`;
}

/** Values for search and filters. */
function searchWords(campaigns: readonly CampaignView[]): string {
  return campaigns
    .flatMap(({ name, campaign }) => [name, campaign.manifest])
    .join(' ')
    .toLowerCase();
}

function kindsOf(campaigns: readonly CampaignView[]): string {
  const kinds = campaigns.flatMap(({ facts, problems }) => [
    ...facts.map(({ words }) => words),
    ...(problems.some(({ severity }) => severity === 'hazard') ? ['needs approval'] : []),
  ]);
  return [...new Set(kinds)]
    .filter((kind) => FILTERS.includes(kind))
    .join(' ')
    .replaceAll('needs approval', 'approval');
}

const FILTERS: readonly string[] = ['launch', 'blocked', 'change', 'create', 'drift', 'needs approval'];

/** Visible only if the script runs. */
function searchPart({ campaigns }: PlanView, folders: readonly Folder[]): Html {
  const present = new Set(campaigns.flatMap((view) => kindsOf([view]).split(' ')));
  const filters = FILTERS.map((kind) => [kind === 'needs approval' ? 'approval' : kind, kind] as const)
    .filter(([value]) => present.has(value))
    .map(
      ([value, words]) =>
        html`<button type="button" aria-pressed="false" value="${value}">${words}</button> `,
    );
  const clients =
    folders.length < 2
      ? null
      : html`<select aria-label="Folder"><option value="">all folders</option>${folders.map(({ name }) => html`<option>${name}</option>`)}</select>`;
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

/** Its chips say the same. */
function signOf({ sign, facts: [action] }: CampaignView): Html {
  return html`<span class="sign ${action?.look ?? ''}" aria-hidden="true">${sign}</span>`;
}

/** One campaign or several with the same change. In brief, only what changes. */
function blockPart(
  block: CampaignBlock,
  { open, inFrame, isBrief }: { open: boolean; inFrame: boolean; isBrief: boolean },
): Html {
  const { campaigns, sections, title } = block;
  const [view] = campaigns;
  const { name, anchor, campaign, origin, launch, themes, leadFacts, facts } = view;
  const several = title !== null;
  const chips = facts.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
  const words = [...themes, ...(several || leadFacts === null ? [] : [leadFacts])].join(' · ');
  const line = words === '' ? null : html`<span class="facts-line">${words}</span>`;
  const subjects = launch === null ? null : subjectsPart(view);
  const names = several ? campaigns.map((member) => member.name).join(', ') : view.where;
  const where = html`<span class="where">${names}</span>`;
  const head = html`<summary><h3>${signOf(view)} ${title ?? name}</h3><span class="chips">${chips}</span>${line}${subjects}${where}</summary>`;
  const { content } = campaign;
  const parts =
    content === null
      ? changeTable(sections.flatMap(({ changes }) => changes))
      : sectionParts(sections, { content, inFrame, several: several || isBrief, launched: launch !== null });
  const whose = origin === null ? null : html`<p class="notice drift">${capital(origin)}.</p>`;
  const inside: Fragment = [
    whose,
    problemCodes(view),
    several ? namesPart(block) : null,
    parts,
    several ? null : requests(view),
  ];
  const data = html` data-words="${searchWords(campaigns)}" data-kinds="${kindsOf(campaigns)}" data-folders="${[...new Set(campaigns.map(folderOf))].join('\n')}" data-count="${campaigns.length}"`;
  // The anchor is inside, so that links unfold it.
  return html`<details class="campaign"${data}${open ? html` open` : null}>${head}<div class="inside"${several ? null : html` id="${anchor}"`}>${inside}</div></details>`;
}

/** Visible while the emails are folded. */
function subjectsPart({ campaign: { content } }: CampaignView): Html | null {
  const sequence = content?.after.sequence ?? content?.before?.sequence ?? null;
  if (sequence === null || sequence.steps.length === 0) return null;
  const subjects = sequence.steps
    .flatMap(({ variants, ...email }) => [email, ...variants])
    .map(({ email_subject }) => html`<q>${copied(email_subject)}</q> `);
  return html`<span class="facts-line quiet">Sends ${subjects}</span>`;
}

/** Names with manifests, and leads and dates if these differ. */
function namesPart({ campaigns, differs }: CampaignBlock): Html {
  const items = campaigns.map(
    ({ name, anchor, where, leadFacts }) =>
      html`<li id="${anchor}">${name}${differs && leadFacts !== null ? html`<span class="own">${leadFacts}</span>` : null}<small>${where}</small></li>`,
  );
  return html`<section class="section"><h4>Campaigns</h4><ul class="names">${items}</ul></section>`;
}

function problemCodes({ problems }: CampaignView): Html | null {
  const codes = [...new Set(problems.map(({ code }) => code))].filter((code) => code !== 'launch').join(', ');
  return codes === '' ? null : html`<p class="quiet">See above: ${codes}</p>`;
}

function requests({ campaign: { steps } }: CampaignView): Html | null {
  if (steps.length === 0) return null;
  const items = steps.map(({ title, method, path, irreversible }) => {
    const chip = irreversible ? html` <span class="chip">irreversible</span>` : null;
    return html`<li>${title}${chip}<small><code>${method} ${path}</code></small></li>`;
  });
  return html`<details class="requests"><summary>${count(steps.length, 'request')}${steps.length > 1 ? ', in this order' : ''}</summary><ol>${items}</ol></details>`;
}
