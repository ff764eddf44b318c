import { groupBy } from '../model/json.js';
import type { Change, Plan } from '../model/outputs.js';
import { count, listed, thousands } from '../model/words.js';
import { byHandMarkdown } from './by-hand.js';
import { type ChangeView, type EmailView, viewChanges } from './changes.js';
import { cutExcerpt, diffLines, splitLines, splitSides, wrapped } from './diffs.js';
import { type LaunchCells, launchCells } from './launches.js';
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
import { type CampaignLink, isHeadline, type Message, type Notice, type NoticeKind } from './plan-notices.js';
import {
  approvalWords,
  type CampaignBlock,
  type CampaignView,
  countMembers,
  countWords,
  groupByFacts,
  type PlanView,
  viewPlan,
} from './plan-view.js';
import { visibleCopyLine } from './terminal.js';
import { capital, cut } from './words.js';

const MAX_OPEN = 3;
const MAX_ROWS = 15;
const MAX_NAMED = 12;
const MAX_BLOCKS = 3;

export type LinkTo = (manifest: string) => string | null;

export interface PlanMarkdownOptions {
  linkTo?: LinkTo;
  /** Replaces the command that applies the plan. */
  next?: string;
  /** Flags that select the project. */
  place?: string;
  /** Address of the plan as a page. */
  page?: string | null;
}

/** `most`: maximum number of messages per alert. `changes`: `null` also omits campaigns. */
export interface Level {
  most: number;
  changes: Detail | null;
  /** `null` if nothing is omitted. */
  leavesOut: string | null;
}

export const WHOLE: Level = { most: 1_000, changes: 'full', leavesOut: null };

/** From everything through no bodies and one line per campaign to counts only. The first level that fits is used. */
export const LEVELS: readonly Level[] = [
  WHOLE,
  { most: 20, changes: 'brief', leavesOut: 'the bodies of new emails' },
  { most: 5, changes: 'line', leavesOut: 'everything except one line for each campaign' },
  { most: 0, changes: null, leavesOut: 'the campaigns' },
];

export function renderPlanMarkdown(plan: Plan, limit = 60_000, options: PlanMarkdownOptions = {}): string {
  const { place } = options;
  const view = viewPlan(plan, place === undefined ? undefined : () => place);
  const levels = LEVELS.map((level) => () => {
    const note = level.leavesOut === null ? '' : `\n${shortened(level)}\n`;
    return planAt(view, level, { ...options, title: `### ${headline(view)}`, note });
  });
  return firstThatFits(levels, limit);
}

export function shortened({ leavesOut }: Level): string {
  return `**Too long to show here:** ${leavesOut}. \`campaignctl show\` prints the whole plan from its file.`;
}

/** See https://docs.github.com/get-started/writing-on-github; GitLab supports the same alerts. */
const ALERTS: Record<NoticeKind, 'CAUTION' | 'WARNING' | 'IMPORTANT' | 'NOTE' | null> = {
  launch: 'CAUTION',
  raise: 'CAUTION',
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
};

const SETTLE = 'Decide what to approve (see below).';

/** `note`: shown after the changes. */
export function planAt(
  view: PlanView,
  { most, changes }: Level,
  {
    linkTo = () => null,
    page = null,
    next = '',
    title,
    note = '',
  }: PlanMarkdownOptions & { title: string; note?: string },
): string {
  const { launches, others, approvals, refusal, applying } = view;
  const after = approvals.length === 0 ? next || applying.join(' ') : next && `${SETTLE} ${next}`;
  const step = [refusal ?? '', after].filter(Boolean).join(' ');
  const noticesOf = (isWanted: (notice: Notice) => boolean) =>
    view.notices.filter(isWanted).map((notice) => noticeText(notice, most));
  const isDecision = ({ kind }: Notice) => kind === 'error' || kind === 'hazard';
  const isQuiet = ({ kind }: Notice) => kind === 'warning' || kind === 'calm';
  const quiet = [...noticesOf(isQuiet), ...view.notes.map((notice) => noticeText(notice, most))];
  const parts = [
    title,
    pageLink(page),
    ...[view.volume, view.unread, view.legend],
    step && applying.length > 0 && `**Next:** ${prose(step)}`,
    // What has to be decided comes before any email.
    ...noticesOf(isDecision),
    ...noticesOf(isHeadline),
    changes === null ? '' : launchTable(launches, linkTo),
    ...noticesOf((notice) => !isDecision(notice) && !isHeadline(notice) && !isQuiet(notice)),
    ...(changes === null
      ? []
      : [
          campaignTable(others, linkTo),
          ...launchParts(launches, changes, linkTo),
          campaignFolds(others, changes, linkTo),
        ]),
    ...byHandMarkdown(view.byHand, most),
    note.trim(),
    ...(quiet.length === 0 || most === 0
      ? quiet
      : [
          fold(
            'Notes',
            false,
            quiet.flatMap((text) => ['', text]),
          ).trimEnd(),
        ]),
    `<sub>${code(view.service)} · plan ${code(view.fingerprint.slice(7, 19))}</sub>`,
  ];
  return `${parts.filter(Boolean).join('\n\n')}\n`;
}

/** Empty without a page. */
export function pageLink(page: string | null): string {
  return page === null ? '' : `**${link('Every email as it will look, on one page', page)}**`;
}

export function headline(view: PlanView): string {
  const { heading, environment, isInsecure, verdict, counts, approvals } = view;
  const needed =
    approvals.length === 0 ? '' : ` · needs approval: ${prose(cut(approvalWords(approvals), 300))}`;
  const sentence = verdict && `${verdict.slice(0, 1).toLowerCase()}${verdict.slice(1).replace(/\.$/, '')}`;
  return `${heading} ${code(environment)}${isInsecure ? ' (insecure http)' : ''}: ${sentence ?? `${countWords(counts)}${needed}`}`;
}

/** The alert for launches has no list, because the launches follow it. */
export function noticeText({ kind, title, messages, hint }: Notice, most: number): string {
  const shown = kind === 'launch' ? [] : messages.slice(0, Math.max(most, 1));
  const rest = kind === 'launch' ? 0 : messages.length - shown.length;
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
  const names = few(campaigns, most);
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

function few(campaigns: readonly CampaignLink[], most: number): string {
  if (campaigns.length > 1 && most === 0) return count(campaigns.length, 'campaign');
  return listed(campaigns.map(renderName), Math.max(Math.min(most, MAX_NAMED), 1));
}

/** Each launch once, with the numbers to decide on. Equal launches share a row. */
function launchTable(blocks: readonly CampaignBlock[], linkTo: LinkTo): string {
  if (blocks.length === 0) return '';
  const rows = blocks.flatMap(({ campaigns }) =>
    [...groupBy(campaigns, ({ campaign }) => JSON.stringify(cellsOf(campaign))).values()].map((same) =>
      launchRow(same, linkTo),
    ),
  );
  const heads = ['Launch', 'What happens', 'People', 'Emails', 'First day', 'First', 'Last', 'Cap a day'];
  const table = markdownTable({ heads, right: [2, 3, 4, 7], rows });
  if (rows.length <= MAX_ROWS) return table;
  return fold(`${count(countMembers(blocks), 'launch', 'launches')}, one line each`, false, [
    table,
  ]).trimEnd();
}

function cellsOf({ impact }: CampaignView['campaign']): Partial<LaunchCells> {
  return impact === null ? {} : launchCells(impact);
}

function launchRow(same: readonly [CampaignView, ...CampaignView[]], linkTo: LinkTo): string[] {
  const [{ campaign, facts }] = same;
  const { people = '', emails = '', firstDay = '', first = '', last = '', cap = '' } = cellsOf(campaign);
  const names = same.map((view) => link(cellCode(cut(view.name, 120)), linkTo(view.campaign.manifest)));
  const [action, ...more] = facts.map(({ words }) => words);
  const what = [...more, ...(action === undefined ? [] : [action])].join(' · ');
  return [listed(names, MAX_NAMED), prose(cut(what, 160)), people, emails, firstDay, first, last, cap];
}

/** Their emails. One line for each needs no fold, because the table has it. */
function launchParts(blocks: readonly CampaignBlock[], detail: Detail, linkTo: LinkTo): string[] {
  if (detail === 'line') return [];
  const open = blocks.length <= MAX_OPEN;
  const folds = blocks.map((block) => blockFold(block, detail, { linkTo, open }));
  return blocks.length > MAX_ROWS
    ? [fold('<b>All emails of the launches</b>', false, folds).trimEnd()]
    : folds;
}

function campaignTable(blocks: readonly CampaignBlock[], linkTo: LinkTo): string {
  if (blocks.length === 0) return '';
  const rows = blocks.map((block) => renderRow(block, linkTo));
  const table = markdownTable({ heads: ['Campaign', 'Changes', 'Flags'], rows });
  if (blocks.length <= MAX_ROWS) return table;
  return fold(`${count(countMembers(blocks), 'campaign')}, one line per change`, false, [table]).trimEnd();
}

function renderRow({ campaigns, title }: CampaignBlock, linkTo: LinkTo): string[] {
  const [view] = campaigns;
  const { name, campaign, facts, codes, leadFacts, themes } = view;
  const [action, ...more] = facts;
  const leads = title !== null || leadFacts === null ? [] : [leadFacts];
  const named = link(cellCode(cut(name, 120)), linkTo(campaign.manifest));
  return [
    title === null ? named : `${title}: ${named} and ${thousands(campaigns.length - 1)} more`,
    [action?.words ?? '', ...[...themes, ...leads].map((words) => prose(cut(words, 120)))].join(' · '),
    [...codes.map(cellCode), ...more.map(({ words }) => words)].join(' · '),
  ];
}

function campaignFolds(blocks: readonly CampaignBlock[], detail: Detail, linkTo: LinkTo): string {
  if (detail === 'line' || blocks.length === 0) return '';
  const open = blocks.length <= MAX_OPEN && countMembers(blocks) <= MAX_ROWS;
  const text = blocks.map((block) => blockFold(block, detail, { linkTo, open })).join('\n\n');
  return blocks.length > MAX_ROWS ? fold('<b>All changes</b>', false, [text]).trimEnd() : text;
}

function blockFold(
  block: CampaignBlock,
  detail: Detail,
  { linkTo, open }: { linkTo: LinkTo; open: boolean },
): string {
  const { campaigns, sections, title } = block;
  const [view] = campaigns;
  const { isLaunch, leadFacts, origin, codes, name, where, campaign, sends, succession } = view;
  // For other campaigns, the table shows these facts.
  const facts = isLaunch
    ? [...view.facts.filter(({ look }) => look !== 'launch').map(({ words }) => words)]
    : [];
  const foot = [
    ...(title === null ? [link(code(where), linkTo(campaign.manifest))] : []),
    ...(codes.length === 0 ? [] : [`see: ${codes.map((kind) => code(kind)).join(', ')}`]),
  ];
  const summary = [
    `<b>${title ?? htmlCode(cut(name, 120))}</b>`,
    ...facts.map((fact) => prose(cut(fact, 300))),
  ];
  return fold(summary.join(' · '), open, [
    ...(origin === null ? [] : [`> ⚠ ${prose(capital(origin))}.`, '']),
    ...(isLaunch && title === null && leadFacts !== null && detail === 'full'
      ? [`${prose(capital(leadFacts))}.`, '']
      : []),
    ...(succession === null ? [] : [`${prose(capital(succession))}.`, '']),
    ...sections.flatMap(({ section, changes, isWithheld, compared }) => [
      ...(section === 'campaign'
        ? []
        : headLines(section, `${isWithheld ? ' (not applied)' : ''}${compared && `: ${compared}`}`)),
      ...changeItems(changes, detail),
    ]),
    ...(sends.length === 0 ? [] : [...headLines('sends'), ...emailBlocks(sends, detail)]),
    ...(title === null ? [] : [...headLines('campaigns'), memberLines(campaigns, linkTo)]),
    ...(foot.length === 0 ? [] : ['', `<sub>${foot.join(' · ')}</sub>`]),
  ]).trimEnd();
}

function headLines(words: string, more = ''): string[] {
  return ['', `**${words}**${more}`, ''];
}

function memberLines(campaigns: readonly CampaignView[], linkTo: LinkTo): string {
  const lines = groupByFacts(campaigns).map(([facts, members]) => {
    const names = members.map((view) => link(renderName(view), linkTo(view.campaign.manifest))).join(', ');
    return `- ${[names, prose(facts)].filter(Boolean).join(': ')}`;
  });
  return lines.join('\n');
}

/** `line`: one line per change; `brief`: no bodies; `full`: everything. */
export type Detail = 'line' | 'brief' | 'full';

export function changeItems(changes: readonly Change[], detail: Detail): string[] {
  return viewChanges(changes).flatMap((change) => changeBlocks(change, detail));
}

function changeBlocks(change: ChangeView, detail: Detail): string[] {
  const name = prose(change.name);
  const note = change.note && ` (${prose(change.note)})`;
  const verb = 'isNew' in change && !change.isNew ? 'removed' : 'new';
  switch (change.form) {
    case 'update':
      return [`- ${name && `${name}: `}${copyCode(change.from)} → ${copyCode(change.to)}${note}`];
    case 'text':
      return [`- ${name}${note}`, '', diffFence(change, detail === 'full' ? 2 : 0), ''];
    case 'value':
      return [`- ${verb}: ${name && `${name} `}${copyCode(change.value)}${note}`];
    case 'emails':
      return [`- ${verb}${name && `: ${name}`}${note}`, '', ...emailBlocks(change.emails, detail)];
  }
}

function copyCode(text: string): string {
  return code(text, visibleCopyLine);
}

export function emailBlocks(emails: readonly EmailView[], detail: Detail): string[] {
  return emails.flatMap(({ label, email, how }) => {
    const head = `${label}: ${copyCode(email.email_subject)} (${how})`;
    return [head, '', ...(detail === 'full' ? [bodyFence(email.email_body), ''] : [])];
  });
}

/** Platforms do not wrap the lines of code blocks in comments. */
const WIDTH = 96;

function bodyFence(body: string): string {
  const lines = splitLines(body).flatMap((text) => wrapped([{ kind: 'same', text }], WIDTH));
  return fence(
    lines
      .flatMap(splitSides)
      .map(({ text }) => text)
      .join('\n'),
  );
}

/** Shows a diff and, of a long line, only the part that differs. */
function diffFence({ from, to }: { from: string; to: string }, context: number): string {
  const lines = diffLines(from, to).flatMap((line) => wrapped(line, WIDTH));
  const rows = cutExcerpt(lines, context).flatMap((row) =>
    typeof row === 'number'
      ? [`@@ ${count(row, 'unchanged line')} @@`]
      : splitSides(row).map(({ sign, text }) => `${sign} ${text}`.trimEnd()),
  );
  return fence(rows.join('\n'), 'diff');
}
