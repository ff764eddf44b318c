/** Documents as comments on pull and merge requests. */
import { groupBy } from '../model/json.js';
import { count, listed, thousands } from '../model/words.js';
import { type ByHandView, byHandTitle, inBrackets, type TaskView } from './by-hand.js';
import { type ChangeView, type EmailView, showing } from './changes.js';
import {
  diffLines,
  foldUnchanged,
  type Stretch,
  splitLines,
  splitSides,
  stretchText,
  wrapped,
} from './diffs.js';
import type {
  Block,
  CalendarBlock,
  Card,
  Cards,
  Cell,
  Document,
  Failures,
  Head,
  Name,
  Outcome,
  OutcomesBlock,
  Part,
  ResultsBlock,
  Steps,
  TableBlock,
  Tasks,
} from './document.js';
import { dayCell, dayWords, togetherWords } from './launches.js';
import {
  alert,
  cellCode,
  code,
  fence,
  firstThatFits,
  fold,
  htmlCode,
  link,
  markdownTable,
  prose,
} from './markdown.js';
import type { DocumentMarkdownOptions, LinkTo } from './options.js';
import type { CampaignLink, Message, Notice, NoticeKind } from './plan-notices.js';
import { failureProblems } from './problems.js';
import { visibleCopy, visibleCopyLine, visibleLine } from './terminal.js';
import { capital, cut } from './words.js';

const MAX_OPEN = 3;
const MAX_ROWS = 15;
const MAX_NAMED = 12;
const MAX_BLOCKS = 3;

/** `line`: one line per change; `brief`: no bodies; `full`: everything. */
type Detail = 'line' | 'brief' | 'full';

/** `most`: maximum number of messages per alert. `changes`: `null` also omits campaigns. `leavesOut`: `null` for nothing. */
interface Level {
  most: number;
  changes: Detail | null;
  leavesOut: string | null;
}

/** From everything through no bodies and one line per campaign to counts only. The first level that fits is used. */
const LEVELS: readonly Level[] = [
  { most: 1_000, changes: 'full', leavesOut: null },
  { most: 20, changes: 'brief', leavesOut: 'the bodies of new emails' },
  { most: 5, changes: 'line', leavesOut: 'everything except one line for each campaign' },
  { most: 0, changes: null, leavesOut: 'the campaigns' },
];

interface CommentFrame extends Level {
  linkTo: LinkTo;
  next: string;
  page: string | null;
  needsApproval: boolean;
  isOfProjects: boolean;
}

/** Has at most `limit` characters. */
export function documentMarkdown(
  document: Document,
  limit: number,
  { linkTo = () => null, next = '', page = null }: DocumentMarkdownOptions = {},
): string {
  const needsApproval = document.some((block) => block.is === 'head' && block.needed !== '');
  const isOfProjects = document.some(({ is }) => is === 'results');
  const levels = LEVELS.map((level) => () => {
    const frame: CommentFrame = { ...level, linkTo, next, page, needsApproval, isOfProjects };
    const [head, ...others] = document.map((block) => blockMarkdown(block, frame));
    const note = level.leavesOut === null ? '' : shortened(level.leavesOut);
    const foot = document.map((block) => (block.is === 'head' ? footOf(block) : ''));
    const parts = [head ?? [], note, ...others, foot].flat();
    return `${parts.filter((part) => part !== '').join('\n\n')}\n`;
  });
  return firstThatFits(levels, limit);
}

function shortened(leavesOut: string): string {
  return `**Too long to show here:** ${leavesOut}. \`campaignctl show\` prints the whole plan from its file.`;
}

function blockMarkdown(block: Block, frame: CommentFrame): string[] {
  const { most, linkTo } = frame;
  switch (block.is) {
    case 'head':
      return headParts(block, frame);
    case 'paragraph':
      return [block.lines.map(prose).join('\\\n')];
    case 'problems':
      return block.problems.map(({ message, hint }) => `> ⚠ ${prose(`${message} ${hint}`.trim())}`);
    case 'notice':
      return [noticeMarkdown(block, most)];
    case 'steps':
      return stepParts(block, frame);
    case 'table':
      return frame.changes === null ? [] : [tableMarkdown(block, linkTo)];
    case 'calendar':
      return frame.changes === null ? [] : [calendarMarkdown(block, linkTo)];
    case 'cards':
      return cardsParts(block, frame);
    case 'tasks':
      return byHandMarkdown(block, most);
    case 'notes':
      return notesParts(
        block.notices.map((notice) => noticeMarkdown(notice, most)),
        most,
      );
    case 'results':
      return [resultsTable(block)];
    case 'failures':
      return [`**${prose(block.title)}**\n\n${failureLines(block, most).join('\n')}`];
    case 'outcomes':
      return outcomesParts(block, frame);
  }
}

function headParts(
  { title, subject, isInsecure, verdict, counts, needed, refused, free, lines }: Head,
  { page }: CommentFrame,
): string[] {
  const [main = [], ...others] = counts.map((group) =>
    group.map(({ number, words }) => `${thousands(number)} ${words}`),
  );
  const numbers = [main.join(', '), ...others.flat()].filter(Boolean).join(' · ');
  const sentence = verdict && `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1).replace(/\.$/, '')}`;
  const approval = needed === '' ? free && ` · ${free}` : ` · needs approval: ${prose(cut(needed, 300))}`;
  const stop = refused === '' ? '' : ` · ${refused}`;
  const insecure = isInsecure ? ' (insecure http)' : '';
  const about = `${prose(title)}${subject && ` ${code(subject)}`}${insecure}`;
  const said = sentence === null ? `${prose(numbers)}${stop}${approval}` : prose(sentence);
  return [
    `### ${about}${said && `: ${said}`}`,
    ...(page === null ? [] : [`**${link('Every email as it will look, on one page', page)}**`]),
    ...lines.map(({ words }) => prose(words)),
  ];
}

/** The service and the plan, last and small. */
function footOf({ service, fingerprint }: Head): string {
  const parts = [
    ...(service === '' ? [] : [code(service)]),
    ...(fingerprint === '' ? [] : [`plan ${code(fingerprint.slice(7, 19))}`]),
  ];
  return parts.length === 0 ? '' : `<sub>${parts.join(' · ')}</sub>`;
}

/** See https://docs.github.com/get-started/writing-on-github; GitLab supports the same alerts. */
const ALERTS: Record<NoticeKind, 'CAUTION' | 'WARNING' | 'IMPORTANT' | 'NOTE' | null> = {
  launch: 'CAUTION',
  raise: 'CAUTION',
  emails: 'CAUTION',
  stop: 'IMPORTANT',
  unmanaged: 'CAUTION',
  error: 'WARNING',
  hazard: 'WARNING',
  accepted: 'NOTE',
  blocked: 'WARNING',
  removed: 'IMPORTANT',
  drift: 'IMPORTANT',
  warning: 'NOTE',
  calm: null,
  unreadable: null,
  quiet: null,
};

function noticeMarkdown({ kind, title, messages, hint }: Notice, most: number): string {
  const shown = messages.slice(0, Math.max(most, 1));
  const rest = messages.length - shown.length;
  const lines = [
    `**${prose(title)}**`,
    ...(shown.length === 0 ? [] : ['', ...shown.map((message) => messageLine(message, most))]),
    ...(rest > 0 ? [`- and ${thousands(rest)} more`] : []),
    ...(hint === '' ? [] : ['', prose(cut(hint, 900))]),
  ];
  const name = ALERTS[kind];
  return name === null ? lines.join('\n') : alert(name, lines);
}

function messageLine({ code: kind, campaigns, blocks, text, hint }: Message, most: number): string {
  const words = prose(cut(`${text} ${hint}`.trim(), most === 0 ? 200 : 900));
  const names = nameList(campaigns, most);
  if (kind === null) return `- ${[names, words].filter(Boolean).join(': ')}`;
  const shown = most < 20 ? [] : blocks.slice(0, MAX_BLOCKS);
  const hidden = shown.length === 0 ? 0 : blocks.length - shown.length;
  const lines = [
    `- ${code(kind)}${names && ` for ${names}`}: ${words}`,
    ...shown.flatMap(({ where, lines }) => [prose(where), ...lines.map((line) => code(cut(line, 200)))]),
    ...(hidden === 0
      ? []
      : [`\`campaignctl show --full\` also shows the lines for ${count(hidden, 'other campaign')}.`]),
  ];
  return lines.join('<br>');
}

function renderName({ name }: { name: string }): string {
  return code(cut(name, 120));
}

function nameList(campaigns: readonly CampaignLink[], most: number): string {
  if (campaigns.length > 1 && most === 0) return count(campaigns.length, 'campaign');
  return listed(campaigns.map(renderName), Math.max(Math.min(most, MAX_NAMED), 1));
}

function stepParts({ refusal, applying }: Steps, frame: CommentFrame): string[] {
  const { next, needsApproval, most } = frame;
  if (applying.length === 0)
    return refusal === null ? [] : [`**Next:** ${[refusal, next].filter(Boolean).map(prose).join(' ')}`];
  const steps = next === '' || needsApproval ? applying : [];
  const last = next === '' ? [] : [prose(`${next}${withoutApproval(frame, refusal)}`)];
  // The shortest form has no fences.
  const typed = (command: string) =>
    most === 0 ? ` ${code(command)}` : `\n\n${fence(visibleLine(command), 'sh')}`;
  const shown = steps.map(({ words, command }) => `${prose(words)}${command === null ? '' : typed(command)}`);
  const [first = '', ...others] = [...(refusal === null ? [] : [prose(refusal)]), ...shown, ...last];
  return [`**Next:** ${first}`, ...others];
}

/** A refusal, which precedes, holds whatever is approved. Apply goes on with the projects that need no approval. */
function withoutApproval({ needsApproval, isOfProjects }: CommentFrame, refusal: string | null): string {
  if (!needsApproval) return '';
  if (isOfProjects) return ' That skips each project that has a hazard which is neither approved nor held.';
  return refusal === null
    ? ' That changes nothing as long as one of these is neither approved nor held.'
    : '';
}

function tableMarkdown({ number, columns, rows, isRepeated }: TableBlock, linkTo: LinkTo): string {
  const table = markdownTable({
    heads: columns.map(({ head }) => head),
    right: columns.flatMap(({ isRight }, at) => (isRight ? [at] : [])),
    rows: rows.map((row) => row.map((cell) => cellMarkdown(cell, linkTo))),
  });
  if (!isRepeated || rows.length <= MAX_ROWS) return table;
  return fold(`${count(number, 'campaign')}, one line each`, false, [table]).trimEnd();
}

/** Days on which nothing is sent have no column. */
function calendarMarkdown(block: CalendarBlock, linkTo: LinkTo): string {
  const { title, days, rows, sum, isPartial, capacity } = block;
  const shown = days.flatMap((day, at) => (sum[at] === 0 && !isPartial ? [] : [{ day, at }]));
  const line = (head: string, cells: readonly number[] | null, start = '') => [
    head,
    ...shown.map(({ at }, column) =>
      cells === null ? (column === 0 ? prose(start || 'not known') : '') : dayCell(cells[at] ?? 0),
    ),
  ];
  const some = rows.length <= MAX_ROWS ? rows : [];
  const isSummed = rows.length > 1 || rows.some(({ names }) => names.length > 1);
  const table = markdownTable({
    heads: ['', ...shown.map(({ day }) => dayWords(day, false))],
    right: shown.map((_, at) => at + 1),
    rows: [
      ...some.map(({ names, cells, start }) => {
        return line(`${cellMarkdown(names, linkTo)}${names.length > 1 ? ', each' : ''}`, cells, start);
      }),
      ...(isSummed ? [line(togetherWords(isPartial), sum)] : []),
    ],
  });
  const most = capacity === null ? '' : `; capacity of all running campaigns: ${thousands(capacity)} a day`;
  return fold(`${prose(title)}${most}`, false, [table]).trimEnd();
}

function cellMarkdown(cell: Cell, linkTo: LinkTo): string {
  if (typeof cell === 'string') return prose(cut(cell, 300));
  if ('look' in cell) return prose(cut(cell.words, 300));
  return listed(
    cell.map((name) => nameMarkdown(name, linkTo)),
    MAX_NAMED,
  );
}

function nameMarkdown({ name, manifest }: Name, linkTo: LinkTo): string {
  return link(cellCode(cut(name, 120)), manifest === null ? null : linkTo(manifest));
}

/** One line for each needs no fold, because the tables have it. */
function cardsParts({ id, title, cards, except }: Cards, { changes, linkTo }: CommentFrame): string[] {
  if (changes === null || changes === 'line' || except === 'markdown') return [];
  const members = cards.reduce((sum, card) => sum + card.members.length, 0);
  const open = cards.length <= MAX_OPEN && (id === 'launches' || members <= MAX_ROWS);
  const folds = cards.map((card) => cardFold(card, changes, { linkTo, open }));
  if (cards.length <= MAX_ROWS) return folds;
  return [fold(`<b>All ${prose(title.toLowerCase())}</b>`, false, [folds.join('\n\n')]).trimEnd()];
}

function cardFold(card: Card, detail: Detail, { linkTo, open }: { linkTo: LinkTo; open: boolean }): string {
  const { title, members, isLaunch, facts, leads, remarks, parts, codes, where } = card;
  const [{ manifest }] = members;
  const isGroup = members.length > 1;
  // For other campaigns, the table shows these facts.
  const said = isLaunch ? facts.filter(({ look }) => look !== 'launch').map(({ words }) => words) : [];
  const foot = [
    ...(where === '' ? [] : [link(code(where), linkTo(manifest))]),
    ...(codes.length === 0 ? [] : [`see: ${codes.map((kind) => code(kind)).join(', ')}`]),
  ];
  const summary = [
    `<b>${isGroup ? prose(title) : htmlCode(cut(title, 120))}</b>`,
    ...said.map((fact) => prose(cut(fact, 300))),
  ];
  return fold(summary.join(' · '), open, [
    ...(isLaunch && leads !== null && detail === 'full' ? [`${prose(capital(leads))}.`, ''] : []),
    ...remarks.flatMap((words) => [`> ⚠ ${prose(capital(words))}.`, '']),
    ...parts.flatMap((part) => partMarkdown(part, detail)),
    ...(isGroup ? [...headLines('campaigns'), memberLines(card, linkTo)] : []),
    ...(foot.length === 0 ? [] : ['', `<sub>${foot.join(' · ')}</sub>`]),
  ]).trimEnd();
}

function headLines(words: string, more = ''): string[] {
  return ['', `**${words}**${more}`, ''];
}

function memberLines({ members }: Card, linkTo: LinkTo): string {
  return [...groupBy(members, ({ leads }) => leads ?? '')]
    .map(([facts, some]) => {
      const names = some.map((member) => link(renderName(member), linkTo(member.manifest))).join(', ');
      return `- ${[names, prose(facts)].filter(Boolean).join(': ')}`;
    })
    .join('\n');
}

function partMarkdown(part: Part, detail: Detail): string[] {
  if (part.is === 'emails')
    return part.sent.length > 0 ? [...headLines('sends'), ...emailBlocks(part.sent, detail)] : [];
  const { section, mark, compared, sameAs, changes } = part;
  const beside = `${mark === null ? '' : ` (${mark})`}${compared && `: ${prose(compared)}`}`;
  return [
    ...(section === 'campaign' ? [] : headLines(section, beside)),
    ...changes.flatMap((change) =>
      sameAs === null
        ? changeBlocks(change, detail)
        : [`- new: ${prose(change.name)}, the same as those of ${renderName(sameAs)}`],
    ),
  ];
}

function changeBlocks(change: ChangeView, detail: Detail): string[] {
  const name = prose(change.name);
  const note = change.note && ` (${prose(change.note)})`;
  const verb = 'isNew' in change && !change.isNew ? 'removed' : 'new';
  switch (change.form) {
    case 'update':
      return [`- ${name && `${name}: `}${copyCode(change.from)} → ${copyCode(change.to)}${note}`];
    case 'text':
      return [`- ${name}${note}`, '', wordDiff(change, detail === 'full' ? 2 : 0), ''];
    case 'value':
      return [`- ${verb}: ${name && `${name} `}${copyCode(change.value)}${note}`];
    case 'emails':
      return [`- ${verb}${name && `: ${name}`}${note}`, '', ...emailBlocks(change.emails, detail)];
  }
}

function copyCode(text: string): string {
  return code(text, visibleCopyLine);
}

function emailBlocks(emails: readonly EmailView[], detail: Detail): string[] {
  return emails.flatMap(({ label, email, how }) => {
    const head = `${label}: ${copyCode(email.email_subject)} (${how})`;
    return [head, '', ...(detail === 'full' ? [bodyFence(email.email_body), ''] : [])];
  });
}

/** Platforms do not wrap the lines of code blocks in comments. */
const WIDTH = 96;

/** Lines that continue the line above begin with an arrow. */
function bodyFence(body: string): string {
  const lines = splitLines(body).flatMap((text) =>
    wrapped([{ kind: 'same', text }], WIDTH).map((line, at) =>
      splitSides(line).map((side) => (at === 0 ? side.text : `↳ ${side.text}`)),
    ),
  );
  return fence(lines.flat().join('\n'));
}

/** Changed words within their lines, with `context` unchanged lines around them. */
function wordDiff({ from, to }: { from: string; to: string }, context: number): string {
  const rows = foldUnchanged(diffLines(from, to), context).map((row) =>
    typeof row === 'number' ? `*${count(row, 'unchanged line')}*` : row.map(stretchMarkdown).join(''),
  );
  return rows.map((row) => (row === '' ? '>' : `> ${row}<br>`)).join('\n');
}

function stretchMarkdown(stretch: Stretch): string {
  const words = prose(visibleCopy(stretchText(stretch)));
  if (stretch.kind === 'same') return words;
  return stretch.kind === 'added' ? `<ins>${words}</ins>` : `<del>${words}</del>`;
}

function notesParts(notes: readonly string[], most: number): string[] {
  if (most === 0) return [...notes];
  return [
    fold(
      'Notes',
      false,
      notes.flatMap((text) => ['', text]),
    ).trimEnd(),
  ];
}

function resultsTable({ results }: ResultsBlock): string {
  const rows = results.map(({ mark, names, words }) => {
    const all = names.map((name) => cellCode(cut(name, 100)));
    return [mark, listed(all, MAX_NAMED * 2), prose(cut(words, 600))];
  });
  return markdownTable({ heads: ['', 'Project', 'Result'], rows });
}

function failureLines({ failures }: Failures, most: number): string[] {
  return failures.flatMap(({ names, failure }) => {
    const [error, ...others] = failureProblems(failure);
    if (error === undefined) return [];
    const shown = others.slice(0, most);
    const rest = others.length - shown.length;
    return [
      `- ✗ ${names.map((name) => renderName({ name })).join(', ')}: ${prose(cut(`${error.message} ${error.hint}`.trim(), 1_000))}`,
      ...shown.map(({ message }) => `  - ${prose(cut(message, 300))}`),
      ...(rest === 0 ? [] : [`  - and ${thousands(rest)} more`]),
    ];
  });
}

function outcomesParts({ title, facts, outcomes }: OutcomesBlock, { most, changes }: CommentFrame): string[] {
  const shown = changes === null ? outcomes.filter(({ mark }) => mark !== '✓') : outcomes;
  return [
    title === '' ? '' : `**${prose(title)}**`,
    facts.map(prose).join('\\\n'),
    ...shown.slice(0, Math.max(most, 5)).map((outcome) => outcomeMarkdown(outcome, changes ?? 'line')),
  ];
}

function outcomeMarkdown({ mark, name, about, steps, unsent, parts }: Outcome, detail: Detail): string {
  const head = [mark, `**${renderName({ name })}**`, about && `· ${prose(about)}`].filter(Boolean).join(' ');
  const lines = steps.map(({ sign, words, result, detail: reason, at, request }) => {
    const about = [at, request && code(request)].filter(Boolean).join(' ');
    const outcome = result && ` **${prose(result)}**`;
    return `- ${sign} ${prose(words)}${outcome}${reason === null ? '' : `: ${prose(cut(reason, 900))}`}${about && ` (${about})`}`;
  });
  return [
    head,
    '',
    ...lines,
    ...(unsent.length === 0 ? [] : [`- · not run: ${prose(unsent.join(', '))}`]),
    ...(parts.length === 0
      ? []
      : [
          '',
          '**Still different from the manifest:**',
          ...parts.flatMap((part) => partMarkdown(part, detail)),
        ]),
  ]
    .join('\n')
    .trimEnd();
}

/** A checklist of at most `most` tasks. Omits long texts if `most` is below 20. */
function byHandMarkdown(block: Tasks, most: number): string[] {
  const { groups } = block;
  if (groups.length === 0) return [];
  const items = groups.flatMap(({ campaigns, tasks }) =>
    tasks.map((task) => ({ who: whoseMarkdown(campaigns, most), task, number: campaigns.length })),
  );
  const isWhole = most >= 20;
  const rest = items.slice(most).reduce((sum, { number }) => sum + number, 0);
  const lines = [
    `**${prose(byHandTitle(block))}**`,
    '',
    ...items.slice(0, most).flatMap(({ who, task }) => itemLines(who, task, isWhole)),
    ...(rest > 0
      ? [`- ${most === 0 ? '' : 'and '}${thousands(rest)} more: \`campaignctl show\` lists them`]
      : []),
  ];
  return [lines.join('\n').trimEnd()];
}

function whoseMarkdown(campaigns: ByHandView['campaigns'], most: number): string {
  const names = campaigns.map(({ name, id }) => `${code(cut(name, 120))}${inBrackets(id)}`);
  return listed(names, Math.max(1, Math.min(most, 12)));
}

function itemLines(who: string, { words, from, texts }: TaskView, isWhole: boolean): string[] {
  const item = `- [ ] ${who}: ${prose(cut(words, 1_000))}${from === null ? '' : ` from ${code(from)}`}`;
  const [only] = texts.length === 1 ? texts : [];
  if (only !== undefined && !only.text.includes('\n') && only.text.length <= 200)
    return [`${item}${from === null ? ':' : ' to'} ${code(only.text, showing(only.name))}`];
  if (texts.length === 0) return [item];
  if (!isWhole) return [`${item} (\`campaignctl show\` prints the text)`];
  const blocks = texts.flatMap(({ name, text, before }) => [
    prose(name),
    '',
    ...(before === null ? [] : [wordDiff({ from: before, to: text }, 1), '']),
    fence(splitLines(text).map(visibleCopy).join('\n')),
    '',
  ]);
  const lines = fold('the text to enter', false, blocks).trimEnd().split('\n');
  return [item, '', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), ''];
}
