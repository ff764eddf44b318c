/** Documents as pages: one file that loads nothing. */
import type { Problem } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandEnd, byHandTitle, type TaskView } from './by-hand.js';
import type {
  Block,
  Document,
  Head,
  Outcome,
  OutcomeStep,
  OutcomesBlock,
  ResultsBlock,
  Tasks,
} from './document.js';
import { cardsPart, countMails, type PageFrame, SEARCH_SCRIPT } from './html-cards.js';
import { changedText, partHtml } from './html-changes.js';
import { COPY_SCRIPT, DECISION_SCRIPT, stepsPart } from './html-decision.js';
import { copied, exactly, type Fragment, fold, framed, type Html, html, page, unseen } from './html-page.js';
import { failuresPart, lineHtml, linkList, linkTo, MAX_IN_HEADING, openList, section } from './html-parts.js';
import { calendarPart, tablePart } from './html-tables.js';
import type { Message, Notice } from './plan-notices.js';
import { capital } from './words.js';

/** Maximum number of expanded launches or, if there are none, campaigns. */
const MAX_UNFOLDED = 3;
/** Minimum number of campaigns for which the page has a search. */
const MIN_SEARCHED = 8;

/** Maximum number of open messages in a notice. */
const MAX_PROBLEMS = 8;
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
      return byHandHtml(block);
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
  free,
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
  return html`${eyebrow}<h1>${`${title} ${subject}`.trim()}</h1>${numbers.length === 0 ? null : html`<ul class="counts">${numbers}${free && html`<li>${free}</li>`}</ul>`}${verdict && html`<p class="headline">${verdict}</p>`}${lines.map(lineHtml)}`;
}

function noticePart({ kind, title, messages, hint }: Notice, level: 2 | 3 = 2): Html {
  const plain = messages.filter(({ code }) => code === null).map(listItem);
  const problems = messages
    .filter(({ code }) => code !== null)
    .map((message) => messagePart(message, kind, level));
  const isNote = kind === 'unreadable' && messages.length === 0;
  const head = isNote ? html`<p>${title}.</p>` : headingAt(level, title);
  const [shown, more] = [problems.slice(0, MAX_PROBLEMS), problems.slice(MAX_PROBLEMS)];
  const rest = more.length === 0 ? null : fold(`${thousands(more.length)} more`, more);
  return html`<section class="notice ${kind}">${head}${openList(plain)}${shown}${rest}${kind === 'hazard' ? null : hint && html`<p class="hint">${hint}</p>`}</section>`;
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
  if (text === '') return html`<li>${linkList(campaigns)}</li>`;
  return html`<li>${count(campaigns.length, 'campaign')}${words}${linkList(campaigns)}</li>`;
}

function resultsPart({ results }: ResultsBlock): Html {
  const rows = results.map(({ mark, names, words }) => {
    const [name = '', ...others] = names;
    const which =
      others.length === 0
        ? name
        : fold(
            `${count(names.length, 'project')}: ${name} …`,
            openList(names.map((each) => html`<li>${each}</li>`)),
          );
    return html`<tr><th scope="row"><span class="mark ${MARKS[mark]}">${mark}</span> ${which}</th><td>${words}</td></tr>`;
  });
  return html`<section aria-labelledby="projects"><h2 id="projects">Projects</h2><table class="projects"><tbody>${rows}</tbody></table></section>`;
}

const MARKS = { '✓': 'new', '!': 'changed', '✗': 'blocked' } as const;

function problemPart({ code, severity, message, hint }: Problem): Html {
  return html`<section class="notice ${severity}"><h3>${message}</h3><p class="quiet"><code>${code}</code></p>${hint && html`<p class="hint">${hint}</p>`}</section>`;
}

function outcomesPart({ title, facts, outcomes }: OutcomesBlock): Html {
  const words =
    facts.length === 0 ? null : html`<p class="quiet">${facts.map((fact) => html`${fact}<br>`)}</p>`;
  return html`<section>${title && html`<h2>${title}</h2>`}${words}${outcomes.map(outcomePart)}</section>`;
}

function outcomePart({ mark, name, about, steps, unsent, parts }: Outcome): Html {
  const sign = mark && html`<span class="mark ${MARKS[mark]}">${mark}</span> `;
  const differs = parts.map((part) => partHtml(part, { inFrame: false, isOpen: false, edits: [] }));
  return html`<div class="group"><h3>${sign}${name}${about && html` <small>${about}</small>`}</h3>${steps.length === 0 ? null : html`<ul class="steps">${steps.map(outcomeStep)}</ul>`}${unsent.length === 0 ? null : html`<p class="quiet">Not run: ${unsent.join(', ')}</p>`}${parts.length === 0 ? null : html`<p>Still different from the manifest:</p>${differs}`}</div>`;
}

function outcomeStep({ look, sign, words, result, detail, at, request }: OutcomeStep): Html {
  return html`<li><span class="mark ${look}">${sign}</span> ${words}${result && html` <strong>${result}</strong>`}${[at, request].filter(Boolean).map((each) => html` <small>${each}</small>`)}${detail === null ? null : html`<p class="quiet">${detail}</p>`}</li>`;
}

function byHandHtml(tasks: Tasks): Html | null {
  const { groups } = tasks;
  if (groups.length === 0) return null;
  const parts = groups.map(({ campaigns, tasks: own }) => {
    const [first] = campaigns;
    const names = campaigns.map(
      ({ name, id }) => html`${name}${id === null ? null : html` <small>id ${id}</small>`}`,
    );
    const head =
      campaigns.length === 1
        ? html`<h3>${names}</h3>`
        : html`<details class="fold"><summary>${thousands(campaigns.length)} × the same: ${first?.name ?? ''} …</summary><ul class="links">${names.map((name) => html`<li>${name}</li>`)}</ul></details>`;
    const whom = ` for ${listed(campaigns.map(({ name }) => name))}`;
    const items = own.map(({ words, from, texts }) => {
      const now = from === null ? null : html` <del>${copied(from)}</del>`;
      return html`<li><label><input type="checkbox"> ${capital(words)}${unseen(whom)}</label>${now}${texts.map((text) => copyable(text, whom))}</li>`;
    });
    return html`<div class="group">${head}<ul class="tasks">${items}</ul></div>`;
  });
  return html`<section class="notice blocked by-hand" aria-labelledby="by-hand"><h2 id="by-hand">${byHandTitle(tasks)}</h2>${parts}<p class="hint">${byHandEnd(groups)}</p></section>`;
}

function copyable({ name, text, before }: TaskView['texts'][number], whom: string): Html {
  const changed = before === null ? null : changedText(before, text);
  return html`${changed}<figure><figcaption>${name} <button type="button" class="copy" hidden aria-label="Copy ${name}${whom}" data-text="${exactly(text)}">Copy</button></figcaption><pre tabindex="0">${copied(text)}</pre></figure>`;
}
