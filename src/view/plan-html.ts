import { groupBy } from '../model/json.js';
import type { Plan } from '../model/outputs.js';
import { shellQuoted } from '../model/shell.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandHtml, COPY_SCRIPT } from './by-hand.js';
import { viewChanges } from './changes.js';
import { countMails, sectionParts } from './html-changes.js';
import { copied, exactly, type Fragment, fold, framed, type Html, html, page, unseen } from './html-page.js';
import { type LaunchCells, launchCells } from './launches.js';
import { type CampaignLink, isAwaited, type Message, type Notice, type PlaceOf } from './plan-notices.js';
import {
  approvalWords,
  type CampaignBlock,
  type CampaignView,
  groupByFacts,
  type PlanView,
  type SectionView,
  viewPlan,
} from './plan-view.js';
import {
  describeResult,
  FOLDER_NOTE,
  failureProblems,
  mergedPlan,
  type ProjectPart,
  placedPlans,
  planTotals,
  projectName,
  projectsHead,
} from './projects.js';
import { visibleLine } from './terminal.js';
import { capital } from './words.js';

/** Maximum number of expanded launches or, if there are none, campaigns. */
const MAX_UNFOLDED = 3;
/** Up to this number of campaigns, all folders are expanded. */
const MAX_OPEN = 40;
const ROWS = 6;
/** Minimum number of campaigns for which the page has a search. */
const MIN_SEARCHED = 8;
const AT_A_GLANCE = 8;
const MAX_IN_HEADING = 3;

/** `about`: commit, author, pull request, time. The other options are for parts of a page with several plans. */
interface PageOptions {
  about?: readonly string[];
  title?: string;
  placeOf?: PlaceOf;
  applying?: readonly string[];
  failed?: readonly Notice[];
  /** Above everything else. */
  before?: Html | null;
}

export function renderPlanHtml(plan: Plan, options: PageOptions = {}): string {
  const view = viewPlan(plan, options.placeOf);
  const { failed = [], before = null } = options;
  const title = options.title ?? `${view.heading} ${view.environment}`;
  const look = section('attention', 'Needs a look', [
    ...failed.map(noticePart),
    ...noticeParts(view, (kind) => kind !== 'launch' && kind !== 'warning'),
  ]);
  const notes = [...noticeParts(view, (kind) => kind === 'warning'), ...view.notes.map(noticePart)];
  const rest = [byHandHtml(view.byHand), section('notes', 'Notes', notes)];
  const main = html`${before}${look}${launchesPart(view)}<div class="campaigns" id="list" tabindex="-1">${campaignParts(view)}</div><div class="after">${rest}</div>${view.fingerprint && html`<p class="quiet print">Fingerprint ${view.fingerprint}</p>`}`;
  const scripts = [
    isSearched(view) ? SEARCH_SCRIPT : '',
    view.approvals.length > 0 ? DECISION_SCRIPT : '',
    view.byHand.length + view.approvals.length > 0 ? COPY_SCRIPT : '',
  ];
  return page({ title, header: header(view, title, options), main, script: scripts.join('') });
}

/** Each launch once, with the numbers to decide on and a link to its emails. */
function launchesPart({ launches }: PlanView): Html | null {
  const views = launches.flatMap(({ campaigns }) => campaigns);
  if (views.length === 0) return null;
  const heads = ['Campaign', ...LAUNCH_COLUMNS.map(([, head]) => head)];
  const rows = views.map(({ name, anchor, campaign: { impact } }) => {
    const cells = impact === null ? null : launchCells(impact);
    const parts = LAUNCH_COLUMNS.map(([key, head]) => {
      const text = cells?.[key] ?? '';
      return html`<td${text === '' ? html` class="none"` : null} data-head="${head}">${text}</td>`;
    });
    return html`<tr><th scope="row"><a href="#${anchor}">${name}</a></th>${parts}</tr>`;
  });
  const table = html`<table class="launches"><thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead><tbody>${rows}</tbody></table>`;
  const shown = rows.length <= MAX_LAUNCHES ? table : fold(count(rows.length, 'launch', 'launches'), table);
  return section('launch-table', 'Launches at a glance', [shown]);
}

const LAUNCH_COLUMNS: readonly [keyof LaunchCells, string][] = [
  ['people', 'People'],
  ['emails', 'Emails'],
  ['firstDay', 'First day'],
  ['first', 'First'],
  ['last', 'Last'],
  ['cap', 'Cap a day'],
];
const MAX_LAUNCHES = 15;

function section(id: string, title: string, parts: readonly Fragment[]): Html | null {
  if (parts.every((part) => part === null)) return null;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts}</section>`;
}

function noticeParts({ notices }: PlanView, isWanted: (kind: Notice['kind']) => boolean): Html[] {
  return notices.filter(({ kind }) => isWanted(kind)).map(noticePart);
}

function campaignParts(view: PlanView): Fragment[] {
  const { launches, others, notices } = view;
  const blocks = [...launches, ...others];
  const frames = framed(
    blocks.map(({ campaigns: [{ campaign }] }) => countMails(campaign.content?.after.sequence ?? null)),
  );
  const inFrame = new Set(blocks.filter((_, at) => frames[at]));
  const first = launches.length > 0 ? launches : others;
  const open = new Set(first.length > MAX_UNFOLDED ? [] : first);
  const partOf = (block: CampaignBlock) =>
    blockPart(block, { isOpen: open.has(block), inFrame: inFrame.has(block) });
  const without = blocks.length - inFrame.size;
  const launchTitle = notices.find(({ kind }) => kind === 'launch')?.title ?? 'launches';
  return [
    without === 0
      ? null
      : html`<p class="quiet">This page contains many emails, so those of the last ${count(without, 'campaign')} are shown as text.</p>`,
    isSearched(view) ? searchPart(view) : null,
    section('launches', capital(launchTitle), foldersPart(launches, partOf)),
    section('campaigns', launches.length > 0 ? 'Other campaigns' : 'Campaigns', foldersPart(others, partOf)),
  ];
}

function header(
  view: PlanView,
  title: string,
  { about = [], failed = [], applying = view.applying }: PageOptions,
): Html {
  const { service, isSandbox, verdict, unread, legend, volume, counts } = view;
  const mark = isSandbox
    ? html`<span class="chip">Sandbox: no email is sent</span>`
    : html`<span class="chip real">Real service</span>`;
  const where = [isSandbox ? '' : service, about.join(' · ')].map(
    (line) => line && html`<p class="where">${line}</p>`,
  );
  const tiles = [...counts.campaigns, ...counts.rest].map(
    ({ look, number, words }) =>
      html`<li class="${look}"><strong>${thousands(number)}</strong> ${words}</li>`,
  );
  const lines = [verdict, volume, unread, legend].map(
    (line) => line && html`<p class="headline">${line}</p>`,
  );
  return html`<p class="eyebrow">campaignctl plan</p><h1>${title} ${mark}</h1>${where}${tiles.length === 0 ? null : html`<ul class="tiles">${tiles}</ul>`}${lines}${nextPart(view, failed, applying)}`;
}

function nextPart(view: PlanView, failed: readonly Notice[], applying: readonly string[]): Html | null {
  const { approvals, refusal, byHand, campaigns, mode } = view;
  const launches = campaigns.filter(({ isLaunch }) => isLaunch).length;
  const blocked = campaigns.filter(({ campaign }) => campaign.action === 'blocked').length;
  if (mode === 'drift' || [...failed, ...byHand, ...applying].length + blocked === 0) return null;
  const decisions = approvals.filter(({ code }) => code !== 'launch');
  const right = blocked > 0 ? 'If the rest is right' : 'If everything is right';
  const hazards =
    approvals.length > 0
      ? ', and tell the person who applies it what you approve under "Needs approval"'
      : '';
  const items = [
    ...failed.map(({ title }) => `${title}: correct the errors and plan again.`),
    ...(refusal === null ? [] : [refusal]),
    launches > 0
      ? `Review the emails, leads and dates of ${count(launches, 'launch', 'launches')} below.`
      : 'Review the changes below.',
    ...(decisions.length > 0
      ? [`Decide whether to approve ${approvalWords(decisions)} (explained below).`]
      : []),
    ...(blocked > 0
      ? [
          `${count(blocked, 'campaign')} with blocked changes: ${byHand.length > 0 ? 'do the tasks under "To do by hand"' : "make the changes in the service's web app"}, undo the changes in the manifests, or replace the campaigns. Then plan again.`,
        ]
      : []),
    ...(blocked === 0 && byHand.length > 0
      ? ['Do the tasks under "To do by hand" in the service\'s web app.']
      : []),
    ...(applying.length > 0 ? [`${right}, approve the change in the review${hazards}.`] : []),
  ];
  const steps = applying.map((step) => html`<p>${step}</p>`);
  return html`<section class="next" aria-labelledby="next"><h2 id="next">What to do</h2><ol>${items.map((item) => html`<li>${item}</li>`)}</ol>${applying === view.applying ? decisionPart(view) : null}${steps.length === 0 ? null : fold('For the person who applies the plan', steps)}</section>`;
}

interface Decision {
  words: string;
  allow: string;
  /** Empty if it cannot be left out. */
  hold: string;
}

/** A box for each approval, and buttons that copy what is ticked: for the review, and for the person who applies. */
function decisionPart({ approvals, command, environment }: PlanView): Html | null {
  if (approvals.length === 0 || command === null) return null;
  const decisions = approvals.flatMap(({ code, names }): Decision[] =>
    code === 'launch'
      ? names.map((name) => ({
          words: `launch of ${visibleLine(name)}`,
          allow: `--allow launch=${shellQuoted(name)}`,
          hold: `--hold launch=${shellQuoted(name)}`,
        }))
      : [
          {
            words: names.length === 0 ? code : `${code} for ${listed(names.map(visibleLine))}`,
            allow: `--allow ${code}`,
            hold: '',
          },
        ],
  );
  const boxes = decisions.map(
    ({ words, allow, hold }) =>
      html`<li><label><input type="checkbox" data-words="${words}" data-allow="${exactly(allow)}" data-hold="${exactly(hold)}"> ${words}</label></li>`,
  );
  return html`<fieldset class="decision" hidden data-environment="${environment}" data-command="${exactly(command)}"><legend>My decision</legend><ul class="tasks">${boxes}</ul><button type="button" class="copy" data-copies="decision">Copy my decision</button> <button type="button" class="copy" data-copies="command">Copy the command</button><pre class="shown" tabindex="0" aria-live="polite"></pre></fieldset>`;
}

/** Composes the texts of the two buttons whenever a box is ticked. Needs `COPY_SCRIPT`. */
const DECISION_SCRIPT = `
for (const form of document.querySelectorAll('fieldset.decision')) {
  const boxes = [...form.querySelectorAll('input')];
  const [decision, command] = form.querySelectorAll('button');
  const compose = () => {
    const yes = boxes.filter((box) => box.checked);
    const no = boxes.filter((box) => !box.checked);
    const list = (title, some) => some.length === 0 ? [] : [title, ...some.map((box) => '- ' + box.dataset.words)];
    decision.dataset.text = ['Plan for ' + form.dataset.environment, ...list('Approved:', yes), ...list('Not approved:', no)].join('\\n');
    const flags = [...yes.map((box) => box.dataset.allow), ...no.map((box) => box.dataset.hold)].filter(Boolean);
    const open = no.filter((box) => box.dataset.hold === '');
    command.dataset.text = [form.dataset.command, ...flags].join(' ');
    const first = open.length === 0 ? '' : 'Resolve first: ' + open.map((box) => box.dataset.words).join(', ') + '\\n';
    form.querySelector('pre').textContent = first + command.dataset.text;
    for (const [button, words] of [[decision, 'Copy my decision'], [command, 'Copy the command']]) button.textContent = words;
  };
  form.addEventListener('change', compose);
  compose();
  form.hidden = false;
}
`;

function noticePart({ kind, title, messages, hint }: Notice): Html {
  const plain = messages.filter(({ code }) => code === null).map(listItem);
  const problems = messages.filter(({ code }) => code !== null).map((message) => messagePart(message, kind));
  const isNote = kind === 'unreadable' && messages.length === 0;
  const head = isNote ? html`<p>${title}.</p>` : html`<h3>${title}</h3>`;
  return html`<section class="notice ${kind}">${head}${few(plain)}${problems}${kind === 'hazard' ? null : hint && html`<p class="hint">${hint}</p>`}</section>`;
}

function messagePart({ code, text, campaigns, hint, blocks }: Message, kind: Notice['kind']): Html {
  const way = hint && html`<p class="hint">${hint}</p>`;
  const isFew = campaigns.length <= MAX_IN_HEADING;
  const names = isFew
    ? campaigns.map((link) => html` · ${linkTo(link)}`)
    : html` · ${count(campaigns.length, 'campaign')}`;
  const lines = blocks.map(
    ({ where, lines }) => html`<p class="quiet">${where}</p><pre tabindex="0">${lines.join('\n')}</pre>`,
  );
  const copies =
    lines.length === 0 ? null : fold(`Lines to write for ${count(lines.length, 'campaign')}`, lines);
  return html`<div class="group"><h4><code>${code}</code>${names}</h4><p>${text}</p>${isFew ? null : linkList(campaigns)}${way && kind === 'hazard' ? fold(html`How to approve or resolve it${unseen(`: ${listed([code ?? '', ...campaigns.map(({ name }) => name)])}`)}`, way) : way}${copies}</div>`;
}

function listItem({ campaigns, text }: Message): Html {
  const [only] = campaigns.length === 1 ? campaigns : [];
  const words = campaigns.length > 0 && text ? `: ${text}` : text;
  if (only !== undefined) return html`<li>${linkTo(only)}${words}</li>`;
  if (campaigns.length === 0) return html`<li>${words}</li>`;
  return html`<li>${count(campaigns.length, 'campaign')}${words}${linkList(campaigns)}</li>`;
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

function folderOf({ campaigns }: CampaignBlock): string {
  const [folder = '', ...others] = foldersOf(campaigns);
  return others.length > 0 ? 'Several folders' : folder;
}

function foldersOf(campaigns: readonly CampaignView[]): string[] {
  const names = campaigns.map(({ campaign }) => /^(.*)\//.exec(campaign.manifest)?.[1] ?? 'no folder');
  return [...new Set(names)].sort();
}

function foldersPart(blocks: readonly CampaignBlock[], partOf: (block: CampaignBlock) => Html): Html[] {
  const isFew = blocks.length <= MAX_OPEN;
  const isOpen = ({ campaigns }: CampaignBlock) =>
    isFew || filtersOf(campaigns).some((kind) => URGENT.includes(kind));
  const folders = [
    ...groupBy(blocks, (block) => `${folderOf(block)}${isOpen(block) ? '' : ': other changes'}`),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  if (folders.length === 1 && isFew) return blocks.map(partOf);
  return folders.map(([name, blocks]) => {
    const members = blocks.flatMap(({ campaigns }) => campaigns);
    const kinds = [...groupBy(members, ({ facts: [action] }) => action?.words ?? '')].map(
      ([words, same]) =>
        html`<span class="chip ${same[0].facts[0]?.look ?? ''}">${thousands(same.length)} ${words}</span> `,
    );
    return html`<details class="folder"${isOpen(blocks[0]) ? html` open` : null}><summary><h3>${name}</h3> <span class="chips">${kinds}</span></summary>${blocks.map(partOf)}</details>`;
  });
}

function isSearched({ campaigns }: PlanView): boolean {
  return campaigns.length >= MIN_SEARCHED;
}

/** Campaigns with these words are never in a closed folder. */
const URGENT: readonly string[] = ['launch', 'stops', 'higher daily cap', 'blocked', 'needs approval'];
const FILTERS: readonly string[] = [...URGENT, 'change', 'create', 'drift'];

function filtersOf(campaigns: readonly CampaignView[]): string[] {
  const kinds = campaigns.flatMap(({ facts, isLaunch, problems }) => [
    ...facts.map(({ words }) => (words === 'pause' ? 'stops' : words)),
    ...(isLaunch ? ['launch'] : []),
    ...(problems.some(isAwaited) ? ['needs approval'] : []),
  ]);
  return FILTERS.filter((kind) => kinds.includes(kind));
}

/** Visible only if the script runs. It filters by words in `data-words`, such as "is:launch;" and "in:campaigns;". */
function searchPart({ campaigns }: PlanView): Html {
  const filters = filtersOf(campaigns).map(
    (kind) => html`<button type="button" aria-pressed="false" value="is:${kind};">${kind}</button> `,
  );
  const folders = foldersOf(campaigns).map((name) => html`<option value="in:${name};">${name}</option>`);
  const select = html`<select aria-label="Folder"><option value="">all folders</option>${folders}</select>`;
  return html`<div class="search" role="search" hidden><label>Search <input type="search" placeholder="name or file"></label> ${folders.length < 2 ? null : select} ${filters}<span class="quiet" role="status"></span></div>`;
}

function searchWords(campaigns: readonly CampaignView[]): string {
  const names = campaigns.map(({ name, campaign }) => `${name} ${campaign.manifest}`.toLowerCase());
  const kinds = filtersOf(campaigns).map((kind) => `is:${kind};`);
  return [...names, ...kinds, ...foldersOf(campaigns).map((folder) => `in:${folder};`)].join(' ');
}

const SEARCH_SCRIPT = `
const bar = document.querySelector('.search');
const rows = [...document.querySelectorAll('.campaign')];
const folders = [...document.querySelectorAll('.folder')].map((folder) => [folder, folder.open]);
function show() {
  const filters = [...bar.querySelectorAll('[aria-pressed=true], option:checked')].map(({ value }) => value);
  const typed = bar.querySelector('input').value.toLowerCase().split(/\\s+/);
  const words = [...typed, ...filters].filter(Boolean);
  let count = 0;
  for (const row of rows) {
    row.hidden = !words.every((word) => row.dataset.words.includes(word));
    if (!row.hidden) count += Number(row.dataset.count);
  }
  for (const [folder, wasOpen] of folders) {
    folder.hidden = folder.querySelector('.campaign:not([hidden])') === null;
    folder.open = words.length > 0 || wasOpen;
  }
  bar.querySelector('[role=status]').textContent = words.length > 0 ? count + ' found' : '';
}
bar.hidden = false;
bar.addEventListener('input', show);
for (const button of bar.querySelectorAll('button'))
  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') === 'false');
    show();
  });
`;

function blockPart(block: CampaignBlock, { isOpen, inFrame }: { isOpen: boolean; inFrame: boolean }): Html {
  const { campaigns, title } = block;
  const [view] = campaigns;
  const {
    name,
    sign,
    anchor,
    where,
    origin,
    succession,
    mailsNewLeads,
    themes,
    leadFacts,
    facts,
    codes,
    problems,
  } = view;
  const awaited = problems.some(isAwaited) ? [{ look: 'changed', words: 'needs approval' }] : [];
  const states = [...facts, ...awaited];
  const chips = states.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
  const words = [...themes, ...(title !== null || leadFacts === null ? [] : [leadFacts])].join(' · ');
  const place = title === null ? html`<span class="where">${where}</span>` : membersPart(campaigns);
  const head = html`<h3><span class="sign ${facts[0]?.look ?? ''}" aria-hidden="true">${sign}</span> ${title ?? name}${unseen(`: ${states.map(({ words }) => words).join(', ')}`)}</h3><span class="chips" aria-hidden="true">${chips}</span>${words && factsLine(words)}${mailsNewLeads ? subjectsPart(view) : null}${place}`;
  const inside = [
    origin && html`<p class="notice drift">${capital(origin)}.</p>`,
    succession && html`<p class="notice stop">${capital(succession)}.</p>`,
    codes.length === 0 ? null : html`<p class="quiet">See: ${codes.join(', ')}</p>`,
    title === null ? null : namesPart(campaigns),
    sectionParts(block, inFrame),
  ];
  // The id is inside `<details>`, so that a link to it expands the element.
  return html`<details class="campaign" data-words="${searchWords(campaigns)}" data-count="${campaigns.length}"${isOpen ? html` open` : null}><summary>${head}</summary><div class="inside"${title === null ? html` id="${anchor}"` : null}>${inside}</div></details>`;
}

function membersPart(campaigns: readonly CampaignView[]): Html[] {
  const groups = groupByFacts(campaigns);
  const rest = groups.slice(ROWS).flatMap(([, members]) => members).length;
  const lines = groups.slice(0, ROWS).map(([facts, members]) => {
    const names = listed(members.map(({ name }) => name));
    return [names, facts].filter(Boolean).join(': ');
  });
  return [...lines, ...(rest > 0 ? [`and ${thousands(rest)} more`] : [])].map(factsLine);
}

function factsLine(words: string): Html {
  return html`<span class="facts-line">${words}</span> `;
}

function subjectsPart({ subjects }: CampaignView): Html | null {
  if (subjects.length === 0) return null;
  const quotes = subjects.map(({ subject, isVariant }, at) => {
    const mark = isVariant ? ' or ' : at === 0 ? ' ' : ', then ';
    return html`${mark}<q>${copied(subject)}</q>`;
  });
  const number = subjects.filter(({ isVariant }) => !isVariant).length;
  return html`<span class="facts-line quiet">Sends ${count(number, 'email')}:${quotes}</span> `;
}

function namesPart(campaigns: readonly CampaignView[]): Html {
  const items = campaigns.map(
    ({ name, anchor, where, leadFacts, sections }) =>
      html`<li id="${anchor}">${name}${leadFacts && html`<span class="own">${leadFacts}</span>${shortenedLeads(leadFacts, sections)}`}<small>${where}</small></li>`,
  );
  return html`<section class="section"><h4>Campaigns</h4><ul class="names">${items}</ul></section>`;
}

/** Leads that `facts` shortens, in full. */
function shortenedLeads(facts: string, sections: readonly SectionView[]): Html[] {
  const leads = sections.filter(({ section }) => section === 'leads').flatMap(({ changes }) => changes);
  return viewChanges(leads).flatMap((change) =>
    change.form === 'value' && !facts.includes(change.whole)
      ? [fold(change.name, html`<ins>${copied(change.whole)}</ins>`)]
      : [],
  );
}

/** Shows plans of several projects on one page, as a single plan with a folder per project. */
export function renderProjectsHtml(parts: readonly ProjectPart<Plan>[], { about }: PageOptions = {}): string {
  const planned = placedPlans(parts);
  const steps = planned.flatMap(({ name, flags, plan }) => {
    const { applying } = viewPlan(plan, () => flags);
    return applying.length === 0 ? [] : [`${name}: ${applying.join(' ')}`];
  });
  return renderPlanHtml(mergedPlan(planned.map(({ placed }) => placed)), {
    placeOf: (manifest) => planned.find(({ name }) => manifest.startsWith(`${name}/`))?.flags ?? '',
    applying: steps.length === 0 ? [] : [FOLDER_NOTE, ...steps],
    ...(about === undefined ? {} : { about }),
    title: projectsHead(parts, 'planned'),
    failed: failedNotice(parts),
    before: tablePart(parts),
  });
}

function failedNotice(parts: readonly ProjectPart<Plan>[]): Notice[] {
  const failed = parts.filter(({ failure }) => failure !== null);
  const messages = failed.flatMap((part) =>
    (part.failure === null ? [] : failureProblems(part.failure)).map(({ code, message, hint }) => ({
      ...{ code, hint, campaigns: [], blocks: [] },
      text: `${projectName(part)}: ${message}`,
    })),
  );
  const title = `${count(failed.length, 'project')} without a plan`;
  return failed.length === 0 ? [] : [{ kind: 'blocked', title, messages, hint: '' }];
}

function tablePart(parts: readonly ProjectPart<Plan>[]): Html {
  const rows = parts.map(
    (part) =>
      html`<tr><th scope="row">${projectName(part)}</th><td>${describeResult(part, planTotals)}</td></tr>`,
  );
  return html`<section aria-labelledby="projects"><h2 id="projects">Projects</h2><table class="projects"><tbody>${rows}</tbody></table></section>`;
}
