/** Documents as pages: one file that loads nothing. */
import { renderMail, sampleLeads, variableNames } from '../email/mail.js';
import { groupBy } from '../model/json.js';
import type { ContentEmail, Problem } from '../model/outputs.js';
import { SECTION_LABELS, SETTINGS } from '../model/sections.js';
import { count, listed, thousands } from '../model/words.js';
import { BY_HAND_END, type ByHandView, byHandTitle, type TaskView } from './by-hand.js';
import type { ChangeView, EmailView } from './changes.js';
import { cutExcerpt, diffLines, isSame, type Stretch, stretchText } from './diffs.js';
import type {
  Block,
  CalendarBlock,
  Card,
  Cards,
  Cell,
  Decision,
  Document,
  Fact,
  Failures,
  Head,
  Member,
  Name,
  Outcome,
  OutcomeStep,
  OutcomesBlock,
  Part,
  ResultsBlock,
  Steps,
  TableBlock,
} from './document.js';
import {
  copied,
  exactly,
  type Fragment,
  fold,
  framed,
  type Html,
  html,
  mailCard,
  page,
  unseen,
} from './html-page.js';
import { dayCell, dayWords } from './launches.js';
import type { CampaignLink, Message, Notice } from './plan-notices.js';
import { failureProblems, failuresTitle } from './problems.js';
import { settingWords } from './setting-words.js';
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
/** Maximum number of rows of an open table. */
const MAX_ROWS = 15;
/** Maximum ratio of the capacity to the highest bar for which it is drawn. */
const MAX_SCALE = 3;
/** Maximum number of open messages in a notice. */
const MAX_PROBLEMS = 8;
/** Maximum number of open boxes. */
const MAX_DECISIONS = 16;

interface PageFrame {
  /** Empty if the page has no search. */
  searched: readonly Card[];
  /** Cards whose emails are rendered, not shown as text. */
  inFrame: ReadonlySet<Card>;
  open: ReadonlySet<Card>;
}

export function documentHtml(document: Document): string {
  const cards = document.flatMap((block) => (block.is === 'cards' ? block.cards : []));
  const members = cards.reduce((sum, card) => sum + card.members.length, 0);
  const frames = framed(cards.map(countMails));
  const first = cards.some(({ isLaunch }) => isLaunch) ? cards.filter(({ isLaunch }) => isLaunch) : cards;
  const frame: PageFrame = {
    searched: members >= MIN_SEARCHED ? cards : [],
    inFrame: new Set(cards.filter((_, at) => frames[at])),
    open: new Set(first.length > MAX_UNFOLDED ? [] : first),
  };
  const [head, others] = [document.filter(isHead), document.filter((block) => !isHead(block))];
  const decisions = document.some((block) => block.is === 'steps' && block.decision !== null);
  const copies = document.some(({ is }) => is === 'steps' || is === 'tasks');
  const scripts = [
    frame.searched.length > 0 ? SEARCH_SCRIPT : '',
    decisions ? DECISION_SCRIPT : '',
    copies ? COPY_SCRIPT : '',
  ];
  return page({
    title: head.map(({ title, subject }) => `${title} ${subject}`.trim()).join(''),
    header: html`${head.map(headPart)}`,
    main: html`${others.map((block, at) => blockHtml(block, { ...frame, isFirst: isFirstCards(others, at) }))}`,
    script: scripts.join(''),
  });
}

function isHead(block: Block): block is Head {
  return block.is === 'head';
}

/** The search precedes the first cards. */
function isFirstCards(blocks: Document, at: number): boolean {
  return blocks.findIndex(({ is }) => is === 'cards') === at;
}

function countMails({ parts }: Card): number {
  return parts.reduce(
    (sum, part) => sum + (part.is === 'emails' ? part.emails.length : emailsIn(part).length),
    0,
  );
}

function emailsIn({ changes }: Extract<Part, { is: 'changes' }>): EmailView[] {
  return changes.flatMap((change) => (change.form === 'emails' ? change.emails : []));
}

function blockHtml(block: Block, frame: PageFrame & { isFirst: boolean }): Html | null {
  switch (block.is) {
    case 'head':
      return headPart(block);
    case 'paragraph':
      return html`${block.lines.map((words) => lineHtml({ look: block.look, words }))}`;
    case 'problems':
      return section('problems', 'Needs a look', block.problems.map(problemPart));
    case 'notice':
      return noticePart(block);
    case 'steps':
      return stepsPart(block);
    case 'table':
      return block.only === undefined ? tablePart(block) : null;
    case 'calendar':
      return calendarPart(block);
    case 'cards':
      return cardsPart(block, frame);
    case 'tasks':
      return byHandHtml(block.groups);
    case 'notes':
      return section(
        'notes',
        'Notes',
        block.notices.map((notice) => noticePart(notice, 3)),
      );
    case 'results':
      return resultsPart(block);
    case 'failures':
      return failuresPart(block);
    case 'outcomes':
      return outcomesPart(block);
  }
}

function headPart({
  title,
  subject,
  service,
  mark,
  about,
  counts,
  verdict,
  fingerprint,
  lines,
  isFree,
}: Head): Html {
  const chip =
    mark.words && html`<span class="chip ${mark.look === 'quiet' ? '' : 'real'}">${mark.words}</span> `;
  const numbers = counts
    .flat()
    .map(
      ({ look, number, words }) =>
        html`<li class="${look}"><strong>${thousands(number)}</strong> ${words}</li> `,
    );
  const where = [service, ...about, fingerprint && `plan ${fingerprint.slice(7, 19)}`]
    .filter(Boolean)
    .join(' · ');
  const eyebrow =
    chip || where ? html`<p class="eyebrow">${chip}<span class="where">${where}</span></p>` : null;
  return html`${eyebrow}<h1>${`${title} ${subject}`.trim()}</h1>${numbers.length === 0 ? null : html`<ul class="counts">${numbers}${isFree ? html`<li>no approval needed</li>` : null}</ul>`}${verdict && html`<p class="headline">${verdict}</p>`}${lines.map(lineHtml)}`;
}

function lineHtml({ look, words }: Fact): Html {
  return html`<p class="${look === 'quiet' ? 'quiet' : 'notice warning'}">${words}</p>`;
}

function section(id: string, title: string, parts: readonly Fragment[]): Html | null {
  if (parts.every((part) => part === null)) return null;
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${parts}</section>`;
}

function stepsPart({ refusal, review, applying, decision }: Steps): Html {
  const items = [...(refusal === null ? [] : [refusal]), ...review];
  const steps = applying.map(({ words, command }) =>
    command === null
      ? html`<p>${words}</p>`
      : html`<p>${words}</p><figure class="command"><pre tabindex="0">${command}</pre><button type="button" class="copy" hidden data-text="${exactly(command)}">Copy</button></figure>`,
  );
  return html`<section class="next" aria-labelledby="next"><h2 id="next">What to do</h2><ol>${items.map((item) => html`<li>${item}</li>`)}</ol>${decision === null ? null : decisionPart(decision)}${steps.length === 0 ? null : fold('For the person who applies the plan', steps)}</section>`;
}

/** A box for each approval, and buttons that copy what is ticked: for the review, and for the person who applies. */
function decisionPart({ environment, fingerprint, command, options, note }: Decision): Html {
  const boxes = options.map(
    ({ words, allow, hold }) =>
      html`<li><label><input type="checkbox" data-words="${words}" data-allow="${exactly(allow)}" data-hold="${exactly(hold)}"> ${words}</label></li>`,
  );
  const list = html`<ul class="tasks">${boxes}</ul>`;
  return html`<fieldset class="decision" hidden data-environment="${environment}${fingerprint && ` (plan ${fingerprint.slice(7, 19)})`}" data-command="${exactly(command)}" data-note="${note}"><legend>My decision</legend><p class="quiet">Tick what you approve. A launch that is not ticked is held; anything else stops the whole apply until it is resolved.</p>${boxes.length > MAX_DECISIONS ? fold(`${thousands(boxes.length)} decisions, one by one`, list) : list}${boxes.length > 2 ? html`<button type="button" class="all">Tick all</button> ` : null}<button type="button" class="copy" data-copies="decision">Copy my decision</button> <button type="button" class="copy" data-copies="command">Copy the command</button><p class="said quiet" aria-live="polite"></p><pre class="shown" tabindex="0"></pre></fieldset>`;
}

/** Composes the texts of the two buttons whenever a box is ticked. Needs `COPY_SCRIPT`. */
const DECISION_SCRIPT = `
for (const form of document.querySelectorAll('fieldset.decision')) {
  const boxes = [...form.querySelectorAll('input')];
  const [decision, command] = form.querySelectorAll('button.copy');
  form.querySelector('button.all')?.addEventListener('click', () => {
    const rest = boxes.some((box) => !box.checked);
    for (const box of boxes) box.checked = rest;
    compose();
  });
  const compose = () => {
    const yes = boxes.filter((box) => box.checked);
    const no = boxes.filter((box) => !box.checked);
    const list = (title, some) => some.length === 0 ? [] : [title, ...some.map((box) => '- ' + box.dataset.words)];
    decision.dataset.text = ['Plan for ' + form.dataset.environment, ...list('Approved:', yes), ...list('Not approved:', no)].join('\\n');
    const isLaunch = (box) => box.dataset.hold !== '';
    const launches = boxes.filter(isLaunch);
    // One flag for all launches keeps a long command short.
    const isShort = launches.length > 3 && (launches.every((box) => box.checked) || launches.every((box) => !box.checked));
    const each = isShort
      ? [launches[0].checked ? '--allow launch' : '--hold launch', ...yes.filter((box) => !isLaunch(box)).map((box) => box.dataset.allow)]
      : [...yes.map((box) => box.dataset.allow), ...no.map((box) => box.dataset.hold)];
    const flags = each.filter(Boolean);
    const open = no.filter((box) => box.dataset.hold === '');
    command.dataset.text = [form.dataset.command, ...flags].join(' ');
    const held = no.length - open.length;
    const said = [
      boxes.length === yes.length ? 'Approves everything.' : 'Approves ' + yes.length + ', holds ' + held + '.',
      ...(open.length === 0 ? [] : ['Apply is refused as a whole until this is ticked or resolved: ' + open.map((box) => box.dataset.words).join(', ') + '.']),
      ...(held === 0 || form.dataset.note === '' ? [] : [form.dataset.note]),
    ];
    form.querySelector('.said').textContent = said.join(' ');
    form.querySelector('pre').textContent = command.dataset.text;
    for (const [button, words] of [[decision, 'Copy my decision'], [command, 'Copy the command']]) button.textContent = words;
  };
  form.addEventListener('change', compose);
  compose();
  form.hidden = false;
}
`;

function noticePart({ kind, title, messages, hint }: Notice, level: 2 | 3 = 2): Html {
  const plain = messages.filter(({ code }) => code === null).map(listItem);
  const problems = messages
    .filter(({ code }) => code !== null)
    .map((message) => messagePart(message, kind, level));
  const isNote = kind === 'unreadable' && messages.length === 0;
  const head = isNote ? html`<p>${title}.</p>` : headingAt(level, title);
  const [shown, more] = [problems.slice(0, MAX_PROBLEMS), problems.slice(MAX_PROBLEMS)];
  const rest = more.length === 0 ? null : fold(`${thousands(more.length)} more`, more);
  return html`<section class="notice ${kind}">${head}${few(plain)}${shown}${rest}${kind === 'hazard' ? null : hint && html`<p class="hint">${hint}</p>`}</section>`;
}

function messagePart(
  { code, text, campaigns, hint, blocks }: Message,
  kind: Notice['kind'],
  level: 2 | 3,
): Html {
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
  return html`<div class="group">${headingAt(level + 1, html`<code>${code}</code>${names}`)}<p>${text}</p>${isFew ? null : linkList(campaigns)}${way && kind === 'hazard' ? fold(html`How to approve or resolve it${unseen(`: ${listed([code ?? '', ...campaigns.map(({ name }) => name)])}`)}`, way) : way}${copies}</div>`;
}

/** Headings may not skip a level. */
function headingAt(level: number, words: Fragment): Html {
  if (level === 2) return html`<h2>${words}</h2>`;
  return level === 3 ? html`<h3>${words}</h3>` : html`<h4>${words}</h4>`;
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

function resultsPart({ results }: ResultsBlock): Html {
  const rows = results.map(({ mark, names, words }) => {
    const [name = '', ...others] = names;
    const which =
      others.length === 0
        ? name
        : fold(
            `${count(names.length, 'project')}: ${name} …`,
            few(names.map((each) => html`<li>${each}</li>`)),
          );
    return html`<tr><th scope="row"><span class="mark ${MARKS[mark]}">${mark}</span> ${which}</th><td>${words}</td></tr>`;
  });
  return html`<section aria-labelledby="projects"><h2 id="projects">Projects</h2><table class="projects"><tbody>${rows}</tbody></table></section>`;
}

const MARKS = { '✓': 'new', '!': 'changed', '✗': 'blocked' } as const;

function problemPart({ code, severity, message, hint }: Problem): Html {
  return html`<section class="notice ${severity}"><h3>${message}</h3><p class="quiet"><code>${code}</code></p>${hint && html`<p class="hint">${hint}</p>`}</section>`;
}

function failuresPart({ failures }: Failures): Html {
  const parts = failures.map(({ name, failure }) => {
    const items = failureProblems(failure).map(
      ({ code, message, hint }) =>
        html`<p><code>${code}</code> ${message}</p>${hint && html`<p class="hint">${hint}</p>`}`,
    );
    return html`<div class="group"><h3>${name}</h3>${items}</div>`;
  });
  return html`<section class="notice blocked"><h2>${failuresTitle(failures)}</h2>${parts}</section>`;
}

function tablePart({ id, title, columns, rows, number, isRepeated }: TableBlock): Html | null {
  const heads = columns.map(
    ({ head, isRight }) => html`<th scope="col"${isRight ? html` class="n"` : null}>${head}</th>`,
  );
  const body = rows.map(([first = '', ...rest]) => {
    const cells = rest.map((cell, at) => {
      const column = columns[at + 1];
      const classes = [...(cell === '' ? ['none'] : []), ...(column?.isRight ? ['n'] : [])].join(' ');
      return html`<td class="${classes}" data-head="${column?.head ?? ''}">${cellPart(cell)}</td>`;
    });
    return html`<tr><th scope="row">${cellPart(first)}</th>${cells}</tr>`;
  });
  const table = html`<table class="wide"><thead><tr>${heads}</tr></thead><tbody>${body}</tbody></table>`;
  return section(id, title, [
    !isRepeated || rows.length <= MAX_ROWS ? table : fold(`All ${thousands(number)}`, table),
  ]);
}

/** The sum of each day as a bar; a line shows the capacity. */
function calendarPart(block: CalendarBlock): Html | null {
  const { title, days, rows, sum, isPartial, capacity } = block;
  const heads = days.map((day) => {
    const [weekday = '', ...date] = dayWords(day, false).split(' ');
    return html`<th scope="col" class="n">${weekday} <span class="date">${date.join(' ')}</span></th>`;
  });
  const body = rows.map(({ names, cells, start }) => {
    const numbers =
      cells === null
        ? html`<td colspan="${days.length}" class="off"><span class="unknown">${['not known', start].filter(Boolean).join(', ')}</span></td>`
        : cells.map((cell) => html`<td class="n${cell === 0 ? ' off' : ''}">${dayCell(cell)}</td>`);
    return html`<tr><th scope="row">${cellPart(names)}${names.length > 1 ? ' (each)' : null}</th>${numbers}</tr>`;
  });
  // A capacity far above the bars would make them invisible.
  const highest = Math.max(1, ...sum);
  const isNear = capacity !== null && capacity <= highest * MAX_SCALE;
  const most = isNear ? Math.max(highest, capacity) : highest;
  const share = (number: number) => `--part:${((100 * number) / most).toFixed(1)}%`;
  const line = !isNear ? null : html`<i class="capacity" style="${share(capacity)}"></i>`;
  const bars = sum.map((cell) => {
    const isOver = capacity !== null && cell > capacity;
    return html`<td class="n${cell === 0 ? ' off' : ''}"><span class="bar${isOver ? ' over' : ''}" style="${share(cell)}" aria-hidden="true">${line}</span>${dayCell(cell)}</td>`;
  });
  const together = `Together${isPartial ? ', at least' : ''}`;
  const limit =
    capacity === null
      ? null
      : html`<small>launches of this plan only; capacity of all running campaigns: ${thousands(capacity)} a day</small>`;
  const table = html`<div class="scroll" tabindex="0" role="region" aria-label="${title}"><table class="calendar"><thead><tr><th scope="col">Campaign</th>${heads}</tr></thead><tbody>${body}</tbody><tfoot><tr><th scope="row">${together}${limit}</th>${bars}</tr></tfoot></table></div>`;
  const isFew = rows.length <= MAX_ROWS;
  return section('calendar', title, [isFew ? table : fold(`All ${thousands(rows.length)} launches`, table)]);
}

function cellPart(cell: Cell): Fragment {
  if (typeof cell === 'string') return cell;
  if ('look' in cell) return html`<span class="sign-words ${cell.look}">${cell.words}</span>`;
  if (cell.length > MAX_IN_HEADING)
    return fold(html`${count(cell.length, 'campaign')}: ${cell[0]?.name ?? ''} …`, few(cell.map(nameItem)));
  return cell.map((name, at) => html`${at > 0 ? ', ' : ''}${nameLink(name)}`);
}

function nameItem(name: Name): Html {
  return html`<li>${nameLink(name)}</li>`;
}

function nameLink({ name, anchor }: Name): Html {
  return linkTo({ name, anchor });
}

function cardsPart({ id, title, cards }: Cards, frame: PageFrame & { isFirst: boolean }): Html {
  const shownAsText = frame.isFirst && cards.some((card) => !frame.inFrame.has(card) && countMails(card) > 0);
  return html`<div class="campaigns"${frame.isFirst ? html` id="list" tabindex="-1"` : null}>${shownAsText ? html`<p class="quiet">This page contains many emails, so those of the last campaigns are shown as text.</p>` : null}${frame.isFirst && frame.searched.length > 0 ? searchPart(frame.searched) : null}${section(id, title, foldersPart(cards, frame))}</div>`;
}

function foldersOf(members: readonly Member[]): string[] {
  const names = members.map(({ manifest }) => /^(.*)\//.exec(manifest)?.[1] ?? 'no folder');
  return [...new Set(names)].sort();
}

function folderOf({ members }: Card): string {
  const [folder = '', ...others] = foldersOf(members);
  return others.length > 0 ? 'Several folders' : folder;
}

function foldersPart(cards: readonly Card[], frame: PageFrame): Html[] {
  const isFew = cards.length <= MAX_OPEN;
  const isOpen = (card: Card) => isFew || filtersOf([card]).some((kind) => URGENT.includes(kind));
  const folders = [
    ...groupBy(cards, (card) => `${folderOf(card)}${isOpen(card) ? '' : ': other changes'}`),
  ].sort(([a], [b]) => (a < b ? -1 : 1));
  if (folders.length === 1 && isFew) return cards.map((card) => cardPart(card, frame));
  return folders.map(([name, some]) => {
    const actions = some.flatMap(({ facts: [action], members }) => members.map(() => action));
    const kinds = [...groupBy(actions, (action) => action?.words ?? '')].map(
      ([words, same]) =>
        html`<span class="chip ${same[0]?.look ?? ''}">${thousands(same.length)} ${words}</span> `,
    );
    return html`<details class="folder"${isOpen(some[0]) ? html` open` : null}><summary><h3>${name}</h3> <span class="chips">${kinds}</span></summary>${some.map((card) => cardPart(card, frame))}</details>`;
  });
}

/** Campaigns with these words are never in a closed folder. */
const URGENT: readonly string[] = ['launch', 'stops', 'higher daily cap', 'blocked', 'needs approval'];
const FILTERS: readonly string[] = [...URGENT, 'change', 'create', 'drift'];

function filtersOf(cards: readonly Card[]): string[] {
  const kinds = cards.flatMap(({ facts, isLaunch, isAwaited }) => [
    ...facts.map(({ words }) => (words === 'pause' ? 'stops' : words)),
    ...(isLaunch ? ['launch'] : []),
    ...(isAwaited ? ['needs approval'] : []),
  ]);
  return FILTERS.filter((kind) => kinds.includes(kind));
}

/** Visible only if the script runs. It filters by words in `data-words`, such as "is:launch;" and "in:campaigns;". */
function searchPart(all: readonly Card[]): Html {
  const filters = filtersOf(all).map(
    (kind) => html`<button type="button" aria-pressed="false" value="is:${kind};">${kind}</button> `,
  );
  const names = foldersOf(all.flatMap(({ members }) => members));
  const folders = names.map((name) => html`<option value="in:${name};">${name}</option>`);
  const select = html`<select aria-label="Folder"><option value="">all folders</option>${folders}</select>`;
  return html`<div class="search" role="search" hidden><label>Search <input type="search" placeholder="name or file"></label> ${folders.length < 2 ? null : select} ${filters}<span class="quiet" role="status"></span><span class="quiet keys">Keys: <kbd>/</kbd> search, <kbd>j</kbd> and <kbd>k</kbd> next and previous campaign</span></div>`;
}

function searchWords(card: Card): string {
  const names = card.members.map(({ name, manifest }) => `${name} ${manifest}`.toLowerCase());
  const kinds = filtersOf([card]).map((kind) => `is:${kind};`);
  return [...names, ...kinds, ...foldersOf(card.members).map((folder) => `in:${folder};`)].join(' ');
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
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || /^(?:input|select|textarea)$/i.test(event.target.tagName)) return;
  if (event.key === '/') bar.querySelector('input').focus();
  else if (event.key === 'j' || event.key === 'k') {
    const shown = rows.filter((row) => !row.hidden && row.checkVisibility()).map((row) => row.querySelector('summary'));
    const at = shown.indexOf(document.activeElement);
    shown[event.key === 'j' ? at + 1 : Math.max(0, at - 1)]?.focus();
  } else return;
  event.preventDefault();
});
bar.addEventListener('input', show);
for (const button of bar.querySelectorAll('button'))
  button.addEventListener('click', () => {
    button.setAttribute('aria-pressed', button.getAttribute('aria-pressed') === 'false');
    show();
  });
`;

function cardPart(card: Card, { open, inFrame }: PageFrame): Html {
  const { sign, title, facts, themes, leads, where, remarks, codes, members, isAwaited } = card;
  const isGroup = members.length > 1;
  const states = [...facts, ...(isAwaited ? [{ look: 'changed', words: 'needs approval' }] : [])];
  const chips = states.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
  const words = [...themes, ...(leads === null ? [] : [leads])].join(' · ');
  const place = isGroup ? membersPart(members) : html`<span class="where">${where}</span>`;
  const name = html`<span class="sign ${facts[0]?.look ?? ''}" aria-hidden="true">${sign}</span> ${title}${unseen(`: ${states.map(({ words }) => words).join(', ')}`)}`;
  const head = html`<h3>${name}</h3><span class="chips" aria-hidden="true">${chips}</span>${words && factsLine(words)}${subjectsPart(card)}${place}`;
  const [beside, facts_] = [card.parts.filter(isBeside), card.parts.filter((part) => !isBeside(part))];
  const options = { inFrame: inFrame.has(card), isOpen: card.isLaunch, isBlocked: false };
  const left = [
    ...remarks.map((words) => html`<p class="notice drift">${capital(words)}.</p>`),
    codes.length === 0 ? null : html`<p class="quiet">See: ${codes.join(', ')}</p>`,
    isGroup ? namesPart(members) : null,
    ...facts_.map((part) => partHtml(part, options)),
  ];
  const right = beside.map((part) => partHtml(part, options));
  const inside =
    right.length > 0 && left.some((part) => part !== null)
      ? html`<div class="two"><div class="side">${left}</div><div class="side">${right}</div></div>`
      : html`${left}${right}`;
  // The id is inside `<details>`, so that a link to it expands the element.
  return html`<details class="campaign" data-words="${searchWords(card)}" data-count="${members.length}"${open.has(card) ? html` open` : null}><summary>${head}</summary><div class="inside"${isGroup ? null : html` id="${members[0].anchor}"`}>${inside}${isGroup ? null : html`<p class="link"><a href="#${members[0].anchor}">Link to this campaign</a></p>`}</div></details>`;
}

/** Emails stand beside everything else. */
function isBeside(part: Part): boolean {
  return part.is === 'emails' || part.section === 'sequence';
}

function membersPart(members: readonly Member[]): Html[] {
  const groups = [...groupBy(members, ({ leads }) => leads ?? '')];
  const rest = groups.slice(ROWS).flatMap(([, some]) => some).length;
  const lines = groups
    .slice(0, ROWS)
    .map(([facts, some]) => [listed(some.map(({ name }) => name)), facts].filter(Boolean).join(': '));
  return [...lines, ...(rest > 0 ? [`and ${thousands(rest)} more`] : [])].map(factsLine);
}

function factsLine(words: string): Html {
  return html`<span class="facts-line">${words}</span> `;
}

function subjectsPart({ subjects }: Card): Html | null {
  if (subjects.length === 0) return null;
  const quotes = subjects.map(({ subject, isVariant }, at) => {
    const mark = isVariant ? ' or ' : at === 0 ? ' ' : ', then ';
    return html`${mark}<q>${copied(subject)}</q>`;
  });
  const number = subjects.filter(({ isVariant }) => !isVariant).length;
  return html`<span class="facts-line quiet">Sends ${count(number, 'email')}:${quotes}</span> `;
}

function namesPart(members: readonly Member[]): Html {
  const items = members.map(
    ({ name, anchor, where, leads, parts }) =>
      html`<li id="${anchor}">${name}${leads && html`<span class="own">${leads}</span>${shortenedLeads(leads, parts)}`}<small>${where}</small></li>`,
  );
  return html`<section class="section"><h4>Campaigns</h4><ul class="names">${items}</ul></section>`;
}

/** Leads that `facts` shortens, in full. */
function shortenedLeads(facts: string, parts: readonly Part[]): Html[] {
  const changes = parts.flatMap((part) => (part.is === 'changes' ? part.changes : []));
  return changes.flatMap((change) =>
    change.form === 'value' && !facts.includes(change.whole)
      ? [fold(change.name, html`<ins>${copied(change.whole)}</ins>`)]
      : [],
  );
}

interface PartOptions {
  inFrame: boolean;
  isOpen: boolean;
}

function partHtml(part: Part, options: PartOptions): Html | null {
  if (part.is === 'emails')
    return html`<section class="section"><h4>Emails</h4>${emailCards(part.emails, { ...options, ...part, isGone: false })}</section>`;
  const { section: name, mark, compared, changes, isPlain } = part;
  if (name === 'campaign') return null;
  const label = SECTION_LABELS[name];
  const values = changes.filter(({ form }) => form === 'update' || form === 'value');
  const isNew = values.every((change) => 'isNew' in change && change.isNew);
  const isWithheld = mark === 'not applied';
  const emails = { ...options, isPlain, isOpen: true, isGone: false, withheld: isWithheld ? null : NONE };
  const blocks = changes.map((change) => changeBlock(change, emails));
  const chip = mark && html` <span class="chip change">${mark}</span>`;
  const shown =
    name === 'settings' && isNew
      ? settingsSentence(values)
      : values.length === 1 && name !== 'settings'
        ? values.map(valueLine)
        : valuesTable(label, values, isNew);
  return html`<section class="section"><h4>${label}${chip}</h4>${compared && html`<p class="quiet">${capital(compared)}.</p>`}${values.length === 0 ? null : shown}${blocks}</section>`;
}

const NONE: ReadonlySet<string> = new Set();

/** "At most 200 emails a day, HTML, no open tracking." */
function settingsSentence(values: readonly ChangeView[]): Html {
  const words = values.flatMap((change) =>
    change.form === 'value'
      ? [
          html`<ins title="${change.name}: ${change.whole}">${copied(settingWords(change.name, change.whole))}</ins>${change.note && ` (${change.note})`}`,
        ]
      : [],
  );
  return html`<p class="sentence">${words.map((part, at) => html`${at > 0 ? ' · ' : ''}${part}`)}</p>`;
}

/** "draft → running", "2 individual leads 5, 6" */
function valueLine(change: ChangeView): Html {
  const [before, after] = splitChange(change);
  const [from, to] = [
    before && html`<del>${copied(before)}</del>`,
    after && html`<ins>${copied(after)}</ins>`,
  ];
  const name = change.name && html`${renderLabel(change.name)} `;
  return html`<p class="value">${name}${from}${from && to ? ' → ' : null}${to}${wholeValue(change)}${change.note && html`<small>${change.note}</small>`}</p>`;
}

function valuesTable(label: string, values: readonly ChangeView[], isNew: boolean): Html {
  const heads = ['What', ...(isNew ? [] : ['Current']), 'Planned'];
  const cells = heads.map((head) => html`<th scope="col">${head}</th>`);
  const rows = values.map((change) => changeRow(label, change, isNew));
  return html`<table><thead><tr>${cells}</tr></thead><tbody>${rows}</tbody></table>`;
}

function changeRow(label: string, change: ChangeView, isNew: boolean): Html {
  const [from, to] = splitChange(change);
  const [before, after] = [valueWords(change.name, from), valueWords(change.name, to)];
  const current = isNew ? null : html`<td>${before && html`<del>${copied(before)}</del>`}</td>`;
  const note = change.note && html`<small>${change.note}</small>`;
  return html`<tr><th scope="row">${renderLabel(change.name || label)}</th>${current}<td>${after && html`<ins>${copied(after)}</ins>`}${wholeValue(change)}${note}</td></tr>`;
}

/** A flag in words: "open tracking on". */
function valueWords(name: string, value: string | null): string | null {
  const isFlag = value === 'true' || value === 'false';
  return isFlag && SETTINGS.some((row) => row.name === name) ? settingWords(name, value) : value;
}

function wholeValue(change: ChangeView): Html | null {
  if (change.form !== 'value' || change.whole === change.value) return null;
  return fold('Show all', html`<ins>${copied(change.whole)}</ins>`);
}

function splitChange(change: ChangeView): [before: string | null, after: string | null] {
  if (change.form === 'update') return [change.from, change.to];
  if (change.form !== 'value') return [null, null];
  return change.isNew ? [null, change.value] : [change.value, null];
}

function changeBlock(change: ChangeView, options: EmailOptions): Html | null {
  const note = change.note && html`<p class="quiet">(${change.note})</p>`;
  if (change.form === 'text')
    return html`<h5>${renderLabel(change.name)}</h5>${note}${changedText(change.from, change.to)}`;
  if (change.form !== 'emails') return null;
  const name = change.name && html`<p>${change.name}</p>`;
  return html`${name}${note}${emailCards(change.emails, { ...options, isGone: !change.isNew })}`;
}

function renderLabel(name: string): Fragment {
  const setting = SETTINGS.find((row) => row.name === name);
  return setting === undefined ? name : html`${setting.label}<small><code>${name}</code></small>`;
}

/** `withheld`: labels of emails that apply does not send; `null` for all. */
interface EmailOptions extends PartOptions {
  isPlain: boolean;
  /** True if the manifest no longer has the email. */
  isGone: boolean;
  withheld: ReadonlySet<string> | null;
}

function emailCards(emails: readonly EmailView[], options: EmailOptions): Html {
  const texts = emails.flatMap(({ email, before }) =>
    [email, ...(before === null ? [] : [before])].flatMap((each) => [each.email_subject, each.email_body]),
  );
  const [lead = { label: '', values: {}, pick: 'first' as const }] = sampleLeads(variableNames(...texts));
  const cards = emails.map((view) => emailCard(view, lead, options));
  const values = Object.entries(lead.values).map(
    ([name, value]) => html`<span class="value"><code>{${name}}</code> ${value}</span> `,
  );
  const line =
    values.length === 0 ? null : html`<p class="quiet values">Values of the sample lead: ${values}</p>`;
  return html`${cards}${line}`;
}

/** An email as recipients get it; a changed one beside the current one. */
function emailCard(
  { email, before, label, how }: EmailView,
  lead: Parameters<typeof renderMail>[1],
  { withheld, isPlain: plain, inFrame, isOpen, isGone }: EmailOptions,
): Html {
  const isWithheld = withheld === null || withheld.has(label);
  const shown = (each: ContentEmail, words: string) => {
    const { email_subject: subject, email_body: body, thread_reply: isReply } = each;
    const mail = renderMail({ subject, body, plain, isReply }, lead);
    return html`<figure><figcaption>${words}</figcaption>${mailCard(mail, { title: `${label}: ${words}`, inFrame })}</figure>`;
  };
  const after = isWithheld
    ? 'In the manifest, not applied'
    : before === null
      ? 'How it looks'
      : 'After this plan';
  const figures = [...(before === null ? [] : [shown(before, 'Today')]), shown(email, after)];
  return html`<details class="email"${isOpen ? html` open` : null}><summary><h5>${label}</h5> <q>${copied(email.email_subject)}</q> <span class="quiet">${isGone ? 'removed by the manifest' : isWithheld ? 'not applied' : how}</span></summary><div class="${before === null ? '' : 'pair'}">${figures}</div></details>`;
}

export function changedText(from: string, to: string): Html {
  const lines = diffLines(paragraphs(from), paragraphs(to));
  if (lines.every(isSame)) return html`<p class="quiet">Only line breaks differ.</p>`;
  const parts = cutExcerpt(lines, 1).map((row) =>
    typeof row === 'number'
      ? html`<p class="line quiet">${count(row, 'unchanged line')}</p>`
      : html`<p class="${isSame(row) ? 'line' : 'line touched'}">${row.map(mark)}</p>`,
  );
  return html`<div class="diff">${parts}</div>`;
}

function mark({ kind, text }: Stretch): Html {
  if (kind === 'same') return copied(text);
  const shown = text.trim() === '' ? stretchText({ kind, text }).replace(/\n/g, '⏎') || '⏎' : copied(text);
  return kind === 'added' ? html`<ins>${shown}</ins>` : html`<del>${shown}</del>`;
}

function paragraphs(text: string): string {
  return text.replace(/(<\/(?:p|div|li|tr|h[1-6])>|<br *\/?>)(?!\s*\n)/gi, '$1\n');
}

function outcomesPart({ title, facts, outcomes }: OutcomesBlock): Html {
  const words =
    facts.length === 0 ? null : html`<p class="quiet">${facts.map((fact) => html`${fact}<br>`)}</p>`;
  return html`<section>${title && html`<h2>${title}</h2>`}${words}${outcomes.map(outcomePart)}</section>`;
}

function outcomePart({ mark, name, about, steps, unsent, parts }: Outcome): Html {
  const sign = mark && html`<span class="mark ${MARKS[mark]}">${mark}</span> `;
  const differs = parts.map((part) => partHtml(part, { inFrame: false, isOpen: false }));
  return html`<div class="group"><h3>${sign}${name}${about && html` <small>${about}</small>`}</h3>${steps.length === 0 ? null : html`<ul class="steps">${steps.map(outcomeStep)}</ul>`}${unsent.length === 0 ? null : html`<p class="quiet">Not run: ${unsent.join(', ')}</p>`}${parts.length === 0 ? null : html`<p>Still different from the manifest:</p>${differs}`}</div>`;
}

function outcomeStep({ look, sign, words, result, detail, at, request }: OutcomeStep): Html {
  return html`<li><span class="mark ${look}">${sign}</span> ${words}${result && html` <strong>${result}</strong>`}${[at, request].filter(Boolean).map((each) => html` <small>${each}</small>`)}${detail === null ? null : html`<p class="quiet">${detail}</p>`}</li>`;
}

function byHandHtml(groups: readonly ByHandView[]): Html | null {
  if (groups.length === 0) return null;
  const parts = groups.map(({ campaigns, tasks }) => {
    const [first] = campaigns;
    const names = campaigns.map(
      ({ name, id }) => html`${name}${id === null ? null : html` <small>id ${id}</small>`}`,
    );
    const head =
      campaigns.length === 1
        ? html`<h3>${names}</h3>`
        : html`<details class="fold"><summary>${thousands(campaigns.length)} × the same: ${first?.name ?? ''} …</summary><ul class="links">${names.map((name) => html`<li>${name}</li>`)}</ul></details>`;
    const whom = ` for ${listed(campaigns.map(({ name }) => name))}`;
    const items = tasks.map(({ words, from, texts }) => {
      const now = from === null ? null : html` <del>${copied(from)}</del>`;
      return html`<li><label><input type="checkbox"> ${capital(words)}${unseen(whom)}</label>${now}${texts.map((text) => copyable(text, whom))}</li>`;
    });
    return html`<div class="group">${head}<ul class="tasks">${items}</ul></div>`;
  });
  return html`<section class="notice blocked by-hand" aria-labelledby="by-hand"><h2 id="by-hand">${byHandTitle(groups)}</h2>${parts}<p class="hint">${BY_HAND_END}</p></section>`;
}

function copyable({ name, text, before }: TaskView['texts'][number], whom: string): Html {
  const changed = before === null ? null : changedText(before, text);
  return html`${changed}<figure><figcaption>${name} <button type="button" class="copy" hidden aria-label="Copy ${name}${whom}" data-text="${exactly(text)}">Copy</button></figcaption><pre tabindex="0">${copied(text)}</pre></figure>`;
}

/** The script works offline and without permission to use the clipboard. */
const COPY_SCRIPT = `
for (const button of document.querySelectorAll('button.copy')) {
  button.hidden = false;
  button.addEventListener('click', async () => {
    const { text } = button.dataset;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const field = document.createElement('textarea');
      field.value = text;
      button.after(field);
      field.select();
      document.execCommand('copy');
      field.remove();
    }
    button.textContent = 'Copied';
    button.removeAttribute('aria-label');
  });
}
`;
