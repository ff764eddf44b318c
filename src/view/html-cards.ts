/** Campaigns as cards in folders, with a search. */
import { groupBy } from '../model/json.js';
import { count, listed, thousands } from '../model/words.js';
import { type ChangeView, type EmailView, emailsOf } from './changes.js';
import type { Card, CardFact, CardFilter, Cards, Member, Part } from './document.js';
import { partHtml } from './html-changes.js';
import { copied, fold, type Html, html, unseen } from './html-page.js';
import { section } from './html-parts.js';
import { capital } from './words.js';

/** Up to this number of campaigns, all folders are expanded. */
const MAX_OPEN = 40;
const ROWS = 6;

export interface PageFrame {
  /** Empty if the page has no search. */
  searched: readonly Card[];
  /** Cards whose emails are rendered, not shown as text. */
  inFrame: ReadonlySet<Card>;
  open: ReadonlySet<Card>;
}

export function countMails({ parts }: Card): number {
  return parts.reduce(
    (sum, part) => sum + (part.is === 'emails' ? part.emails.length : emailsIn(part).length),
    0,
  );
}

function emailsIn({ changes }: Extract<Part, { is: 'changes' }>): EmailView[] {
  return changes.flatMap((change) => (change.form === 'emails' ? change.emails : []));
}

export function cardsPart({ id, title, cards }: Cards, frame: PageFrame & { isFirst: boolean }): Html {
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
  const isOpen = (card: Card) => isFew || filtersOf([card]).some((filter) => URGENT.includes(filter));
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

/** Campaigns that these filters find are never in a closed folder. */
const URGENT: readonly CardFilter[] = ['launch', 'stops', 'higher daily cap', 'blocked', 'needs approval'];

/** In the order of their buttons. */
const FILTERS: readonly CardFilter[] = [...URGENT, 'change', 'create', 'drift'];

function filtersOf(cards: readonly Card[]): CardFilter[] {
  const facts = cards.flatMap(factsOf);
  return FILTERS.filter((filter) => facts.some((fact) => fact.filter === filter));
}

function factsOf({ facts, isAwaited }: Card): CardFact[] {
  return [...facts, ...(isAwaited ? [AWAITED] : [])];
}

const AWAITED: CardFact = { look: 'changed', words: 'needs approval', filter: 'needs approval' };

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

export const SEARCH_SCRIPT = `
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
  const { sign, title, facts, themes, leads, where, remarks, codes, members } = card;
  const isGroup = members.length > 1;
  const states = factsOf(card);
  const chips = states.map(({ look, words }) => html`<span class="chip ${look}">${words}</span> `);
  const words = [...themes, ...(leads === null ? [] : [leads])].join(' · ');
  const place = isGroup ? membersPart(members) : html`<span class="where">${where}</span>`;
  const name = html`<span class="sign ${facts[0]?.look ?? ''}" aria-hidden="true">${sign}</span> ${title}${unseen(`: ${states.map(({ words }) => words).join(', ')}`)}`;
  const head = html`<h3>${name}</h3><span class="chips" aria-hidden="true">${chips}</span>${words && factsLine(words)}${subjectsPart(card)}${place}`;
  const [beside, others] = [card.parts.filter(isBeside), card.parts.filter((part) => !isBeside(part))];
  const options = { inFrame: inFrame.has(card), isOpen: card.isLaunch, edits: emailEdits(card.parts) };
  const left = [
    ...remarks.map((words) => html`<p class="notice drift">${capital(words)}.</p>`),
    codes.length === 0 ? null : html`<p class="quiet">See: ${codes.join(', ')}</p>`,
    isGroup ? namesPart(members) : null,
    ...others.map((part) => partHtml(part, options)),
  ];
  const right = beside.map((part) => partHtml(part, options));
  const inside =
    right.length > 0 && left.some((part) => part !== null)
      ? html`<div class="two"><div class="side">${left}</div><div class="side">${right}</div></div>`
      : html`${left}${right}`;
  // The id is inside `<details>`, so that a link to it expands the element.
  return html`<details class="campaign" data-words="${searchWords(card)}" data-count="${members.length}"${open.has(card) ? html` open` : null}><summary>${head}</summary><div class="inside"${isGroup ? null : html` id="${members[0].anchor}"`}>${inside}${isGroup ? null : html`<p class="link"><a href="#${members[0].anchor}">Link to this campaign</a></p>`}</div></details>`;
}

/** The changes of emails that the card also shows as recipients get them. */
function emailEdits(parts: readonly Part[]): ChangeView[] {
  const shown = parts.flatMap((part) => (part.is === 'emails' ? part.emails.map(({ label }) => label) : []));
  const changes = parts.flatMap((part) =>
    part.is === 'changes' && part.section === 'sequence' ? part.changes : [],
  );
  return changes.filter((change) => emailsOf(change).some((label) => shown.includes(label)));
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
